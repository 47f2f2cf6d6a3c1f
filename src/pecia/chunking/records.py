"""Pieces to chunks: identity, provenance and counts of the record, the same for every strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pecia.chunking.limits import SizeOptions, options_hash
from pecia.chunking.packer import Piece, context_text
from pecia.model import Chunk, ChunkKind, Document, Location, PageBox, Segment, Span, Table, chunk_ids


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
        document = self.document
        identify = chunk_ids(document.id, self.strategy, self._identity, segment.id, kind)
        for number, piece in enumerate(pieces):
            text = piece.text
            if text is None:
                text = piece.span.of(document.text)
                text = context_text(piece.labels) + text if piece.labels else text
            yield self._chunk(
                identify(piece.span), segment, piece.span, document.locate(piece.span), piece.labels, text, piece.tokens, kind,
                headings(piece) if headings else segment.headings, attributes(piece) if attributes else {}, number, len(pieces),
            )  # fmt: skip

    def whole(
        self,
        segment: Segment,
        place: Location,
        text: str,
        tokens: int,
        kind: ChunkKind,
        headings: tuple[str, ...],
        attributes: Mapping[str, Any],
    ) -> Chunk:
        """The one chunk of a segment that is not cut, with a text of its own; `place` is where the segment is located. For
        tables of a million rows: it takes half as long as a call with one piece."""
        identity = chunk_ids(self.document.id, self.strategy, self._identity, segment.id, kind)(segment.span)
        return self._chunk(
            identity, segment, segment.span, place, (), text, tokens, kind, headings, attributes, 0, 1
        )  # fmt: skip

    def _chunk(
        self,
        identity: str,
        segment: Segment,
        span: Span,
        place: Location,
        labels: tuple[str, ...],
        text: str,
        tokens: int,
        kind: ChunkKind,
        headings: tuple[str, ...],
        attributes: Mapping[str, Any],
        number: int,
        count: int,
    ) -> Chunk:
        document, options = self.document, self.options
        tables = document.tables_of(span) if document.tables else ()
        # By position, in the order of the class: 27 names given by keyword take 3 of 10 microseconds a chunk.
        return Chunk(
            identity,
            document.id,
            document.source.name,
            document.text_hash,
            self.strategy,
            self.strategy,  # what was asked for: the pipeline knows where this one stands in for another
            kind,
            segment.id,
            headings,
            text,
            span.of(document.text),
            labels,
            span,
            place.page_range,
            place.printed_range,
            place.locators,
            number,
            count,
            tokens,
            options.tokenizer,
            options.max_tokens,
            options.overlap_tokens,
            tokens > options.max_tokens,
            tuple(item for table in tables for item in attachments(document, table, span)) if tables else (),
            any(table.quarantined for table in tables) if tables else False,
            None,
            attributes,
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
