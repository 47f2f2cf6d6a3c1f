"""Tables without rulings: rows of a column whose words keep to the same strips. A false table is worse than a missed one.

Two-column prose never comes here, as a column of the page has been told apart before. Contents pages, lists of keys and
values, lines of an address or of a formula do: a table of two columns is believed only with a caption at it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.booktabs import sketch_of
from pecia.parsing.pdf.gaps import SPACED, STEADY, TableLine, gutters_in, pieces_of
from pecia.parsing.pdf.gutters import Gutter
from pecia.parsing.pdf.marks import ends_in_hyphen, has_leaders, is_table_caption, may_open_table, starts_item
from pecia.parsing.pdf.plausible import NEAR_EDGE, are_aligned, are_rising, filled, is_prose, is_prose_beside
from pecia.parsing.pdf.rows import Row
from pecia.parsing.pdf.sketch import Sketch, stand_in
from pecia.parsing.pdf.statements import CAPTION_LINES, statements
from pecia.parsing.pdf.tables import finish

GAP = 1.0  # of the size: a row without such a gap is none of the table, unless it goes on with a cell above
STEP = 4.0  # of the size: rows of one table are no farther apart
HEAD_STEP = 2.4  # of the size: the names of columns are no farther above the first row
APART = 1.2  # times the usual step: what is so far below the rows may be text
NEAR = 4.0  # of the size: between a table and its caption
TAILS = 12  # further lines of one cell, under its first one
CLOSE = 1.45  # of the size: lines of one cell are no farther apart
SINGLES = 3  # lines in a row that go on with one cell
ROWS, ROWS_ALONE, ROWS_CUT = 3, 4, 2  # rows that a table with a caption has at least, one without, and one that goes on elsewhere
FILLED, FILLED_ALONE = 0.6, 0.75  # share of the slots with words
FIGURES = 0.6  # share of the rows with a figure in one column at least, in a table without a caption


def lift_wide(rows: list[Row], known: Sequence[Gutter]) -> list[Row]:
    """The rows of a whole page, not yet divided into columns, with a row in place of each table under a caption that stands
    across the gutters of its columns."""

    def begins(at: int, found: Sequence[Row]) -> tuple[int, Sketch | None]:
        above = rows[at - 1] if at else None
        under = above is not None and found[-1].lifted is None and may_open_table(above.page.text(above.words[0]))
        last, sketch = _table_from(rows, at) if under and _is_multiple(rows[at]) else (at, None)
        return last, None if sketch is None or _holds_prose(rows[at : last + 1], sketch, known) else sketch

    return _lifted(rows, begins)


def _holds_prose(rows: Sequence[Row], sketch: Sketch, known: Sequence[Gutter]) -> bool:
    """The table keeps to one side of a gutter, or what seems to be a column of it are lines of the text beside."""
    x0, x1 = sketch.box[0], sketch.box[2]
    if not any(x0 < gutter.x0 and gutter.x1 < x1 and any(gutter.crosses(row) for row in rows) for gutter in known):
        return True
    for low, high in pairwise(sketch.edges):
        parts = [part for row in rows if (part := [word for word in row.words if low <= (word.x0 + word.x1) / 2 < high])]
        if is_prose_beside(parts, rows[0].page):
            return True
    return False


def lift_unruled(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows of a column with a row in place of each table that stands in it without rulings."""
    if not any(map(_is_multiple, rows)):
        return rows
    for first, last, sketch in reversed(list(statements(rows))):
        rows = [*rows[:first], in_place_of(sketch, rows[first]), *rows[last + 1 :]]
    begins = [_is_multiple(row) or _is_close_header(rows, at) for at, row in enumerate(rows)]
    return _lifted(rows, lambda at, _: _table_from(rows, at) if begins[at] else (at, None))


def _lifted(rows: Sequence[Row], begins: Callable[[int, Sequence[Row]], tuple[int, Sketch | None]]) -> list[Row]:
    """The rows with one in place of each table; `begins` says whether one begins at a row, after those found before it, and
    where it ends."""
    found: list[Row] = []
    at = 0
    while at < len(rows):
        last, sketch = begins(at, found)
        if sketch is None:
            found.append(rows[at])
            at += 1
            continue
        found.append(in_place_of(sketch, rows[at]))
        at = last + 1
    return found


