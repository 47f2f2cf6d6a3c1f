"""The parsed document: one immutable text, and everything else as spans over it."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any, TypeVar

from pecia.errors import InvariantError
from pecia.model.alignment import Alignment
from pecia.model.figure import Figure
from pecia.model.finding import Finding
from pecia.model.lines import Line, Lines
from pecia.model.locators import Box, Cell, LineRange, Locator, Pointer, XPath
from pecia.model.rows import Rows
from pecia.model.span import Span
from pecia.model.table import Table


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from. `sha256` is the hash of the exact bytes; `tier` is how far the source is trusted."""

    uri: str
    name: str
    media_type: str
    sha256: str
    tier: str | None = None

    def __post_init__(self) -> None:
        if len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise InvariantError(f"{self.sha256!r} is not a SHA-256 in hexadecimal")

    def to_json(self) -> dict[str, Any]:
        return {"uri": self.uri, "name": self.name, "media_type": self.media_type, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Page:
    """A physical page. `index` counts from 0, `number` is one more, `label` is what is printed, or None."""

    index: int
    label: str | None
    width: float
    height: float
    span: Span
    images: tuple[Box, ...] = ()
    screenshot: str | None = None

    @property
    def number(self) -> int:
        return self.index + 1

    def to_json(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "label": self.label,
            "width": self.width,
            "height": self.height,
            "start": self.span.start,
            "end": self.span.end,
        }


Spanned = TypeVar("Spanned", "Page", "Block", Table, Figure)


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    FIGURE = "figure"
    CAPTION = "caption"
    FORMULA = "formula"
    CODE = "code"
    FOOTNOTE = "footnote"
    QUOTE = "quote"
    MESSAGE = "message"
    ROW = "row"
    ENTITY = "entity"
    SECTION = "section"


OCR_FONT = "ocr"  # of lines that an engine read from a picture


@dataclass(frozen=True, slots=True)
class Coded:
    """An element of the source that bears a code of what it is, as the sections of a drug label do; `place` tells it from
    another one with the same code."""

    code: str
    place: str


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table… in reading order. `continues_on` is the id of the block that goes on after an
    interruption; `lines` lets a span be mapped to line boxes; `places` are the locators of formats without pages; `within` are
    the coded elements around it, outermost first. Lines of the file in `places` are those of the whole block:
    `Document.locate` narrows them to a span."""

    id: str
    kind: BlockKind
    span: Span
    level: int | None = None
    continues_on: str | None = None
    lines: Sequence[Line] = ()
    places: tuple[Locator, ...] = ()
    within: tuple[Coded, ...] = ()

    def __post_init__(self) -> None:
        lines = self.lines
        bounds = lines.bounds() if isinstance(lines, Lines) else [(line.span.start, line.span.end) for line in lines]
        if any(start < self.span.start or end > self.span.end for start, end in bounds):
            raise InvariantError(f"block {self.id}: a line leaves it")
        if any(before[1] > after[0] for before, after in pairwise(bounds)):
            raise InvariantError(f"block {self.id}: lines overlap or stand in the wrong order")

    def locate(self, span: Span) -> Iterator[Locator]:
        """The line boxes of the block that `span` touches, else the block's own places."""
        if not self.lines:
            yield from self.places
            return
        first = bisect_right(self.lines, span.start, key=lambda line: line.span.end)
        for line in map(self.lines.__getitem__, range(first, len(self.lines))):
            if line.span.start >= span.end:
                return
            if box := line.box_of(span):
                yield box


@dataclass(frozen=True, slots=True)
class Furniture:
    """What stands on a page or in a file but is not running text: heads, feet, folios. Citable, never in a chunk.
    `size` is the number of source characters (visible glyphs in a PDF) that it accounts for."""

    id: str
    kind: str
    text: str
    locators: tuple[Locator, ...]
    size: int

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "text": self.text,
            "locators": [locator.to_json() for locator in self.locators],
        }


