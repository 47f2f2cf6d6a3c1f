"""Where a pair may be cut: in its answer only."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from pecia.chunking.boundaries import Rank
from pecia.model import Span
from pecia.protocols import Boundaries


class AnswerBoundaries:
    """The boundaries of a document without those inside spans that stay whole: questions up to the first word of the answer,
    a follow-up up to its reply. Where such a span is over the ceiling by itself it is cut at a word."""

    def __init__(self, inner: Boundaries, whole: Sequence[Span]) -> None:
        self._inner, self._whole = inner, sorted(whole)
        self._ends = [span.end for span in self._whole]

    def _held(self, offset: int) -> bool:
        at = bisect_left(self._ends, offset)
        return at < len(self._whole) and self._whole[at].start < offset

    def _free(self, places: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        return ((offset, rank) for offset, rank in places if not self._held(offset))

    def blocks(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return self._free(self._inner.blocks(start, end))

    def sentences(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return self._free(self._inner.sentences(start, end))

    def sentences_forwards(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return self._free(self._inner.sentences_forwards(start, end))

    def weak(self, start: int, end: int, least: int = 0) -> Iterator[tuple[int, int]]:
        for offset, rank in self._inner.weak(start, end, least):
            if not self._held(offset):
                yield offset, rank
            elif least <= Rank.HELD:
                yield offset, min(rank, Rank.HELD)

    def context(self, offset: int) -> tuple[str, ...]:
        return self._inner.context(offset)
