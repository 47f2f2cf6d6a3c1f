"""Where on a page pictures are drawn: raster images and drawings, put together from what stands close.

Only ink is looked at, no text. Long thin lines alone are no drawing: they are the rulings of tables, notes and heads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pecia.model import Box

CELL = 6.0  # points: marks in one cell of this size, or in neighbouring ones, are one drawing
MOST_MARKS = 20_000  # of a page
SMALLEST_IMAGE, NARROWEST, LOWEST = 30.0, 40.0, 24.0  # points: smaller ones are icons and letters
CURVES, BOXES = 3, 2  # slanted or bent lines that make a drawing; boxes that make one where it has a caption
REACH = (-2, -1, 0, 1, 2)  # cells
AGAIN = 3  # pages
LONGER = 1.5  # times the picture: an axis
PAGE = 0.9  # of the page, both ways: a background

Place = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Mark:
    """What is drawn, in points as shown. `kind`: `image`, `curve` (bent or slanted), `box`, `line`."""

    kind: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Region:
    """A picture. `sure`: it is one without a caption; boxes alone may be a form. `cells` are those that its marks cover."""

    box: Box
    sure: bool
    cells: frozenset[tuple[int, int]] = frozenset()

    def covers(self, x0: float, x1: float, y0: float, y1: float, *, near: bool) -> bool:
        """Whether the middle of a box stands in a mark, or `near` one, and not only in the box around all of them."""
        column, row = int((x0 + x1) / 2 // CELL), int((y0 + y1) / 2 // CELL)
        reach = REACH if near else (0,)
        return any((column + right, row + down) in self.cells for right in reach for down in reach)


def regions(marks: Sequence[Mark], width: float, height: float) -> Iterator[Region]:
    """The pictures of a page of this size, from the top."""
    held = [mark for mark in marks[:MOST_MARKS] if not _is_background(mark, width, height)]
    solid = [mark for mark in held if mark.kind != "line"]
    lines = [mark for mark in held if mark.kind == "line"]
    found = []
    for group in _groups(solid):
        box = _around(group)
        near = Box(box.x0 - 2 * CELL, box.y0 - 2 * CELL, box.x1 + 2 * CELL, box.y1 + 2 * CELL)
        own = [line for line in lines if _belongs(line, near)]
        found.append((_around([*group, *own]), group, len(own)))
    for box, group, lined in sorted(found, key=lambda item: (item[0].y0, item[0].x0)):
        kinds = [mark.kind for mark in group]
        image = any(mark.kind == "image" and min(mark.x1 - mark.x0, mark.y1 - mark.y0) >= SMALLEST_IMAGE for mark in group)
        large = box.x1 - box.x0 >= NARROWEST and box.y1 - box.y0 >= LOWEST
        sure = image or (large and kinds.count("curve") >= CURVES)
        if sure or (large and len(group) + lined >= BOXES):
            yield Region(box, sure, frozenset(at for mark in group for at in _covered(mark)))


def place(region: Region) -> Place:
    """Where a picture stands, to the point."""
    box = region.box
    return round(box.x0), round(box.y0), round(box.x1), round(box.y1)


def repeated(pages: Iterable[Iterable[Region]]) -> set[Place]:
    """The places at which the same picture stands on three pages or more: crests, stamps and bars of the layout."""
    counts = Counter(place(region) for found in pages for region in found)
    return {at for at, count in counts.items() if count >= AGAIN}


def _is_background(mark: Mark, width: float, height: float) -> bool:
    """As large as the page; of what is no image also what is as wide or as high: a frame, or a path that is cut off."""
    wide, high = mark.x1 - mark.x0 > PAGE * width, mark.y1 - mark.y0 > PAGE * height
    return (wide and high) or (mark.kind != "image" and (wide or high))


def _groups(marks: Sequence[Mark]) -> Iterator[list[Mark]]:
    """Marks whose cells touch, found by filling a coarse grid."""
    cells = dict.fromkeys((at for mark in marks for at in _covered(mark)), -1)
    groups = 0
    for start in sorted(cells):
        if cells[start] >= 0:
            continue
        cells[start], waiting = groups, [start]
        while waiting:
            column, row = waiting.pop()
            for at in ((column + right, row + down) for right in (-1, 0, 1) for down in (-1, 0, 1)):
                if cells.get(at) == -1:
                    cells[at] = groups
                    waiting.append(at)
        groups += 1
    found: list[list[Mark]] = [[] for _ in range(groups)]
    for mark in marks:
        found[cells[next(_covered(mark))]].append(mark)
    yield from found


def _covered(mark: Mark) -> Iterator[tuple[int, int]]:
    """The cells that a mark stands on, column and row."""
    for row in range(int(mark.y0 // CELL), int(mark.y1 // CELL) + 1):
        for column in range(int(mark.x0 // CELL), int(mark.x1 // CELL) + 1):
            yield column, row


def _belongs(line: Mark, near: Box) -> bool:
    """An axis or a tick: it touches the picture and is not much longer, as the rulings of a page are."""
    touches = line.x0 <= near.x1 and near.x0 <= line.x1 and line.y0 <= near.y1 and near.y0 <= line.y1
    return touches and line.x1 - line.x0 <= LONGER * (near.x1 - near.x0) and line.y1 - line.y0 <= LONGER * (near.y1 - near.y0)


def _around(marks: Iterable[Mark]) -> Box:
    held = list(marks)
    return Box(
        min(mark.x0 for mark in held), min(mark.y0 for mark in held),
        max(mark.x1 for mark in held), max(mark.y1 for mark in held),
    )  # fmt: skip