@dataclass(frozen=True, slots=True)
class Dropped:
    """Source characters that are neither in the text nor in furniture, with the reason."""

    reason: str
    size: int


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where the characters of the source went. `total` comes from a count that is independent of the parsing."""

    total: int
    body: int
    cells: int
    furniture: int
    dropped: tuple[Dropped, ...]

    @property
    def missing(self) -> int:
        """Characters that nothing accounts for; negative where more was accounted for than there is."""
        return self.total - self.body - self.cells - self.furniture - sum(item.size for item in self.dropped)


@dataclass(frozen=True, slots=True)
class Location:
    """Where a span stands in the source: pages it touches, and boxes or other places no wider than it."""

    pages: tuple[Page, ...]
    locators: tuple[Locator, ...]

    @property
    def page_range(self) -> tuple[int, int] | None:
        """First and last physical page, counted from 0."""
        return (self.pages[0].index, self.pages[-1].index) if self.pages else None

    @property
    def printed_range(self) -> tuple[int | str, int | str] | None:
        """First and last folio as printed: a number where it is one; None where either page has none printed."""
        if not self.pages or self.pages[0].label is None or self.pages[-1].label is None:
            return None
        return folio(self.pages[0].label), folio(self.pages[-1].label)


def folio(label: str) -> int | str:
    """The number that a label is, or the label itself; "007" is not the number 7."""
    return int(label) if label.isascii() and label.isdigit() and str(int(label)) == label else label


def text_hash(text: str) -> str:
    """First 16 hex digits of the SHA-256 of the text: two that differ were parsed differently."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Document:
    """`id` is the SHA-256 of the source bytes, plus `#` and a JSON pointer for a member of a container.

    `pages` is empty where a format has none. `source_size` is the independent count of source characters that
    `ledger` balances against. `line_starts` are the offsets at which lines of a text file begin, where the text is not line for
    line that of the file; else empty. Raises InvariantError where pages leave a gap or blocks leave the text or their order.
    """

    id: str
    source: Source
    text: str
    pages: tuple[Page, ...] = ()
    blocks: Sequence[Block] = ()
    furniture: tuple[Furniture, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    alignment: Alignment = field(default_factory=Alignment, repr=False)
    source_size: int = 0
    dropped: tuple[Dropped, ...] = ()
    findings: tuple[Finding, ...] = ()
    line_starts: array[int] = field(default_factory=lambda: array("Q"), repr=False)
    text_hash: str = field(init=False)
    _counted: list[tuple[int, int]] = field(default_factory=lambda: [(0, 1)], init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.id.startswith(self.source.sha256):
            raise InvariantError(f"document id {self.id!r} does not begin with the hash of its source")
        try:
            object.__setattr__(self, "text_hash", text_hash(self.text))
        except UnicodeEncodeError as error:
            raise InvariantError(f"text holds a lone surrogate at {error.start}") from error
        end = 0
        for index, page in enumerate(self.pages):
            if page.index != index or page.span.start != end:
                raise InvariantError(f"page {page.index} at {page.span.start} leaves a gap after {end}")
            end = page.span.end
        if self.pages and end != len(self.text):
            raise InvariantError(f"pages end at {end}, the text at {len(self.text)}")
        held: Sequence[Block] = () if isinstance(self.blocks, Rows) else self.blocks  # which have seen to it themselves
        for items in ([(item.id, item.span) for item in part] for part in (held, self.tables, self.figures)):
            for (before, one), (after, two) in pairwise(items):
                if one.end > two.start:
                    raise InvariantError(f"{before} and {after} overlap or stand in the wrong order")
        if max((items[-1].span.end for items in (self.blocks, self.tables, self.figures) if items), default=0) > len(self.text):
            raise InvariantError("a block, table or figure ends after the text")

    def pages_of(self, span: Span) -> tuple[Page, ...]:
        """The pages that the visible characters of `span` stand on."""
        span = span.trimmed(self.text)
        if not self.pages or not span:
            return ()
        return tuple(page for page in _touching(self.pages, span) if page.span)

    def blocks_of(self, span: Span) -> tuple[Block, ...]:
        """The blocks that share a character with `span`."""
        if isinstance(self.blocks, Rows):
            found = self.blocks.touching(span)
            return self.blocks[found.start : found.stop]
        return _touching(self.blocks, span)

    def locate(self, span: Span) -> Location:
        """Pages, and the line boxes (or other places) that the span really touches."""
        span = span.trimmed(self.text)
        if span.start == span.end:
            return Location((), ())
        if isinstance(self.blocks, Rows):
            return Location((), (*map(Cell, self.blocks.touching(span)), self.lines_of(span)))
        if not self.pages and not self._has_places():
            return Location((), (self.lines_of(span),))
        found = dict.fromkeys(
            self._narrowed(place, block, span) for block in self.blocks_of(span) for place in block.locate(span)
        )
        if any(isinstance(place, Cell) for place in found):
            found[self.lines_of(span)] = None
        return Location(self.pages_of(span), tuple(found))

    def _narrowed(self, place: Locator, block: Block, span: Span) -> Locator:
        """A place of a block with the lines of the part of it that `span` covers, where these are the lines of the text: those
        of an element of HTML are not."""
        if not isinstance(place, LineRange | Pointer) or place.line_start is None:
            return place
        if any(isinstance(other, XPath) for other in block.places):
            return place
        part = Span(max(block.span.start, span.start), min(block.span.end, span.end)).trimmed(self.text)
        lines = self.lines_of(part) if part else self.lines_of(block.span.trimmed(self.text))
        return replace(place, line_start=lines.line_start, line_end=lines.line_end)

    def _has_places(self) -> bool:
        """False for text files, whose places are lines; a format has places on its blocks or it has not."""
        return bool(self.blocks) and bool(self.blocks[0].places)

    def lines_of(self, span: Span) -> LineRange:
        """The lines of the file, counted from 1, that a span without white space at its ends stands on; without `line_starts`
        they are counted from the place last asked about."""
        start, last, text = span.start, span.end - 1, self.text
        if self.line_starts:
            return LineRange(*(bisect_right(self.line_starts, self._source_of(offset)) for offset in (start, last)))
        at, line = self._counted[0]
        line += text.count("\n", at, start) if start >= at else -text.count("\n", start, at)
        end = line + text.count("\n", start, last)
        self._counted[0] = last, end
        return LineRange(line, end)

    def _source_of(self, offset: int) -> int:
        """Where the character at an offset stands in the source; for one that was added, where the next one of its line does,
        else the last one before."""
        way = self.alignment
        at = bisect_right(way.starts, offset) - 1
        if at >= 0 and offset < way.ends[at]:
            return way.to_source(Span(offset, offset + 1))[0].start
        if at + 1 < len(way.starts) and "\n" not in self.text[offset : way.starts[at + 1]]:
            return way.source_starts[at + 1]
        return max(0, way.source_ends[at] - 1) if at >= 0 else 0

    def tables_of(self, span: Span) -> tuple[Table, ...]:
        """The tables that share a character with `span`."""
        return _touching(self.tables, span)

    def figures_of(self, span: Span) -> tuple[Figure, ...]:
        """The figures that have a label in `span`."""
        return tuple(item for item in _touching(self.figures, span) if item.span.intersect(span))

    def ledger(self) -> Ledger:
        """The account of the source: visible characters in the body, in cells and in furniture, or dropped."""
        body = cells = 0
        for start, end, source_size in self._counted_runs():
            run, whole = Span(start, end), end - start != source_size
            size = visible(run.of(self.text))
            size = source_size if whole and size else size
            held = [table.span.intersect(run) for table in self.tables_of(run)] if self.tables else []
            in_cells = size if whole and held else sum(visible(part.of(self.text)) for part in held if part)
            body, cells = body + size - in_cells, cells + in_cells
        return Ledger(self.source_size, body, cells, sum(item.size for item in self.furniture), self.dropped)

    def _counted_runs(self) -> Iterator[tuple[int, int, int]]:
        """(start, end, size in the source) of runs; those that stand as in the source are put together over line ends, which
        may be of two characters there: a file has as many as lines."""
        first = last = 0
        for start, end, source_start, source_end in self.alignment.runs():
            if end - start != source_end - source_start and not self.text[start:end].isspace():
                yield start, end, source_end - source_start
            elif start == last:
                last = end
            else:
                yield first, last, last - first
                first, last = start, end
        yield first, last, last - first

    def to_json(self) -> dict[str, Any]:
        """The object that `pecia parse` writes (DESIGN §4)."""
        return {
            "id": self.id,
            "source": self.source.to_json(),
            "text": self.text,
            "text_hash": self.text_hash,
            "pages": [page.to_json() for page in self.pages],
            "blocks": [self._block_json(block) for block in self.blocks],
            "furniture": [item.to_json() for item in self.furniture],
            "tables": [table.to_json() for table in self.tables],
            "figures": [figure.to_json() for figure in self.figures],
            "findings": [finding.to_json() for finding in self.findings],
        }

    def _block_json(self, block: Block) -> dict[str, Any]:
        return {
            "id": block.id,
            "kind": block.kind.value,
            "start": block.span.start,
            "end": block.span.end,
            "level": block.level,
            "locators": [place.to_json() for place in self.locate(block.span).locators],
            "continues_on": block.continues_on,
        }


def _touching(items: Sequence[Spanned], span: Span) -> tuple[Spanned, ...]:
    """The items that share a character with `span`, of items in rising order that do not overlap."""
    if not items:
        return ()
    first = bisect_right(items, span.start, key=lambda item: item.span.end)
    return tuple(items[first : bisect_left(items, span.end, key=lambda item: item.span.start)])


# Characters whose words are parted at once: `str.split` counts ten times as fast as a look at each character, and the words of a
# file of 100 MB would take a gigabyte.
_COUNTED = 1 << 16


def visible(text: str) -> int:
    """Number of characters that are not white space."""
    return sum(sum(map(len, text[at : at + _COUNTED].split())) for at in range(0, len(text), _COUNTED))
