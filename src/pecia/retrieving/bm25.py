"""BM25 with a plan: the rarer terms find the candidates, all terms score them.

The formula is Lucene's: idf · tf / (tf + k1 · (1 - b + b · length / mean length)), idf = ln(1 + (N - n + ½) / (n + ½)),
after Robertson and Zaragoza (2009). N, n and the mean are those of the whole library, so that a chunk has one score,
whatever plan or filter found it.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

# The usual values; FTS5 has the same built in, and the proof that a result is complete leans on that.
K1 = 1.2
B = 0.75

# Postings that are read, rarest term first, before the candidates are taken; 1.3 µs each at 100,000 chunks. Measured by
# `bench/search_latency.py`, see docs/decisions/0004-library.md.
BUDGET = 10_000
# Candidates that are scored by all terms: 17 µs each.
DEPTH = 200
# A filter that leaves so few chunks is answered by scoring all of them.
FEW = 1_000
# Candidates that are put to a filter at a time.
_BATCH = 500


class TermIndex(Protocol):
    """What the ranking asks of an index; `pecia.storing.postings` says what each call gives."""

    def size(self) -> tuple[int, int]: ...
    def frequency(self, term: str) -> int: ...
    def few(self, limit: int) -> list[int] | None: ...
    def saturations(self, term: str) -> Iterator[tuple[int, float]]: ...
    def admitted(self, chunks: Sequence[int]) -> list[int]: ...
    def profiles(self, chunks: Sequence[int], terms: Sequence[str]) -> Iterator[tuple[int, int, list[int]]]: ...
    def places(self, chunks: Sequence[int]) -> Mapping[int, tuple[str, str, str, int]]: ...


@dataclass(frozen=True, slots=True)
class Ranking:
    """Chunks and scores, best first. `proven` is True where no other chunk can belong among them."""

    rows: tuple[tuple[int, float], ...]
    proven: bool


def idf(chunks: int, frequency: int) -> float:
    return math.log1p((chunks - frequency + 0.5) / (frequency + 0.5))


def saturation(frequency: int, length: int, mean: float) -> float:
    """What a term that stands `frequency` times in a passage of `length` terms is worth, from 0 to 1."""
    return frequency / (frequency + K1 * (1 - B + B * length / mean)) if frequency else 0.0


def best(index: TermIndex, terms: Sequence[str], k: int, *, budget: int = BUDGET, exhaustive: bool = False) -> Ranking:
    """The k best chunks that hold at least one of the terms; equal scores in the order of document and position.

    `budget` is how many postings are read before the candidates are taken; `exhaustive` looks at every chunk that holds any
    term: the yardstick for the plan.
    """
    chunks, total = index.size()
    held = {term: n for term in terms if (n := index.frequency(term))}
    if not held:
        return Ranking((), proven=True)
    weights = {term: idf(chunks, n) for term, n in held.items()}
    mean = total / chunks
    if (few := index.few(FEW)) is not None:
        return Ranking(_top(index, few, weights, mean, k), proven=True)
    depth = chunks if exhaustive else max(DEPTH, 4 * k)
    rare = deque(sorted(held, key=lambda term: (held[term], term)))
    partial: dict[int, float] = {}
    if exhaustive:
        budget = chunks * len(rare)
    while rare:
        spent = 0
        while rare and (not spent or spent + held[rare[0]] <= budget):
            term = rare.popleft()
            spent += held[term]
            weight = weights[term]
            for chunk, part in index.saturations(term):
                partial[chunk] = partial.get(chunk, 0.0) + weight * part
        found, floor = _candidates(index, partial, depth)
        rows = _top(index, found, weights, mean, k)
        # A chunk that is not among them has at most the floor from the terms read, and less than its idf from each other.
        ceiling = floor + sum(weights[term] for term in rare)
        if (not rare and floor == 0) or (len(rows) == k and rows[-1][1] > ceiling):
            return Ranking(rows, proven=True)
        if len(rows) == k:
            break
        budget = chunks * len(held)  # a filter leaves little of the rare terms: now all of them
    return Ranking(rows, proven=False)


def _candidates(index: TermIndex, partial: Mapping[int, float], depth: int) -> tuple[list[int], float]:
    """Up to `depth` chunks that the index admits, best first, and the most that another one has; 0 where there is none."""
    order: list[int] = []
    found: list[int] = []
    size = depth + 1
    while len(found) <= depth and len(order) < len(partial):
        # Most often the first few are enough, and sorting all of them costs 10 ms at 30,000.
        before, order = len(order), heapq.nlargest(size, partial, key=lambda chunk: (partial[chunk], -chunk))
        for at in range(before, len(order), _BATCH):
            if len(found) <= depth:
                found += index.admitted(order[at : at + _BATCH])
        size = len(partial) if size > depth + 1 else 8 * size
    return found[:depth], partial[found[depth]] if len(found) > depth else 0.0


def _top(
    index: TermIndex, found: Sequence[int], weights: Mapping[str, float], mean: float, k: int
) -> tuple[tuple[int, float], ...]:
    terms = list(weights)
    values = list(weights.values())
    scored = []
    for chunk, length, counts in index.profiles(found, terms):
        if any(counts):
            parts = [w * saturation(n, length, mean) for w, n in zip(values, counts, strict=True) if n]
            scored.append((math.fsum(parts), chunk))
    scored.sort(reverse=True)
    if len(scored) > k:
        least = scored[k - 1][0]
        scored = [item for item in scored if item[0] >= least]
    if len({score for score, _ in scored}) < len(scored):
        places = index.places([chunk for _, chunk in scored])
        scored.sort(key=lambda item: (-item[0], places[item[1]]))
    return tuple((chunk, score) for score, chunk in scored[:k])
