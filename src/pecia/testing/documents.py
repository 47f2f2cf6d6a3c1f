"""Hypothesis strategies for documents: Latin, Vietnamese (NFC and NFD), Chinese, emoji, mixed line ends, tables, table files,
trees."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import yaml
from hypothesis import strategies as st

from pecia.model import Block, BlockKind, Box, Document, Line, Page, Source, Span
from pecia.parsing.csv.reader import parse_csv
from pecia.parsing.json.reader import parse_json
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.media import CSV, JSON, TEXT, YAML
from pecia.parsing.text import parse_text
from pecia.parsing.yaml.reader import parse_yaml
from pecia.protocols import ParseOptions

_LATIN = "The dose is 2.5 mg. Give it twice; see Dr. Smith, p. 12 (not more). It's fine? Ja, bijv. 1.000 stuks! Über e.g. x"
_VIETNAMESE = (
    "Người lớn: uống 500 mg, ngày 2 lần. Trẻ em dưới 12 tuổi: không dùng. Suy thận (Clcr < 10 ml/phút): giảm liều. TS. Đỗ v.v."
)
_CHINESE = (
    "問：政府會否檢討有關政策？答：會。「我們正研究。」詳情如下：（一）甲；（二）乙……本局於二零二四年三月公布。簡體：这是第一句！"
)
_EMOJI = "👩‍⚕️ 💊 🇻🇳 ✅ e\u0301 ﷽ 𠮷 \u00a0 \u3000 ﬁ ­x"


def _words(text: str) -> list[str]:
    return text.split(" ")


def _alphabet() -> st.SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(_words(_LATIN)),
        st.sampled_from(_words(_VIETNAMESE)),
        st.sampled_from([unicodedata.normalize("NFD", word) for word in _words(_VIETNAMESE)]),
        st.sampled_from([_CHINESE[start : start + 5] for start in range(0, len(_CHINESE), 5)]),
        st.sampled_from(_words(_EMOJI)),
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6),
    )


def prose(max_words: int = 120) -> st.SearchStrategy[str]:
    """Words of all alphabets with spaces, nothing, line ends and empty lines between them."""
    gaps = st.sampled_from([" ", " ", " ", "", "\n", "\r\n", "\n\n", "\r\n\r\n", "  ", "\t", "\n  \n", "\r"])
    pair = st.tuples(_alphabet(), gaps)
    return st.lists(pair, max_size=max_words).map(lambda pairs: "".join(word + gap for word, gap in pairs))


def _table() -> st.SearchStrategy[str]:
    cell = _alphabet().map(lambda word: " ".join(word.replace("|", "/").split()) or "-")
    rows = st.lists(st.lists(cell, min_size=2, max_size=2), min_size=1, max_size=12)
    return rows.map(
        lambda rows: "| Age | Dose |\n| --- | --- |\n" + "".join("| " + " | ".join(row) + " |\n" for row in rows) + "\n"
    )


def markdown(max_blocks: int = 12) -> st.SearchStrategy[str]:
    """Headings with and without bodies, prose, lists, tables, fences."""
    line = st.lists(_alphabet(), min_size=1, max_size=12).map(lambda words: " ".join(" ".join(words).split()))
    block = st.one_of(
        st.tuples(st.integers(1, 4), line).map(lambda pair: "#" * pair[0] + " " + pair[1] + "\n\n"),
        prose(30).map(lambda text: text + "\n\n"),
        st.lists(line, min_size=1, max_size=5).map(lambda items: "".join(f"- {item}\n" for item in items) + "\n"),
        _table(),
        line.map(lambda text: f"```\n  {text}\n\n{text}\n```\n\n"),
    )
    return st.lists(block, max_size=max_blocks).map("".join)


def rows(max_rows: int = 20) -> st.SearchStrategy[str]:
    """Delimited text with and without a header that pecia knows: quotes, line breaks and delimiters in cells, ragged rows."""
    cell = st.one_of(st.just(""), _alphabet(), prose(8)).map(lambda text: text.replace("\0", ""))

    def written(made: tuple[str, list[str], list[list[str]], bool]) -> str:
        delimiter, header, body, everything = made

        def quoted(text: str) -> str:
            inside = text.replace('"', '""')
            return f'"{inside}"' if everything or any(mark in text for mark in f'{delimiter}"\r\n') else text

        return "\n".join(delimiter.join(map(quoted, row)) for row in [header, *body])

    header = st.sampled_from([["Instelling", "Plaats", "Opmerking"], ["Name", "Name", ""], ["1", "2", "3"]])
    body = st.lists(st.lists(cell, min_size=2, max_size=4), max_size=max_rows)
    return st.tuples(st.sampled_from(",;\t|"), header, body, st.booleans()).map(written)


def trees() -> st.SearchStrategy[Any]:
    """What YAML and JSON hold: entities, lists of them, and anything else."""
    scalar = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), prose(12))
    key = st.one_of(
        _alphabet(), st.sampled_from(["name", "description", "collections", "identifiers", "id", "hc_id", "custodian_place"])
    )
    return st.recursive(
        scalar,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(key, inner, max_size=5)),
        max_leaves=25,
    )


Parse = Callable[[bytes, Source, ParseOptions], Iterator[Document]]


def parsed(data: bytes, name: str, parser: Parse, media_type: str = TEXT) -> Document:
    """The document that a parser makes of these bytes, in this process."""
    source = Source(f"file:///{name}", name, media_type, hashlib.sha256(data).hexdigest())
    return next(parser(data, source, ParseOptions()))


def paged(paragraphs: list[str], per_page: int, width: int = 40) -> Document:
    """A document with pages, lines and boxes, as a PDF parser gives it: paragraphs wrapped at `width` characters, pages
    of `per_page` lines, an empty page after every third, labels that begin at 7 on the second page."""
    text, blocks, pages, line_number, page_start = "", [], list[Page](), 0, 0

    def close() -> None:
        nonlocal page_start
        index = len(pages)
        pages.append(Page(index, str(index + 6) if index else None, 300.0, 12.0 * per_page + 40, Span(page_start, len(text))))
        page_start = len(text)

    for number, paragraph in enumerate(paragraphs):
        words = unicodedata.normalize("NFC", " ".join(paragraph.split()))
        if not words.strip():
            continue
        start, lines = len(text), []
        for at in range(0, len(words), width):
            if line_number == per_page:
                close()
                line_number = 0
                if len(pages) % 3 == 0:
                    close()
            piece = words[at : at + width]
            top = 20.0 + 12 * line_number
            if visible := piece.strip():
                first = len(text) + len(piece) - len(piece.lstrip())
                span = Span(first, first + len(visible))
                lines.append(Line(span, len(pages), Box(20, top, 20 + 5 * len(visible), top + 10), "Serif", 10))
            text += piece
            line_number += 1
        if lines:
            blocks.append(Block(f"b{number}", BlockKind.PARAGRAPH, Span(start, len(text)).trimmed(text), lines=tuple(lines)))
        text += "\n\n"
    close()
    digest = hashlib.sha256(text.encode()).hexdigest()
    source = Source("file:///made.pdf", "made.pdf", "application/pdf", digest)
    return Document(digest, source, text, pages=tuple(pages), blocks=tuple(blocks))


def documents() -> st.SearchStrategy[Document]:
    """Documents of every shape that a strategy must keep the laws on."""
    return st.one_of(
        prose().map(lambda text: parsed(text.encode(), "made.txt", parse_text)),
        markdown().map(lambda text: parsed(text.encode(), "made.md", parse_markdown)),
        rows().map(lambda text: parsed(text.encode(), "made.csv", parse_csv, CSV)),
        trees().map(lambda tree: parsed(json.dumps(tree, ensure_ascii=False).encode(), "made.json", parse_json, JSON)),
        trees().map(lambda tree: parsed(yaml.safe_dump(tree, allow_unicode=True).encode(), "made.yaml", parse_yaml, YAML)),
        st.builds(paged, st.lists(prose(40), max_size=8), st.integers(2, 9), st.sampled_from([20, 40])),
    )
