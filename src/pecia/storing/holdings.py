"""What there is to search, by the attributes of its chunks: `pecia.protocols.Holdings` of a library, and of chunks at hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property

from pecia.model import Chunk
from pecia.text.analysis import terms


class FacetHoldings:
    """Of a library, from the index of facets, without a chunk; within the transaction of the caller."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def values(self, name: str) -> list[str]:
        query = "SELECT value FROM facet_value WHERE key = ? AND typeof(value) = 'text' ORDER BY value"
        return [row[0] for row in self._connection.execute(query, (name,))]

    def beside(self, name: str, value: str, other: str) -> list[str]:
        query = (
            "SELECT DISTINCT o.value FROM facet_value v JOIN facet f ON f.value_id = v.id JOIN facet g ON g.chunk = f.chunk"
            " JOIN facet_value o ON o.id = g.value_id WHERE v.key = ? AND v.value = ? AND o.key = ? ORDER BY o.value"
        )
        return [row[0] for row in self._connection.execute(query, (name, value, other))]

    def stands(self, term: str) -> bool:
        return self._connection.execute("SELECT 1 FROM vocabulary WHERE term = ?", (term,)).fetchone() is not None


class ChunkHoldings:
    """Of chunks at hand."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks

    def values(self, name: str) -> list[str]:
        return sorted({value for chunk in self._chunks for value in _strings(chunk, name)})

    def beside(self, name: str, value: str, other: str) -> list[str]:
        return sorted({item for chunk in self._chunks if value in _strings(chunk, name) for item in _strings(chunk, other)})

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(term for chunk in self._chunks for term in terms(chunk.text))

    def stands(self, term: str) -> bool:
        return term in self._terms


def _strings(chunk: Chunk, name: str) -> list[str]:
    value = chunk.attributes.get(name)
    return list(_texts(value if isinstance(value, list | tuple) else [value]))


def _texts(values: Sequence[object]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))
