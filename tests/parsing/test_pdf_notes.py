"""Notes, marks and word wraps as printers of real papers set them, each at its smallest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pecia.model import BlockKind
from pecia.parsing.pdf.assemble import Words
from tests.parsing.pdf_maker import Paper, parsed, prose
from tests.parsing.test_pdf import check, texts

LEFT, WIDE = 50.0, 300.0


def note(paper: Paper, y: float, mark: str, lines: Sequence[str], size: float, inset: float = 0.0) -> float:
    """A note whose mark is raised; its lines begin `inset` points after the left edge. The next y."""
    paper.text(LEFT, y - 0.4 * size, mark, 0.65 * size)
    at = LEFT + (inset or 0.4 * size)
    paper.lines(at, y, lines[:1], size, size * 1.2)
    return paper.lines(at if inset else LEFT, y + size * 1.2, lines[1:], size, size * 1.2) + 4


def test_a_raised_mark_belongs_to_the_note_that_it_leads_however_far() -> None:
    paper = Paper()
    paper.lines(LEFT, 60, prose("Body", 30, WIDE), width=WIDE)
    paper.rule(LEFT, 440, LEFT + 100, 440)
    y = note(paper, 456, "1", ["A note that stands far from its mark and runs over", "to a second line."], 8, inset=28)
    note(paper, y, "2", ["See the first."], 8, inset=28)
    document = check(parsed(paper.bytes()))
    assert texts(document, BlockKind.FOOTNOTE) == [
        "1 A note that stands far from its mark and runs over to a second line.",
        "2 See the first.",
    ]


def test_a_mark_on_the_line_of_the_other_column_leads_its_own() -> None:
    paper = Paper()
    paper.lines(LEFT, 60, prose("Left", 30, 140), width=140)
    paper.lines(LEFT + 160, 60, prose("Right", 26, 140), width=140)
    paper.rule(LEFT + 160, 390, LEFT + 220, 390)
    paper.text(LEFT + 161, 408.5, "1", 6)  # a point off a line on the left: 408
    paper.text(LEFT + 164.2, 412, "By oil we mean whale oil only.", 10)
    assert texts(check(parsed(paper.bytes())), BlockKind.FOOTNOTE) == ["1By oil we mean whale oil only."]


def test_notes_as_large_as_the_text_are_told_by_their_rule() -> None:
    paper = Paper()
    paper.lines(LEFT, 60, prose("Body", 20, WIDE), width=WIDE)
    paper.rule(LEFT, 326, LEFT + 80, 326)
    note(paper, 342, "3", ["Oil was dear in the year of the great storm, and", "gas was not yet laid."], 10)
    (found,) = texts(check(parsed(paper.bytes())), BlockKind.FOOTNOTE)
    assert found.startswith("3Oil was dear")


def test_where_notes_outweigh_the_text_the_text_is_still_the_body() -> None:
    paper = Paper()
    for page in range(3):
        paper.lines(LEFT, 84, prose(f"Body{page}", 5, WIDE, 12), 12, 14, width=WIDE)
        paper.rule(LEFT, 196, LEFT + 80, 196)
        y = 210.0
        for mark in range(3):
            y = note(paper, y, str(3 * page + mark + 1), prose("See", 6, WIDE - 20, 9), 9)
        paper.page()
    document = check(parsed(paper.bytes()))
    assert len(texts(document, BlockKind.FOOTNOTE)) == 9
    assert [text.split()[0] for text in texts(document, BlockKind.PARAGRAPH)] == ["Body0", "Body1", "Body2"]


def test_titles_over_little_text_are_not_its_body() -> None:
    paper = Paper()
    names = ["Lamps", "Oil", "Keepers", "Piers", "Storms"]
    for name in names:
        paper.text(LEFT, 80, name, 20, "Helvetica")
        paper.text(LEFT, 110, f"What there is to say of {name.lower()}.", 10)
        paper.page()
    assert texts(check(parsed(paper.bytes())), BlockKind.HEADING) == names


def test_a_note_that_began_on_the_page_before_goes_with_the_notes() -> None:
    paper = Paper()
    paper.lines(LEFT, 60, prose("Body", 30, WIDE), width=WIDE)
    paper.rule(LEFT, 440, LEFT + WIDE, 440)
    paper.lines(LEFT, 456, ["Adoption, and the rest of the note before."], 8)
    note(paper, 472, "8", ["See the first."], 8)
    assert texts(check(parsed(paper.bytes())), BlockKind.FOOTNOTE) == [
        "Adoption, and the rest of the note before.",
        "8See the first.",
    ]


@pytest.mark.parametrize(
    ("elsewhere", "lines", "joined"),
    [
        ("SpiderMonkey", ("Spi-", "derMonkey is"), True),
        ("TraceMonkey", ("Trace-", "Monkey is"), True),
        ("", ("Anglo-", "Saxon is"), False),
        ("run-time run-time runtime", ("run-", "time is"), False),
        ("runtime runtime run-time", ("run-", "time is"), True),
        ("", ("in high-", "dimensional space"), False),
        ("", ("in real-", "ity it is"), True),
        ("", ("the engi-", "neer is"), True),
        ("", ("http://lamp.example/engi-", "neer"), False),
    ],
)
def test_the_document_itself_says_whether_a_hyphen_is_its_own(elsewhere: str, lines: tuple[str, str], joined: bool) -> None:
    words = Words()
    words.add(elsewhere)
    assert words.broken(*lines) is joined


def test_no_space_after_a_slash_or_a_dash_at_a_line_end_and_one_after_half_a_word() -> None:
    paper = Paper()
    lines = ["Oil lamps and/", "or gas lamps of the years 1860–", "1890 were pre-", "and post-war lamps, long—", "ends."]
    paper.lines(LEFT, 60, [line.ljust(10) for line in lines], width=WIDE)
    document = check(parsed(paper.bytes()))
    assert document.text == "Oil lamps and/or gas lamps of the years 1860–1890 were pre- and post-war lamps, long—ends."
