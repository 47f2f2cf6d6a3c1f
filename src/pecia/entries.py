"""What a library keeps, cutting by cutting: the same file under two strategies is two entries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from pathlib import Path
from typing import Any

from pecia.citing.whole import SHOWN_WHOLE, is_beside
from pecia.errors import NotHeldError, OptionError
from pecia.model import Chunk, ChunkKind, Page, Span
from pecia.protocols import Strategy
from pecia.storing import cuttings
from pecia.storing.cuttings import Entry
from pecia.storing.originals import Originals
from pecia.storing.sqlite import SqliteStore


class KeepsCuttings:
    """The part of a library that lists, shows and removes its cuttings."""

    path: Path
    _store: SqliteStore
    _originals: Originals

    def entries(self, *, before: int | None = None, limit: int = 50, name: str = "") -> list[Entry]:
        """Cuttings, the latest first: at most `limit`, with a number below `before`, whose file name holds `name`."""
        with self._store.snapshot() as connection:
            return cuttings.entries(connection, before=before, limit=limit, name=name)

    def entry(self, key: str) -> Entry:
        """The cutting of that key; LibraryError where there is none."""
        with self._store.snapshot() as connection:
            found = cuttings.entry(connection, key)
        if found is None:
            raise NotHeldError(f"{self.path} holds no document {key}")
        return found

    def entries_of(self, chunks: Iterable[Chunk]) -> list[tuple[Entry, int] | None]:
        """For each chunk its cutting and its position there, from 0; None where it went."""
        with self._store.snapshot() as connection:
            return cuttings.entries_of(connection, chunks)

    def unit_of(self, chunk: Chunk) -> tuple[int, str] | None:
        """The number of the cutting and the segment that a hit gives back whole; None where it gives back its chunk."""
        if chunk.chunk_kind not in SHOWN_WHOLE:
            return None
        own = self._shown(chunk)
        place = self.entries_of([own])[0]
        return (place[0].number, own.segment_id) if place else None

    def segment_of(self, chunk: Chunk) -> list[Chunk]:
        """The parts of the segment that a chunk is one of, in no order; of a child those of the chunk that it belongs to."""
        own = self._shown(chunk)
        if own.part_count == 1:  # most pairs
            return [own]
        same = {"document_id": chunk.document_id, "text_hash": chunk.text_hash, "segment_id": own.segment_id}
        return self._of_one_cutting([own, *self._store.chunks(same)])

    def tables_among(self, parts: Sequence[Chunk]) -> list[Chunk]:
        """The tables and formulas that are chunks of their own and stand among the parts of a segment."""
        first, last = min(part.span.start for part in parts), max(part.span.end for part in parts)
        inside = {"chunk_kind": ChunkKind.BLOCK_DESCRIPTOR.value, "start_char>=": first, "end_char<=": last}
        same = {"document_id": parts[0].document_id, "text_hash": parts[0].text_hash, **inside}
        return self._of_one_cutting([parts[0], *self._store.chunks(same)])[1:]

    def _shown(self, chunk: Chunk) -> Chunk:
        if chunk.parent_id is None:
            return chunk
        return replace(self._store.chunk(chunk.parent_id)[0], requested_strategy=chunk.requested_strategy)

    def _of_one_cutting(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """The chunks that are of the cutting that the first of them is of, each once."""
        found = list({chunk.chunk_id: chunk for chunk in chunks if is_beside(chunks[0], chunk)}.values())
        cuttings = [place and place[0].number for place in self.entries_of(found)]
        return [chunk for chunk, cutting in zip(found, cuttings, strict=True) if cutting == cuttings[0]]

    def position(self, entry: Entry, chunk_id: str) -> int | None:
        """Where a chunk of that id stands in a cutting, from 0; None where it is of another one."""
        with self._store.snapshot() as connection:
            return cuttings.position(connection, entry.number, chunk_id)

    def entry_count(self) -> int:
        with self._store.snapshot() as connection:
            return cuttings.count(connection)

    def chunks_of(self, entry: Entry, first: int = 0, last: int | None = None) -> list[tuple[int, Chunk]]:
        """The chunks of a cutting with their positions, from `first` up to `last`, exclusive."""
        with self._store.snapshot() as connection:
            rows = cuttings.records(connection, entry.number, first, entry.chunks if last is None else last)
            return [(position, self._store.read(record, entry.name)) for position, record in rows]

    def chunks_on(self, entry: Entry, page: int) -> list[tuple[int, Chunk]]:
        """The chunks of a cutting that touch a physical page, counted from 0, with their positions."""
        with self._store.snapshot() as connection:
            rows = cuttings.records_on(connection, entry.number, page)
            return [(position, self._store.read(record, entry.name)) for position, record in rows]

    def values(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """What chunks hold of these attributes, where it is a choice: two values or more, and not too many to offer."""
        with self._store.snapshot() as connection:
            return cuttings.values(connection, names)

    def pages(self, entry: Entry) -> tuple[Page, ...]:
        """The pages of a cutting's document; none where its format has none."""
        return self._store.document(entry.document_id, entry.text_hash, Span(0, 0)).pages

    def remove(self, entry: Entry) -> int:
        """Removes one cutting, with its document and kept original where no other cutting has them; the number of chunks
        that went."""
        gone = self._store.delete_cutting(entry.number)
        self._store.release(self._originals.remove)
        return gone

    def kept(self, entry: Entry) -> Path:
        """The kept original of a cutting; LibraryError where there is none."""
        path = self._originals.path(entry.original) if entry.original else None
        if path is None or not path.is_file():
            raise NotHeldError(f"the file of {entry.name} is not kept here")
        return path


def cutting_of(
    chunks: Sequence[Chunk], strategy: Strategy | None, options_hash: str | None, options: Mapping[str, Any] | None
) -> tuple[str, str, Mapping[str, Any]]:
    """(strategy asked for, options hash, options) of chunks; OptionError where they are of several strategies or none."""
    names = {chunk.requested_strategy for chunk in chunks} or ({strategy.name} if strategy else set())
    if len(names) != 1:
        raise OptionError(
            f"chunks of {len(names)} strategies ({', '.join(sorted(names))}); add one cutting at a time"
            if names
            else "there are no chunks; say with strategy= what cut the document"
        )
    if strategy is not None and options_hash is None:
        held = getattr(strategy, "options", None)
        given = asdict(held) if is_dataclass(held) and not isinstance(held, type) else {}
        return names.pop(), strategy.options_hash, options or given
    if options_hash is None:
        sizes = sorted({(chunk.max_tokens, chunk.overlap_tokens, chunk.tokenizer) for chunk in chunks})
        options = options or {"sizes": [list(item) for item in sizes]}
        options_hash = hashlib.sha256(json.dumps([sorted(names), sizes]).encode()).hexdigest()[:16]
    return names.pop(), options_hash, options or {}
