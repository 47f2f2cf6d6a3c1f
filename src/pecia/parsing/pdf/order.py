"""Rows of a page put into reading order: full-width bands, and between them columns from left to right.

A column edge is a gutter: a strip that few rows cross while many stand on both sides of it. The order of the content
stream is not used, as it may hold the right column first or alternate between the columns row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs, Word
from pecia.parsing.pdf.marks import is_caption
from pecia.parsing.pdf.rows import Row, rows_of

BINS = 800  # strips that a region is cut into to look for a gutter: half a point on most pages
GUTTER = 0.65  # of the size: narrower than this is a space between words; gutters of 8 points at size 11 exist
INNER_GAP = 1.5  # of the size: a gap inside one side of the gutter that speaks for table cells
SLACK = 0.2  # of the gutter: so far a line may reach into it; slanted glyphs and hung marks do, by 1 point in 180
ACROSS, NEAR = 20.0, 12.0  # points that a picture reaches into both columns; that its labels stand off it
CANDIDATES = 3  # gutters that are tried where the first one divides less than half of the rows
DEPTH = 3  # rows on both sides that do not cross: two may be chance
FILL = 0.55  # share of its column that a line of prose fills, in the median
ALONE = 2.5  # of the size: so far above all columns a line belongs to neither
PAIR, SPACED = 0.7, 1.15  # of its side that a cell fills at most; times the distance of rows: what is farther is no row
RIVER = 1.5  # times the other gaps of its row: a gutter is wider
TITLE = 1.15  # times the text: so large is a title that stands over both columns, at least
FULL = 0.8  # share of its column that a full line fills, ragged ones too
NARROWEST = 8.0  # sizes that a column of prose is wide, at least


@dataclass(frozen=True, slots=True)
class Column:
    """Rows from the top, and the left and right edge of the measure that they are set in."""

    rows: Sequence[Row]
    x0: float
    x1: float


@dataclass(frozen=True, slots=True)
class Gutter:
    """A strip between two columns; `left` and `right` are their outer edges where they are known."""

    x0: float
    x1: float
    left: float = 0.0
    right: float = 0.0

    def crosses(self, row: Row) -> bool:
        """True where a word stands in the strip, unless the row has a gap as wide as a gutter there and one side keeps
        its edge: a cell that sticks out of its column."""
        slack = SLACK * (self.x1 - self.x0)
        x0, x1 = self.x0 + slack, self.x1 - slack
        if not any(word.x0 < x1 and word.x1 > x0 for word in row.words):
            return False
        return not any(
            after.x0 - before.x1 >= GUTTER * row.size and before.x1 < x1 and after.x0 > x0 and (before.x1 <= x0 or after.x0 >= x1)
            for before, after in pairwise(row.words)
        )


def columns_of(
    words: Iterable[Word], page: PageGlyphs, fonts: Fonts, known: Sequence[Gutter] = (), depth: int = 2
) -> Iterator[Column]:
    """The page in reading order. `known` are gutters that other pages have: there even a few lines are columns.
    Gutters are looked for `depth` times within one another: 2 finds up to four columns."""
    rows = rows_of(words, page, fonts)
    return _split(rows, known, depth) if rows else iter(())


def _split(rows: list[Row], known: Sequence[Gutter], depth: int, measure: Column | None = None) -> Iterator[Column]:
    """`measure` is the column that the rows are a part of, with all its rows on the page."""
    parts = _best_parts(rows, known, depth) if depth else []
    if not parts:
        if measure is None:
            yield from _measured(rows, known)
        else:
            yield Column(rows, measure.x0, max(_column(rows).x1, measure.x1))
        return
    held = [[row for part in parts if part.proven for row in part.sides[at]] for at in (0, 1)]
    measures = [_measure(side) for side in held if side]
    band: list[Row] = []
    for part in parts:
        if not part.proven and not (measures and part.sides and _are_filled(part.sides, measures)):
            band += part.rows
            continue
        if band:
            yield from _measured(band, known)
            band = []
        for side, own in zip(part.sides, measures, strict=True):
            yield from _split(side, (), depth - 1, own)
    if band:
        yield from _measured(band, known)


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows between two full-width ones, and their halves where they do not cross the gutter. `proven`: columns of prose."""

    rows: list[Row]
    sides: list[list[Row]]
    proven: bool


