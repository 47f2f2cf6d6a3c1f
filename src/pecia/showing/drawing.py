"""Geometry of the drawing over a page picture, in points of the page as shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pecia.model import BlockKind, Box

LETTERS = {
    BlockKind.HEADING: "H",
    BlockKind.PARAGRAPH: "P",
    BlockKind.LIST_ITEM: "L",
    BlockKind.TABLE: "T",
    BlockKind.FIGURE: "G",
    BlockKind.CAPTION: "C",
    BlockKind.FORMULA: "X",
    BlockKind.CODE: "K",
    BlockKind.FOOTNOTE: "N",
    BlockKind.QUOTE: "Q",
    BlockKind.MESSAGE: "M",
    BlockKind.ROW: "R",
    BlockKind.ENTITY: "E",
    BlockKind.SECTION: "S",
}
FURNITURE = "F"

_SIZE, _LEAST = 7.5 / 595, 4.5 / 595  # of the letters of a tag, as a share of the width of the page: 7.5 points on A4
_WIDE, _HIGH, _PAD = 0.6, 1.25, 0.3  # in letter sizes: a digit of a sans-serif face, the tag, its margin


@dataclass(frozen=True, slots=True)
class Tag:
    """The small label of a block: its box, where its text begins and how large that is."""

    text: str
    x: float
    y: float
    width: float
    height: float
    text_x: float
    text_y: float
    size: float


def tag_of(text: str, box: Box, page_width: float, others: Sequence[Box] = ()) -> Tag:
    """The label left of the first line of a box, smaller where other boxes leave little room, as in a gutter."""
    size = _SIZE * page_width
    beside = [other.x1 for other in others if other.x1 <= box.x0 and other.y0 < box.y0 + _HIGH * size and other.y1 > box.y0]
    room = box.x0 - max(beside, default=0.0)
    letters = _WIDE * len(text) + 3 * _PAD
    size = max(_LEAST * page_width, min(size, room / letters))
    width = (letters - _PAD) * size
    x, y = max(0.0, box.x0 - letters * size), box.y0
    return Tag(text, x, y, width, _HIGH * size, x + _PAD * size, y + 0.95 * size, size)


def letter_of(kind: BlockKind, level: int | None) -> str:
    """One letter for a kind, and the level of a heading behind it."""
    return f"{LETTERS[kind]}{level if kind is BlockKind.HEADING and level else ''}"
