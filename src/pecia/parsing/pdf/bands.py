"""Which rows of a page belong to no column: they cross the gutter, or are a full-width table, title, caption or picture."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.glyphs import Word
from pecia.parsing.pdf.gutters import Gutter
from pecia.parsing.pdf.marks import is_caption
from pecia.parsing.pdf.rows import Row

INNER_GAP = 1.5  # of the size: a gap inside one side of the gutter that speaks for table cells
ALONE = 2.5  # of the size: so far above all columns a line belongs to neither
CLOSE, LOOK = 1.6, 6  # of the size: lines of one text are closer; rows up and down in which prose is looked for
PAIR, SPACED = 0.7, 1.15  # of its side that a cell fills at most; times the distance of rows: what is farther is no row
TITLE = 1.15  # times the text: so large is a title that stands over both columns, at least
FULL = 0.8  # share of its column that a full line fills, ragged ones too


def stretches(rows: Sequence[Row], gutter: Gutter) -> Iterator[tuple[bool, list[Row]]]:
    """Rows grouped into those that cross the gutter, or are rows of a full-width table, and those that do not."""
    crossed = [gutter.crosses(row) for row in rows]
    cells = [not over and _is_cells(row, gutter) for over, row in zip(crossed, rows, strict=True)]
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    measures = gutter.x0 - left, right - gutter.x1
    cells = [is_cells and not _beside_prose(rows, at, gutter, crossed, measures) for at, is_cells in enumerate(cells)]
    for at, is_cells in enumerate(cells):
        if is_cells and any(crossed[other] or cells[other] for other in range(max(0, at - 2), at)):
            crossed[at] = True
        elif is_cells:
            crossed[at] = any(crossed[other] or cells[other] for other in range(at + 1, min(len(rows), at + 3)))
    for at in range(1, len(rows)):
        crossed[at] = crossed[at] or (crossed[at - 1] and _tails(rows, at, gutter))
    for at in range(len(rows) - 2, -1, -1):
        crossed[at] = crossed[at] or (crossed[at + 1] and _heads(rows, at, gutter))
    for at in _pairs(rows, gutter, crossed):
        crossed[at] = True
    for at in _titles(rows, gutter):
        crossed[at] = True
    if len(rows) > 1 and rows[1].base - rows[0].base > ALONE * rows[0].size:  # a running head that could not be told from text
        crossed[0] = True
    held = [rows[0]]
    for (before, after), row in zip(pairwise(crossed), rows[1:], strict=True):
        if before != after:
            yield before, held
            held = []
        held.append(row)
    yield crossed[-1], held


def _tails(rows: Sequence[Row], at: int, gutter: Gutter) -> bool:
    """The short last line of a full-width paragraph, or of a cell: on one side only, close to the row above, set like it
    and farther from the row below."""
    above, row = rows[at - 1], rows[at]
    one_sided = row.words[-1].x1 <= gutter.x1 or row.words[0].x0 >= gutter.x0
    step = row.base - above.base
    if not one_sided or abs(row.size - above.size) > 0.1 or step > 1.5 * row.size:
        return False
    below = rows[at + 1] if at + 1 < len(rows) else None
    return below is None or below.base - row.base > step + 0.1 * row.size or abs(below.size - row.size) > 0.1


def _pairs(rows: Sequence[Row], gutter: Gutter, crossed: Sequence[bool]) -> Iterator[int]:
    """Rows of a full-width table of two columns with their caption: a short text on each side, no line of prose."""
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    start = 0
    while start < len(rows) - 1:
        caption = rows[start]
        over = crossed[start] or caption.words[-1].x1 <= gutter.x1
        if over and caption.x0 - left <= caption.size and _opens_caption(caption):
            pairs = _pairs_under(rows, start, (gutter.x0 + gutter.x1) / 2, left, right)
            if len(pairs) >= 2:
                yield from (start, *pairs)
                start = pairs[-1]
        start += 1


def _pairs_under(rows: Sequence[Row], start: int, middle: float, left: float, right: float) -> list[int]:
    pairs, widest = list[int](), ALONE * rows[start].size
    for at in range(start + 1, len(rows)):
        step = rows[at].base - rows[at - 1].base
        sides = [[word for word in rows[at].words if (word.x0 + word.x1 < 2 * middle) is first] for first in (True, False)]
        widths = [side[-1].x1 - side[0].x0 if side else 0.0 for side in sides]
        if step > widest or widths[0] > PAIR * (middle - left) or widths[1] > PAIR * (right - middle):
            break
        if not all(sides) and len(pairs) < 2:
            break
        pairs.append(at)
        if len(pairs) > 1:
            widest = max(SPACED * step, widest if len(pairs) > 2 else 0.0)
    while pairs and not rows[pairs[-1]].x0 < middle < rows[pairs[-1]].x1:
        last = rows[pairs.pop()]
        above = rows[pairs[-1]].words if pairs else []
        if any(abs(word.x0 - last.x0) < 1.0 and word.x0 > left + 1.0 for word in above):
            pairs.append(pairs[-1] + 1)  # the second line of a cell
            break
    return pairs


def _titles(rows: Sequence[Row], gutter: Gutter) -> Iterator[int]:
    """Short titles across both columns that begin at the left edge: larger than the text, nothing beside them, and under
    them both columns begin again at one height."""
    size = median(row.size for row in rows)
    sides = [row.words[-1].x1 <= gutter.x1 for row in rows], [row.words[0].x0 >= gutter.x0 for row in rows]
    for at, row in enumerate(rows):
        if not sides[0][at] or row.size < TITLE * size:
            continue
        above = next((rows[other] for other in range(at - 1, -1, -1) if not sides[0][other]), None)
        below = next((rows[other] for other in range(at + 1, len(rows)) if not sides[0][other]), None)
        before = next((rows[other] for other in range(at - 1, -1, -1) if not sides[1][other]), None)
        after = next((rows[o] for o in range(at + 1, len(rows)) if not sides[1][o] and rows[o].size < row.size - 0.3), None)
        if above is None or below is None or before is None or after is None:
            continue
        blank = above.base < row.base - row.size and below.base > row.base + row.size
        if blank and abs(after.base - below.base) < 1.2 * size and above.base > before.base - 4 * size:
            yield at


def _heads(rows: Sequence[Row], at: int, gutter: Gutter) -> bool:
    """The short caption of a full-width table, which begins at the left edge right above the table."""
    row, below = rows[at], rows[at + 1]
    one_sided = row.words[-1].x1 <= gutter.x1 and abs(row.x0 - below.x0) < 2 * row.size
    return one_sided and below.base - row.base < ALONE * row.size and _opens_caption(row)


def _opens_caption(row: Row) -> bool:
    text = " ".join(map(row.page.text, row.words[:3]))
    return is_caption(unicodedata.normalize("NFC", text), set_apart=True)


def _is_cells(row: Row, gutter: Gutter) -> bool:
    """Cells of a full-width table: gaps on both sides of the gutter, or a gap on one and a short text on the other."""
    sides = [[word for word in row.words if word.x1 <= gutter.x1], [word for word in row.words if word.x0 >= gutter.x0]]
    if not all(sides):
        return False
    wide = [_widest_gap(side) >= INNER_GAP * row.size for side in sides]
    short = [side[-1].x1 - side[0].x0 < 12 * row.size for side in sides]
    return any(wide) and all(one or other for one, other in zip(wide, short, strict=True))


def _beside_prose(rows: Sequence[Row], at: int, gutter: Gutter, crossed: Sequence[bool], measures: tuple[float, float]) -> bool:
    """Whether the side of a row that has no gaps belongs to lines of prose: then the other one is a table in its column."""
    row = rows[at]
    for first, measure in zip((True, False), measures, strict=True):
        side = [word for word in row.words if (word.x1 <= gutter.x1) is first]
        if _widest_gap(side) >= INNER_GAP * row.size:
            continue
        for step in (1, -1):
            base, other = row.base, at + step
            while 0 <= other < len(rows) and not crossed[other] and abs(rows[other].base - base) < CLOSE * row.size:
                words = [word for word in rows[other].words if (word.x1 <= gutter.x1) is first]
                if words:
                    base = rows[other].base
                    if words[-1].x1 - words[0].x0 > FULL * measure and _widest_gap(words) < INNER_GAP * row.size:
                        return True
                    if abs(other - at) >= LOOK:
                        break
                other += step
    return False


def _widest_gap(words: Sequence[Word]) -> float:
    return max((b.x0 - a.x1 for a, b in pairwise(words)), default=0.0)