def _best_parts(rows: list[Row], known: Sequence[Gutter], depth: int) -> list[_Part]:
    """The page cut at the gutter that most rows are columns of; the gap between two columns of a table may be a wider one."""
    best, most = list[_Part](), -1
    for gutter in find_gutters(rows, known):
        near = 3 * rows[0].size
        sure = any(abs(gutter.x0 - other.x0) < near and abs(gutter.x1 - other.x1) < near for other in known)
        parts = []
        for crossed, stretch in _stretches(rows, gutter):
            sides = [] if crossed else _sides_of(stretch, (gutter.x0 + gutter.x1) / 2)
            parts.append(_Part(stretch, sides, _is_columns(stretch, sides, depth, sure=sure)))
        inside = sum(len(part.rows) for part in parts if part.proven)
        if inside > most:
            best, most = parts, inside
        if 2 * inside > len(rows):
            break
    return best


def _measured(rows: list[Row], known: Sequence[Gutter]) -> Iterator[Column]:
    """Rows that no gutter divides. Where lines among them keep to the left column of other pages, as on a last page, these
    have its measure: nothing stands beside them."""
    size = median(row.size for row in rows) or 1.0
    for gutter in known:
        if not any(gutter.left - 1 < row.x0 < gutter.left + 1 for row in rows) or rows[0].words[0].turns:
            continue
        inside = [row.x0 > gutter.left - 1 and row.x1 < gutter.x0 + 1 for row in rows]
        for at in range(1, len(rows)):  # the last line of a full-width paragraph
            close = rows[at].base - rows[at - 1].base < 1.5 * rows[at].size and abs(rows[at].size - rows[at - 1].size) < 0.1
            inside[at] = inside[at] and (inside[at - 1] or not close)
        start = 0
        parts = []
        for at in range(1, len(rows) + 1):
            if at == len(rows) or inside[at] != inside[start]:
                part = rows[start:at]
                full = sum(row.x1 - row.x0 > FULL * (gutter.x0 - gutter.left) and row.size <= size + 0.1 for row in part)
                parts.append(Column(part, gutter.left, gutter.x0) if inside[start] and full >= 2 else _column(part))
                start = at
        if any(part.x1 == gutter.x0 for part in parts):
            yield from parts
            return
    yield _column(rows)


def _sides_of(rows: Sequence[Row], middle: float) -> list[list[Row]]:
    halves = [row.halves(middle) for row in rows]
    return [[half for half in side if half is not None] for side in zip(*halves, strict=True)]


def _are_filled(sides: Sequence[Sequence[Row]], measures: Sequence[Column]) -> bool:
    """A few lines, on a page that has columns elsewhere, are columns too where both sides have a full line of words."""
    return all(
        any(row.x1 - row.x0 > FULL * (measure.x1 - measure.x0) and not row.tabular for row in side)
        for side, measure in zip(sides, measures, strict=True)
    )


def find_gutters(rows: Sequence[Row], known: Sequence[Gutter] = ()) -> Iterator[Gutter]:
    """The gutter that rows stand on both sides of and fewest cross, then other likely ones; of two alike, first the one
    that is known.

    A known gutter is a guess from other pages: left and right pages may have their columns at different places.
    """
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    found = [gutter for gutter in known if left < gutter.x0 and gutter.x1 < right and _sides(rows, gutter)]
    own = list(_own_gutters(rows, left, right))
    first = min([*found, *own[:1]], key=lambda gutter: sum(map(gutter.crosses, rows)), default=None)
    if first is not None:
        yield first
        yield from (gutter for gutter in [*own, *found[:1]] if gutter is not first)


def _own_gutters(rows: Sequence[Row], left: float, right: float) -> Iterator[Gutter]:
    """Up to `CANDIDATES` gutters with rows on both sides that do not cross them, those with most rows first."""
    size = median(row.size for row in rows) or 1.0
    if right - left < 2 * NARROWEST * size:
        return
    step = (right - left) / BINS
    cover = [0] * (BINS + 2)
    for row in rows:
        for x0, x1 in _stripes(row, 0.6 * size):
            cover[int((x0 - left) / step)] += 1
            cover[min(BINS, int((x1 - left) / step)) + 1] -= 1
    for at in range(1, BINS + 1):
        cover[at] += cover[at - 1]
    width = max(1, round(GUTTER * size / step))
    edge = max(1, round(NARROWEST * size / step / 2))
    highest_left, highest_right = _running_max(cover), _running_max(cover[::-1])[::-1]
    depths = {
        at: min(highest_left[at], highest_right[at + width]) - max(cover[at : at + width]) for at in range(edge, BINS - edge - width)
    }
    for _ in range(CANDIDATES):
        found = max(depths, key=lambda at: (depths[at], -at), default=-1)
        if found < 0 or depths[found] < DEPTH:
            return
        floor = max(cover[found : found + width])
        end = found + width
        while end < BINS - edge and cover[end] <= floor:
            end += 1
        yield Gutter(left + (found + 1) * step, left + (end - 1) * step)
        depths = {at: depth for at, depth in depths.items() if not found - 2 * width < at < end + width}


