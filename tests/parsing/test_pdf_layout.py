"""Layouts that a parser tuned on few documents reads wrongly, each at its smallest. The random ones are in bench/pdf_layout."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont

from pecia.model import BlockKind, Document, PageBox, Span
from pecia.parsing.pdf.frame import Frame
from pecia.parsing.pdf.glyphs import PageGlyphs, Word
from pecia.parsing.pdf.plausible import is_prose_beside
from pecia.parsing.pdf.reader import parse_pdf
from tests.parsing.pdf_maker import FILLER, Paper, parsed, prose, source_of, typed
from tests.parsing.test_pdf import check, texts

LEFT, WIDE = 50.0, 300.0


def columns(paper: Paper, y: float, left: Sequence[str], right: Sequence[str], gutter: float, shift: float = 0.0) -> None:
    """Two columns of 140 points, the right one first in the file."""
    paper.lines(LEFT + 140 + gutter, y + shift, right, width=140)
    paper.lines(LEFT, y, left, width=140)


def read(paper: Paper) -> Document:
    return check(parsed(paper.bytes()))


@pytest.mark.parametrize("shift", [0.0, 2.0, 5.0])
def test_a_gutter_of_eight_points_divides_columns_on_any_baselines(shift: float) -> None:
    paper, left, right = Paper(), prose("Left", 16, 140), prose("Right", 16, 140)
    columns(paper, 80, left, right, 8, shift)
    assert texts(read(paper)) == [" ".join(left), " ".join(right)]


def test_wide_spaces_below_one_another_are_no_gutter() -> None:
    paper, lines = Paper(), [f"{FILLER[at % 5]} lamp {FILLER[at % 3]} oil" for at in range(5)]
    for at, line in enumerate(lines):
        for x, word in zip((LEFT, 130, 220, 310), line.split(), strict=True):
            paper.text(x, 200 + 12 * at, word)
    paper.lines(LEFT, 80, prose("Before", 8, WIDE), width=WIDE)
    document = read(paper)
    assert all(line in document.text for line in lines)


def test_a_short_title_at_the_left_edge_stands_over_both_columns() -> None:
    paper = Paper()
    parts = [prose(name, 6, 140) for name in ("One", "Two", "Three", "Four")]
    columns(paper, 60, parts[0], parts[1], 20)
    paper.text(LEFT, 170, "LAMPS", 13, "Times-Bold")
    columns(paper, 190, parts[2], parts[3], 20)
    assert texts(read(paper)) == [" ".join(parts[0]), " ".join(parts[1]), "LAMPS", " ".join(parts[2]), " ".join(parts[3])]


def test_few_lines_are_columns_where_the_page_has_them_elsewhere() -> None:
    paper = Paper()
    columns(paper, 60, two := prose("Two", 1, 140), other := prose("Other", 1, 140), 20)
    paper.text(120, 110, "A title across the columns", 14, "Times-Bold")
    columns(paper, 140, prose("Left", 12, 140), prose("Right", 12, 140), 20)
    assert texts(read(paper))[:3] == [" ".join(two), " ".join(other), "A title across the columns"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_table_of_two_columns_over_both_columns_of_text_keeps_its_rows(form: Literal["NFC", "NFD"]) -> None:
    paper = Paper()
    paper.text(LEFT, 60, unicodedata.normalize(form, "Table 3. Côte and port"), 10, "Times-Bold")
    for row in range(5):
        paper.text(LEFT, 76 + 14 * row, f"harbour{row}")
        paper.text(210, 76 + 14 * row, f"{row}00")
    columns(paper, 170, prose("Left", 12, 140), prose("Right", 12, 140), 20)
    (table,) = (document := read(paper)).tables
    assert table.cells == tuple((f"harbour{row}", f"{row}00") for row in range(5))
    assert texts(document)[2:] == [" ".join(prose("Left", 12, 140)), " ".join(prose("Right", 12, 140))]


def test_a_table_inside_a_column_does_not_join_the_columns() -> None:
    paper, left, right = Paper(), prose("Left", 6, 140), prose("Right", 18, 140)
    columns(paper, 80, left, right, 20)
    for row in range(5):
        paper.text(LEFT, 80 + 12 * (len(left) + row), f"oil{row}")
        paper.text(LEFT + 90, 80 + 12 * (len(left) + row), f"{row}7")
    found = texts(read(paper))
    assert found == [" ".join(left), *(f"oil{row} {row}7" for row in range(5)), " ".join(right)]


def test_a_hanging_paragraph_of_two_lines_is_one() -> None:
    paper, y, expected = Paper(), 60.0, []
    for number in range(6):
        lines = prose(f"Q{number}: Who", 1 + number % 3, 260)
        expected.append(" ".join(lines))
        paper.lines(LEFT, y, [lines[0], ""], width=294)
        y = paper.lines(LEFT + 24, y + 12, lines[1:], width=270) + 6
    assert texts(read(paper)) == expected


def test_a_last_page_with_one_column_has_the_measure_of_the_others() -> None:
    paper, expected = Paper(), []
    for page in range(4):
        parts = [prose(f"{side}{page}", 30, 140) for side in ("Left", "Right")]
        columns(paper, 60, parts[0], parts[1], 20)
        expected += [" ".join(part) for part in parts]
        paper.page()
    paper.text(LEFT, 60, "A title that goes far across both columns of the page", 13, "Times-Bold")
    y = 84.0
    for name in ("Alpha", "Beta", "Gamma"):
        y = paper.lines(LEFT, y, lines := prose(name, 2, 140), width=140) + 6
        expected.append(" ".join(lines))
    assert [text for text in texts(read(paper)) if not text.startswith("A title")] == expected


def test_a_number_that_begins_a_wrapped_line_is_no_list_item() -> None:
    paper, y = Paper(), 60.0
    for number in range(6):
        lines = prose(f"Year{number}", 3, 288)
        lines[1] = "1880. " + lines[1][: len(lines[1]) - 8]
        y = paper.lines(LEFT + 12, y, lines[:1])
        y = paper.lines(LEFT, y, [*lines[1:], ""][:-1])
    assert all(text.startswith("Year") for text in texts(read(paper)))


def test_first_lines_of_pages_that_a_gap_follows_are_no_running_heads() -> None:
    paper, firsts = Paper(), []
    for page in range(8):
        words = [*FILLER[page:], *FILLER[:page]]
        firsts.append(lines := [" ".join(words), f"{words[2]} {words[5]} {words[7]}."])
        y = paper.lines(LEFT, 60, lines)
        paper.lines(LEFT, y + 8, prose(f"Page{page}", 24, WIDE), width=WIDE)
        paper.page()
    document = read(paper)
    assert not document.furniture
    assert all(lines[0] in document.text for lines in firsts)


def test_two_pages_with_numbers_that_are_no_bare_ones_have_labels() -> None:
    paper = Paper()
    for page in (1, 2):
        paper.lines(LEFT, 60, prose(f"Page{page}", 20, WIDE), width=WIDE)
        paper.text(190, 560, f"E-{page}", 9)
        paper.text(180, 572, "2 April 2025", 9)
        paper.page()
    document = read(paper)
    assert [page.label for page in document.pages] == ["E-1", "E-2"]
    assert "April" not in document.text


def test_the_mark_of_a_note_above_a_line_of_han_is_in_it() -> None:
    font = UnicodeCIDFont("MSung-Light")
    pdfmetrics.registerFont(font)
    paper = Paper()
    lines = ["工程分三期進行，首期由二零二四年起", "至二零二六年止，費用為三億元。", "第二期的細節仍未決定。"]
    for at, line in enumerate(lines):
        paper.text(LEFT, 100 + 20 * at, line, 12, font.fontName)
    paper.text(LEFT + 12 * len(lines[1]), 108, "1", 6, font.fontName)
    assert texts(read(paper)) == [f"{lines[0]}{lines[1]} 1 {lines[2]}"]


def test_a_heading_that_opens_pages_far_from_one_another_is_no_running_head() -> None:
    paper = Paper()
    for page in range(21):
        paper.text(LEFT, 50, "Signals" if page % 8 == 2 else f"Part {chr(65 + page)}", 12, "Times-Bold")
        paper.lines(LEFT, 80, prose(f"Page{page}", 20, WIDE), width=WIDE)
        paper.page()
    assert [block for block in texts(read(paper), BlockKind.HEADING) if block == "Signals"] == ["Signals"] * 3


def test_a_caption_of_two_centred_lines_is_one() -> None:
    paper = Paper()
    y = paper.lines(LEFT, 60, prose("Before", 6, WIDE), width=WIDE)
    paper.canvas.setFont("Times-Roman", 10)
    for at, line in enumerate(("Table 1: Oil and wicks of all lamps from the old quay", "to the outer pier")):
        paper.canvas.drawCentredString(LEFT + WIDE / 2, paper.height - y - 20 - 12 * at, line)
    paper.ruled([50, 150, 250, 350], y + 50, (("Lamp", "Oil", "Wicks"), ("A", "7", "2"), ("B", "9", "4")))
    (table,) = read(paper).tables
    assert table.caption == "Table 1: Oil and wicks of all lamps from the old quay to the outer pier"


def test_three_columns_whose_lines_stand_at_different_heights() -> None:
    paper = Paper(520)
    parts = [prose(name, 30, 130) for name in ("Left", "Middle", "Right")]
    for at, lines in enumerate(parts):
        paper.lines(LEFT + 150 * at, 80 + 4.5 * at, lines, width=130)
    assert texts(read(paper)) == [" ".join(lines) for lines in parts]


@pytest.mark.parametrize("last", ["and came, back, before", "and came back before,"])
def test_marks_that_hang_out_of_the_measure_and_wide_spaces_part_no_lines(last: str) -> None:
    paper, lines = Paper(), ["the tide went out over", "temperature salts", "the flat, sand was wide,", last, "dark."]
    y = paper.lines(LEFT, 80, prose("Before", 6, 110), width=110)
    for at, line in enumerate(lines):
        hung = 3.0 if line.endswith(",") else 0.0
        space = (110 + hung - paper.canvas.stringWidth(line, "Times-Roman", 10)) / max(1, line.count(" "))
        piece = paper.canvas.beginText(LEFT, paper.height - y - 20 - 12 * at)
        piece.setFont("Times-Roman", 10)
        piece.setWordSpace(space if at < len(lines) - 1 else 0.0)
        piece.textOut(line)
        paper.canvas.drawText(piece)
    assert texts(read(paper))[-1] == " ".join(lines)


@pytest.mark.parametrize(("length", "prose"), [(18, True), (6, False)])
def test_lines_of_han_are_prose_by_their_characters(length: int, prose: bool) -> None:
    page = PageGlyphs(0, Frame(0, 0, 400, 600, 0), chars="費" * 5 * length)
    lines = [[Word(at, at + length, 50, at, 50 + 10 * length, at + 10, at + 8, 0)] for at in range(0, 5 * length, length)]
    assert is_prose_beside(lines, page) is prose


@pytest.mark.parametrize("pages", [2, 4])
def test_a_number_with_the_date_of_the_paper_beside_it_is_a_folio(pages: int) -> None:
    paper = Paper()
    for page in range(1, pages + 1):
        paper.lines(LEFT, 60, prose(f"Page{page}", 20, WIDE), width=WIDE)
        paper.text(280, 570, f"E-{page} (3.5.2026)", 8)
        paper.page()
    document = read(paper)
    assert [page.label for page in document.pages] == [f"E-{page}" for page in range(1, pages + 1)]
    assert "2026" not in document.text


@pytest.mark.parametrize("size", [8, 10])
def test_the_leading_of_a_lone_page_is_learned_beside_a_wider_head_and_folio(size: int) -> None:
    paper, first, second = Paper(), prose("First", 8, WIDE - 40), prose("Second", 5, WIDE - 40)
    paper.canvas.setFont("Times-Roman", size)
    paper.canvas.drawRightString(370, paper.height - 30, "LC Paper No. CB(2)123")
    y = paper.lines(LEFT, 80, first, width=WIDE - 40, leading=16)
    paper.lines(LEFT, y + 6, second, width=WIDE - 40, leading=16)
    paper.canvas.setFont("Times-Roman", size)
    paper.canvas.drawRightString(370, 30, "- 1 -")
    assert [" ".join(first), " ".join(second)] == texts(read(paper))[1:3]


def test_a_short_line_in_a_colour_of_its_own_is_a_heading() -> None:
    paper = Paper()
    paper.canvas.setFillColorRGB(0.1, 0.2, 0.6)
    paper.text(LEFT, 60, "Oil and wicks")
    paper.canvas.setFillColorRGB(0, 0, 0)
    y = paper.lines(LEFT, 78, prose("Then", 6, WIDE), width=WIDE)
    paper.canvas.setFillColorRGB(0.1, 0.2, 0.6)
    paper.text(LEFT, y + 12, "ISBN 978-0-520-04412-8")
    assert texts(read(paper), BlockKind.HEADING) == ["Oil and wicks"]


@pytest.mark.parametrize(("font", "kind"), [("Lora-Regular", BlockKind.PARAGRAPH), ("Lora", BlockKind.HEADING)])
def test_a_name_that_says_regular_is_believed_before_the_width_of_stems(font: str, kind: BlockKind) -> None:
    data = typed(font, [b"The tide went out"], stem=200)
    document = parse_pdf(data, source_of(data))
    assert [block.kind for block in document.blocks] == [kind]


def test_a_letter_that_another_font_lends_leaves_a_heading_bold() -> None:
    paper = Paper()
    paper.lines(LEFT, 60, prose("Before", 3, WIDE)[:3], width=WIDE)
    y, x = 60 + 3 * 12, LEFT
    for text, font in (("Oil and w", "Times-Bold"), ("i", "Helvetica"), ("cks", "Times-Bold")):
        paper.text(x, y, text, font=font)
        x += paper.canvas.stringWidth(text, font, 10)
    paper.lines(LEFT, y + 12, prose("Then", 3, WIDE), width=WIDE)
    assert texts(read(paper), BlockKind.HEADING) == ["Oil and wicks"]


def test_a_question_in_larger_type_is_a_heading_and_one_in_bold_is_not() -> None:
    paper = Paper()
    paper.text(LEFT, 60, "Where is oil to be found?", 14, "Times-Bold")
    y = paper.lines(LEFT, 84, prose("Then", 6, WIDE), width=WIDE)
    paper.text(LEFT, y + 12, "And who keeps it?", 10, "Times-Bold")
    paper.lines(LEFT, y + 30, prose("Now", 6, WIDE), width=WIDE)
    assert texts(read(paper), BlockKind.HEADING) == ["Where is oil to be found?"]


def test_only_past_something_a_paragraph_goes_on() -> None:
    paper = Paper()
    paper.lines(LEFT, 60, prose("Before", 6, WIDE), width=WIDE)
    paper.lines(LEFT, 160, ["Lamps and all that is needed to light them through the nights of a year"], width=0)
    paper.lines(LEFT, 190, prose("Then", 6, WIDE), width=WIDE)
    assert not [block for block in read(paper).blocks if block.continues_on]


def test_vertical_lines_are_read_from_the_right_to_the_left() -> None:
    font = UnicodeCIDFont("HeiseiMin-W3", isVertical=True)
    pdfmetrics.registerFont(font)
    paper = Paper()
    paper.text(360, 60, "館蔵の概要", 16, font.fontName)
    for number, line in enumerate(
        ("本館は昭和七年に創立され、蔵書は", "およそ三千冊であった。", "写本は二百種にのぼり、地方の人々", "から寄せられた。")
    ):
        paper.text(330 - 18 * number, 60, line, 11, font.fontName)
    document = parsed(paper.bytes())
    assert [(block.kind.value, block.span.of(document.text)) for block in document.blocks] == [
        ("heading", "館蔵の概要"),
        ("paragraph", "本館は昭和七年に創立され、蔵書はおよそ三千冊であった。写本は二百種にのぼり、地方の人々から寄せられた。"),
    ]
    quote = document.text.index("写本")
    (box,) = [place.bbox for place in document.locate(Span(quote, quote + 2)).locators if isinstance(place, PageBox)]
    assert 285 < box.x0 < box.x1 < 300  # the third line from the right, all of it
