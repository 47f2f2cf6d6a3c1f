"""Many files: cut in worker processes, given back in the order asked for, so that one writer can store them."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pecia import pipeline
from pecia.errors import DocumentError
from pecia.model import Failure, Finding

# Files under way for each worker: one in work and one waiting. What is waiting holds documents in memory.
AHEAD = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: its cuttings with their findings, or a failure; never both."""

    file: Path
    cuttings: tuple[tuple[pipeline.Cutting, tuple[Finding, ...]], ...] = ()
    failure: Failure | None = None


def cut_files(files: Iterable[Path], strategy: str, options: Mapping[str, Any], *, jobs: int = 1) -> Iterator[Outcome]:
    """The outcome of each file, in the order of the files. With several jobs that many processes work ahead of the reader,
    by at most `AHEAD` files each; a process that dies is the failure of the files it had, and the others go on."""
    if jobs == 1:
        yield from (cut_file(file, strategy, options) for file in files)
        return
    waiting, left = deque[tuple[Path, Future[Outcome]]](), iter(files)
    pool = _pool(jobs)
    try:
        while True:
            for file in islice(left, jobs * AHEAD - len(waiting)):
                waiting.append((file, pool.submit(cut_file, file, strategy, options)))
            if not waiting:
                return
            file, future = waiting.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                # Which of the files under way ended the process is not known: each is tried again by itself.
                pool.shutdown(wait=False, cancel_futures=True)
                again = [file, *(other for other, _ in waiting)]
                waiting.clear()
                yield from (_alone(other, strategy, options) for other in again)
                pool = _pool(jobs)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def cut_file(file: Path, strategy: str, options: Mapping[str, Any]) -> Outcome:
    """Parses, cuts and checks one file in this process."""
    try:
        cuttings = [pipeline.cut(document, strategy, **options) for document in pipeline.parse_all(file)]
        return Outcome(file, tuple((cutting, tuple(cutting.findings())) for cutting in cuttings))
    except DocumentError as error:
        return Outcome(file, failure=Failure(str(file), error.stage, error.message, error.page))


def _alone(file: Path, strategy: str, options: Mapping[str, Any]) -> Outcome:
    with _pool(1) as pool:
        try:
            return pool.submit(cut_file, file, strategy, options).result()
        except BrokenProcessPool:
            return Outcome(file, failure=Failure(str(file), "chunk", "the process that cut it ended"))


def _pool(jobs: int) -> ProcessPoolExecutor:
    """Workers that leave Ctrl-C to the process that writes."""
    ignore = (signal.SIGINT, signal.SIG_IGN)
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=signal.signal, initargs=ignore)
