"""serve: the JSON API and the web pages."""

from __future__ import annotations

import socket
from typing import Annotated

import typer

from pecia.cli import options as opt
from pecia.cli.output import errors, escape
from pecia.errors import MissingExtraError
from pecia.settings import settings


def serve(
    library: opt.LibraryFolder,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; other machines need PECIA_SERVE_KEY.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0 takes a free one.")] = 8765,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes that cut files.", show_default="all cores but one"),
    ] = None,
) -> None:
    """Serve a library: upload, preview, search and cite in the browser and over JSON."""
    try:
        import fastapi
        import python_multipart
        import uvicorn
    except ImportError as error:
        raise MissingExtraError(error.name or "fastapi", "serve", "the service") from error
    del fastapi, python_multipart
    from pecia.server.application import application
    from pecia.server.service import Service, key_of

    key = key_of(host, settings().secret("serve_key"))  # refused before anything is opened
    service = Service(library, jobs=jobs)
    found = socket.create_server((host.strip("[]"), port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    shown = f"[{host.strip('[]')}]" if ":" in host else host
    errors.print(f"http://{shown}:{found.getsockname()[1]}/  {escape(str(library))}", soft_wrap=True)
    # Access is not logged: paths hold ids and queries, and nobody asked for them to be kept.
    config = uvicorn.Config(application(service, key=key), log_level="warning", access_log=False, server_header=False)
    uvicorn.Server(config).run(sockets=[found])