def in_place_of(sketch: Sketch, row: Row) -> Row:
    """A row that stands in for a table, whose first row is given."""
    finish(sketch)
    return Row.of([stand_in(sketch)], row.page, row.fonts)


def _table_from(rows: Sequence[Row], first: int) -> tuple[int, Sketch | None]:
    """The table that begins with this row, if one does, and its last row."""
    if not (rows[first].tabular or _is_under_caption(rows, first) or _is_close_header(rows, first)):
        return first, None
    last = _end_of_run(rows, first)
    while last - first + 1 >= _fewest(rows, first, last):
        caption = _is_under_caption(rows, first) or _is_over_caption(rows, last)
        sketch, cut = _sketch(rows[first : last + 1], caption=caption, fewest=_fewest(rows, first, last))
        if sketch is None and not cut and caption:
            cut = _widest_gap(rows[first : last + 1])
        if sketch is not None or not cut:
            return last, sketch
        last = first + cut - 1
    return first, None


def _widest_gap(rows: Sequence[Row]) -> int:
    """How many rows stand above the widest space between two of them, where it is wider than most: below it may be text."""
    steps = [two.base - one.base for one, two in pairwise(rows)]
    widest = max(range(len(steps)), key=steps.__getitem__, default=0)
    return widest + 1 if steps and steps[widest] > APART * median(steps) else 0


def _fewest(rows: Sequence[Row], first: int, last: int) -> int:
    """How many rows a table has here at least: under its caption a bold header and one row may be cut off by the foot of the
    column."""
    cut_off = last + 1 == len(rows) and _bold_heads(rows[first : last + 1]) > 0 and _is_under_caption(rows, first)
    return ROWS_CUT if cut_off else ROWS


def _is_multiple(row: Row) -> bool:
    if row.lifted is not None:
        return False
    gaps = [pair for pair in pairwise(row.words) if pair[1].x0 - pair[0].x1 >= GAP * row.size]
    if not gaps or not has_leaders(row.text):
        return bool(gaps)
    # Leaders inside a cell: no dots lead up to the gap beside it or away from it.
    return any(all(any(map(str.isalnum, row.page.text(word))) for word in pair) for pair in gaps)


def _is_close_header(rows: Sequence[Row], at: int) -> bool:
    """A line whose cells are closer than others, names of columns as wide as these: a bold one under a caption, or one that has a
    name over each cell of the row below."""
    row = rows[at]
    if row.lifted is not None or len(names := pieces_of(row)) < 2:
        return False
    if row.bold and _is_under_caption(rows, at):
        return True
    below = rows[at + 1] if at + 1 < len(rows) else None
    if below is None or not _is_multiple(below) or not 0 < below.base - row.base <= HEAD_STEP * row.size:
        return False
    cells = pieces_of(below)
    if len(names) != len(cells) or len(names) < 3 or any(char.isdigit() for char in row.text):
        return False
    return all(name.x0 < cell.x1 and cell.x0 < name.x1 for name, cell in zip(names, cells, strict=True))


def _end_of_run(rows: Sequence[Row], first: int) -> int:
    """The last row with gaps that follows close on the others, with no more than a few single lines between, or the further
    lines of its last cell."""
    last, singles = first, 0
    left, right = rows[first].x0, rows[first].x1
    for at in range(first + 1, len(rows)):
        row, above = rows[at], rows[at - 1]
        step = row.base - above.base
        if row.lifted is not None or abs(row.size - rows[first].size) > 0.15 * row.size or not 0 < step <= STEP * row.size:
            break
        if _is_multiple(row):
            last, singles = at, 0
            left, right = min(left, row.x0), max(right, row.x1)
            continue
        if step <= CLOSE * row.size and row.x0 > left + row.size and at - last <= TAILS and _is_tail(row, above):
            last, right = (at, right) if row.x1 <= right + row.size and singles == 0 else (last, right)
            continue
        singles += 1
        if singles > SINGLES or has_leaders(row.text) or is_table_caption(row.text):
            break
        if step <= CLOSE * row.size and at == last + singles and _goes_on(rows, first, at):
            last = at
    return last


