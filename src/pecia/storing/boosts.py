"""Ranking with boosts: what fits them counts more, and nothing is lost by it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from pecia.model import Chunk
from pecia.storing.filters import Condition, fits

Rows = Sequence[tuple[int, float]]


def boosted(
    rank: Callable[[tuple[Condition, ...], int], Rows],
    boosts: Sequence[tuple[tuple[Condition, ...], float]],
    k: int,
) -> list[tuple[int, float]]:
    """The k best rows after boosting. `rank` gives the k best of those that fit conditions, with scores that do not depend on
    the conditions.

    The k best among what fits a set of boosts are asked for, for each set. That is all that can be among the k best of all: a
    row that fits just that set has at most k - 1 others before it, since what else fits the set counts at least as much. So n
    boosts cost 2^n rankings, and a boosted row is found however low it stands without its boost.
    """
    if not boosts:  # equal texts may stand out of the order of their scores
        return list(rank((), k))
    best: dict[int, float] = {}
    for size in range(len(boosts) + 1):
        for chosen in combinations(boosts, size):
            factor = math.prod(factor for _, factor in chosen)
            for row, score in rank(tuple(item for wanted, _ in chosen for item in wanted), k):
                best[row] = max(score * factor, best.get(row, 0.0))
    return heapq.nlargest(k, best.items(), key=lambda item: item[1])


def weighed(
    ranked: Iterable[tuple[Chunk, float]], boosts: Sequence[tuple[Sequence[Condition], float]]
) -> list[tuple[Chunk, float]]:
    """All chunks that were found, by their scores after boosting; those with quarantined content after all others."""
    rows = [(chunk, score * math.prod(factor for what, factor in boosts if fits(chunk, what))) for chunk, score in ranked]
    return sorted(rows, key=lambda item: (item[0].has_quarantined_content, -item[1]))
