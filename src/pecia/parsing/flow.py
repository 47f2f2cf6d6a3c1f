"""The text of a document of marked-up blocks as it grows, with the way back to the text nodes it came from.

A piece is the text of one node and its place, which counts the characters of all text nodes in document order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from pecia.model import Alignment, Block, BlockKind, Locator, Span, Table
from pecia.model.alignment import Run
from pecia.text.normalise import normalise

Piece = tuple[str, int]
# Stands for a border between two words that markup alone keeps apart; in text that stands as it is written, for a line break.
BREAK: Piece = ("", -1)
# A line break, which stays one in a paragraph.
LINE_END: Piece = ("", -2)
# Words with one space between them keep it, so that a paragraph is a run for each line and not for each word.
_WORDS = re.compile(r"[^ \t\r\n]+(?: [^ \t\r\n]+)*")
_PIPE = re.compile(r"\||[^|]+")
# A cell that spans rows or columns repeats its value, `colspan="1000000"` would be a bomb: at most this many characters and slots
# a table, and 8 times as many as its own cells have. A header over 11 columns is the widest of the corpora.
_REPEATS, _SPANNED, _FACTOR = 2_000, 2_000, 8
_ADDED = -1


def folded(pieces: Sequence[Piece]) -> Iterator[tuple[str, int, int]]:
    """(text in NFC, source start, source end) with one space for each run of white space, or a line end where one is among it.
    White space that stands for several characters, or for a break, has -1 for both."""
    begun, spaces, first, gap = False, 0, 0, " "
    for text, offset in _whole(pieces):
        if not text:
            spaces += 2
            gap = "\n" if offset == LINE_END[1] else gap
            continue
        end = 0
        for match in _WORDS.finditer(text):
            start = match.start()
            if start > end:
                first = first if spaces else offset + end
                spaces += start - end
            if spaces and begun:
                yield (gap, first, first + 1) if spaces == 1 else (gap, _ADDED, _ADDED)
            begun, spaces, end, gap = True, 0, match.end(), " "
            yield from _composed(match[0], offset + start)
        if end < len(text):
            first = first if spaces else offset + end
            spaces += len(text) - end


def _whole(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, joined where markup stands between a letter and its marks: they are composed as one word."""
    held: list[str] = []
    start = end = -1
    for text, offset in pieces:
        if held and offset == end and text and _goes_on(text[0]):
            held.append(text)
        else:
            if held:
                yield "".join(held), start
            held, start = [text], offset
        end = offset + len(text) if text else -1
    if held:
        yield "".join(held), start


