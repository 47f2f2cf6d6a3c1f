"""Tables in the lines of a text file: rows whose cells stand apart by three spaces or a tab, the same number in each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_GAP = re.compile(r"\t+|[^\S\n]{3,}")
_SENTENCE = re.compile(r"[。！？!?；;，,]$|[a-z]{3,}\.$")
_LONGEST_ROW, _LONGEST_CELL = 160, 32
_FEWEST_ROWS = 3
_FOLIO = re.compile(r"([A-Z]{0,2}-?)(\d{1,4})")


@dataclass(frozen=True, slots=True)
class Rows:
    """A table over lines `first` to before `after`: (start, end) of each cell in its line, row by row."""

    first: int
    after: int
    cells: tuple[tuple[tuple[int, int], ...], ...]
    header_rows: int


def tables(lines: Sequence[str]) -> Iterator[Rows]:
    """The tables, in order. What could be two columns of prose, a list of contents or a form is none: of two columns the
    second must hold figures, and no cell may be a sentence."""
    at = 0
    while at < len(lines):
        run = [cells_of(lines[at])]
        while run[0] and at + len(run) < len(lines) and len(cells_of(lines[at + len(run)])) == len(run[0]):
            run.append(cells_of(lines[at + len(run)]))
        texts = [[line[start:end] for start, end in cells] for line, cells in zip(lines[at : at + len(run)], run, strict=True)]
        if run[0] and len(run) >= _FEWEST_ROWS and _is_table(texts):
            head = not any(_is_figure(cell) for cell in texts[0]) and any(_is_figure(cell) for row in texts[1:] for cell in row)
            yield Rows(at, at + len(run), tuple(run), int(head))
        at += len(run)


def cells_of(line: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of the cells of a line; none where it has fewer than two or is too long for a row."""
    visible = line.strip()
    if not visible or len(visible) > _LONGEST_ROW or not _GAP.search(visible):
        return ()
    found, start = [], line.index(visible)
    end = start + len(visible)
    for gap in _GAP.finditer(line, start, end):
        found.append((start, gap.start()))
        start = gap.end()
    return (*found, (start, end))


def _is_figure(cell: str) -> bool:
    return any(map(str.isdigit, cell)) and len(cell) <= 20


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    if any(_SENTENCE.search(cell) for row in rows for cell in row) or any(
        len(cell) > _LONGEST_CELL for row in rows for cell in row[1:]
    ):
        return False
    body = rows[1:]
    if len(rows[0]) > 2:
        return sum(_is_figure(cell) for row in body for cell in row[1:]) * 3 >= len(body) * (len(rows[0]) - 1)
    figures = sum(_is_figure(row[1]) for row in body)
    return figures * 5 >= len(body) * 4 and not _is_contents([row[1] for row in rows])


def _is_contents(cells: Sequence[str]) -> bool:
    """True for pages that rise, as a table of contents has them."""
    found = [match for cell in cells if (match := _FOLIO.fullmatch(cell))]
    pages = [int(match[2]) for match in found]
    return len(found) >= len(cells) - 1 and len({match[1] for match in found}) == 1 and all(a <= b for a, b in pairwise(pages))
