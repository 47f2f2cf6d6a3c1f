"""Tables of amounts in PDF, as accounts print them: labels of several lines, heads above, hardly a ruling."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pecia.model import BlockKind
from tests.parsing.pdf_maker import Paper, prose
from tests.parsing.test_pdf_tables import only, read

RIGHTS = (270.0, 350.0)  # where amounts end
STEP = 16.0
ROWS = (
    (("Oil for the lamps",), "$ 1,204", "$ 980"),
    (("Wages and board",), "12,310", "11,075"),
    (
        (
            "Stores and repairs of the mole, of the boats,",
            "and of the watch house, paid in advance",
        ),
        "(402)",
        "77",
    ),
    (("Sundries",), "—", "3,118"),
    (("Total outlay",), "$ 13,112", "$ 15,250"),
)
CELLS = (
    ("Oil for the lamps", "$ 1,204", "$ 980"),
    ("Wages and board", "12,310", "11,075"),
    ("Stores and repairs of the mole, of the boats, and of the watch house, paid in advance", "(402)", "77"),
    ("Sundries", "—", "3,118"),
    ("Total outlay", "$ 13,112", "$ 15,250"),
)


def amount(paper: Paper, right: float, y: float, text: str, size: float = 9) -> None:
    """A figure that ends at `right`, its sign of a currency far to the left; a bracket hangs over."""
    sign, _, figure = text.rpartition(" ")
    over = paper.canvas.stringWidth(")", "Times-Roman", size) if figure.endswith(")") else 0
    paper.text(right - paper.canvas.stringWidth(figure, "Times-Roman", size) + over, y, figure, size)
    if sign:
        paper.text(right - 54, y, sign, size)


def heads(paper: Paper, y: float, lines: Sequence[Sequence[str]], rights: Sequence[float] = RIGHTS) -> float:
    for line in lines:
        for right, text in zip(rights, line, strict=True):
            paper.text(right - 27 - paper.canvas.stringWidth(text, "Times-Bold", 9) / 2, y, text, 9, "Times-Bold")
        y += 10
    for right in rights:
        paper.rule(right - 56, y - 7, right + 2, y - 7)
    return y + 4


def body(paper: Paper, y: float, rows: Sequence[tuple[Sequence[str], str, str]], at: str = "last") -> float:
    """Rows whose amounts stand beside the first or last line of their label, or half-way between."""
    for labels, *amounts in rows:
        for number, label in enumerate(labels):
            paper.text(50 + 6 * (number > 0), y + 10 * number, label, 9)
        beside = {"first": 0.0, "last": 10.0 * (len(labels) - 1), "middle": 5.0 * (len(labels) - 1)}[at]
        for right, text in zip(RIGHTS, amounts, strict=True):
            if text:
                amount(paper, right, y + beside, text)
        y += 10 * (len(labels) - 1) + STEP
    return y


@pytest.mark.parametrize("at", ["first", "last", "middle"])
@pytest.mark.parametrize("ruled", [True, False])
def test_a_label_of_two_lines_is_one_cell(at: str, ruled: bool) -> None:
    paper = Paper()
    y = paper.lines(50, 60, prose("Before", 3, 300), width=300)
    y = heads(paper, y + 14, (("June 30,", "June 30,"), ("1901", "1900")))
    y = body(paper, y + 4, ROWS, at)
    if ruled:
        for right in RIGHTS:
            paper.rule(right - 56, y - STEP + 3, right + 2, y - STEP + 3)
    paper.lines(50, y + 16, prose("After", 3, 300), width=300)
    document = read(paper)
    table = only(document)
    assert table.cells == (("", "June 30, 1901", "June 30, 1900"), *CELLS)
    assert table.header_rows == 1
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.PARAGRAPH]


def test_shaded_rows_part_a_name_from_the_row_below() -> None:
    """Both lines begin with a capital letter, and both labels are as wide as any: the edge of the shade tells."""
    paper = Paper()
    rows = ((("Outlay of the year, in crowns",), "", ""), *ROWS[:2], (("Lamps of the outer harbour", "Trinity House"), "4", "5"))
    y, tops = 100.0, list[float]()
    for labels, *_ in rows:
        tops.append(y)
        y += 10 * (len(labels) - 1) + STEP
    for number in range(0, len(tops), 2):
        paper.canvas.setFillGray(0.9)
        bottom = [*tops, y][number + 1]
        paper.canvas.rect(46, paper.height - bottom + 11, 310, bottom - tops[number], stroke=0, fill=1)
    paper.canvas.setFillGray(0)
    heads(paper, 66, (("June 30,", "June 30,"), ("1901", "1900")))
    body(paper, 100, rows)
    assert only(read(paper)).cells == (
        ("", "June 30, 1901", "June 30, 1900"),
        ("Outlay of the year, in crowns", "", ""),
        *CELLS[:2],
        ("Lamps of the outer harbour Trinity House", "4", "5"),
    )


def test_heads_stand_over_the_columns_that_their_rulings_reach() -> None:
    paper = Paper(500)
    rights = (250.0, 320.0, 390.0, 460.0)
    for left, text in ((193, "Quarter ended"), (333, "Year ended")):
        paper.text(left + 65 - paper.canvas.stringWidth(text, "Times-Bold", 9) / 2, 80, text, 9, "Times-Bold")
        paper.rule(left, 83, left + 130, 83)
    heads(paper, 93, (("June 30,", "March 31,", "June 30,", "March 31,"), ("1901", "1901", "1901", "1901")), rights)
    paper.text(303, 118, "(In crowns)", 9, "Times-Italic")
    for number, name in enumerate(("Oil", "Wages", "Stores")):
        y = 132 + STEP * number
        paper.text(50, y, name, 9)
        for at, right in enumerate(rights):
            amount(paper, right, y, f"{number + 1},{at}04")
    table = only(read(paper))
    assert table.header_rows == 3
    assert table.cells[:3] == (
        ("", "Quarter ended", "Quarter ended", "Year ended", "Year ended"),
        ("", "June 30, 1901", "March 31, 1901", "June 30, 1901", "March 31, 1901"),
        ("", "(In crowns)", "(In crowns)", "(In crowns)", "(In crowns)"),
    )


def test_a_title_over_the_whole_table_is_no_head() -> None:
    paper = Paper()
    paper.text(200 - paper.canvas.stringWidth("(in crowns)", "Times-Roman", 9) / 2, 80, "(in crowns)", 9)
    y = heads(paper, 94, (("1901", "1900"),))
    body(paper, y, ROWS)
    assert only(read(paper)).cells[0] == ("", "1901", "1900")


def test_notes_behind_a_name_do_not_part_its_row() -> None:
    paper = Paper()
    y = heads(paper, 90, (("1901", "1900"),))
    body(paper, y, ROWS)
    wide = paper.canvas.stringWidth("Wages and board", "Times-Roman", 9)
    paper.text(50 + wide, y + STEP - 3, "®", 6.2)
    paper.text(50 + wide + 6, y + STEP - 3, "(1)", 5.6)
    assert only(read(paper)).cells[2] == ("Wages and board ® (1)", "12,310", "11,075")


def test_signs_apart_belong_to_their_figure() -> None:
    paper = Paper()
    for number, name in enumerate(("Oil", "Wages", "Stores", "Sundries")):
        y = 100 + STEP * number
        paper.text(50, y, name, 9)
        amount(paper, 250, y, f"$ ({number}04)")
        amount(paper, 330, y, f"{number + 1}0")
        paper.text(336, y, "%", 9)
    assert only(read(paper)).cells == tuple(
        (name, f"$ ({at}04)", f"{at + 1}0 %") for at, name in enumerate(("Oil", "Wages", "Stores", "Sundries"))
    )


def test_prose_beside_a_table_is_none_of_it() -> None:
    paper = Paper(700)
    lines = [*prose("Left", 24, 200), *prose("More", 4, 200)]
    paper.lines(50, 60, lines, width=200)
    for number in range(8):
        y = 120 + 12 * number
        paper.text(300, y, f"Lamp {number}", 9)
        amount(paper, 450, y, f"{number},204")
        amount(paper, 550, y, f"{number + 30}")
    for level in (108, 210):
        paper.rule(300, level, 552, level)
    document = read(paper)
    assert only(document).cells[0] == ("Lamp 0", "0,204", "30")
    assert all(line in document.text for line in ("Left the tide", "More the tide"))


def test_pages_of_contents_and_lines_that_end_in_a_year_are_no_tables() -> None:
    paper = Paper()
    for number in range(6):
        paper.text(50, 60 + 14 * number, f"Chapter {'abcdef'[number]}")
        paper.text(330, 60 + 14 * number, str(3 + 7 * number))
        paper.text(50, 200 + 14 * number, f"Report {'abcdef'[number]} of the harbour board")
        paper.text(330, 200 + 14 * number, str(1890 + number))
    assert read(paper).tables == ()


def test_a_statement_goes_on_on_the_next_page_and_another_one_does_not() -> None:
    paper = Paper()
    body(paper, heads(paper, 500, (("1901", "1900"),)), ROWS)
    paper.page()
    body(paper, 60, ROWS)
    assert len(only(read(paper)).cells) == 1 + 2 * len(ROWS)
    paper = Paper()
    body(paper, heads(paper, 500, (("1901", "1900"),)), ROWS)
    paper.page()
    body(paper, heads(paper, 60, (("1899", "1898"),)), ROWS)
    assert [table.cells[0] for table in read(paper).tables] == [("", "1901", "1900"), ("", "1899", "1898")]
