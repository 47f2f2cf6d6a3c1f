"""Chunks that are in no library: the best of them for a query, and what is understood of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pecia import plugins
from pecia.citing.cite import cite
from pecia.errors import CitationError
from pecia.model import Chunk, Citation, Document, Hit, Query
from pecia.protocols import Understanding
from pecia.retrieving.transient import rank as rank_chunks
from pecia.storing.filters import Condition, Where, conditions, matches
from pecia.storing.holdings import ChunkHoldings
from pecia.understanding import understood, with_understood


def rank(
    chunks: Iterable[Chunk], documents: Document | Iterable[Document], query: str, *, k: int = 10, where: Where | None = None
) -> list[Hit]:
    """The k best of the chunks for a query, ranked in memory; the citations are compared with the documents.

    The same errors as `Library.search`; CitationError also for a chunk of a document that is not given. Scores are those
    of a library that holds just these chunks.
    """
    asked = Query(query, k, where or ())
    texts = {item.id: item for item in ([documents] if isinstance(documents, Document) else documents)}
    held = list(chunks)
    asked = with_understood(asked, understand(held, query))
    wanted = conditions(where, plugins.attributes())
    boosts = [(conditions(boost.where, plugins.attributes()), boost.factor) for boost in asked.boosts]
    ranked = rank_chunks(held, asked.text, len(held) if boosts else k, lambda chunk: _fits(chunk, wanted))
    if boosts:
        ranked = [(chunk, score * math.prod(factor for what, factor in boosts if _fits(chunk, what))) for chunk, score in ranked]
        ranked.sort(key=lambda item: (item[0].has_quarantined_content, -item[1]))
        ranked = ranked[:k]
    return [Hit(chunk, score, number, "bm25", _cite(chunk, texts)) for number, (chunk, score) in enumerate(ranked, 1)]


def understand(chunks: Sequence[Chunk], query: str) -> Understanding:
    """What the strategies that cut the chunks take a question for; `rank` boosts what fits it."""
    cut_by = sorted({chunk.requested_strategy for chunk in chunks})
    return understood(query, ChunkHoldings(chunks), [(name, {}) for name in cut_by])


def _fits(chunk: Chunk, wanted: Sequence[Condition]) -> bool:
    return all(matches(item, chunk.to_record()) for item in wanted)


def _cite(chunk: Chunk, documents: Mapping[str, Document]) -> Citation:
    document = documents.get(chunk.document_id)
    if document is None:
        raise CitationError(f"chunk {chunk.chunk_id} is of document {chunk.document_id:.12}, which was not given")
    return cite(chunk, document.source.uri, document.text, document.text_hash)
