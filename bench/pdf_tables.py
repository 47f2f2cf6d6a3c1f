"""Random tables with their truth: ruled, with level rules, booktabs, without rules; long cells, spans, page breaks."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bench.pdf_printer import Block, Line, Printer, Unit, Writer, set_words
from reportlab.pdfgen.canvas import Canvas

STYLES = ("ruled", "ruled", "levels", "booktabs", "booktabs", "plain")


@dataclass
class Grid:
    """What a table should come out as, and how it is drawn. `spans`: first and last column of merged header cells."""

    caption: str
    style: str
    cells: list[list[str]] = field(default_factory=list)
    header_rows: int = 1
    edges: list[float] = field(default_factory=list)  # points from the left of the table
    spans: list[tuple[int, int]] = field(default_factory=list)
    bars: bool = True  # the outer upright lines are drawn
    head: list[Block] = field(default_factory=list)  # printed again after a page break
    whole: bool = True  # never broken


def table(
    rng: random.Random, writer: Writer, printer: Printer, size: float, leading: float, width: float, caption: str
) -> list[Block]:
    """A caption and rows of one or more lines."""
    style, count = rng.choice(STYLES), (rng.randint(3, 6) if width > 250 else rng.randint(2, 4))
    wide = sorted(rng.sample(range(count), k=1 if count < 4 else rng.randint(1, 2)))
    shares = [rng.uniform(1.8, 2.6) if at in wide else rng.uniform(0.9, 1.2) for at in range(count)]
    grid = Grid(caption, style, bars=rng.random() < 0.8, whole=rng.random() < 0.6)
    pad = rng.uniform(2.5, 5.0) if style != "plain" else 0.0
    at = 0.0
    for share in shares:
        grid.edges.append(at * width / sum(shares))
        at += share
    grid.edges.append(width)
    gap = rng.uniform(2.5, 5.0) if style != "plain" else rng.uniform(0.45, 0.8) * leading
    right, apart = rng.random() < 0.3, (1.1 if style == "plain" else 0.6) * size  # the least space between two cells
    blocks = [Block("caption", set_words(writer, caption, "b"), size, leading, before=leading * 0.6, keep=True)]
    printer.grids.append(grid)
    spanned = count > 3 and style in ("ruled", "booktabs") and rng.random() < 0.25
    rows = [_header(rng, writer, count, wide)]
    if spanned:
        first = rng.randint(1, count - 2)
        grid.spans, grid.header_rows = [(first, first + 1)], 2
        rows.insert(0, [writer.title(1, 1) if at in (0, first) else "" for at in range(count)])
        rows[0][0] = ""
    long = rng.random() < 0.25
    grid.whole = grid.whole and not long
    for _ in range(rng.randint(20, 45) if long else rng.randint(3, 9)):
        rows.append([_cell(rng, writer, at in wide, at == 0) for at in range(count)])
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            face, room = ("b" if number < grid.header_rows else "r"), _room(grid, number, column) - 2 * pad - apart
            row[column] = _fitting(printer, text, face, size, room)
    for number, row in enumerate(rows):
        head = number < grid.header_rows
        face = "b" if head else "r"
        parts = [
            _wrapped(printer, text, face, size, _room(grid, number, column) - 2 * pad - apart) for column, text in enumerate(row)
        ]
        lines = max(map(len, parts))
        for line in range(lines):
            units, places = [], []
            for column, part in enumerate(parts):
                if line >= len(part) or not part[line]:
                    continue
                x = grid.edges[column] + pad
                if right and not head and column not in wide:
                    x = grid.edges[column + 1] - pad - apart - printer.family.width(part[line], face, size)
                units.append(Unit(part[line], face))
                places.append(x / width)
            block = Block("row", units, size, 1.15 * size if line else leading, cells=places, first=width, name="")
            block.before, block.keep = (
                gap + (2.0 if not line else 0.0),
                line < lines - 1 or head or grid.whole or number == len(rows) - 2,
            )
            block.before = block.before if not line else 0.0
            block.grid, block.row = grid, number
            blocks.append(block)
            if head:
                grid.head.append(block)
        join = "" if printer.family.han and writer.language == "zh" else " "
        grid.cells.append([join.join(part) for part in parts])
        if spanned and number == 0:
            grid.cells[0][grid.spans[0][1]] = grid.cells[0][grid.spans[0][0]]
    blocks[-1].keep = False
    blocks.append(Block("row", [], size, gap + 2.0, cells=[0.0], first=width))  # room below the last ruling
    return blocks


def _room(grid: Grid, row: int, column: int) -> float:
    last = next((end for start, end in grid.spans if row == 0 and start == column), column)
    return grid.edges[last + 1] - grid.edges[column]


def _header(rng: random.Random, writer: Writer, count: int, wide: Sequence[int]) -> list[str]:
    return [writer.title(1, 3) if at in wide else writer.title(1, 1) for at in range(count)]


def _cell(rng: random.Random, writer: Writer, wide: bool, first: bool) -> str:
    if wide:
        return writer.title(2, rng.choice((3, 9)))
    if first:
        return writer.name()
    return rng.choice(
        (str(rng.randint(1, 999)), f"{rng.randint(1, 99)},{rng.randint(0, 9)}", f"{rng.randint(1, 30)} - {rng.randint(31, 90)}")
    )


def _fitting(printer: Printer, text: str, face: str, size: float, room: float) -> str:
    """The words that are no wider than the cell; a figure where none is."""
    if " " not in text and not text.isascii():
        return text
    words = [word for word in text.split() if printer.family.width(word, face, size) <= room]
    return " ".join(words) or ("7" if text else "")


def _wrapped(printer: Printer, text: str, face: str, size: float, room: float) -> list[str]:
    """Broken where a word does not fit; Han text after any character."""
    words = text.split() if " " in text or text.isascii() else list(text)
    join = " " if " " in text else ""
    found = [""]
    for word in words:
        longer = f"{found[-1]}{join}{word}" if found[-1] else word
        if found[-1] and printer.family.width(longer, face, size) > room:
            found.append(word)
        else:
            found[-1] = longer
    return found


def draw(canvas: Canvas, lines: Sequence[Line], height: float) -> None:
    """The rulings of all tables on a page."""
    held: dict[tuple[int, float], list[Line]] = defaultdict(list)
    for line in lines:
        if line.block.grid is not None:
            held[id(line.block.grid), line.x].append(line)
    for own in held.values():
        grid, x = own[0].block.grid, own[0].x
        if grid.style != "plain":
            _rule(canvas, grid, own, x, height)


def _rule(canvas: Canvas, grid: Grid, lines: Sequence[Line], x: float, height: float) -> None:
    tops, rows = list[float](), list[int]()
    for line in lines:
        if not rows or rows[-1] != line.block.row:
            rows.append(line.block.row)
            tops.append(line.base - 0.95 * line.block.size - 1.5)
    tops.append(lines[-1].base + 0.35 * lines[-1].block.size + 1.5)
    x1 = x + grid.edges[-1]
    level: list[float] = tops
    if grid.style == "booktabs":
        below = sum(row < grid.header_rows for row in rows)
        level = [tops[0], tops[below], tops[-1]] if below else [tops[0], tops[-1]]
        for row, top in zip(rows, tops[1:], strict=False):
            for first, last in grid.spans if row == 0 else ():
                canvas.line(x + grid.edges[first] + 2, height - top, x + grid.edges[last + 1] - 2, height - top)
    for top in level:
        canvas.line(x, height - top, x1, height - top)
    if grid.style == "ruled":
        for row, (top, bottom) in zip(rows, pairwise(tops), strict=True):
            inside = {last for first, last in grid.spans if row == 0}
            for column, edge in enumerate(grid.edges):
                if column not in inside and (grid.bars or 0 < column < len(grid.edges) - 1):
                    canvas.line(x + edge, height - top, x + edge, height - bottom)


def again(block: Block) -> Iterator[Block]:
    """The header of a table that is broken before this row."""
    grid = block.grid
    if grid is not None and block.row >= grid.header_rows and not grid.whole:
        yield from grid.head