def _is_tail(row: Row, above: Row) -> bool:
    """A single line stands under a piece of the row above."""
    return any(abs(word.x0 - row.x0) < NEAR_EDGE for word in above.words)


def _goes_on(rows: Sequence[Row], first: int, at: int) -> bool:
    """A single line at the left edge goes on with the first cell of the row above: with a word that is parted there, or it is
    nearer to it than rows of the table are to one another."""
    row, above = rows[at], rows[at - 1]
    pieces = pieces_of(above)
    if abs(row.x0 - pieces[0].x0) >= NEAR_EDGE or (len(pieces) > 1 and row.x1 >= pieces[1].x0):
        return False
    steps = [two.base - one.base for one, two in pairwise(rows[first:at])]
    tight = row.base - above.base
    near = sum(step > STEADY * tight for step in steps) >= SPACED and tight < STEADY * min(steps)
    return near or (row.text[:1].islower() and ends_in_hyphen(above.page.text(pieces[0].words[-1])))


def _is_under_caption(rows: Sequence[Row], first: int) -> bool:
    below = rows[first]
    for at in range(first - 1, max(-1, first - 1 - CAPTION_LINES), -1):
        row = rows[at]
        if row.lifted is not None or not 0 < below.base - row.base <= NEAR * row.size:
            return False
        if is_table_caption(row.text):
            return not has_leaders(row.text)  # else a line of a list of tables
        below = row
    return False


def _is_over_caption(rows: Sequence[Row], last: int) -> bool:
    if last + 1 >= len(rows):
        return False
    below = rows[last + 1]
    return 0 < below.base - rows[last].base <= NEAR * below.size and is_table_caption(below.text) and not has_leaders(below.text)


def _sketch(rows: Sequence[Row], *, caption: bool, fewest: int) -> tuple[Sketch | None, int]:
    """The table of these rows; where they are none, how many of them from the first one may be."""
    lines = [TableLine(row, pieces_of(row)) for row in rows]
    size = rows[0].size
    multiple = [line.pieces for line in lines if len(line.pieces) > 1]
    gutters = gutters_in(multiple, size)
    for at, line in enumerate(lines):
        if len(line.pieces) == 1 and any(line.row.x0 < edge < line.row.x1 for edge in gutters):
            return None, at  # a line of text below the table
    width = len(gutters) + 1
    led = any(has_leaders(row.text) for row in rows)
    if width < 2 or ((width == 2 or led) and not caption) or is_prose(rows, gutters):
        return None, 0
    heads = _bold_heads(rows)
    for line in lines[:heads]:
        line.head = True
    sketch = sketch_of(rows[0].page, rows[0].fonts, lines, (min(r.x0 for r in rows), max(r.x1 for r in rows)), sure=True)
    if sketch is None or not _is_believed(sketch, lines, caption=caption, fewest=fewest):
        return None, 0
    return sketch, 0


def _bold_heads(rows: Sequence[Row]) -> int:
    count = next((at for at, row in enumerate(rows) if not row.bold), 0)
    return count if count <= CAPTION_LINES else 0


def _is_believed(sketch: Sketch, lines: Sequence[TableLine], *, caption: bool, fewest: int) -> bool:
    slots = sketch.slots
    rows = sum(sum(bool(cell.words) for cell in row) > 1 for row in slots)
    if rows < (fewest if caption else ROWS_ALONE) or filled(sketch) < (FILLED if caption else FILLED_ALONE):
        return False
    if not are_aligned(lines, len(slots[0])):
        return False
    if caption:
        return True
    if all(starts_item(line.row.text) for line in lines) or _is_contents(sketch):
        return False
    figures = [
        sum(any(char.isdigit() for word in cell.words for char in sketch.page.text(word)) for cell in column)
        for column in list(zip(*slots, strict=True))[1:]
    ]
    return max(figures) >= FIGURES * len(slots)


def _is_contents(sketch: Sketch) -> bool:
    """The last column has page numbers that rise."""
    texts = ["".join(map(sketch.page.text, row[-1].words)) for row in sketch.slots]
    return are_rising(texts)
