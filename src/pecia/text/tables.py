"""Ways to write a table, and rows of one that stand in text as lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pecia.model import Span, Table

_LINE = re.compile(r"[^\n]*\S[^\n]*")
# A line and those after it that have a digit, two or more: all that can be rows. Prose is passed over.
_DIGITS = re.compile(r"(?m)^[^\n\S]*+\S[^\n]*+(?:\n\s*+[^\n\d]*+\d[^\n]*+){2,}+")
_GAP = re.compile(r"\t+|\s{2,}")
_FIGURE = re.compile(r"[-+(]?[$€£¥]?\d[\d.,:/%]*\)?%?")
_SENTENCE_END = re.compile(r"[.。!！?？;；:：,，、]$")
_LIST_ITEM = re.compile(r"[-•●▪◦*+–]|\(?(?:\d+\.)*[\da-zA-Z]{1,3}[.)、]")
FEWEST_ROWS, FEWEST_CELLS, FEWEST_CHANGING = 3, 3, 2


def pipe_row(cells: Sequence[str]) -> str:
    """One row of a pipe table; pipes and line ends inside a cell are escaped so that the row stays one line."""
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def rule_row(width: int) -> str:
    """What stands under the header of a pipe table."""
    return "|" + " --- |" * width


def to_markdown(table: Table) -> str:
    """The table as a pipe table. Where it has no header row, an empty one stands in: the format needs it."""
    width = max((len(row) for row in table.cells), default=0)
    rows = [(*row, *[""] * (width - len(row))) for row in table.cells]
    head = rows[: table.header_rows] or [("",) * width]
    lines = [pipe_row(head[0]), rule_row(width)]
    return "\n".join(lines + [pipe_row(row) for row in (*head[1:], *rows[table.header_rows :])])


def rows_as_text(text: str, span: Span) -> Iterator[Span]:
    """Where lines look like rows of one table: three or more in a row with as many cells each, three or more, that all have
    a figure but for the first, end no sentence, open no item of a list, and differ in two columns at least."""
    for part in _DIGITS.finditer(span.of(text)):
        yield from _rows(text, span.start + part.start(), span.start + part.end())


def _rows(text: str, start: int, end: int) -> Iterator[Span]:
    run: list[tuple[Span, list[str]]] = []
    for match in _LINE.finditer(text, start, end):
        line = Span(match.start(), match.end()).trimmed(text)
        cells = _cells(line.of(text))
        figures = any(map(_FIGURE.fullmatch, cells))
        if run and (len(cells) != len(run[0][1]) or not figures):
            yield from _whole(run)
            run = []
        if len(cells) >= FEWEST_CELLS:
            run.append((line, cells))
    yield from _whole(run)


def _cells(line: str) -> list[str]:
    """The cells of a line, at its wide gaps or else at every space; none where it is no row, or that of a pipe table."""
    if _SENTENCE_END.search(line) or line.startswith("|"):
        return []
    wide = _GAP.split(line)
    cells = wide if len(wide) > 1 else line.split()
    return [] if _LIST_ITEM.fullmatch(cells[0]) else cells


def _whole(run: Sequence[tuple[Span, list[str]]]) -> Iterator[Span]:
    columns = zip(*(cells for _, cells in run), strict=True)
    if len(run) >= FEWEST_ROWS and sum(len(set(column)) > 1 for column in columns) >= FEWEST_CHANGING:
        yield Span(run[0][0].start, run[-1][0].end)
