"""The web pages: the same verbs on the same URLs as the API, rendered here, usable without a script."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi import Query as InQuery
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pecia import plugins
from pecia.errors import UsageError
from pecia.model import Box, Chunk, ChunkKind, Page, PageBox
from pecia.server import api, choices
from pecia.server.api import Used
from pecia.server.guard import SESSION, SESSION_SECONDS, TOKEN, new_token, same, sign_in
from pecia.server.jobs import FINISHED, Job, State, new_job_id
from pecia.server.marking import marked, slots
from pecia.server.passages import Stretch, stretch_of
from pecia.server.refusals import Refusal
from pecia.server.searching import Asked, Found
from pecia.server.sheets import STRETCH, body_of, joined, shown, title_of
from pecia.server.texts import LANGUAGES, Words, language_of
from pecia.server.uploads import drop
from pecia.settings import settings

HERE = Path(str(files(__package__)))
LANGUAGE = "pecia_language"
YEAR = 365 * 24 * 3600
LISTED = 50
HITS = 10
FAILED_SECONDS = 24 * 3600  # for which the list tells of a job that failed
_CROP_MARGIN, _CROP_MOST = 48.0, 260.0  # points above and below a quote, and the height of its picture at most

router = APIRouter()


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "views"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters |= {"pt": lambda number: f"{number:.2f}".rstrip("0").rstrip(".")}
    made.globals |= {"static": _static, "languages": LANGUAGES, "marked": marked}
    return made


@cache
def _static(name: str) -> str:
    """The address of a file, which changes with its bytes, so that a browser may keep it."""
    mark = hashlib.sha256((HERE / "static" / name).read_bytes()).hexdigest()[:10]
    return f"/static/{name}?{mark}"


def warm() -> None:
    """Loads strategies and templates, which would take the first reader most of a second."""
    choices.strategies()
    for view in _environment().list_templates():
        _environment().get_template(view)


def page(request: Request, view: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page in the reader's language, with the token that its forms send back."""
    asked = request.query_params.get("language") or request.cookies.get(LANGUAGE)
    language = language_of(asked, request.headers.get("accept-language", ""))
    token = request.cookies.get(TOKEN) or new_token()
    rest = [(name, value) for name, value in request.query_params.multi_items() if name != "language"]
    text = (
        _environment()
        .get_template(view)
        .render(
            t=Words(language),
            token=token,
            path=request.url.path,
            rest=rest if request.method == "GET" else [],
            keyed=bool(request.app.state.key),
            modes=choices.MODES,
            **values,
        )
    )
    answer = HTMLResponse(text, status)
    secure = request.url.scheme == "https"
    if request.cookies.get(TOKEN) != token:
        answer.set_cookie(TOKEN, token, httponly=True, samesite="strict", secure=secure)
    if request.query_params.get("language") in LANGUAGES:
        answer.set_cookie(LANGUAGE, language, max_age=YEAR, httponly=True, samesite="lax", secure=secure)
    return answer


def refusal(request: Request, found: Refusal) -> HTMLResponse | None:
    """The page of an error; None for the API, and for a script that shows a line."""
    if request.url.path.startswith((f"{api.PREFIX}/", "/static/")) or "x-part" in request.headers:
        return None
    return page(request, "refusal.html", status=found.status, refusal=found)


async def _form(request: Request) -> FormData:
    """The form, whose token must be that of the cookie: a page of another site cannot know it."""
    form = await request.form(max_files=settings().upload_files + 1, max_fields=500, max_part_size=1 << 16)
    given, held = form.get("token"), request.cookies.get(TOKEN, "")
    if not held or not isinstance(given, str) or not same(given, held):
        await form.close()
        raise FormError
    return form


class FormError(UsageError):
    """A form without the token of our page."""

    def __init__(self) -> None:
        super().__init__("this form is too old or not ours; load the page again")


# Documents


@router.get("/")
def start() -> Response:
    return RedirectResponse("/documents", 303)


