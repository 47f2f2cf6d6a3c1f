"""Tables that white space alone tells, as TeX and Typst set them, and what stands close to them."""

from __future__ import annotations

from collections.abc import Sequence

from pecia.model import BlockKind
from pecia.parsing.pdf.gaps import Piece, gutters_in
from tests.parsing.pdf_maker import Paper, prose
from tests.parsing.test_pdf_tables import only, read

XS = (60.0, 190.0, 260.0)


def rows(paper: Paper, y: float, lines: Sequence[Sequence[str]], step: float, inner: float, xs: Sequence[float] = XS) -> float:
    """Prints rows whose cells may have several lines, `inner` apart, and gives where the next row would stand."""
    for cells in lines:
        for x, cell in zip(xs, cells, strict=False):
            for number, part in enumerate(cell.split("\n")):
                paper.text(x, y + inner * number, part, 9)
        y += step + inner * max(cell.count("\n") for cell in cells)
    return y


def test_rows_that_space_parts_hold_lines_that_would_have_fitted_above() -> None:
    """A paragraph's lines are broken together: "lamp" would fit beside "the tower"."""
    paper = Paper()
    paper.text(60, 80, "Table 1: Lights of the harbour and who keeps them", 9)
    rows(paper, 100, (("Lamp", "Oil", "Years"), ("the tower\nlamp of the north quay", "12", "31"), ("the mole", "9", "7"),
                      ("the old pilot\nhouse", "3", "22")), 16, 11)  # fmt: skip
    assert only(read(paper)).cells == (
        ("Lamp", "Oil", "Years"), ("the tower lamp of the north quay", "12", "31"), ("the mole", "9", "7"),
        ("the old pilot house", "3", "22"),
    )  # fmt: skip


def test_two_values_below_one_another_are_two_rows_with_signs_too() -> None:
    paper = Paper()
    paper.text(60, 80, "Table 2: Change of the depth", 9)
    rows(
        paper,
        100,
        (("Place", "Change"), ("North quay", "18.39"), ("mole", "−1.2"), ("South quay", "–"), ("basin", "−8.5")),
        11,
        11,
    )
    assert [row[1] for row in only(read(paper)).cells] == ["Change", "18.39", "−1.2", "–", "−8.5"]


def test_a_word_that_is_parted_in_the_last_row_goes_on_below_it() -> None:
    paper = Paper()
    paper.text(60, 80, "Table 3: Lights of the harbour", 9)
    y = rows(
        paper, 100, (("Lamp", "Oil", "Years"), ("mole", "12", "31"), ("quay", "9", "7"), ("the har-\nbour", "3", "22")), 14, 11
    )
    paper.lines(60, y + 20, prose("After", 3, 300), width=300)
    assert only(read(paper)).cells[-1] == ("the harbour", "3", "22")


def test_text_after_a_wide_gap_is_none_of_the_table() -> None:
    paper = Paper()
    paper.text(60, 80, "Table 4: Rates", 9)
    rows(paper, 100, (("Growth", "Freight"), ("quay", "–"), ("mole", "11.42"), ("tower", "7.5")), 13, 11)
    paper.text(60, 170, "Lamps were", 9)
    paper.text(150, 170, "lit at dusk and the", 9)
    paper.text(60, 183, "keepers walked", 9)
    paper.text(155, 183, "home along the mole", 9)
    assert only(read(paper)).cells == (("Growth", "Freight"), ("quay", "–"), ("mole", "11.42"), ("tower", "7.5"))


def test_names_of_columns_that_stand_close_are_their_header() -> None:
    paper = Paper()
    paper.lines(60, 60, prose("Before", 3, 300), width=300)
    xs = (60.0, 100.5, 141.0, 182.0)
    rows(paper, 130, (("Harbour", "Lamps lit", "Oil used", "Keepers"), ("quay", "25", "3,7", "66"), ("mole", "14", "21", "37"),
                      ("tower", "5", "26", "59"), ("basin", "8", "11", "40")), 14, 11, xs)  # fmt: skip
    paper.text(60, 210, "Table 5: Lamps by place", 9)
    assert only(read(paper)).cells[0] == ("Harbour", "Lamps lit", "Oil used", "Keepers")


