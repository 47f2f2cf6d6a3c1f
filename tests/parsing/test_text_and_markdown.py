"""Plain text and Markdown: nothing lost, spans exact, bad bytes refused."""

import unicodedata

import pytest
from hypothesis import given

from pecia.errors import EncodingError, UnsupportedError
from pecia.model import BlockKind, Document, SourceSpan, Span
from pecia.parsing.decode import decode
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.media import media_type
from pecia.parsing.text import parse_text
from pecia.testing.documents import markdown, parsed, prose
from pecia.text.headings import heading_title
from pecia.text.normalise import normalise
from pecia.text.tables import to_markdown


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(block.kind.value, block.span.of(document.text)) for block in document.blocks]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_is_read_with_and_without_a_mark(encoding: str) -> None:
    text = "Liều dùng: 5 mg.\nHết.\n" * 30
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"caf\xe9 \x01 au lait", "control characters, the first at byte 5"),
        (b"abc\0def and more", "NUL"),
        (b"\xff\xfea", "utf-16-le"),
        (b"\x81\x8d\x8f", "byte 0x81 at offset 0"),
    ],
)
def test_bytes_that_are_not_text_are_refused_and_named(data: bytes, says: str) -> None:
    with pytest.raises(EncodingError, match=says):
        decode(data)


@given(prose())
def test_normalising_is_nfc_with_newlines_and_leads_back(text: str) -> None:
    made, alignment = normalise(text)
    assert made == unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    assert alignment.to_source(Span(0, len(made))) == () or text
    for start, end, source_start, source_end in alignment.runs():
        piece = text[source_start:source_end].replace("\r\n", "\n").replace("\r", "\n")
        assert unicodedata.normalize("NFC", piece) == made[start:end]
    covered = sum(source_end - source_start for _, _, source_start, source_end in alignment.runs())
    assert covered == len(text)


def test_the_way_back_from_a_composed_letter() -> None:
    made, alignment = normalise("Lie\u0302\u0300u\r\nX")
    assert made == "Liều\nX"
    assert alignment.to_source(Span(2, 3)) == (SourceSpan(2, 5),)
    assert alignment.to_source(Span(4, 5)) == (SourceSpan(6, 8),)


def test_paragraphs_of_text_end_at_empty_lines() -> None:
    document = parsed(b"one\ntwo\n \n\n  three\r\nfour\n", "a.txt", parse_text)
    assert blocks(document) == [("paragraph", "one\ntwo"), ("paragraph", "three\nfour")]


@given(prose())
def test_every_visible_character_of_a_text_is_in_a_block(text: str) -> None:
    document = parsed(text.encode(), "a.txt", parse_text)
    assert "".join(document.text.split()) == "".join("".join(piece.split()) for _, piece in blocks(document))


@given(markdown())
def test_every_visible_character_of_markdown_is_in_a_block(text: str) -> None:
    document = parsed(text.encode(), "a.md", parse_markdown)
    assert document.text == unicodedata.normalize("NFC", text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    assert "".join(document.text.split()) == "".join("".join(piece.split()) for _, piece in blocks(document))


MARKDOWN = """---
title: x
---
# Title #

Para one
goes on.

Setext
======

- a
  - b

    more b
- c

1. one

> quoted *words*

| h1 | h\\|2 |
|----|:---:|
| a  | b    |

```py
# not a heading

x = 1
```

    indented

<div>raw</div>

[ref]: http://example.org

***
"""


def test_markdown_blocks_have_their_exact_spans() -> None:
    assert blocks(parsed(MARKDOWN.encode(), "a.md", parse_markdown)) == [
        ("code", "---\ntitle: x\n---"),
        ("heading", "# Title #"),
        ("paragraph", "Para one\ngoes on."),
        ("heading", "Setext\n======"),
        ("list_item", "- a"),
        ("list_item", "- b"),
        ("paragraph", "more b"),
        ("list_item", "- c"),
        ("list_item", "1. one"),
        ("quote", "> quoted *words*"),
        ("table", "| h1 | h\\|2 |\n|----|:---:|\n| a  | b    |"),
        ("code", "```py\n# not a heading\n\nx = 1\n```"),
        ("code", "    indented"),
        ("paragraph", "<div>raw</div>"),
        ("paragraph", "[ref]: http://example.org"),
        ("paragraph", "***"),
    ]


def test_markdown_tables_are_data() -> None:
    (table,) = parsed(MARKDOWN.encode(), "a.md", parse_markdown).tables
    assert (table.cells, table.header_rows) == ((("h1", "h|2"), ("a", "b")), 1)
    assert to_markdown(table) == "| h1 | h\\|2 |\n| --- | --- |\n| a | b |"


def test_heading_levels() -> None:
    document = parsed(b"# A\n### C\nB\n-\n###### F\n####### no\n#no\n", "a.md", parse_markdown)
    found = [(block.level, block.span.of(document.text)) for block in document.blocks if block.kind is BlockKind.HEADING]
    assert found == [(1, "# A"), (3, "### C"), (2, "B\n-"), (6, "###### F")]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A", "A"),
        ("## A ##", "A"),
        ("A\n===", "A"),
        ("## C#", "C#"),
        ("4.2  Dose", "4.2 Dose"),
        ("#", ""),
        ("# 1. *Use*", "1. *Use*"),
    ],
)
def test_titles_of_headings(text: str, title: str) -> None:
    assert heading_title(text) == title


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.md", b"# x", "text/markdown"), ("A.TXT", b"x", "text/plain"), ("README", b"x", "text/plain"),
        ("a.bin", b"%PDF-1.7", "application/pdf"), ("a.pdf", b"not one", "application/pdf"),
    ],
)  # fmt: skip
def test_media_types(name: str, head: bytes, expected: str) -> None:
    assert media_type(name, head) == expected


@pytest.mark.parametrize(
    ("name", "head"), [("a.xlsx", b"PK\x03\x04"), ("a.txt", b"\x89PNG"), ("a.xyz", b"?"), ("a.txt", b"\x7fELF")]
)
def test_files_that_no_parser_reads_are_named(name: str, head: bytes) -> None:
    with pytest.raises(UnsupportedError, match=name.replace(".", r"\.")):
        media_type(name, head)


def test_many_tables_and_deep_lists_are_read_in_linear_time() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n\n" * 2_000 + "".join("  " * depth + "- x\n" for depth in range(200))
    document = parsed(text.encode(), "a.md", parse_markdown)
    assert len(document.tables) == 2_000
    assert document.ledger().missing == 0
