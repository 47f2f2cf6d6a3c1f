"""Rows at the head of a column that go on with the table at the foot of the one before, where nothing else tells it.

A table of two or three rows without rulings and header is none by itself; below the place where a table was cut off it is the
rest of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pecia.parsing.pdf.gaps import Piece, TableLine, assign, grouped, pieces_of, slots_of
from pecia.parsing.pdf.glyphs import Word
from pecia.parsing.pdf.order import Column
from pecia.parsing.pdf.rows import Row
from pecia.parsing.pdf.sketch import Sketch, bare
from pecia.parsing.pdf.spanning import SHIFT
from pecia.parsing.pdf.unruled import in_place_of

FARTHER = 1.35  # times the widest step between rows of the table: a row farther down is none of it
STEP = 2.2  # of the size: the widest step where the table has one row
SAME_SIZE = 0.3  # points


def taken_up(column: Column, before: Column | None) -> Column:
    """The column with one row in place of those at its head that stand in the columns of the table that ends the column
    before; the same column where there are none."""
    table = before.rows[-1].table if before is not None and before.rows else None
    if before is None or table is None or table.turns:
        return column
    lines: list[TableLine] = []
    widest, size = _step_and_size(table)
    for row in column.rows:
        near = not lines or row.base - lines[-1].row.base <= FARTHER * widest
        line = TableLine(row, pieces_of(row)) if row.lifted is None and near and abs(row.size - size) <= SAME_SIZE else None
        if line is None or not _stands_in(line, table, column.x0 - before.x0):
            break
        lines.append(line)
    if not lines:
        return column
    first, edges = column.rows[0], [edge + column.x0 - before.x0 for edge in table.edges]
    assign(lines, edges)
    slots = slots_of(grouped(lines, edges, boxed=False), len(edges) - 1)
    box = bare(word for line in lines for word in line.row.words)
    rest = Sketch(first.page, first.fonts, box, edges, slots, header_rows=0)
    return replace(column, rows=[in_place_of(rest, first), *column.rows[len(lines) :]])


def _step_and_size(table: Sketch) -> tuple[float, float]:
    """The widest step between its lines below the header, and their size."""
    rows = table.printed()
    body = rows[min(table.header_rows, len(rows) - 1) :]
    size = body[-1].size
    return max((two.base - one.base for one, two in pairwise(body)), default=STEP * size), size


def _stands_in(line: TableLine, table: Sketch, shift: float) -> bool:
    """Whether each piece of a line stands in a column of its own and below what stands there, the first one too; a header is
    set otherwise, but for one that is printed again."""
    columns = len(table.edges) - 1
    if 2 * len(line.pieces) < max(4, columns) or len(line.pieces) > columns:
        return False
    header = [table.row_words(at) for at in range(min(table.header_rows, len(table.slots)))]
    if line.row.bold and not any(_same_words(line.row, words, table) for words in header):
        return False
    places = [_column_of(piece, table, shift) for piece in line.pieces]
    if None in places or places[0] != 0 or len(set(places)) < len(places):
        return False
    return all(_is_aligned(piece, table, at, shift) for piece, at in zip(line.pieces, places, strict=True) if at is not None)


def _same_words(row: Row, words: Sequence[Word], table: Sketch) -> bool:
    return [row.page.text(word) for word in row.words] == [table.page.text(word) for word in words]


def _column_of(piece: Piece, table: Sketch, shift: float) -> int | None:
    inner = [edge + shift for edge in table.edges[1:-1]]
    first = sum(edge < piece.x0 + SHIFT for edge in inner)
    return first if first == sum(edge < piece.x1 - SHIFT for edge in inner) else None


def _is_aligned(piece: Piece, table: Sketch, column: int, shift: float) -> bool:
    """Its left or right end, or its middle, stands below that of a cell of the column."""
    for row in table.slots:
        words = row[column].words
        if not words:
            continue
        x0, x1 = min(word.x0 for word in words) + shift, max(word.x1 for word in words) + shift
        if min(abs(piece.x0 - x0), abs(piece.x1 - x1), abs(piece.x0 + piece.x1 - x0 - x1) / 2) <= SHIFT / 2:
            return True
    return False
