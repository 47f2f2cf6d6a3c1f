"""The application: API, pages and guard over one service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from pecia import __version__
from pecia.server import api, pages
from pecia.server.guard import Guard
from pecia.server.refusals import answer_errors
from pecia.server.service import Service

_ABOUT = """Documents are cut along their own structure into chunks that can prove where they came from, and found again with
citations. Errors have one shape: `{"error": {"code", "message", "known"}}`. Where the service has a key, send it as
`Authorization: Bearer KEY`."""


def application(service: Service, *, key: str = "") -> FastAPI:
    """The ASGI application of a service, which is closed with it. `key` is asked of everyone where it is not empty."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        service.close()

    app = FastAPI(
        title="pecia",
        version=__version__,
        description=_ABOUT,
        openapi_url=f"{api.PREFIX}/openapi.json",
        docs_url=None,  # its pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service, app.state.key = service, key
    app.add_middleware(Guard, key=key)
    app.include_router(api.router)
    app.include_router(pages.router, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=Path(str(files(__package__) / "static"))), name="static")
    answer_errors(app, pages.refusal)
    pages.warm()
    return app
