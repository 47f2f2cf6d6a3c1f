"""Rows of a page put into reading order: full-width bands, and between them columns from left to right.

A column edge is a gutter: a strip that few rows cross while many stand on both sides of it. The order of the content
stream is not used, as it may hold the right column first or alternate between the columns row by row.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import median

from pecia.parsing.pdf.bands import FULL, INNER_GAP, stretches
from pecia.parsing.pdf.gaps import gutters_in, pieces_of
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs, Word
from pecia.parsing.pdf.gutters import DEPTH, NARROWEST, Gutter, find_gutters
from pecia.parsing.pdf.marks import may_open_table
from pecia.parsing.pdf.plausible import is_prose_beside
from pecia.parsing.pdf.rows import WIDE_GAP, Row, rows_of
from pecia.parsing.pdf.unruled import lift_wide

FILL = 0.55  # share of its column that a line of prose fills, in the median
MARGINS = 48.0  # points that the margins of left and right pages differ, at most
SHARED, HUNG_EDGE = 1.5, 0.5  # points that lines which end at one edge differ: in ragged text, and in justified
HANGS = 8.0  # points that a mark may hang out of the edge
RIVER = 1.5  # times the other gaps of its row: a gutter is wider


@dataclass(frozen=True, slots=True)
class Column:
    """Rows from the top, and the left and right edge of the measure that they are set in."""

    rows: Sequence[Row]
    x0: float
    x1: float


def columns_of(
    words: Iterable[Word], page: PageGlyphs, fonts: Fonts, known: Sequence[Gutter] = (), depth: int = 2
) -> Iterator[Column]:
    """The page in reading order. `known` are gutters that other pages have: there even a few lines are columns.
    Gutters are looked for `depth` times within one another: 2 finds up to four columns."""
    rows = rows_of(words, page, fonts)
    if rows and known:
        known = [*known, *_moved(known, min(row.x0 for row in rows))]
        if any(may_open_table(page.text(row.words[0])) for row in rows):
            rows = lift_wide(rows, known)
    columns = _split(rows, known, depth) if rows else iter(())
    if not page.lifted:
        return columns
    return (Column([part for row in column.rows for part in row.apart()], column.x0, column.x1) for column in columns)


def _moved(known: Sequence[Gutter], left: float) -> Iterator[Gutter]:
    """The gutters of other pages where this one has its text farther in or out, as left and right pages have."""
    for gutter in known:
        shift = left - gutter.left
        if 2.0 < abs(shift) <= MARGINS and not any(abs(other.left - left) <= 2.0 for other in known):
            yield Gutter(gutter.x0 + shift, gutter.x1 + shift, left, gutter.right + shift)


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

    def with_rows_of(self, below: _Part) -> _Part:
        sides = [one + two for one, two in zip(self.sides, below.sides, strict=True)]
        return _Part(self.rows + below.rows, sides, self.proven)


def _best_parts(rows: list[Row], known: Sequence[Gutter], depth: int) -> list[_Part]:
    """The page cut at the gutter that most rows are columns of; the gap between two columns of a table may be a wider one."""
    best, most = list[_Part](), -1
    for gutter in find_gutters(rows, known):
        near = 3 * rows[0].size
        sure = any(abs(gutter.x0 - other.x0) < near and abs(gutter.x1 - other.x1) < near for other in known)
        parts = list[_Part]()
        for crossed, stretch in stretches(rows, gutter):
            if crossed and sure:
                found = list(_twins(stretch, gutter))
            else:
                sides = [] if crossed else _sides_of(stretch, (gutter.x0 + gutter.x1) / 2)
                found = [_Part(stretch, sides, _is_columns(stretch, sides, depth, sure=sure))]
            if parts and parts[-1].proven and (found[0].proven or (sure and _goes_down(parts[-1], found[0]))):
                parts[-1] = parts[-1].with_rows_of(found.pop(0))
            parts += found
        inside = sum(len(part.rows) for part in parts if part.proven)
        if inside > most:
            best, most = parts, inside
        if 2 * inside > len(rows):
            break
    return best


def _twins(rows: Sequence[Row], gutter: Gutter) -> Iterator[_Part]:
    """Rows that are no columns of prose, at a gutter that other pages have: where both sides of it are cells in the same
    columns, a table goes on in the next column."""
    for crossed, group in groupby(rows, key=gutter.crosses):
        part = list(group)
        sides = [] if crossed else _sides_of(part, (gutter.x0 + gutter.x1) / 2)
        proven = len(sides) > 1 and min(map(len, sides)) > DEPTH and _are_alike(sides, part[0].size)
        yield _Part(part, sides if proven else [], proven)


def _goes_down(above: _Part, below: _Part) -> bool:
    """The same where the rows of one side are fewer: below its end, the other side alone goes on with its cells."""
    for upper, lower, other in zip(above.sides, below.sides, reversed(below.sides), strict=True) if below.sides else ():
        if lower and not other:
            return _are_alike((upper[-2 * DEPTH :], lower), lower[0].size)
    return False


def _are_alike(sides: Sequence[Sequence[Row]], size: float) -> bool:
    """The cells of both sides stand in as many columns, of the same widths."""
    found = [[x - min(row.x0 for row in side) for x in gutters_in(list(map(pieces_of, side)), size)] for side in sides]
    return len(found[0]) == len(found[1]) > 0 and all(abs(a - b) <= size for a, b in zip(*found, strict=True))


def _measured(rows: list[Row], known: Sequence[Gutter]) -> Iterator[Column]:
    """Rows that no gutter divides. Where lines among them keep to the left column of other pages, as on a last page, these
    have its measure: nothing stands beside them. Left and right pages may differ in their margins."""
    if not rows[0].words[0].turns:
        left = _measure(rows).x0
        for gutter in known:
            if abs(left - gutter.left) <= MARGINS:
                parts = list(_runs_inside(rows, left, gutter.x0 - gutter.left))
                if any(narrow for _, narrow in parts):
                    for part, narrow in parts:
                        yield Column(part, left, left + gutter.x0 - gutter.left) if narrow else _column(part)
                    return
    yield _column(rows)


def _runs_inside(rows: list[Row], left: float, width: float) -> Iterator[tuple[list[Row], bool]]:
    """Rows grouped into those that fill a column of this width, and the others."""
    inside = [row.x0 > left - 1 and row.x1 < left + width + 1 for row in rows]
    for at in range(1, len(rows)):  # the last line of a full-width paragraph
        step, alike = rows[at].base - rows[at - 1].base, abs(rows[at].size - rows[at - 1].size) < 0.1
        inside[at] = inside[at] and (inside[at - 1] or not (alike and step < 1.5 * rows[at].size))
    size = median(row.size for row in rows)
    for narrow, group in groupby(zip(rows, inside, strict=True), key=itemgetter(1)):
        part = [row for row, _ in group]
        full = sum(row.x1 - row.x0 > FULL * width and row.size <= size + 0.1 for row in part)
        yield part, narrow and full >= 2


def _sides_of(rows: Sequence[Row], middle: float) -> list[list[Row]]:
    halves = [row.halves(middle) for row in rows]
    return [[half for half in side if half is not None] for side in zip(*halves, strict=True)]


def _are_filled(sides: Sequence[Sequence[Row]], measures: Sequence[Column]) -> bool:
    """A few lines, on a page that has columns elsewhere, are columns too where both sides have a full line of words."""
    return all(
        any(row.x1 - row.x0 > FULL * (measure.x1 - measure.x0) and not row.tabular for row in side)
        for side, measure in zip(sides, measures, strict=True)
    )


def _is_columns(rows: Sequence[Row], sides: Sequence[list[Row]], depth: int, *, sure: bool) -> bool:
    """Columns of prose, not cells of a table: both sides have lines, and lines fill their side."""
    if not sides or not all(sides):
        return False
    size = median(row.size for row in rows) or 1.0
    gappy = [
        sum(any(b.x0 - a.x1 >= INNER_GAP * size for a, b in pairwise(row.words)) for row in side) / len(side) for side in sides
    ]
    if sure and min(gappy) < 0.6:
        return True
    widths = [max(row.x1 for row in side) - min(row.x0 for row in side) for side in sides]
    if _is_beside_tables(sides, widths, size) or (not _is_river(rows, sides) and _is_beside_cells(sides, widths, size)):
        return True
    if sure:
        return False
    prose = all(
        # Columns side by side whose lines stand at different heights: each row of such a side is half as wide.
        _is_prose(side, width, size) or (width >= 2 * NARROWEST * size and _has_columns(side, depth - 1))
        for side, width in zip(sides, widths, strict=True)
    )
    if min(map(len, sides)) < DEPTH or min(widths) < NARROWEST * size or not prose or _is_river(rows, sides):
        return False
    if min(gappy) < 0.2 and all(_has_lines(side, width) for side, width in zip(sides, widths, strict=True)):
        return True  # a table in one column
    return all(share < 0.5 or _has_columns(side, depth - 1) for share, side in zip(gappy, sides, strict=True))


def _is_beside_tables(sides: Sequence[list[Row]], widths: Sequence[float], size: float) -> bool:
    """One side holds nothing but tables, as where one goes on in the next column, and the other has lines of prose."""
    for (side, width), other in zip(zip(sides, widths, strict=True), reversed(sides), strict=True):
        if all(row.table is not None for row in other) and len(side) >= DEPTH and width >= NARROWEST * size:
            plain = [row for row in side if row.lifted is None]
            if len(plain) >= DEPTH and _is_prose(plain, width, size) and _has_lines(plain, width):
                return True
    return False


def _is_beside_cells(sides: Sequence[list[Row]], widths: Sequence[float], size: float) -> bool:
    """One side has rows of cells, and what stands beside these is prose: its paragraphs are fewer than they are, while text of
    a column of the table itself would end in every row, or begin with a capital. Or it is another table, on lines of its own."""
    cells = [[row.base for row in side if any(b.x0 - a.x1 >= INNER_GAP * size for a, b in pairwise(row.words))] for side in sides]
    if min(map(len, cells)) > DEPTH and 3 * len(set(cells[0]).intersection(cells[1])) < min(map(len, cells)):
        return True
    for side, width, bases in zip(sides, widths, reversed(cells), strict=True):
        if len(bases) < DEPTH or width < NARROWEST * size:
            continue
        beside = [row for row in side if row.lifted is None and bases[0] - size <= row.base <= bases[-1] + size]
        ends = sum(row.x1 - row.x0 < FULL * width or row.tabular for row in beside)
        names = sum(row.text[:1].isupper() for row in beside)
        if 2 * ends < len(bases) and 2 * names < len(beside) and is_prose_beside([row.words for row in beside], side[0].page):
            return True
    return False


def _has_lines(rows: Sequence[Row], width: float) -> bool:
    """Among the rows are lines of prose that fill the column."""
    return sum(row.x1 - row.x0 > FULL * width and not row.tabular for row in rows) >= DEPTH


def _is_prose(rows: Sequence[Row], width: float, size: float) -> bool:
    """Lines fill the column: most of them do, or, where figures and captions stand between, most of the ink is in such."""
    inks = sorted(sum(word.x1 - word.x0 for word in row.words) + 0.25 * size * (len(row.words) - 1) for row in rows)
    if median(inks) >= FILL * width:
        return True
    long = [ink for ink in inks if ink >= FULL * width]
    return len(long) >= 2 * DEPTH and 2 * sum(long) > sum(inks)


def _is_river(rows: Sequence[Row], sides: Sequence[Sequence[Row]]) -> bool:
    """Spaces of stretched lines that happen to stand below one another: in most rows the gap is as wide as the others. Rows of
    cells, as of a table beside prose, have wide gaps anyway."""
    edge = min(row.x0 for row in sides[1])
    alike = both = 0
    for row in rows:
        gaps = [(b.x0 - a.x1, b.x0 >= edge > a.x0) for a, b in pairwise(row.words)]
        usual = median([gap for gap, across in gaps if not across] or [0.0])
        if usual >= WIDE_GAP * row.size:
            continue
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
    """The measure of the rows: the leftmost edge, and the right one. Tables may reach beyond it."""
    plain = [row for row in rows if row.words[0].start >= 0] or rows
    return Column(rows, min(row.x0 for row in plain), _right_edge(sorted((row.x1 for row in plain), reverse=True)))


def _right_edge(rights: Sequence[float]) -> float:
    """The edge at which most lines end, where many do: commas and hyphens may hang out of it; else the rightmost that two
    rows share. `rights` fall."""
    shared = next((a for a, b in pairwise(rights) if a - b <= SHARED), rights[0])
    falling = [-edge for edge in rights]
    ends = [bisect_right(falling, HUNG_EDGE - edge) - at for at, edge in enumerate(rights)]
    at = max(range(len(rights)), key=ends.__getitem__)
    return rights[at] if ends[at] >= DEPTH and 2 * ends[at] > len(rights) and shared - rights[at] <= HANGS else shared
