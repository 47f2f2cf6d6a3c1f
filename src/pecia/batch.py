"""Many files: cut in worker processes, given back in the order asked for, so that one writer can store them."""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from pecia import pipeline
from pecia.errors import DocumentError, PeciaError, UsageError
from pecia.model import Failure, Finding
from pecia.parsing.child import end_with_parent
from pecia.parsing.media import shown
from pecia.storing.indexing import joined_terms
from pecia.vision import read_tables

# Files under way for each worker, the first number of them whatever their size: one in work and one waiting. More while they
# are small, since the others stand still when one takes long: over 412 mixed files two workers are then 1.9 times as fast as
# one, with 2 files each 1.6 times. What waits holds its document in memory.
AHEAD, AHEAD_SMALL, SMALL_BYTES = 2, 8, 16 << 20
_CONTEXT = get_context("spawn")

# Hears the stage that a file is at and, while it is parsed, how many of its pages are read and how many it has.
Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: its cuttings with their findings, or a failure; never both."""

    file: Path
    cuttings: tuple[tuple[pipeline.Cutting, tuple[Finding, ...]], ...] = ()
    failure: Failure | None = None


def cut_files(
    files: Iterable[Path], strategy: str, options: Mapping[str, Any], *, jobs: int = 1
) -> Generator[Outcome, None, None]:
    """The outcome of each file, in the order of the files. With several jobs that many processes work ahead of the reader,
    by a few files each; a file that ends its process twice is a failure, and the others go on. A reader that stops
    closes the iterator: what is under way then is ended, not waited for."""
    if jobs == 1:
        yield from (cut_file(file, strategy, options) for file in files)
        return
    waiting, left = deque[tuple[Future[Outcome], int]](), iter(files)
    crew = _Crew(jobs, strategy, options)
    try:
        while True:
            while _room([size for _, size in waiting], jobs) and (file := next(left, None)):
                waiting.append((crew.submit(file), size_of(file)))
            if not waiting:
                return
            yield waiting.popleft()[0].result()
    finally:
        crew.end()


def _room(sizes: Sequence[int], jobs: int) -> bool:
    return len(sizes) < jobs * AHEAD or (len(sizes) < jobs * AHEAD_SMALL and sum(sizes) < SMALL_BYTES)


def size_of(file: Path) -> int:
    """Bytes of a file; 0 where it cannot be told."""
    with suppress(OSError, ValueError):  # the worker says what is wrong with it
        return file.stat().st_size
    return 0


def cut_file(file: Path, strategy: str, options: Mapping[str, Any], told: Told = lambda stage, page, pages: None) -> Outcome:
    """Parses, cuts and checks one file in this process. Whatever goes wrong with it is its failure; UsageError is raised."""
    try:
        told("parse", 0, 0)
        cuttings = []
        for document in pipeline.parse_all(file, told=lambda page, pages: told("parse", page, pages)):
            told("chunk", 0, len(document.pages))
            cutting = read_tables(pipeline.cut(document, strategy, **options), file)
            told("check", 0, len(document.pages))
            findings = tuple(cutting.findings())
            # Half of what storing takes: the one process that writes would hold up those that cut.
            terms = tuple(joined_terms(chunk.text) for chunk in cutting.chunks)
            cuttings.append((replace(cutting, terms=terms), findings))
        return Outcome(file, tuple(cuttings))
    except DocumentError as error:
        return Outcome(file, failure=failed(file, error))
    except UsageError:
        raise
    except Exception as error:  # one file that a strategy cannot cut must not end a run over a thousand
        reason = f"cutting it failed: {type(error).__name__}: {error}"
        return Outcome(file, failure=failed(file, DocumentError(reason, stage="chunk")))


def failed(file: Path, error: DocumentError) -> Failure:
    """The failure of a file, under its name as text: a name may hold bytes that are none."""
    message = error.message.removeprefix(f"{shown(file)}: ")  # the failure names it already
    return Failure(str(file.parent / shown(file)), error.stage, message, error.page)


class _Crew:
    """Worker processes, each with a pipe of its own and the thread that asks it.

    Not a ProcessPoolExecutor: its workers share one pipe, so that one that is killed while it answers leaves half an answer
    there, for whose rest the pool waits for ever; and it cannot tell which file a worker had.
    """

    def __init__(self, jobs: int, strategy: str, options: Mapping[str, Any]) -> None:
        self._arguments = (strategy, dict(options))
        self._own, self._lock = threading.local(), threading.Lock()
        self._workers: set[Worker] | None = set()
        resource_tracker.ensure_running()  # else it starts with the first worker, and lets Ctrl-C through while it does
        self._threads = ThreadPoolExecutor(jobs, initializer=_leave_interrupts)

    def submit(self, file: Path) -> Future[Outcome]:
        return self._threads.submit(self._cut, file)

    def _cut(self, file: Path) -> Outcome:
        for _ in range(2):
            worker = self._worker()
            try:
                return cast(Outcome, worker.do(cut_file, file, *self._arguments))
            except (EOFError, OSError):
                self._own.worker = None
                worker.process.kill()  # and the file is tried once more: it need not be what ended its process
        return Outcome(file, failure=failed(file, DocumentError("the process that cut it ended", stage="chunk")))

    def _worker(self) -> Worker:
        if getattr(self._own, "worker", None) is None:
            with self._lock:
                if self._workers is None:
                    raise CancelledError
                self._own.worker = Worker()
                self._workers.add(self._own.worker)
        return cast(Worker, self._own.worker)

    def end(self) -> None:
        """Ends all at once: what is under way is not wanted, and a long file would hold back Ctrl-C for a minute."""
        with self._lock:
            workers, self._workers = self._workers or (), None
        for worker in workers:
            worker.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in workers:
            worker.end()


class Worker:
    """A process that does one thing after the other, and our end of its pipe; once it has ended, what is read there ends
    too. With `memory` it may use that many bytes of address space."""

    def __init__(self, *, memory: int | None = None) -> None:
        self.pipe, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=_serve, args=(theirs, os.getpid(), memory), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Has `function` called there, with a `told` behind the arguments. Its answer must not be None."""
        self.pipe.send((function, arguments))

    def hear(self, seconds: float | None = None, told: Told = lambda stage, page, pages: None) -> Any:
        """The answer; None where there is none yet, after `seconds` or after something was told. What the function raised
        is raised; EOFError or OSError where the process has ended."""
        if not self.pipe.poll(seconds):
            return None
        kind, value = self.pipe.recv()
        if kind == "raised":
            raise value
        if kind == "told":
            told(*value)
            return None
        return value

    def do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Asks, and waits for the answer."""
        self.ask(function, *arguments)
        while (answer := self.hear()) is None:
            pass
        return answer

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()


def _serve(pipe: Connection, parent: int, memory: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with suppress(EOFError):
        while True:
            function, arguments = pipe.recv()
            try:
                answer = function(*arguments, lambda *what: pipe.send(("told", what)))
            except PeciaError as error:
                pipe.send(("raised", error))
            else:
                pipe.send(("answer", answer))


def _leave_interrupts() -> None:
    """For the threads of the crew: Ctrl-C is for the thread that writes, and the processes that are born here inherit that,
    so that none ends with a stack trace before its first line."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
