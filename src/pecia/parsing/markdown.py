"""Markdown: the file verbatim, with the exact spans of its blocks."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pecia.model import Block, BlockKind, Document, Source, Span, Table, visible
from pecia.parsing.decode import decode
from pecia.protocols import ParseOptions
from pecia.text.normalise import normalise

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_LEAVES = {
    "heading_open": BlockKind.HEADING,
    "paragraph_open": BlockKind.PARAGRAPH,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "table_open": BlockKind.TABLE,
    "html_block": BlockKind.PARAGRAPH,
    "hr": BlockKind.PARAGRAPH,
}


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A block by its lines, counted from 0, the last one exclusive."""

    kind: BlockKind
    first: int
    last: int
    level: int | None = None
    cells: tuple[tuple[str, ...], ...] = ()


def parse_markdown(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document; every line with something on it is in a block (link definitions stand as paragraphs)."""
    decoded = decode(data)
    text, alignment = normalise(decoded.text)
    blocks: list[Block] = []
    tables: list[Table] = []
    for kind, span, level, cells in marked_up(text):
        blocks.append(Block(f"b{len(blocks)}", kind, span, level=level))
        if kind is BlockKind.TABLE:
            tables.append(Table(f"t{len(tables)}", cells, 1, "", span))
    yield Document(
        source.sha256,
        source,
        text,
        blocks=tuple(blocks),
        tables=tuple(tables),
        alignment=alignment,
        source_size=visible(decoded.text),
        findings=decoded.findings,
    )


def marked_up(text: str) -> Iterator[tuple[BlockKind, Span, int | None, tuple[tuple[str, ...], ...]]]:
    """(kind, span, level of a heading, cells of a table) of each block; together they hold all of a text with \\n line ends."""
    starts = array("Q", [0, *(match.end() for match in re.finditer("\n", text)), len(text) + 1])
    for leaf in _complete(list(_leaves(text)), text, starts):
        span = Span(starts[leaf.first], min(starts[leaf.last] - 1, len(text))).trimmed(text)
        if not span:
            continue
        if leaf.kind is BlockKind.CODE:  # an indent is part of the code
            span = Span(starts[leaf.first], span.end)
        yield leaf.kind, span, leaf.level, leaf.cells


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable("inline")


def _leaves(text: str) -> Iterator[_Leaf]:
    """The blocks that markdown-it finds, by their lines; only block rules run, so the text inside stays as it is."""
    front = _FRONT_MATTER.match(text)
    if front:
        lines = front[0].count("\n") or 1
        yield _Leaf(BlockKind.CODE, 0, lines)
        text = "\n" * lines + text[front.end() :]
    tokens = _reader().parse(text)
    containers: list[str] = []
    first_line: int | None = None  # of a list item whose first block has not come yet
    for at, token in enumerate(tokens):
        if token.type in {"list_item_open", "blockquote_open"}:
            containers.append(token.type)
            first_line = token.map[0] if token.map and first_line is None else first_line
        elif token.type in {"list_item_close", "blockquote_close"}:
            containers.pop()
            first_line = None
        elif token.type in _LEAVES and token.map:
            first, last = token.map
            yield _Leaf(
                _kind(_LEAVES[token.type], containers, first_line is not None),
                first if first_line is None else min(first, first_line),
                last,
                int(token.tag[1]) if token.type == "heading_open" else None,
                _cells(tokens, at) if token.type == "table_open" else (),
            )
            first_line = None


def _kind(kind: BlockKind, containers: Sequence[str], first_in_item: bool) -> BlockKind:
    if kind is not BlockKind.PARAGRAPH or not containers:
        return kind
    if containers[-1] == "list_item_open":
        return BlockKind.LIST_ITEM if first_in_item else kind
    return BlockKind.QUOTE


def _cells(tokens: Sequence[Token], at: int) -> tuple[tuple[str, ...], ...]:
    """The rows of the table that the token at `at` opens."""
    rows: list[list[str]] = []
    for token in islice(tokens, at, None):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":  # a table holds no other text than its cells
            rows[-1].append(token.content)
        elif token.type == "table_close":
            break
    return tuple(map(tuple, rows))


def _complete(leaves: Sequence[_Leaf], text: str, starts: Sequence[int]) -> Iterator[_Leaf]:
    """The leaves in order, with paragraphs for the lines between them that hold something and belong to none."""
    at, end = 0, len(starts) - 1
    for leaf in (*leaves, _Leaf(BlockKind.PARAGRAPH, end, end)):
        first = max(at, leaf.first)
        yield from _between(text, starts, at, first)
        if first < leaf.last:
            yield _Leaf(leaf.kind, first, leaf.last, leaf.level, leaf.cells)
        at = max(at, leaf.last)


def _between(text: str, starts: Sequence[int], first: int, last: int) -> Iterator[_Leaf]:
    begin = None
    for line in range(first, last + 1):
        blank = line == last or not text[starts[line] : starts[line + 1] - 1].strip()
        if not blank and begin is None:
            begin = line
        elif blank and begin is not None:
            yield _Leaf(BlockKind.PARAGRAPH, begin, line)
            begin = None
