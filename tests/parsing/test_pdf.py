"""Text, order, blocks, furniture, labels, boxes and the ledger of made PDFs."""

from __future__ import annotations

import gc
import random
import struct
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pecia.errors import BrokenError, EncryptedError
from pecia.model import BlockKind, Document, Span
from pecia.parsing.pdf.assemble import Assembler
from pecia.parsing.pdf.labels import Folio, read_folio, real_tree, sequences
from pecia.parsing.pdf.reader import parse_pdf
from pecia.parsing.pdf.rows import Row
from tests.parsing.pdf_maker import HEIGHT, WIDTH, Paper, parsed, prose, source_of


def check(document: Document) -> Document:
    """What must be true of every document, whatever its pages hold."""
    ledger = document.ledger()
    assert ledger.missing == 0, ledger
    assert unicodedata.is_normalized("NFC", document.text)
    for block in document.blocks:
        assert block.span.of(document.text).strip() == block.span.of(document.text) != ""
        for line in block.lines:
            page = document.pages[line.page]
            assert page.span.contains(line.span)
            assert 0 <= line.bbox.x0 <= line.bbox.x1 <= page.width
            assert 0 <= line.bbox.y0 <= line.bbox.y1 <= page.height
            assert not line.edges or len(line.edges) == len(line.span)
    return document


def texts(document: Document, kind: BlockKind | None = None) -> list[str]:
    return [block.span.of(document.text) for block in document.blocks if kind in (None, block.kind)]


def test_wrapped_lines_are_one_paragraph_and_a_gap_parts_two() -> None:
    paper = Paper()
    y = paper.lines(50, 60, one := prose("Alpha", 4, 300), width=300)
    paper.lines(50, y + 8, two := prose("Beta", 3, 300), width=300)
    assert texts(check(parsed(paper.bytes()))) == [" ".join(one), " ".join(two)]


def test_indented_first_lines_part_paragraphs_without_a_gap() -> None:
    paper, y, expected = Paper(), 60.0, []
    for number in range(8):
        lines = prose(f"Number{number}", 3, 288)
        lines[-1] = lines[-2]  # the last line is full, so that only the indent tells
        expected.append(" ".join(lines))
        y = paper.lines(62, y, [lines[0]])
        y = paper.lines(50, y, [*lines[1:], ""], width=300)
    assert texts(check(parsed(paper.bytes()))) == expected


@pytest.mark.parametrize("order", ["left first", "right first", "row by row"])
def test_columns_are_read_one_after_the_other_whatever_the_stream_holds(order: str) -> None:
    left, right = prose("Left", 12, 140), prose("Right", 12, 140)
    paper = Paper()
    paper.text(120, 60, "A Title over both columns", 16, "Times-Bold")
    placed = [(50.0, 100 + 12.0 * at, line) for at, line in enumerate(left)]
    other = [(210.0, 100 + 12.0 * at, line) for at, line in enumerate(right)]
    rows = {
        "left first": placed + other,
        "right first": other + placed,
        "row by row": [item for pair in zip(placed, other, strict=True) for item in pair],
    }
    for x, y, line in rows[order]:
        paper.text(x, y, line)
    document = check(parsed(paper.bytes()))
    assert texts(document) == ["A Title over both columns", " ".join(left), " ".join(right)]
    assert document.blocks[0].kind is BlockKind.HEADING


def test_a_paragraph_runs_over_columns_and_pages() -> None:
    paper = Paper()
    lines = prose("Long", 60, 140)
    starts = [(50.0, 0), (210.0, 20), (50.0, 40)]
    for x, first in starts:
        if first == 40:
            paper.page()
        for at, line in enumerate(lines[first : first + 20]):
            words = paper.canvas.stringWidth(line, "Times-Roman", 10)
            piece = paper.canvas.beginText(x, HEIGHT - 80 - 12 * at)
            piece.setFont("Times-Roman", 10)
            piece.setWordSpace((140 - words) / line.count(" "))
            piece.textOut(line)
            paper.canvas.drawText(piece)
    document = check(parsed(paper.bytes()))
    assert texts(document) == [" ".join(lines[:60])]
    assert [page.span.of(document.text)[:4] for page in document.pages] == ["Long", lines[40][:4]]
    assert {place.page for place in document.locate(document.blocks[0].span).locators} == {0, 1}  # type: ignore[union-attr]


def test_rows_of_a_table_stay_rows() -> None:
    paper = Paper()
    for row in range(8):
        for column in range(4):
            paper.text(50 + 80 * column, 100 + 16 * row, f"r{row}c{column}")
    (table,) = check(parsed(paper.bytes())).tables
    assert table.cells == tuple(tuple(f"r{row}c{column}" for column in range(4)) for row in range(8))


