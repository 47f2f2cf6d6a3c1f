"""The sentence that first speaks of a table or figure by its number: a link from what is shown to what is said of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pecia.model import Block, BlockKind, Figure, Span, Table
from pecia.text.sentences import sentence_ends

# Words of one line mean the same; the first word of a caption and its number are a name.
_WORDS = (
    ("table", "tables", "tab"), ("figure", "figures", "fig", "figs"), ("chart", "charts"), ("scheme", "schemes"), ("map", "maps"),
    ("plate", "plates"), ("exhibit", "exhibits"), ("box", "boxes"), ("diagram", "diagrams"), ("graph", "graphs"),
    ("bảng",), ("hình",), ("biểu đồ",), ("sơ đồ",), ("bản đồ",), ("đồ thị",), ("ảnh",), ("表",), ("圖", "图", "図"),
    ("tabelle", "tabellen", "tabel"), ("abbildung", "abbildungen", "abb"), ("tableau", "tableaux"), ("tabla", "tablas"),
    ("tabela", "tabelas"), ("figura", "figuras"), ("figuur", "figuren"), ("afbeelding", "afbeeldingen"), ("grafiek", "grafieken"),
    ("gráfico", "gráficos"), ("таблица", "таблицы", "таблице"), ("рисунок", "рис", "рисунке"),
)  # fmt: skip
_SAME: Mapping[str, str] = {word: words[0] for words in _WORDS for word in words}
_NUMBER = r"(?:[A-Z]?\d{1,3}(?:[.-]\d{1,3})*|[IVX]{1,5}(?![a-z])|[一二三四五六七八九十]{1,3})"
_LAST = r"(?:\s*(?:[,、–-]|and|und|et|và|及|和|與|&|y|e|en)\s*" + _NUMBER + ")*"
_SIGNS = "表圖图図"
_LATIN = "|".join(sorted((word for word in _SAME if word not in _SIGNS), key=len, reverse=True))
_NAMED = re.compile(
    rf"(?P<word>(?<!\w)(?:{_LATIN})|(?<![代發发外手年報报])[{_SIGNS}])\.?\s*(?P<numbers>{_NUMBER}{_LAST})", re.IGNORECASE
)
_EACH = re.compile(_NUMBER)
_SHOWN = {BlockKind.CAPTION, BlockKind.TABLE, BlockKind.FIGURE, BlockKind.HEADING, BlockKind.CODE}

Shown = TypeVar("Shown", Table, Figure)


def with_mentions(text: str, blocks: Sequence[Block], items: Sequence[Shown]) -> tuple[Shown, ...]:
    """The tables or figures, each with the sentence of the running text that first names it; one pass over the text."""
    wanted = {name for item in items for name in _names(_NAMED.match(item.caption))}
    found: dict[tuple[str, str], Span] = {}
    for match in _NAMED.finditer(text) if wanted else ():
        for name in _names(match):
            if name in wanted and name not in found:
                block = _block_at(blocks, match.start())
                if block is not None and block.kind not in _SHOWN:
                    found[name] = _sentence(text, block.span, match.start())
    named = ((item, list(_names(_NAMED.match(item.caption)))) for item in items)
    return tuple(replace(item, mention=next((found[name] for name in names if name in found), None)) for item, names in named)


def _names(match: re.Match[str] | None) -> Iterator[tuple[str, str]]:
    if match is not None:
        for number in _EACH.findall(match["numbers"]):
            yield _SAME[match["word"].lower()], number


def _block_at(blocks: Sequence[Block], offset: int) -> Block | None:
    at = bisect_right(blocks, offset, key=lambda block: block.span.start) - 1
    return blocks[at] if at >= 0 and offset < blocks[at].span.end else None


def _sentence(text: str, block: Span, offset: int) -> Span:
    start = block.start
    for end in sentence_ends(text, block.start, block.end):
        if end > offset:
            return Span(start, end).trimmed(text)
        start = end
    return Span(start, block.end).trimmed(text)
