"""A chunk to its citation, proven against the stored text each time."""

from __future__ import annotations

from collections.abc import Callable

from pecia.errors import CitationError, SpanError
from pecia.model import Chunk, Citation, Location, Span


def cite(
    chunk: Chunk,
    uri: str,
    text: str,
    text_hash: str,
    *,
    span: Span | None = None,
    locate: Callable[[Span], Location] | None = None,
) -> Citation:
    """The citation of a chunk, or of a `span` of the document inside it, which `locate` finds the place of.

    `text` is the stored text of the document and `text_hash` its hash, computed from it. The quote is the source text
    without white space around it. CitationError where the text is not the one that the chunk was cut from, or the
    chunk's source text does not stand at its place.
    """
    if text_hash != chunk.text_hash:
        raise CitationError(
            f"chunk {chunk.chunk_id} was cut from a text {chunk.text_hash} of {chunk.source_name}; the stored one is {text_hash}"
        )
    if not _stands(chunk.source_text, chunk.span, text):
        raise CitationError(
            f"chunk {chunk.chunk_id}: its text does not stand at {chunk.span.start}..{chunk.span.end} of {chunk.source_name}"
        )
    pages, printed, regions, quoted = chunk.page_range, chunk.printed_range, chunk.locators, chunk.source_text
    if span is not None and locate is not None:
        if not chunk.span.contains(span):
            raise CitationError(f"{span.start}..{span.end} is not inside chunk {chunk.chunk_id}")
        place = locate(span)
        pages, printed, regions, quoted = place.page_range, place.printed_range, place.locators, span.of(text)
    return Citation(
        uri=f"{uri.partition('#')[0]}#page={pages[0] + 1}" if pages else uri,
        source_name=chunk.source_name,
        headings=chunk.headings,
        pages=pages,
        printed=printed,
        regions=regions,
        quote=quoted.strip(),
        quarantined=chunk.has_quarantined_content,
    )


def find(chunk: Chunk, quote: str, *, start: int = 0) -> Span:
    """Where a quote stands inside the chunk: the first place at or behind the offset `start` of the document.

    CitationError where it is blank or does not stand there to the letter.
    """
    if not quote.strip():
        raise CitationError("the quote is blank")
    at = chunk.source_text.find(quote, max(0, start - chunk.span.start))
    if at < 0:
        raise CitationError(f"{quote!r:.80} does not stand in chunk {chunk.chunk_id} from {max(start, chunk.span.start)} on")
    return Span(chunk.span.start + at, chunk.span.start + at + len(quote))


def _stands(source_text: str, span: Span, text: str) -> bool:
    try:
        return span.of(text) == source_text
    except SpanError:
        return False
