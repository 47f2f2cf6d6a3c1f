"""What the document page shows at once: one page with the chunks on it, or a stretch of a source that has no pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pecia import plugins
from pecia.library import Library
from pecia.model import Box, Chunk, Document, PageBox, Span, XPath, described
from pecia.server.marking import Part, parts
from pecia.showing.colours import COLOURS, Colouring
from pecia.showing.layout import regions_of
from pecia.storing.cuttings import Entry
from pecia.storing.filters import UNFILTERABLE

STRETCH = 30  # chunks of a source without pages that stand on one sheet
LONGEST_VALUE = 160  # characters of an attribute's value that are shown
_TITLE = 110


@dataclass(frozen=True, slots=True)
class Shown:
    """A chunk as the page shows it. `number` counts from 1 in the document; `regions` outline its lines on this page,
    `lines` are their boxes; `title` says what it is, as its strategy declares it."""

    chunk: Chunk
    number: int
    regions: tuple[Box, ...]
    lines: tuple[Box, ...]
    title: str
    body: tuple[Part, ...]
    attributes: tuple[tuple[str, str, str], ...]
    findings: tuple[Mapping[str, Any], ...]

    @property
    def colour(self) -> int:
        return (self.number - 1) % COLOURS

    @property
    def has_table(self) -> bool:
        return bool(self.chunk.attributes.get("has_table")) or any(item["kind"] == "table" for item in self.chunk.attachments)

    @property
    def has_formula(self) -> bool:
        return any(item["kind"] == "formula" for item in self.chunk.attachments)

    @property
    def place(self) -> str:
        """Lines, rows or paragraphs of a source without pages."""
        return place_of(self.chunk)


@dataclass(frozen=True, slots=True)
class Passage:
    """A block of a source without pages: where it stands, what it is, and its text in runs with the number of their chunk,
    0 where none holds them."""

    place: str
    kind: str
    runs: tuple[tuple[str, int], ...]


def shown(position: int, chunk: Chunk, findings: Sequence[Mapping[str, Any]], page: int | None = None) -> Shown:
    """A chunk for the list; with its boxes on `page`, counted from 0."""
    boxes = tuple(place.bbox for place in chunk.locators if isinstance(place, PageBox) and place.page == page)
    return Shown(
        chunk,
        position + 1,
        regions_of(boxes),
        boxes,
        title_of(chunk),
        tuple(parts(chunk.source_text)),
        tuple(_attributes(chunk)),
        tuple(item for item in findings if item["chunk_id"] == chunk.chunk_id),
    )


def title_of(chunk: Chunk) -> str:
    """The question of a pair with its number, else the innermost heading, else the first words."""
    question = chunk.attributes.get("question_text")
    if isinstance(question, str) and question.strip():
        number = chunk.attributes.get("question_id")
        return f"Q: {number} — {_short(question)}" if number else f"Q: {_short(question)}"
    if chunk.headings:
        return " › ".join(chunk.headings[-2:])
    return _short(chunk.source_text)


def place_of(chunk: Chunk) -> str:
    paths = [place.xpath for place in chunk.locators if isinstance(place, XPath)]
    return paths[0] if paths else described(chunk.locators)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[:_TITLE].rstrip()}…"


def _attributes(chunk: Chunk) -> list[tuple[str, str, str]]:
    """(name, value, meaning) of what the strategy declares and a line can show."""
    meanings = {item.name: item for item in plugins.attributes()}
    found = []
    for name, value in chunk.attributes.items():
        declared = meanings.get(name)
        if declared is None or name in UNFILTERABLE or declared.type == "object[]" or value in (None, "", [], False):
            continue
        shown = " › ".join(map(str, value)) if isinstance(value, list) else "✓" if value is True else str(value)
        if len(shown) <= LONGEST_VALUE:
            found.append((name, shown, declared.meaning))
    return found


def passages(library: Library, entry: Entry, chunks: Sequence[Shown]) -> list[Passage]:
    """The source that these chunks stand in, block by block."""
    if not chunks:
        return []
    span = Span(chunks[0].chunk.span.start, max(item.chunk.span.end for item in chunks))
    document = library.document(entry.document_id, text_hash=entry.text_hash, near=span)
    colouring = Colouring([item.chunk for item in chunks])
    found, at = list[Passage](), span.start
    for block in document.blocks_of(span):
        inner = Span(max(at, block.span.start), min(span.end, block.span.end))
        if inner.start >= inner.end:
            continue
        if Span(at, inner.start).trimmed(document.text):
            found.append(_passage(document, Span(at, inner.start), "section", colouring, chunks))
        found.append(_passage(document, inner, block.kind.value, colouring, chunks))
        at = inner.end
    if at < span.end and Span(at, span.end).trimmed(document.text):
        found.append(_passage(document, Span(at, span.end), "section", colouring, chunks))
    return found


def _passage(document: Document, span: Span, kind: str, colouring: Colouring, chunks: Sequence[Shown]) -> Passage:
    places = document.locate(span).locators
    place = next((at.xpath for at in places if isinstance(at, XPath)), "") or described(places)
    runs = [
        (piece.span.of(document.text), chunks[piece.chunks[-1]].number if piece.chunks else 0) for piece in colouring.pieces(span)
    ]
    return Passage(place, kind, tuple(runs))
