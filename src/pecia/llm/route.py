"""One route of an endpoint that speaks the OpenAI protocol: an object is sent, an object comes back."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pecia.errors import MissingExtraError, ModelError
from pecia.settings import SECRET

if TYPE_CHECKING:
    import httpx2

TRIES = 4
MOST_BYTES = 16 << 20  # of a reply
_SHORTEST_KEY = 8  # a shorter one is no secret, but may be a word
_AGAIN = frozenset({408, 409, 425, 429})  # and from 500 on
# Nothing that is asked next will fare better: no such route, key or model.
_FINAL = frozenset({401, 402, 403, 404, 405})
_REST = 60  # seconds; then it is tried again, since a server may be started meanwhile


class Route:
    """`seconds` are for one request, all tries of it together; `pause` is the first pause between tries, each further one is
    twice as long, or what the server asks for. `purpose` says what the extra `llm` is needed for."""

    def __init__(self, url: str, key: str, *, seconds: float, pause: float, purpose: str) -> None:
        self.url, self.seconds, self.pause = url, seconds, pause
        self._key, self._purpose = key, purpose
        self._dead: tuple[ModelError, float] | None = None

    def __repr__(self) -> str:
        return f"Route({self.url!r})"

    def post(self, request: Mapping[str, Any], until: float) -> dict[str, Any]:
        """The endpoint's JSON, after as many tries as it takes until that time of the monotonic clock. ModelError where there is
        none; it never holds the key. One that is final is raised at once for what is asked within the next minute."""
        if self._dead and time.monotonic() - self._dead[1] < _REST:
            raise self._dead[0]
        try:
            return self._answer(request, until)
        except ModelError as error:
            self._dead = (error, time.monotonic()) if error.final else None
            raise

    def _answer(self, request: Mapping[str, Any], until: float) -> dict[str, Any]:
        try:
            import httpx2
        except ImportError as error:
            raise MissingExtraError("httpx2", "llm", self._purpose) from error
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        body = json.dumps(request).encode()
        pause, said, dead = self.pause, "no reply", False
        with httpx2.Client(headers=headers) as http:
            for number in range(1, TRIES + 1):
                try:
                    status, data, wanted = self._post(http, body, until)
                    dead = False
                except httpx2.TimeoutException:
                    said, dead = f"no reply within {self.seconds:g} s (LLM_SECONDS)", False
                    break
                except httpx2.HTTPError as error:
                    said, wanted, dead = f"no connection to {self.url} ({type(error).__name__})", None, True
                else:
                    if status == 200:  # a reply is kept and may be quoted, so it is without the key where one repeats it
                        long = len(self._key) >= _SHORTEST_KEY
                        return _object(data.replace(self._key.encode(), SECRET.encode()) if long else data)
                    said = f"status {status}{self._message(data)}"
                    if status not in _AGAIN and status < 500:
                        raise ModelError(said, final=status in _FINAL)
                wait = pause if wanted is None else wanted
                if number == TRIES or time.monotonic() + wait > until:
                    break
                time.sleep(wait)
                pause *= 2
        raise ModelError(said, final=dead)

    def _post(self, http: httpx2.Client, body: bytes, until: float) -> tuple[int, bytes, float | None]:
        """(status, body, seconds that the server asks us to wait)."""
        import httpx2

        data = bytearray()
        left = max(0.001, until - time.monotonic())
        with http.stream("POST", self.url, content=body, timeout=left) as response:
            for part in response.iter_bytes():
                data += part
                if time.monotonic() > until:  # one that sends a byte now and then never runs into the limit for one read
                    raise httpx2.ReadTimeout("time")
                if len(data) > MOST_BYTES:
                    raise ModelError(f"the reply is larger than {MOST_BYTES >> 20} MiB")
        wanted = response.headers.get("Retry-After", "")
        return response.status_code, bytes(data), float(wanted) if wanted.isascii() and wanted.isdigit() else None

    def _message(self, data: bytes) -> str:
        """What the endpoint says of a fault, without the key, which some repeat."""
        try:
            fault = json.loads(data)["error"]
            said = fault["message"] if isinstance(fault, dict) else fault
        except (ValueError, KeyError, TypeError):
            return ""
        text = " ".join(str(said).split())
        return f": {text.replace(self._key, SECRET) if self._key else text}"[:200]


def _object(data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ModelError("what the endpoint sent is no JSON") from error
    if not isinstance(answer, dict):
        raise ModelError("what the endpoint sent is no JSON object")
    return answer