def _goes_on(character: str) -> bool:
    """True for marks and for the vowels and finals of Hangul, which may become one letter with what stands before."""
    return not character.isascii() and (unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff")


def _composed(text: str, offset: int) -> Iterator[tuple[str, int, int]]:
    if unicodedata.is_normalized("NFC", text):
        yield text, offset, offset + len(text)
        return
    made, alignment = normalise(text)
    for start, end, source_start, source_end in alignment.runs():
        yield made[start:end], offset + source_start, offset + source_end


class Slot:
    """A place in a table: the pieces of a cell; `own` is False where it repeats the value of a cell that spans it."""

    __slots__ = ("own", "pieces", "size")

    def __init__(self, pieces: Sequence[Piece], *, own: bool = True) -> None:
        self.pieces, self.own = pieces, own
        self.size = sum(len(text) for text, _ in pieces)


class Grid:
    """Rows of cells as they come; a cell that spans rows or columns fills a slot in each."""

    def __init__(self) -> None:
        self.rows: list[dict[int, Slot]] = []
        self._headers: list[bool] = []
        self._below: dict[int, tuple[Slot, int]] = {}  # column to what spans down into it and the rows that are left
        self._spare = _SPANNED
        self._next = 0  # no column of the row before this one is free

    def begin(self, *, header: bool) -> None:
        """Begins a row; what spans into it from above takes its columns."""
        self._spare -= len(self._below)
        if self._spare < 0:
            self._below = {}
        self.rows.append({column: slot for column, (slot, _) in self._below.items()})
        self._below = {column: (slot, left - 1) for column, (slot, left) in self._below.items() if left > 1}
        self._headers.append(header)
        self._next = 0

    def add(self, pieces: Sequence[Piece], down: int, across: int) -> None:
        """Puts a cell into the next free columns of the row."""
        row, column = self.rows[-1], self._next
        while column in row:
            column += 1
        self._next = column
        repeated = Slot(pieces, own=False)
        self._spare += _FACTOR - across
        across = across if self._spare >= 0 else 1
        for at in range(column, column + across):
            row[at] = repeated if at > column else Slot(pieces)
            if down > 1:
                self._below[at] = repeated, down - 1

    def header_rows(self) -> int:
        return self._headers.index(False) if False in self._headers else len(self._headers)

    def slots(self) -> list[list[Slot]]:
        empty = Slot(())
        return [[row.get(column, empty) for column in range(max(row, default=-1) + 1)] for row in self.rows]


class Flow:
    """Blocks and tables in the order they are added; an empty line stands between two of them."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.tables: list[Table] = []
        self._parts: list[str] = []
        self._runs: list[Run] = []
        self._length = 0

    def text(self) -> str:
        return "".join(self._parts)

    def alignment(self) -> Alignment:
        return Alignment.of(self._runs)

    def add(
        self, pieces: Sequence[Piece], kind: BlockKind, level: int | None, places: Sequence[Locator], *, verbatim: bool = False
    ) -> str:
        """Adds a block and gives its text; nothing, and "", where the pieces hold nothing to see."""
        if not any(text.strip() for text, _ in pieces):
            return ""
        start = self._begin()
        made = []
        for text, low, high in _verbatim(pieces) if verbatim else folded(pieces):
            self._append(text, low, high)
            made.append(text)
        text = "".join(made)
        # An indent is part of code; the empty lines around it are not.
        first = len(text) - len(text.lstrip())
        first = text.rfind("\n", 0, first) + 1 if verbatim else first
        span = Span(start + first, start + len(text.rstrip()))
        self.blocks.append(Block(f"b{len(self.blocks)}", kind, span, level, places=tuple(places)))
        return text.strip()

    def add_table(self, table: Grid, caption: str, places: Sequence[Locator]) -> None:
        """Adds a table as a pipe table; nothing where its cells hold nothing to see."""
        grid, header_rows = table.slots(), table.header_rows()
        if not any(text.strip() for row in grid for slot in row for text, _ in slot.pieces):
            return
        start = self._begin()
        width, slots = max(map(len, grid)), sum(map(len, grid))
        even = width * len(grid) <= _FACTOR * slots + _SPANNED  # else one wide row would widen a million others
        budget = _REPEATS + _FACTOR * sum(slot.size for row in grid for slot in row if slot.own)
        cells: list[tuple[str, ...]] = []
        for row in grid:
            if len(cells) == header_rows == 0:
                self._append("| " + " | ".join([""] * width) + " |\n" + "|" + " --- |" * width + "\n")
            values = []
            for slot in row:
                self._append("| ")
                budget -= 0 if slot.own else slot.size
                values.append(self._cell(slot) if budget >= 0 or slot.own else "")
                self._append(" ")
            missing = width - len(row) if even else 0
            self._append("|  " * missing + "|\n")
            cells.append((*values, *[""] * missing))
            if len(cells) == 1 and header_rows:
                self._append("|" + " --- |" * width + "\n")
        self._length -= 1  # the last line end is the separator's
        self._parts[-1] = self._parts[-1][:-1]
        span = Span(start, self._length)
        self.blocks.append(Block(f"b{len(self.blocks)}", BlockKind.TABLE, span, places=tuple(places)))
        self.tables.append(Table(f"t{len(self.tables)}", tuple(cells), header_rows, caption, span, tuple(places)))

    def _cell(self, slot: Slot) -> str:
        made = []
        for text, low, high in folded(slot.pieces):
            made.append(text)
            added = not slot.own or low == _ADDED
            if "|" not in text:
                self._append(text, _ADDED if added else low, _ADDED if added else high)
                continue
            same = high - low == len(text)  # else letters were composed, and the first part stands for all
            for match in _PIPE.finditer(text):
                self._append("\\" if match[0] == "|" else "")
                place = (low + match.start(), low + match.end()) if same else (low, high)
                self._append(match[0], *((_ADDED, _ADDED) if added or (match.start() and not same) else place))
        return "".join(made)

    def _begin(self) -> int:
        if self._parts:
            self._append("\n\n")
        return self._length

    def _append(self, text: str, low: int = _ADDED, high: int = _ADDED) -> None:
        start = self._length
        self._length = end = start + len(text)
        self._parts.append(text)
        if low == _ADDED or not text:
            return
        if self._runs:  # a paragraph with single spaces is one run, whatever markup is in it
            first, last, source_first, source_last = self._runs[-1]
            if last == start and source_last == low and end - start == high - low and last - first == source_last - source_first:
                self._runs[-1] = first, end, source_first, high
                return
        self._runs.append((start, end, low, high))


def _verbatim(pieces: Sequence[Piece]) -> Iterator[tuple[str, int, int]]:
    for text, offset in _whole(pieces):
        if not text:
            yield "\n", _ADDED, _ADDED
            continue
        made, alignment = normalise(text)
        for start, end, low, high in alignment.runs():
            yield made[start:end], offset + low, offset + high
