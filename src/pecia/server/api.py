"""The JSON API, version 1."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from fastapi import Path as InPath
from fastapi import Query as InQuery
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from pecia import __version__
from pecia.errors import LimitError, NotHeldError, UsageError
from pecia.model import Citation
from pecia.server import choices, schemas
from pecia.server.jobs import FINISHED, Job, new_job_id
from pecia.server.searching import Asked, Found
from pecia.server.service import Service
from pecia.server.shelf import Held
from pecia.server.uploads import drop, receive
from pecia.settings import SECRETS, settings
from pecia.storing.cuttings import Entry

PREFIX = "/api/v1"
_LOOK_SECONDS = 0.25  # between two looks at a job that is told of
_ALIVE_SECONDS = 15  # after so long without news a comment keeps the connection open

ERRORS: dict[int, str] = {
    400: "a name, option, filter or query that cannot be; names that there are stand in the message",
    401: "the key of the service is missing or wrong",
    403: "a request from a page of another site",
    404: "nothing of that id",
    409: "a quote that no longer stands in its source",
    413: "larger than the limits allow",
    415: "no parser reads this kind of file",
    421: "a host name that is not this service's",
    422: "a body that cannot be read, or a file that is encrypted or broken",
    501: "a mode whose package is not installed here",
    503: "the library is busy or cannot be used, or holds no vectors for the mode",
}


def _refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": schemas.Error, "description": ERRORS[status]} for status in sorted({401, 421, 422, *statuses})}


async def service_of(request: Request) -> Service:  # async, since others take a thread of their own
    service: Service = request.app.state.service
    return service


Used = Annotated[Service, Depends(service_of)]
Key = Annotated[str, InPath(description="id of a document", max_length=200, examples=[schemas.ENTRY])]
ChunkKey = Annotated[str, InPath(description="id of a chunk", max_length=100, examples=[schemas.CHUNK])]
JobId = Annotated[str, InPath(description="id of a job", max_length=100, examples=[schemas.JOB])]
StrategyName = Annotated[str | None, InQuery(description="`GET /strategies` lists them; the setting's default where not given")]

router = APIRouter(prefix=PREFIX)


class Plain(JSONResponse):
    """JSON with its letters as they are."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


# Ingest and preview

_MULTIPART = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1}},
                    "additionalProperties": {"type": "string", "description": "an option of the strategy"},
                }
            }
        },
    }
}


@router.post(
    "/ingest",
    status_code=202,
    response_model=schemas.Job,
    responses=_refusals(400, 403, 413, 415, 422, 503),
    openapi_extra=_MULTIPART,
    tags=["ingest"],
)
async def ingest(request: Request, service: Used, strategy: StrategyName = None) -> Response:
    """Takes files in, to be cut and stored. The job is on the disk when this answers; watch it at `/jobs/{id}`."""
    name, options, form = await _asked(request, strategy)
    job = new_job_id()
    try:
        await run_in_threadpool(take_in, service, job, name, options, files_of(form))
    except BaseException:
        await run_in_threadpool(drop, service.queue.uploads / job)
        raise
    finally:
        await form.close()
    found = await run_in_threadpool(service.queue.job, job)
    assert found
    return Plain(job_json(found), 202, headers={"location": f"{PREFIX}/jobs/{job}"})


def take_in(service: Service, job: str, strategy: str, options: Mapping[str, Any], files: list[tuple[str | None, Any]]) -> None:
    waiting, most = service.queue.waiting(), settings().queue_files
    if waiting + len(files) > most:
        raise LimitError(f"{waiting} files wait already; the limit is {most} (PECIA_QUEUE_FILES)")
    with service.pictures.process() as process:
        taken = receive(files, lambda place, name: service.queue.path_of(job, place, name), process)
    service.queue.add(job, strategy, options, [(item.name, item.sha256, item.bytes) for item in taken])


@router.post(
    "/preview",
    response_model=schemas.Preview,
    responses=_refusals(400, 403, 413, 415, 422),
    openapi_extra=_MULTIPART,
    tags=["ingest"],
)
async def preview(request: Request, service: Used, strategy: StrategyName = None) -> Response:
    """What `ingest` would give, with nothing written: chunks, findings, and what each strategy says of the files."""
    name, options, form = await _asked(request, strategy)
    try:
        return Plain({"documents": await run_in_threadpool(previewed, service, name, options, files_of(form))})
    finally:
        await form.close()