def running(pages: int, head: str = "Lamp {n}", foot: str = "{n}", first: int = 1) -> Document:
    paper = Paper()
    for number in range(pages):
        odd = number % 2
        paper.text(50 if odd else 300, 30, head.format(n=chr(65 + number)), 8, "Times-Italic")
        paper.lines(50, 70, prose(f"Page{number}", 30, 300), width=300)
        paper.text(300 if odd else 50, 580, foot.format(n=first + number), 8)
        paper.page()
    return check(parsed(paper.bytes()))


def test_changing_heads_and_folios_become_furniture_and_labels() -> None:
    document = running(8, first=41)
    assert [page.label for page in document.pages] == [str(41 + number) for number in range(8)]
    assert [item.kind for item in document.furniture] == ["header", "folio"] * 8
    assert "Lamp" not in document.text
    assert len(document.blocks) == 8


def test_two_pages_prove_folios_that_count_them_and_no_heads_that_change() -> None:
    document = running(2)
    assert [(item.kind, item.text) for item in document.furniture] == [("folio", "1"), ("folio", "2")]
    assert "Lamp A" in document.text
    assert [page.label for page in document.pages] == ["1", "2"]
    other = running(2, first=41)
    assert not other.furniture
    assert [page.label for page in other.pages] == [None, None]


def test_the_same_small_line_outermost_on_both_of_two_pages_is_a_running_head() -> None:
    document = running(2, head="Paper CB(2)123/2025", foot="- {n} -")
    assert [item.kind for item in document.furniture] == ["header", "folio"] * 2
    assert "CB(2)" not in document.text
    assert "header" not in [item.kind for item in running(2, head="Paper {n} of two").furniture]


def test_a_table_head_repeated_on_each_page_stays_in_the_body() -> None:
    paper = Paper()
    for page in range(5):
        for row in range(30):
            for column, name in enumerate(("Code", "Place", "Sum")):
                paper.text(50 + 100 * column, 60 + 16 * row, f"{name}{page}{row}" if row else name)
        paper.page()
    document = check(parsed(paper.bytes()))
    (table,) = document.tables
    assert table.cells[:2] == (("Code", "Place", "Sum"), ("Code01", "Place01", "Sum01"))
    assert len(table.cells) == 1 + 5 * 29
    assert not document.furniture


@pytest.mark.parametrize(
    ("text", "label"),
    [("12", "12"), ("xii", "xii"), ("E-2", "E-2"), ("- 7 -", "7"), ("Page 3 of 10", "3"), ("第 5 頁", "5"), ("Trang 8", "8")],
)
def test_folios(text: str, label: str) -> None:
    folio = read_folio(text, 0, ("footer", 1, 8))
    assert folio is not None
    assert folio.label == label


def test_numbers_without_sequence_are_no_folios() -> None:
    offered = [Folio(page, str(number), number, "arabic", ("footer", 1, 8)) for page, number in enumerate((7, 3, 9, 1, 30))]
    assert sequences(offered) == {}
    assert read_folio("mild", 0, ("footer", 1, 8)) is None
    assert read_folio("iiii", 0, ("footer", 1, 8)) is None


def test_a_label_tree_that_only_counts_says_nothing() -> None:
    assert real_tree(["i", "ii", "1"])
    assert not real_tree(["1", "2", "3"])
    assert not real_tree(["", ""])


def test_wrap_hyphens_go_and_real_ones_stay() -> None:
    paper = Paper()
    paper.lines(
        50,
        60,
        ["The harbour light was set up by the engi-", "neer, who kept a well-", "known log of it; the well-known log", "ends."],
    )
    document = check(parsed(paper.bytes()))
    assert "engineer, who" in document.text
    assert "a well-known log of" in document.text
    assert {item.reason for item in document.dropped} == {"hyphen of a wrapped word"}


def test_notes_follow_the_body_of_their_page_and_the_paragraph_is_linked() -> None:
    paper = Paper()
    lines = prose("Long", 39, 300)
    paper.lines(50, 60, [*lines[:36], ""], width=300)
    paper.text(50, 540, "\u00b9 A note in smaller type.", 7)
    paper.page()
    paper.lines(50, 60, [*lines[36:39], "and came to the end."], width=300)
    document = check(parsed(paper.bytes()))
    first, note, rest = document.blocks
    assert note.kind is BlockKind.FOOTNOTE
    assert first.continues_on == rest.id


