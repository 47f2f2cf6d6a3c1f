"""DOCX: the body in order, numbers as shown, notes, tables, tracked changes; nothing lost, nothing twice."""

from __future__ import annotations

import io
import time
import unicodedata

import docx as python_docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia import pipeline
from pecia.errors import BrokenError, EncryptedError, LimitError, UnsupportedError
from pecia.model import BlockKind, Document, Paragraph, Span, locator_from_json
from pecia.model.citation import described
from pecia.parsing.docx import package
from pecia.parsing.docx.numerals import raised
from pecia.parsing.docx.numerals import shown as numeral
from pecia.text.tables import to_markdown
from tests.parsing.docx_maker import (
    RELATIONS,
    cell,
    docx,
    level,
    list_style,
    listed,
    numbering,
    packed,
    paragraph,
    parse,
    read,
    relationships,
    row,
    run,
    shown,
    table,
)


def kinds(document: Document) -> list[tuple[str, int | None]]:
    return [(block.kind.value, block.level) for block in document.blocks]


def dropped(document: Document) -> dict[str, int]:
    return {item.reason: item.size for item in document.dropped}


def source_of(data: bytes, document: Document, text: str) -> list[tuple[int, int]]:
    """The source ranges of the first place where the text stands."""
    at = document.text.index(text)
    return [(span.start, span.end) for span in document.alignment.to_source(Span(at, at + len(text)))]


# Order and places


def test_paragraphs_and_tables_stand_in_body_order_with_their_index() -> None:
    document = read(paragraph("One") + paragraph("") + table(row("a", "b"), row("c", "d")) + paragraph("Two"))
    assert shown(document) == ["One", "| a | b |\n| --- | --- |\n| c | d |", "Two"]
    assert [block.places for block in document.blocks] == [(Paragraph(0),), (Paragraph(2),), (Paragraph(3),)]
    assert document.tables[0].locators == (Paragraph(2),)


def test_a_paragraph_never_cites_a_page() -> None:
    document = read(paragraph("Only this."))
    location = document.locate(Span(0, 4))
    assert location.pages == ()
    assert location.page_range is location.printed_range is None
    assert location.locators == (Paragraph(0),)


def test_pages_as_last_rendered_stand_beside_the_paragraph() -> None:
    turn = "<w:r><w:lastRenderedPageBreak/><w:t>Over.</w:t></w:r>"
    document = read(
        paragraph("One")
        + paragraph("", turn)
        + table(row("a", "b"), row("c", "d"))
        + paragraph("Begun. ", turn)
        + paragraph("Last")
    )
    assert [block.places[0] for block in document.blocks] == [
        Paragraph(0, 0), Paragraph(1, 1), Paragraph(2, 1), Paragraph(3, 1), Paragraph(4, 2),
    ]  # fmt: skip
    assert document.pages == ()
    assert described([Paragraph(4, 2)]) == "paragraph 5 (about page 3)"
    assert locator_from_json(Paragraph(4, 2).to_json()) == Paragraph(4, 2)
    assert Paragraph(4).to_json() == {"kind": "paragraph", "index": 4}


def test_content_controls_are_looked_into_and_counted() -> None:
    document = read(f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph('In')}</w:sdtContent></w:sdt>{paragraph('After')}")
    assert [(text, block.places[0]) for text, block in zip(shown(document), document.blocks, strict=True)] == [
        ("In", Paragraph(0)),
        ("After", Paragraph(1)),
    ]