def previewed(
    service: Service, strategy: str, options: Mapping[str, Any], files: list[tuple[str | None, Any]]
) -> list[dict[str, Any]]:
    with TemporaryDirectory(prefix="pecia-preview-") as folder:
        with service.pictures.process() as process:
            taken = receive(files, lambda place, name: Path(folder) / str(place) / name, process)
        return [item for one in taken for item in service.preview(one.path, one.sha256, strategy, options)]


async def _asked(request: Request, strategy: str | None) -> tuple[str, dict[str, Any], FormData]:
    """The strategy, its options and the form, whose files the caller closes."""
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise UsageError("send multipart/form-data with the files in the field `files`")
    form = await request.form(max_files=settings().upload_files + 1, max_fields=200, max_part_size=1 << 16)
    try:
        given = {name: value for name, value in form.multi_items() if isinstance(value, str)}
        if wrong := sorted({name for name, value in form.multi_items() if not isinstance(value, str)} - {"files"}):
            raise UsageError(f"files belong into the field `files`, not {', '.join(wrong)}")
        asked = given.pop("strategy", None) if strategy is None else strategy
        given.pop("files", None)  # what a form sends where no file was chosen
        return *choices.chosen(asked, given), form
    except BaseException:
        await form.close()
        raise


def files_of(form: FormData) -> list[tuple[str | None, Any]]:
    return [(item.filename, item.file) for item in form.getlist("files") if isinstance(item, UploadFile) and item.filename]


# Jobs


@router.get("/jobs", response_model=schemas.Jobs, responses=_refusals(), tags=["jobs"])
def jobs(service: Used, limit: Annotated[int, InQuery(ge=1, le=200)] = 50) -> Response:
    """The latest jobs first."""
    return Plain({"jobs": [job_json(job) for job in service.queue.jobs(limit=limit)]})


@router.get("/jobs/{job_id}", response_model=schemas.Job, responses=_refusals(404), tags=["jobs"])
def job(job_id: JobId, service: Used) -> Response:
    """One job with the state of each file."""
    return Plain(job_json(_job(service, job_id)))


@router.delete("/jobs/{job_id}", response_model=schemas.Job, responses=_refusals(403, 404), tags=["jobs"])
def cancel(job_id: JobId, service: Used) -> Response:
    """Cancels what is not done; what is stored already stays."""
    _job(service, job_id)
    service.queue.cancel(job_id)
    service.queue.clear(job_id)
    return Plain(job_json(_job(service, job_id)))


_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `job`, each with a job as JSON, whenever it changes.",
        "content": {
            "text/event-stream": {"schema": {"type": "string"}, "example": 'event: job\ndata: {"id":"4be1d94c0a7f3326"}\n\n'}
        },
    }
}


@router.get("/jobs/{job_id}/events", response_class=StreamingResponse, responses=_STREAM | _refusals(404), tags=["jobs"])
async def job_events(job_id: JobId, service: Used) -> StreamingResponse:
    """Server-sent events of one job by file, stage and page; the stream ends with the job."""
    await run_in_threadpool(_job, service, job_id)

    def look() -> list[Job]:
        found = service.queue.job(job_id)
        return [found] if found else []

    return _events(look, ends=True)


@router.get("/events", response_class=StreamingResponse, responses=_STREAM | _refusals(), tags=["jobs"])
async def events(service: Used) -> StreamingResponse:
    """Server-sent events of the latest 50 jobs, for a page that shows them all; it does not end."""
    return _events(service.queue.jobs, ends=False)


def _events(look: Callable[[], list[Job]], *, ends: bool) -> StreamingResponse:
    async def stream() -> AsyncIterator[str]:
        told: dict[str, str] = {}
        last = time.monotonic()
        while True:
            found = await run_in_threadpool(look)
            for item in reversed(found):
                line = json.dumps(job_json(item), ensure_ascii=False)
                if told.get(item.id) != line:
                    told[item.id], last = line, time.monotonic()
                    yield f"event: job\ndata: {line}\n\n"
            if ends and all(item.state in FINISHED for item in found):
                return
            if time.monotonic() - last > _ALIVE_SECONDS:
                last = time.monotonic()
                yield ": alive\n\n"
            await asyncio.sleep(_LOOK_SECONDS)

    return StreamingResponse(stream(), media_type="text/event-stream")


