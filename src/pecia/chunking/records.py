"""Pieces to chunks: identity, provenance and counts of the record, the same for every strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pecia.chunking.limits import SizeOptions, options_hash
from pecia.chunking.packer import Piece, context_text
from pecia.model import Chunk, ChunkKind, Document, PageBox, Segment, Span, Table, chunk_id


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
        for number, piece in enumerate(pieces):
            place = self.document.locate(piece.span)
            source_text = piece.span.of(self.document.text)
            tables = self.document.tables_of(piece.span)
            yield Chunk(
                chunk_id=chunk_id(self.document.id, self.strategy, self._identity, segment.id, piece.span, kind),
                document_id=self.document.id,
                source_name=self.document.source.name,
                text_hash=self.document.text_hash,
                strategy=self.strategy,
                requested_strategy=self.strategy,
                chunk_kind=kind,
                segment_id=segment.id,
                headings=headings(piece) if headings else segment.headings,
                text=context_text(piece.labels) + source_text,
                source_text=source_text,
                context_labels=piece.labels,
                span=piece.span,
                page_range=place.page_range,
                printed_range=place.printed_range,
                locators=place.locators,
                part_index=number,
                part_count=len(pieces),
                est_tokens=piece.tokens,
                tokenizer=self.options.tokenizer,
                max_tokens=self.options.max_tokens,
                overlap_tokens=self.options.overlap_tokens,
                oversized=piece.tokens > self.options.max_tokens,
                attachments=tuple(item for table in tables for item in attachments(self.document, table, piece.span)),
                has_quarantined_content=any(table.quarantined for table in tables),
                attributes=attributes(piece) if attributes else {},
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
