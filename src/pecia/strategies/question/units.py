"""The lines of a document as markers are looked for in them: one unit a printed line, a table as a whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pecia.model import OCR_FONT, Block, BlockKind, Document, Span
from pecia.strategies.question.marks import fold

_WHOLE = {BlockKind.TABLE, BlockKind.CODE, BlockKind.FIGURE, BlockKind.FORMULA}
_UNMARKED = {*_WHOLE, BlockKind.QUOTE, BlockKind.FOOTNOTE, BlockKind.CAPTION}
_LINE = re.compile(r"[^\n]*\S[^\n]*")
# Signs that may end a sentence, and the closing signs that may follow one.
_ENDED = re.compile(r"[.!?。！？…;:；：][\"'”’」』）)\]】〕*_]*$|[\]】〕）)」』]$")
# Two columns or more: white space that prose does not have between its words.
_COLUMNS = re.compile(r"\S(?:\t+|\s{3,})\S")
# What OCR makes of the letter O before a number at the start of a line, where it runs on into Han script without a space: a
# number that is one has a stop, a bracket or a space behind it.
_ZERO = re.compile(r"^0(?=[1-9]\d?\s?[\u3400-\u9fff])")
# Text with longer lines than this is not wrapped: its lines are paragraphs.
_WIDEST = 130


@dataclass(frozen=True, slots=True)
class Unit:
    """A printed line without white space around it. `text` is folded and as long as the span; `opens` is true for the
    first line of a block, `joins` for one that goes on with the sentence of the line before it, which was full."""

    index: int
    span: Span
    text: str
    kind: BlockKind
    level: int | None
    opens: bool
    joins: bool

    @property
    def markable(self) -> bool:
        """False for tables, quotations and the like, in which nothing marks a question."""
        return self.kind not in _UNMARKED

    @property
    def is_heading(self) -> bool:
        return self.kind is BlockKind.HEADING

    @property
    def is_table(self) -> bool:
        return self.kind is BlockKind.TABLE

    @property
    def ended(self) -> bool:
        """True where a sentence ends with the line, or a bracket closes there."""
        return bool(_ENDED.search(self.text))

    @property
    def columns(self) -> bool:
        """True for a line of a table that stands as text."""
        return bool(_COLUMNS.search(self.text))


def units_of(document: Document) -> list[Unit]:
    """The units in document order; they hold every visible character that stands in a block."""
    text = document.text
    blocks = document.blocks or (Block("b", BlockKind.PARAGRAPH, Span(0, len(text)).trimmed(text)),)
    lines = [(block, number, span) for block in blocks for number, span in enumerate(_lines(text, block)) if span]
    full = _full_width(text, lines)
    found: list[Unit] = []
    for block, number, span in lines:
        before = found[-1] if found and number else None
        joins = before is not None and not before.ended and not before.columns and _width(before.text) >= full
        shown = fold(span.of(text))
        shown = _ZERO.sub("O", shown) if block.lines and block.lines[0].font == OCR_FONT else shown
        found.append(Unit(len(found), span, shown, block.kind, block.level, number == 0, joins))
    return found


def _lines(text: str, block: Block) -> Iterator[Span]:
    if block.kind in _WHOLE:
        yield block.span.trimmed(text)
        return
    for match in _LINE.finditer(text, block.span.start, block.span.end):
        yield Span(match.start(), match.end()).trimmed(text)


def _full_width(text: str, lines: Sequence[tuple[Block, int, Span]]) -> float:
    """The columns from which on a line is full, so that its sentence may go on in the next; infinite where lines are
    not wrapped. Measured on wrapped papers: 90 of 100 lines of a paragraph but its last are within a fifth of the widest."""
    several = {id(block) for block, number, _ in lines if number}
    widths = sorted(_width(span.of(text)) for block, _, span in lines if id(block) in several and block.kind not in _WHOLE)
    if not widths:
        return float("inf")
    widest = widths[len(widths) * 9 // 10]
    return 0.8 * widest if 20 <= widest <= _WIDEST else float("inf")


def _width(text: str) -> int:
    """Columns that a line takes, wide characters counted twice."""
    return len(text) if text.isascii() else sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)
