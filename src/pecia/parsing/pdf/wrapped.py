"""Lines of a table of amounts gathered into rows: of its header, and where labels run over several lines.

The amounts of such a row stand beside the last line of its label, beside the first, or half-way between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.drawings import Ruling
from pecia.parsing.pdf.gaps import FIT, Piece, TableLine, ruling_under
from pecia.parsing.pdf.marks import first_wide
from pecia.parsing.pdf.sketch import Cell

CLOSER = 0.93  # times the usual step from row to row: lines of one label are closer
HALF = 0.8  # of that step: amounts that stand half-way between two lines of their label
LOW = 0.5  # share of the labels that begin with a small letter, from which that says nothing
OVER = 0.4  # of the size: what parts two lines is above the letters of the lower one
ACROSS = 0.3  # of the width of a head: so far on both sides of an edge it stands over both columns
GOES_ON = (",", "-", "\u2010", "–", "/", "&")


def head_rows(
    lines: Sequence[TableLine], edges: Sequence[float], first: int, spans: Sequence[tuple[float, float]], rules: Sequence[Ruling]
) -> Iterator[list[Cell]]:
    """The rows of the header, its lines assigned to columns. Lines over the same columns are one cell, and a cell over several
    columns stands above theirs. The amounts begin in column `first` and stand in `spans`."""
    width = len(edges) - 1
    rows: list[list[Cell]] = []  # from the bottom
    tops = [-1] * width
    owners: dict[tuple[int, int], tuple[int, int]] = {}
    for line in reversed(lines):
        over = [piece for piece in line.pieces if piece.first >= first]
        if len(over) == len(spans):
            for at, piece in enumerate(over):
                piece.first = piece.last = first + at
        for piece in line.pieces:
            if len(over) < len(spans) and piece.first >= first and ruling_under(piece, line, rules, line.row.size) is None:
                _widen(piece, line, edges, first, (spans[0][0] + spans[-1][1]) / 2)
            columns = range(piece.first, piece.last + 1)
            top = max(tops[column] for column in columns)
            if top < 0 or any(owners.get((top, column)) != (piece.first, piece.last) for column in columns):
                top += 1
            if top == len(rows):
                rows.append([Cell() for _ in range(width)])
            cell = rows[top][piece.first]
            cell.words += piece.words
            for column in columns:
                rows[top][column] = cell
                owners[top, column] = piece.first, piece.last
                tops[column] = top
    yield from reversed(rows)


def _widen(piece: Piece, line: TableLine, edges: Sequence[float], first: int, middle: float) -> None:
    """A piece that stands across the edge of two columns is over both; what is alone over the middle of all, over all."""
    own = (piece.x0 + piece.x1) / 2
    if piece.first == piece.last:
        part = ACROSS * (piece.x1 - piece.x0)
        at = next((at for at in range(first + 1, len(edges) - 1) if piece.x0 + part < edges[at] < piece.x1 - part), None)
        if at is not None and not any(other is not piece and other.first <= at and at - 1 <= other.last for other in line.pieces):
            piece.first, piece.last = at - 1, at
    alone = sum(other.first >= first for other in line.pieces) == 1
    spans = piece.first < piece.last or line.row.page.text(piece.words[0]).startswith("(")
    if alone and spans and abs(own - middle) < line.row.size:
        piece.first, piece.last = first, len(edges) - 2


def labelled_rows(lines: Sequence[TableLine], last: int, parting: Sequence[float]) -> list[list[TableLine]]:
    """The rows of a table whose columns up to `last` are labels. `parting`: places down the page at which rows are parted."""
    filled = [line for line in lines if _has_amounts(line, last)]
    steps = [two.row.base - one.row.base for one, two in pairwise(lines) if _has_amounts(one, last) and _has_amounts(two, last)]
    size = median(line.row.size for line in lines)
    usual = median(steps) if steps else 1.5 * size
    labels = [piece for line in lines if (piece := _label(line)) is not None]
    limit = max((piece.x1 for piece in labels), default=0.0)
    low = sum(_begins_low(line) for line in filled) > LOW * len(filled)
    # Where space parts the rows, the labels' lines are close, also those that would have fitted on the line above.
    close = [two.row.base - one.row.base <= CLOSER * usual for one, two in pairwise(lines) if not _has_amounts(two, last)]
    limit = -1e9 if close and all(close) and steps else limit
    found: list[list[TableLine]] = []
    for at, line in enumerate(lines):
        below = lines[at + 1] if at + 1 < len(lines) else None
        if found and _joins(found[-1], line, below, last, parting, usual, limit, low=low):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _joins(
    held: Sequence[TableLine],
    line: TableLine,
    below: TableLine | None,
    last: int,
    parting: Sequence[float],
    usual: float,
    limit: float,
    *,
    low: bool,
) -> bool:
    above = held[-1]
    step, size = line.row.base - above.row.base, line.row.size
    if any(above.row.base < at < line.row.base - OVER * size for at in parting):
        return False
    amounts, own = any(_has_amounts(one, last) for one in held), _has_amounts(line, last)
    if amounts and own:
        return False
    if not own or _label(line) is not None:
        if _label(above) is None:
            return not own and step < HALF * usual  # the amounts stood half-way
        close = step <= CLOSER * usual
        if not _goes_on(above, line, limit, close=close, low=low):
            return False
        if amounts and below is not None and _has_amounts(below, last) and not line.row.text[:1].islower():
            return not _goes_on(line, below, limit, close=below.row.base - line.row.base <= CLOSER * usual, low=low)
        return True
    return step < HALF * usual  # amounts without a label of their own


def _goes_on(above: TableLine, line: TableLine, limit: float, *, close: bool, low: bool) -> bool:
    """The label of the line above goes on in this one: it is in mid-sentence, or it is full and the two are close."""
    one, two = _label(above), _label(line)
    if one is None or two is None or above.row.bold != line.row.bold:
        return False
    page = line.row.page
    before, after = page.text(one.words[-1]), page.text(two.words[0])
    if before.endswith((":", "：")):
        return False
    if not low and (after[:1].islower() or before.endswith(GOES_ON)):
        return True
    word = two.words[0]
    width = word.x1 - word.x0 if first_wide(after) else line.row.size
    return close and one.x1 + (FIT + width / line.row.size) * line.row.size > limit


def _label(line: TableLine) -> Piece | None:
    return line.filled.get(0)


def _has_amounts(line: TableLine, last: int) -> bool:
    return any(column > last for column in line.filled)


def _begins_low(line: TableLine) -> bool:
    piece = _label(line)
    return piece is not None and line.row.page.text(piece.words[0])[:1].islower()
