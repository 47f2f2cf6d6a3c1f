"""The grid of a ruled table: cells between crossing lines; where a line is missing between two, they are one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pecia.parsing.pdf.glyphs import Word
from pecia.parsing.pdf.rulings import Frame, covers, places
from pecia.parsing.pdf.sketch import Cell

MOST = 10_000  # slots: 58 rows of 25 columns are 1,450; a mesh of thin lines is a drawing
OPEN = 6.0  # points that lines reach beyond the outermost line across them: a table without its outer lines
WEAK = 0.5  # share of the height in which a column edge is drawn: below, cells are parted at it wherever words allow
APART = 10.0  # points between words on the two sides of such an edge
STRAY = 1.5  # points that a word reaches over a line on both sides before it counts as crossing it


@dataclass(slots=True)
class Grid:
    """Edges of columns and rows; `owners` has a number for each slot, and slots of one cell share it."""

    xs: list[float]
    ys: list[float]
    owners: list[list[int]]
    drawn: list[float] = field(default_factory=list)  # share of the height in which each inner column edge is drawn

    def odd(self) -> set[int]:
        """The numbers of cells of another shape than a rectangle."""
        seen: dict[int, list[tuple[int, int]]] = {}
        for row, numbers in enumerate(self.owners):
            for column, number in enumerate(numbers):
                seen.setdefault(number, []).append((row, column))
        return {
            number
            for number, slots in seen.items()
            if len(slots) != (slots[-1][0] - slots[0][0] + 1) * (max(c for _, c in slots) - min(c for _, c in slots) + 1)
        }


def grid_of(frame: Frame) -> Grid | None:
    """The grid of lines that cross, each sorted by place; None where they enclose nothing."""
    xs = _with_ends(places(frame.down), [(line.start, line.end) for line in frame.across])
    ys = _with_ends(places(frame.across), [(line.start, line.end) for line in frame.down])
    height, width = len(ys) - 1, len(xs) - 1
    if not 0 < height * width <= MOST:
        return None
    parent = list(range(height * width))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    drawn = []
    for column in range(1, width):
        near = [line for line in frame.down if abs(line.at - xs[column]) <= OPEN / 3]
        walls = [covers(near, xs[column], top, bottom) for top, bottom in pairwise(ys)]
        tall = sum(bottom - top for wall, (top, bottom) in zip(walls, pairwise(ys), strict=True) if wall)
        drawn.append(tall / (ys[-1] - ys[0]))
        for row, wall in enumerate(walls):
            if not wall:
                parent[root(row * width + column)] = root(row * width + column - 1)
    for row in range(1, height):
        near = [line for line in frame.across if abs(line.at - ys[row]) <= OPEN / 3]
        for column, (left, right) in enumerate(pairwise(xs)):
            if not covers(near, ys[row], left, right):
                parent[root(row * width + column)] = root((row - 1) * width + column)
    return Grid(xs, ys, [[root(row * width + column) for column in range(width)] for row in range(height)], drawn)


def _with_ends(found: list[float], reaches: Sequence[tuple[float, float]]) -> list[float]:
    """The places, and where lines across them end beyond the outermost."""
    first, last = min(start for start, _ in reaches), max(end for _, end in reaches)
    if not found or first < found[0] - OPEN:
        found = [first, *found]
    if last > found[-1] + OPEN:
        found = [*found, last]
    return found


def slot_of(word: Word, grid: Grid) -> tuple[int, int] | None:
    """Row and column of the slot in which the middle of a word stands."""
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    if not (grid.xs[0] <= x <= grid.xs[-1] and grid.ys[0] <= y <= grid.ys[-1]):
        return None
    row = min(bisect_right(grid.ys, y), len(grid.ys) - 1) - 1
    return row, min(bisect_right(grid.xs, x), len(grid.xs) - 1) - 1


def slots_of(grid: Grid, words: Sequence[Word]) -> list[list[Cell]]:
    """The words put into the cells. At an edge that most rows do not draw, a cell is parted unless a word crosses it; so is
    one that is no rectangle at every edge."""
    placed: list[tuple[Word, int, int]] = []
    for word in words:
        slot = slot_of(word, grid)
        if slot is not None:
            placed.append((word, *slot))
    crossed = {
        (row, edge)
        for word, row, _ in placed
        for edge in range(1, len(grid.xs) - 1)
        if word.x0 + STRAY < grid.xs[edge] < word.x1 - STRAY
    }
    gaps = _gaps(placed, grid)
    slots: list[list[Cell]] = []
    held: dict[tuple[int, int, int], Cell] = {}
    odd = grid.odd()
    for row, numbers in enumerate(grid.owners):
        parts = [0]
        for edge in range(1, len(numbers)):
            weak = grid.drawn[edge - 1] < WEAK or numbers[edge] in odd or (row, edge) in gaps
            parts.append(edge if weak and (row, edge) not in crossed else parts[-1])
        keys = [(number, part, row if number in odd else -1) for number, part in zip(numbers, parts, strict=True)]
        slots.append([held.setdefault(key, Cell()) for key in keys])
    for word, row, column in placed:
        slots[row][column].words.append(word)
    return slots


def _gaps(placed: Sequence[tuple[Word, int, int]], grid: Grid) -> set[tuple[int, int]]:
    """Rows and column edges at which a cell of one row holds words on both sides, far apart: the header of a table whose
    upright lines begin below it."""
    found: set[tuple[int, int]] = set()
    held: dict[tuple[int, int], list[Word]] = {}
    for word, row, column in placed:
        held.setdefault((row, grid.owners[row][column]), []).append(word)
    for (row, number), words in held.items():
        columns = [at for at, other in enumerate(grid.owners[row]) if other == number]
        if len(columns) < 2 or len({word.base for word in words}) > 1 or sum(number in own for own in grid.owners) > 1:
            continue
        words.sort(key=lambda word: word.x0)
        for edge in columns[1:]:
            left = max((word.x1 for word in words if word.x1 <= grid.xs[edge]), default=None)
            right = min((word.x0 for word in words if word.x0 >= grid.xs[edge]), default=None)
            if left is not None and right is not None and right - left > APART:
                found.add((row, edge))
    return (
        found if found and all((row, edge) in found for row in {row for row, _ in found} for edge in _inner(grid, row)) else set()
    )


def _inner(grid: Grid, row: int) -> list[int]:
    """The column edges that are not drawn in this row."""
    return [edge for edge in range(1, len(grid.xs) - 1) if grid.owners[row][edge] == grid.owners[row][edge - 1]]


def crossings(grid: Grid, slots: Sequence[Sequence[Cell]], words: Sequence[Word]) -> int:
    """How many words stand across a line that parts two cells, be it upright or level."""
    count = 0
    for word in words:
        slot = slot_of(word, grid)
        if slot is None:
            continue
        row, column = slot
        own = slots[row][column]
        beside = [
            (grid.xs[column], slots[row][column - 1] if column else None, word.x0, word.x1),
            (grid.xs[column + 1], slots[row][column + 1] if column + 2 < len(grid.xs) else None, word.x0, word.x1),
        ]
        count += any(other is not own and x0 + STRAY < edge < x1 - STRAY for edge, other, x0, x1 in beside)
    return count
