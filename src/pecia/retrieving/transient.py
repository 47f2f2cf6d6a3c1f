"""Ranking without a library: the chunks are indexed in memory and forgotten."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pecia.model import Chunk
from pecia.retrieving.bm25 import K1, B, idf, saturation
from pecia.text.analysis import query_terms, terms

# bm25s computes in 32 bits; what comes this close to the last place is scored again in 64.
_NEAR = 1e-3


def rank(chunks: Sequence[Chunk], query: str, k: int) -> list[tuple[Chunk, float]]:
    """The k best chunks that hold a term of the query, with the scores that a library of just these chunks would give.

    Quarantined ones stand after all others; equal scores keep the order of document, strategy and position given.
    """
    import bm25s

    wanted = query_terms(query)
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
    weights = {term: idf(len(chunks), n) for term, n in frequencies.items()}
    mean = total / len(chunks)
    found: list[tuple[int, float]] = []
    for quarantined in (False, True):
        among = [i for i, chunk in enumerate(chunks) if chunk.has_quarantined_content is quarantined and rough[i] > 0]
        among.sort(key=lambda i: -rough[i])
        least = rough[among[k - 1]] - _NEAR if len(among) > k else 0.0
        scored = [(i, _score(analysed[i], weights, mean)) for i in among if rough[i] >= least]
        found += sorted(scored, key=lambda item: (-item[1], chunks[item[0]].document_id, item[0]))
    return [(chunks[i], score) for i, score in found[:k]]


def _score(held: Sequence[str], weights: dict[str, float], mean: float) -> float:
    counts = {term: held.count(term) for term in weights}
    return math.fsum(weights[term] * saturation(n, len(held), mean) for term, n in counts.items() if n)
