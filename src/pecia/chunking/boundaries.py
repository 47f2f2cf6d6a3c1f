"""Where a document may be cut, and how good each place is."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum

from pecia.model import Block, BlockKind, Document, Span
from pecia.text.sentences import LEADS, sentence_ends, sentence_ends_backwards


class Rank(IntEnum):
    """How good a place is to cut; the packer takes a better place before a later one only from the target on."""

    HEADER = 1  # a word inside the header rows of a table: only where the header alone is over the ceiling
    CELL = 2  # a word inside another row: only where the row alone is over the ceiling
    HELD = 3  # the end of a heading, label or caption: only where what it governs cannot be cut either
    WORD = 4
    CLAUSE = 5
    STOP = 6  # a full stop that the sentence rules do not vouch for: before a small letter, in text without capitals
    SENTENCE = 7
    BLOCK = 8
    SECTION = 9


# How far from a limit words are looked for at once; then the next window, twice as wide, is looked through.
WINDOW = 256
_IDEOGRAPH = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_WORD = re.compile(rf"(?<=[^\s:：])(?=\s)|(?<=[{_IDEOGRAPH}])(?=[{_IDEOGRAPH}])")
_STOP = re.compile(r"(?<=[.!?…])(?=\s)")
_CLAUSE = re.compile(r"(?<=[,;])(?=\s)|(?<=[，、；])")
Ends = Callable[[str, int, int], Iterator[int]]
_ROWS = {BlockKind.TABLE, BlockKind.CODE}


class DocumentBoundaries:
    """Ends of sections, blocks, sentences, clauses and words of one document.

    Not good at all: the end of a heading, of a block that ends on a colon, of a caption before its table or figure, and
    any place inside the header rows of a table; they come last among the weak places. The end of a `paragraph_separator` is as
    good as the end of a block, the start of a `separator` as good as the end of a word.
    """

    def __init__(self, document: Document, *, separator: str = " ", paragraph_separator: str = "\n\n") -> None:
        self._text, self._blocks, self._tables = document.text, document.blocks, document.tables
        word = _WORD if separator.isspace() else re.compile(f"{_WORD.pattern}|(?={re.escape(separator)})")
        self._weak_places = ((_STOP, Rank.STOP), (_CLAUSE, Rank.CLAUSE), (word, Rank.WORD))
        # Empty lines end blocks already.
        self._separator = re.compile(re.escape(paragraph_separator)) if paragraph_separator.strip("\n") else None
        self._starts = [block.span.start for block in document.blocks]

    def blocks(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        if self._separator:
            return iter(sorted({*self._ends_of_blocks(start, end), *self._separated(start, end)}, reverse=True))
        return self._ends_of_blocks(start, end)

    def _ends_of_blocks(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        for at in range(bisect_right(self._starts, high) - 1, max(1, bisect_right(self._starts, low)) - 1, -1):
            if not self._holds_on(at - 1):
                yield self._starts[at], Rank.SECTION if self._blocks[at].kind is BlockKind.HEADING else Rank.BLOCK

    def _separated(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        assert self._separator
        for match in self._separator.finditer(self._text, low, high):
            block = self._blocks[bisect_right(self._starts, match.end()) - 1] if self._starts else None
            marks = block is not None and block.kind is BlockKind.HEADING and block.span.start < match.end() < block.span.end
            if match.end() > low and not marks:
                yield match.end(), Rank.BLOCK

    def sentences(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        # One by one, from the last: mostly the first end is all that is asked for.
        for at in range(bisect_right(self._starts, end) - 1, max(0, bisect_right(self._starts, start) - 1) - 1, -1):
            for offset in self._inside(self._blocks[at], start, end, sentence_ends_backwards, _row_ends_backwards):
                yield offset, Rank.SENTENCE

    def sentences_forwards(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        for block in self._blocks_in(start, end):
            for offset in self._inside(block, start, end, sentence_ends, _row_ends):
                yield offset, Rank.SENTENCE

    def weak(self, start: int, end: int, least: int = 0) -> Iterator[tuple[int, int]]:
        width = WINDOW
        while end > start:
            low = max(start, end - width)
            yield from sorted(self._clauses_and_words(low, end, least), reverse=True)
            end, width = low, 2 * width

    def _clauses_and_words(self, low: int, high: int, least: int) -> Iterator[tuple[int, int]]:
        tables = [(self.header(block), block.span) for block in self._blocks_in(low, high) if block.kind is BlockKind.TABLE]
        for pattern, rank in self._weak_places:
            if rank < least:
                break
            for match in pattern.finditer(self._text, low + 1, min(high + 1, len(self._text))):
                if (at := match.start()) <= high:
                    yield at, _inside_table(at, tables) or rank
        for at in range(max(1, bisect_right(self._starts, low)), bisect_right(self._starts, high)):
            if self._holds_on(at - 1):
                yield self._starts[at], Rank.HELD

    def _blocks_in(self, low: int, high: int) -> Sequence[Block]:
        return self._blocks[max(0, bisect_right(self._starts, low) - 1) : bisect_right(self._starts, high)]

    def _inside(self, block: Block, low: int, high: int, sentences: Ends, rows: Ends) -> Iterator[int]:
        """Ends of sentences, or of rows and code lines, in (low, high] and before the end of the block."""
        low, high = max(low, self._body(block)), min(high, block.span.end - 1)
        if low >= high or block.kind is BlockKind.HEADING:
            return
        if block.kind in _ROWS:
            yield from rows(self._text, low, high)
            return
        for offset in sentences(self._text, low, high):
            if self._text[offset - 1] not in LEADS:
                yield offset

    def _body(self, block: Block) -> int:
        """Where the rows after a table's header begin; the start of any other block."""
        return self.header(block).end if block.kind is BlockKind.TABLE else block.span.start

    def header(self, block: Block) -> Span:
        """The header rows of a table block as they stand in the text, the rule under them included."""
        start = block.span.start
        at = bisect_left(self._tables, start, key=lambda table: table.span.start)
        if at == len(self._tables) or self._tables[at].span.start != start or self._tables[at].quarantined:
            return Span(start, start)
        end, rows = start, self._tables[at].header_rows
        for _ in range(rows + 1 if rows else 0):  # the rule of a pipe table stands under its first header row
            end = self._text.find("\n", end, block.span.end) + 1 or block.span.end
        return Span(start, end)

    def _holds_on(self, at: int) -> bool:
        """True where a block must not be the end of a chunk, because it governs the next one."""
        block = self._blocks[at]
        if block.kind is BlockKind.HEADING:
            after = self._blocks[at + 1]
            return after.kind is not BlockKind.HEADING or (after.level or 1) > (block.level or 1)
        if block.kind is BlockKind.CAPTION:
            return self._blocks[at + 1].kind in {BlockKind.TABLE, BlockKind.FIGURE}
        return self._text[block.span.end - 1] in LEADS  # a block ends on something visible

    def context(self, offset: int) -> tuple[str, ...]:
        """The header rows of the table that a chunk beginning at `offset` would cut; else nothing."""
        at = bisect_right(self._starts, offset) - 1
        if at < 0 or self._blocks[at].kind is not BlockKind.TABLE:
            return ()
        header = self.header(self._blocks[at])
        if not header or not header.end <= offset < self._blocks[at].span.end:
            return ()
        return (header.of(self._text).rstrip("\n"),)


def _row_ends(text: str, low: int, high: int) -> Iterator[int]:
    at = text.find("\n", low, high)
    while at >= 0:
        yield at + 1
        at = text.find("\n", at + 1, high)


def _row_ends_backwards(text: str, low: int, high: int) -> Iterator[int]:
    at = text.rfind("\n", low, high)
    while at >= 0:
        yield at + 1
        at = text.rfind("\n", low, at)


def _inside_table(offset: int, tables: Sequence[tuple[Span, Span]]) -> Rank | None:
    """The rank of a word inside a table; `tables` are their header rows and all their rows."""
    for header, rows in tables:
        if rows.start <= offset < rows.end:
            return Rank.HEADER if offset < header.end else Rank.CELL
    return None
