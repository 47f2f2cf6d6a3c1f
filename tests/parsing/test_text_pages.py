"""Feet of pages in text files, and tables of figures: taken out or written as pipe tables where that is sure, else left."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia.model import BlockKind, Document, LineRange, Source, Span
from pecia.parsing.columns import tables
from pecia.parsing.page_lines import page_lines
from pecia.parsing.text import parse_text
from pecia.protocols import ParseOptions

BODY = "The drainage works will be completed by the end of the year and the residents\nwill be told in writing.\n"
HAN = "環境影響評估報告指出，落實緩解措施後，剩餘影響屬可接\n受水平。居民可透過熱線提出意見。\n"


def parse(text: str) -> Document:
    data = text.encode()
    return next(parse_text(data, Source("file:///a", "a.txt", "text/plain", hashlib.sha256(data).hexdigest()), ParseOptions()))


def paper(foot: str, pages: int = 4, body: str = BODY * 6, split: str = "") -> str:
    """Pages with a foot each; `{}` is its number. The first line of the next page goes on with the last of this one."""
    text = (
        "Street works {} will go on until the end of the winter, and after that\n"
        + body
        + "The new road {} is paid for by the end of the year and the residents"
    )
    lead = "of village {} were told so.\n"
    bodies = [lead.format(number * 7) + text.format(number * 13, number * 31) for number in range(1, pages + 1)]
    return "".join(f"{body}\n{split}{foot.format(number)}\n{split}" for number, body in enumerate(bodies, 1))


@pytest.mark.parametrize(
    "foot",
    [
        "B-{}\n2025-04-02",
        "2 April 2025\nK-{}",
        "M/{}\n(2.4.2025)",
        "第{}頁",
        "- {} -",
        "Page {} of 4",
        "L-{}  2025-06-11",
        "Ｅ－{}\n2025年4月2日",
        "{}\f",
    ],
)
@pytest.mark.parametrize("split", ["", "\n"])
def test_feet_are_outside_the_text_and_sentences_run_over_them(foot: str, split: str) -> None:
    text = paper(foot, split=split)
    document = parse(text)
    assert len(document.furniture) == 4 * len(foot.split("\n")), document.text
    assert document.ledger().missing == 0
    assert "year and the residents\nof village 14 were" in document.text
    assert not any(line in document.text.split("\n") for line in foot.format(2).split("\n"))
    assert "\n\n" not in document.text.strip()


@pytest.mark.parametrize(("foot", "numbers"), [
    ("B-{}\n2025-04-02", [1, 2, 2, 4]), ("B-{}\n2025-04-02", [1, 3, 4, 6]), ("2 April 2025\nK-{}", [4, 5, 8]),
    ("L-{}  2025-06-11", [1, 2, 4]), ("{}\f", [2, 3, 3, 5]), ("第{}頁\n2025年4月2日", [1, 3]),
])  # fmt: skip
def test_a_foot_may_skip_or_repeat_a_number_where_a_date_or_a_form_feed_proves_it(foot: str, numbers: list[int]) -> None:
    pages = paper("\0{}\0", pages=len(numbers)).split("\0")[::2]
    document = parse("".join(f"{page.lstrip()}{foot.format(number)}\n" for page, number in zip(pages, numbers, strict=False)))
    assert len(document.furniture) == len(numbers) * len(foot.split("\n")), document.text
    assert document.ledger().missing == 0


@pytest.mark.parametrize("numbers", [[3, 4, 6, 7], [1, 1, 2, 3], [2021, 2022, 2024]])
def test_a_number_that_skips_or_repeats_counts_no_pages_by_itself(numbers: list[int]) -> None:
    for line in ("{}", "B-{}", "{} March 2025", "A 2025-03-{}")[: 2 if numbers[0] > 31 else 4]:
        text = "".join(f"{BODY * 6}{line.format(number)}\n" for number in numbers)
        assert parse(text).text == text, line


def test_the_days_of_a_diary_count_no_pages() -> None:
    text = "".join(f"{day} March 2025\n{BODY * 6}" for day in range(1, 9))
    assert parse(text).text == text


def test_a_place_behind_a_foot_is_that_of_its_line_in_the_file() -> None:
    text = paper("B-{}\n2025-04-02")
    document = parse(text)
    lines = text.split("\n")
    for at, letter in enumerate(document.text):
        if not letter.isspace() and at % 7 == 0:
            place = document.locate(Span(at, at + 1)).locators[0]
            assert isinstance(place, LineRange)
            assert letter in lines[place.line_start - 1]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"Q{number}\n{BODY}A{number}\n{BODY * 5}" for number in range(1, 6)),
        "".join(f"問 A{number}：何時？\n答 A{number}：{HAN}{HAN * 4}2025-04-02\n" for number in range(1, 6)),
        "".join(f"{number}.\n{BODY * 6}" for number in range(1, 6)),
        "".join(f"Reply Serial No.\n{number:03}\n{BODY * 6}" for number in range(1, 6)),
        "".join(f"Chapter {number}\n{BODY * 6}" for number in range(1, 6)),
        "".join(f"A-{number}\n" for number in range(1, 30)),
        "".join(f"{number}\n" for number in range(1, 30)),
        "".join(f"{HAN}附件{number}\n{HAN * 6}" for number in range(1, 6)),
        "".join(f"{BODY * 6}B-{number}\n" for number in (3, 1, 7, 2)),
        BODY * 6 + "B-1\n2025-04-02\n",
    ],
)
def test_what_counts_other_things_than_pages_stays(text: str) -> None:
    assert not parse(text).furniture
    assert parse(text).text == text


@given(
    st.lists(
        st.sampled_from(
            ["B-1", "B-2", "B-3", "2025-04-02", "", "a b c d e f g", "1", "2", "x   1   2", "y   3   4", "z   5   6|"]
        ),
        max_size=60,
    )
)
def test_nothing_is_lost_whatever_the_lines(lines: list[str]) -> None:
    document = parse("\n".join(lines))
    assert document.ledger().missing == 0
    held = "".join("".join(block.span.of(document.text).split()) for block in document.blocks)
    assert held == "".join(document.text.split())
    for block in document.blocks:
        place = document.locate(block.span).locators[0]
        assert isinstance(place, LineRange)
        assert 1 <= place.line_start <= place.line_end <= max(1, len(lines))
    seen = [number for first, after in page_lines(lines).runs(lines) for number in range(first, after)]
    assert len(seen) == len(set(seen))


def test_a_table_of_figures_is_a_pipe_table_and_its_places_are_its_lines() -> None:
    document = parse("Text.\nUse   Before (ha)   After (ha)\nHousing   3.6   21.6\nRoads | paths   18.4   47.0\nText.\n")
    (table,) = document.tables
    assert table.cells[2] == ("Roads | paths", "18.4", "47.0")
    assert table.header_rows == 1
    assert document.text == (
        "Text.\n| Use | Before (ha) | After (ha) |\n| --- | --- | --- |\n"
        "| Housing | 3.6 | 21.6 |\n| Roads \\| paths | 18.4 | 47.0 |\nText.\n"
    )
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.PARAGRAPH]
    row = document.text.index("| Housing")
    assert document.locate(Span(row, row + 9)).locators == (LineRange(3, 3),)
    assert document.locate(table.span).locators == (LineRange(2, 4),)
    assert document.ledger().missing == 0
    assert document.ledger().cells > 0


@pytest.mark.parametrize(
    "text",
    [
        "Purpose      L-2\nRates      L-3\nGraves      L-9\n",
        (
            "left column of prose      right column of prose\nwhich goes on and on      beside it and ends\n"
            "in the third line      too\n"
        ),
        "one   1\ntwo   2\n",
        "Minutes.   We met.   All agreed.\nThen   we   left.\nSo   it   went.\n",
    ],
)
def test_what_may_be_no_table_stays_text(text: str) -> None:
    assert not list(tables(text.split("\n")))
    assert parse(text).text == text
