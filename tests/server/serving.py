"""A real server in a process of its own, and what the tests ask it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import requests

EXAMPLES = Path(__file__).parents[2] / "examples"
PAPER, REPORT, BOOK = (EXAMPLES / name for name in ("supplementary-paper.pdf", "harbour-report.pdf", "so-tay-thuoc.pdf"))
GUIDE = EXAMPLES / "archive-guide.md"


Found = TypeVar("Found")


class Server:
    """`pecia serve` over a folder; `kill` is SIGKILL, `stop` what Ctrl-C does."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder, self._environment = folder, environment
        self.session = requests.Session()
        self.session.trust_env = False
        self.start()

    def start(self) -> None:
        self.log = self.folder.with_name(f"{self.folder.name}.log").open("a+")
        command = [sys.executable, "-m", "pecia", "serve", "-l", str(self.folder), "--port", "0", "-j", "1"]
        environment = {**os.environ, "COLUMNS": "400", **self._environment}
        self.process = subprocess.Popen(command, stderr=self.log, stdout=self.log, env=environment)
        self.base = until(self._address, 60)
        until(self._answers, 60)

    def _address(self) -> str | None:
        assert self.process.poll() is None, self.text()
        found = re.findall(r"http://\S+?:\d+", self.text())
        return found[-1] if len(found) == self.text().count("http://") and found else None

    def _answers(self) -> bool:
        try:
            return self.session.get(f"{self.base}/api/v1/health", timeout=30).ok
        except requests.ConnectionError:
            return False

    def text(self) -> str:
        return Path(self.log.name).read_text("utf-8")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()
        Path(self.log.name).unlink()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        self.log.close()
        self.session.close()

    def get(self, path: str, **options: Any) -> requests.Response:
        return self.session.get(f"{self.base}/api/v1{path}", timeout=120, **options)

    def post(self, path: str, **options: Any) -> requests.Response:
        return self.session.post(f"{self.base}/api/v1{path}", timeout=120, **options)

    def delete(self, path: str) -> requests.Response:
        return self.session.delete(f"{self.base}/api/v1{path}", timeout=120)

    def send(
        self, *files: Path | tuple[str, bytes], to: str = "/ingest", strategy: str | None = None, **options: str
    ) -> requests.Response:
        given = [(item.name, item.read_bytes()) if isinstance(item, Path) else item for item in files]
        query = {} if strategy is None else {"strategy": strategy}
        return self.post(to, params=query, data=options, files=[("files", item) for item in given])

    def done(self, job: str, seconds: float = 120) -> dict[str, Any]:
        """The job once it is finished."""

        def look() -> dict[str, Any] | None:
            found: dict[str, Any] = self.get(f"/jobs/{job}").json()
            return found if found["state"] not in ("queued", "running") else None

        return until(look, seconds)

    def ingest(self, *files: Path | tuple[str, bytes], strategy: str | None = None, **options: str) -> dict[str, Any]:
        answer = self.send(*files, strategy=strategy, **options)
        assert answer.status_code == 202, answer.text
        return self.done(answer.json()["id"])

    def documents(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get("/documents", params={"limit": 200}).json()["documents"]
        return found


def until(look: Callable[[], Found | bool | None], seconds: float) -> Found:
    """What `look` gives once it gives something."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)
    return found  # type: ignore[return-value]
