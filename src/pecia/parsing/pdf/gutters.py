"""Gutters: strips that few rows cross while many stand on both sides of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import sub
from statistics import median

from pecia.model import BlockKind
from pecia.parsing.pdf.glyphs import Word
from pecia.parsing.pdf.rows import Row

BINS = 600  # strips that a region is cut into to look for a gutter: less than a point on most pages
GUTTER = 0.65  # of the size: narrower than this is a space between words; gutters of 8 points at size 11 exist
SLACK = 0.2  # of the gutter: so far a line may reach into it; slanted glyphs and hung marks do, by 1 point in 180
CANDIDATES = 3  # gutters that are tried where the first one divides less than half of the rows
DEPTH = 3  # rows on both sides that do not cross: two may be chance
LINE = 1.5  # of the size: so much of the height of a table counts as one line
NARROWEST = 8.0  # sizes that a column of prose is wide, at least


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
        for word in row.words:  # a plain loop: asked 3,000 times a page
            if word.x0 < x1 and word.x1 > x0:
                break
        else:
            return False
        return not any(
            after.x0 - before.x1 >= GUTTER * row.size and before.x1 < x1 and after.x0 > x0 and (before.x1 <= x0 or after.x0 >= x1)
            for before, after in pairwise(row.words)
        )


def find_gutters(rows: Sequence[Row], known: Sequence[Gutter] = ()) -> Iterator[Gutter]:
    """The gutter that rows stand on both sides of and fewest cross, then other likely ones; of two alike, first the one
    that is known.

    A known gutter is a guess from other pages: left and right pages may have their columns at different places.
    """
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    found = [gutter for gutter in known if left < gutter.x0 and gutter.x1 < right and _sides(rows, gutter)]
    others = _own_gutters(rows, left, right)
    own = next(others, None)
    likely = [*found, own] if own else found
    first = min(likely, key=lambda gutter: sum(map(gutter.crosses, rows))) if len(likely) > 1 else own or next(iter(found), None)
    if first is not None:
        yield first
        yield from (gutter for gutter in (own, *found[:1]) if gutter and gutter is not first)
        yield from others


def _own_gutters(rows: Sequence[Row], left: float, right: float) -> Iterator[Gutter]:
    """Up to `CANDIDATES` gutters with rows on both sides that do not cross them, those with most rows first."""
    size = median(row.size for row in rows) or 1.0
    if right - left < 2 * NARROWEST * size:
        return
    step = (right - left) / BINS
    cover = [0] * (BINS + 2)
    for row in rows:
        for x0, x1, lines in _stripes(row, size):
            cover[int((x0 - left) / step)] += lines
            cover[min(BINS, int((x1 - left) / step)) + 1] -= lines
    cover = list(accumulate(cover))
    if max(cover) < DEPTH:
        return
    width = max(1, round(GUTTER * size / step))
    edge = max(1, round(NARROWEST * size / step / 2))
    on_left, on_right = list(accumulate(cover, max)), list(accumulate(reversed(cover), max))[::-1]
    inside = _sliding_max(cover, width)
    last = BINS - edge - width
    depths = list(map(sub, map(min, on_left[edge:last], on_right[edge + width :]), inside[edge:]))
    for _ in range(CANDIDATES):
        best = max(depths, default=0)
        if best < DEPTH:
            return
        found = edge + depths.index(best)
        end = found + width
        while end < BINS - edge and cover[end] <= inside[found]:
            end += 1
        yield Gutter(left + (found + 1) * step, left + (end - 1) * step)
        for at in range(max(0, found - 2 * width - edge), min(len(depths), end + width - edge)):
            depths[at] = 0


def _sides(rows: Sequence[Row], gutter: Gutter) -> bool:
    """True where lines stand on both sides of the gutter that do not cross it."""
    free = [row for row in rows if not gutter.crosses(row)]
    return any(row.words[0].x1 <= gutter.x1 for row in free) and any(row.words[-1].x0 >= gutter.x0 for row in free)


def _stripes(row: Row, size: float) -> Iterator[tuple[float, float, int]]:
    """From where to where words stand without a wide space between them, and as how many lines: a table, which may be all that
    a column holds, counts by its height."""
    x0, x1, lines = row.words[0].x0, row.words[0].x1, _lines_of(row.words[0], row, size)
    for word in row.words[1:]:
        if word.x0 - x1 > 0.6 * size:
            yield x0, x1, lines
            x0, lines = word.x0, _lines_of(word, row, size)
        x1 = max(x1, word.x1)
    yield min(x0, x1), max(x0, x1), lines


def _lines_of(word: Word, row: Row, size: float) -> int:
    if word.start >= 0 or row.page.lifted[-1 - word.start].kind is not BlockKind.TABLE:
        return 1
    return max(1, int((word.y1 - word.y0) / (LINE * size)))


def _sliding_max(values: Sequence[int], width: int) -> list[int]:
    """The largest of each `width` values in a row, by windows that double."""
    held, size = list(values), 1
    while size < width:
        step = min(size, width - size)
        held, size = list(map(max, held, held[step:])), size + step
    return held