def _job(service: Service, job_id: str) -> Job:
    found = service.queue.job(job_id)
    if found is None:
        raise NotHeldError(f"there is no job {job_id}")
    return found


def job_json(job: Job) -> dict[str, Any]:
    files = [{name: value for name, value in asdict(file).items() if name != "id"} for file in job.files]
    return {
        "id": job.id,
        "state": job.state,
        "strategy": job.strategy,
        "options": dict(job.options),
        "created_at": moment(job.created),
        "files": files,
    }


def moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


# Documents and chunks


@router.get("/documents", response_model=schemas.Documents, responses=_refusals(400), tags=["documents"])
def documents(
    service: Used,
    after: Annotated[str | None, InQuery(description="`next` of the page before", max_length=20)] = None,
    limit: Annotated[int, InQuery(ge=1, le=200)] = 50,
    name: Annotated[str, InQuery(description="only files whose name holds this", max_length=200)] = "",
) -> Response:
    """The latest first; the same file under two strategies is two entries."""
    held, more, total = service.shelf.page(before=number_of(after), limit=limit, name=name)
    return Plain({"documents": [entry_json(item) for item in held], "next": str(more) if more else None, "total": total})


def number_of(after: str | None) -> int | None:
    if after is None:
        return None
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise UsageError(f"after is {after!r}; give what `next` said")
    return int(after)


@router.get("/documents/{key}", response_model=schemas.DocumentDetail, responses=_refusals(404), tags=["documents"])
def document(key: Key, service: Used) -> Response:
    """One entry with its pages and findings."""
    held = service.shelf.held(key)
    pages = [
        {"number": page.number, "label": page.label, "width": page.width, "height": page.height}
        for page in service.shelf.pages(held.entry)
    ]
    return Plain({**entry_json(held), "finding_list": service.queue.findings(key), "pages": pages})


@router.delete("/documents/{key}", response_model=schemas.Deleted, responses=_refusals(403, 404, 503), tags=["documents"])
def delete(key: Key, service: Used) -> Response:
    """Removes the entry; the file goes with its last one."""
    return Plain({"chunks": service.shelf.remove(key)})


@router.get("/documents/{key}/chunks", response_model=schemas.Chunks, responses=_refusals(404), tags=["documents"])
def chunks(
    key: Key,
    service: Used,
    start: Annotated[int, InQuery(description="position of the first, from 0", ge=0, le=1 << 53)] = 0,
    limit: Annotated[int, InQuery(ge=1, le=1000)] = 100,
) -> Response:
    """The chunk records in the order of the document."""
    with service.shelf.library() as library:
        entry = library.entry(key)
        found = library.chunks_of(entry, start, start + limit)
    more = start + limit if start + limit < entry.chunks else None
    return Plain({"chunks": [chunk.to_record() for _, chunk in found], "next": more, "total": entry.chunks})


@router.get(
    "/documents/{key}/pages/{number}.png",
    response_class=Response,
    responses=_refusals(404, 415) | {200: {"description": "the page at 144 dpi", "content": {"image/png": {}}}},
    tags=["documents"],
)
def page_picture(key: Key, number: Annotated[int, InPath(description="from 1", ge=1, le=1 << 31)], service: Used) -> Response:
    """The picture of a page."""
    with service.shelf.library() as library:
        entry = library.entry(key)
        file = library.kept(entry)
    if number > len(pages := service.shelf.pages(entry)) and pages:
        raise NotHeldError(f"{entry.name} has {len(pages)} pages; there is no page {number}")
    png = service.pictures.page(file, entry.media_type, entry.document_id, number - 1)
    # The id is made of the bytes: what it names never changes.
    return Response(png, media_type="image/png", headers={"cache-control": "private, max-age=86400, immutable"})


