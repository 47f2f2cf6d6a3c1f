"""Pictures, their labels and captions, and the sentences that speak of what is shown."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader

from pecia.model import Block, BlockKind, Document, Figure, PageBox, Source, Span, Table
from pecia.parsing.mentions import with_mentions
from pecia.parsing.pdf.marks import continued_label, is_figure_caption
from pecia.parsing.pdf.regions import Mark, regions
from pecia.storing.structure import dump, dump_blocks, load
from tests.parsing.pdf_maker import Paper, parsed, prose
from tests.parsing.test_pdf import check, texts

LEFT, WIDE = 50.0, 300.0


def chart(paper: Paper, x: float, y: float, width: float = 120, height: float = 80) -> None:
    """Axes with their figures, a curve and a turned title."""
    paper.rule(x, y, x, y + height)
    paper.rule(x, y + height, x + width, y + height)
    for step in range(5):
        paper.text(x + step * width / 5, y + height + 8, str(10 * step), 6)
        paper.canvas.bezier(
            x + step * width / 5, paper.height - y - height + 10 * step, x + 8 + step * width / 5, paper.height - y - 20,
            x + 12 + step * width / 5, paper.height - y - 30, x + (step + 1) * width / 5, paper.height - y - height + 12 * step,
        )  # fmt: skip
    paper.canvas.saveState()
    paper.canvas.translate(x - 6, paper.height - y - height)
    paper.canvas.rotate(90)
    paper.canvas.setFont("Times-Roman", 6)
    paper.canvas.drawString(10, 0, "litres")
    paper.canvas.restoreState()


def picture(paper: Paper, x: float, y: float, width: float, height: float) -> None:
    data = io.BytesIO()
    Image.new("RGB", (8, 8), (90, 60, 30)).save(data, "PNG")
    paper.canvas.drawImage(ImageReader(data), x, paper.height - y - height, width, height)


def only(document: Document) -> Figure:
    (figure,) = check(document).figures
    return figure


def test_a_drawing_has_a_box_its_labels_its_caption_and_the_sentence_that_names_it() -> None:
    paper = Paper()
    said = ["It burns less. As Figure 2 shows, oil of the first press burns", "longer. So it is dear."]
    y = paper.lines(LEFT, 60, [*prose("Before", 3, WIDE), *said], width=WIDE)
    chart(paper, 120, y + 10)
    paper.text(120, y + 112, "(a) Oil that is left", 7)
    paper.text(LEFT, y + 130, "Figure 2: Oil by hour of the night, of lamps that were lit at dusk", 9)
    paper.text(LEFT, y + 141, "and put out at dawn.", 9)
    paper.lines(LEFT, y + 164, prose("After", 3, WIDE))
    document = parsed(paper.bytes())
    figure = only(document)
    assert figure.caption == "Figure 2: Oil by hour of the night, of lamps that were lit at dusk and put out at dawn."
    assert figure.mention is not None
    assert figure.mention.of(document.text) == "As Figure 2 shows, oil of the first press burns longer."
    (labels,) = texts(document, BlockKind.FIGURE)
    assert labels == figure.span.of(document.text)
    assert set(labels.split()) == {"0", "10", "20", "30", "40", "litres", "(a)", "Oil", "that", "is", "left"}
    (place,) = figure.locators
    assert isinstance(place, PageBox)
    assert place.bbox.x0 < 120 < 240 <= place.bbox.x1
    assert texts(document, BlockKind.CAPTION) == [figure.caption]


def test_an_image_without_a_word_keeps_its_place_and_breaks_no_paragraph() -> None:
    paper, lines = Paper(), prose("Long", 8, WIDE)
    y = paper.lines(LEFT, 60, lines[:4], width=WIDE)
    picture(paper, 100, y, 150, 60)
    paper.lines(LEFT, y + 80, lines[4:], width=WIDE)
    document = parsed(paper.bytes())
    figure = only(document)
    assert not figure.span
    assert figure.caption == ""
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.PARAGRAPH]
    assert document.blocks[0].continues_on == document.blocks[1].id
    assert document.blocks[0].span.end <= figure.span.start <= document.blocks[1].span.start


def test_pages_of_pictures_alone_are_read() -> None:
    paper = Paper()
    for _ in range(2):
        picture(paper, 20, 20, 300, 200)
        picture(paper, 20, 300, 300, 200)
        paper.page()
    document = check(parsed(paper.bytes()))
    assert (document.text, len(document.figures)) == ("", 4)


def test_parts_under_one_caption_are_one_figure_and_each_caption_has_its_own() -> None:
    paper = Paper()
    for at, x in enumerate((60, 220)):
        chart(paper, x, 60, 100, 60)
        paper.text(x, 150, f"({'ab'[at]}) Lamp number {at} of the pier", 7)
    paper.text(LEFT, 170, "Figure 1. Two lamps.", 9)
    chart(paper, 60, 220)
    paper.text(LEFT, 330, "Fig. 2. One lamp.", 9)
    paper.lines(LEFT, 360, prose("After", 5, WIDE))
    document = check(parsed(paper.bytes()))
    assert [figure.caption for figure in document.figures] == ["Figure 1. Two lamps.", "Fig. 2. One lamp."]


def test_text_in_a_frame_or_on_a_tint_is_no_picture() -> None:
    paper = Paper()
    paper.canvas.setFillGray(0.8)
    paper.canvas.roundRect(LEFT - 8, 440, WIDE + 16, 110, 10, fill=1)
    paper.canvas.roundRect(LEFT - 4, 444, WIDE + 8, 102, 10, fill=0)
    paper.canvas.roundRect(LEFT - 2, 446, WIDE + 4, 98, 10, fill=0)
    paper.canvas.setFillGray(0)
    paper.lines(LEFT, 66, lines := prose("Framed", 5, WIDE), width=WIDE)
    document = check(parsed(paper.bytes()))
    assert not document.figures
    assert texts(document) == [" ".join(lines)]


def test_without_a_caption_only_what_stands_in_the_ink_is_a_label() -> None:
    paper = Paper()
    picture(paper, LEFT, 60, 100, 150)
    picture(paper, LEFT, 205, 300, 60)  # with the first one an L, and text in its corner
    paper.text(LEFT + 20, 100, "Pier", 14)
    paper.lines(LEFT + 130, 80, ["Oil of the first press", "Gas of the town", "Lamps of the pier"], leading=30)
    document = check(parsed(paper.bytes()))
    assert texts(document, BlockKind.FIGURE) == ["Pier"]
    assert "Gas of the town" in document.text


def test_a_crest_on_every_page_is_no_figure() -> None:
    paper = Paper()
    for page in range(3):
        picture(paper, 300, 20, 40, 40)
        paper.lines(LEFT, 90, prose(f"Page{page}", 20, WIDE))
        paper.page()
    assert not check(parsed(paper.bytes())).figures


def test_boxes_alone_are_a_picture_under_a_caption_only() -> None:
    for caption, count in (("Figure 1. How oil comes to the lamp.", 1), ("Fill in what is asked for.", 0)):
        paper = Paper()
        for x, y, word in ((60, 90, "Well"), (160, 70, "Cask"), (260, 100, "Lamp")):
            paper.canvas.rect(x, 600 - y - 30, 60, 30)
            paper.text(x + 15, y + 18, word)
            paper.rule(x + 60, y + 15, x + 80, y + 15)
        paper.text(LEFT, 140, caption, 9)
        paper.lines(LEFT, 170, prose("After", 5, WIDE))
        assert len(check(parsed(paper.bytes())).figures) == count


def test_a_long_page_of_marks_is_grouped_in_linear_time() -> None:
    marks = [
        Mark("curve", 10.0 * (at % 50), 10.0 * (at // 50), 10.0 * (at % 50) + 4, 10.0 * (at // 50) + 4) for at in range(3000)
    ]
    (region,) = regions(marks, 612, 792)
    assert region.sure


@pytest.mark.parametrize(
    ("text", "apart", "found"),
    [
        ("Figure 3: Oil", False, True), ("Fig. 4. Oil", False, True), ("Hình 2. Đèn", False, True), ("圖 1", False, True),
        ("圖1：燈", False, True), ("Figure 3 shows", False, False), ("Figure 3 Oil", True, True), ("Table 3: Oil", False, False),
    ],
)  # fmt: skip
def test_captions_of_pictures(text: str, apart: bool, found: bool) -> None:
    assert is_figure_caption(text, set_apart=apart) is found


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Table 2 (continued)", "table2"), ("TABLE 2 — Continued", "table2"), ("Bảng 2 (tiếp theo)", "bảng2"),
        ("Bảng 2.1 (tiếp)", "bảng2.1"),
        ("表2（續）", "表2"), ("表 二（续）", "表二"), ("Table 2. Oil, cont'd", "table2"),
        ("Table 2. Oil", ""), ("It is continued", ""),
    ],
)  # fmt: skip
def test_captions_that_say_that_a_table_goes_on(text: str, label: str) -> None:
    assert continued_label(text) == label


@pytest.mark.parametrize("note", [False, True])
def test_a_table_whose_caption_says_that_it_is_continued_is_one(note: bool) -> None:
    paper, xs = Paper(), (50, 130, 200, 300)
    paper.text(LEFT, 50, "As Table 2 tells, oil is dear.")
    for page in range(2):
        paper.text(LEFT, 80, f"Table 2. Oil{' (continued)' if page else ''}", 9, "Times-Bold")
        rows = [(f"Pier {page}{row}", f"{row}5", f"{page}{row}") for row in range(20)]
        paper.ruled(xs, 90, [("Pier", "Oil", "Lamps"), *rows] if not page else rows, head=1 - page)
        if note:
            paper.text(LEFT, 570, "\u00b9 A note below.", 7)
        paper.page()
    document = check(parsed(paper.bytes()))
    (table,) = document.tables
    assert len(table.cells) == 41
    assert table.caption == "Table 2. Oil"
    assert table.mention is not None
    assert table.mention.of(document.text) == "As Table 2 tells, oil is dear."
    assert {item.reason for item in document.dropped} == {"table caption repeated after a break"}


def test_the_first_sentence_of_the_text_that_names_it_is_the_mention() -> None:
    text = "Table 1 Oil\n\nOil is dear. See Tables 1 and 3, where it is told. 見表2，油貴。Table 3 again."
    blocks = (Block("b0", BlockKind.CAPTION, Span(0, 11)), Block("b1", BlockKind.PARAGRAPH, Span(13, len(text))))
    tables = [
        Table(f"t{at}", (), 0, caption, Span(0, 0)) for at, caption in enumerate(("Table 1 Oil", "表 2", "Table 3", "Table 4"))
    ]
    found = [table.mention and table.mention.of(text) for table in with_mentions(text, blocks, tables)]
    assert found == ["See Tables 1 and 3, where it is told.", "見表2，油貴。", "See Tables 1 and 3, where it is told.", None]


def test_figures_and_mentions_are_stored_and_written() -> None:
    paper = Paper()
    paper.text(LEFT, 50, "Figure 1 tells what oil costs.")
    chart(paper, 120, 80)
    paper.text(LEFT, 190, "Figure 1. Oil.", 9)
    document = check(parsed(paper.bytes()))
    again = load(
        document.text, document.id, Source("a", "a", "b", document.id), dump(document), [run for *_, run in dump_blocks(document)]
    )
    assert again.figures == document.figures != ()
    (written,) = document.to_json()["figures"]
    assert written["mention"] == [0, 30]
