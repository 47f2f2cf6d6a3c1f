"""Which chunks each character stands in, and chunk records proven to be of the document that is shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pecia.errors import SpanError, UsageError
from pecia.model import Chunk, Document, Segment, Span

COLOURS = 8  # a cycle of calm colours: neighbours differ, and eight are told apart more easily than thirty


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text in which no chunk begins or ends; `chunks` are the numbers of those that hold it, in order."""

    span: Span
    chunks: tuple[int, ...]


def proven(document: Document, chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """The chunks, sorted by place. UsageError for one of another document, of another reading of this one, or whose
    source text does not stand at its place."""
    held = sorted(chunks, key=lambda chunk: (chunk.span.start, chunk.part_index, -chunk.span.end))
    for chunk in held:
        name = f"chunk {chunk.chunk_id} of {chunk.source_name}"
        if chunk.document_id != document.id:
            raise UsageError(f"{name} is of another document than {document.source.name}, or of another edition of it")
        if chunk.text_hash != document.text_hash:
            raise UsageError(
                f"{name} is stale: it was cut from a text {chunk.text_hash}, and the file now reads as {document.text_hash}; "
                "cut it again"
            )
        if not _stands(document, chunk):
            raise UsageError(f"{name}: its source text does not stand at {chunk.span.start}..{chunk.span.end}")
    return tuple(held)


def _stands(document: Document, chunk: Chunk) -> bool:
    try:
        return chunk.span.of(document.text) == chunk.source_text
    except SpanError:
        return False


class Colouring:
    """The pieces of a text by the chunks that hold them; the text may be asked for in any order."""

    def __init__(self, chunks: Sequence[Chunk], left_out: Sequence[Segment] = ()) -> None:
        self.chunks = chunks
        self._left_out = [(segment.span, segment.left_out_reason) for segment in left_out if segment.left_out_reason]
        edges: dict[int, tuple[list[int], list[int]]] = {0: ([], [])}
        for number, chunk in enumerate(chunks):
            edges.setdefault(chunk.span.start, ([], []))[0].append(number)
            edges.setdefault(chunk.span.end, ([], []))[1].append(number)
        self._starts, self._held = sorted(edges), list[tuple[int, ...]]()
        held: set[int] = set()
        for offset in self._starts:
            begins, ends = edges[offset]
            held = (held | set(begins)) - set(ends)
            self._held.append(tuple(sorted(held)))

    def pieces(self, span: Span) -> Iterator[Piece]:
        """The pieces of a span in order; put together they are the span."""
        at, start = bisect_right(self._starts, span.start) - 1, span.start
        while start < span.end:
            after = self._starts[at + 1] if at + 1 < len(self._starts) else span.end
            end = min(span.end, after)
            yield Piece(Span(start, end), self._held[at])
            start, at = end, at + 1

    def reason(self, span: Span) -> str:
        """Why a span is in no chunk, where the strategy said so."""
        return next((reason.value for out, reason in self._left_out if reason and out.overlaps(span)), "")