def test_a_document_made_by_python_docx_reads_the_same() -> None:
    made = python_docx.Document()
    made.add_heading("Tides", 1)
    made.add_paragraph("Water comes.")
    made.add_paragraph("and goes", style="List Bullet")
    made.add_paragraph("first", style="List Number")
    grid = made.add_table(2, 3)
    for at, found in enumerate(grid._cells):
        found.text = f"c{at}"
    grid.cell(0, 0).merge(grid.cell(0, 1)).text = "wide"
    made.sections[0].header.paragraphs[0].text = "Head"
    buffer = io.BytesIO()
    made.save(buffer)
    document = parse(buffer.getvalue())
    assert kinds(document) == [("heading", 1), ("paragraph", None), ("list_item", 1), ("list_item", 1), ("table", None)]
    assert shown(document)[:4] == ["Tides", "Water comes.", "and goes", "1. first"]
    assert document.tables[0].cells == (("wide", "wide", "c2"), ("c3", "c4", "c5"))
    assert [(item.kind, item.text, item.size) for item in document.furniture] == [("header", "Head", 4)]


# Headings


def test_levels_come_from_outline_levels_and_styles_whatever_their_ids() -> None:
    document = read(
        paragraph("T", style="Titel")
        + paragraph("A", style="Kop1")
        + paragraph("B", style="Mijn")
        + paragraph("C", properties='<w:outlineLvl w:val="4"/>')
        + paragraph("D", style="Geen")
        + paragraph("E", style="Rond")
        + paragraph("F", style="Heading3")
    )
    assert kinds(document) == [
        ("heading", 1), ("heading", 1), ("heading", 2), ("heading", 5), ("paragraph", None), ("paragraph", None), ("heading", 3),
    ]  # fmt: skip


def test_without_styles_the_id_says_the_level() -> None:
    document = parse(docx(paragraph("F", style="Heading3"), styles=""))
    assert kinds(document) == [("heading", 3)]


def test_numbers_give_levels_where_the_styles_give_all_headings_one() -> None:
    parts = numbering(level(0, "%1") + level(1, "%1.%2"))
    document = read(listed("A", 1, 0, "Kop1") + listed("B", 1, 1, "Kop1") + paragraph("End", style="Kop1"), numbering=parts)
    assert shown(document) == ["1 A", "1.1 B", "End"]
    assert [found for _, found in kinds(document)] == [1, 2, 1]


# Numbers


def test_numbers_stand_as_word_shows_them_and_have_no_source() -> None:
    parts = numbering(level(0, "%1.") + level(1, "%1.%2") + level(2, "(%3)", "lowerLetter") + level(3, "%4.", "lowerRoman"))
    levels = [0, 1, 1, 2, 2, 3, 0, 1, 2]
    body = "".join(listed(f"x{at}", 1, found) for at, found in enumerate(levels))
    data = docx(body, numbering=parts)
    document = parse(data)
    labels = [text.split(" ")[0] for text in shown(document)]
    assert labels == ["1.", "1.1", "1.2", "(a)", "(b)", "i.", "2.", "2.1", "(a)"]
    assert kinds(document)[3] == ("list_item", 3)
    assert "\n\n" not in document.text
    assert source_of(data, document, "1. x0") == [(0, 2)]


@pytest.mark.parametrize("text", ["", "%1", "%1."])
def test_a_number_of_format_none_is_not_shown(text: str) -> None:
    document = read(listed("A", 1, 0, "Kop1"), numbering=numbering(level(0, text, "none")))
    assert shown(document) == ["A"]


def test_a_bullet_makes_a_list_item_and_adds_nothing() -> None:
    document = read(listed("A", 1), numbering=numbering(level(0, "\uf0b7", "bullet")))
    assert shown(document) == ["A"]
    assert kinds(document) == [("list_item", 1)]


def test_a_second_list_of_the_same_definition_goes_on_unless_told_to_start_again() -> None:
    again = (
        '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
        "</w:num>"
    )
    body = listed("a", 1) + listed("b", 2) + listed("c", 3) + listed("d", 3) + listed("e", 1)
    document = read(body, numbering=numbering(level(0, "%1."), numbers=again))
    assert shown(document) == ["1. a", "2. b", "5. c", "6. d", "7. e"]


