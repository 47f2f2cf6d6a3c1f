"""A table as it was found on one page: a grid of cells that still hold their words. Nothing here decides what is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pecia.model import BlockKind
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs, Word
from pecia.parsing.pdf.rows import Row, rows_of

if TYPE_CHECKING:
    from pecia.parsing.pdf.fractions import Fraction
    from pecia.parsing.pdf.pictures import Picture

Corners = tuple[float, float, float, float]


@dataclass(slots=True)
class Cell:
    """The words of a cell. One that spans rows or columns stands in every slot that it covers, as the same object."""

    words: list[Word] = field(default_factory=list)

    def lines(self, page: PageGlyphs, fonts: Fonts) -> list[Row]:
        """Its lines from the top; text that is turned comes after the upright."""
        turns = sorted({word.turns for word in self.words})
        return [row for own in turns for row in rows_of((word for word in self.words if word.turns == own), page, fonts)]


@dataclass(slots=True)
class Sketch:
    """Slots row by row, all rows equally long. `box` is around words and rulings and `edges` are where columns begin and
    the last one ends, in the frame in which the words run from left to right. `reason`: why it cannot be trusted."""

    page: PageGlyphs
    fonts: Fonts = field(repr=False)
    box: Corners = (0.0, 0.0, 0.0, 0.0)
    edges: Sequence[float] = ()
    slots: list[list[Cell]] = field(default_factory=list)
    header_rows: int = 1
    reason: str = ""
    turns: int = 0
    ruled: bool = False  # columns are told by upright lines
    headed: bool = False  # its header was seen, and not only guessed to be the first row
    kind: BlockKind = BlockKind.TABLE

    def cells(self) -> Iterator[Cell]:
        """Every cell once, row by row."""
        seen = set[int]()
        for row in self.slots:
            for cell in row:
                if id(cell) not in seen:
                    seen.add(id(cell))
                    yield cell

    def words(self) -> Iterator[Word]:
        return (word for cell in self.cells() for word in cell.words)

    def printed(self) -> list[Row]:
        """Its lines as they are printed, whatever cells they are in."""
        return Cell(list(self.words())).lines(self.page, self.fonts)

    def row_words(self, at: int) -> list[Word]:
        """The words of the cells that begin in this row."""
        above = {id(cell) for cell in self.slots[at - 1]} if at else set()
        found: dict[int, Cell] = {id(cell): cell for cell in self.slots[at] if id(cell) not in above}
        return [word for cell in found.values() for word in cell.words]

    def row_text(self, at: int) -> str:
        """The characters of the row, for comparison."""
        return "\0".join("".join(self.page.text(word) for word in cell.words) for cell in self.slots[at])


def stand_in(sketch: Sketch) -> Word:
    """Adds the table to its page and gives a word without characters that holds its place among the rows."""
    held = list(sketch.words())
    weights: dict[int, int] = {}
    for word in held:
        weights[word.font] = weights.get(word.font, 0) + word.end - word.start
    font = max(weights, key=weights.__getitem__)
    highest = min(word.base for word in held)
    return hold(sketch.page, sketch, sketch.box, font, min(sketch.box[1] + sketch.fonts[font].size, highest), sketch.turns)


def hold(page: PageGlyphs, item: Sketch | Fraction | Picture, box: Corners, font: int, base: float, turns: int = 0) -> Word:
    """A word for what is lifted out of the rows of a page."""
    page.lifted.append(item)
    number = -len(page.lifted)
    return Word(number, number, *box, base, font, turns)


def bare(words: Iterable[Word]) -> Corners:
    """The box around words."""
    held = list(words)
    return (
        min(word.x0 for word in held), min(word.y0 for word in held),
        max(word.x1 for word in held), max(word.y1 for word in held),
    )  # fmt: skip