def test_the_last_line_of_a_caption_is_no_header() -> None:
    paper = Paper()
    paper.lines(60, 40, prose("Before", 4, 300), width=300)
    paper.text(111, 110, "Table 6: Lamps that were lit in the harbour between", 9)
    paper.text(185, 121, "the two wars", 9)
    rows(paper, 142, (("Place", "Lamps", "Oil"), ("quay", "90", "46"), ("mole", "78", "73"), ("tower", "82", "12")), 14, 11)
    document = read(paper)
    assert only(document).cells[0] == ("Place", "Lamps", "Oil")
    assert only(document).caption.endswith("the two wars")


def test_a_row_with_a_figure_amid_its_cells_is_no_header_of_amounts() -> None:
    paper = Paper()
    paper.text(60, 80, "Table 7: Lamps and who keeps them", 9)
    held = (("Place", "Lamps", "Keeper"), ("quay", "90", "46"), ("mole", "−2", "in the tower"), ("tower", "85", "41"),
            ("basin", "76", "–"), ("shoal", "27", "19"))  # fmt: skip
    rows(paper, 100, held, 16, 11)
    assert only(read(paper)).cells == held


def test_lines_of_a_bold_header_go_to_the_columns_that_they_stand_over() -> None:
    paper = Paper()
    paper.text(60, 80, "Table 8: Lamps by their baseline", 9)
    xs = (60.0, 130.0, 200.0, 270.0)
    paper.rule(55, 86, 330, 86)
    for x, y, text in ((60, 97, "Place"), (130, 97, "Lamps"), (200, 97, "Base-"), (270, 97, "Har-"),
                       (130, 108, "lit"), (200, 108, "line"), (270, 108, "bour"), (300, 108, "dues")):  # fmt: skip
        paper.text(x, y, text, 9, "Times-Bold")
    paper.rule(55, 114, 330, 114)
    end = rows(paper, 126, (("quay", "25", "37", "66"), ("mole", "14", "21", "37"), ("tower", "5", "26", "59")), 14, 11, xs)
    paper.rule(55, end - 8, 330, end - 8)
    assert only(read(paper)).cells[0] == ("Place", "Lamps lit", "Baseline", "Harbour dues")


def test_of_two_strips_beside_a_lonely_cell_the_one_stays_that_no_line_crosses() -> None:
    def line(*ends: tuple[float, float]) -> list[Piece]:
        return [Piece([], x0, x1) for x0, x1 in ends]

    lines = [line((0, 40), (60, 80)) for _ in range(8)] + [line((0, 20), (32, 44), (50, 80)), line((0, 20), (32, 80))]
    assert len(gutters_in(lines, 8.0)) <= 1
    (edge,) = gutters_in([line((0, 20), (60, 80)) for _ in range(8)] + lines[8:], 8.0)
    assert 20 < edge < 32


def test_a_caption_under_the_last_rule_of_a_table_at_the_foot_is_no_note() -> None:
    paper = Paper()
    paper.lines(60, 60, prose("Before", 20, 300), width=300)
    paper.rule(60, 400, 360, 400)
    y = rows(paper, 412, (("Place", "Lamps", "Oil"), ("quay", "90", "46"), ("mole", "78", "73"), ("tower", "82", "12")), 14, 11)
    paper.rule(60, 416, 360, 416)
    paper.rule(60, y - 8, 360, y - 8)
    paper.text(60, y + 4, "Table 9: Lamps that were lit in the harbour", 8)
    document = read(paper)
    assert [block.kind for block in document.blocks][-2:] == [BlockKind.TABLE, BlockKind.CAPTION]
    assert only(document).caption.startswith("Table 9")


def test_a_note_under_a_short_rule_follows_a_caption_in_small_type() -> None:
    paper = Paper()
    paper.lines(60, 60, prose("Before", 20, 300), width=300)
    paper.text(60, 430, "Figure 1: The harbour at low water, seen from the north", 8)
    paper.rule(60, 470, 150, 470)
    paper.text(60, 482, "1The keepers counted the lamps every evening.", 8)
    assert read(paper).blocks[-1].kind is BlockKind.FOOTNOTE
