"""Tables in PDF: each kind at its smallest, each fault that real files have, and what only looks like a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from pecia.model import BlockKind, Document, PageBox, Span, Table
from pecia.parsing.pdf.trust import is_garbled
from pecia.text.tables import to_markdown
from tests.parsing.pdf_maker import HEIGHT, Paper, parsed, prose
from tests.parsing.test_pdf import check, texts

XS = (50.0, 150.0, 230.0, 350.0)
ROWS = (
    ("Lamp", "Oil", "Keeper"),
    ("North light", "12,5", "A. Brandt"),
    ("South light", "9", "C. Dahl"),
    ("Mole", "3 - 4", "E. Falk"),
)


def read(paper: Paper) -> Document:
    document = check(parsed(paper.bytes()))
    for table in document.tables:
        assert table.span in {block.span for block in document.blocks if block.kind is BlockKind.TABLE}
        if not table.quarantined:
            assert table.span.of(document.text) == to_markdown(table)
    return document


def only(document: Document) -> Table:
    (table,) = document.tables
    return table


def boxes(table: Table) -> list[PageBox]:
    return [place for place in table.locators if isinstance(place, PageBox)]


def test_a_ruled_table_is_cells_a_caption_and_boxes() -> None:
    paper = Paper()
    y = paper.lines(50, 60, prose("Before", 4, 300), width=300)
    paper.text(50, y + 10, "Table 1. Lights of the harbour", 9, "Times-Bold")
    ys = paper.ruled(XS, y + 16, ROWS)
    paper.lines(50, ys[-1] + 20, prose("After", 4, 300), width=300)
    document = read(paper)
    table = only(document)
    assert table.cells == ROWS
    assert table.header_rows == 1
    assert table.caption == "Table 1. Lights of the harbour"
    kinds = [block.kind for block in document.blocks]
    assert kinds == [BlockKind.PARAGRAPH, BlockKind.CAPTION, BlockKind.TABLE, BlockKind.PARAGRAPH]
    assert document.ledger().cells == sum(len("".join(cell.split())) for row in ROWS for cell in row)
    at = document.text.index("C. Dahl")
    (place,) = document.locate(Span(at, at + 7)).locators
    assert isinstance(place, PageBox)
    assert 234 - 1 < place.bbox.x0 < place.bbox.x1 < 350
    assert ys[2] - 3 < place.bbox.y0 < place.bbox.y1 < ys[3] + 3


def test_cells_that_span_repeat_their_text_and_are_counted_once() -> None:
    paper = Paper()
    xs = (50.0, 130.0, 210.0, 290.0, 370.0)
    rows = (("Place", "Depth", "", "Light"), ("", "at ebb", "at flood", ""), ("Mole", "3", "7", "red"), ("", "4", "8", "green"))
    ys = paper.cells(xs, 100, rows, head=2)
    for level, parts in zip(ys, ((0, 4), (1, 3), (0, 4), (1, 4), (0, 4)), strict=True):
        paper.rule(xs[parts[0]], level, xs[parts[1]], level)
    for upright, first, last in ((0, 0, 4), (1, 0, 4), (2, 1, 4), (3, 0, 4), (4, 0, 4)):
        paper.rule(xs[upright], ys[first], xs[upright], ys[last])
    table = only(document := read(paper))
    assert table.cells == (
        ("Place", "Depth", "Depth", "Light"),
        ("Place", "at ebb", "at flood", "Light"),
        ("Mole", "3", "7", "red"),
        ("Mole", "4", "8", "green"),
    )
    assert table.header_rows == 2
    assert document.ledger().cells == len("PlaceDepthLightatebbatfloodMole37red48green")
    first, second = document.text.index("Mole"), document.text.rindex("Mole")
    assert document.locate(Span(second, second + 4)).locators == document.locate(Span(first, first + 4)).locators


def test_lines_of_a_cell_are_joined_as_lines_of_prose_are() -> None:
    paper = Paper()
    paper.lines(50, 60, ["The engineer is named in the table.", "A well-known log."])
    paper.ruled(
        XS, 100, (("Who", "Oil", "Duty"), ("the engi-\nneer", "1", "keeps the\nlight"), ("a well-\nknown man", "2", "none"))
    )
    table = only(read(paper))
    assert table.cells[1:] == (("the engineer", "1", "keeps the light"), ("a well-known man", "2", "none"))


def test_a_pipe_in_a_cell_is_escaped_and_still_leads_to_its_glyph() -> None:
    paper = Paper()
    paper.ruled(XS, 100, (("Lamp", "Oil", "Keeper"), ("red|green", "1", "||"), ("white", "2", "none")))
    document = read(paper)
    assert only(document).cells[1] == ("red|green", "1", "||")
    at = document.text.index("red\\|green")
    sources = [len(span) for span in document.alignment.to_source(Span(at, at + 10))]
    assert sum(sources) == len("red|green")


@pytest.mark.parametrize("steps", [(16, 0), (18, 1)])
def test_booktabs_columns_come_from_white_space(steps: tuple[int, int]) -> None:
    step, wrapped = steps
    rows = [list(row) for row in ROWS]
    rows[1][2] = "A. Brandt, who\nkeeps the oil" if wrapped else rows[1][2]
    paper = Paper()
    paper.text(50, 90, "Table 2: Lights", 9, "Times-Italic")
    ys = paper.cells(XS, 100, rows, step)
    for level in (ys[0], ys[1], ys[-1]):
        paper.rule(XS[0], level, XS[-1], level, 1.0)
    table = only(read(paper))
    assert table.cells == tuple(tuple(cell.replace("\n", " ") for cell in row) for row in rows)
    assert table.caption == "Table 2: Lights"


def test_the_second_line_of_a_cell_may_be_longer_than_the_first() -> None:
    rows = [("Lamp", "Duty", "Oil"), *((f"Light {number}", "shown from dusk", "12") for number in range(4))]
    rows[3] = ("Mole", "dark\nunless a ship\nis near", "7")
    paper = Paper()
    ys = paper.cells((50, 130, 200), 100, rows)
    for level in ys:
        paper.rule(50, level, 260, level)
    paper.lines(50, ys[-1] + 30, prose("After", 3, 300), width=300)
    assert only(read(paper)).cells == tuple(tuple(cell.replace("\n", " ") for cell in row) for row in rows)


def test_a_ruling_under_a_header_tells_the_columns_that_it_stands_over() -> None:
    paper = Paper()
    xs = (50.0, 130.0, 210.0, 290.0, 370.0)
    rows = (("", "Depth", "", ""), ("Place", "ebb", "flood", "Light"), ("Mole", "3", "7", "red"), ("Quay", "4", "8", "green"))
    ys = paper.cells(xs, 100, rows, head=2)
    for level in (ys[0], ys[2], ys[-1]):
        paper.rule(xs[0], level, xs[-1], level)
    paper.rule(xs[1] + 2, ys[1], xs[3] - 6, ys[1])
    table = only(read(paper))
    assert table.cells[0] == ("", "Depth", "Depth", "")
    assert table.cells[1:] == rows[1:]
    assert table.header_rows == 2


def test_headers_on_the_left_and_figures_on_the_right_are_one_column() -> None:
    paper = Paper()
    xs = (50.0, 170.0, 290.0)
    for x, name in zip(xs, ("Lamp", "Oil", "Wick"), strict=True):
        paper.text(x, 100, name, 9, "Times-Bold")
    for row in range(4):
        paper.text(50, 118 + 16 * row, f"Light {'abcd'[row]}", 9)
        paper.text(260, 118 + 16 * row, f"{row}1", 9)
        paper.text(380, 118 + 16 * row, f"{row}2", 9)
    for level in (89, 106, 172):
        paper.rule(50, level, 390, level)
    table = only(read(paper))
    assert table.cells[:2] == (("Lamp", "Oil", "Wick"), ("Light a", "01", "02"))


def test_shaded_rows_part_as_rulings_do() -> None:
    paper = Paper()
    rows = (*ROWS, ("Quay", "7", "G. Holm"), ("Ferry", "1", "I. Juul"))
    paper.canvas.setFillColorRGB(0.85, 0.85, 0.85)
    for row in (0, 2, 4):
        paper.canvas.rect(50, HEIGHT - 100 - 16 * (row + 1), 300, 16, stroke=0, fill=1)
    paper.canvas.setFillColorRGB(0, 0, 0)
    paper.cells(XS, 100, rows)
    assert only(read(paper)).cells == rows


def test_a_table_without_rulings_is_found_at_its_caption() -> None:
    paper = Paper()
    y = paper.lines(50, 60, prose("Before", 4, 300), width=300)
    paper.text(50, y + 12, "Bang 1. Lights", 9, "Times-Bold")
    paper.text(50, y + 26, "Table 1. Lights of the harbour", 9, "Times-Bold")
    ys = paper.cells(XS, y + 34, ROWS)
    paper.lines(50, ys[-1] + 20, prose("After", 4, 300), width=300)
    table = only(read(paper))
    assert table.cells == ROWS
    assert table.caption == "Table 1. Lights of the harbour"


@pytest.mark.parametrize("rows", [1, 3])
def test_a_band_without_level_rulings_is_cut_where_all_columns_have_lines(rows: int) -> None:
    body = [(f"Light {'abcdef'[at]}", f"{at}1", f"{at}2") for at in range(2 * rows)]
    paper = Paper()
    ys = paper.cells(XS, 100, (ROWS[0], *body), 12)
    for level in (ys[0], ys[1], *ys[1 + rows :: rows]):
        paper.rule(XS[0], level, XS[-1], level)
    for upright in XS:
        paper.rule(upright, ys[0], upright, ys[-1])
    assert only(read(paper)).cells == (ROWS[0], *body)


def long_table(paper: Paper, x: float, y: float, first: int, last: int) -> None:
    rows = [("Lamp", "Oil", "Keeper"), *((f"Lamp {row}", f"{row}5", f"K{row}") for row in range(first, last))]
    paper.ruled((x, x + 50, x + 90, x + 140), y, rows)


def test_a_table_that_runs_over_pages_is_one_and_its_header_stands_once() -> None:
    paper = Paper()
    paper.text(50, 50, "Table 4. Oil", 9, "Times-Bold")
    long_table(paper, 50, 60, 0, 30)
    paper.text(50, 570, "¹ A note below.", 7)
    paper.page()
    long_table(paper, 64, 60, 30, 40)
    paper.page()
    long_table(paper, 50, 60, 40, 44)
    document = read(paper)
    table = only(document)
    assert len(table.cells) == 45
    assert [place.page for place in boxes(table)] == [0, 1, 2]
    assert {item.reason: item.size for item in document.dropped} == {"table header repeated after a break": 26}
    assert [block.kind for block in document.blocks] == [BlockKind.CAPTION, BlockKind.FOOTNOTE, BlockKind.TABLE]
    assert document.pages[1].span.of(document.text).startswith("| Lamp 30 |")


def test_a_mesh_of_lines_is_a_drawing() -> None:
    paper = Paper()
    for step in range(1200):
        paper.rule(50, 60 + 0.4 * step, 350, 60 + 0.4 * step, 0.1)
        paper.rule(50 + 0.25 * step, 60, 50 + 0.25 * step, 540, 0.1)
    paper.lines(60, 300, prose("Map", 3, 200), width=200)
    nothing(paper)


def test_a_stacked_fraction_is_read_in_one_line() -> None:
    paper = Paper()
    y = paper.lines(50, 60, prose("Before", 4, 300), width=300)
    for x, at, text in ((60, y + 16, "Oil (l) ="), (110, y + 10, "(40 - age) x wicks"), (116, y + 22, "72 x lamps (m)")):
        paper.text(x, at, text)
    paper.rule(105, y + 13, 193, y + 13)
    paper.lines(50, y + 44, prose("After", 4, 300), width=300)
    assert texts(read(paper), BlockKind.FORMULA) == ["Oil (l) = [(40 - age) x wicks] / [72 x lamps (m)]"]


def test_a_displayed_equation_is_a_formula() -> None:
    paper = Paper()
    y = paper.lines(50, 60, prose("Before", 4, 300), width=300)
    paper.text(160, y + 8, "y = 4x + b (3)")
    paper.lines(50, y + 32, prose("After", 4, 300), width=300)
    assert texts(read(paper), BlockKind.FORMULA) == ["y = 4x + b (3)"]


def test_notes_on_two_pages_of_a_table_part_it() -> None:
    paper = Paper()
    for page in range(3):
        long_table(paper, 50, 60, 30 * page, 30 * page + 30)
        paper.text(50, 570, f"{'¹²³'[page]} A note below.", 7)
        paper.page()
    document = read(paper)
    assert [[place.page for place in boxes(table)] for table in document.tables] == [[0, 1], [2]]
    assert [len(table.cells) for table in document.tables] == [61, 31]


def test_a_table_goes_on_in_the_next_column() -> None:
    paper = Paper()
    left = prose("Left", 20, 140)
    paper.lines(50, 60, left, width=140)
    long_table(paper, 50, 60 + 12 * len(left), 0, 14)
    long_table(paper, 210, 52, 14, 20)
    paper.lines(210, 190, prose("Right", 20, 140), width=140)
    table = only(read(paper))
    assert len(table.cells) == 21


@pytest.mark.parametrize("closed", [True, False])
def test_a_booktabs_table_goes_on_in_the_next_column_without_its_header(closed: bool) -> None:
    paper = Paper(560)
    rows = [(f"Lamp {number}", f"{number},204", str(number)) for number in range(10, 30)]
    left = prose("Left", 24, 220)
    y = paper.lines(40, 60, left, width=220)
    ys = paper.cells((40, 130, 190), y, (("Lamp", "Oil", "Wicks"), *rows[:9]), 12)
    for level in (ys[0], ys[1], *ys[-1:] * closed):
        paper.rule(40, level + 4, 240, level + 4)
    ys = paper.cells((300, 390, 450), 48, rows[9:], 12, head=0)
    for level in (*ys[:1] * closed, ys[-1]):
        paper.rule(300, level + 4, 500, level + 4)
    paper.lines(300, ys[-1] + 30, prose("Right", 24, 220), width=220)
    assert only(read(paper)).cells == (("Lamp", "Oil", "Wicks"), *rows)


def test_two_tables_one_below_the_other_stay_two() -> None:
    paper = Paper()
    ys = paper.ruled(XS, 60, ROWS)
    paper.text(50, ys[-1] + 20, "Table 2. The same again", 9, "Times-Bold")
    paper.ruled(XS, ys[-1] + 30, ROWS)
    assert [table.caption for table in read(paper).tables] == ["", "Table 2. The same again"]


def test_a_table_of_figures_alone_has_no_header() -> None:
    paper = Paper()
    paper.ruled(XS, 100, (("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9")), head=0)
    assert only(read(paper)).header_rows == 0


@pytest.mark.parametrize("turns", [90, 270])
def test_a_table_on_a_turned_page(turns: int) -> None:
    paper = Paper(600, 600)  # reportlab swaps width and height when it turns a page
    paper.ruled(XS, 100, ROWS)
    paper.canvas.setPageRotation(turns)
    assert only(read(paper)).cells == ROWS


def test_turned_headers_are_in_their_cells() -> None:
    paper = Paper()
    xs = (50.0, 110.0, 140.0, 170.0)
    ys = paper.cells(xs, 150, (("Mole", "3", "7"), ("Quay", "4", "8"), ("Pier", "5", "9")), head=0)
    for x, name in zip(xs[1:], ("ebb", "flood"), strict=False):
        paper.canvas.saveState()
        paper.canvas.translate(x + 18, HEIGHT - 140)
        paper.canvas.rotate(90)
        paper.canvas.setFont("Times-Bold", 9)
        paper.canvas.drawString(0, 0, name)
        paper.canvas.restoreState()
    for level in (100, *ys):
        paper.rule(xs[0], level, xs[-1], level)
    for upright in xs:
        paper.rule(upright, 100, upright, ys[-1])
    assert only(read(paper)).cells[0] == ("", "ebb", "flood")


def quarantined(document: Document, words: str) -> Table:
    table = only(document)
    assert table.quarantined
    assert words in table.quarantine_reason
    assert table.cells == ()
    return table


def test_words_across_the_rulings_are_quarantined_as_lines() -> None:
    paper = Paper()
    rows = [("Lamp", "Oil", "Keeper"), *((f"Harbour light of the north mole {row}", f"{row}5", f"K{row}") for row in range(4))]
    paper.ruled((50, 110, 150, 250), 100, rows)
    document = read(paper)
    table = quarantined(document, "do not keep to the grid")
    assert table.span.of(document.text).split("\n")[0] == "Lamp Oil Keeper"
    assert document.ledger().cells > 0


def test_words_over_one_another_are_quarantined() -> None:
    paper = Paper()
    paper.ruled(XS, 100, ROWS)
    for row in range(4):
        paper.text(60, 111 + 16 * row, "overprint", 9)
    quarantined(read(paper), "printed over one another")


def test_text_in_a_foreign_code_table_is_quarantined() -> None:
    paper = Paper()
    bad = ("Suy thËn nÆng", "LiÒu dïng", "®iÒu chØnh"), ("Ngµy ®Çu", "TrÎ em", "B¶ng ¶¬"), ("kh«ng", "Nång ®é", "Ng\u00acêi")
    paper.ruled(XS, 100, (("A", "B", "C"), *bad), 20)
    quarantined(read(paper), "garbled text")


def test_words_of_many_writings_are_not_garbled() -> None:
    good = (
        "Ångström ĐƯỜNG NGƯỜI müller’s µg/ml ±5 Brand® 10–20 m² §3 ½ naïve L’Île СТАЛЬ 金額（百萬元） كتاب १२"
        " x² 5±2 pH ß «quoted» value§ dose¹ T³"
    )
    assert [word for word in good.split() if is_garbled(word)] == []
    assert all(is_garbled(word) for word in ("thËn", "®iÒu", "µ·®", "Ng\u2212êi", "\ue012\ue013", "a\ufffdb", "\x01\x02"))


def test_a_check_mark_of_a_symbol_font_is_no_reason() -> None:
    assert not is_garbled("\uf0fc")


def nothing(paper: Paper) -> None:
    assert read(paper).tables == ()


def test_columns_of_prose_between_rulings_are_no_table() -> None:
    paper = Paper()
    for level in (40, 50, 330):
        paper.rule(50, level, 350, level)
    paper.lines(50, 70, prose("Left", 20, 140), width=140)
    paper.lines(210, 70, prose("Right", 20, 140), width=140)
    nothing(paper)


def test_a_frame_around_text_is_no_table() -> None:
    paper = Paper()
    paper.lines(56, 70, prose("Boxed", 6, 280), width=280)
    for level in (55, 160):
        paper.rule(50, level, 350, level)
    for upright in (50, 350):
        paper.rule(upright, 55, upright, 160)
    nothing(paper)


def test_boxes_of_text_are_no_table_and_long_cells_under_names_are() -> None:
    long = "\n".join(prose("Box", 8, 140))
    paper = Paper()
    paper.ruled((50.0, 200.0, 350.0), 60, ((long, long), (long, long)), head=0)
    nothing(paper)
    paper = Paper()
    paper.ruled((50.0, 200.0, 350.0), 60, (("For", "Against"), (long, long)))
    assert only(read(paper)).cells[0] == ("For", "Against")


def test_contents_keys_and_references_are_no_tables() -> None:
    paper = Paper()
    for row in range(6):
        paper.text(50, 60 + 14 * row, f"{row + 1}")
        paper.text(80, 60 + 14 * row, f"Chapter {'abcdef'[row]}")
        paper.text(300, 60 + 14 * row, str(3 + 7 * row))
    for row in range(6):
        paper.text(50, 200 + 14 * row, f"key{row}:")
        paper.text(150, 200 + 14 * row, f"value of the key {row}")
    y = 320.0
    for row in range(5):
        paper.text(50, y, f"[{row + 1}]")
        y = paper.lines(80, y, prose(f"Author{row}", 1, 250), width=250)
    nothing(paper)


def test_the_axes_and_grid_of_a_chart_are_no_table() -> None:
    paper = Paper()
    for step in range(6):
        paper.rule(80, 100 + 30 * step, 330, 100 + 30 * step, 0.3)
        paper.rule(80 + 50 * step, 100, 80 + 50 * step, 250, 0.3)
        paper.text(60, 103 + 30 * step, str(50 - 10 * step), 7)
        paper.text(78 + 50 * step, 262, str(step), 7)
    paper.text(80, 285, "Figure 1. Tides of a week.", 9, "Times-Italic")
    nothing(paper)


def test_a_note_rule_and_running_rules_are_no_table() -> None:
    paper = Paper()
    for number in range(4):
        paper.text(50, 30, "Lights and tides", 8, "Times-Italic")
        paper.rule(50, 36, 350, 36)
        paper.lines(50, 60, prose(f"Page{number}", 34, 300), width=300)
        paper.rule(50, 500, 130, 500)
        paper.text(50, 512, f"¹ Note {number} below the text.", 7)
        paper.rule(50, 560, 350, 560)
        paper.text(195, 575, str(number + 1), 8)
        paper.page()
    nothing(paper)


def test_han_cells_are_joined_without_spaces() -> None:
    registerFont(UnicodeCIDFont("MSung-Light"))
    paper = Paper()
    ys = paper.cells(XS, 100, (("", "", ""), ("", "", ""), ("", "", "")), 30)
    for row, cells in enumerate((("項目", "金額（百萬\n元）", "年份"), ("道路", "12", "2025"), ("排水", "7", "2026"))):
        for x, cell in zip(XS, cells, strict=False):
            for line, part in enumerate(cell.split("\n")):
                paper.text(x + 4, ys[row] + 11 + 12 * line, part, 9, "MSung-Light")
    for level in ys:
        paper.rule(XS[0], level, XS[-1], level)
    for upright in XS:
        paper.rule(upright, ys[0], upright, ys[-1])
    assert only(read(paper)).cells[0] == ("項目", "金額（百萬元）", "年份")


WORDS = st.text("abcdefghijk", min_size=1, max_size=7)
CELLS = st.lists(WORDS, min_size=0, max_size=6).map(" ".join)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(2, 5).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=2, max_size=6)))
def test_any_ruled_grid_comes_back_as_it_was_drawn(rows: list[list[str]]) -> None:
    rows = [["h" + cell for cell in rows[0]], *(["r" + row[0], *row[1:]] for row in rows[1:])]
    rows[1][1] = "x" + rows[1][1]
    paper, width = Paper(), 300 / len(rows[0])
    drawn = [[wrapped(paper.canvas, cell, width - 8) for cell in row] for row in rows]
    paper.ruled([50 + width * at for at in range(len(rows[0]) + 1)], 60, drawn)
    table = only(read(paper))
    assert [list(row) for row in table.cells] == rows


def wrapped(canvas: Canvas, text: str, room: float) -> str:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and canvas.stringWidth(longer, "Times-Bold", 9) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def test_spans_rise_and_tile() -> None:
    paper = Paper()
    paper.ruled(XS, 100, ROWS)
    document = read(paper)
    (block,) = document.blocks
    assert all(one.span.end < two.span.start for one, two in pairwise(block.lines))
    assert texts(document) == [to_markdown(only(document))]


@pytest.mark.parametrize("cut", [1, len(ROWS) - 1])
def test_a_row_that_a_page_break_leaves_alone_belongs_to_its_table(cut: int) -> None:
    paper = Paper()
    paper.lines(50, 60, prose("Before", 4, 300), width=300)
    paper.ruled(XS, 520, ROWS[:cut])
    paper.page()
    ys = paper.ruled(XS, 40, ROWS[cut:], head=0)
    paper.lines(50, ys[-1] + 20, prose("After", 4, 300), width=300)
    table = only(read(paper))
    assert (table.cells, table.header_rows) == (ROWS, 1)
    assert [place.page for place in boxes(table)] == [0, 1]


@pytest.mark.parametrize("y", [60, 300, 520])
def test_a_ruled_row_alone_is_text(y: int) -> None:
    paper = Paper()
    ys = paper.ruled(XS, y, ROWS[1:2], head=0)
    if y != 520:
        paper.lines(50, ys[-1] + 20, prose("After", 3, 300), width=300)
    if y != 60:
        paper.lines(50, 100, prose("Before", 3, 300), width=300)
    document = read(paper)
    assert not document.tables
    assert "North light 12,5 A. Brandt" in document.text


def test_a_caption_at_the_left_edge_goes_with_a_centred_table() -> None:
    paper = Paper()
    y = paper.lines(50, 60, prose("Before", 4, 300), width=300)
    paper.text(50, y + 10, "Table 1: Lamps", 9)
    paper.ruled([150.0 + x for x in (0, 60, 120, 180)], y + 20, ROWS)
    assert only(read(paper)).caption == "Table 1: Lamps"


CUT = [("Place", "Depth", "Light"), *((f"Buoy {at}", f"{at + 3} m", f"{at} s") for at in range(6))]


def cut_off(rest: Sequence[Sequence[str]], shift: float = 0.0) -> Paper:
    """A page that ends with a table under one ruling, and a page that begins with the rest of it."""
    paper = Paper()
    paper.lines(50, 60, prose("Before", 26, 300), width=300)
    ys = paper.cells([50, 150, 250, 350], 460, CUT)
    paper.rule(50, ys[0], 350, ys[0])
    paper.rule(50, ys[1], 350, ys[1])
    paper.page()
    ys = paper.cells([50, 150 + shift, 250 + 2 * shift, 350], 60, rest, head=0)
    paper.lines(50, ys[-1] + 30, prose("After", 20, 300), width=300)
    return paper


@pytest.mark.parametrize("count", [1, 2])
def test_a_few_rows_at_the_head_of_the_next_page_go_on_with_the_table(count: int) -> None:
    rest = [(f"Quay {at}", f"{at + 9} m", f"{at} s") for at in range(count)]
    (table,) = check(parsed(cut_off(rest).bytes())).tables
    assert table.cells == (*CUT, *rest)
    assert [place.page for place in boxes(table)] == [0, 1]


@pytest.mark.parametrize(
    ("rest", "shift"),
    [([("Quay 1", "9 m", "2 s")], 14.0), ([("A line of words that runs on over the places of all three", "", "")], 0.0)],
)
def test_rows_that_stand_elsewhere_are_none_of_the_table_before(rest: Sequence[Sequence[str]], shift: float) -> None:
    (table,) = check(parsed(cut_off(rest, shift).bytes())).tables
    assert table.cells == tuple(CUT)


def test_a_bold_header_closer_than_the_cells_begins_a_table_that_the_page_cuts_off() -> None:
    paper, rows = Paper(), [("Name of lamps", "Oil"), ("A", "7"), ("Brighter ones", "9"), ("C", "11"), ("D", "13")]
    paper.lines(50, 60, prose("Before", 32, 300), width=300)
    paper.text(50, 500, "Table 1: Lamps", 10)
    for part, y in ((rows[:2], 516), ((rows[0], *rows[2:]), 60)):
        for at, row in enumerate(part):
            for x, text in zip((100, 172), row, strict=True):
                paper.text(x, y + 16 * at, text, 10, "Times-Roman" if at else "Times-Bold")
        if y < 100:
            paper.lines(50, 150, prose("After", 20, 300), width=300)
        paper.page()
    (table,) = check(parsed(paper.bytes())).tables
    assert table.cells == tuple(rows)
