"""Code, and items whose further lines stand under their text, as printers of real papers set them."""

from __future__ import annotations

from pecia.model import BlockKind
from pecia.parsing.pdf.marks import starts_item
from tests.parsing.pdf_maker import Paper, parsed, prose
from tests.parsing.test_pdf import check, texts

LEFT, WIDE = 50.0, 300.0


def test_code_keeps_its_lines_and_insets() -> None:
    paper = Paper()
    y = paper.lines(LEFT, 60, prose("Before", 3, WIDE), width=WIDE)
    for at, (inset, line) in enumerate(((0, "for lamp in lamps:"), (4, "if lamp.lit:"), (8, "oil -= 1"), (0, "return oil"))):
        paper.text(LEFT + 10 + 4.8 * inset, y + 10 + 10 * at, line, 8, "Courier")
    paper.lines(LEFT, y + 64, prose("After", 3, WIDE), width=WIDE)
    document = check(parsed(paper.bytes()))
    (code,) = texts(document, BlockKind.CODE)
    assert code == "for lamp in lamps:\n    if lamp.lit:\n        oil -= 1\nreturn oil"


def test_an_address_in_such_letters_is_no_code_and_neither_is_a_typewritten_letter() -> None:
    paper = Paper()
    paper.lines(LEFT, 60, prose("Before", 3, WIDE), width=WIDE)
    paper.text(LEFT, 130, "{oil,gas}@lamp.example", 8, "Courier")
    assert not texts(check(parsed(paper.bytes())), BlockKind.CODE)
    paper = Paper()
    for at in range(12):
        paper.text(LEFT, 60 + 12 * at, f"Sir, line {at} of my letter; yours,", 10, "Courier")
    assert not texts(check(parsed(paper.bytes())), BlockKind.CODE)


def test_lines_under_the_text_of_an_item_belong_to_it() -> None:
    paper, expected, y = Paper(), [], 60.0
    for at in range(6):  # paragraphs whose first lines stand in as far as the text of the items
        y = paper.lines(LEFT + 10, y, [f"First{at} line of its own, the tide went out over the flat sand and"], width=WIDE - 10)
        y = paper.lines(LEFT, y, ["came back before dark the tide went out over the flat sand and came", "at last."], width=WIDE)
    for mark in ("•", "–", "*"):
        paper.text(LEFT + 2, y + 6, mark)
        lines = [
            "an item that is wrapped by the measure of its own column, and that is",
            "as long as three lines of it in ragged type",
            "are.",
        ]
        paper.lines(LEFT + 10, y + 6, lines)
        expected.append(f"{mark} {' '.join(lines)}")
        y += 36
    items = texts(check(parsed(paper.bytes())), BlockKind.LIST_ITEM)
    assert items == expected
    assert all(starts_item(f"{mark} text") for mark in "◦○▪⁃")
