"""What the chunks of a library say about entities that it holds elsewhere, kept in step with what it holds.

A cutting tells by `linked` which entities were known when its chunks were last linked; its digest stays that of the chunks as
they were cut, so that the same file added again changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pecia.model import Chunk
from pecia.storing import indexing, vectors


@dataclass(frozen=True, slots=True)
class Linkable:
    """A cutting whose chunks name entities, as it was read."""

    number: int
    document_id: str
    text_hash: str
    options: Mapping[str, Any]
    digest: str
    chunks: tuple[tuple[int, Mapping[str, Any]], ...]  # row and record


def any_linked(connection: sqlite3.Connection) -> bool:
    """Whether a cutting was ever linked to entities of the library."""
    return connection.execute("SELECT 1 FROM cutting WHERE linked <> '' LIMIT 1").fetchone() is not None


def entity_readings(connection: sqlite3.Connection, media_types: Sequence[str]) -> list[tuple[int, str, str]]:
    """(reading, media type, hash of its text) of what holds records of entities, in the order of source uris."""
    return connection.execute(
        f"""SELECT r.id, d.media_type, r.text_hash FROM reading r JOIN document d ON d.id = r.document
           WHERE EXISTS (SELECT 1 FROM cutting c JOIN entry e ON e.cutting = c.id
                         WHERE c.reading = r.id AND e.chunk_kind = 'record')
           AND d.media_type IN ({", ".join("?" * len(media_types))})
           ORDER BY (SELECT min(uri || char(0) || pointer) FROM source WHERE document = d.id), r.text_hash""",
        media_types,
    ).fetchall()


def mark_of(readings: Iterable[tuple[int, str, str]]) -> str:
    """Tells what is known from what was known before; empty where nothing is."""
    told = [[media_type, text_hash] for _, media_type, text_hash in readings]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16] if told else ""


def text_of(connection: sqlite3.Connection, reading: int) -> str:
    return str(connection.execute("SELECT text FROM reading WHERE id = ?", (reading,)).fetchone()[0])


def pending(connection: sqlite3.Connection, strategies: Sequence[str], mark: str) -> list[int]:
    """The cuttings with chunks of these strategies that were linked by what is no longer known, or never. One that was given
    files of entities knows those and no others."""
    wanted = ", ".join("?" * len(strategies))
    rows = connection.execute(
        f"""SELECT c.id FROM cutting c WHERE c.linked <> ? AND coalesce(json_array_length(c.options, '$.entities'), 0) = 0
            AND EXISTS (SELECT 1 FROM entry e WHERE e.cutting = c.id AND e.strategy IN ({wanted})) ORDER BY c.id""",
        (mark, *strategies),
    )
    return [row[0] for row in rows]


def linkable(connection: sqlite3.Connection, cutting: int) -> Linkable | None:
    """None where it went meanwhile."""
    row = connection.execute(
        """SELECT d.document_id, r.text_hash, c.options, c.digest FROM cutting c JOIN reading r ON r.id = c.reading
           JOIN document d ON d.id = r.document WHERE c.id = ?""",
        (cutting,),
    ).fetchone()
    if row is None:
        return None
    chunks = connection.execute("SELECT id, record FROM chunk WHERE cutting = ? ORDER BY position", (cutting,))
    held = tuple((key, json.loads(record)) for key, record in chunks)
    return Linkable(cutting, row[0], row[1], json.loads(row[2]), row[3], held)


def settle(connection: sqlite3.Connection, cutting: Linkable, made: Mapping[int, Chunk], mark: str) -> None:
    """Writes the chunks that say something else now, by row, and that the cutting is linked. One that was replaced meanwhile is
    for the next call. What is embedded with type or country loses its vectors where they changed."""
    row = connection.execute("SELECT digest FROM cutting WHERE id = ?", (cutting.number,)).fetchone()
    if row is None or row[0] != cutting.digest:
        return
    former = dict(cutting.chunks)
    changed = {key: record for key, chunk in made.items() if (record := chunk.to_record()) != former[key]}
    if any(vectors.context(record) != vectors.context(former[key]) for key, record in changed.items()):
        vectors.leave(connection, cutting.number)
    connection.executemany("UPDATE chunk SET record = ? WHERE id = ?", [(made[key].to_line(), key) for key in changed])
    indexing.refacet(connection, changed)
    connection.execute("UPDATE cutting SET linked = ? WHERE id = ?", (mark, cutting.number))