def test_headings_get_levels_from_size_and_number() -> None:
    paper, y = Paper(), 60.0
    for text, size in (("1 Light", 14), ("1.1 Oil", 12), ("1.2 Gas", 12), ("2 Sound", 14)):
        paper.text(50, y, text, size, "Times-Bold")
        y = paper.lines(50, y + 18, prose(text, 4, 300), width=300) + 12
    document = check(parsed(paper.bytes()))
    levels = [(block.span.of(document.text), block.level) for block in document.blocks if block.kind is BlockKind.HEADING]
    assert levels == [("1 Light", 1), ("1.1 Oil", 2), ("1.2 Gas", 2), ("2 Sound", 1)]


def test_items_and_captions_are_named() -> None:
    paper = Paper()
    for at, text in enumerate(("1. Fill the lamp.", "2. Trim the wick.", "3. Light it.")):
        paper.text(50, 60 + 14 * at, text)
    paper.text(50, 130, "Table 4. Oil by month.", 9, "Times-Italic")
    paper.lines(50, 160, prose("Then", 6, 300), width=300)
    document = check(parsed(paper.bytes()))
    assert texts(document, BlockKind.LIST_ITEM) == ["1. Fill the lamp.", "2. Trim the wick.", "3. Light it."]
    assert "lamp.\n2." in document.text
    assert texts(document, BlockKind.CAPTION) == ["Table 4. Oil by month."]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_boxes_are_in_the_frame_that_a_viewer_shows(turn: int) -> None:
    paper = Paper(600, 600)  # reportlab swaps width and height when it turns a page
    paper.canvas.setPageRotation(turn)
    paper.canvas.setCropBox((20, 30, 380, 570))
    paper.canvas.saveState()
    paper.canvas.translate(200, 300)
    paper.canvas.rotate(turn)  # upright as shown
    paper.canvas.setFont("Times-Roman", 10)
    paper.canvas.drawString(0, 0, "lamp")
    paper.canvas.restoreState()
    document = check(parsed(paper.bytes()))
    page, line = document.pages[0], document.blocks[0].lines[0]
    across = turn % 180 == 90
    assert (page.width, page.height) == ((540, 360) if across else (360, 540))
    expected = {0: (180, 270), 90: (270, 180), 180: (180, 270), 270: (270, 180)}[turn]
    assert line.bbox.x0 == pytest.approx(expected[0], abs=1)
    assert line.bbox.y1 == pytest.approx(expected[1] + 2.2, abs=1)
    assert line.bbox.width == pytest.approx(20, abs=3)
    assert list(line.edges) == sorted(line.edges)


def test_user_unit_scales_the_page() -> None:
    paper = Paper()
    paper.text(50, 60, "lamp")
    data = paper.bytes().replace(b"/MediaBox", b"/UserUnit 2 /MediaBox", 1)
    document = check(parsed(data))
    assert (document.pages[0].width, document.pages[0].height) == (2 * WIDTH, 2 * HEIGHT)
    assert document.blocks[0].lines[0].bbox.x0 == pytest.approx(100, abs=1)


def test_a_span_in_mid_line_has_a_box_no_wider_than_itself() -> None:
    paper = Paper()
    paper.text(50, 60, "one two three")
    document = check(parsed(paper.bytes()))
    place = document.locate(Span(4, 7)).locators[0].bbox  # type: ignore[union-attr]
    width = paper.canvas.stringWidth
    assert place.x0 == pytest.approx(50 + width("one ", "Times-Roman", 10), abs=0.6)
    assert place.x1 == pytest.approx(50 + width("one two", "Times-Roman", 10), abs=0.6)


def test_turned_text_follows_the_body() -> None:
    paper = Paper()
    paper.canvas.saveState()
    paper.canvas.translate(30, 300)
    paper.canvas.rotate(90)
    paper.canvas.drawString(0, 0, "draft stamp")
    paper.canvas.restoreState()
    paper.lines(50, 60, lines := prose("Body", 6, 300), width=300)
    document = check(parsed(paper.bytes()))
    assert texts(document) == [" ".join(lines), "draft stamp"]
    box = document.blocks[1].lines[0].bbox
    assert box.height > box.width
    assert not document.blocks[1].lines[0].edges


def test_what_is_not_to_be_read_twice_or_at_all_is_dropped_with_its_reason() -> None:
    paper = Paper()
    paper.text(50, 60, "lamp")
    paper.text(50.2, 60, "lamp")
    paper.text(50, 80, "hidden", mode=3)
    paper.text(-300, 100, "outside")
    document = check(parsed(paper.bytes()))
    assert texts(document) == ["lamp hidden"] or texts(document) == ["lamp", "hidden"]
    dropped = {item.reason: item.size for item in document.dropped}
    assert dropped["outside the page"] == 7
    assert document.text.count("lamp") == 1


