"""Printed lines, one by one and packed: a book of 2,000 pages has 200,000, and as objects they would fill 300 MB."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Self, overload

from pecia.model.locators import Box, PageBox
from pecia.model.span import Span


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line inside a block.

    `edges` holds the left edge of every character of `span`, in points from the left of the page, so that a span
    that begins in mid-line gets a box no wider than itself; empty where the line does not run from left to right.
    """

    span: Span
    page: int
    bbox: Box
    font: str = ""
    size: float = 0.0
    edges: array[float] = field(default_factory=lambda: array("f"))

    def box_of(self, span: Span) -> PageBox | None:
        """The box of the part of this line that `span` covers, or None where it covers none of it."""
        part = self.span.intersect(span)
        if part is None:
            return None
        if part == self.span:
            return PageBox(self.page, self.bbox)
        x0, x1 = self.bbox.x0, self.bbox.x1
        if self.edges:
            first, last = part.start - self.span.start, part.end - self.span.start
            x0 = min(max(x0, self.edges[first]), x1) if first else x0
            x1 = max(min(x1, self.edges[last]), x0) if last < len(self.edges) else x1
        return PageBox(self.page, Box(x0, self.bbox.y0, x1, self.bbox.y1))


@dataclass(slots=True)
class Columns:
    """Lines in packed columns, 76 bytes a line and 4 a character. Grows at its end only, so that what was packed stays."""

    starts: array[int] = field(default_factory=lambda: array("Q"))
    ends: array[int] = field(default_factory=lambda: array("Q"))
    pages: array[int] = field(default_factory=lambda: array("L"))
    places: array[float] = field(default_factory=lambda: array("d"))  # four sides and the size of each
    fonts: list[str] = field(default_factory=list)
    edges: array[float] = field(default_factory=lambda: array("f"))
    edges_end: array[int] = field(default_factory=lambda: array("Q"))

    def append(self, line: Line) -> None:
        box = line.bbox
        self.starts.append(line.span.start)
        self.ends.append(line.span.end)
        self.pages.append(line.page)
        self.places.extend((box.x0, box.y0, box.x1, box.y1, line.size))
        self.fonts.append(line.font)
        self.edges.extend(line.edges)
        self.edges_end.append(len(self.edges))

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, at: int) -> Line:
        x0, y0, x1, y1, size = self.places[5 * at : 5 * at + 5]
        edges = self.edges[self.edges_end[at - 1] if at else 0 : self.edges_end[at]]
        return Line(Span(self.starts[at], self.ends[at]), self.pages[at], Box(x0, y0, x1, y1), self.fonts[at], size, edges)


@dataclass(frozen=True, slots=True, eq=False)
class Lines(Sequence[Line]):
    """The lines [first, last) of columns that the blocks of a document share; equal to any sequence of the same lines."""

    columns: Columns = field(default_factory=Columns, repr=False)
    first: int = 0
    last: int = 0

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Self:
        """The lines in columns of their own."""
        columns = Columns()
        for line in lines:
            columns.append(line)
        return cls(columns, 0, len(columns))

    def bounds(self) -> Sequence[tuple[int, int]]:
        """Start and end of each line, without making the lines."""
        first, last = self.first, self.last
        return list(zip(self.columns.starts[first:last], self.columns.ends[first:last], strict=True))

    def __len__(self) -> int:
        return self.last - self.first

    @overload
    def __getitem__(self, at: int) -> Line: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Line]: ...

    def __getitem__(self, at: int | slice) -> Line | Sequence[Line]:
        found = range(self.first, self.last)[at]
        return self.columns[found] if isinstance(found, int) else [self.columns[index] for index in found]

    def __iter__(self) -> Iterator[Line]:
        return map(self.columns.__getitem__, range(self.first, self.last))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as lines have none
