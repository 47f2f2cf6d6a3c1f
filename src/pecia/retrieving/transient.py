"""Ranking without a library: the chunks are indexed in memory and forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pecia.model import Chunk, ChunkKind
from pecia.retrieving.bm25 import Likeness, best
from pecia.text.analysis import query_weights
from pecia.text.statements import statement_terms


class _Index:
    """What the ranking asks of an index, over chunks that go by their place in a list; `fitting` may be found."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._statements = [statement_terms(chunk.text) for chunk in chunks]
        self._counts = [Counter(term for held in found for term in held) for found in self._statements]
        self._lengths = [count.total() for count in self._counts]
        self._frequencies = Counter(term for count in self._counts for term in count)
        self.fitting: list[int] = []

    def size(self) -> tuple[int, int]:
        return len(self._chunks), sum(self._lengths)

    def frequency(self, term: str) -> int:
        return self._frequencies[term]

    def few(self, limit: int) -> list[int]:
        """All that fits, however many: they are in memory."""
        return self.fitting

    def counts(self, term: str) -> dict[int, int]:
        return {chunk: count[term] for chunk, count in enumerate(self._counts) if count[term]}

    def lengths(self, chunks: AbstractSet[int]) -> Mapping[int, int]:
        return dict(enumerate(self._lengths))

    def admitted(self, chunks: Sequence[int]) -> list[int]:
        fitting = set(self.fitting)
        return [chunk for chunk in chunks if chunk in fitting]

    def neighbours(self, chunks: Sequence[int]) -> dict[int, tuple[int, ...]]:
        beside = {chunk: tuple(self._beside(chunk)) for chunk in chunks}
        return {chunk: others for chunk, others in beside.items() if others}

    def _beside(self, at: int) -> Iterator[int]:
        """The parts of the same segment just before and after a chunk; none for a part of a pair, which carries its question."""
        chunk = self._chunks[at]
        if chunk.chunk_kind is ChunkKind.PAIR:
            return
        for other in (at - 1, at + 1):
            if 0 <= other < len(self._chunks):
                beside = self._chunks[other]
                same = (beside.document_id, beside.strategy, beside.segment_id) == (
                    chunk.document_id,
                    chunk.strategy,
                    chunk.segment_id,
                )
                if same and beside.part_index - chunk.part_index == other - at:
                    yield other

    def profiles(self, chunks: Sequence[int], terms: AbstractSet[str]) -> Iterator[tuple[int, int, dict[str, int]]]:
        for chunk in chunks:
            held = self._counts[chunk]
            yield chunk, self._lengths[chunk], {term: held[term] for term in terms & held.keys()}

    def statements(self, chunks: Sequence[int]) -> Iterator[tuple[int, list[list[str]]]]:
        return ((chunk, self._statements[chunk]) for chunk in chunks)

    def places(self, chunks: Sequence[int]) -> dict[int, tuple[int, str, str, str, int]]:
        held = {chunk: self._chunks[chunk] for chunk in chunks}
        return {at: (chunk.page_range is None, chunk.document_id, "", "", at) for at, chunk in held.items()}


def rank(
    chunks: Sequence[Chunk],
    query: str,
    k: int,
    fits: Callable[[Chunk], bool] = lambda _: True,
    *,
    likeness: Likeness | None = None,
    alone: bool = False,
) -> list[tuple[Chunk, float]]:
    """The k best chunks that hold a term of the query and fit, with the scores that a library of just these chunks would give.

    Quarantined ones stand after all others; equal scores put those with pages first, then keep the order of
    document, strategy and position given. With `likeness`, whose rows go by the place of a chunk in the list, vectors count
    too, and they `alone` where that is asked for.
    """
    index, weights = _Index(chunks), query_weights(query)
    fitting = [at for at, chunk in enumerate(chunks) if fits(chunk)]
    found: list[tuple[int, float]] = []
    for quarantined in (False, True):
        index.fitting = [at for at in fitting if chunks[at].has_quarantined_content is quarantined]
        if len(found) < k:
            left = k - len(found)
            ranking = likeness.nearest(index, left) if likeness and alone else best(index, weights, left, likeness=likeness)
            found += ranking.rows
    return [(chunks[at], score) for at, score in found]
