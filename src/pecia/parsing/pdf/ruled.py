"""Tables with rulings in both directions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from statistics import median

from pecia.parsing.pdf.gaps import Piece, TableLine, grouped
from pecia.parsing.pdf.gaps import slots_of as slots_of_lines
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs, Word
from pecia.parsing.pdf.grid import Grid, crossings, grid_of, slots_of
from pecia.parsing.pdf.rows import Row, rows_of
from pecia.parsing.pdf.rulings import Frame, places
from pecia.parsing.pdf.sketch import Cell, Corners, Sketch
from pecia.parsing.pdf.trust import RAGGED

SLIVER = 5.0  # points: a column or row this narrow without words is the space between two lines of a double border
LONGEST, SHARE = 120, 0.6  # words of one cell, and share of all words, from which lines are a layout and no table
FEW_BOXES, BOX, HEADING = 8, 40, 12  # cells, words of a middling one, words in the first row: boxes of text and no table
ODD = 0.3  # share of the slots in cells that are no rectangle, from which lines are a drawing and no table
ROWS_TOLD = 3  # bands of a table whose rows are not told by rulings, at most
ALIGNED = 0.7  # share of the columns that have words in each row of such a band


def is_open(frame: Frame) -> bool:
    """Hardly any upright lines: columns must be told by white space, as in a booktabs table."""
    xs = places(frame.down)
    left, right = min(line.start for line in frame.across), max(line.end for line in frame.across)
    outer = sum(abs(x - left) <= SLIVER or abs(x - right) <= SLIVER for x in xs)
    return len(xs) - outer < 1 or (outer < 2 and len(xs) - outer < 2)


def ruled(page: PageGlyphs, words: Sequence[Word], fonts: Fonts, frame: Frame) -> Sketch | None:
    """The table that the lines make, with the words in it; None where they make none."""
    grid = grid_of(frame)
    if grid is None or (len(grid.xs) < 3 and len(grid.ys) < 3):
        return None
    x0, x1, y0, y1 = grid.xs[0], grid.xs[-1], grid.ys[0], grid.ys[-1]
    inside = [word for word in words if x0 <= (word.x0 + word.x1) / 2 <= x1 and y0 <= (word.y0 + word.y1) / 2 <= y1]
    if not inside:
        return None
    slots = slots_of(grid, inside)
    crossing = crossings(grid, slots, inside)
    drop_slivers(grid, slots)
    if _are_boxes(slots):
        return None
    slots = list(_told_by_lines(grid, slots, page, fonts))
    if not is_table(slots) and not (_is_filled_row(slots) and _ends_column(words, inside, (x0, y0, x1, y1))):
        return None
    sketch = Sketch(page, fonts, (grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1]), grid.xs, slots, -1, ruled=True)
    odd = grid.odd()
    if sum(number in odd for numbers in grid.owners for number in numbers) > ODD * len(grid.owners) * len(grid.owners[0]):
        return None  # a drawing
    if crossing >= max(2, 0.05 * len(inside)):
        sketch.reason = RAGGED.format(crossing)
    return sketch


def drop_slivers(grid: Grid, slots: list[list[Cell]]) -> None:
    """Takes out narrow columns and low rows that have no cell with words of their own."""
    for column in range(len(grid.xs) - 2, -1, -1):
        if grid.xs[column + 1] - grid.xs[column] < SLIVER and len(grid.xs) > 2 and _is_blank(slots, column):
            for row, numbers in zip(slots, grid.owners, strict=True):
                del row[column], numbers[column]
            del grid.xs[column + 1 if column else 0]
            del grid.drawn[max(0, column - 1) : max(1, column)]
    for at in range(len(grid.ys) - 2, -1, -1):
        if grid.ys[at + 1] - grid.ys[at] < SLIVER and len(grid.ys) > 2 and not any(cell.words for cell in slots[at]):
            del slots[at], grid.owners[at], grid.ys[at + 1 if at else 0]


def _is_blank(slots: Sequence[Sequence[Cell]], column: int) -> bool:
    for row in slots:
        cell = row[column]
        beside = any(other is cell for at, other in enumerate(row) if at != column)
        if cell.words and not beside:
            return False
    return True


def _told_by_lines(grid: Grid, slots: Sequence[list[Cell]], page: PageGlyphs, fonts: Fonts) -> Iterator[list[Cell]]:
    """A band between two level lines is several rows where its lines stand side by side in nearly all columns and none goes
    on in the next one. Where many level lines are drawn, only figures are believed to do so."""
    few = len(slots) <= ROWS_TOLD
    for at, cells in enumerate(slots):
        beside = {id(cell) for other in slots[max(0, at - 1) : at + 2] if other is not cells for cell in other}
        own = [Cell() if id(cell) in beside else cell for cell in cells]
        spans = len({id(cell) for cell in cells}) < len(cells)
        words = [word for cell in own for word in cell.words]
        rows = rows_of(words, page, fonts) if not spans and len(words) > len(cells) and (at or len(slots) == 1) else []
        groups = grouped([_line(row, grid) for row in rows], grid.xs) if len(rows) > 1 else []
        if not _are_rows(groups, own, page, few=few):
            yield cells
            continue
        for made in slots_of_lines(groups, len(cells)):
            yield [cell if id(cell) in beside else new for cell, new in zip(cells, made, strict=True)]


def _line(row: Row, grid: Grid) -> TableLine:
    held: dict[int, Piece] = {}
    for word in sorted(row.words, key=lambda word: word.x0):
        column = max(0, min(bisect_right(grid.xs, (word.x0 + word.x1) / 2), len(grid.xs) - 1) - 1)
        piece = held.setdefault(column, Piece([], word.x0, word.x1, column, column))
        piece.words.append(word)
        piece.x1 = max(piece.x1, word.x1)
    return TableLine(row, list(held.values()), filled=held)


def _are_rows(groups: Sequence[Sequence[TableLine]], cells: Sequence[Cell], page: PageGlyphs, *, few: bool) -> bool:
    columns = {at for at, cell in enumerate(cells) if cell.words}
    if len(groups) < 2 or len(columns) < 2:
        return False
    filled = [{column for line in group for column in line.filled} for group in groups]
    if any(min(columns) not in own or len(own) < ALIGNED * len(columns) for own in filled):
        return False
    pieces = [piece for group in groups for line in group for piece in line.pieces if piece.first > min(columns)]
    figures = sum(any(char.isdigit() for word in piece.words for char in page.text(word)) for piece in pieces)
    if len(groups) == 2 and not (few and len(columns) > 3):
        return len(columns) > 2 and figures == len(pieces)
    return few or 2 * figures > len(pieces)


def is_table(slots: Sequence[Sequence[Cell]]) -> bool:
    """Two rows and two columns have words, and no cell holds nearly all of them."""
    distinct = {id(cell): cell for row in slots for cell in row if cell.words}
    rows = sum(any(cell.words for cell in row) for row in slots)
    columns = sum(any(cell.words for cell in column) for column in zip(*slots, strict=True))
    if rows < 2 or columns < 2 or len(distinct) < 3:
        return False
    sizes = [len(cell.words) for cell in distinct.values()]
    return not (max(sizes) > LONGEST and max(sizes) > SHARE * sum(sizes))


def _are_boxes(slots: Sequence[Sequence[Cell]]) -> bool:
    """A few cells with much text, and none of the first row that names a column: boxes of a layout."""
    sizes = [len(cell.words) for cell in {id(cell): cell for row in slots for cell in row if cell.words}.values()]
    heading = max(len(cell.words) for cell in slots[0])
    return 0 < len(sizes) <= FEW_BOXES and heading > HEADING and median(sizes) >= BOX


def _is_filled_row(slots: Sequence[Sequence[Cell]]) -> bool:
    """One row with words in two cells or more, and none without."""
    return len(slots) == 1 and len({id(cell) for cell in slots[0]}) > 1 and all(cell.words for cell in slots[0])


def _ends_column(words: Sequence[Word], inside: Sequence[Word], box: Corners) -> bool:
    """No other word stands below, or none above: the row may be the first or the last of a table that a break parts."""
    x0, y0, x1, y1 = box
    held = {id(word) for word in inside}
    beside = [word for word in words if id(word) not in held and word.x1 > x0 and word.x0 < x1]
    return all(word.y1 <= y1 for word in beside) or all(word.y0 >= y0 for word in beside)
