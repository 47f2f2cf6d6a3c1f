"""Where rows and cells of a delimited text stand. RFC 4180, with what is met beside it: quotes amid a cell, text behind a
closing quote, quotes that are never closed."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from functools import cache

from pecia.model import Rows, Span

# A quote that is not closed in its row is looked for to the end of the file. Those that are looked for in vain may cost as
# much as the file is long this many times; then quotes that are not closed on their own line are letters.
_VAIN = 8


@cache
def _patterns(delimiter: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """(a cell, a row without its line end, one with nothing behind its closing quotes). White space may stand before an opening
    quote, anything behind a closing one."""
    plain = rf"[^{re.escape(delimiter)}\n]*+"
    space = " *+" if delimiter == "\t" else r"[ \t]*+"
    loose, strict = (rf'(?:{space}"(?:[^"]|"")*+"{behind}|(?!{space}"){plain})' for behind in (plain, space))
    row, exact = (rf"{cell}(?:{re.escape(delimiter)}{cell})*+(?=\n|\Z)" for cell in (loose, strict))
    return re.compile(loose), re.compile(row), re.compile(exact)


def row_spans(text: str, delimiter: str, width: int = 0, limit: int | None = None) -> tuple[Rows, list[int]]:
    """The rows that hold something visible, and the numbers of those with a quote that is taken for a letter. Linear.

    `width` is the usual number of cells: where a line alone has it, a quote that reaches over lines was never meant to if it
    gives another number, or if something stands behind where it closes. `limit` ends after so many rows.
    """
    starts, ends, literal = array("Q"), array("Q"), list[int]()
    _, row, exact = _patterns(delimiter)
    at, size, quote = 0, len(text), text.find('"')
    vain = _VAIN * size
    find = text.find
    while at < size and (limit is None or len(starts) < limit):
        end = find("\n", at)
        if end < 0:
            end = size
        if 0 <= quote < at:
            quote = find('"', at)
        if 0 <= quote < end:
            match = row.match(text, at, size if vain > 0 else end)
            if match is None or (
                match.end() > end
                and text.count(delimiter, at, end) + 1 == width
                and (len(cells(match[0], delimiter)) != width or not exact.fullmatch(match[0]))
            ):
                vain -= (match.end() if match else size) - at
                literal.append(len(starts))
            else:
                end = match.end()
        if end > at and not text[at:end].isspace():
            starts.append(at)
            ends.append(end)
        elif literal and literal[-1] == len(starts):
            literal.pop()
        at = end + 1
    return Rows(starts, ends), literal


def cells(row: str, delimiter: str) -> list[str]:
    """What the cells of a row say, without their quotes."""
    if '"' not in row or not _patterns(delimiter)[1].fullmatch(row):
        return row.split(delimiter)
    return [unquoted(piece) for piece in _pieces(row, delimiter)]


def cell_spans(row: str, delimiter: str, start: int) -> list[Span]:
    """Where the cells of a row that begins at `start` stand, quotes included, delimiters not."""
    made, at = [], start
    whole = '"' in row and _patterns(delimiter)[1].fullmatch(row)
    for piece in _pieces(row, delimiter) if whole else row.split(delimiter):
        made.append(Span(at, at + len(piece)))
        at += len(piece) + 1
    return made


def _pieces(row: str, delimiter: str) -> Iterator[str]:
    match, at = _patterns(delimiter)[0].match, 0
    while at <= len(row):
        found = match(row, at)
        assert found is not None  # the whole row has matched
        yield found[0]
        at = found.end() + 1


def unquoted(cell: str) -> str:
    """A cell without the quotes around it and with its doubled ones single; what stands behind a closing quote stays."""
    bare = cell.lstrip(" \t")
    if not bare.startswith('"'):
        return cell
    end = 1
    while (end := bare.find('"', end)) >= 0 and bare.startswith('""', end):
        end += 2
    return cell if end < 0 else bare[1:end].replace('""', '"') + bare[end + 1 :].rstrip(" \t")


def widths(text: str, rows: Rows, delimiter: str) -> Sequence[int]:
    """The number of cells of each row."""
    return [
        len(cells(text[start:end], delimiter)) if '"' in text[start:end] else text.count(delimiter, start, end) + 1
        for start, end in zip(rows.starts, rows.ends, strict=True)
    ]