@router.get("/documents")
def documents(
    request: Request,
    service: Used,
    after: Annotated[str | None, InQuery(max_length=20)] = None,
    name: Annotated[str, InQuery(max_length=200)] = "",
) -> Response:
    """What is held and what is in work; with the header `x-part: list` the list alone."""
    held, more, total = service.shelf.page(before=api.number_of(after), limit=LISTED, name=name)
    view = "list.html" if request.headers.get("x-part") == "list" else "documents.html"
    return page(
        request,
        view,
        entries=[api.entry_json(item) for item in held],
        more=more,
        total=total,
        name=name,
        after=after,
        jobs=[api.job_json(job) for job in service.queue.jobs(limit=20) if _to_be_told(job)],
        strategies=_cards(),
        limits=(settings().upload_bytes >> 20, settings().upload_files),
        quoted=lambda text: quote(text, safe=""),
    )


def _to_be_told(job: Job) -> bool:
    """Whether a job is in work, or failed so lately that whoever sent it may not know."""
    return job.state not in FINISHED or (job.state is State.FAILED and time.time() - job.created < FAILED_SECONDS)


def _cards() -> list[dict[str, Any]]:
    """The strategies with their options, the default one marked; `auto` stands first."""
    cards = [
        {**item, "fields": item["options"]["properties"], "command_line": item["options"][choices.COMMAND_LINE]}
        for item in choices.strategies()
    ]
    return sorted(cards, key=lambda item: item["name"] != plugins.AUTO)


@router.post("/documents")
async def add(request: Request, service: Used) -> Response:
    """Takes files in as the API does; for browsers without a script."""
    form = await _form(request)
    job = new_job_id()
    try:
        strategy, options = _chosen(form)
        await run_in_threadpool(api.take_in, service, job, strategy, options, api.files_of(form))
    except BaseException:
        await run_in_threadpool(drop, service.queue.uploads / job)
        raise
    finally:
        await form.close()
    return RedirectResponse("/documents", 303)


@router.post("/documents/preview")
async def preview(request: Request, service: Used) -> Response:
    """Chunks and findings that would come of the files; with the header `x-part: preview` without the page around them."""
    form = await _form(request)
    try:
        strategy, options = _chosen(form)
        found = await run_in_threadpool(api.previewed, service, strategy, options, api.files_of(form))
    finally:
        await form.close()
    view = "previewed.html" if request.headers.get("x-part") == "preview" else "preview.html"
    chunks = plugins.attributes()
    made = [
        {
            **item,
            "shown": [shown(n, Chunk.from_record(record, chunks), item["findings"]) for n, record in enumerate(item["chunks"])],
        }
        for item in found
    ]
    return page(request, view, documents=made)


def _chosen(form: FormData) -> tuple[str, dict[str, Any]]:
    """The strategy and its options, whose fields bear its name: `token.max_tokens`."""
    strategy = form.get("strategy")
    name = strategy if isinstance(strategy, str) and strategy else choices.default_strategy()
    start = f"{name}."
    given = {key.removeprefix(start): value for key, value in form.multi_items() if key.startswith(start)}
    return choices.chosen(name, given)


@router.post("/documents/{key}/delete")
async def delete(request: Request, key: str, service: Used) -> Response:
    await (await _form(request)).close()
    await run_in_threadpool(service.shelf.remove, key)
    return RedirectResponse("/documents", 303)


@router.post("/jobs/{job_id}/cancel")
async def cancel(request: Request, job_id: str, service: Used) -> Response:
    await (await _form(request)).close()
    await run_in_threadpool(service.queue.cancel, job_id)
    await run_in_threadpool(service.queue.clear, job_id)
    return RedirectResponse("/documents", 303)


# One document


@router.get("/documents/{key}")
def document(
    request: Request,
    key: str,
    service: Used,
    number: Annotated[int | None, InQuery(alias="page", ge=1, le=1 << 31)] = None,
    start: Annotated[int, InQuery(ge=0, le=1 << 53)] = 0,
    chunk: Annotated[str | None, InQuery(max_length=100)] = None,
) -> Response:
    """A page with its chunks, or a stretch of a source without pages; the one that `chunk` stands on where it is given."""
    held = service.shelf.held(key)
    entry, pages = held.entry, service.shelf.pages(held.entry)
    with service.shelf.library() as library:
        if chunk and (position := library.position(entry, chunk)) is not None:
            found = library.chunks_of(entry, position, position + 1)[0][1]
            number = number or (found.page_range[0] + 1 if found.page_range else None)
            start = position // STRETCH * STRETCH
        findings = service.queue.findings(key)
        values: dict[str, Any] = {
            "entry": api.entry_json(held),
            "findings": findings,
            "chosen": chunk,
        }
        if pages:
            index = min(number or 1, len(pages)) - 1
            items = [shown(at, item, findings, index) for at, item in library.chunks_on(entry, index)]
            values |= {"leaf": pages[index], "leaves": len(pages), "shown": items, "source": Stretch()}
        else:
            start = min(start, max(0, entry.chunks - 1)) // STRETCH * STRETCH
            items = [shown(at, item, findings) for at, item in library.chunks_of(entry, start, start + STRETCH)]
            values |= {"leaf": None, "leaves": 0, "shown": items, "source": stretch_of(library, entry, items), "start": start}
    return page(request, "document.html", stretch=STRETCH, kept=bool(entry.original), **values)


