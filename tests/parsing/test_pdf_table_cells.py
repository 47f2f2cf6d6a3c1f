"""Cells of several lines, cells with leaders and headers of several lines, where white space tells the columns."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pecia.model import Table
from tests.parsing.pdf_maker import Paper, parsed, prose
from tests.parsing.test_pdf import check

XS = (60.0, 150.0, 340.0)


def tables(paper: Paper) -> Sequence[Table]:
    return check(parsed(paper.bytes())).tables


def flat(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(cell.replace("\n", " ") for cell in row) for row in rows)


def under_caption(rows: Sequence[Sequence[str]], xs: Sequence[float] = XS) -> tuple[Paper, list[float]]:
    """Prose, the caption of a table and its rows; and where rulings would stand."""
    paper = Paper()
    y = paper.lines(50, 50, prose("Before", 5, 300), width=300)
    paper.text(60, y + 10, "Table 1. Duties of the keepers", 9, "Times-Bold")
    ys = paper.cells(xs, y + 16, rows)
    paper.lines(50, ys[-1] + 25, prose("After", 5, 300), width=300)
    return paper, ys


def test_all_lines_of_the_last_cell_belong_to_it_however_wide() -> None:
    long = "keeps the oil and the wicks in the lower room,\ntrims the lamp at dusk and again before dawn,\nwrites the log"
    rows = [("Lamp", "Duty"), ("North", long), ("South", "rests"), ("Mole", long)]
    (table,) = tables(under_caption(rows)[0])
    assert table.cells == flat(rows)


def test_lines_of_prose_below_a_table_are_none_of_its_last_cell() -> None:
    rows = [("Lamp", "Duty"), ("North", "trims the lamp"), ("South", "rests"), ("Mole", "writes the log")]
    paper = Paper()
    paper.text(60, 60, "Table 1. Duties of the keepers", 9, "Times-Bold")
    y = paper.cells(XS, 66, rows)[-1]
    paper.lines(60, y + 8, prose("After", 5, 280), size=9)
    (table,) = tables(paper)
    assert table.cells == flat(rows)


@pytest.mark.parametrize("below", [False, True])
def test_leaders_within_cells_are_no_contents(below: bool) -> None:
    rows = [
        ("Lamp", "Oil"),
        *((f"No {at}", f"{name} ........ {at}0") for at, name in enumerate(("North", "South", "Mole", "Quay"))),
    ]
    paper = Paper()
    ys = paper.cells(XS, 70, rows)
    paper.text(60, ys[-1] + 14 if below else 62, "Table 1. Oil of the lamps", 9, "Times-Bold")
    (table,) = tables(paper)
    assert table.cells == flat(rows)
    assert table.caption == "Table 1. Oil of the lamps"


def test_a_list_of_tables_is_no_table() -> None:
    paper = Paper()
    for at in range(6):
        paper.text(60, 60 + 14 * at, f"Table {at + 1}.")
        paper.text(120, 60 + 14 * at, f"Lamps of the harbour ........................ {3 * at + 1}")
    assert not tables(paper)


@pytest.mark.parametrize("column", [0, 1])
def test_the_further_line_of_a_name_may_reach_beyond_its_first_one(column: int) -> None:
    heads = ["Lamp", "Oil", "Wick"]
    heads[column] = "Of the\nlighthouses"
    rows = [heads, ("North", "north oil", "a"), ("South", "southern oil", "b"), ("Mole", "whale oil", "c")]
    xs = (60.0, 110.0, 160.0, 210.0)
    paper, ys = under_caption(rows, xs)
    for level in (ys[0], ys[1], ys[-1]):
        paper.rule(xs[0], level, xs[-1], level)
    (table,) = tables(paper)
    assert table.cells == flat(rows)
    assert table.caption == "Table 1. Duties of the keepers"


def test_a_name_on_a_ruling_of_its_own_stands_over_its_columns() -> None:
    rows = [
        ("", "Tide", "", ""),
        ("Place", "ebb", "flood", "Light"),
        ("Mole", "mud", "deep", "red"),
        ("Quay", "dry", "low", "green"),
    ]
    xs = (60.0, 120.0, 180.0, 240.0, 300.0)
    paper = Paper()
    ys = paper.cells(xs, 100, [("", "", "", ""), *rows[1:]], head=2)
    paper.text(152, 111, "Tide", 9, "Times-Bold")
    for level in (ys[0], ys[2], ys[-1]):
        paper.rule(xs[0], level, xs[-1], level)
    paper.rule(xs[1], ys[1], xs[3], ys[1])
    (table,) = tables(paper)
    assert table.cells == (("", "Tide", "Tide", ""), *flat(rows[1:]))
    assert table.header_rows == 2


def test_the_further_line_of_the_first_name_is_a_part_of_the_header() -> None:
    rows = [("Lamps of\nharbours", "Oil", "Wick"), *((f"Lamp {at}", f"{at}2.5", f"{at}7") for at in range(1, 7))]
    (table,) = tables(under_caption(rows, (60.0, 150.0, 220.0))[0])
    assert table.cells == flat(rows)
    assert table.header_rows == 1


def test_a_bold_name_of_a_group_below_an_empty_head_is_none_of_the_header() -> None:
    body = [(f"Lamp {at}", f"{at}2.5", f"{at}7") for at in range(1, 7)]
    paper = under_caption([("", "May", "June"), ("", "", ""), *body], (60.0, 150.0, 220.0))[0]
    paper.text(64, 164, "LAMPS", 9, "Times-Bold")
    (table,) = tables(paper)
    assert table.cells == (("", "May", "June"), ("LAMPS", "", ""), *body)


@pytest.mark.parametrize("above", [True, False])
def test_a_caption_between_two_tables_goes_with_the_nearer_one(above: bool) -> None:
    rows = [("Lamp", "Oil"), ("North", "12"), ("South", "9")]
    paper = Paper()
    y = paper.ruled(XS, 60, rows)[-1]
    paper.text(60, y + (14 if above else 44), "Table 1. Oil of the lamps", 9)
    paper.ruled(XS, y + (40 if above else 52), rows)
    assert [table.caption != "" for table in tables(paper)] == [above, not above]
