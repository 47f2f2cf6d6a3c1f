"""The tables of a page taken out of its words; each leaves one word behind that holds its place in the reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pecia.parsing.pdf.booktabs import booktabs
from pecia.parsing.pdf.drawings import Ruling
from pecia.parsing.pdf.frame import turned
from pecia.parsing.pdf.glyphs import OBLIQUE, Fonts, PageGlyphs, Word
from pecia.parsing.pdf.rows import rows_of
from pecia.parsing.pdf.ruled import is_open, ruled
from pecia.parsing.pdf.rulings import frames, turned_lines, whole
from pecia.parsing.pdf.sketch import Cell, Corners, Sketch, stand_in
from pecia.parsing.pdf.statements import statements
from pecia.parsing.pdf.trust import reason_of

NUMERIC = 0.6  # share of the rows in which a column has a figure, where the first row tells whether it is a header
TURNED = 12  # words turned alike from which a table of them is looked for
OUTER = 6.0  # points: an upright line this near to the edge of the grid parts no cells
DEEPEST = 4  # rows that a header has, at most


def find_tables(page: PageGlyphs, words: Sequence[Word], fonts: Fonts) -> None:
    """Adds the tables that rulings tell to the page, with a word to stand in for each. `words` are those of the body."""
    counts = Counter(word.turns for word in words)
    for turns in sorted(turns for turns, count in counts.items() if turns < OBLIQUE and (not turns or count >= TURNED)):
        for sketch in _sketches(page, words, fonts, turns):
            held = _starts(sketch)
            if page.held.isdisjoint(held):  # else within another table
                sketch.turns = turns
                finish(sketch)
                page.stand_ins.append(stand_in(sketch))
                page.held |= held


def outlines(page: PageGlyphs) -> list[Corners]:
    """Where upright lines part cells of a grid, whatever is in it; wide as the grid, high as the line."""
    found: list[Corners] = []
    for frame in frames(page.across, page.down) if len(page.across) > 2 and page.down else ():
        if len(frame.across) > 2:
            left, right = min(line.start for line in frame.across), max(line.end for line in frame.across)
            inner = (line for line in frame.down if left + OUTER < line.at < right - OUTER)
            found += {(left, line.start, right, line.end) for line in inner}
    return found


def _sketches(page: PageGlyphs, words: Sequence[Word], fonts: Fonts, turns: int) -> Iterator[Sketch]:
    """The tables of text that is turned so, in the frame in which it runs from left to right; the smallest first."""
    width, height = page.frame.width, page.frame.height
    across, down, shades = page.across, page.down, page.shades
    if turns:
        across, down = turned_lines(across, down, turns, width, height)
        shades = []
    upright = [word for word in words if word.turns == turns]
    placed = upright + [_seen(word, turns, width, height) for word in words if word.turns not in (turns, OBLIQUE)]
    own = {word.start: word for word in words}
    loose: list[Ruling] = []
    closed: list[Sketch] = []
    open_: list[Sketch] = []
    for frame in frames(across, down):
        if not frame.across:
            continue
        if not frame.down or is_open(frame):
            loose += frame.across
            if len(frame.across) > 2 and frame.down:
                open_ += booktabs(page, upright, fonts, frame.across, frame.down)
            continue
        sketch = ruled(page, placed, fonts, frame)
        held = list(sketch.words()) if sketch is not None else []
        if sketch is not None and 2 * sum(own[word.start].turns == turns for word in held) > len(held):
            for cell in sketch.cells():
                cell.words = [own[word.start] for word in cell.words]
            closed.append(sketch)
    yield from sorted(closed, key=_size)
    open_ += booktabs(page, upright, fonts, whole([*loose, *shades]))
    free = [word for word in upright if word.start not in page.held]
    found = [sketch for _, _, sketch in statements(rows_of(free, page, fonts), across, shades)]
    yield from _preferred(found, open_)


def _preferred(statements: Sequence[Sketch], others: Sequence[Sketch]) -> list[Sketch]:
    """The tables of amounts, but for those that are in another table which has no fewer columns and holds no part of one of
    them; then the others."""
    held = list(map(_starts, statements))
    kept: list[Sketch] = []
    for sketch, own in zip(statements, held, strict=True):
        wider = [words for other in others if own <= (words := _starts(other)) and len(other.edges) >= len(sketch.edges)]
        if not any(all(rest <= words or rest.isdisjoint(words) for rest in held) for words in wider):
            kept.append(sketch)
    return kept + sorted(others, key=_size)


def _starts(sketch: Sketch) -> set[int]:
    return {word.start for word in sketch.words()}


def _size(sketch: Sketch) -> float:
    return (sketch.box[2] - sketch.box[0]) * (sketch.box[3] - sketch.box[1])


def _seen(word: Word, turns: int, width: float, height: float) -> Word:
    """A word that is turned otherwise, with its box in this frame."""
    sides = (height, width) if word.turns % 2 else (width, height)
    box = turned((word.x0, word.y0, word.x1, word.y1), (turns - word.turns) % 4, *sides)
    return replace(word, x0=box[0], y0=box[1], x1=box[2], y1=box[3])


def finish(sketch: Sketch) -> None:
    """Counts the header rows where rulings did not tell them, and says why the table cannot be trusted, if so."""
    if sketch.header_rows < 0:
        sketch.header_rows = min(header_rows(sketch), len(sketch.slots))
    sketch.reason = reason_of(sketch)


def header_rows(sketch: Sketch) -> int:
    """Rows at the top that name the columns: set in bold, or with cells that span others; else the first one, unless it is
    a row of figures like those below."""
    slots = sketch.slots
    bold = [_is_bold(row, sketch) for row in slots]
    count = bold.index(False) if bold[0] and not all(bold) else 0
    count, told = (count, True) if 0 < count <= DEEPEST else (1, False)
    while count < min(DEEPEST, len(slots) - 1) and _goes_below(slots[count - 1], slots[count]):
        count += 1
    return 0 if not told and count == 1 and _is_data(slots, sketch) else count


def _is_bold(row: Sequence[Cell], sketch: Sketch) -> bool:
    fonts = [sketch.fonts[word.font] for cell in row for word in cell.words]
    return bool(fonts) and all(font.bold for font in fonts)


def _goes_below(row: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """A cell of the row spans several columns but not all, or reaches into the next row."""
    across = any(one is two and one.words for one, two in pairwise(row)) and len({id(cell) for cell in row}) > 1
    down = any(one is two and one.words for one, two in zip(row, below, strict=True))
    return across or down


def _is_data(slots: Sequence[Sequence[Cell]], sketch: Sketch) -> bool:
    """The first row has a figure in every column that is one of figures, and there is such a column."""
    columns = list(zip(*slots, strict=True))
    figures = [[_is_figure(cell, sketch) for cell in column] for column in columns]
    numeric = [held for held in figures if sum(held[1:]) >= NUMERIC * max(1, len(held) - 1)]
    return bool(numeric) and all(held[0] for held in numeric)


def _is_figure(cell: Cell, sketch: Sketch) -> bool:
    text = "".join(sketch.page.text(word) for word in cell.words)
    return bool(text) and 2 * sum(char.isdigit() for char in text) >= len(text)
