"""A local endpoint that speaks the OpenAI protocol and says exactly what a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Said:
    """One answer. `drip`: seconds between the bytes of the body."""

    content: Any = None
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    drip: float = 0.0

    def data(self) -> bytes:
        if self.body is not None:
            return self.body
        text = self.content if isinstance(self.content, str) else json.dumps(self.content, ensure_ascii=False)
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 11, "completion_tokens": 5}
        return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode()


Script = Callable[[dict[str, Any]], Said]


@dataclass
class Endpoint:
    """`answer` is asked for each request; `requests` and `headers` are what came."""

    url: str
    answer: Script
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def says(self, *answers: Said) -> None:
        """These, one after the other, and the last for ever."""
        left = list(answers)
        self.answer = lambda _: left.pop(0) if len(left) > 1 else left[0]


@contextmanager
def endpoint(*answers: Said) -> Iterator[Endpoint]:
    """An endpoint on a free port of this machine, until the block ends."""
    made = Endpoint("", lambda _: Said("{}"))
    if answers:
        made.says(*answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.requests.append(asked)
            made.headers.append({**self.headers, "path": self.path})
            said = made.answer(asked)
            time.sleep(said.wait)
            data = said.data()
            self.send_response(said.status)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **said.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for at in range(0, len(data), 1 if said.drip else max(1, len(data))):
                    self.wfile.write(data[at : at + (1 if said.drip else len(data))])
                    self.wfile.flush()
                    time.sleep(said.drip)
            except OSError:
                return  # the client went away

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