def test_number_zero_takes_a_paragraph_out_of_the_list_of_its_style() -> None:
    styles = list_style("L")
    document = parse(
        docx(paragraph("in", style="L") + listed("out", 0, 0, "L"), styles=styles, numbering=numbering(level(0, "§%1")))
    )
    assert shown(document) == ["§1 in", "out"]
    assert kinds(document)[1] == ("paragraph", None)


def test_the_style_that_a_level_names_chooses_the_level() -> None:
    styles = list_style("L2")
    parts = numbering(level(0, "%1.") + level(1, "%1.%2", more='<w:pStyle w:val="L2"/>'))
    assert shown(parse(docx(listed("a", 1) + paragraph("b", style="L2"), styles=styles, numbering=parts))) == ["1. a", "1.1 b"]


def test_a_style_may_state_its_level_and_take_the_list_from_the_one_it_is_based_on() -> None:
    styles = list_style("H1") + (
        '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="H2"/><w:basedOn w:val="H1"/>'
        '<w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>'
    )
    body = paragraph("a", style="H1") + paragraph("b", style="H2") + paragraph("c", style="H2") + paragraph("d", style="H1")
    expected = ["1 a", "1.1 b", "1.2 c", "2 d"]
    named = [f'<w:pStyle w:val="{key}"/>' for key in ("H1", "H2")]
    for first, second in (("", ""), (named[0], ""), tuple(named)):
        parts = numbering(level(0, "%1", more=first) + level(1, "%1.%2", more=second))
        assert shown(parse(docx(body, styles=styles, numbering=parts))) == expected


def test_a_level_of_bullets_is_nothing_inside_of_a_number() -> None:
    parts = numbering(level(0, "%1.") + level(1, "%1.%2.") + level(2, "—", "bullet") + level(3, "%1.%2.%3%4."))
    body = "".join(listed(str(at), 1, at) for at in (0, 1, 3, 3, 1, 3))
    assert [text.split(" ")[0] for text in shown(read(body, numbering=parts))] == [
        "1.", "1.1.", "1.1.1.", "1.1.2.", "1.2.", "1.2.1.",
    ]  # fmt: skip


def test_legal_numbering_and_hidden_numbers() -> None:
    parts = numbering(
        level(0, "Article %1", "upperRoman") + level(1, "%1.%2", more="<w:isLgl/>"),
        level(0, "%1.", more="").replace("</w:lvl>", "<w:rPr><w:vanish/></w:rPr></w:lvl>"),
    )
    assert shown(read(listed("a", 1) + listed("b", 1, 1) + listed("c", 2), numbering=parts)) == ["Article I a", "1.1 b", "c"]


@pytest.mark.parametrize(
    ("value", "number_format", "expected"),
    [
        (4, "lowerRoman", "iv"), (1994, "upperRoman", "MCMXCIV"), (28, "lowerLetter", "bb"), (10**9, "lowerLetter", "1000000000"),
        (7, "decimalZero", "07"), (12, "chineseCounting", "十二"), (105, "taiwaneseCountingThousand", "一百零五"),
        (20, "japaneseCounting", "二十"), (2, "ideographTraditional", "乙"), (10, "chineseLegalSimplified", "壹拾"),
        (3, "decimalEnclosedCircle", "③"), (22, "ordinal", "22nd"), (5, "none", ""), (5, "noSuchFormat", "5"),
    ],
)  # fmt: skip
def test_numerals(value: int, number_format: str, expected: str) -> None:
    assert numeral(value, number_format) == expected


# Characters


SYMBOLS = (("Wingdings", "F0FC"), ("Symbol", "F061"), ("Odd", "F001"))


