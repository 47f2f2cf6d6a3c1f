"""BM25 and coverage with a plan: the rarer terms find the candidates, all terms score them.

BM25 is Lucene's: idf · tf / (tf + k1 · (1 - b + b · length / mean length)), idf = ln(1 + (N - n + ½) / (n + ½)), after
Robertson and Zaragoza (2009), plus a share of the same for the parts of the segment before and after the chunk. Coverage
asks how much of the question a chunk holds at all, and how much of it one of its statements. N, n and the mean are those of
the whole library, so that a chunk has one score, whatever plan or filter found it.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, Protocol

# The usual values; FTS5 has the same built in.
K1 = 1.2
B = 0.75

# Postings that are read, rarest term first, before the candidates are taken; 1.3 µs each at 100,000 chunks. Measured by
# `bench/search_latency.py`, see docs/decisions/0004-library.md: of 120 questions of scattered words over 100,572 chunks, the ten
# best are .962 of those of 40,000 postings with 6,000, .955 with 10,000, .941 with 4,000.
BUDGET = 6_000
# Candidates that are scored by all terms: 17 µs each.
DEPTH = 200
# What the parts of a segment beside a chunk add to its score, and the number of candidates whose neighbours are looked at.
# A part often leaves out the subject that the part before it names. Measured by `bench/quality.py` at 200 tokens: R@5 rises
# from .955 to .961 (XQuAD vi), .972 to .975 (zh), .752 to .792 (chunking_evaluation); .2 to .3 are alike.
NEIGHBOUR = 0.3
POOL = 50
# What coverage is worth: a question's terms weigh T together, those that a chunk holds c, and those of its best statement s;
# the chunk gains COVERAGE · (c² + s²) / T. BM25 alone puts a chunk with one term five times before one that answers in a
# sentence. Chosen on eight question sets, see docs/decisions/0012-first-hits.md; 0.5 to 1 are alike.
COVERAGE = 0.75
# Two chunks are one text where they share so much of their terms: the line ends of a text file part pairs of Han characters,
# which the PDF of the same paper has (.995 shared, scores half a per cent apart).
ALIKE = 0.9
CLOSE = 0.02
# What likeness is worth: for each standard deviation that a chunk is liker than the mean, this share of what a question's terms
# weigh together. Chosen on six question sets, see docs/decisions/0012-first-hits.md; .1 to .2 are alike.
LIKENESS = 0.15
# Chunks most like the question that are scored beside those that hold its terms.
NEAREST = 100
# A filter that leaves so few chunks is answered by scoring all of them.
FEW = 1_000
# Candidates that are put to a filter at a time, and chunks whose statements are read at a time.
_BATCH = 500
_STATED = 20
# Hits beyond the last one that is asked for, among which its twin in another file may be.
_BESIDE = 4


class TermIndex(Protocol):
    """What the ranking asks of an index; `pecia.storing.postings` says what each call gives."""

    def size(self) -> tuple[int, int]: ...
    def frequency(self, term: str) -> int: ...
    def few(self, limit: int) -> list[int] | None: ...
    def counts(self, term: str) -> Mapping[int, int]: ...
    def lengths(self, chunks: AbstractSet[int]) -> Mapping[int, int]: ...
    def admitted(self, chunks: Sequence[int]) -> list[int]: ...
    def neighbours(self, chunks: Sequence[int]) -> dict[int, tuple[int, ...]]: ...
    def profiles(self, chunks: Sequence[int], terms: AbstractSet[str]) -> Iterator[tuple[int, int, dict[str, int]]]: ...
    def statements(self, chunks: Sequence[int]) -> Iterator[tuple[int, list[list[str]]]]: ...
    def places(self, chunks: Sequence[int]) -> Mapping[int, tuple[int, str, str, str, int]]: ...


class Likeness(Protocol):
    """How like the question chunks are in meaning; `pecia.retrieving.dense` says what each call gives."""

    def deviations(self, chunks: Sequence[int]) -> list[float]: ...
    def nearest(self, index: Any, k: int) -> Ranking: ...


@dataclass(frozen=True, slots=True)
class Ranking:
    """Chunks and scores, best first. `complete` is True where every chunk that holds a term was looked at."""

    rows: tuple[tuple[int, float], ...]
    complete: bool


def idf(chunks: int, frequency: int) -> float:
    return math.log1p((chunks - frequency + 0.5) / (frequency + 0.5))


def saturation(frequency: int, length: int, mean: float) -> float:
    """What a term that stands `frequency` times in a passage of `length` terms is worth, from 0 to 1."""
    return frequency / (frequency + K1 * (1 - B + B * length / mean)) if frequency else 0.0


def best(
    index: TermIndex,
    terms: Mapping[str, float],
    k: int,
    *,
    likeness: Likeness | None = None,
    budget: int = BUDGET,
    exhaustive: bool = False,
) -> Ranking:
    """The k best chunks that hold at least one of the terms, which come with their weights in the question; equal scores in
    the order of document and position. With `likeness` also those that are most like the question in meaning.

    `budget` is how many postings are read before the candidates are taken; `exhaustive` looks at every chunk that holds any
    term: the yardstick for the plan.
    """
    chunks, total = index.size()
    held = {term: n for term in terms if (n := index.frequency(term))}
    if not held and not likeness:
        return Ranking((), complete=True)
    weights = {term: terms[term] * idf(chunks, n) for term, n in held.items()}
    scorer = _Scorer(index, weights, total / chunks, likeness)
    if (few := index.few(FEW)) is not None:
        return Ranking(scorer.top(few, k, pool=len(few)), complete=not likeness)
    near = [chunk for chunk, _ in likeness.nearest(index, max(NEAREST, k)).rows] if likeness else []
    depth = chunks if exhaustive else max(DEPTH, 4 * k)
    pool = chunks if exhaustive else max(POOL, 2 * k)
    rare = deque(sorted(held, key=lambda term: (held[term], term)))
    partial: dict[int, float] = {}
    flat, slope = K1 * (1 - B), K1 * B / scorer.mean
    if exhaustive:
        budget = chunks * len(rare)
    while True:
        spent = 0
        while rare and (not spent or spent + held[rare[0]] <= budget):
            term = rare.popleft()
            spent += held[term]
            weight = weights[term]
            counts = index.counts(term)
            lengths = index.lengths(counts.keys())
            for chunk, n in counts.items():  # `saturation`, without a call for each of 10,000
                partial[chunk] = partial.get(chunk, 0.0) + weight * n / (n + flat + slope * lengths[chunk])
        found, more = _candidates(index, partial, depth)
        rows = scorer.top(list(dict.fromkeys((*found, *near))), k, pool=pool)
        if len(rows) == k or not rare:
            return Ranking(rows, complete=not (rare or more or scorer.more or likeness))
        budget = chunks * len(held)  # a filter leaves little of the rare terms: now all of them


def _candidates(index: TermIndex, partial: Mapping[int, float], depth: int) -> tuple[list[int], bool]:
    """Up to `depth` chunks that the index admits, best first, and whether there are more."""
    order: list[int] = []
    found: list[int] = []
    size = depth + 1
    while len(found) <= depth and len(order) < len(partial):
        # Most often the first few are enough, and sorting all of them costs 10 ms at 30,000.
        least = heapq.nlargest(size, partial.values())[-1]
        best_first = sorted((-part, chunk) for chunk, part in partial.items() if part >= least)
        before, order = len(order), [chunk for _, chunk in best_first[:size]]
        for at in range(before, len(order), _BATCH):
            if len(found) <= depth:
                found += index.admitted(order[at : at + _BATCH])
        size = len(partial) if size > depth + 1 else 8 * size
    return found[:depth], len(found) > depth


class _Own(NamedTuple):
    """What is said of a chunk by itself: BM25, the weight of the terms that it holds, what its likeness is worth."""

    bm25: float
    held: float
    like: float


@dataclass(slots=True)
class _Scorer:
    """Scores chunks. `more`: some that were found had no place in the pool."""

    index: TermIndex
    weights: Mapping[str, float]
    mean: float
    likeness: Likeness | None = None
    more: bool = False
    all: float = field(init=False)  # what the terms weigh together

    def __post_init__(self) -> None:
        self.all = math.fsum(self.weights.values())

    def own(self, chunks: Sequence[int]) -> dict[int, _Own]:
        """Only those that hold a term; all of them where likeness counts."""
        weights, scored = self.weights, {}
        like = dict(zip(chunks, self.likeness.deviations(chunks), strict=True)) if self.likeness else {}
        scale = LIKENESS * (self.all or 1.0)
        for chunk, length, counts in self.index.profiles(chunks, weights.keys()):
            if counts or self.likeness:
                held = [weights[term] for term in counts]
                parts = [weight * saturation(n, length, self.mean) for weight, n in zip(held, counts.values(), strict=True)]
                scored[chunk] = _Own(math.fsum(parts), math.fsum(held), scale * like.get(chunk, 0.0))
        return scored

    def top(self, found: Sequence[int], k: int, *, pool: int) -> tuple[tuple[int, float], ...]:
        """The k best of the found chunks and of the neighbours of the `pool` best of them, each with what its neighbours
        add to its own score."""
        own = self.own(found)
        alone = {chunk: item.bm25 + self.worth(item.held) + item.like for chunk, item in own.items()}
        kept = heapq.nlargest(pool, alone, key=lambda chunk: (alone[chunk], -chunk))
        self.more = len(kept) < len(alone)
        beside = self.index.neighbours(kept)
        near = sorted({chunk for pair in beside.values() for chunk in pair} - own.keys())
        own |= self.own(near)
        # A neighbour that nothing found by itself may be the answer: the subject stands beside it.
        around = {chunk for pair in beside.values() for chunk in pair}
        more = self.index.admitted(sorted(own.keys() & around - set(kept)))
        beside |= self.index.neighbours(more)
        own |= self.own(sorted({chunk for pair in beside.values() for chunk in pair} - own.keys()))
        whole = {chunk: self._whole(own, beside.get(chunk, ()), chunk) for chunk in (*kept, *more)}
        scored = self._stated(whole, own, k + _BESIDE)
        places = self.index.places([chunk for _, chunk in scored])
        scored.sort(key=lambda item: (-item[0], places[item[1]]))
        without = {chunk for chunk, (pageless, *_) in places.items() if pageless}
        if without and len(without) < len(scored):
            self._put_pages_first(scored, without)
        return tuple((chunk, score) for score, chunk in scored[:k])

    def _put_pages_first(self, scored: list[tuple[float, int]], without: set[int]) -> None:
        """Where one text stands in two files, as PDF and as plain text, and their scores are close, the chunk that has pages
        changes places with the one that has none, since its citation says more. Scores stay as they are."""
        held = {chunk: Counter(chain.from_iterable(lines)) for chunk, lines in self.index.statements([c for _, c in scored])}
        for at, (score, chunk) in enumerate(scored):
            if chunk not in without:
                continue
            for other, (lower, twin) in enumerate(scored[at + 1 :], at + 1):
                if lower < (1 - CLOSE) * score:
                    break
                shared = 2 * (held[chunk] & held[twin]).total() / (held[chunk].total() + held[twin].total())
                if twin not in without and shared >= ALIKE:
                    scored[at], scored[other] = scored[other], scored[at]
                    break

    def _whole(self, own: Mapping[int, _Own], beside: Sequence[int], chunk: int) -> float:
        around = sum(own[other].bm25 for other in beside if other in own)
        return own[chunk].bm25 + NEIGHBOUR * around + self.worth(own[chunk].held) + own[chunk].like

    def _stated(self, whole: Mapping[int, float], own: Mapping[int, _Own], k: int) -> list[tuple[float, int]]:
        """Scores with what the best statement of each adds, best first: the k best and all that equal the last of them.
        Statements are read only while one may still belong to these, since none holds more than its chunk."""
        bounds = sorted(((score + self.worth(own[chunk].held), chunk) for chunk, score in whole.items()), reverse=True)
        scored: list[tuple[float, int]] = []
        while bounds and (len(scored) < k or bounds[0][0] >= scored[k - 1][0]):
            batch = [chunk for _, chunk in bounds[:_STATED]]
            del bounds[:_STATED]
            for chunk, statements in self.index.statements(batch):
                held = (self.weights.keys() & terms for terms in statements)
                stated = max((math.fsum(map(self.weights.__getitem__, found)) for found in held), default=0.0)
                scored.append((whole[chunk] + self.worth(stated), chunk))
            scored.sort(reverse=True)
        return [item for item in scored if item[0] >= scored[min(k, len(scored)) - 1][0]]

    def worth(self, weight: float) -> float:
        """What holding terms of that weight adds to a score."""
        return COVERAGE * weight**2 / self.all if weight else 0.0
