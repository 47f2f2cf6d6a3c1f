"""Likeness of meaning: every chunk's vector against the question's, without an index that could miss one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pecia.retrieving.bm25 import Ranking

# Chunks that are put to a filter at a time; four times as many each time that too few of them fit.
_BATCH = 500


class Admits(Protocol):
    """What is asked of an index: which chunks fit its filter."""

    def admitted(self, chunks: Sequence[int]) -> list[int]: ...


class Likeness:
    """How like a question each chunk is: the cosine of the window of it that is most like. `chunks` rise, one for each row
    of `vectors`; a chunk with several windows has several rows."""

    def __init__(
        self, chunks: npt.NDArray[np.int64], vectors: npt.NDArray[np.float32], question: npt.NDArray[np.float32]
    ) -> None:
        cosines = vectors @ question
        starts = np.flatnonzero(np.diff(chunks, prepend=-1))
        self._chunks = chunks[starts]
        self._cosines = cosines if len(starts) == len(chunks) else np.maximum.reduceat(cosines, starts)
        # Cosines of one model lie between .7 and .9, of another between 0 and .6; what counts is how far one stands out.
        self._middle, self._spread = float(self._cosines.mean()), float(self._cosines.std()) or 1.0

    def deviations(self, chunks: Sequence[int]) -> list[float]:
        """By how many standard deviations each chunk is liker than the mean of the library; 0 for one without a vector."""
        wanted = np.asarray(chunks, np.int64)
        at = np.minimum(np.searchsorted(self._chunks, wanted), len(self._chunks) - 1)
        found = (self._cosines[at] - self._middle) / self._spread
        return [float(value) for value in np.where(self._chunks[at] == wanted, found, 0.0)]

    def nearest(self, index: Admits, k: int) -> Ranking:
        """The k chunks that the index admits and whose vectors are nearest, with their cosines."""
        found: list[int] = []
        seen, size = 0, max(_BATCH, 2 * k)
        while len(found) < k and seen < len(self._chunks):
            size = min(size, len(self._chunks))
            first = np.argpartition(-self._cosines, size - 1)[:size]
            order = first[np.lexsort((self._chunks[first], -self._cosines[first]))]
            found += index.admitted([int(chunk) for chunk in self._chunks[order[seen:]]])
            seen, size = size, 4 * size
        cosines = self._cosines[np.searchsorted(self._chunks, np.asarray(found[:k], np.int64))]
        return Ranking(tuple(zip(found[:k], map(float, cosines), strict=True)), complete=True)