def test_tabs_line_ends_hyphens_and_symbols() -> None:
    document = read(
        paragraph(
            "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>",
            "<w:r><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:t>e</w:t></w:r>",
            *(f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>' for font, code in SYMBOLS),
            "s\u00adt",
            run("\uf0b3", '<w:rFonts w:ascii="Symbol"/>'),
            run("\uf0b3", '<w:rFonts w:ascii="HKSCS"/>'),
        )
    )
    assert shown(document) == ["a\tb\nc\u2011de✓α\ufffdst≥\uf0b3"]
    assert dropped(document) == {"soft hyphen": 2, "symbol without a Unicode character": 1}


def test_text_is_composed_also_over_runs_and_points_back() -> None:
    data = docx(paragraph(run("Vie"), run("\u0323\u0302t nam")))
    document = parse(data)
    assert document.text == "Việt nam"
    assert source_of(data, document, "ệ") == [(2, 5)]
    assert source_of(data, document, "nam") == [(7, 10)]


def test_an_accent_behind_a_deleted_letter_still_balances() -> None:
    document = read(paragraph(run("e"), "<w:del><w:r><w:delText>x</w:delText></w:r></w:del>", run("\u0301a")))
    assert document.text == "éa"


def test_the_guide_above_characters_is_left_out() -> None:
    ruby = f"<w:r><w:ruby><w:rubyPr/><w:rt>{run('とう')}</w:rt><w:rubyBase>{run('東')}</w:rubyBase></w:ruby></w:r>"
    document = read(paragraph(ruby))
    assert document.text == "東"
    assert dropped(document) == {"phonetic guide above the characters": 2}


def test_a_formula_is_read_in_a_line() -> None:
    fraction = "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2c</m:t></m:r></m:den></m:f>"
    power = "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    document = read(paragraph(f"<m:oMathPara><m:oMath>{power}<m:r><m:t>=</m:t></m:r>{fraction}</m:oMath></m:oMathPara>"))
    assert shown(document) == ["x^2=(a+b)/(2c)"]
    assert kinds(document) == [("formula", None)]


def test_a_formula_without_a_paragraph_is_read_and_takes_no_index() -> None:
    loose = "<m:oMathPara><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></m:oMathPara>"
    document = read(paragraph("a") + loose + paragraph("b"))
    assert shown(document) == ["a", "x=1", "b"]
    assert [block.places[0] for block in document.blocks] == [Paragraph(0), Paragraph(0), Paragraph(1)]


# What is not shown


def test_of_tracked_changes_the_final_text_stands() -> None:
    document = read(
        paragraph(
            "dose ",
            "<w:del><w:r><w:delText>5</w:delText></w:r></w:del>",
            f"<w:ins>{run('10')}</w:ins>",
            f"<w:moveFrom>{run(' gone')}</w:moveFrom><w:moveTo>{run(' mg')}</w:moveTo>",
        )
        + table(row("a", "b"), row("old", "row", properties="<w:del/>"), row("c", "d"))
    )
    assert shown(document)[0] == "dose 10 mg"
    assert document.tables[0].cells == (("a", "b"), ("c", "d"))
    assert dropped(document) == {"deleted by a tracked change": 5 + 6}


def test_a_deleted_paragraph_mark_joins_two_paragraphs_and_takes_no_number() -> None:
    mark = "<w:rPr><w:del/></w:rPr>"
    parts = numbering(level(0, "%1."))
    reference = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    document = read(
        listed("a", 1) + paragraph("b", properties=reference + mark) + listed("c", 1) + paragraph("last", properties=mark),
        numbering=parts,
    )
    assert shown(document) == ["1. a", "2. bc", "last"]
    assert document.blocks[1].places == (Paragraph(1), Paragraph(2))


def field(code: str, result: str) -> str:
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{code}</w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{result}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def test_of_fields_the_result_stands_and_not_the_code() -> None:
    nested = field(f"I</w:instrText></w:r>{field('MERGEFIELD', run('never'))}<w:r><w:instrText>F", run("kept"))
    document = read(
        paragraph("p. ", field("PAGE", run("7")), " ", nested, f'<w:fldSimple w:instr="DATE">{run(" now")}</w:fldSimple>')
    )
    assert document.text == "p. 7 kept now"
    assert dropped(document) == {"field code": 4 + 10 + 5 + 2}


def test_a_field_that_never_ends_does_not_swallow_the_rest() -> None:
    document = read(paragraph('<w:r><w:fldChar w:fldCharType="begin"/></w:r>', "rest") + paragraph("more"))
    assert shown(document) == ["rest", "more"]


@pytest.mark.parametrize(
    ("checked", "sign"), [("<w:checked/>", "☒"), ('<w:checked w:val="0"/>', "☐"), ('<w:default w:val="1"/>', "☒")]
)
def test_a_form_box_shows_its_state(checked: str, sign: str) -> None:
    box = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>{checked}</w:checkBox></w:ffData></w:fldChar></w:r>'
    assert read(paragraph(box, '<w:r><w:fldChar w:fldCharType="end"/></w:r>', " yes")).text == f"{sign} yes"


def test_hidden_text_is_dropped_by_run_style_and_inherited_style() -> None:
    document = read(
        paragraph(
            run("a"), run("bb", "<w:vanish/>"), run("cc", '<w:rStyle w:val="Verborgen"/>'), run("d", '<w:vanish w:val="0"/>')
        )
    )
    assert document.text == "ad"
    assert dropped(document) == {"hidden text": 4}


def test_comments_are_dropped_with_a_reason() -> None:
    document = read(
        paragraph("a", '<w:r><w:commentReference w:id="0"/></w:r>'), comments=f'<w:comment w:id="0">{paragraph("no")}</w:comment>'
    )
    assert document.text == "a"
    assert dropped(document) == {"comment": 2}


# Notes


NOTES = "".join(
    f'<w:footnote w:id="{key}">{paragraph(text)}</w:footnote>' for key, text in ((1, "First."), (2, "Second."), (9, "Lost."))
)


def reference(key: int, kind: str = "footnote", more: str = "") -> str:
    return f'<w:r><w:{kind}Reference w:id="{key}" {more}/></w:r>'


def test_notes_follow_the_body_with_their_marks_at_the_place_that_refers_to_them() -> None:
    document = read(
        paragraph("Intro") + paragraph("Dose", reference(2), " and", reference(1), reference(7, "endnote"), " end", reference(2)),
        footnotes=NOTES,
        endnotes=f'<w:endnote w:id="7">{paragraph("Last")}{paragraph("words.")}</w:endnote>',
    )
    assert shown(document) == ["Intro", "Dose¹ and²ⁱ end¹", "¹ Second.", "² First.", "ⁱ Last\nwords."]
    assert [block.places for block in document.blocks if block.kind is BlockKind.FOOTNOTE] == [(Paragraph(1),)] * 3
    assert dropped(document) == {"note that nothing refers to": 5}


def test_settings_and_own_signs_govern_the_marks() -> None:
    document = read(
        paragraph("a", reference(1), "b", reference(2, more='w:customMarkFollows="1"'), "*"),
        footnotes=NOTES,
        settings='<w:footnotePr><w:numFmt w:val="lowerLetter"/><w:numStart w:val="3"/></w:footnotePr>',
    )
    assert shown(document) == ["aᶜb*", "ᶜ First.", "Second."]


def test_numbers_may_begin_again_in_each_section() -> None:
    section = '<w:sectPr><w:footnotePr><w:numRestart w:val="eachSect"/></w:footnotePr></w:sectPr>'
    document = read(
        paragraph("a", reference(1), properties="<w:sectPr/>") + paragraph("b", reference(2)) + section, footnotes=NOTES
    )
    assert shown(document)[:2] == ["a¹", "b¹"]


def test_marks_are_raised_where_there_is_a_sign() -> None:
    assert raised("12") == "¹²"
    assert raised("†甲") == "†甲"


# Text boxes


def test_a_text_box_stands_once_after_the_paragraph_that_anchors_it() -> None:
    content = f"<w:txbxContent>{paragraph('In the box')}</w:txbxContent>"
    new, old = f"<wps:txbx>{content}</wps:txbx>", f"<w:pict>{content}</w:pict>"
    branches = f'<mc:Choice Requires="wps">{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback>'
    box = f"<w:r><mc:AlternateContent>{branches}</mc:AlternateContent></w:r>"
    document = read(paragraph("Anchor", box, " on") + paragraph("After"))
    assert shown(document) == ["Anchor on", "In the box", "After"]
    assert [block.places[0] for block in document.blocks] == [Paragraph(0), Paragraph(0), Paragraph(1)]
    assert dropped(document) == {"second copy for older programs (mc:AlternateContent)": 8}


def test_many_text_boxes_of_one_paragraph_cost_what_they_hold() -> None:
    """0.3 s; each box looked through all of them, 20 s for these."""
    boxes = "".join(
        f"<w:r><wps:txbx><w:txbxContent>{paragraph(f'Box {at}')}</w:txbxContent></wps:txbx></w:r>" for at in range(2000)
    )
    started = time.process_time()
    document = read(f"<w:p>{boxes}<w:r><w:t>Anchor</w:t></w:r></w:p>")
    assert shown(document)[:2] == ["Anchor", "Box 0"]
    assert len(document.blocks) == 2001
    assert time.process_time() - started < 4


# Tables


def test_merged_cells_repeat_their_value_and_stand_once_in_the_source() -> None:
    down, on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = table(
        row(cell("Wide", properties='<w:gridSpan w:val="2"/>'), "C"),
        row(cell("Tall", properties=down), "1", "2"),
        row(cell("covered", properties=on), "3", "4"),
    )
    data = docx(body)
    document = parse(data)
    (found,) = document.tables
    assert found.cells == (("Wide", "Wide", "C"), ("Tall", "1", "2"), ("Tall", "3", "4"))
    assert found.span.of(document.text) == to_markdown(found) == document.text
    assert dropped(document) == {"in a cell that a merged one covers": 7}
    assert document.ledger().cells == len("WideCTall1234")
    assert source_of(data, document, "Wide | Wide") == [(0, 4)]


def test_a_column_in_which_no_cell_begins_is_none() -> None:
    wide = '<w:gridSpan w:val="2"/>'
    document = read(table(row(cell("A", properties=wide), "B"), row(cell("1", properties=wide), "2")))
    assert document.tables[0].cells == (("A", "B"), ("1", "2"))


def test_pipes_lines_and_spaces_in_cells_keep_the_row_on_a_line() -> None:
    document = read(table(row("a|b", cell("two", "  lines ")), row("c", "")))
    (found,) = document.tables
    assert found.cells == (("a|b", "two\nlines"), ("c", ""))
    assert document.text == to_markdown(found) == "| a\\|b | two lines |\n| --- | --- |\n| c |  |"


def test_header_rows_are_those_marked_else_what_looks_like_one() -> None:
    marked = table(row("a", "b", properties="<w:tblHeader/>"), row("c", "d", properties="<w:tblHeader/>"), row("1", "2"))
    years = table(row("", "2019", "2020"), row("x", "1", "2"))
    numbers = table(row("1", "2"), row("3", "4"))
    form = table(row("Name:", "Anna"), row("Born:", "1950"))
    document = read(paragraph("x").join((marked, years, numbers, form)))
    assert [found.header_rows for found in document.tables] == [2, 1, 0, 0]
    assert all(found.span.of(document.text) == to_markdown(found) for found in document.tables)


def test_a_caption_belongs_to_its_neighbour() -> None:
    rows = (row("a", "b"), row("1", "2"))
    caption = paragraph("Table 1: Doses", style="Bijschrift")
    document = read(
        caption + table(*rows) + paragraph("x") + table(*rows) + paragraph("Below", style="Bijschrift") + paragraph("y")
    )
    assert [found.caption for found in document.tables] == ["Table 1: Doses", "Below"]


def test_a_nested_table_is_flattened_and_a_frame_is_not_a_table() -> None:
    inner = table(row("a", "b"), row("c", "d"))
    document = read(
        table(row(cell("before", inner), "x"), row("y", "z")) + table(row(cell(paragraph("Head", style="Kop1"), "Text")))
    )
    assert document.tables[0].cells[0][0] == "before\na · b; c · d"
    assert shown(document)[1:] == ["Head", "Text"]
    assert kinds(document)[1:] == [("heading", 1), ("paragraph", None)]
    assert {block.places for block in document.blocks[1:]} == {(Paragraph(1),)}


def test_an_empty_table_is_no_block() -> None:
    assert shown(read(table(row("", ""), row("", "")) + paragraph("x"))) == ["x"]


def test_merged_cells_cannot_be_made_a_bomb() -> None:
    wide = cell("x" * 100_000, properties='<w:gridSpan w:val="63"/>')
    with pytest.raises(LimitError, match="merged cells"):
        read(table(row(wide), row(*["y"] * 63)))


# Furniture


def test_headers_and_footers_are_furniture_each_text_once() -> None:
    document = read(paragraph("x"), header1=paragraph("Head"), header2=paragraph("Head"), footer1=paragraph("Foot ", "9"))
    assert [(item.kind, item.text, item.size, item.locators) for item in document.furniture] == [
        ("header", "Head", 8, ()), ("footer", "Foot 9", 5, ()),
    ]  # fmt: skip
    assert document.text == "x"


# Bad input


def test_encrypted_old_and_broken_files_say_so() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
    whole = docx(paragraph("x"))
    for data, error, words in (
        (ole + "EncryptedPackage".encode("utf-16-le"), EncryptedError, "password"),
        (ole, UnsupportedError, "old Office"),
        (b"", BrokenError, "zip"),
        (whole[:-100], BrokenError, "zip"),
        (packed({"a.txt": "x"}), BrokenError, "no main document"),
        (packed({"word/document.xml": "<a><b></a>"}), BrokenError, "not XML"),
        (packed({"word/document.xml": "<a/>"}), BrokenError, "not a Word document"),
    ):
        with pytest.raises(error, match=words):
            parse(data)


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY f SYSTEM "file:///etc/hostname">]><a>&x;&f;</a>'
    with pytest.raises(BrokenError, match="document type"):
        parse(docx("", raw={"word/document.xml": bomb}))
    with pytest.raises(BrokenError, match="document type"):
        parse(docx(paragraph("x"), raw={"word/styles.xml": bomb}))


