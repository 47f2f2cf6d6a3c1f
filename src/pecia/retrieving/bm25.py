"""BM25 with a plan: the rarer terms find the candidates, all terms score them.

The formula is Lucene's: idf · tf / (tf + k1 · (1 - b + b · length / mean length)), idf = ln(1 + (N - n + ½) / (n + ½)),
after Robertson and Zaragoza (2009), plus a share of the same for the parts of the segment before and after the chunk. N, n
and the mean are those of the whole library, so that a chunk has one score, whatever plan or filter found it.
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
# What the parts of a segment beside a chunk add to its score, and the number of candidates whose neighbours are looked at.
# A part often leaves out the subject that the part before it names. Measured by `bench/quality.py` at 200 tokens: R@5 rises
# from .955 to .961 (XQuAD vi), .972 to .975 (zh), .752 to .792 (chunking_evaluation); .2 to .3 are alike.
NEIGHBOUR = 0.3
POOL = 50
# A filter that leaves so few chunks is answered by scoring all of them.
FEW = 1_000
# Candidates that are put to a filter at a time.
_BATCH = 500


class TermIndex(Protocol):
    """What the ranking asks of an index; `pecia.storing.postings` says what each call gives."""

    @property
    def filtered(self) -> bool: ...
    def size(self) -> tuple[int, int]: ...
    def frequency(self, term: str) -> int: ...
    def few(self, limit: int) -> list[int] | None: ...
    def saturations(self, term: str) -> Iterator[tuple[int, float]]: ...
    def admitted(self, chunks: Sequence[int]) -> list[int]: ...
    def neighbours(self, chunks: Sequence[int]) -> dict[int, tuple[int, ...]]: ...
    def profiles(self, chunks: Sequence[int], terms: Sequence[str]) -> Iterator[tuple[int, int, list[int]]]: ...
    def places(self, chunks: Sequence[int]) -> Mapping[int, tuple[int, str, str, str, int]]: ...


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


def best(index: TermIndex, terms: Mapping[str, float], k: int, *, budget: int = BUDGET, exhaustive: bool = False) -> Ranking:
    """The k best chunks that hold at least one of the terms, which come with their weights in the question; equal scores in
    the order of document and position.

    `budget` is how many postings are read before the candidates are taken; `exhaustive` looks at every chunk that holds any
    term: the yardstick for the plan.
    """
    chunks, total = index.size()
    held = {term: n for term in terms if (n := index.frequency(term))}
    if not held:
        return Ranking((), proven=True)
    weights = {term: terms[term] * idf(chunks, n) for term, n in held.items()}
    mean, total_weight = total / chunks, sum(weights.values())
    scorer = _Scorer(index, weights, mean)
    if (few := index.few(FEW)) is not None:
        return Ranking(scorer.top(few, k, pool=len(few)), proven=True)
    depth = chunks if exhaustive else max(DEPTH, 4 * k)
    pool = chunks if exhaustive else max(POOL, 2 * k)
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
        rows = scorer.top(found, k, pool=pool)
        # A chunk that is not among them has at most the floor from the terms read, and less than its idf from each other.
        unseen = max(scorer.least, floor + sum(weights[term] for term in rare) if rare or floor else 0.0)
        if unseen == 0 or (
            len(rows) == k and rows[-1][1] > unseen + 2 * NEIGHBOUR * (total_weight if index.filtered else unseen)
        ):
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


@dataclass(slots=True)
class _Scorer:
    """Scores chunks. `least`: no chunk that was found but not looked at has more by itself."""

    index: TermIndex
    weights: Mapping[str, float]
    mean: float
    least: float = 0.0

    def own(self, chunks: Sequence[int]) -> dict[int, float]:
        """What all the terms say of each chunk by itself; only those that hold one."""
        values, scored = list(self.weights.values()), {}
        for chunk, length, counts in self.index.profiles(chunks, list(self.weights)):
            if any(counts):
                parts = [w * saturation(n, length, self.mean) for w, n in zip(values, counts, strict=True) if n]
                scored[chunk] = math.fsum(parts)
        return scored

    def top(self, found: Sequence[int], k: int, *, pool: int) -> tuple[tuple[int, float], ...]:
        """The k best of the found chunks and of the neighbours of the `pool` best of them, each with what its neighbours
        add to its own score."""
        own = self.own(found)
        order = heapq.nlargest(pool + 1, own, key=lambda chunk: (own[chunk], -chunk))
        kept = order[:pool]
        self.least = own[order[pool]] if len(order) > pool else 0.0
        beside = self.index.neighbours(kept)
        near = sorted({chunk for pair in beside.values() for chunk in pair} - own.keys())
        own |= self.own(near)
        # A neighbour that nothing found by itself may be the answer: the subject stands beside it.
        around = {chunk for pair in beside.values() for chunk in pair}
        more = self.index.admitted(sorted(own.keys() & around - set(kept)))
        beside |= self.index.neighbours(more)
        own |= self.own(sorted({chunk for pair in beside.values() for chunk in pair} - own.keys()))
        scored = [(self._whole(own, beside.get(chunk, ()), chunk), chunk) for chunk in (*kept, *more)]
        scored.sort(reverse=True)
        if len(scored) > k:
            bar = scored[k - 1][0]
            scored = [item for item in scored if item[0] >= bar]
        if len({score for score, _ in scored}) < len(scored):
            places = self.index.places([chunk for _, chunk in scored])
            scored.sort(key=lambda item: (-item[0], places[item[1]]))
        return tuple((chunk, score) for score, chunk in scored[:k])

    def _whole(self, own: Mapping[int, float], beside: Sequence[int], chunk: int) -> float:
        return own[chunk] + NEIGHBOUR * sum(own.get(other, 0.0) for other in beside)
