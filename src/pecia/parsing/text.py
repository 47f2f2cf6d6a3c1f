"""Plain text: verbatim apart from NFC and line ends; paragraphs at empty lines; heads and feet of pages aside; tables
of figures as pipe tables."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pecia.model import Alignment, Block, BlockKind, Document, Furniture, LineRange, Source, Span, Table, visible
from pecia.parsing.chat.lines import is_whatsapp, parse_whatsapp
from pecia.parsing.columns import tables as tables_of
from pecia.parsing.decode import decode
from pecia.parsing.page_lines import page_lines
from pecia.protocols import ParseOptions
from pecia.text.normalise import normalise
from pecia.text.paragraphs import paragraphs
from pecia.text.tables import rule_row

_LINE_END = re.compile(r"\r\n?|\n")


def parse_text(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document of paragraph and table blocks; of messages where the text is an export of WhatsApp."""
    decoded = decode(data)
    if is_whatsapp(decoded.text):
        yield parse_whatsapp(decoded, source)
        return
    text, alignment = normalise(decoded.text)
    rewritten = _Rewritten(text)
    furniture = tuple(_furniture(rewritten, alignment, decoded.text))
    made = rewritten.text
    starts = array("Q", [0, *(match.end() for match in _LINE_END.finditer(decoded.text))]) if rewritten.changed else array("Q")
    yield Document(
        source.sha256,
        source,
        made,
        blocks=tuple(_blocks(made, rewritten.tables)),
        furniture=furniture,
        tables=tuple(rewritten.tables),
        alignment=rewritten.alignment(alignment),
        source_size=visible(decoded.text),
        findings=decoded.findings,
        line_starts=starts,
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Characters of the result: those from `start` to `end` of the text before, or `added` ones."""

    start: int
    end: int
    added: str = ""


class _Rewritten:
    """A text without the heads and feet of its pages, its tables of figures as pipe tables."""

    def __init__(self, text: str) -> None:
        self._before, self._pieces = text, list[_Piece]()
        self.lines = text.split("\n")
        self.offsets = [0]
        for line in self.lines:
            self.offsets.append(self.offsets[-1] + len(line) + 1)
        running = page_lines(self.lines)
        self.kinds = running.kinds
        gone = {number for first, after in running.runs(self.lines) for number in range(first, after)}
        kept = [number for number in range(len(self.lines)) if number not in gone]
        found = {rows.first: rows for rows in tables_of([self.lines[number] for number in kept])}
        self.changed = bool(gone or found)
        self.tables: list[Table] = []
        if not self.changed:
            self._pieces.append(_Piece(0, len(text)))
            self.text = text
            return
        at = size = 0
        while at < len(kept):
            rows = found.get(at)
            if rows is None:
                size += self._keep(self.offsets[kept[at]], min(self.offsets[kept[at] + 1], len(text)))
                at += 1
                continue
            start = size
            cells = []
            for row, number in zip(rows.cells, kept[rows.first : rows.after], strict=True):
                base = self.offsets[number]
                cells.append(tuple(" ".join(text[base + a : base + b].split()) for a, b in row))
                size += self._row(base, row)
                if len(cells) == 1:
                    size += self._add(rule_row(len(row)) + "\n") if rows.header_rows else 0
            self.tables.append(Table(f"t{len(self.tables)}", tuple(cells), rows.header_rows, "", Span(start, size - 1)))
            at = rows.after
        self.text = "".join(piece.added or text[piece.start : piece.end] for piece in self._pieces)

    def _keep(self, start: int, end: int) -> int:
        if self._pieces and not self._pieces[-1].added and self._pieces[-1].end == start:
            self._pieces[-1] = _Piece(self._pieces[-1].start, end)
        elif start < end:
            self._pieces.append(_Piece(start, end))
        return end - start

    def _add(self, text: str) -> int:
        self._pieces.append(_Piece(0, 0, text))
        return len(text)

    def _row(self, base: int, row: Sequence[tuple[int, int]]) -> int:
        """One row as `pipe_row` writes it, its cells kept; the number of characters."""
        size = self._add("| ")
        for number, (start, end) in enumerate(row):
            size += self._add(" | ") if number else 0
            text = self._before[base + start : base + end]
            offset = base + start
            for part in re.split(r"(\||\s+)", text):
                if part == "|":
                    size += self._add("\\")
                size += self._add(" ") if part and part.isspace() else self._keep(offset, offset + len(part))
                offset += len(part)
        size += self._add(" |\n")
        return size

    def alignment(self, before: Alignment) -> Alignment:
        """The way back to the source, through the way back of the text before."""
        if not self.changed:
            return before
        return Alignment.of(self._runs(before))

    def _runs(self, before: Alignment) -> Iterator[tuple[int, int, int, int]]:
        runs = iter(before.runs())
        run = next(runs, None)
        at = 0
        for piece in self._pieces:
            if piece.added:
                at += len(piece.added)
                continue
            while run and run[1] <= piece.start:
                run = next(runs, None)
            while run and run[0] < piece.end:
                start, end = max(run[0], piece.start), min(run[1], piece.end)
                shift = at - piece.start
                if run[1] - run[0] == run[3] - run[2]:
                    yield start + shift, end + shift, run[2] + start - run[0], run[2] + end - run[0]
                else:
                    yield start + shift, end + shift, run[2], run[3]
                if run[1] > piece.end:
                    break
                run = next(runs, None)
            at += piece.end - piece.start


def _furniture(rewritten: _Rewritten, alignment: Alignment, source: str) -> Iterator[Furniture]:
    for number, line in enumerate(sorted(rewritten.kinds)):
        start = rewritten.offsets[line]
        span = Span(start, start + len(rewritten.lines[line]))
        size = sum(visible(source[part.start : part.end]) for part in alignment.to_source(span))
        text = rewritten.lines[line].strip()
        yield Furniture(f"f{number}", rewritten.kinds[line], text, (LineRange(line + 1, line + 1),), size)


def _blocks(text: str, tables: Sequence[Table]) -> Iterator[Block]:
    """Paragraphs, and tables between them."""
    at, number = 0, 0
    for span, kind in [*((table.span, BlockKind.TABLE) for table in tables), (Span(len(text), len(text)), BlockKind.TABLE)]:
        for paragraph in paragraphs(text, at, span.start):
            yield Block(f"b{number}", BlockKind.PARAGRAPH, paragraph)
            number += 1
        if span:
            yield Block(f"b{number}", kind, span)
            number += 1
        at = span.end
