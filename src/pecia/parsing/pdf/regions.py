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
    """A picture. `sure`: it is one without a caption; boxes alone may be a form."""

    box: Box
    sure: bool


def regions(marks: Sequence[Mark], width: float, height: float) -> Iterator[Region]:
    """The pictures of a page of this size, from the top."""
    held = [mark for mark in marks[:MOST_MARKS] if not _is_background(mark, width, height)]
    solid = [mark for mark in held if mark.kind != "line"]
    lines = [mark for mark in held if mark.kind == "line"]
    found = []
    for group in _groups(solid, width, height):
        box = _around(group)
        near = Box(box.x0 - 2 * CELL, box.y0 - 2 * CELL, box.x1 + 2 * CELL, box.y1 + 2 * CELL)
        own = [line for line in lines if _belongs(line, near)]
        found.append((_around([*group, *own]), group, len(own)))
    for box, group, lined in sorted(found, key=lambda item: (item[0].y0, item[0].x0)):
        kinds = [mark.kind for mark in group]
        image = any(mark.kind == "image" and min(mark.x1 - mark.x0, mark.y1 - mark.y0) >= SMALLEST_IMAGE for mark in group)
        large = box.x1 - box.x0 >= NARROWEST and box.y1 - box.y0 >= LOWEST
        if image or (large and kinds.count("curve") >= CURVES):
            yield Region(box, sure=True)
        elif large and (len(group) + lined) >= BOXES:
            yield Region(box, sure=False)


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


def _groups(marks: Sequence[Mark], width: float, height: float) -> Iterator[list[Mark]]:
    """Marks whose cells touch, found by filling a coarse grid."""
    columns, rows = int(width // CELL) + 3, int(height // CELL) + 3
    cells: dict[int, int] = {}
    for mark in marks:
        for at in _cells(mark, columns, rows):
            cells[at] = -1
    groups = 0
    for start in sorted(cells):
        if cells[start] >= 0:
            continue
        cells[start], waiting = groups, [start]
        while waiting:
            at = waiting.pop()
            for step in (-columns - 1, -columns, -columns + 1, -1, 1, columns - 1, columns, columns + 1):
                if cells.get(at + step) == -1:
                    cells[at + step] = groups
                    waiting.append(at + step)
        groups += 1
    found: list[list[Mark]] = [[] for _ in range(groups)]
    for mark in marks:
        found[cells[next(_cells(mark, columns, rows))]].append(mark)
    yield from found


def _cells(mark: Mark, columns: int, rows: int) -> Iterator[int]:
    """The cells that it covers; of a large outline those along its edges would do, but all are few."""
    left, right = (min(max(int(x // CELL) + 1, 1), columns - 2) for x in (mark.x0, mark.x1))
    top, bottom = (min(max(int(y // CELL) + 1, 1), rows - 2) for y in (mark.y0, mark.y1))
    for row in range(top, bottom + 1):
        yield from range(row * columns + left, row * columns + right + 1)


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
