"""The library as the service reads it: a few open libraries, shared by its threads, and what pages and answers need of them."""

from __future__ import annotations

import queue
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pecia import plugins
from pecia.errors import NotHeldError
from pecia.library import Library
from pecia.model import Chunk, Citation, Page
from pecia.server.jobs import Note, Queue
from pecia.server.searching import Found
from pecia.storing.cuttings import Entry
from pecia.storing.filters import UNFILTERABLE

# SQLite lets the interpreter go while it reads, so that two or three threads help each other; more only wait.
OPEN = 3
LONGEST_VALUE = 60  # a filter's values are names, not sentences
KEPT_PAGES = 64  # documents whose page sizes stay in memory


@dataclass(frozen=True, slots=True)
class Held:
    """An entry with what the service knows of it; pages is 0 where a format has none. `title` is what a document is called
    that is one of several in its file."""

    entry: Entry
    note: Note
    title: str | None = None


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
        return [Held(entry, notes[entry.key], _title(library, entry)) for entry in entries]

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

    def whole(self, found: Found) -> tuple[Chunk, ...]:
        """The chunks of the segment that a hit is a part of, in order."""
        chunk = found.hit.chunk
        if chunk.part_count == 1:
            return (chunk,)
        first = max(0, found.position - chunk.part_index)
        with self.library() as library:
            near = library.chunks_of(found.entry, first, found.position + chunk.part_count - chunk.part_index)
        return tuple(item for _, item in near if item.segment_id == chunk.segment_id)

    def has_vectors(self) -> bool:
        with self.library() as library:
            return library.has_vectors

    def choices(self) -> dict[str, list[Any]]:
        """Attributes to filter on that are a choice in this library, with their values."""
        declared = [item.name for item in plugins.attributes() if item.type in {"str", "str[]", "bool"}]
        with self.library() as library:
            found = library.values(["requested_strategy", *(name for name in declared if name not in UNFILTERABLE)])
        return {name: values for name, values in found.items() if max(len(str(value)) for value in values) <= LONGEST_VALUE}


def _title(library: Library, entry: Entry) -> str | None:
    """The heading over the first chunk, for a member of a container."""
    first = library.chunks_of(entry, 0, 1) if "#" in entry.document_id else []
    return next((chunk.headings[0] for _, chunk in first if chunk.headings), None)
