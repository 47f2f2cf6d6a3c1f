"""What the page shows, as data: sheets with numbered parts of blocks, their text in runs, their boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pecia.model import Block, Box, Chunk, Document, Furniture, Page, PageBox, Span, Table, XPath, described
from pecia.showing.colours import COLOURS, Colouring, Piece

MOST_BLOCKS = 5_000  # of a format without pages; a browser lays these out in about a second


@dataclass(frozen=True, slots=True)
class Head:
    """The line above the first text of a chunk on a sheet; `continued` where it began on an earlier one."""

    number: int
    chunk: Chunk
    continued: bool

    @property
    def colour(self) -> int:
        return self.number % COLOURS


@dataclass(frozen=True, slots=True)
class Run:
    """Text with the numbers of the chunks that hold it and the heads of those that begin here; `boxes` are its lines.
    `out` says why it is in no chunk, and is empty where nothing was asked about chunks."""

    text: str
    chunks: tuple[int, ...]
    heads: tuple[Head, ...]
    out: str
    language: str
    boxes: tuple[Box, ...]

    @property
    def colours(self) -> tuple[int, ...]:
        """At most two: a ground, and a line under it where chunks overlap."""
        return tuple(number % COLOURS for number in self.chunks[:2])


@dataclass(frozen=True, slots=True)
class Part:
    """What of one block stands on a sheet; `gap` is the white space behind it.

    `number` counts the blocks of the document from 1 in reading order, and is 0 for text between blocks. `regions` are
    the outlines: several where it runs over columns. `goes_on` is the number of the block that continues it.
    """

    number: int
    block: Block | None
    runs: tuple[Run, ...]
    gap: str = ""
    place: str = ""
    regions: tuple[Box, ...] = ()
    table: Table | None = None
    goes_on: int = 0
    begun: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page, or the text of a format without pages (`page` is None then)."""

    page: Page | None
    parts: tuple[Part, ...]
    furniture: tuple[tuple[Furniture, tuple[Box, ...]], ...]

    @property
    def outlines(self) -> tuple[Box, ...]:
        """Every box that is drawn with a label."""
        return tuple(box for part in self.parts for box in part.regions) + tuple(
            box for _, boxes in self.furniture for box in boxes
        )


def sheets_of(document: Document, pages: Sequence[int], colouring: Colouring | None = None) -> Iterator[Sheet]:
    """The pages of these indexes; of a format without pages one sheet, with at most `MOST_BLOCKS` blocks."""
    numbers = {block.id: number for number, block in enumerate(document.blocks, 1)}
    if document.pages:
        for page in (document.pages[index] for index in pages):
            yield _Layout(document, numbers, colouring, page.span, page).sheet()
        return
    blocks = document.blocks
    end = blocks[MOST_BLOCKS].span.start if len(blocks) > MOST_BLOCKS else len(document.text)
    yield _Layout(document, numbers, colouring, Span(0, end), None).sheet()


class _Layout:
    """One sheet in the making: it knows which chunks were named on it already."""

    def __init__(
        self, document: Document, numbers: dict[str, int], colouring: Colouring | None, span: Span, page: Page | None
    ) -> None:
        self._document, self._numbers, self._colouring = document, numbers, colouring
        self._span, self._page = span, page
        self._named: set[int] = set()

    def sheet(self) -> Sheet:
        found = ((item, self._boxes(item.locators)) for item in self._document.furniture)
        furniture = tuple((item, boxes) for item, boxes in found if boxes or not self._page)
        return Sheet(self._page, tuple(self._parts()), furniture)

    def _parts(self) -> Iterator[Part]:
        """In reading order; runs and gaps, put together, are the text of the sheet."""
        blocks = self._document.blocks_of(self._span)
        at = self._span.start
        for place, block in enumerate(blocks):
            inner = Span(max(self._span.start, block.span.start), min(self._span.end, block.span.end))
            if at < inner.start:  # before the first block, or behind visible text that no block holds
                yield self._loose(Span(at, inner.start))
            after = blocks[place + 1].span.start if place + 1 < len(blocks) else self._span.end
            between = Span(inner.end, max(inner.end, after))
            blank = not between.trimmed(self._document.text)
            yield self._part(block, inner, between.of(self._document.text) if blank else "")
            at = between.end if blank else between.start
        if at < self._span.end:
            yield self._loose(Span(at, self._span.end))

    def _loose(self, span: Span) -> Part:
        """Text that no block holds; white space alone is a part without runs."""
        if span.trimmed(self._document.text):
            return Part(0, None, tuple(self._runs(span, None)))
        return Part(0, None, (), span.of(self._document.text))

    def _part(self, block: Block, span: Span, gap: str) -> Part:
        places = self._document.locate(span).locators
        tables = self._document.tables_of(span)
        shown = tables or self._document.figures_of(span)
        boxes = self._boxes(places)
        regions = regions_of(boxes)
        if shown and boxes:
            regions = (Box.around(boxes + self._boxes(shown[0].locators)),)
        place = next((at.xpath for at in places if isinstance(at, XPath)), "") or described(places)
        return Part(
            number=self._numbers[block.id],
            block=block,
            runs=tuple(self._runs(span, block)),
            gap=gap,
            place="" if self._page else place,
            regions=regions,
            table=tables[0] if tables else None,
            goes_on=self._numbers.get(block.continues_on or "", 0),
            begun=block.span.start < span.start,
        )

    def _runs(self, span: Span, block: Block | None) -> Iterator[Run]:
        text = self._document.text
        for piece in self._colouring.pieces(span) if self._colouring else (Piece(span, ()),):
            inked = bool(piece.span.trimmed(text))
            yield Run(
                piece.span.of(text),
                piece.chunks,
                tuple(self._heads(piece)) if inked else (),
                self._why_out(piece) if inked else "",
                self._language(piece),
                self._boxes(block.locate(piece.span)) if block and piece.chunks else (),
            )

    def _heads(self, piece: Piece) -> Iterator[Head]:
        for number in piece.chunks:
            if self._colouring and number not in self._named:
                self._named.add(number)
                chunk = self._colouring.chunks[number]
                yield Head(number, chunk, chunk.span.trimmed(self._document.text).start < self._span.start)

    def _why_out(self, piece: Piece) -> str:
        if not self._colouring or piece.chunks:
            return ""
        reason = self._colouring.reason(piece.span)
        return f"left out: {reason}" if reason else "in no chunk"

    def _language(self, piece: Piece) -> str:
        """The language that a strategy found; empty, which in HTML says "unknown", where none did."""
        if not self._colouring or not piece.chunks:
            return ""
        found = self._colouring.chunks[piece.chunks[0]].attributes.get("language")
        return found if isinstance(found, str) else ""

    def _boxes(self, locators: Iterable[object]) -> tuple[Box, ...]:
        page = self._page
        return tuple(at.bbox for at in locators if page and isinstance(at, PageBox) and at.page == page.index)


def regions_of(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """Outlines of lines in reading order: a new one where a line stands wholly above the one before it and wholly
    beside the outline, as at the top of the next column."""
    regions: list[Box] = []
    for at, box in enumerate(boxes):
        if at and not (box.y1 <= boxes[at - 1].y0 and (box.x0 >= regions[-1].x1 or box.x1 <= regions[-1].x0)):
            regions[-1] = Box.around((regions[-1], box))
        else:
            regions.append(box)
    return tuple(regions)
