"""Lines of a table of amounts gathered into rows where labels run over several lines.

The amounts of such a row stand beside the last line of its label, beside the first, or half-way between.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.gaps import FIT, Piece, TableLine
from pecia.parsing.pdf.marks import first_wide

CLOSER = 0.93  # times the usual step from row to row: lines of one label are closer
HALF = 0.8  # of that step: amounts that stand half-way between two lines of their label
LOW = 0.5  # share of the labels that begin with a small letter, from which that says nothing
OVER = 0.4  # of the size: what parts two lines is above the letters of the lower one
GOES_ON = (",", "-", "\u2010", "–", "/", "&")


def labelled_rows(lines: Sequence[TableLine], last: int, parting: Sequence[float]) -> list[list[TableLine]]:
    """The rows of a table whose columns up to `last` are labels. `parting`: places down the page at which rows are parted."""
    filled = [line for line in lines if _has_amounts(line, last)]
    steps = [two.row.base - one.row.base for one, two in pairwise(lines) if _has_amounts(one, last) and _has_amounts(two, last)]
    size = median(line.row.size for line in lines)
    usual = median(steps) if steps else 1.5 * size
    labels = [piece for line in lines if (piece := _label(line)) is not None]
    limit = max((piece.x1 for piece in labels), default=0.0)
    low = sum(_begins_low(line) for line in filled) > LOW * len(filled)
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
