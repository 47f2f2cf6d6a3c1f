"""Text for a page: words of a query marked, pipe tables as tables, everything else as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pecia.text.analysis import query_terms, terms

# Letters of scripts that are written without spaces; the analysis takes them in pairs.
_LETTERS = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_LETTERS}]+")
_WORD = re.compile(rf"[{_LETTERS}]+|[^\W{_LETTERS}](?:(?![{_LETTERS}])[\w\-/.,'’])*(?<=\w)")
_PIPE = re.compile(r"\s*\|.*\|\s*\Z")
_RULE = re.compile(r"\s*\|?[\s:|-]+\|[\s:|-]*\Z")
_BLANK = re.compile(r"\n[^\S\n]*\n+")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Part:
    """A run of plain text, or the rows of a table with its header; `lent` where the header is not of this text."""

    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    header: tuple[str, ...] = ()
    lent: bool = False


def marked(text: str, query: str) -> list[tuple[str, bool]]:
    """The text in runs, with whether a run holds words of the query; put together they are the text."""
    asked = set(query_terms(query))
    # A letter that stands in a pair of the query is marked with the other one only.
    paired = {letter for term in asked if len(term) == 2 and _UNSPACED.fullmatch(term) for letter in term}
    asked -= paired
    spans: list[tuple[int, int]] = []
    for start, end in _matches(text, asked):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    runs, at = list[tuple[str, bool]](), 0
    for start, end in spans:
        if at < start:
            runs.append((text[at:start], False))
        runs.append((text[start:end], True))
        at = end
    return [*runs, (text[at:], False)] if at < len(text) else runs


def _matches(text: str, asked: set[str]) -> Iterator[tuple[int, int]]:
    """Words and pairs of words or letters that are terms of the query, in order."""
    before: re.Match[str] | None = None
    for word in _WORD.finditer(text):
        if _UNSPACED.match(word[0]):
            start, end = word.span()
            for at in range(start, end):
                if text[at] in asked:
                    yield at, at + 1
                elif at + 1 < end and text[at : at + 2] in asked:
                    yield at, at + 2
            before = None
            continue
        if asked.intersection(terms(word[0])):
            yield word.span()
        elif before and asked.intersection(terms(f"{before[0]} {word[0]}")) - set(terms(before[0])):
            yield before.start(), word.end()
        before = word


def parts(text: str, header: tuple[str, ...] = ()) -> list[Part]:
    """The text in paragraphs, its pipe tables taken apart; a table has a header, a rule below it, and rows. Rows alone are the
    rest of a table that began before: `header` is what stands over them there."""
    found, lines, at = list[Part](), text.splitlines(keepends=True), 0
    plain: list[str] = []
    while at < len(lines):
        end = at
        while end < len(lines) and _PIPE.match(lines[end]):
            end += 1
        headed = end - at > 1 and _is_rule(lines[at + 1])
        rows = tuple(map(_cells, lines[at + 2 * headed : end]))
        lent = not headed and bool(rows) and len(rows[0]) == len(header)
        if headed or lent or len(rows) > 1:
            found += _paragraphs("".join(plain))
            plain = []
            found.append(Part(rows=rows, header=_cells(lines[at]) if headed else header if lent else (), lent=lent))
        else:
            end = max(end, at + 1)
            plain += lines[at:end]
        at = end
    return [*found, *_paragraphs("".join(plain))]


def header_in(label: str) -> tuple[str, ...]:
    """The cells of a label that is the header of a pipe table with its rule; none of any other."""
    lines = label.strip().splitlines()
    return _cells(lines[0]) if len(lines) == 2 and _PIPE.match(lines[0]) and _is_rule(lines[1]) else ()


def slots(text: str) -> list[tuple[str, str]]:
    """The `slot: value` lines of a record; a line that names no slot goes on with the value before."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        name, colon, value = line.partition(": ")
        if colon or not found:
            found.append((name, value) if colon else ("", line))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
    return found


def _is_rule(line: str) -> bool:
    return "-" in line and _RULE.match(line) is not None


def _paragraphs(text: str) -> list[Part]:
    return [Part(part.strip("\n")) for part in _BLANK.split(text) if part.strip()]


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip().strip("|")))
