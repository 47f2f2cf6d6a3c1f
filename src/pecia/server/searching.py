"""Searches, in processes of their own: each takes an interpreter for ten milliseconds, and a process has one."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pecia.batch import Told, Worker
from pecia.errors import LibraryError, UnknownNameError
from pecia.library import Library
from pecia.model import Citation, Hit
from pecia.server.choices import MODES
from pecia.storing.cuttings import Entry
from pecia.storing.filters import Where


@dataclass(frozen=True, slots=True)
class Asked:
    """One search; `document` is the key of the one entry to search."""

    text: str
    k: int
    mode: str = MODES[0]
    where: Where | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A hit with the passage of it that answers best, and where it is held: the entry, and the position there, from 0."""

    hit: Hit
    passage: Citation
    entry: Entry
    position: int


class Searchers:
    """As many processes as there are cores, each with the library open. One that ends is replaced."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._closed = folder, False
        self._free: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._all: set[Worker] = set()
        for _ in range(os.cpu_count() or 1):
            threading.Thread(target=lambda: self._free.put(self._started()), daemon=True).start()

    def _started(self) -> Worker:
        with self._lock:
            if self._closed:
                raise LibraryError("the service is closing")
            worker = Worker()
            self._all.add(worker)
        worker.do(ready, self._folder)
        return worker

    def __call__(self, asked: Asked) -> list[Found]:
        worker = self._free.get()
        try:
            for _ in range(2):  # a search changes nothing: where its process was killed it is asked once more
                try:
                    return list(worker.do(search, self._folder, asked))
                except (EOFError, OSError):
                    worker = self._replaced(worker)
            raise LibraryError("the process that searched ended twice; the service's log says more")
        finally:
            self._free.put(worker)

    def _replaced(self, worker: Worker) -> Worker:
        with self._lock:
            self._all.discard(worker)
        worker.end()
        return self._started()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.end()


# In the worker processes


@cache
def _library(folder: Path) -> Library:
    return Library(folder, create=False)


def ready(folder: Path, told: Told) -> bool:
    _library(folder)
    return True


def search(folder: Path, asked: Asked, told: Told) -> list[Found]:
    """The best hits; what was removed between finding and citing is left out."""
    if asked.mode not in MODES:
        raise UnknownNameError("mode", asked.mode, MODES)
    library = _library(folder)
    with library.reading():
        entry = library.entry(asked.document) if asked.document else None
        hits = _hits(library, asked, entry)
        places = library.entries_of(hit.chunk for hit in hits)
        return [Found(hit, library.passage(hit, asked.text), *place) for hit, place in zip(hits, places, strict=True) if place]


def _hits(library: Library, asked: Asked, entry: Entry | None) -> list[Hit]:
    if entry is None:
        return library.search(asked.text, k=asked.k, where=asked.where, mode=asked.mode)
    # A filter knows the document and the strategy; of two cuttings that differ in options alone the other one's hits
    # are left out here, and as many more asked for.
    own = {"document_id": entry.document_id, "requested_strategy": entry.strategy}
    if isinstance(asked.where, Mapping):
        where: Where = {**asked.where, **own}
    else:
        where = [*(asked.where or ()), *(f"{name}={value}" for name, value in own.items())]
    wanted = asked.k
    while True:
        hits = library.search(asked.text, k=wanted, where=where, mode=asked.mode)
        places = library.entries_of(hit.chunk for hit in hits)
        held = [hit for hit, place in zip(hits, places, strict=True) if place and place[0] == entry]
        if len(held) >= asked.k or len(hits) < wanted:
            return [replace(hit, rank=rank) for rank, hit in enumerate(held[: asked.k], 1)]
        wanted *= 2