@router.get("/chunks/{key}")
def chunk(key: str, service: Used) -> Response:
    """The document where the chunk stands."""
    _, _, entry, _ = service.shelf.chunk(key)
    return RedirectResponse(f"/documents/{entry.key}?{urlencode({'chunk': key})}#c-{key}", 303)


# Search


@router.get("/search")
def search(
    request: Request,
    service: Used,
    query: Annotated[str, InQuery(max_length=2000)] = "",
    mode: Annotated[str | None, InQuery(max_length=40)] = None,
    k: Annotated[int, InQuery(ge=1, le=100)] = HITS,
    document: Annotated[str | None, InQuery(max_length=200)] = None,
) -> Response:
    """Hits with the place of each; a filter is a parameter with the name of its attribute."""
    offered = service.shelf.choices()
    picked = {name: value for name in offered if (value := request.query_params.get(f"where.{name}"))}
    hits: Sequence[Mapping[str, Any]] = ()
    if query.strip():
        where = [f"{name}={value}" for name, value in picked.items()]
        found = service.search(Asked(query, k, mode or choices.MODES[0], where, document or None))
        hits = [_hit(service, item) for item in found]
    name = service.shelf.held(document).entry.name if document else None
    return page(
        request,
        "search.html",
        query=query,
        mode=mode,
        k=k,
        document=document,
        name=name,
        offered=offered,
        picked=picked,
        hits=hits,
        closed=() if service.shelf.has_vectors() else choices.BY_VECTORS,
    )


def _hit(service: Used, found: Found) -> dict[str, Any]:
    passage, chunk, whole = found.passage, found.hit.chunk, service.shelf.whole(found)
    return {
        "found": found,
        "entry": found.entry.key,
        "strategy": found.entry.strategy,
        "title": title_of(chunk),
        "place": passage.place(),
        "quote": body_of(chunk, passage.quote),
        "citation": str(passage),
        "crop": _crop(service, found),
        "page": passage.pages[0] + 1 if passage.pages else None,
        "slots": slots("\n".join(item.text for item in whole)) if chunk.chunk_kind is ChunkKind.RECORD else (),
        "body": body_of(whole[0], joined(whole)),
    }


def _crop(service: Used, found: Found) -> dict[str, Any] | None:
    """The part of the page that a quote stands on, in points, with its boxes; None without a page or its picture."""
    boxes = [place for place in found.passage.regions if isinstance(place, PageBox)]
    if not boxes or not found.entry.original:
        return None
    leaves: tuple[Page, ...] = service.shelf.pages(found.entry)
    leaf = leaves[boxes[0].page]
    own = [place.bbox for place in boxes if place.page == leaf.index]
    top = max(0.0, min(box.y0 for box in own) - _CROP_MARGIN)
    bottom = min(leaf.height, max(box.y1 for box in own) + _CROP_MARGIN, top + _CROP_MOST)
    return {"leaf": leaf, "boxes": own, "view": Box(0.0, top, leaf.width, max(bottom, top + 1))}


# Signing in


@router.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    return page(request, "sign_in.html", wrong=False)


@router.post("/sign-in")
async def signed_in(request: Request) -> Response:
    form = await _form(request)
    given = form.get("key")
    await form.close()
    key: str = request.app.state.key
    value = await sign_in(key, given if isinstance(given, str) else "") if key else None
    if value is None:
        return page(request, "sign_in.html", status=403, wrong=True)
    answer = RedirectResponse("/documents", 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(SESSION, value, max_age=SESSION_SECONDS, httponly=True, samesite="strict", secure=secure)
    return answer


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    await (await _form(request)).close()
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(SESSION)
    return answer