def test_every_page_stays_and_an_empty_document_has_no_text() -> None:
    paper = Paper()
    for _ in range(3):
        paper.page()
    document = check(parsed(paper.bytes()))
    assert document.text == ""
    assert [(page.index, len(page.span)) for page in document.pages] == [(0, 0), (1, 0), (2, 0)]


def test_images_have_boxes_and_screenshots_are_files(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from reportlab.lib.utils import ImageReader

    pil = pytest.importorskip("PIL.Image")
    paper = Paper()
    paper.canvas.drawImage(ImageReader(pil.new("RGB", (8, 8), "red")), 100, 400, 50, 40)
    data = paper.bytes()
    document = parse_pdf(data, source_of(data), screenshots=tmp_path)
    (box,) = document.pages[0].images
    assert box.to_list() == [100, HEIGHT - 440, 150, HEIGHT - 400]
    name = document.pages[0].screenshot
    assert name == f"{document.source.sha256[:16]}-p0001.png"
    header = (tmp_path / name).read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", header[16:24]) == (800, 1200)


def test_bad_files_have_their_errors() -> None:
    paper = Paper(encrypt="secret")
    paper.text(50, 60, "lamp")
    encrypted = paper.bytes()
    rootless = Paper()
    rootless.text(50, 60, "lamp")
    for data in (b"", b"not a PDF", b"%PDF-1.7\n%%EOF", rootless.bytes().replace(b"/Pages ", b"/Pagan ")):
        with pytest.raises(EncryptedError):  # a file says nothing of the next one
            parsed(encrypted)
        with pytest.raises(BrokenError):
            parsed(data)


def test_the_same_bytes_give_the_same_document() -> None:
    one, two = running(4), running(4)
    assert one.to_json() == two.to_json()


def test_many_glyphs_in_one_point_take_linear_time() -> None:
    paper = Paper(14400, 14400)
    piece = paper.canvas.beginText(50, 50)
    piece.setFont("Times-Roman", 10)
    for number in range(4000):
        piece.setTextOrigin(50 + number % 3, 50)
        piece.textOut(f"w{number}")
    paper.canvas.drawText(piece)
    check(parsed(paper.bytes()))


WORDS = st.text(alphabet="abcdefghij ÀÉæß-.,:()0123456789", min_size=1, max_size=30)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.integers(-50, 420), st.integers(-20, 620), WORDS, st.integers(5, 20)), min_size=1, max_size=25),
    st.integers(0, 3),
)
def test_the_ledger_balances_for_any_page(pieces: list[tuple[int, int, str, int]], turn: int) -> None:
    paper = Paper()
    paper.canvas.setPageRotation(90 * turn)
    shuffled = random.Random(len(pieces)).sample(pieces, len(pieces))
    for x, y, text, size in shuffled:
        paper.text(x, y, text, size)
    document = check(parsed(paper.bytes()))
    assert all(before.span.end <= after.span.start for before, after in pairwise(document.blocks))


def test_a_title_on_the_line_of_a_running_head_stays_in_the_body() -> None:
    paper = Paper()
    for number in range(5):
        paper.text(50, 40, f"Chapter {chr(65 + number)} of the log", 16, "Times-Bold")
        paper.text(300, 40, "Harbour book", 8)
        paper.lines(50, 80, prose(f"Page{number}", 20, 300), width=300)
        paper.page()
    document = check(parsed(paper.bytes()))
    assert {item.text for item in document.furniture} == {"Harbour book"}
    assert texts(document, BlockKind.HEADING) == [f"Chapter {letter} of the log" for letter in "ABCDE"]


def test_what_is_written_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows with their words are ten times as large as the text: of a long book those of a few pages are alive at once."""
    paper, most, finish = Paper(), list[int](), Assembler.finish

    def counted(self: Assembler, pages: int) -> object:
        gc.collect()
        most.append(sum(isinstance(item, Row) for item in gc.get_objects()))
        return finish(self, pages)

    monkeypatch.setattr(Assembler, "finish", counted)
    for number in range(40):
        paper.text(60, 40, "A running head", 8)
        for at, line in enumerate(prose(f"Page{number}", 20, 400)):
            paper.text(60, 80 + 12 * at, line)
        paper.text(60, 400, f"Table {number + 1}. Doses")
        paper.ruled((60, 160, 260), 410, [["Name", "Dose"], [f"One{number}", "5 mg"], [f"Two{number}", "7 mg"]])
        paper.text(60, 500, f"After {number} the text ends.")
        paper.page()
    document = check(parsed(paper.bytes()))
    assert len(document.tables) == 40
    assert {table.caption for table in document.tables} == {f"Table {number + 1}. Doses" for number in range(40)}
    assert most[0] < 60  # 1,000 rows are on the pages
