"""Tables in one column of a page that has two, beside the prose or the tables of the other one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.parsing.pdf_maker import Paper, parsed, prose
from tests.parsing.test_pdf import check, texts

WIDTH, LEFT, RIGHT, MEASURE = 500.0, 40.0, 260.0, 200.0
FIGURES = [("Lamp", "Oil", "Wick"), *((f"Mole {at}", f"{at + 1}.{at}", f"{17 + at}") for at in range(10))]
SHARES = (0.0, 80.0, 140.0, 200.0)


def paper() -> Paper:
    return Paper(WIDTH)


def put(page: Paper, x: float, y: float, rows: Sequence[Sequence[str]], head: int = 1) -> float:
    """The rows without rulings, from this place down; the next y."""
    return page.cells([x + share for share in SHARES], y, rows, 14, head=head)[-1]


def flow(page: Paper, x: float, y: float, lines: Sequence[str]) -> float:
    return page.lines(x, y, lines, width=MEASURE)


def test_amounts_in_one_column_take_no_prose_of_the_other_for_their_labels() -> None:
    page, left, below = paper(), prose("Left", 34, MEASURE), prose("Below", 3, MEASURE)
    page.lines(LEFT, 50, left, leading=14)
    ruled = [("Buoy", "Mark", "Bell"), ("North", "a", "b"), ("South", "c", "d")]
    ys = page.cells([RIGHT + share for share in SHARES], 60, ruled)
    for level in (ys[0], ys[1], ys[-1]):
        page.rule(RIGHT, level, RIGHT + MEASURE, level)
    flow(page, RIGHT, ys[-1] + 30, prose("Between", 13, MEASURE))
    page.text(RIGHT, 335, "Table 2. Oil of the lamps", 9, "Times-Bold")
    y = put(page, RIGHT, 50 + 14 * 21 - 4, FIGURES)  # half-way between lines of the prose
    flow(page, RIGHT, y + 25, below)
    document = check(parsed(page.bytes()))
    assert [table.cells for table in document.tables] == [tuple(ruled), tuple(FIGURES)]
    assert texts(document)[0] == " ".join(left)
    assert texts(document)[-1] == " ".join(below)


def test_gaps_between_the_cells_of_one_column_are_no_spaces_of_stretched_lines() -> None:
    page, rows = paper(), [(f"No {at}", f"{at}1", f"{at}2", f"{at}3") for at in range(12)]
    shares = (0.0, 55.0, 110.0, 165.0)
    right = prose("Right", 40, MEASURE)
    flow(page, RIGHT, 60, right)
    y = flow(page, LEFT, 60, prose("Left", 9, MEASURE))
    for name in ("Table 1. Oil", "Table 2. Bells"):
        page.text(LEFT, y + 12, name, 10, "Times-Bold")
        for at, row in enumerate([("Lamp", "May", "June", "July"), *rows]):
            for x, text in zip(shares, row, strict=True):
                page.text(LEFT + x, y + 24 + 12 * at, text)
        y += 24 + 12 * 14
    document = check(parsed(page.bytes()))
    assert [table.cells[1:] for table in document.tables] == [tuple(rows)] * 2
    assert " ".join(right) in texts(document)


@pytest.mark.parametrize("first", [4, 16])
def test_a_table_that_fills_the_next_column_alone_goes_on_there(first: int) -> None:
    page, rows = paper(), [("Lamp", "Oil"), *((f"Lamp {at}", f"{at}5") for at in range(40))]
    before = prose("Before", 40 - first, MEASURE)
    y = flow(page, LEFT, 50, before)
    page.text(LEFT, y + 8, "Table 1. Oil of the lamps", 9, "Times-Bold")
    page.ruled((LEFT, LEFT + 100, LEFT + 150), y + 14, rows[:first], 12)
    page.ruled((RIGHT, RIGHT + 100, RIGHT + 150), 42, rows[first:], 12, head=0)
    document = check(parsed(page.bytes()))
    (table,) = document.tables
    assert table.cells == tuple(rows)
    assert table.caption == "Table 1. Oil of the lamps"
    assert texts(document)[0] == " ".join(before)


@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_a_page_of_rows_alone_has_the_columns_of_the_other_pages(shift: float) -> None:
    rows = [("Lamp", "Oil", "Wick"), *((f"Lamp {at}", f"{at}.5", f"{at + 7}") for at in range(116))]
    page, before, after = paper(), prose("Before", 16, MEASURE), prose("After", 24, MEASURE)
    y = flow(page, LEFT, 50, before)
    page.text(LEFT, y + 6, "Table 1. Oil of the lamps", 9, "Times-Bold")
    put(page, LEFT, y + 10, rows[:20])
    put(page, RIGHT, 40 + shift, rows[20:56], 0)
    page.page()
    put(page, LEFT, 40, rows[56:92], 0)
    put(page, RIGHT, 40, rows[92:], 0)
    page.page()
    flow(page, LEFT, 50, after)
    flow(page, RIGHT, 50, prose("Beside", 24, MEASURE))
    document = check(parsed(page.bytes()))
    (table,) = document.tables
    assert table.cells == tuple(rows)
    assert table.caption == "Table 1. Oil of the lamps"
    assert [" ".join(lines) for lines in (before, after)] == [texts(document)[0], texts(document)[-2]]


def test_prose_right_of_amounts_is_no_head_of_theirs() -> None:
    rows = [(f"Mole {at}", f"{at + 1}.{at}", f"{17 + at}") for at in range(10)]
    page, right = paper(), prose("Right", 28, MEASURE)
    flow(page, LEFT, 50, prose("Left", 14, MEASURE))
    flow(page, RIGHT, 50, right)
    ys = page.cells([LEFT + share for share in (0.0, 140.0, 170.0, 200.0)], 397, [("Lamp", "Oil", "Wick"), *rows], 14)
    for level in ys:
        page.rule(LEFT, level, LEFT + MEASURE, level)
    document = check(parsed(page.bytes()))
    (table,) = document.tables
    assert table.cells == (("Lamp", "Oil", "Wick"), *rows)
    assert " ".join(right) in texts(document)
