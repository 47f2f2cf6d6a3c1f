"""BM25 with a plan: the rarer terms find the candidates, all terms score them.

The formula is Lucene's: idf · tf / (tf + k1 · (1 - b + b · length / mean length)), idf = ln(1 + (N - n + ½) / (n + ½)),
after Robertson and Zaragoza (2009). N, n and the mean are those of the whole library, so that a chunk has one score,
whatever plan or filter found it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

# The usual values; FTS5 has the same built in, and the proof that a result is complete leans on that.
K1 = 1.2
B = 0.75

# Postings read in each attempt; the last one has no limit. `bench/search_latency.py` at 100,000 chunks: 5,000 take 5 ms,
# 30,000 take 22 ms, and all terms of a question 23 ms (median) to 71 ms (95 of 100).
BUDGETS = (5_000, 30_000)
# Candidates scored in an attempt: 17 µs each.
DEPTH = 100
# A filter that leaves so few chunks is answered by scoring all of them.
FEW = 400


class TermIndex(Protocol):
    """What the ranking asks of an index; `pecia.storing.postings` says what each call gives."""

    def size(self) -> tuple[int, int]: ...
    def frequency(self, term: str) -> int: ...
    def few(self, limit: int) -> list[int] | None: ...
    def holding(self, weights: Mapping[str, float], limit: int) -> tuple[list[int], float]: ...
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


def best(index: TermIndex, terms: Sequence[str], k: int, *, exhaustive: bool = False) -> Ranking:
    """The k best chunks that hold at least one of the terms; equal scores in the order of document and position.

    `exhaustive` looks at every chunk that holds any term: the yardstick for the plan.
    """
    chunks, total = index.size()
    held = {term: n for term in terms if (n := index.frequency(term))}
    if not held:
        return Ranking((), proven=True)
    weights = {term: idf(chunks, n) for term, n in held.items()}
    mean = total / chunks
    if (few := index.few(FEW)) is not None:
        return Ranking(_top(index, few, weights, mean, k), proven=True)
    if exhaustive:
        return Ranking(_top(index, index.holding(weights, chunks)[0], weights, mean, k), proven=True)
    rare = sorted(held, key=lambda term: (held[term], term))
    depth = max(DEPTH, 4 * k)
    rows: tuple[tuple[int, float], ...] = ()
    before = 0
    for budget in (*BUDGETS, None):
        taken = len(rare) if budget is None else _within(rare, held, budget)
        if taken == before:
            continue
        before = taken
        found, floor = index.holding({term: weights[term] for term in rare[:taken]}, depth)
        rows = _top(index, found, weights, mean, k)
        # A chunk that was not looked at has at most the floor from these terms and less than the idf of each other one.
        ceiling = floor + sum(weights[term] for term in rare[taken:])
        complete = taken == len(rare) and len(found) < depth
        if complete or (len(rows) == k and rows[-1][1] > ceiling):
            return Ranking(rows, proven=True)
        if budget == BUDGETS[-1] and len(rows) == k:
            break
    return Ranking(rows, proven=False)


def _within(rare: Sequence[str], held: Mapping[str, int], budget: int) -> int:
    """How many of the terms, rarest first, have at most `budget` postings together; at least one."""
    taken = sum_ = 0
    for term in rare:
        sum_ += held[term]
        if taken and sum_ > budget:
            break
        taken += 1
    return taken


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
