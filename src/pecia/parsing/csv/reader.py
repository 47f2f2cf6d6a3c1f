"""CSV and TSV: one block a row, with its number and lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pecia.model import Document, Finding, Severity, Source, Span, visible
from pecia.parsing.csv.dialect import Dialect, sniff
from pecia.parsing.csv.rows import cells, row_spans, widths
from pecia.parsing.decode import decode
from pecia.parsing.media import TSV
from pecia.protocols import ParseOptions
from pecia.text.normalise import normalise

# Findings of one kind that are told one by one; the last says how many more there are.
_TOLD = 20
# Code, severity and text of each finding; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "CSV101": (
        Severity.WARNING,
        """Every row has as many cells as the table has columns.

Why: in a row with a cell too few or too many, values may stand under the wrong column; the row is kept as it is.
Example: `Museum A,Utrecht,NL-UtMA` below `Name,Place,ISIL,Date`, or a comma in a cell without quotes.""",
    ),
    "CSV102": (
        Severity.WARNING,
        """No two columns have the same name, and each has one.

Why: a value is known by the name of its column; the second `Name` is called `Name (2)`, the third without one `column 3`.
Example: the header `Name,Place,Name`.""",
    ),
    "CSV103": (
        Severity.WARNING,
        """Every quote that opens a cell is closed.

Why: taken at its word, such a quote swallows the rows behind it; it is read as a letter, and its line as one row.
Example: `"Museum A,Utrecht` on a line of its own.""",
    ),
    "CSV104": (
        Severity.INFO,
        """The table has a header.

Why: without one no value has a name; columns are called `column 1`, `column 2`, …
Example: a file whose first row is `1,Museum A,NL-UtMA,2019-03-01`, like all others.""",
    ),
}


def parse_csv(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document: the text as it is decoded, a block for each row that holds something."""
    decoded = decode(data)
    text, alignment = normalise(decoded.text)
    dialect = sniff(text, tab=source.media_type == TSV)
    rows, literal = row_spans(text, dialect.delimiter, dialect.width)
    found = _Findings(text)
    names = header_names(text, rows.starts, rows.ends, dialect) if len(rows) else ()
    counts = widths(text, rows, dialect.delimiter)
    for number in literal:
        found("CSV103", rows.starts[number], "a quote is never closed; it is read as a letter")
    columns = len(names) if dialect.header >= 0 else dialect.width
    for number in range(dialect.first, len(rows)):
        if counts[number] != columns:
            found("CSV101", rows.starts[number], f"{counts[number]} cells in a table of {columns} columns")
    if dialect.header >= 0:
        _name_findings(found, rows.starts[dialect.header], names)
    elif len(rows) and dialect.width > 1:
        found("CSV104", rows.starts[0], "no row looks like a header; columns are numbered")
    yield Document(
        source.sha256,
        source,
        text,
        blocks=rows,
        alignment=alignment,
        source_size=visible(decoded.text),
        findings=(*decoded.findings, *found.made()),
    )


def header_names(text: str, starts: Sequence[int], ends: Sequence[int], dialect: Dialect) -> tuple[str, ...]:
    """The names of the columns, each once: `Name`, `Name (2)`, and `column 3` where there is none. None holds a colon and a
    space, which part a name from its value in the text of a chunk. Of a header of two rows the second names a column; where two
    are called the same, with what stands above."""
    if dialect.header < 0:
        return tuple(f"column {number + 1}" for number in range(dialect.width))
    row, *second = (cells(text[starts[at] : ends[at]], dialect.delimiter) for at in range(dialect.header, dialect.first))
    if second:
        row = _joined(row, second[0])
    taken: dict[str, int] = {}
    for number, cell in enumerate(row):
        name = " ".join(cell.split()).replace(": ", ":") or f"column {number + 1}"
        unique, copy = name, taken.get(name, 0) + 1
        while unique in taken:
            unique, copy = f"{name} ({copy})", copy + 1
        if unique != name:
            taken[name] = copy - 1
        taken[unique] = 1
    return tuple(taken)


def _joined(above: Sequence[str], titles: Sequence[str]) -> list[str]:
    counts = Counter(map(str.strip, titles))
    made, over = [], ""
    for top, title in zip(map(str.strip, above), map(str.strip, titles), strict=True):
        over = top or over
        made.append(f"{over} {title}" if counts[title] > 1 and title else title or top)
    return made


def _name_findings(found: _Findings, at: int, names: Sequence[str]) -> None:
    before = set[str]()
    for number, name in enumerate(names):
        if name == f"column {number + 1}":
            found("CSV102", at, f"column {number + 1} has no name")
        elif name.endswith(")") and name.rpartition(" (")[0] in before:
            found("CSV102", at, f"two columns are called {name.rpartition(' (')[0]!r:.60}; the later one is called {name!r:.60}")
        before.add(name)


class _Findings:
    """Collects findings by code; the lines of those that are told are counted at the end, in one pass."""

    def __init__(self, text: str) -> None:
        self._text, self._held = text, dict[str, list[tuple[int, str]]]()

    def __call__(self, rule: str, at: int, message: str) -> None:
        self._held.setdefault(rule, []).append((at, message))

    def made(self) -> Iterator[Finding]:
        for rule, items in sorted(self._held.items()):
            line, before = 1, 0
            for number, (at, message) in enumerate(items[:_TOLD]):
                line += self._text.count("\n", before, at)
                before = at
                more = f"; and {len(items) - _TOLD} more" if number + 1 == _TOLD < len(items) else ""
                yield Finding(rule, CODES[rule][0], f"line {line}: {message}{more}", span=Span(at, at))
