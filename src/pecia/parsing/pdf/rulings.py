"""Rulings joined into whole lines, and lines that cross grouped into frames of tables."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pecia.parsing.pdf.drawings import Ruling
from pecia.parsing.pdf.frame import turned

SNAP = 2.0  # points across: lines nearer than this are one, as the borders of two neighbouring cells are
JOINT = 3.0  # points along: pieces of one line stand no farther apart
TOUCH = 2.5  # points by which a line may miss the one that it should meet
SHORTEST = 5.0  # points; shorter lines are strokes of drawings
MOST = 1_500  # lines of a page; where there are more, it is a drawing


@dataclass(frozen=True, slots=True)
class Frame:
    """Lines that hang together: across the page from the top, and down it from the left."""

    across: Sequence[Ruling]
    down: Sequence[Ruling]


def whole(rulings: Iterable[Ruling]) -> list[Ruling]:
    """Pieces joined, doubles dropped; sorted by place."""
    found: list[Ruling] = []
    group: list[Ruling] = []
    for ruling in sorted(rulings):
        if group and ruling.at - group[0].at > SNAP:
            found += _joined(group)
            group = []
        group.append(ruling)
    if group:
        found += _joined(group)
    return [ruling for ruling in found if ruling.end - ruling.start >= SHORTEST]


def _joined(group: Sequence[Ruling]) -> Iterator[Ruling]:
    at = sum(ruling.at for ruling in group) / len(group)
    start, end = 0.0, -1e9
    for ruling in sorted(group, key=lambda ruling: ruling.start):
        if ruling.start > end + JOINT:
            if end > -1e9:
                yield Ruling(at, start, end)
            start, end = ruling.start, ruling.end
        end = max(end, ruling.end)
    yield Ruling(at, start, end)


def rulings_of(across: Iterable[Ruling], down: Iterable[Ruling]) -> tuple[list[Ruling], list[Ruling]]:
    """Whole lines across and down; none where there are so many that they are a drawing."""
    levels, uprights = whole(across), whole(down)
    return (levels, uprights) if len(levels) + len(uprights) <= MOST else ([], [])


def frames(across: Sequence[Ruling], down: Sequence[Ruling]) -> Iterator[Frame]:
    """Groups of whole lines that meet one another, the lines of each sorted by place; lines that meet none stand alone."""
    parent = list(range(len(across) + len(down)))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    places = [ruling.at for ruling in across]
    for number, upright in enumerate(down, len(across)):
        first = bisect_left(places, upright.start - TOUCH)
        for index in range(first, len(across)):
            level = across[index]
            if level.at > upright.end + TOUCH:
                break
            if level.start - TOUCH <= upright.at <= level.end + TOUCH:
                parent[root(number)] = root(index)
    groups: dict[int, tuple[list[Ruling], list[Ruling]]] = {}
    for number in range(len(parent)):
        held = groups.setdefault(root(number), ([], []))
        if number < len(across):
            held[0].append(across[number])
        else:
            held[1].append(down[number - len(across)])
    for levels, uprights in groups.values():
        yield Frame(levels, uprights)


def turned_lines(
    across: Iterable[Ruling], down: Iterable[Ruling], turns: int, width: float, height: float
) -> tuple[list[Ruling], list[Ruling]]:
    """The lines of a page of this size as they stand after the page is turned clockwise by quarter turns."""
    lines = [(line.start, line.at, line.end, line.at) for line in across]
    lines += [(line.at, line.start, line.at, line.end) for line in down]
    levels, uprights = [], []
    for x0, y0, x1, y1 in (turned(line, turns, width, height) for line in lines):
        if x1 - x0 > y1 - y0:
            levels.append(Ruling(y0, x0, x1))
        else:
            uprights.append(Ruling(x0, y0, y1))
    return sorted(levels), sorted(uprights)


def places(rulings: Iterable[Ruling]) -> list[float]:
    """Where the lines stand, each place once."""
    found: list[float] = []
    for ruling in sorted(rulings):
        if not found or ruling.at - found[-1] > SNAP:
            found.append(ruling.at)
    return found


def covers(rulings: Iterable[Ruling], at: float, start: float, end: float, share: float = 0.6) -> bool:
    """Whether lines at this place cover so much of the stretch."""
    held = sum(max(0.0, min(ruling.end, end) - max(ruling.start, start)) for ruling in rulings if abs(ruling.at - at) <= SNAP)
    return held >= share * (end - start)