def declaring(data: bytes, size: int) -> bytes:
    """The package whose directory says of its first entry that it unpacks to so many bytes."""
    at = data.index(b"PK\x01\x02") + 24
    return data[:at] + size.to_bytes(4, "little") + data[at + 4 :]


def test_zip_bombs_are_refused() -> None:
    with pytest.raises(LimitError, match="zip bomb"):
        parse(packed({"word/document.xml": b"<a>" + b" " * (20 << 20) + b"</a>"}))
    with pytest.raises(LimitError, match="unpacks to"):
        parse(declaring(docx(paragraph("x")), package.TOTAL_BYTES + 1))
    with pytest.raises(LimitError, match="entries"):
        parse(docx(paragraph("x"), raw={f"a{number}": "" for number in range(package.ENTRIES)}))


@pytest.mark.parametrize("depth", [60, 400])
def test_deep_nesting_is_refused(depth: int) -> None:
    with pytest.raises(LimitError, match="nested"):
        read("<w:sdt><w:sdtContent>" * depth * 3 + paragraph("x") + "</w:sdtContent></w:sdt>" * depth * 3)


def test_what_word_nests_is_read() -> None:
    body = paragraph("deep")
    for at in range(12):
        body = table(row(cell(body, f"at {at}"), "x"), row("y", "z"))
    assert "deep" in read(body).text


