"""The source that chunks stand in where it has no pages, each kind as itself: paragraphs and tables with their places, messages
with who said them, rows under their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pecia.library import Library
from pecia.model import Block, BlockKind, Document, Locator, Span, XPath, described
from pecia.parsing.chat.said import pointer_of, said_of
from pecia.parsing.csv.dialect import Dialect, sniff
from pecia.parsing.csv.reader import header_names
from pecia.parsing.csv.rows import cells, row_spans
from pecia.parsing.media import TSV
from pecia.server.marking import Part, parts
from pecia.server.sheets import Shown
from pecia.showing.colours import Colouring
from pecia.storing.cuttings import Entry


@dataclass(frozen=True, slots=True)
class Run:
    """Text of a passage with the number of its chunk, 0 where none holds it; a table is taken apart in `body`."""

    text: str
    number: int
    body: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A block: where it stands, what it is, and its runs. `cells` are those of a row that one chunk holds; `sender` and `time`
    stand with the first block of a message."""

    place: str
    kind: str
    runs: tuple[Run, ...]
    cells: tuple[str, ...] = ()
    sender: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Passages in order; `columns` are the names over rows, where all of them are rows of a table file."""

    passages: tuple[Passage, ...] = ()
    columns: tuple[str, ...] = ()


def stretch_of(library: Library, entry: Entry, chunks: Sequence[Shown]) -> Stretch:
    """The source that these chunks stand in, from the first to the last."""
    if not chunks:
        return Stretch()
    span = Span(chunks[0].chunk.span.start, max(item.chunk.span.end for item in chunks))
    document = library.document(entry.document_id, text_hash=entry.text_hash, near=span)
    found = _Passages(document, chunks)
    at = span.start
    for block in document.blocks_of(span):
        inner = Span(max(at, block.span.start), min(span.end, block.span.end))
        if inner.start < inner.end:
            found.between(Span(at, inner.start))
            found.add(inner, block)
            at = inner.end
    found.between(Span(at, span.end))
    rows = all(item.kind == BlockKind.ROW.value for item in found.made)
    return Stretch(tuple(found.made), found.columns() if rows else ())


class _Passages:
    def __init__(self, document: Document, chunks: Sequence[Shown]) -> None:
        self.made: list[Passage] = []
        self._document, self._numbers = document, [item.number for item in chunks]
        self._colouring = Colouring([item.chunk for item in chunks])
        self._said, self._message = said_of(document), ""
        rows = bool(document.blocks) and document.blocks[0].kind is BlockKind.ROW
        self._dialect: Dialect | None = sniff(document.text, tab=document.source.media_type == TSV) if rows else None

    def between(self, span: Span) -> None:
        if span.trimmed(self._document.text):
            self.made.append(Passage(self._place(span), "section", self._runs(span)))

    def add(self, span: Span, block: Block) -> None:
        runs, kind = self._runs(span, table=block.kind is BlockKind.TABLE), block.kind.value
        if self._dialect and len(runs) == 1:
            own = tuple(cells(span.of(self._document.text), self._dialect.delimiter))
            self.made.append(Passage(self._place(span), kind, runs, own))
            return
        message = pointer_of(block.places)
        said = self._said.get(message, {}) if message != self._message else {}
        self._message = message
        kind = "message" if message in self._said and kind == "paragraph" else kind
        sender, time = said.get("sender", ""), said.get("message_time", "")
        self.made.append(Passage(self._place(span), kind, runs, sender=sender, time=time[:16].replace("T", " ")))

    def columns(self) -> tuple[str, ...]:
        """The names of the columns, which stand far above where the stretch is not the first."""
        if self._dialect is None:
            return ()
        text, dialect = self._document.text, self._dialect
        rows, _ = row_spans(text, dialect.delimiter, dialect.width, dialect.first + 1)
        return header_names(text, rows.starts, rows.ends, dialect)

    def _runs(self, span: Span, *, table: bool = False) -> tuple[Run, ...]:
        made = list[Run]()
        header: tuple[str, ...] = ()
        for piece in self._colouring.pieces(span):
            text = piece.span.of(self._document.text)
            body = tuple(parts(text, header)) if table else ()
            header = header or next((part.header for part in body if part.header), ())
            made.append(Run(text, self._numbers[piece.chunks[-1]] if piece.chunks else 0, body))
        return tuple(made)

    def _place(self, span: Span) -> str:
        return _described(self._document.locate(span).locators)


def _described(places: Sequence[Locator]) -> str:
    return next((at.xpath for at in places if isinstance(at, XPath)), "") or described(places)
