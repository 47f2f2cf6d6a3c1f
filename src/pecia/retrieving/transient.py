"""Ranking without a library: the chunks are indexed in memory and forgotten."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pecia.model import Chunk, ChunkKind
from pecia.retrieving.bm25 import K1, NEIGHBOUR, B, idf, saturation
from pecia.text.analysis import query_weights, terms


def rank(chunks: Sequence[Chunk], query: str, k: int) -> list[tuple[Chunk, float]]:
    """The k best chunks that hold a term of the query, with the scores that a library of just these chunks would give.

    Quarantined ones stand after all others; equal scores put those with pages first, then keep the order of
    document, strategy and position given.
    """
    import bm25s

    wanted = query_weights(query)
    analysed = [terms(chunk.text) for chunk in chunks]
    total = sum(map(len, analysed))
    if not total:
        return []
    index = bm25s.BM25(k1=K1, b=B, method="lucene")
    index.index(analysed, create_empty_token=False, show_progress=False)
    known = [term for term in wanted if term in index.vocab_dict]
    if not known:
        return []
    rough = index.get_scores(known)
    frequencies = {term: sum(term in held for held in map(set, analysed)) for term in known}
    weights = {term: wanted[term] * idf(len(chunks), n) for term, n in frequencies.items()}
    mean = total / len(chunks)
    own = {i: _score(analysed[i], weights, mean) for i in range(len(chunks)) if rough[i] > 0}
    whole = {i: score + NEIGHBOUR * sum(own.get(j, 0.0) for j in _neighbours(chunks, i)) for i, score in own.items()}

    def place(i: int) -> tuple[bool, float, bool, str, int]:
        chunk = chunks[i]
        return chunk.has_quarantined_content, -whole[i], chunk.page_range is None, chunk.document_id, i

    order = sorted(whole, key=place)
    return [(chunks[i], whole[i]) for i in order[:k]]


def _neighbours(chunks: Sequence[Chunk], at: int) -> Iterator[int]:
    """The parts of the same segment just before and after a chunk; none for a part of a pair, which carries its question."""
    chunk = chunks[at]
    if chunk.chunk_kind is ChunkKind.PAIR:
        return
    for other in (at - 1, at + 1):
        if 0 <= other < len(chunks):
            beside = chunks[other]
            same = (beside.document_id, beside.strategy, beside.segment_id) == (
                chunk.document_id,
                chunk.strategy,
                chunk.segment_id,
            )
            if same and beside.part_index - chunk.part_index == other - at:
                yield other


def _score(held: Sequence[str], weights: dict[str, float], mean: float) -> float:
    counts = {term: held.count(term) for term in weights}
    return math.fsum(weights[term] * saturation(n, len(held), mean) for term, n in counts.items() if n)
