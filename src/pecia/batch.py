"""Many files: cut in worker processes, given back in the order asked for, so that one writer can store them."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, cast
from uuid import uuid4

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
# Characters of a container's texts from which on its cuttings wait on disk: in memory they take about 20 bytes for each.
SPOOLED = 4_000_000
_CONTEXT = get_context("spawn")

# Hears the stage that a file is at and, while it is parsed, how many of its pages are read and how many it has.
Told = Callable[[str, int, int], None]


Checked = tuple[pipeline.Cutting, tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class Spool:
    """The cuttings of a large container, in a file: each is read when it is asked for, as often as it is."""

    path: Path
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Checked]:
        with self.path.open("rb") as file:
            for _ in range(self.count):
                yield pickle.load(file)  # what this run wrote, into a folder of its own


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: its cuttings with their findings, or a failure; never both."""

    file: Path
    cuttings: tuple[Checked, ...] | Spool = ()
    failure: Failure | None = None


def cut_files(
    files: Iterable[Path], strategy: str, options: Mapping[str, Any], *, jobs: int = 1
) -> Generator[Outcome, None, None]:
    """The outcome of each file, in the order of the files; to be read before the next one is asked for. With several jobs
    that many processes work ahead of the reader, by a few files each; a file that ends its process twice is a failure, and
    the others go on. A reader that stops closes the iterator: what is under way then is ended, not waited for."""
    with TemporaryDirectory(prefix="pecia-") as folder:
        for outcome in _outcomes(files, strategy, options, Path(folder), jobs):
            yield outcome
            if isinstance(outcome.cuttings, Spool):
                outcome.cuttings.path.unlink()


def _outcomes(
    files: Iterable[Path], strategy: str, options: Mapping[str, Any], spool: Path, jobs: int
) -> Generator[Outcome, None, None]:
    if jobs == 1:
        yield from (cut_file(file, strategy, options, spool) for file in files)
        return
    waiting, left = deque[tuple[Future[Outcome], int]](), iter(files)
    crew = _Crew(jobs, strategy, options, spool)
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


def cut_file(
    file: Path,
    strategy: str,
    options: Mapping[str, Any],
    spool: Path | None = None,
    told: Told = lambda stage, page, pages: None,
) -> Outcome:
    """Parses, cuts and checks one file in this process. Whatever goes wrong with it is its failure; UsageError is raised.
    `spool` is a folder for the cuttings of a container that are too many for memory: they come back from there."""
    with ExitStack() as stack:
        kept = _Kept(spool, stack)
        found = _cut_file(file, strategy, options, kept, told)
        return Outcome(file, failure=found) if found else Outcome(file, kept.all())


class _Kept:
    """The cuttings of one file, in memory as long as they are few."""

    def __init__(self, folder: Path | None, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._held: list[Checked] = []
        self._characters = self._count = 0
        self._file: IO[bytes] | None = None

    def add(self, cutting: pipeline.Cutting, findings: tuple[Finding, ...]) -> None:
        self._held.append((cutting, findings))
        self._count += 1
        self._characters += len(cutting.document.text)
        if self._file is None and self._folder and self._count > 1 and self._characters > SPOOLED:
            self._file = self._stack.enter_context((self._folder / f"{uuid4().hex}.cuttings").open("wb"))
        if self._file:
            for item in self._held:
                pickle.dump(item, self._file)
            self._held.clear()

    def all(self) -> tuple[Checked, ...] | Spool:
        if self._file is None:
            return tuple(self._held)
        self._file.flush()
        return Spool(Path(self._file.name), self._count)


def _cut_file(file: Path, strategy: str, options: Mapping[str, Any], kept: _Kept, told: Told) -> Failure | None:
    try:
        told("parse", 0, 0)
        for document in pipeline.parse_all(file, told=lambda page, pages: told("parse", page, pages)):
            told("chunk", 0, len(document.pages))
            cutting = read_tables(pipeline.cut(document, strategy, **options), file)
            told("check", 0, len(document.pages))
            findings = tuple(cutting.findings())
            # Half of what storing takes: the one process that writes would hold up those that cut.
            terms = tuple(joined_terms(chunk.text) for chunk in cutting.chunks)
            kept.add(replace(cutting, terms=terms), findings)
    except DocumentError as error:
        return failed(file, error)
    except UsageError:
        raise
    except Exception as error:  # one file that a strategy cannot cut must not end a run over a thousand
        reason = f"cutting it failed: {type(error).__name__}: {error}"
        return failed(file, DocumentError(reason, stage="chunk"))
    return None


def failed(file: Path, error: DocumentError) -> Failure:
    """The failure of a file, under its name as text: a name may hold bytes that are none."""
    message = error.message.removeprefix(f"{shown(file)}: ")  # the failure names it already
    return Failure(str(file.parent / shown(file)), error.stage, message, error.page)


class _Crew:
    """Worker processes, each with a pipe of its own and the thread that asks it.

    Not a ProcessPoolExecutor: its workers share one pipe, so that one that is killed while it answers leaves half an answer
    there, for whose rest the pool waits for ever; and it cannot tell which file a worker had.
    """

    def __init__(self, jobs: int, strategy: str, options: Mapping[str, Any], spool: Path) -> None:
        self._arguments = (strategy, dict(options), spool)
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
