"""Tables: a grid in which a merged cell repeats its value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml.etree import _Element as Element

from pecia.errors import LimitError
from pecia.parsing.docx.names import attribute, child, name, number, switch
from pecia.parsing.docx.traced import Traced, joined

COLUMNS = 63  # Word makes no more
COPIES = 4_000_000  # characters that merged cells of one table may repeat; beyond that it is an attack
_HEADER_CELL = 80  # characters; the longest header cell of the golden tables has 33
_NUMBER = re.compile(r"[^\w]*\d[\d\s.,:/–-]*\W*")
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?:\s*[-–/]\s*\d{2,4})?")


@dataclass(slots=True)
class Slot:
    """A field of the grid. `starts` is false where it repeats the one to its left or stands for no cell at all."""

    text: Traced
    starts: bool = False
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    rows: tuple[tuple[Slot, ...], ...]
    header_rows: int

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(unicodedata.normalize("NFC", slot.text.text) for slot in row) for row in self.rows)

    def pipes(self) -> Traced:
        """The pipe table, as `pecia.text.tables.to_markdown` writes it, with the way back."""
        width = len(self.rows[0])
        lines = [self._line(row) for row in self.rows]
        if not self.header_rows:
            lines.insert(0, self._line([Slot(Traced())] * width))
        rule = Traced()
        rule.add("|" + " --- |" * width)
        return joined([lines[0], rule, *lines[1:]], "\n")

    @staticmethod
    def _line(row: Sequence[Slot]) -> Traced:
        line = Traced()
        line.add("| ")
        line.extend(joined_cells([slot.text.folded() for slot in row]))
        line.add(" |")
        return line

    def flat(self) -> Traced:
        """For a table inside of a cell: cells parted by a point, rows by a semicolon, nothing repeated."""
        rows = [joined([slot.text for slot in row if slot.starts and slot.text], " · ") for row in self.rows]
        return joined([row for row in rows if row], "; ")


def joined_cells(cells: Sequence[Traced]) -> Traced:
    """Cells with bars between them; an empty one keeps its place."""
    made = Traced()
    for at, cell in enumerate(cells):
        if at:
            made.add(" | ")
        made.extend(cell)
    return made


def repeated(text: Traced) -> Traced:
    """The same words once more; they stand only once in the source."""
    copy = Traced()
    copy.add(text.text)
    return copy


def made(rows: Sequence[Sequence[Slot]], header_rows: int) -> Grid | None:
    """The grid of rows as long as the longest, without columns in which no cell begins; None where nothing is in it."""
    width = max((len(row) for row in rows), default=0)
    filled = [[*row, *(Slot(Traced()) for _ in range(width - len(row)))] for row in rows]
    kept = [at for at in range(width) if any(row[at].starts for row in filled)]
    if not any(slot.text for row in filled for slot in row):
        return None
    grid = tuple(tuple(row[at] for at in kept) for row in filled)
    copies = sum(len(slot.text.text) for row in grid for slot in row if not slot.starts)
    if copies > COPIES:
        raise LimitError(f"merged cells of a table repeat {copies:,} characters; the limit is {COPIES:,}")
    return Grid(grid, min(header_rows, len(grid)) or (1 if _has_header(grid) else 0))


def _has_header(rows: Sequence[Sequence[Slot]]) -> bool:
    """Short labels in every field of the first row but the first, none a number; not a form of bold labels beside
    their values."""
    first = rows[0]
    if len(rows) < 2 or len(first) < 2:
        return False
    labels = [slot.text.text.strip() for slot in first]
    if not all(labels[1:]) or any(len(label) > _HEADER_CELL for label in labels):
        return False
    if any(_NUMBER.fullmatch(label) and not _YEAR.fullmatch(label) for label in labels):
        return False
    form = all(row[0].bold for row in rows if row[0].text) and not any(slot.bold for row in rows for slot in row[1:])
    return not (form or (len(first) == 2 and labels[0].endswith((":", "：", "︰"))))


def rows_of(table: Element) -> Iterator[Element]:
    """The rows, also those inside of content controls."""
    return _nested(table, "w:tr", {"w:tbl"})


def cells_of(row: Element) -> Iterator[Element]:
    return _nested(row, "w:tc", {"w:tr"})


def _nested(element: Element, wanted: str, closed: set[str]) -> Iterator[Element]:
    for item in element:
        kind = name(item)
        if kind == wanted:
            yield item
        elif kind not in closed and not kind.endswith("Pr"):
            yield from _nested(item, wanted, closed)


def span_of(cell: Element) -> int:
    return min(max(number(child(cell, "w:tcPr", "w:gridSpan"), default=1), 1), COLUMNS)


def gap_before(row: Element) -> int:
    return min(max(number(child(row, "w:trPr", "w:gridBefore")), 0), COLUMNS)


def goes_on(cell: Element, merge: str) -> bool:
    """True for a cell that a merge (w:vMerge, w:hMerge) covers."""
    found = child(cell, "w:tcPr", merge)
    return found is not None and (attribute(found) or "continue") == "continue"


def is_header(row: Element) -> bool:
    return bool(switch(child(row, "w:trPr", "w:tblHeader")))
