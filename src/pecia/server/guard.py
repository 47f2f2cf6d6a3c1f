"""Who may ask: the middleware before every route. It knows addresses, origins, the key, and headers of safety.

Without a key only loopback names are answered, so that a page of another site cannot reach the service by a name that it
points at this machine. A request that changes something must come from our own pages or from a program. The key is compared
in constant time; it stands in no URL, no page, no log, and the cookie of a browser is made from it and does not hold it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pecia.server.refusals import Refusal, refused
from pecia.server.service import is_loopback
from pecia.settings import settings

SESSION, TOKEN = "pecia_session", "pecia_form"
SESSION_SECONDS = 12 * 3600
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OPEN = ("/static/", "/sign-in", "/api/v1/health")  # what is answered to anyone
_WRONG_KEY_SECONDS = 0.5  # each wrong key waits this long; ten thousand guesses take over an hour
_POLICY = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Mapping[str, str] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """`key` empty: loopback only, and nobody is asked for one."""

    def __init__(self, app: ASGIApp, *, key: str) -> None:
        self._app, self._key = app, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        answer = await self._refusal(request)
        safely = _safely(send)
        if answer is not None:
            await answer(scope, receive, safely)
            return
        await self._app(scope, _measured(receive), safely)

    async def _refusal(self, request: Request) -> Response | None:
        if not self._key and not is_loopback(urlsplit(f"//{request.headers.get('host', '')}").hostname or ""):
            return refused(Refusal(421, "host", "without a key this service answers to loopback addresses only"))
        if request.method not in _SAFE and not _ours(request.headers):
            return refused(Refusal(403, "origin", "a page of another site may not change anything here"))
        length = request.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > settings().upload_bytes:
            return refused(Refusal(413, "limit", _too_large()))
        path = request.url.path
        if not self._key or path.startswith(_OPEN) or self.admits(request):
            return None
        if path.startswith("/api/") or request.method not in _SAFE:
            if "authorization" in request.headers:
                await asyncio.sleep(_WRONG_KEY_SECONDS)
            answer = refused(Refusal(401, "key", "send the key of this service: Authorization: Bearer KEY"))
            answer.headers["www-authenticate"] = "Bearer"
            return answer
        return RedirectResponse("/sign-in", 303)

    def admits(self, request: Request) -> bool:
        """True for the key itself, or for the cookie that `sign_in` gave."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and same(given.strip(), self._key):
            return True
        until, _, mark = request.cookies.get(SESSION, "").partition(".")
        if not (until.isascii() and until.isdigit() and len(until) < 15 and int(until) > time.time()):
            return False
        return same(mark, _mark(self._key, until))


def same(given: str, right: str) -> bool:
    """Whether two texts are equal, in a time that tells nothing of how much of them is."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), right.encode())


async def sign_in(key: str, given: str) -> str | None:
    """The value of the session's cookie where the key is right; a wrong one waits."""
    if not same(given, key):
        await asyncio.sleep(_WRONG_KEY_SECONDS)
        return None
    until = str(int(time.time()) + SESSION_SECONDS)
    return f"{until}.{_mark(key, until)}"


def new_token() -> str:
    """For a form and the cookie beside it: a page of another site can send our cookie but not read it."""
    return secrets.token_urlsafe(24)


def _mark(key: str, until: str) -> str:
    return hmac.new(key.encode(), f"session {until}".encode(), hashlib.sha256).hexdigest()


def _ours(headers: Headers) -> bool:
    """False for what a browser sends from a page of another site."""
    if headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host", "")


def _safely(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return with_headers


def _too_large() -> str:
    return f"the request is larger than {settings().upload_bytes:,} bytes (PECIA_UPLOAD_BYTES)"


def _measured(receive: Receive) -> Receive:
    """Stops a body that is larger than it may be, whatever its header says."""
    left = settings().upload_bytes

    async def counted() -> Message:
        nonlocal left
        message = await receive()
        if message["type"] == "http.request":
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, _too_large())
        return message

    return counted
