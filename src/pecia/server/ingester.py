"""The process that fills the library: it takes files from the queue, has them cut in worker processes, and is the only one
that stores. Apart from the server, so that searching never waits for it, and so that each may be killed without the other."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pecia.batch import Outcome, Worker, cut_file
from pecia.errors import PeciaError
from pecia.library import Library
from pecia.model import Finding, Severity
from pecia.parsing.child import end_with_parent
from pecia.pipeline import Cutting
from pecia.server.jobs import Note, Queue, State, Task
from pecia.settings import settings
from pecia.storing.cuttings import entry_key

LOCK = "service.lock"
_KEPT_SECONDS = 86_400  # of an upload that no job acknowledges
_LOOK_SECONDS = 0.2  # between two looks into an empty queue, and at whether a job was cancelled
MOST_FINDINGS = 500  # kept of an entry; their number is told in full


class Ingester:
    """Works until `stop` is set: `jobs` threads, each with a worker process that cuts; they store one at a time."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self._queue, self._jobs = Queue(folder), jobs
        self._library = Library(folder)
        self._storing = threading.Lock()
        self._stop = threading.Event()

    def run(self) -> None:
        self._queue.recover()
        self._sweep()
        threads = [threading.Thread(target=self._work, name=f"cutter-{number}") for number in range(self._jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._library.close()

    def stop(self) -> None:
        self._stop.set()

    def _sweep(self) -> None:
        """Removes what waits for no job any more: uploads that were broken off a day ago, files of finished jobs."""
        for folder in self._queue.uploads.glob("*"):
            fresh = time.time() - folder.stat().st_mtime < _KEPT_SECONDS  # it may be arriving
            if self._queue.job(folder.name) or not fresh:
                self._queue.clear(folder.name)

    def _work(self) -> None:
        worker: Worker | None = None
        while not self._stop.is_set():
            task = self._queue.take()
            if task is None:
                self._stop.wait(_LOOK_SECONDS)
                continue
            if worker is None or not worker.process.is_alive():
                worker = Worker(memory=settings().parse_memory_bytes)
            finished = True
            try:
                self._store(task, self._cut(worker, task))
            except _Broken as broken:  # its process is ended, since it is in the midst of a file
                worker.end()
                worker = None
                finished = broken.settle(self._queue)
            except PeciaError as error:
                self._queue.finish(task.id, State.FAILED, error=_line(error))
            except Exception as error:  # one file must not end the others
                self._queue.finish(task.id, State.FAILED, error=_line(f"storing it failed: {type(error).__name__}: {error}"))
            if finished:
                shutil.rmtree(task.path.parent, ignore_errors=True)
                self._queue.clear(task.job)
        if worker:
            worker.end()

    def _cut(self, worker: Worker, task: Task) -> Outcome:
        """The outcome; _Broken says why there is none."""
        deadline = time.monotonic() + settings().cut_seconds
        slow = f"took longer than {settings().cut_seconds} s (PECIA_CUT_SECONDS)"
        looked = 0.0
        try:
            worker.ask(cut_file, task.path, task.strategy, dict(task.options), task.path.parent)
            while True:
                answer = worker.hear(_LOOK_SECONDS, lambda *what: self._queue.tell(task.id, *what))
                if isinstance(answer, Outcome):
                    return answer
                if (now := time.monotonic()) - looked < _LOOK_SECONDS:
                    continue
                looked = now
                if self._stop.is_set():
                    raise _Broken(lambda queue: queue.put_back(task.id, attempt=False))
                if self._queue.cancelled(task.job):
                    raise _Broken(lambda queue: queue.finish(task.id, State.CANCELLED))
                if now > deadline:
                    raise _Broken(lambda queue: queue.finish(task.id, State.FAILED, error=slow))
        except (EOFError, OSError):
            raise _Broken(lambda queue: queue.put_back(task.id, attempt=True)) from None

    def _store(self, task: Task, outcome: Outcome) -> None:
        if outcome.failure:
            page = "" if outcome.failure.page is None else f"page {outcome.failure.page + 1}: "
            self._queue.finish(task.id, State.FAILED, error=_line(f"{page}{outcome.failure.error}"))
            return
        broken = sum(finding.severity is Severity.ERROR for _, findings in outcome.cuttings for finding in findings)
        if broken:
            error = f"{broken} findings of severity error; nothing of it was stored"
            self._queue.finish(task.id, State.FAILED, error=error)
            return
        notes, changed, reason = dict[str, Note](), False, ""
        self._queue.tell(task.id, "store")
        for cutting, findings in outcome.cuttings:
            key, added = self._add(task, cutting)
            changed, reason = changed or added, reason or cutting.reason
            notes[key] = Note(time.time(), len(cutting.document.pages), len(findings), _kept(findings))
        if changed:
            with self._storing:
                deque(self._library.relink(), maxlen=0)
        self._queue.finish(task.id, State.DONE, reason=reason, notes=notes, changed=changed)

    def _add(self, task: Task, cutting: Cutting) -> tuple[str, bool]:
        """The bytes are the source, not the place where they waited: the same file twice, under any name, is one."""
        source = replace(cutting.document.source, uri=f"urn:sha256:{task.sha256}", name=task.name)
        document = replace(cutting.document, source=source)
        chunks = [replace(chunk, source_name=task.name) for chunk in cutting.chunks]
        asked = chunks[0].requested_strategy if chunks else cutting.strategy.name
        with self._storing:
            changed = self._library.add(document, chunks, strategy=cutting.strategy, original=task.path, terms=cutting.terms)
        return entry_key(document.id, asked, cutting.strategy.options_hash), changed


def _kept(findings: tuple[Finding, ...]) -> list[dict[str, object]]:
    return [finding.to_json() for finding in findings[:MOST_FINDINGS]]


def _line(text: object) -> str:
    return " ".join(str(text).split())[:1000]


class _Broken(Exception):  # noqa: N818  no fault: what has the file's process ended
    """Work on a file that goes no further; `settle` says in the queue what becomes of the file."""

    def __init__(self, settled: Callable[[Queue], bool | None]) -> None:
        self._settled = settled

    def settle(self, queue: Queue) -> bool:
        """False where the file is taken again."""
        return not self._settled(queue)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Waits until no other process fills this library. The lock goes with its process, however that ends."""
    with (folder / LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> None:
    folder, parent, jobs = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)
    os.nice(15)  # who searches waits for an answer; who uploads has left
    with only_one(folder):
        ingester = Ingester(folder, jobs)
        signal.signal(signal.SIGTERM, lambda *_: ingester.stop())
        ingester.run()


if __name__ == "__main__":
    main()
