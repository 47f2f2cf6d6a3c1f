"""What speaks for a table, and what against it, where white space tells its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pecia.parsing.pdf.gaps import Piece, TableLine
from pecia.parsing.pdf.glyphs import PageGlyphs, Word
from pecia.parsing.pdf.marks import is_caption, is_table_caption, is_wide
from pecia.parsing.pdf.rows import Row
from pecia.parsing.pdf.sketch import Sketch

PROSE_WORDS, PROSE_FILL, PROSE_LINES = 4, 0.7, 4  # words a line, share of the column, lines: what is prose side by side
LONG, FULL, FULL_LINES = 5, 0.85, 4  # words, share of the width, lines: prose beside a table
HAN = 3  # characters that count as a word
ALIGNED, NEAR_EDGE, FEW = 0.7, 1.5, 3  # share of the cells of a column that share an edge; points; too few to say


def is_prose(rows: Sequence[Row], gutters: Sequence[float]) -> bool:
    """Two or three columns in which most lines are full and have several words."""
    if len(rows) < PROSE_LINES or len(gutters) > 2:
        return False
    full = counted = 0
    bounds = [-1e9, *gutters, 1e9]
    for low, high in pairwise(bounds):
        parts = [part for row in rows if (part := [word for word in row.words if low <= (word.x0 + word.x1) / 2 < high])]
        if len(parts) < 2:
            continue
        left, right = min(part[0].x0 for part in parts), max(part[-1].x1 for part in parts)
        for part in parts:
            counted += 1
            full += _count(part, rows[0].page) >= PROSE_WORDS and part[-1].x1 - part[0].x0 >= PROSE_FILL * (right - left)
    return 2 * full > counted


def _count(words: Sequence[Word], page: PageGlyphs) -> int:
    """Number of words; Han has none, so a run of it counts by its characters."""
    return sum(
        max(1, (word.end - word.start) // HAN) if word.start >= 0 and is_wide(page.chars[word.start]) else 1 for word in words
    )


def is_prose_beside(parts: Sequence[Sequence[Word]], page: PageGlyphs) -> bool:
    """What seems to be a column of a table, line by line, are lines of the text beside: most are full and have many words."""
    most = max((part[-1].x1 - part[0].x0 for part in parts if part), default=0.0)
    full = sum(_count(part, page) >= LONG and part[-1].x1 - part[0].x0 > FULL * most for part in parts)
    return full >= FULL_LINES and 2 * full > len(parts)


def are_rising(texts: Sequence[str]) -> bool:
    """Page numbers: whole and rising, all but one."""
    numbers = [int(text) for text in texts if text.isascii() and text.isdigit()]
    return len(numbers) >= len(texts) - 1 and numbers == sorted(numbers)


def names_figure(rows: Sequence[Row]) -> bool:
    """The caption of a figure stands among the rows."""
    return any(is_caption(row.text) and not is_table_caption(row.text) for row in rows)


def filled(sketch: Sketch) -> float:
    """Share of the slots that have words; rows with one cell alone, such as names of groups, are left out."""
    counts = [sum(bool(cell.words) for cell in row) for row in sketch.slots]
    held = [count for count in counts if count > 1]
    return sum(held) / (len(held) * len(sketch.slots[0])) if held else 0.0


def are_aligned(lines: Sequence[TableLine], width: int) -> bool:
    """In every column most cells share their left edge, their right edge or their middle."""
    return all(_is_aligned(pieces) for pieces in _by_column(lines, width))


def _by_column(lines: Sequence[TableLine], width: int) -> Iterator[list[Piece]]:
    for column in range(width):
        yield [piece for line in lines for piece in line.pieces if piece.first == piece.last == column and not line.head]


def _is_aligned(pieces: Sequence[Piece]) -> bool:
    if len(pieces) <= FEW:
        return True
    for places in (
        [piece.x0 for piece in pieces],
        [piece.x1 for piece in pieces],
        [(piece.x0 + piece.x1) / 2 for piece in pieces],
    ):
        counts = Counter(round(place / NEAR_EDGE) for place in places)
        if max(counts[bin_] + counts[bin_ + 1] for bin_ in list(counts)) >= ALIGNED * len(pieces):
            return True
    return False
