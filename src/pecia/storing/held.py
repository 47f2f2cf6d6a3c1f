"""What a library holds, told without its texts."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pecia.model import Chunk, Document


@dataclass(frozen=True, slots=True)
class HeldCutting:
    """One cutting of a document; `strategy` is the one that was asked for."""

    strategy: str
    options_hash: str
    options: Mapping[str, Any]
    text_hash: str
    chunks: int


@dataclass(frozen=True, slots=True)
class Held:
    """A document with the uris and names it was found under; `original` is the file that is kept, or None."""

    document_id: str
    sha256: str
    media_type: str
    sources: tuple[tuple[str, str], ...]
    original: str | None
    cuttings: tuple[HeldCutting, ...]


def held_documents(connection: sqlite3.Connection) -> list[Held]:
    """All documents, by their first uri."""
    sources: dict[int, list[tuple[str, str]]] = {}
    for key, uri, name in connection.execute("SELECT document, uri, name FROM source ORDER BY uri, pointer"):
        sources.setdefault(key, []).append((uri, name))
    cuttings: dict[int, list[HeldCutting]] = {}
    for key, strategy, options_hash, options, text_hash, chunks in connection.execute(
        """SELECT r.document, c.strategy, c.options_hash, c.options, r.text_hash,
                  (SELECT count(*) FROM chunk WHERE cutting = c.id)
           FROM cutting c JOIN reading r ON r.id = c.reading ORDER BY c.strategy, c.options_hash"""
    ):
        cuttings.setdefault(key, []).append(HeldCutting(strategy, options_hash, json.loads(options), text_hash, chunks))
    rows = {row[0]: row[1:] for row in connection.execute("SELECT id, document_id, sha256, media_type, original FROM document")}
    return [
        Held(document_id, sha256, media_type, tuple(found), original, tuple(cuttings.get(key, ())))
        for key, found in sources.items()
        for document_id, sha256, media_type, original in [rows[key]]
    ]


def asked_for(connection: sqlite3.Connection) -> list[tuple[str, dict[str, Any]]]:
    """(strategy asked for, its options), each once."""
    rows = connection.execute("SELECT DISTINCT strategy, options FROM cutting ORDER BY strategy, options")
    return [(strategy, json.loads(options)) for strategy, options in rows]


def digest(chunks: Iterable[Chunk]) -> str:
    """Hash of the records in order, the file name aside: the same bytes under two names are cut alike."""
    made = hashlib.sha256()
    for chunk in chunks:
        made.update(replace(chunk, source_name="").to_line().encode() + b"\n")
    return made.hexdigest()


def faults(document: Document, chunks: Sequence[Chunk]) -> Iterator[str]:
    """What keeps chunks from being stored as those of the document."""
    seen: set[str] = set()
    for chunk in chunks:
        if chunk.document_id != document.id or chunk.text_hash != document.text_hash:
            yield f"chunk {chunk.chunk_id} is of document {chunk.document_id:.12} and text {chunk.text_hash}"
        elif document.text[chunk.span.start : chunk.span.end] != chunk.source_text:
            yield f"chunk {chunk.chunk_id}: source_text does not stand at {chunk.span.start}..{chunk.span.end}"
        if chunk.chunk_id in seen:
            yield f"chunk {chunk.chunk_id} is there twice"
        seen.add(chunk.chunk_id)
