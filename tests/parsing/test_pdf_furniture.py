"""Heads and feet that do not stand where those of the other pages do."""

from __future__ import annotations

from pecia.model import Document
from pecia.parsing.pdf.findings import CODES
from tests.parsing.pdf_maker import Paper, parsed, prose
from tests.parsing.test_pdf import check

LEFT, WIDE = 50.0, 300.0


def furniture(document: Document) -> list[str]:
    return [item.text for item in document.furniture]


def test_feet_that_follow_the_text_are_furniture_at_any_height() -> None:
    for foot in ("{}", "Lamp Co. | Report of 1890 | {}"):
        paper = Paper()
        for page, count in enumerate((30, 5, 18, 9, 26)):
            y = paper.lines(LEFT, 60, prose(f"Page{page}", count, WIDE), width=WIDE)
            paper.text(200, y + 40, foot.format(page + 7))
            paper.page()
        document = check(parsed(paper.bytes()))
        assert [page.label for page in document.pages] == ["7", "8", "9", "10", "11"]
        assert furniture(document) == [foot.format(page + 7) for page in range(5)]


def test_a_last_line_of_text_with_a_number_stays() -> None:
    paper = Paper()
    for page in range(4):
        y = paper.lines(LEFT, 60, prose(f"Page{page}", 5 + page, WIDE), width=WIDE)
        paper.text(LEFT, y + 40, f"So it was in the year {1890 + 3 * page}.")
        paper.page()
    assert not check(parsed(paper.bytes())).furniture


def test_the_first_page_sets_the_parts_of_the_running_head_in_a_place_of_their_own() -> None:
    paper = Paper()
    paper.text(250, 40, "Journal of Lamps", 8)
    paper.text(250, 54, "Vol. 85, No. 152", 8)
    paper.lines(LEFT, 100, prose("Body", 20, WIDE), width=WIDE)
    for page in range(4):
        paper.page()
        paper.text(120, 40, "Journal of Lamps / Vol. 85, No. 152 / Letters", 8)
        paper.lines(LEFT, 80, prose(f"Page{page}", 20, WIDE), width=WIDE)
    document = check(parsed(paper.bytes()))
    assert furniture(document)[:2] == ["Journal of Lamps", "Vol. 85, No. 152"]
    assert "Vol. 85" not in document.text


def test_a_lone_page_has_a_folio_only_where_it_says_so() -> None:
    for foot, found in (("Page 1 of 1", ["Page 1 of 1"]), ("12", []), ("(1)", [])):
        paper = Paper()
        paper.lines(LEFT, 60, prose("Body", 20, WIDE), width=WIDE)
        paper.text(200, 570, foot)
        assert furniture(check(parsed(paper.bytes()))) == found


def test_pages_with_much_furniture_are_named() -> None:
    paper = Paper()
    for page, count in enumerate((30, 30, 1, 1, 30)):
        paper.text(LEFT, 30, "A running head that is as long as the line of text under it", 8)
        paper.lines(LEFT, 80, prose(f"Page{page}", count, WIDE), width=WIDE)
        paper.page()
    (finding,) = check(parsed(paper.bytes())).findings
    assert finding.rule == "PDF101"
    assert "PDF pages 3, 4" in finding.message
    assert "Why: " in CODES["PDF101"][1]
    assert "Example: " in CODES["PDF101"][1]