def _sides(rows: Sequence[Row], gutter: Gutter) -> bool:
    """True where lines stand on both sides of the gutter that do not cross it."""
    free = [row for row in rows if not gutter.crosses(row)]
    return any(row.words[0].x1 <= gutter.x1 for row in free) and any(row.words[-1].x0 >= gutter.x0 for row in free)


def _stripes(row: Row, space: float) -> Iterator[tuple[float, float]]:
    x0, x1 = row.words[0].x0, row.words[0].x1
    for word in row.words[1:]:
        if word.x0 - x1 > space:
            yield x0, x1
            x0 = word.x0
        x1 = max(x1, word.x1)
    yield min(x0, x1), max(x0, x1)


def _running_max(values: Sequence[int]) -> list[int]:
    found, top = [], 0
    for value in values:
        top = max(top, value)
        found.append(top)
    return found


def _stretches(rows: Sequence[Row], gutter: Gutter) -> Iterator[tuple[bool, list[Row]]]:
    """Rows grouped into those that cross the gutter, or are rows of a full-width table, and those that do not."""
    crossed = [gutter.crosses(row) for row in rows]
    if rows[0].page.figures:
        size = median(row.size for row in rows)
        crossed = [over or (row.size < size and _labels_figure(row, gutter)) for over, row in zip(crossed, rows, strict=True)]
    cells = [not over and _is_cells(row, gutter) for over, row in zip(crossed, rows, strict=True)]
    cells = [is_cells and not _beside_prose(rows, at, gutter, crossed) for at, is_cells in enumerate(cells)]
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


def _labels_figure(row: Row, gutter: Gutter) -> bool:
    """A short line in or at a picture that spans the gutter: it belongs to neither column."""
    return row.x1 - row.x0 < gutter.x0 / 2 and any(
        figure.x0 + ACROSS < gutter.x0 and gutter.x1 < figure.x1 - ACROSS and figure.y0 - NEAR < row.base < figure.y1 + 2 * NEAR
        for figure in row.page.figures
    )


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
    """Rows of a full-width table of two columns under its caption: a short text on each side, no line of prose."""
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    middle = (gutter.x0 + gutter.x1) / 2
    for start, caption in enumerate(rows[:-1]):
        if caption.x0 - left > caption.size or not is_caption(caption.text, set_apart=True):
            continue
        if not (crossed[start] or caption.words[-1].x1 <= gutter.x1):
            continue
        pairs, widest = list[int](), 2.5 * caption.size
        for at in range(start + 1, len(rows)):
            step = rows[at].base - rows[at - 1].base
            sides = [[word for word in rows[at].words if (word.x0 + word.x1 < 2 * middle) is first] for first in (True, False)]
            widths = [side[-1].x1 - side[0].x0 if side else 0.0 for side in sides]
            if step > widest or widths[0] > PAIR * (middle - left) or widths[1] > PAIR * (right - middle):
                break
            if not all(sides) and len(pairs) < 2:
                break
            pairs.append(at)
            widest = SPACED * step if len(pairs) == 2 else max(widest, SPACED * step) if len(pairs) > 2 else widest
        while pairs and not (rows[pairs[-1]].x0 < middle < rows[pairs[-1]].x1):
            last = rows[pairs.pop()]
            above = rows[pairs[-1]] if pairs else last
            if any(abs(word.x0 - last.x0) < 1.0 and word.x0 > left + 1.0 for word in above.words) and above is not last:
                pairs.append(pairs[-1] + 1)  # the second line of a cell
                break
        if len(pairs) >= 2:
            yield from (start, *pairs)


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
    return one_sided and below.base - row.base < 2.5 * row.size and is_caption(row.text, set_apart=True)


def _is_cells(row: Row, gutter: Gutter) -> bool:
    """Cells of a full-width table: gaps on both sides of the gutter, or a gap on one and a short text on the other."""
    sides = [[word for word in row.words if word.x1 <= gutter.x1], [word for word in row.words if word.x0 >= gutter.x0]]
    if not all(sides):
        return False
    gaps = [max((b.x0 - a.x1 for a, b in pairwise(side)), default=0.0) for side in sides]
    wide = [gap >= INNER_GAP * row.size for gap in gaps]
    short = [side[-1].x1 - side[0].x0 < 12 * row.size for side in sides]
    return any(wide) and all(one or other for one, other in zip(wide, short, strict=True))


