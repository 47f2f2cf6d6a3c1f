"""The lexical index of a library, as the ranking sees it: counts, candidates and their term counts."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from pecia.storing.clauses import Clause

# What a filter leaves is read at once up to this many chunks (1 ms); beyond, candidates are looked up one by one.
_MEMBERS = 4_000
# Lengths of chunks that are remembered: 30 MB.
_LENGTHS = 300_000


@dataclass(slots=True)
class Known:
    """What is kept between queries: document frequencies, until their owner empties them as the library changed, and the lengths
    of chunks, which stay true until one is removed."""

    frequencies: dict[str, int] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    removal: str = ""


class Postings:
    """What fits the clause, within the transaction of the caller. `known` is kept between queries."""

    def __init__(self, connection: sqlite3.Connection, clause: Clause, known: Known) -> None:
        self._connection, self._clause, self._known = connection, clause, known
        self._members: set[int] | None = None  # empty: too many, each candidate is looked up

    def size(self) -> tuple[int, int]:
        """Number of chunks in the library, and of terms in them; the clause does not count."""
        chunks, length, removal = self._connection.execute("SELECT chunks, length, removal FROM total").fetchone()
        if removal != self._known.removal:
            self._known.lengths.clear()
            self._known.removal = removal
        return int(chunks), int(length)

    def frequency(self, term: str) -> int:
        """Number of chunks in the library that hold the term."""
        known = self._known.frequencies
        if term not in known:
            row = self._connection.execute("SELECT doc FROM vocabulary WHERE term = ?", (term,)).fetchone()
            known[term] = int(row[0]) if row else 0
        return known[term]

    def few(self, limit: int) -> list[int] | None:
        """All that fits the clause where that is at most `limit` chunks, and it is cheap to see; else None."""
        if (found := self._by_facet(limit)) is not None:
            return found
        for item in self._clause.entry:
            found = self._upto(f"SELECT e.chunk FROM entry e WHERE {item.text}", item.values, limit)
            if found is not None:
                return self._checked(found)
        return None

    def _by_facet(self, limit: int) -> list[int] | None:
        """All that fits, where one facet alone leaves at most `limit` chunks."""
        for ids, absent in self._clause.facets:
            query = f"SELECT DISTINCT chunk FROM facet WHERE value_id IN ({ids.text})"
            if not absent and (found := self._upto(query, ids.values, limit)) is not None:
                return self._checked(found)
        return None

    def _upto(self, query: str, values: Sequence[object], limit: int) -> list[int] | None:
        found = [row[0] for row in self._connection.execute(f"{query} LIMIT {limit + 1}", values)]
        return found if len(found) <= limit else None

    def _checked(self, found: Sequence[int]) -> list[int]:
        test = self._clause.test("held.chunk")
        query = f"SELECT held.chunk FROM entry held WHERE held.chunk IN ({_list(found)}) AND {test.text}"
        return [row[0] for row in self._connection.execute(query, test.values)]

    def counts(self, term: str) -> dict[int, int]:
        """How often the term stands in each chunk that holds it; the clause does not count."""
        return Counter(chunk for (chunk,) in self._connection.execute("SELECT doc FROM occurrence WHERE term = ?", (term,)))

    def lengths(self, chunks: AbstractSet[int]) -> Mapping[int, int]:
        """The number of terms of each chunk, and of others."""
        known = self._known.lengths
        if not known.keys() >= chunks:
            if len(known) > _LENGTHS:
                known.clear()
            missing = _list([chunk for chunk in chunks if chunk not in known])
            known.update(self._connection.execute(f"SELECT chunk, length FROM entry WHERE chunk IN ({missing})"))
        return known

    def admitted(self, chunks: Sequence[int]) -> list[int]:
        """Those that fit the clause, in the order given."""
        if not self._clause:
            return list(chunks)
        if self._members is None:
            self._members = set(self._by_facet(_MEMBERS) or ())
        fitting = self._members or set(self._checked(chunks))
        return [chunk for chunk in chunks if chunk in fitting]

    def neighbours(self, chunks: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The parts of the same segment just before and after each chunk, where it has any; none for a part of a pair,
        which carries its question itself. The clause does not count.
        Chunks of a cutting have consecutive rows, and the first part of the next segment is part 0."""
        query = (
            "SELECT e.chunk, n.chunk FROM entry e JOIN entry n ON n.chunk IN (e.chunk - 1, e.chunk + 1) AND n.cutting = e.cutting"
            f" AND n.part_index - e.part_index = n.chunk - e.chunk WHERE e.part_count > 1 AND e.chunk_kind <> 'pair'"
            f" AND e.chunk IN ({_list(chunks)})"
        )
        found: dict[int, tuple[int, ...]] = {}
        for chunk, other in self._connection.execute(query):
            found[chunk] = (*found.get(chunk, ()), other)
        return found

    def profiles(self, chunks: Sequence[int], terms: AbstractSet[str]) -> Iterator[tuple[int, int, dict[str, int]]]:
        """(chunk, number of its terms, how often it holds each of `terms` that it holds)."""
        query = "SELECT a.chunk, e.length, a.terms FROM analysed a JOIN entry e ON e.chunk = a.chunk WHERE a.chunk IN"
        for chunk, length, held in self._connection.execute(f"{query} ({_list(chunks)})"):
            words = held.split()
            # A Chinese question has up to 150 terms, of which a chunk holds a few.
            yield chunk, length, {term: words.count(term) for term in terms & set(words)}

    def statements(self, chunks: Sequence[int]) -> Iterator[tuple[int, list[list[str]]]]:
        """(chunk, the terms of each of its statements)."""
        for chunk, held in self._connection.execute(f"SELECT chunk, terms FROM analysed WHERE chunk IN ({_list(chunks)})"):
            yield chunk, [line.split() for line in held.split("\n")]

    def places(self, chunks: Sequence[int]) -> dict[int, tuple[int, str, str, str, int]]:
        """What orders chunks of equal score: those with pages first, since their citations say more; then document, strategy,
        options and position, the same in every library."""
        query = (
            "SELECT k.id, e.first_page IS NULL, d.document_id, c.strategy, c.options_hash, k.position FROM chunk k"
            " JOIN entry e ON e.chunk = k.id JOIN cutting c ON c.id = k.cutting JOIN reading r ON r.id = c.reading"
            f" JOIN document d ON d.id = r.document WHERE k.id IN ({_list(chunks)})"
        )
        return {row[0]: row[1:] for row in self._connection.execute(query)}


def _list(chunks: Sequence[int]) -> str:
    """Row ids, which are whole numbers of our own; bound one by one they would hit SQLite's limit of variables."""
    return ",".join(map(str, map(int, chunks)))
