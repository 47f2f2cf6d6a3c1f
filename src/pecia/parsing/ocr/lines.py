"""What an engine gives: the lines of a page image, in pixels, with how sure it is of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # most files need no engine, and numpy takes a tenth of a second
    import numpy as np
    from numpy.typing import NDArray

Pixels: TypeAlias = "NDArray[np.uint8]"  # rows of grey values, 0 is black
LEAST = 0.5  # confidence of a line: below, it is more often a smudge or a part of a picture than text


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters without white space between them, from one x to another. `glued`: no space stands before it."""

    text: str
    x0: float
    x1: float
    glued: bool = False


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line that runs from left to right. `size` is the size of its type, as a printer counts it; `confidence` runs
    from 0 to 1."""

    pieces: tuple[Piece, ...]
    y0: float
    y1: float
    base: float
    size: float
    confidence: float

    @property
    def x0(self) -> float:
        return self.pieces[0].x0

    @property
    def x1(self) -> float:
        return self.pieces[-1].x1

    @property
    def text(self) -> str:
        return "".join(piece.text if piece.glued or not at else f" {piece.text}" for at, piece in enumerate(self.pieces))


@dataclass(frozen=True, slots=True)
class Placing:
    """How the page as shown was laid down to be read: turned clockwise by quarter `turns`, then by `skew` degrees
    against the clock about its middle, at `scale` pixels a point."""

    turns: int = 0
    skew: float = 0.0
    scale: float = 1.0


class Reader(Protocol):
    """An engine: an image of a page, its text upright, to the lines on it in any order.

    `name` goes into findings; `dpi` is the resolution that it reads best. Raises ReadingError where it fails.
    """

    @property
    def name(self) -> str: ...

    @property
    def dpi(self) -> int: ...

    def __call__(self, image: Pixels) -> list[TextLine]: ...


class ReadingError(Exception):
    """An engine gave up on a page; the message says why. The document goes on without the text of the page."""


def confidence(lines: Sequence[TextLine]) -> float:
    """The mean over the characters of the lines; 0 where there are none."""
    weights = [len(line.text) for line in lines]
    total = sum(weights)
    return sum(line.confidence * weight for line, weight in zip(lines, weights, strict=True)) / total if total else 0.0


def text_of(lines: Sequence[TextLine]) -> str:
    """The lines one under another, as the engine gave them."""
    return "\n".join(line.text for line in lines)