def _beside_prose(rows: Sequence[Row], at: int, gutter: Gutter, crossed: Sequence[bool]) -> bool:
    """Whether the side of a row that has no gaps belongs to lines of prose: then the other one is a table in its column."""
    row = rows[at]
    sides = [[word for word in row.words if word.x1 <= gutter.x1], [word for word in row.words if word.x0 >= gutter.x0]]
    left, right = min(other.x0 for other in rows), max(other.x1 for other in rows)
    for side, measure in zip(sides, (gutter.x0 - left, right - gutter.x1), strict=True):
        if max((b.x0 - a.x1 for a, b in pairwise(side)), default=0.0) >= INNER_GAP * row.size:
            continue
        for step in (1, -1):
            base, other = row.base, at + step
            while 0 <= other < len(rows) and not crossed[other] and abs(rows[other].base - base) < 1.6 * row.size:
                words = [word for word in rows[other].words if (word.x1 <= gutter.x1) == (side is sides[0])]
                if words:
                    base = rows[other].base
                    gaps = [b.x0 - a.x1 for a, b in pairwise(words)]
                    if words[-1].x1 - words[0].x0 > FULL * measure and max(gaps, default=0.0) < INNER_GAP * row.size:
                        return True
                    if abs(other - at) >= 6:
                        break
                other += step
    return False


def _is_columns(rows: Sequence[Row], sides: Sequence[list[Row]], depth: int, *, sure: bool) -> bool:
    """Columns of prose, not cells of a table: both sides have lines, and lines fill their side."""
    if not sides or not all(sides):
        return False
    size = median(row.size for row in rows) or 1.0
    gappy = [
        sum(any(b.x0 - a.x1 >= INNER_GAP * size for a, b in pairwise(row.words)) for row in side) / len(side) for side in sides
    ]
    if sure:
        return min(gappy) < 0.6
    widths = [max(row.x1 for row in side) - min(row.x0 for row in side) for side in sides]
    prose = all(_is_prose(side, width, size) for side, width in zip(sides, widths, strict=True))
    if min(map(len, sides)) < DEPTH or min(widths) < NARROWEST * size or not prose or _is_river(rows, sides):
        return False
    if min(gappy) < 0.2 and all(_has_lines(side, width) for side, width in zip(sides, widths, strict=True)):
        return True  # a table in one column
    return all(share < 0.5 or _has_columns(side, depth - 1) for share, side in zip(gappy, sides, strict=True))


def _has_lines(rows: Sequence[Row], width: float) -> bool:
    """Among the rows are lines of prose that fill the column."""
    return sum(row.x1 - row.x0 > FULL * width and not row.tabular for row in rows) >= DEPTH


def _is_prose(rows: Sequence[Row], width: float, size: float) -> bool:
    """Lines fill the column: most of them do, or, where figures and captions stand between, most of the ink is in such."""
    inks = sorted(sum(word.x1 - word.x0 for word in row.words) + 0.25 * size * (len(row.words) - 1) for row in rows)
    if median(inks) >= FILL * width:
        return True
    long = [ink for ink in inks if ink >= FULL * width]
    return len(long) > 2 * DEPTH and 2 * sum(long) > sum(inks)


def _is_river(rows: Sequence[Row], sides: Sequence[Sequence[Row]]) -> bool:
    """Spaces of stretched lines that happen to stand below one another: in most rows the gap is as wide as the others."""
    edge = min(row.x0 for row in sides[1])
    alike = both = 0
    for row in rows:
        gaps = [(b.x0 - a.x1, b.x0 >= edge > a.x0) for a, b in pairwise(row.words)]
        usual = median([gap for gap, across in gaps if not across] or [0.0])
        for gap, across in gaps:
            if across:
                both += 1
                alike += gap < RIVER * usual
    return 2 * alike > both


def _has_columns(rows: list[Row], depth: int) -> bool:
    """Most of the rows are columns in turn: the gaps in them are a gutter."""
    parts = _best_parts(rows, (), depth) if depth > 0 else []
    return 2 * sum(len(part.rows) for part in parts if part.proven) > len(rows)


def _measure(rows: Sequence[Row]) -> Column:
    """The column with the left edge that two rows share, so that a stray cell does not widen it."""
    lefts = sorted(row.x0 for row in rows)
    shared = next((a for a, b in pairwise(lefts) if b - a <= 1.0), lefts[0])
    return Column(rows, shared, _column(rows).x1)


def _column(rows: Sequence[Row]) -> Column:
    """The measure of the rows: the leftmost edge, and the rightmost that two rows share."""
    rights = sorted((row.x1 for row in rows), reverse=True)
    shared = next((a for a, b in pairwise(rights) if a - b <= 1.5), rights[0])
    return Column(rows, min(row.x0 for row in rows), shared)