def test_external_relations_are_not_followed() -> None:
    there = f'<Relationship Id="a" TargetMode="External" Type="{RELATIONS}/styles" Target="http://example.invalid/styles.xml"/>'
    relations = relationships(there)
    assert shown(parse(docx(paragraph("x"), raw={"word/_rels/document.xml.rels": relations}))) == ["x"]


# Laws


WORDS = st.text(alphabet="ab e\u0301\u0323\u00adđ中|\t\n\uf0b7\u2028 1.", max_size=12)
RUNS = st.one_of(
    WORDS.map(run),
    WORDS.map(lambda text: run(text, "<w:vanish/>")),
    WORDS.map(lambda text: f"<w:del>{run(text).replace('w:t', 'w:delText')}</w:del>"),
    WORDS.map(lambda text: field("REF", run(text))),
    st.sampled_from([reference(1), reference(2), "<w:r><w:br/></w:r>", "<w:r><w:softHyphen/><w:noBreakHyphen/></w:r>"]),
)
PARAGRAPHS = st.builds(
    lambda runs, properties: paragraph(*runs, properties=properties),
    st.lists(RUNS, max_size=5),
    st.sampled_from(["", "<w:rPr><w:del/></w:rPr>", '<w:outlineLvl w:val="1"/>', '<w:numPr><w:numId w:val="1"/></w:numPr>']),
)
CELLS = st.builds(
    lambda content, merge: cell(*content, properties=merge),
    st.lists(PARAGRAPHS, min_size=1, max_size=2),
    st.sampled_from(["", "", '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"]),
)
TABLES = st.lists(st.lists(CELLS, max_size=3).map(lambda cells: row(*cells)), max_size=3).map(lambda rows: table(*rows))


@given(st.lists(st.one_of(PARAGRAPHS, TABLES), max_size=6))
def test_every_document_balances_and_its_tables_are_their_markdown(body: list[str]) -> None:
    document = read("".join(body), footnotes=NOTES, numbering=numbering(level(0, "%1.")))
    assert unicodedata.is_normalized("NFC", document.text)
    assert all(found.span.of(document.text) == to_markdown(found) for found in document.tables)
    assert {found.span for found in document.tables} == {block.span for block in document.blocks if block.kind is BlockKind.TABLE}
    for name in ("token", "heading"):
        assert not [found for found in pipeline.cut(document, name).findings() if found.severity == "error"]


def test_what_only_looks_like_a_heading_is_one_where_no_style_says_so() -> None:
    big, middle, plain = '<w:b/><w:sz w:val="48"/>', '<w:b/><w:sz w:val="36"/>', '<w:sz w:val="24"/>'
    body = [
        paragraph(run("Museums and collections", big)),
        paragraph(run("Abstract", middle)),
        paragraph(run("This aid tells where the collections are. " * 6, plain)),
        paragraph(run("Not a heading.", middle)),
        paragraph(run("Loans", middle)),
        paragraph(run("Every loan has a number. " * 6, plain), run("Not bold alone", "<w:b/>" + plain)),
    ]
    made = read("".join(body))
    shown = [(block.level, block.span.of(made.text)) for block in made.blocks if block.kind is BlockKind.HEADING]
    assert shown == [(1, "Museums and collections"), (2, "Abstract"), (2, "Loans")]
    stated = read("".join(body) + paragraph("Stated", style="Kop1"))
    assert [block.span.of(stated.text) for block in stated.blocks if block.kind is BlockKind.HEADING] == ["Stated"]
    alone = read("".join((*body[:1], *body[2:4])))
    assert not any(block.kind is BlockKind.HEADING for block in alone.blocks)
