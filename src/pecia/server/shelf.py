"""The library as the service reads it: a few open libraries, shared by its threads, and what pages and answers need of them."""

from __future__ import annotations

import queue
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pecia import plugins
from pecia.errors import NotHeldError, UnknownNameError
from pecia.library import Library
from pecia.model import Chunk, Citation, Hit, Page
from pecia.server.choices import MODES
from pecia.server.jobs import Note, Queue
from pecia.storing.cuttings import Entry
from pecia.storing.filters import UNFILTERABLE, Where

# SQLite lets the interpreter go while it reads, so that two or three threads help each other; more only wait.
OPEN = 3
LONGEST_VALUE = 60  # a filter's values are names, not sentences
KEPT_PAGES = 64  # documents whose page sizes stay in memory


@dataclass(frozen=True, slots=True)
class Held:
    """An entry with what the service knows of it; pages is 0 where a format has none."""

    entry: Entry
    note: Note


@dataclass(frozen=True, slots=True)
class Found:
    """A hit with the passage of it that answers best, and where it is held: the entry, and the position there, from 0."""

    hit: Hit
    passage: Citation
    entry: Entry
    position: int


class Shelf:
    def __init__(self, folder: Path, jobs: Queue) -> None:
        self._jobs = jobs
        self._pages: OrderedDict[tuple[str, str], tuple[Page, ...]] = OrderedDict()
        self._open: queue.SimpleQueue[Library] = queue.SimpleQueue()
        self._all = [Library(folder) for _ in range(OPEN)]
        for library in self._all:
            self._open.put(library)

    def close(self) -> None:
        for library in self._all:
            library.close()

    @contextmanager
    def library(self) -> Iterator[Library]:
        held = self._open.get()
        try:
            yield held
        finally:
            self._open.put(held)

    def page(self, *, before: int | None, limit: int, name: str = "") -> tuple[list[Held], int | None, int]:
        """Entries, the latest first, the number to go on before, and how many there are in all."""
        with self.library() as library:
            found = library.entries(before=before, limit=limit + 1, name=name)
            total = library.entry_count()
            more = found[limit - 1].number if len(found) > limit else None
            return self._noted(library, found[:limit]), more, total

    def held(self, key: str) -> Held:
        """The entry of that key; NotHeldError where there is none."""
        with self.library() as library:
            return self._noted(library, [library.entry(key)])[0]

    def _noted(self, library: Library, entries: Sequence[Entry]) -> list[Held]:
        """What an entry that came by another way lacks is found once, and kept."""
        notes = self._jobs.notes(entry.key for entry in entries)
        found = {entry.key: Note(None, len(library.pages(entry))) for entry in entries if entry.key not in notes}
        if found:
            self._jobs.note(found)
        notes |= found
        return [Held(entry, notes[entry.key]) for entry in entries]

    def pages(self, entry: Entry) -> tuple[Page, ...]:
        key = (entry.document_id, entry.text_hash)
        if key not in self._pages:
            with self.library() as library:
                self._pages[key] = library.pages(entry)
            while len(self._pages) > KEPT_PAGES:
                self._pages.popitem(last=False)
        return self._pages[key]

    def remove(self, key: str) -> int:
        with self.library() as library:
            gone = library.remove(library.entry(key))
        self._jobs.forget(key)
        return gone

    def chunk(self, key: str) -> tuple[Chunk, Citation, Entry, int]:
        """A chunk with its citation, its entry and its position there; NotHeldError where there is none."""
        with self.library() as library:
            chunk = library.chunk(key)
            place = library.entries_of([chunk])[0]
            if place is None:  # it went between the two looks
                raise NotHeldError(f"{library.path.name} holds no chunk {key}")
            return chunk, library.cite(chunk), *place

    def search(
        self, text: str, *, k: int, mode: str | None = None, where: Where | None = None, document: str | None = None
    ) -> list[Found]:
        """The best hits, of one entry alone where `document` is its key."""
        if mode is not None and mode not in MODES:
            raise UnknownNameError("mode", mode, MODES)
        with self.library() as library, library.reading():
            entry = library.entry(document) if document else None
            hits = self._hits(library, text, k, where, entry)
            places = library.entries_of(hit.chunk for hit in hits)
            return [
                Found(hit, library.passage(hit, text), *place)
                for hit, place in zip(hits, places, strict=True)
                if place  # it may have gone since
            ]

    def _hits(self, library: Library, text: str, k: int, where: Where | None, entry: Entry | None) -> list[Hit]:
        if entry is None:
            return library.search(text, k=k, where=where)
        # A filter knows the document and the strategy; of two cuttings that differ in options alone the other one's hits
        # are left out here, and as many more asked for.
        own = {"document_id": entry.document_id, "requested_strategy": entry.strategy}
        if isinstance(where, Mapping):
            asked: Where = {**where, **own}
        else:
            asked = [*(where or ()), *(f"{name}={value}" for name, value in own.items())]
        wanted = k
        while True:
            hits = library.search(text, k=wanted, where=asked)
            places = library.entries_of(hit.chunk for hit in hits)
            held = [hit for hit, place in zip(hits, places, strict=True) if place and place[0] == entry]
            if len(held) >= k or len(hits) < wanted:
                return [replace(hit, rank=rank) for rank, hit in enumerate(held[:k], 1)]
            wanted *= 2

    def whole(self, found: Found) -> tuple[Chunk, ...]:
        """The chunks of the segment that a hit is a part of, in order."""
        chunk = found.hit.chunk
        if chunk.part_count == 1:
            return (chunk,)
        first = max(0, found.position - chunk.part_index)
        with self.library() as library:
            near = library.chunks_of(found.entry, first, found.position + chunk.part_count - chunk.part_index)
        return tuple(item for _, item in near if item.segment_id == chunk.segment_id)

    def choices(self) -> dict[str, list[Any]]:
        """Attributes to filter on that are a choice in this library, with their values."""
        declared = [item.name for item in plugins.attributes() if item.type in {"str", "str[]", "bool"}]
        with self.library() as library:
            found = library.values(["requested_strategy", *(name for name in declared if name not in UNFILTERABLE)])
        return {name: values for name, values in found.items() if max(len(str(value)) for value in values) <= LONGEST_VALUE}
