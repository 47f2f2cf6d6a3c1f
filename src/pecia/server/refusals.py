"""The one shape of an error: `{"error": {"code", "message", "known"}}`, and which status each class of error has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from pecia.errors import (
    BrokenError,
    CitationError,
    DocumentError,
    EncodingError,
    EncryptedError,
    FilterError,
    LibraryError,
    LimitError,
    MissingExtraError,
    NotHeldError,
    OptionError,
    PeciaError,
    QueryError,
    UnknownNameError,
    UnsupportedError,
    UsageError,
)

# The first class that an error is of counts.
_STATUS: tuple[tuple[type[PeciaError], int, str], ...] = (
    (UnknownNameError, 400, "unknown_name"),
    (OptionError, 400, "option"),
    (FilterError, 400, "filter"),
    (QueryError, 400, "query"),
    (MissingExtraError, 501, "missing_extra"),
    (UsageError, 400, "usage"),
    (UnsupportedError, 415, "unsupported"),
    (LimitError, 413, "limit"),
    (EncryptedError, 422, "encrypted"),
    (BrokenError, 422, "broken"),
    (EncodingError, 422, "encoding"),
    (DocumentError, 422, "document"),
    (CitationError, 409, "citation"),
    (NotHeldError, 404, "not_found"),
    (LibraryError, 503, "library"),
    (PeciaError, 500, "fault"),
)
_CODES = {400: "usage", 401: "key", 403: "forbidden", 404: "not_found", 405: "method", 413: "limit", 422: "invalid"}


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    code: str
    message: str
    known: Sequence[str] = ()

    @classmethod
    def of(cls, error: PeciaError) -> Refusal:
        status, code = next((status, code) for kind, status, code in _STATUS if isinstance(error, kind))
        known = error.known if isinstance(error, UnknownNameError) else ()
        return cls(status, code, " ".join(str(error).split()), known)


def refused(refusal: Refusal) -> JSONResponse:
    error = {"code": refusal.code, "message": refusal.message}
    body = {"error": {**error, "known": list(refusal.known)} if refusal.known else error}
    return JSONResponse(body, refusal.status)


Render = Callable[[Request, Refusal], Response | None]


def answer_errors(app: FastAPI, render: Render) -> None:
    """Has every error of the application answered: as `render` gives it for a reader, else in the one shape."""
    app.state.render = render
    app.add_exception_handler(PeciaError, _pecia)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _fault)


def _answered(request: Request, refusal: Refusal) -> Response:
    return request.app.state.render(request, refusal) or refused(refusal)


def _pecia(request: Request, error: Exception) -> Response:
    assert isinstance(error, PeciaError)
    folder = request.app.state.service.folder  # where it stands on our disk is nobody's business
    found = Refusal.of(error)
    return _answered(request, replace(found, message=found.message.replace(str(folder), folder.name)))


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = _answered(request, Refusal(error.status_code, _CODES.get(error.status_code, "http"), str(error.detail)))
    answer.headers.update(error.headers or {})
    return answer


def _invalid(request: Request, error: Exception) -> Response:
    """One line for all faults: where each is and what is wrong."""
    assert isinstance(error, RequestValidationError)
    faults = (f"{'.'.join(map(str, item['loc'][1:])) or item['loc'][0]}: {item['msg']}" for item in error.errors())
    return _answered(request, Refusal(422, "invalid", "; ".join(faults)[:1000]))


def _fault(request: Request, error: Exception) -> Response:
    """What nobody foresaw; its traceback goes to the log, its words to nobody."""
    return refused(Refusal(500, "fault", "the service failed; its log says more"))
