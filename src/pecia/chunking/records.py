"""Pieces to chunks: identity, provenance and counts of the record, the same for every strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pecia.chunking.limits import SizeOptions, options_hash
from pecia.chunking.packer import Piece, context_text
from pecia.model import Chunk, ChunkKind, Document, PageBox, Segment, Span, Table, chunk_ids


class Recorder:
    """Makes the chunks of one document under one strategy."""

    def __init__(self, document: Document, strategy: str, options: SizeOptions) -> None:
        self.document, self.strategy, self.options = document, strategy, options
        self._identity = options_hash(strategy, options)

    def __call__(
        self,
        segment: Segment,
        pieces: Iterable[Piece],
        *,
        kind: ChunkKind = ChunkKind.PROSE,
        headings: Callable[[Piece], tuple[str, ...]] | None = None,
        attributes: Callable[[Piece], Mapping[str, Any]] | None = None,
    ) -> Iterator[Chunk]:
        """One chunk for each piece of a segment, numbered as its parts; `headings` are the segment's where not given."""
        pieces = list(pieces)
        document, options = self.document, self.options
        identify = chunk_ids(document.id, self.strategy, self._identity, segment.id, kind)
        for number, piece in enumerate(pieces):
            span, labels = piece.span, piece.labels
            place = document.locate(span)
            source_text = span.of(document.text)
            text = piece.text
            if text is None:
                text = context_text(labels) + source_text if labels else source_text
            tables = document.tables_of(span)
            # By position, in the order of the class: 27 names given by keyword take 3 of 10 microseconds a chunk.
            yield Chunk(
                identify(span),
                document.id,
                document.source.name,
                document.text_hash,
                self.strategy,
                self.strategy,  # what was asked for: the pipeline knows where this one stands in for another
                kind,
                segment.id,
                headings(piece) if headings else segment.headings,
                text,
                source_text,
                labels,
                span,
                place.page_range,
                place.printed_range,
                place.locators,
                number,
                len(pieces),
                piece.tokens,
                options.tokenizer,
                options.max_tokens,
                options.overlap_tokens,
                piece.tokens > options.max_tokens,
                tuple(item for table in tables for item in attachments(document, table, span)) if tables else (),
                any(table.quarantined for table in tables) if tables else False,
                None,
                attributes(piece) if attributes else {},
            )


def attachments(document: Document, table: Table, span: Span) -> Iterator[Mapping[str, Any]]:
    """One entry for each page region of a table; one without a region where the format has no pages."""
    regions: list[PageBox | None] = [place for place in table.locators if isinstance(place, PageBox)]
    for region in regions or [None]:
        yield {
            "block_id": table.id,
            "kind": "table",
            "physical_page": region.page if region else None,
            "bbox": region.bbox.to_list() if region else None,
            "printed_page": document.pages[region.page].label if region else None,
            "quarantined": table.quarantined,
        }
