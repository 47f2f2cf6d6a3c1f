"""From the user space of a page to the frame that a viewer shows."""

from __future__ import annotations

from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as raw

LETTER = (0.0, 0.0, 612.0, 792.0)  # what viewers, and pdfium, take where a page states no box


@dataclass(frozen=True, slots=True)
class Frame:
    """The visible box of a page in its user space and the clockwise quarter turns that a viewer applies to it.

    Points as shown have their origin at the top left, in points times `unit` (the page's UserUnit).
    """

    left: float
    bottom: float
    right: float
    top: float
    turns: int
    unit: float = 1.0

    @classmethod
    def of(cls, page: pypdfium2.PdfPage, unit: float = 1.0) -> Frame:
        left, bottom, right, top = page.get_bbox()
        if not (right > left and top > bottom):
            left, bottom, right, top = LETTER
        return cls(left, bottom, right, top, raw.FPDFPage_GetRotation(page.raw) % 4, unit)

    @property
    def width(self) -> float:
        return ((self.top - self.bottom) if self.turns % 2 else (self.right - self.left)) * self.unit

    @property
    def height(self) -> float:
        return ((self.right - self.left) if self.turns % 2 else (self.top - self.bottom)) * self.unit

    @property
    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """a, b, c, d, e, f with x' = a·x + c·y + e and y' = b·x + d·y + f, y' downwards."""
        unit = self.unit
        if self.turns == 1:
            return 0.0, unit, unit, 0.0, -self.bottom * unit, -self.left * unit
        if self.turns == 2:
            return -unit, 0.0, 0.0, unit, self.right * unit, -self.bottom * unit
        if self.turns == 3:
            return 0.0, -unit, -unit, 0.0, self.top * unit, self.right * unit
        return unit, 0.0, 0.0, -unit, -self.left * unit, self.top * unit


def turned(box: tuple[float, float, float, float], turns: int, width: float, height: float) -> tuple[float, float, float, float]:
    """The box (x0, y0, x1, y1) on a page of this size, seen after the page is turned clockwise by quarter turns."""
    x0, y0, x1, y1 = box
    if turns % 4 == 1:
        return height - y1, x0, height - y0, x1
    if turns % 4 == 2:
        return width - x1, height - y1, width - x0, height - y0
    if turns % 4 == 3:
        return y0, width - x1, y1, width - x0
    return box
