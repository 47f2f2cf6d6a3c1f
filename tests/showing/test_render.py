"""The shown page: every character at its place, nothing of the document acts as markup, nothing is asked of a network."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia import pipeline
from pecia.errors import UsageError
from pecia.model import (
    Block,
    BlockKind,
    Box,
    Chunk,
    ChunkKind,
    Document,
    Finding,
    Furniture,
    LeftOut,
    Line,
    Page,
    PageBox,
    Segment,
    Severity,
    Source,
    Span,
    Table,
)
from pecia.showing import layout
from pecia.showing.colours import Colouring
from pecia.showing.layout import regions_of
from pecia.showing.render import render
from tests.showing.reading import Reading

EXAMPLES = Path(__file__).parents[2] / "examples"
HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(1)">\'"&amp;<!-- ]]> {{ 7 * 7 }} {% raw %}\u202e\x00\x1b'


@cache
def report() -> Document:
    return pipeline.parse(EXAMPLES / "harbour-report.pdf")


def made(text: str, *spans: tuple[BlockKind, int, int], name: str = "made.txt", paged: bool = False) -> Document:
    """A document of these blocks, on one page if asked for; each block is one line."""
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    blocks = tuple(
        Block(
            f"b{number}",
            kind,
            Span(start, end),
            lines=(Line(Span(start, end), 0, Box(50, 20 * number, 300, 20 * number + 12)),) if paged else (),
        )
        for number, (kind, start, end) in enumerate(spans)
    )
    pages = (Page(0, None, 400.0, 600.0, Span(0, len(text))),) if paged else ()
    return Document(sha, Source(name, name, "text/plain", sha), text, pages=pages, blocks=blocks, source_size=0)


def piece(document: Document, start: int, end: int, **changes: object) -> Chunk:
    span = Span(start, end)
    chunk = Chunk(
        f"{start:010d}{end:010d}", document.id, document.source.name, document.text_hash, "token", "token", ChunkKind.PROSE,
        "s0", (), span.of(document.text), span.of(document.text), (), span, None, None, (), 0, 1, 7, "estimate", 100, 0,
    )  # fmt: skip
    return replace(chunk, **changes)  # type: ignore[arg-type]


def page(document: Document, **options: object) -> Reading:
    reading = Reading("".join(render(document, **options)))  # type: ignore[arg-type]
    assert not reading.open_at_end
    return reading


def test_the_text_of_each_page_stands_there_to_the_letter_with_and_without_chunks() -> None:
    document = report()
    everything = range(len(document.pages))
    for strategy in ("token", "page", "heading"):
        chunks = pipeline.cut(document, strategy, max_tokens=60, overlap_tokens=12).chunks
        for held in (None, chunks):
            reading = page(document, pages=everything, chunks=held)
            for item in document.pages:
                assert reading.source_text(f"p{item.number}") == item.span.of(document.text)


def test_each_character_bears_the_chunks_that_hold_it() -> None:
    document = report()
    chunks = pipeline.cut(document, "token", max_tokens=60, overlap_tokens=12).chunks
    reading, at = page(document, pages=range(len(document.pages)), chunks=chunks), 0
    overlapping = 0
    for element in reading.with_class("t"):
        named = [int(number) for number in element.attributes.get("data-c", "").split()]
        whole = Span(at, at + len(element.text))
        if "gap" not in element.classes:
            assert named == [number for number, chunk in enumerate(chunks) if chunk.span.overlaps(whole)]
            assert all(chunks[number].span.contains(whole) for number in named)
            overlapping += len(named) > 1
        at = whole.end
    assert at == len(document.text)
    assert overlapping
    heads = [element for element in reading.with_class("head") if "continued" not in element.text]
    assert [element.text.split()[0] for element in heads] == [chunk.chunk_id[:8] for chunk in chunks]
    assert all(f"{chunk.est_tokens} of 60 tokens" in element.text for chunk, element in zip(chunks, heads, strict=True))


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted), max_size=8), st.integers(0, 30), st.integers(0, 30)
)
def test_pieces_tile_a_span_and_name_the_chunks_that_hold_them(ends: list[list[int]], one: int, other: int) -> None:
    document = made("x" * 30)
    colouring = Colouring([piece(document, start, end) for start, end in ends])
    span = Span(min(one, other), max(one, other))
    found = list(colouring.pieces(span))
    assert "".join(part.span.of(document.text) for part in found) == span.of(document.text)
    assert [part.span.start for part in found] == [span.start, *(part.span.end for part in found)][: len(found)]
    for part in found:
        assert len(part.span)
        assert list(part.chunks) == [number for number, (start, end) in enumerate(ends) if Span(start, end).overlaps(part.span)]
        assert all(Span(*ends[number]).contains(part.span) for number in part.chunks)


def test_context_labels_stand_apart_from_the_text() -> None:
    document = made("one two", (BlockKind.PARAGRAPH, 0, 7))
    label = "Part <A>"
    reading = page(document, chunks=[piece(document, 0, 7, context_labels=(label,))])
    assert [element.text for element in reading.with_class("context")] == [f"context {label}"]
    assert reading.source_text("d") == "one two"


def test_text_in_no_chunk_says_so_and_why() -> None:
    document = made("head\n\nbody\n\ntail", *[(BlockKind.PARAGRAPH, at, at + 4) for at in (0, 6, 12)])
    out = Segment("s1", "contents", "", Span(0, 4), left_out_reason=LeftOut.CONTENTS)
    reading = page(document, chunks=[piece(document, 6, 10)], left_out=[out])
    assert [(element.text, element.attributes["title"]) for element in reading.with_class("out")] == [
        ("head", "left out: contents"),
        ("tail", "in no chunk"),
    ]


def test_nothing_of_the_document_acts_as_markup() -> None:
    text = f"{HOSTILE}\n\n{HOSTILE}"
    document = made(text, (BlockKind.TABLE, 0, len(HOSTILE)), (BlockKind.PARAGRAPH, len(HOSTILE) + 2, len(text)), paged=True)
    table = Table("t0", ((HOSTILE,),), 1, HOSTILE, Span(0, len(HOSTILE)))
    furniture = Furniture("f0", HOSTILE, HOSTILE, (PageBox(0, Box(1, 1, 9, 9)),), 3)
    pages = (replace(document.pages[0], label=HOSTILE),)
    source = replace(document.source, name=HOSTILE)
    for quarantine in ("", HOSTILE):
        tables = (replace(table, quarantined=bool(quarantine), quarantine_reason=quarantine),)
        whole = replace(document, tables=tables, furniture=(furniture,), pages=pages, source=source)
        chunk = piece(whole, 0, len(text), context_labels=(HOSTILE,), source_name=HOSTILE, attributes={"language": HOSTILE},
                      strategy=HOSTILE, tokenizer=HOSTILE, chunk_id=HOSTILE)  # fmt: skip
        finding = Finding("LAW101", Severity.ERROR, HOSTILE, chunk_id=HOSTILE)
        reading = page(whole, pages=[0], chunks=[chunk], findings=[finding])
        assert [element.tag for element in reading.elements].count("script") == 1
        assert not [element for element in reading.elements if element.tag in {"img", "iframe", "object", "base", "form"}]
        assert not [name for element in reading.elements for name in element.attributes if name.startswith(("on", "style"))]
        assert reading.source_text("p1") == text.replace("\x00", "\u2400").replace("\x1b", "\u241b")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80))
def test_any_text_comes_back_from_the_page(text: str) -> None:
    document = made(text, (BlockKind.PARAGRAPH, 0, len(text)))
    shown = page(document, chunks=[piece(document, 0, (len(text) + 1) // 2)]).source_text("d")
    assert shown == "".join(chr(0x2400 + ord(one)) if ord(one) < 32 and one not in "\t\n" else one for one in text).replace(
        "\x7f", "\u2421"
    )


def test_the_file_asks_nothing_of_any_network_and_says_so_to_the_browser() -> None:
    html = "".join(render(report(), pages=[0, 1], picture=lambda page: b"\x89PNG"))
    reading = Reading(html)
    named = [
        value
        for element in reading.elements
        for name, value in element.attributes.items()
        if name in {"src", "href", "srcset", "action", "data", "poster", "xlink:href"}
    ]
    assert named
    assert all(value.startswith(("#", "data:")) for value in named)
    assert not re.search(r"@import|url\((?!#)|https?:|//[a-z]", "".join(reading_text(reading, "style")))
    assert not re.search(r"fetch|XMLHttp|import\(|https?:", "".join(reading_text(reading, "script")))
    policy = next(element.attributes["content"] for element in reading.elements if element.attributes.get("http-equiv"))
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")


def reading_text(reading: Reading, tag: str) -> Iterator[str]:
    return (element.text for element in reading.elements if element.tag == tag)


def test_links_lead_to_what_is_there_and_no_id_stands_twice() -> None:
    reading = page(report(), pages=range(7), chunks=pipeline.cut(report(), "heading").chunks)
    ids = [element.attributes["id"] for element in reading.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    links = {element.attributes["href"] for element in reading.elements if element.tag == "a"}
    assert links
    assert links <= {f"#{name}" for name in ids}


def test_the_same_values_give_the_same_bytes() -> None:
    chunks = pipeline.cut(report(), "heading").chunks
    assert len({"".join(render(report(), pages=[1, 2], chunks=held)) for held in (chunks, tuple(reversed(chunks)))}) == 1


def test_blocks_are_numbered_in_reading_order_and_boxes_lie_on_the_page() -> None:
    document = report()
    reading = page(document, pages=range(len(document.pages)))
    numbers = [int(element.attributes["data-b"]) for element in reading.with_class("part")]
    assert list(dict.fromkeys(numbers)) == list(range(1, len(document.blocks) + 1))
    outlines = reading.with_class("outline")
    assert len(outlines) >= len(numbers) + len(document.furniture)
    for element in outlines:
        x, y, width, height = (float(element.attributes[name]) for name in ("x", "y", "width", "height"))
        sheet = next(attributes["id"] for tag, attributes in element.inside if tag == "section")
        shown = document.pages[int(sheet[1:]) - 1]
        assert 0 <= x <= x + width <= shown.width + 0.01
        assert 0 <= y <= y + height <= shown.height + 0.01


def test_a_quarantined_table_says_why() -> None:
    document = made("1 | 2", (BlockKind.TABLE, 0, 5), paged=True)
    table = Table("t0", (), 0, "", Span(0, 5), quarantined=True, quarantine_reason="columns cannot be told")
    reading = page(replace(document, tables=(table,)), pages=[0])
    assert [element.text for element in reading.with_class("warning")] == ["quarantined: columns cannot be told"]
    assert any("columns cannot be told" in element.text for element in reading.elements if element.tag == "title")
    assert reading.with_class("hatch")


def test_a_table_stands_as_data_too_with_its_header_rows() -> None:
    document = made("| a | b |\n| - | - |\n| 1 | 2 |", (BlockKind.TABLE, 0, 29))
    table = Table("t0", (("a", "b"), ("1", "2")), 1, "", Span(0, 29))
    reading = page(replace(document, tables=(table,)))
    assert [(element.tag, element.text) for element in reading.elements if element.tag in {"th", "td"}] == [
        ("th", "a"), ("th", "b"), ("td", "1"), ("td", "2"),
    ]  # fmt: skip


def test_formats_without_pages_show_lines_and_no_picture() -> None:
    document = pipeline.parse(EXAMPLES / "archive-guide.md")
    reading = page(document)
    assert not [element for element in reading.elements if element.tag in {"img", "figure"}]
    assert reading.source_text("d") == document.text
    assert "line 1" in reading.with_class("part")[0].text


def test_a_long_text_is_shown_to_a_stated_block() -> None:
    count = layout.MOST_BLOCKS + 1
    document = made("a\n\n" * count, *[(BlockKind.PARAGRAPH, 3 * at, 3 * at + 1) for at in range(count)])
    assert page(document).source_text("d") == "a\n\n" * layout.MOST_BLOCKS


def test_empty_documents_have_a_page() -> None:
    assert "No text here" in page(made("")).with_class("blank")[0].text
    assert page(made("  \n", name="blank.txt")).source_text("d") == "  \n"


def test_visible_text_that_no_block_holds_is_shown() -> None:
    document = made("lost\n\nheld\n\nlost", (BlockKind.PARAGRAPH, 6, 10))
    reading = page(document)
    assert reading.source_text("d") == document.text
    assert len(reading.with_class("k-none")) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"document_id": "0" * 64}, "of another document than made.txt"),
        ({"text_hash": "0" * 16}, "is stale"),
        ({"source_text": "uno"}, "does not stand at 0..3"),
        ({"span": Span(90, 93)}, "does not stand at 90..93"),
    ],
)
def test_chunks_of_another_text_are_refused(change: dict[str, object], message: str) -> None:
    document = made("one two", (BlockKind.PARAGRAPH, 0, 7))
    with pytest.raises(UsageError, match=re.escape(message)):
        render(document, chunks=[piece(document, 0, 3, **change)])


def test_an_outline_breaks_where_a_block_goes_on_in_the_next_column() -> None:
    left, right = [Box(50, y, 200, y + 10) for y in (700, 712)], [Box(220, y, 370, y + 10) for y in (80, 92)]
    assert regions_of([*left, *right]) == (Box(50, 700, 200, 722), Box(220, 80, 370, 102))
    assert regions_of([Box(50, 100, 90, 110), Box(95, 100, 130, 110)]) == (Box(50, 100, 130, 110),)
    assert regions_of([]) == ()
