"""The rows of a document as a register: what stands in which column, and where."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

from pecia.chunking.lines import Line
from pecia.errors import DocumentError
from pecia.model import BlockKind, Document, Rows, Span
from pecia.parsing.csv.dialect import Dialect, sniff
from pecia.parsing.csv.reader import header_names
from pecia.parsing.csv.rows import cell_spans, cells
from pecia.parsing.media import TSV
from pecia.strategies.registry.mapping import Columns, Pairs, columns_of, is_summary

# Rows at the end that may be none of data.
_LAST = 10


def is_register(document: Document) -> bool:
    """True for a document of rows."""
    return bool(document.blocks) and document.blocks[0].kind is BlockKind.ROW


class Register:
    """Reads the document's text again by its dialect, which follows from the text; DocumentError where an own mapping names no
    column of it."""

    def __init__(self, document: Document, own: Pairs) -> None:
        self.text = document.text
        self.starts, self.ends = _offsets(document)
        self.dialect: Dialect = sniff(document.text, tab=document.source.media_type == TSV)
        self.names = header_names(document.text, self.starts, self.ends, self.dialect)
        found = columns_of(self.names, own)
        if found is None:
            titles = ", ".join(self.names)
            raise DocumentError(f"the mapping names none of its columns, which are {titles:.300}", stage="segment")
        self.columns: Columns = found

    def data(self) -> range:
        """The numbers of the rows behind the header."""
        return range(self.dialect.first, len(self.starts))

    def summary(self) -> int:
        """The number of the first row of those at the end that sum the table up or say where it is from: one cell with a word
        for that, a number at most beside it, in a table of three columns or more. The number of rows where there is none."""
        first = len(self.starts)
        for number in range(len(self.starts) - 1, max(self.dialect.first, len(self.starts) - _LAST) - 1, -1):
            filled = [cell for cell in map(str.strip, self.values(number)) if cell]
            if filled and (self.dialect.width < 3 or len(filled) > 2 or not is_summary(filled)):
                break
            first = number if filled else first
        return first

    def at(self, offset: int) -> int:
        """The number of the row that the character at an offset stands in."""
        return bisect_right(self.starts, offset) - 1

    def span(self, number: int) -> Span:
        return Span(self.starts[number], self.ends[number])

    def values(self, number: int) -> list[str]:
        return cells(self.text[self.starts[number] : self.ends[number]], self.dialect.delimiter)

    def lines(self, number: int, values: Sequence[str], filled: Sequence[tuple[str, int]]) -> list[Line]:
        """Lines for some (label, column) pairs of a row, with the places of their cells."""
        row = self.text[self.starts[number] : self.ends[number]]
        spans = cell_spans(row, self.dialect.delimiter, self.starts[number])
        return [Line(label, values[column], spans[column]) for label, column in filled]

    def name(self, column: int) -> str:
        """The name of a column; of one beyond the header, its number."""
        return self.names[column] if column < len(self.names) else f"column {column + 1}"


def _offsets(document: Document) -> tuple[array[int], array[int]]:
    if isinstance(document.blocks, Rows):
        return document.blocks.starts, document.blocks.ends
    rows = [block.span for block in document.blocks if block.kind is BlockKind.ROW]
    return array("Q", [span.start for span in rows]), array("Q", [span.end for span in rows])
