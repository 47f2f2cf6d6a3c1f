"""Paragraphs and tables in body order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml.etree import _Element as Element

from pecia.model import BlockKind
from pecia.parsing.docx import grid
from pecia.parsing.docx.grid import Grid, Slot
from pecia.parsing.docx.inline import DELETED, REMOVED, Inline, Line
from pecia.parsing.docx.names import child, children, name
from pecia.parsing.docx.numbering import Label, Numbering
from pecia.parsing.docx.styles import Styles
from pecia.parsing.docx.traced import Traced, joined

COVERED = "in a cell that a merged one covers"
# What may stand without a paragraph around it: formulas by the schema, runs by mistake. It takes the index before it.
_LOOSE = frozenset({"m:oMathPara", "m:oMath", "w:r", "w:hyperlink", "w:fldSimple"})
_TYPED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,5})\.?\s+(?=[^\W\d_])")


@dataclass(slots=True)
class Draft:
    """A block to be. `places` are indices of body elements; `depth` is how many numbers the label of a heading has."""

    kind: BlockKind
    text: Traced
    places: tuple[int, ...]
    level: int | None = None
    depth: int = 0
    grid: Grid | None = None
    sizes: Counter[int] = field(default_factory=Counter)  # characters by their half points, of a paragraph of the body
    bold: bool = False  # all of it


def _runs(element: Element) -> Iterator[Element]:
    """The runs of a paragraph, those in links and fields too; not those in its text boxes."""
    for item in element:
        if (kind := name(item)) == "w:r":
            yield item
        elif kind != "w:txbxContent":
            yield from _runs(item)


class Reader:
    """Reads containers of paragraphs and tables. `section_ended` is called at each section break. `starts` are the pages
    on which the elements of the body began when the file was last laid out, told by the breaks that Word leaves."""

    def __init__(self, inline: Inline, styles: Styles, numbering: Numbering, section_ended: Callable[[], None]) -> None:
        self._inline, self._styles, self._numbering = inline, styles, numbering
        self._section_ended = section_ended
        self.starts: list[int] = []
        self._page = 0

    def body(self, body: Element) -> Iterator[Draft]:
        """The blocks of the document's body; each paragraph and table has its index as its place."""
        yield from self._read(body, None)

    def within(self, container: Element, places: tuple[int, ...]) -> list[Draft]:
        """The blocks of a cell, a note, a text box, a header: all of them at the same place."""
        return list(self._read(container, places))

    def _read(self, container: Element, places: tuple[int, ...] | None) -> Iterator[Draft]:
        carried: Line | None = None  # a paragraph whose mark is deleted goes on in the next one
        index = -1
        for element in self._flow(container):
            index += name(element) not in _LOOSE
            at = (max(index, 0),) if places is None else places
            if places is None:
                self._rendered(element, at[0])
            if name(element) == "w:tbl":
                if carried:
                    yield from self._paragraph(carried)
                    carried = None
                yield from self._table(element, at)
                continue
            properties = child(element, "w:pPr")
            line = self._inline.read(element, properties, at)
            if carried:
                line.text.pieces[:0] = carried.text.pieces
                line.boxes[:0] = carried.boxes
                line.displayed += carried.displayed
                line.places = tuple(dict.fromkeys((*(carried.places if carried.text else ()), *at)))
            carried = line if any(child(properties, "w:rPr", mark) is not None for mark in REMOVED) else None
            if carried is None:
                own = places is None and bool(line.text)
                for draft in self._paragraph(line):
                    if own and draft.kind is BlockKind.PARAGRAPH and draft.places == at:
                        draft.sizes, draft.bold = self._look(element, properties)
                    own = False  # what follows stands in its text boxes
                    yield draft
            if child(properties, "w:sectPr") is not None:
                self._section_ended()
        if carried and (carried.text or carried.boxes):
            yield from self._paragraph(carried)

    def _look(self, element: Element, properties: Element | None) -> tuple[Counter[int], bool]:
        """Characters of the paragraph itself by their size, and whether all are bold."""
        sizes, bold = Counter[int](), True
        for run in _runs(element):
            if count := sum(len(item.text or "") for item in children(run, "w:t") if (item.text or "").strip()):
                own = child(run, "w:rPr")
                sizes[self._styles.size(own, properties)] += count
                bold = bold and self._styles.says("w:b", own, properties)
        return sizes, bold

    def _rendered(self, element: Element, index: int) -> None:
        """Notes the page of a body element: breaks before its first visible text stand before it."""
        start = None
        for item in element.iter():
            if name(item) == "w:lastRenderedPageBreak":
                self._page += 1
            elif start is None and name(item) == "w:t" and (item.text or "").strip():
                start = self._page
        if len(self.starts) == index:  # what has no paragraph around it shares the index before it
            self.starts.append(self._page if start is None else start)

    def _flow(self, container: Element) -> Iterator[Element]:
        """Paragraphs and tables, also those in content controls and other wrappers."""
        for item in container:
            kind = name(item)
            if kind in {"w:p", "w:tbl", "a:p"} or kind in _LOOSE:
                yield item
            elif kind in REMOVED:
                self._inline.drop(item, DELETED)
            elif kind == "mc:AlternateContent":
                if (chosen := self._inline.branch(item)) is not None:
                    yield from self._flow(chosen)
            elif not kind.endswith("Pr"):
                yield from self._flow(item)

    def _paragraph(self, line: Line) -> Iterator[Draft]:
        label = self._numbering.label(line.properties)
        text = line.text.stripped()
        if text:
            kind, level = self._kind(line, text, label)
            typed = _TYPED.match(text.text)
            depth = label.depth if label and label.text else typed[1].count(".") + 1 if typed else 0
            if label and label.text:
                text.pieces.insert(0, (label.text, -1))
            yield Draft(kind, text, line.places, level, depth if kind is BlockKind.HEADING else 0)
        for box in line.boxes:
            yield from self.within(box, line.places)

    def _kind(self, line: Line, text: Traced, label: Label | None) -> tuple[BlockKind, int | None]:
        properties = line.properties
        if level := self._styles.level(properties):
            return BlockKind.HEADING, level
        if line.displayed and line.displayed == text.source_size:
            return BlockKind.FORMULA, None
        if self._styles.called(properties, "caption"):
            return BlockKind.CAPTION, None
        if label and label.listed:
            return BlockKind.LIST_ITEM, label.level + 1
        if self._styles.called(properties, "quote", "intense quote"):
            return BlockKind.QUOTE, None
        return BlockKind.PARAGRAPH, None

    def _table(self, table: Element, places: tuple[int, ...]) -> Iterator[Draft]:
        """A table, or the blocks of one that has a single cell: a frame around text, which keeps its headings."""
        rows: list[list[Slot]] = []
        headers = 0
        above: dict[int, Traced] = {}
        inside: list[list[Draft]] = []
        for row in grid.rows_of(table):
            if any(child(row, "w:trPr", mark) is not None for mark in REMOVED):
                self._inline.drop(row, DELETED)
                continue
            headers += headers == len(rows) and grid.is_header(row)
            rows.append(self._row(row, places, above, inside))
        if len(inside) == 1:
            yield from inside[0]
        elif made := grid.made(rows, headers):
            yield Draft(BlockKind.TABLE, made.pipes(), places, grid=made)

    def _row(self, row: Element, places: tuple[int, ...], above: dict[int, Traced], inside: list[list[Draft]]) -> list[Slot]:
        slots = [Slot(Traced()) for _ in range(grid.gap_before(row))]
        for cell in grid.cells_of(row):
            if child(cell, "w:tcPr", "w:cellDel") is not None:
                self._inline.drop(cell, DELETED)
                continue
            at, starts = len(slots), True
            if grid.goes_on(cell, "w:vMerge") and at in above:
                self._inline.drop(cell, COVERED)
                text = grid.repeated(above[at])
            elif grid.goes_on(cell, "w:hMerge") and slots:
                self._inline.drop(cell, COVERED)
                text, starts = grid.repeated(slots[-1].text), False
            else:
                drafts = self.within(cell, places)
                inside.append(drafts)
                text = joined([item.grid.flat() if item.grid else item.text for item in drafts], "\n")
            slots.append(Slot(text, starts, self._bold(cell)))
            slots += [Slot(grid.repeated(text)) for _ in range(min(grid.span_of(cell), grid.COLUMNS - at) - 1)]
            if child(cell, "w:tcPr", "w:vMerge") is not None:
                above[at] = text
            else:
                above.pop(at, None)
        return slots

    def _bold(self, cell: Element) -> bool:
        """True where all text of the cell is bold."""
        found = False
        for paragraph in children(cell, "w:p"):
            properties = child(paragraph, "w:pPr")
            for run in children(paragraph, "w:r"):
                if any((text.text or "").strip() for text in children(run, "w:t")):
                    if not self._styles.says("w:b", child(run, "w:rPr"), properties):
                        return False
                    found = True
        return found
