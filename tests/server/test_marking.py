"""Text for a page: tables taken apart, also those that go on, and the lines of records."""

from pecia.server.marking import Part, header_in, parts, slots
from pecia.server.texts import Words

HEADER = ("Item", "Number")


def test_rows_of_a_table_that_goes_on_stand_under_the_header_that_is_lent() -> None:
    label, text = "| Item | Number |\n| --- | --- |", "| pump | 4 |\n| boom | 41 |\n\nNote: of June.\n"
    assert header_in(label) == HEADER
    assert header_in("Part 1 | of 2") == header_in("| a |") == ()
    rows = (("pump", "4"), ("boom", "41"))
    assert parts(text, HEADER) == [Part(rows=rows, header=HEADER, lent=True), Part("Note: of June.")]
    assert parts(text) == [Part(rows=rows), Part("Note: of June.")]
    assert parts(f"{label}\n{text}", ("other",)) == [Part(rows=rows, header=HEADER), Part("Note: of June.")]


def test_one_line_with_bars_is_text() -> None:
    assert parts("| so it is said |\nand no more\n") == [Part("| so it is said |\nand no more")]
    assert parts("Before.\n| a | b |\n| - | - |\n") == [Part("Before."), Part(header=("a", "b"))]


def test_a_value_of_several_lines_stays_one() -> None:
    assert slots("Name: De Wael\nNote: open\non Monday\nSite: https://a.example: 80\n") == [
        ("Name", "De Wael"),
        ("Note", "open\non Monday"),
        ("Site", "https://a.example: 80"),
    ]
    assert slots("no slot") == [("", "no slot")]


def test_places_and_counts_are_told_in_each_language() -> None:
    assert Words("zh-Hant").place("lines 3–4") == "第 3–4 行"
    assert Words("vi").place("line 3") == "dòng 3"
    assert Words("en").place("paragraphs 3–4 (about page 2)") == "paragraphs 3–4 (about page 2)"
    assert Words("vi").place("/html/body") == "/html/body"
    assert [Words("en").counted("document.count", count) for count in (1, 1200)] == ["1 chunk", "1,200 chunks"]
