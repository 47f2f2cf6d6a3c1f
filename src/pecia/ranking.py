"""Chunks that are in no library: the best of them for a query, and what is understood of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from pecia import plugins
from pecia.citing.cite import cite
from pecia.citing.passage import best_part
from pecia.citing.whole import SHOWN_WHOLE, each_once, is_beside, whole
from pecia.errors import CitationError
from pecia.model import Chunk, ChunkKind, Document, Hit, Query
from pecia.protocols import Understanding
from pecia.retrieving.quoted import favouring
from pecia.retrieving.transient import rank as rank_chunks
from pecia.storing.boosts import weighed
from pecia.storing.filters import Where, conditions, fits
from pecia.storing.holdings import ChunkHoldings
from pecia.understanding import understood, with_understood


def rank(
    chunks: Iterable[Chunk], documents: Document | Iterable[Document], query: str, *, k: int = 10, where: Where | None = None
) -> list[Hit]:
    """The k best of the chunks for a query, ranked in memory; the citations are compared with the documents.

    The same hits and errors as of `Library.search`; CitationError also for a chunk of a document that is not given. Scores are
    those of a library that holds just these chunks.
    """
    asked = Query(query, k, where or ())
    texts = {item.id: item for item in ([documents] if isinstance(documents, Document) else documents)}
    held = list(chunks)
    asked = with_understood(asked, understand(held, query))
    wanted = conditions(where, plugins.attributes())
    boosts = [(conditions(boost.where, plugins.attributes()), boost.factor) for boost in asked.boosts]
    own = {(chunk.chunk_id, chunk.requested_strategy): chunk for chunk in held}

    def ranked(most: int) -> list[tuple[Chunk, float]]:
        rows = rank_chunks(held, asked.text, len(held) if boosts else most, lambda chunk: fits(chunk, wanted))
        return weighed(rows, boosts) if boosts else rows

    def unit(row: tuple[Chunk, float]) -> tuple[Hashable, ...] | None:
        chunk = row[0]
        if chunk.chunk_kind not in SHOWN_WHOLE:
            return None
        shown = own.get((chunk.parent_id or "", chunk.requested_strategy), chunk)
        sizes = chunk.max_tokens, chunk.overlap_tokens, chunk.tokenizer
        return chunk.document_id, chunk.text_hash, chunk.requested_strategy, sizes, shown.segment_id

    found = enumerate(each_once(favouring(query, ranked), unit, k), 1)
    return [_hit(chunk, score, number, query, held, texts) for number, (chunk, score) in found]


def understand(chunks: Sequence[Chunk], query: str) -> Understanding:
    """What the strategies that cut the chunks take a question for; `rank` boosts what fits it."""
    cut_by = sorted({chunk.requested_strategy for chunk in chunks})
    return understood(query, ChunkHoldings(chunks), [(name, {}) for name in cut_by])


def _hit(chunk: Chunk, score: float, number: int, query: str, held: Sequence[Chunk], documents: Mapping[str, Document]) -> Hit:
    document = documents.get(chunk.document_id)
    if document is None:
        raise CitationError(f"chunk {chunk.chunk_id} is of document {chunk.document_id:.12}, which was not given")
    given = document.source.uri, document.text, document.text_hash
    if chunk.chunk_kind not in SHOWN_WHOLE:
        return Hit(chunk, score, number, "bm25", cite(chunk, *given))
    cutting = [other for other in held if is_beside(chunk, other)]
    if chunk.chunk_kind is ChunkKind.PAIR:
        chunk = best_part(chunk, [other for other in cutting if other.segment_id == chunk.segment_id], query)
    return Hit(chunk, score, number, "bm25", whole(chunk, cutting, *given))
