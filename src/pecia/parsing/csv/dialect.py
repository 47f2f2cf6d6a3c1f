"""What parts the cells of a delimited text, and which of its rows is the header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pecia.parsing.csv.rows import cells, row_spans

DELIMITERS = ",;\t|"
# Of a file of one column: a character that stands in no text, so that a comma in a cell parts nothing.
NOTHING = "\x1f"
# Rows that are looked at to tell the delimiter, the width and the header. Rows with line breaks inside count as one.
_SAMPLE = 300
_DECLARED = re.compile(r"sep=([^\n])\s*(?:\n|\Z)", re.IGNORECASE)
# Kinds of cell by which a header is told from data: a year stands as a title over numbers, but seldom over years.
_KINDS = (
    ("year", re.compile(r"1[0-9]{3}|20[0-9]{2}")),
    ("number", re.compile(r"[-+]?[\d.,' ]*\d%?")),
    ("date", re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[T ].*)?")),
    ("address", re.compile(r"(?:https?://|www\.|mailto:)\S+|\S+@\S+\.\w+")),
    ("code", re.compile(r"[A-Z]{1,4}-\S*\w|[A-Z]{0,3}\d[\w.-]*")),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """`width` is the usual number of cells of a row; `header` the number of the header among the rows, -1 where there is none;
    `first` the number of the first row of data. Rows before the header are a preamble; a header may have two rows."""

    delimiter: str
    width: int
    header: int
    first: int


def sniff(text: str, *, tab: bool = False) -> Dialect:
    """The dialect by the first rows; that of one column of cells where nothing parts them. `tab`: the file says that tabs do."""
    if declared := _DECLARED.match(text):
        return _dialect(text, declared[1])
    if tab and "\t" in text:
        return _dialect(text, "\t")
    best, rated = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        counts = [len(row) for row in _sample(text, delimiter, 0)]
        width, rows = _usual(counts)
        # A delimiter that most rows have as often as the header; of two, the one that more rows agree on, then more cells.
        rating = (rows / len(counts) if counts and width > 1 else 0.0, width)
        if rating[0] >= 0.5 and rating > rated:
            best, rated = delimiter, rating
    if not rated[1] and not any(len(row) > 1 for delimiter in DELIMITERS for row in _sample(text, delimiter, 0)[:1]):
        best = NOTHING
    return _dialect(text, best)


def _sample(text: str, delimiter: str, width: int) -> list[list[str]]:
    rows, literal = row_spans(text, delimiter, width, _SAMPLE)
    broken = set(literal)
    return [
        text[start:end].split(delimiter) if number in broken else cells(text[start:end], delimiter)
        for number, (start, end) in enumerate(zip(rows.starts, rows.ends, strict=True))
    ]


def _usual(counts: Sequence[int]) -> tuple[int, int]:
    """The number of cells that most rows have, and how many of them have it; the larger one of two."""
    return max(Counter(counts).items(), key=lambda item: (item[1], item[0])) if counts else (1, 0)


def _dialect(text: str, delimiter: str) -> Dialect:
    width = _usual([len(row) for row in _sample(text, delimiter, 0)])[0]
    sample = _sample(text, delimiter, width)
    filled = [sum(bool(cell.strip()) for cell in row) for row in sample]
    # A title above a table is one cell or two; programs fill its row with empty ones.
    least = 1 if width == 1 else max(2, (width + 1) // 2)
    start = 1 if _DECLARED.match(text) else 0
    top = next((at for at in range(start, len(sample)) if len(sample[at]) >= least and filled[at] >= least), start)
    if top < len(sample) and _is_header(sample[top], sample[top + 1 :]):
        return Dialect(delimiter, width, top, top + (2 if _has_second(sample[top:]) else 1))
    return Dialect(delimiter, width, -1, top)


def _is_header(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """False where the row looks like those below it: in columns of one kind (numbers, dates, codes) it has that kind too. A row
    with nothing below it is one of titles where it has words alone."""
    if votes := _votes(row, below):
        return votes > 0
    filled = [cell.strip() for cell in row if cell.strip()]
    data = {cell.strip() for other in below[:50] for cell in other}
    # Columns of words alone: a title is no value, and none stands twice among many.
    return bool(filled) and not any(_kind(cell) for cell in filled) and not data.issuperset(filled)


def _has_second(rows: Sequence[Sequence[str]]) -> bool:
    """True where the second row parts titles of the first that stand over several columns, `Address,Address` or `Address,,`, and
    by columns of one kind below it is one of titles too."""
    if len(rows) < 3:
        return False
    above, titles = ([cell.strip() for cell in row] for row in rows[:2])
    if len(above) != len(titles) or any(len(title) > 40 or _kind(title) for title in titles):
        return False
    over = [number for number, cell in enumerate(above) if number and (not cell or cell == above[number - 1])]
    parted = all(titles[number] and titles[number - 1] and titles[number] != titles[number - 1] for number in over)
    return bool(over) and parted and all(map(any, zip(above, titles, strict=True))) and _votes(titles, rows[2:]) > 0


def _votes(row: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """How many columns of one kind speak for a row of titles above them, less those that speak against it."""
    votes = 0
    for column, cell in enumerate(row):
        kinds = Counter(_kind(other[column]) for other in below if column < len(other) and other[column].strip())
        if not kinds:
            continue
        kind, count = kinds.most_common(1)[0]
        if count * 5 < 4 * sum(kinds.values()):
            continue
        if kind:
            votes += 1 if _kind(cell) != kind else -1
        elif _kind(cell):  # a number over words
            votes += 1
    return votes


def _kind(cell: str) -> str:
    text = cell.strip()
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(text)), "")