@router.get(
    "/documents/{key}/source",
    response_class=FileResponse,
    responses=_refusals(404)
    | {200: {"description": "the bytes that were uploaded", "content": {"application/octet-stream": {}}}},
    tags=["documents"],
)
def source(key: Key, service: Used) -> Response:
    """The file as it was uploaded, to be saved and never to be run in this place."""
    with service.shelf.library() as library:
        entry = library.entry(key)
        file = library.kept(entry)
    kind = entry.media_type if entry.media_type == "application/pdf" else "application/octet-stream"
    return FileResponse(file, media_type=kind, headers=_download(entry.name))


def _download(name: str) -> dict[str, str]:
    return {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "content-security-policy": "default-src 'none'; sandbox",
    }


@router.get(
    "/chunks/{key}.pdf",
    response_class=Response,
    responses=_refusals(404, 415) | {200: {"description": "the pages of the chunk alone", "content": {"application/pdf": {}}}},
    tags=["chunks"],
)
def chunk_pages(key: ChunkKey, service: Used) -> Response:
    """The pages that a chunk stands on, as a PDF of their own."""
    chunk, _, entry, _ = service.shelf.chunk(key)
    with service.shelf.library() as library:
        file = library.kept(entry)
    first, last = chunk.page_range or (0, 0)
    pdf = service.pictures.excerpt(file, entry.media_type, range(first, last + 1))
    return Response(pdf, media_type="application/pdf", headers=_download(f"{key}.pdf"))


@router.get("/chunks/{key}", response_model=schemas.ChunkDetail, responses=_refusals(404, 409), tags=["chunks"])
def chunk(key: ChunkKey, service: Used) -> Response:
    """A chunk with its citation, which has just been compared with the stored source."""
    found, citation, entry, position = service.shelf.chunk(key)
    body = {"chunk": found.to_record(), "citation": citation_json(citation, entry), "document": entry.key, "position": position}
    return Plain(body)


@router.post("/search", response_model=schemas.Hits, responses=_refusals(400, 403, 404, 409, 422, 501, 503), tags=["search"])
def search(asked: schemas.SearchRequest, service: Used) -> Response:
    """The chunks that answer best, each with its citation and the passage that answers best."""
    found = service.search(Asked(asked.query, asked.k, asked.mode or choices.MODES[0], asked.where, asked.document))
    return Plain({"hits": [hit_json(item) for item in found]})


# The service itself


@router.get("/strategies", response_model=schemas.Strategies, responses=_refusals(), tags=["service"])
def strategies() -> Response:
    """The strategies with their options as JSON Schema, and the modes of search."""
    return Plain({"strategies": list(choices.strategies()), "modes": list(choices.MODES)})


@router.get("/settings", response_model=schemas.SettingsRecord, responses=_refusals(), tags=["service"])
def settings_in_force() -> Response:
    """The settings in force; secrets are left out."""
    held = settings()
    shown = {item.name: getattr(held, item.name) for item in fields(held) if item.name not in SECRETS}
    return Plain({name: value if isinstance(value, str | int | float | bool) else str(value) for name, value in shown.items()})


@router.get("/health", response_model=schemas.Health, tags=["service"])
def health() -> Response:
    """That the service answers; asked without a key."""
    return Plain({"status": "ok", "version": __version__})


def entry_json(held: Held) -> dict[str, Any]:
    entry, note = held.entry, held.note
    return {
        "id": entry.key,
        "source_name": entry.name,
        "title": held.title,
        "strategy": entry.strategy,
        "options": dict(entry.options),
        "chunk_count": entry.chunks,
        "findings": note.findings,
        "page_count": note.pages or None,
        "uploaded_at": moment(note.uploaded),
        "document_id": entry.document_id,
        "media_type": entry.media_type,
    }


def citation_json(citation: Citation, entry: Entry) -> dict[str, Any]:
    """The uri leads to the source as this service gives it; a place on our disk is nobody's business."""
    page = f"#page={citation.pages[0] + 1}" if citation.pages else ""
    return {**citation.to_json(), "uri": f"{PREFIX}/documents/{entry.key}/source{page}", "text": str(citation)}


def hit_json(found: Found) -> dict[str, Any]:
    return {
        "rank": found.hit.rank,
        "score": found.hit.score,
        "retriever": found.hit.retriever,
        "document": found.entry.key,
        "chunk": found.hit.chunk.to_record(),
        "citation": citation_json(found.hit.citation, found.entry),
        "passage": citation_json(found.passage, found.entry),
    }
