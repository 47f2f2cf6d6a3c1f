"""A library seen by its cuttings: one entry for each document under one strategy and options, with a short key of its own."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pecia.model import Chunk

KEY_DIGITS = 16  # of the SHA-256 of the bytes, that lead to the few documents that begin so
MOST_VALUES = 40  # of an attribute; one with more is no choice to offer
_COLUMNS = """SELECT c.id, d.document_id, s.name, d.media_type, d.original, c.strategy, c.options_hash, c.options, r.id,
    r.text_hash, (SELECT count(*) FROM chunk WHERE cutting = c.id)
    FROM cutting c JOIN reading r ON r.id = c.reading JOIN document d ON d.id = r.document
    JOIN source s ON s.document = d.id AND s.uri = (SELECT min(uri) FROM source WHERE document = d.id)"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A cutting of a document. `number` rises with each that is added; `strategy` is the one that was asked for; `reading`
    tells one parse of the bytes from another."""

    number: int
    document_id: str
    name: str
    media_type: str
    original: str | None
    strategy: str
    options_hash: str
    options: Mapping[str, Any]
    reading: int
    text_hash: str
    chunks: int

    @property
    def key(self) -> str:
        """Short, fit for a URL, the same for the same bytes, strategy and options in every library."""
        return entry_key(self.document_id, self.strategy, self.options_hash)


def entry_key(document_id: str, strategy: str, options_hash: str) -> str:
    mark = hashlib.sha256(f"{document_id}\0{strategy}\0{options_hash}".encode()).hexdigest()[:8]
    return f"{document_id[:KEY_DIGITS]}-{strategy}-{mark}"


def entries(connection: sqlite3.Connection, *, before: int | None, limit: int, name: str = "") -> list[Entry]:
    """The latest first, at most `limit` with a number below `before`, whose file name holds `name`."""
    rows = connection.execute(
        f"""{_COLUMNS} WHERE (?1 IS NULL OR c.id < ?1) AND (?2 = '' OR instr(lower(s.name), lower(?2)))
            ORDER BY c.id DESC LIMIT ?3""",
        (before, name, limit),
    )
    return [_entry(row) for row in rows]


def entry(connection: sqlite3.Connection, key: str) -> Entry | None:
    start = key[:KEY_DIGITS]
    rows = connection.execute(f"{_COLUMNS} WHERE d.sha256 >= ? AND d.sha256 < ?", (start, f"{start}g"))  # g follows f
    return next((found for found in map(_entry, rows) if found.key == key), None)


def entries_of(connection: sqlite3.Connection, chunks: Iterable[Chunk]) -> list[tuple[Entry, int] | None]:
    """For each chunk its entry and its position there, from 0; None where it went. A chunk has the same id where `auto`
    chose what was also asked for by name, so that the strategy asked for tells the two entries apart."""
    known: dict[int, Entry] = {}
    found: list[tuple[Entry, int] | None] = []
    for chunk in chunks:
        row = connection.execute(
            """SELECT k.cutting, k.position FROM chunk k JOIN cutting c ON c.id = k.cutting
               WHERE k.chunk_id = ? AND c.strategy = ? ORDER BY k.id LIMIT 1""",
            (chunk.chunk_id, chunk.requested_strategy),
        ).fetchone()
        if row and row[0] not in known:
            known[row[0]] = _entry(connection.execute(f"{_COLUMNS} WHERE c.id = ?", row[:1]).fetchone())
        found.append((known[row[0]], row[1]) if row else None)
    return found


def position(connection: sqlite3.Connection, cutting: int, chunk_id: str) -> int | None:
    row = connection.execute("SELECT position FROM chunk WHERE chunk_id = ? AND cutting = ?", (chunk_id, cutting)).fetchone()
    return row[0] if row else None


def count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM cutting").fetchone()[0])


def records(connection: sqlite3.Connection, cutting: int, first: int, last: int) -> Iterator[tuple[int, str]]:
    """(position, record) of the chunks from position `first` up to `last`, exclusive."""
    query = "SELECT position, record FROM chunk WHERE cutting = ? AND position >= ? AND position < ? ORDER BY position"
    return iter(connection.execute(query, (cutting, first, last)).fetchall())


def records_on(connection: sqlite3.Connection, cutting: int, page: int) -> Iterator[tuple[int, str]]:
    """(position, record) of the chunks that touch a physical page, counted from 0."""
    query = """SELECT k.position, k.record FROM entry e JOIN chunk k ON k.id = e.chunk
               WHERE e.cutting = ? AND e.first_page <= ? AND e.last_page >= ? ORDER BY k.position"""
    return iter(connection.execute(query, (cutting, page, page)).fetchall())


def values(connection: sqlite3.Connection, names: Sequence[str]) -> dict[str, list[Any]]:
    """The values that chunks have of these attributes, where they are a choice: two or more, not too many, and shared by
    several chunks each."""
    found: dict[str, list[Any]] = {}
    for name in names:
        if name == "requested_strategy":  # told of each cutting, and so no facet of its chunks
            rows = connection.execute("SELECT NULL, strategy FROM cutting GROUP BY 2 ORDER BY 2").fetchall()
        else:
            rows = connection.execute(
                "SELECT id, value FROM facet_value WHERE key = ? ORDER BY value LIMIT ?", (name, MOST_VALUES + 1)
            ).fetchall()
        if 1 < len(rows) <= MOST_VALUES and _shared(connection, [row[0] for row in rows]):
            found[name] = [row[1] for row in rows]
    return found


def _shared(connection: sqlite3.Connection, ids: Sequence[int | None]) -> bool:
    """Whether two chunks or more have a value, on average; ids and titles of one chunk each are no choice."""
    if None in ids:
        return True
    wanted = 2 * len(ids)
    query = f"SELECT count(*) FROM (SELECT 1 FROM facet WHERE value_id IN ({', '.join('?' * len(ids))}) LIMIT ?)"
    return bool(connection.execute(query, [*ids, wanted]).fetchone()[0] >= wanted)


def _entry(row: tuple[Any, ...]) -> Entry:
    number, document_id, name, media_type, original, strategy, options_hash, options, reading, text_hash, chunks = row
    return Entry(
        number, document_id, name, media_type, original, strategy, options_hash, json.loads(options), reading, text_hash, chunks
    )
