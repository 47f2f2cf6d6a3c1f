"""Values cannot be built wrong, and they lead back to the source."""

import pickle
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia.errors import BrokenError, InvariantError, QueryError, RecordError, SpanError, UnknownNameError
from pecia.model import (
    Alignment,
    Attribute,
    Block,
    BlockKind,
    Box,
    Document,
    LeftOut,
    Line,
    LineRange,
    Lines,
    Page,
    PageBox,
    Paragraph,
    Pointer,
    Query,
    Segment,
    Source,
    SourceSpan,
    Span,
    Table,
    described,
    folio,
    locator_from_json,
)
from pecia.testing.documents import documents, paged

SOURCE = Source("file:///a.txt", "a.txt", "text/plain", "0" * 64)


def document(text: str, **parts: object) -> Document:
    return Document("0" * 64, SOURCE, text, **parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2)])
def test_a_span_cannot_run_backwards_or_start_below_zero(start: int, end: int) -> None:
    with pytest.raises(SpanError):
        Span(start, end)


def test_a_span_does_not_leave_its_text() -> None:
    with pytest.raises(SpanError, match="leaves a text of 3"):
        Span(1, 4).of("abc")


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_overlap_and_intersection_agree_with_sets(a: int, b: int, c: int, d: int) -> None:
    one, two = Span(min(a, b), max(a, b)), Span(min(c, d), max(c, d))
    shared = set(range(one.start, one.end)) & set(range(two.start, two.end))
    found = one.intersect(two)
    assert one.overlaps(two) == bool(shared)
    assert (set(range(found.start, found.end)) if found else set()) == shared


def test_a_source_span_is_told_apart_from_a_span_of_the_document() -> None:
    assert SourceSpan(1, 2) != Span(1, 2)


def test_an_alignment_maps_composed_characters_as_a_whole_and_others_one_by_one() -> None:
    alignment = Alignment.of([(0, 3, 0, 3), (3, 4, 3, 5), (4, 8, 5, 9)])
    assert alignment.to_source(Span(1, 5)) == (SourceSpan(1, 3), SourceSpan(3, 5), SourceSpan(5, 6))
    assert alignment.to_document(SourceSpan(4, 6)) == (Span(3, 4), Span(4, 5))


def test_alignment_runs_that_continue_one_another_are_one_run() -> None:
    assert len(Alignment.of([(0, 3, 5, 8), (3, 6, 8, 11)]).starts) == 1


def test_alignment_runs_must_rise() -> None:
    with pytest.raises(InvariantError):
        Alignment.of([(3, 5, 0, 2), (0, 3, 2, 5)])


def test_a_box_is_rounded_and_cannot_be_inside_out() -> None:
    assert Box(0.123456, 1, 2, 3).x0 == 0.12
    with pytest.raises(InvariantError):
        Box(3, 0, 1, 1)


@pytest.mark.parametrize("place", [PageBox(2, Box(0, 1, 2, 3)), LineRange(1, 4)])
def test_locators_survive_json(place: PageBox | LineRange) -> None:
    assert locator_from_json(place.to_json()) == place


def test_an_unknown_locator_is_named() -> None:
    with pytest.raises(InvariantError, match="'globe'"):
        locator_from_json({"kind": "globe"})


def test_pages_must_follow_one_another_without_a_gap() -> None:
    with pytest.raises(InvariantError, match="gap"):
        document("abcdef", pages=(Page(0, None, 1, 1, Span(0, 2)), Page(1, None, 1, 1, Span(3, 6))))
    with pytest.raises(InvariantError, match="pages end"):
        document("abcdef", pages=(Page(0, None, 1, 1, Span(0, 2)),))


def test_blocks_must_keep_order_and_stay_in_the_text() -> None:
    one, two = Block("a", BlockKind.PARAGRAPH, Span(0, 4)), Block("b", BlockKind.PARAGRAPH, Span(3, 6))
    with pytest.raises(InvariantError, match="overlap"):
        document("abcdef", blocks=(one, two))
    with pytest.raises(InvariantError, match="after the text"):
        document("abc", blocks=(one,))


def test_a_lone_surrogate_cannot_enter_a_document() -> None:
    with pytest.raises(InvariantError, match="surrogate"):
        document("a\ud800")


def test_a_document_id_is_the_hash_of_its_source() -> None:
    with pytest.raises(InvariantError):
        Document("1" * 64, SOURCE, "")
    assert Document("0" * 64 + "#/3", SOURCE, "").id.endswith("#/3")


def test_a_line_gives_a_box_no_wider_than_the_span() -> None:
    line = Line(Span(0, 4), 0, Box(10, 0, 50, 10), edges=array("f", [10, 20, 30, 40]))
    assert line.box_of(Span(1, 3)) == PageBox(0, Box(20, 0, 40, 10))
    assert line.box_of(Span(4, 9)) is None


@st.composite
def printed(draw: st.DrawFn) -> list[Line]:
    """Lines one after another, some without edges."""
    made, at = list[Line](), 0
    for size, gap, plain in draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.booleans()), max_size=8)):
        span = Span(at + gap, at + gap + size)
        edges = array("f", [10.1 * step for step in range(size)] if plain else [])
        box = Box(1.11, 2.222, 100 + size, 1e6 + len(made))
        made.append(Line(span, len(made) // 3, box, draw(st.sampled_from(["", "Times"])), 9.96, edges))
        at = span.end
    return made


@given(printed(), printed(), st.data())
def test_packed_lines_are_the_lines(one: list[Line], two: list[Line], data: st.DataObject) -> None:
    both = Lines.of([*one, *two])
    first, second = Lines(both.columns, 0, len(one)), Lines(both.columns, len(one), len(both))
    assert (list(first), list(second), first == one, second == tuple(two)) == (one, two, True, True)
    assert both[-1:] == [*one, *two][-1:]
    assert first.bounds() == [(line.span.start, line.span.end) for line in one]
    assert pickle.loads(pickle.dumps(second)) == two
    assert first != [*one, "more"]
    with pytest.raises(IndexError):
        first[len(one)]
    span = Span(0, max((line.span.end for line in one), default=0))
    packed, plain = (Block("b0", BlockKind.PARAGRAPH, span, lines=lines) for lines in (first, tuple(one)))
    start = data.draw(st.integers(0, span.end))
    part = Span(start, data.draw(st.integers(start, span.end)))
    assert packed == plain
    assert list(packed.locate(part)) == list(plain.locate(part))


def test_packed_lines_that_leave_their_block_are_refused() -> None:
    lines = [Line(Span(0, 4), 0, Box(0, 0, 1, 1)), Line(Span(3, 6), 0, Box(0, 0, 1, 1))]
    with pytest.raises(InvariantError, match="leaves"):
        Block("b0", BlockKind.PARAGRAPH, Span(0, 3), lines=Lines.of(lines[:1]))
    with pytest.raises(InvariantError, match="order"):
        Block("b0", BlockKind.PARAGRAPH, Span(0, 6), lines=Lines.of(lines))


@given(documents(), st.data())
def test_located_pages_are_those_of_the_visible_characters(made: Document, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(made.text)))
    span = Span(start, data.draw(st.integers(start, len(made.text))))
    place = made.locate(span)
    offsets = [at for at in range(span.start, span.end) if not made.text[at].isspace()]
    expected = sorted({page.index for page in made.pages for at in offsets if page.span.start <= at < page.span.end})
    assert [page.index for page in place.pages] == expected or (
        expected
        and [page.index for page in place.pages] == [i for i in range(expected[0], expected[-1] + 1) if made.pages[i].span]
    )
    if offsets and not made.pages:
        lines = made.text[: span.trimmed(made.text).start].count("\n") + 1
        told = [item for item in place.locators if isinstance(item, LineRange | Pointer)]
        assert min(item.line_start or 0 for item in told) == lines
        assert max(item.line_end or 0 for item in told) == lines + made.text[offsets[0] : offsets[-1] + 1].count("\n")


def test_an_empty_page_stays_and_is_never_cited() -> None:
    made = paged(["one two three four five six seven eight nine ten"] * 6, 2, 20)
    empty = [page for page in made.pages if not page.span]
    assert empty
    assert not {page.index for page in empty} & {page.index for page in made.locate(Span(0, len(made.text))).pages}


@given(documents())
def test_text_and_markdown_account_for_every_character(made: Document) -> None:
    if made.source_size:
        assert made.ledger().missing == 0


@pytest.mark.parametrize(("label", "expected"), [("12", 12), ("xii", "xii"), ("E-2", "E-2"), ("007", "007"), ("²", "²")])
def test_a_folio_is_a_number_only_where_it_is_printed_as_one(label: str, expected: int | str) -> None:
    assert folio(label) == expected


def test_a_quarantined_table_has_a_reason() -> None:
    with pytest.raises(InvariantError):
        Table("t", (("a",),), 1, "", Span(0, 1), quarantined=True)


def test_a_segment_is_not_left_out_and_delegated_at_once() -> None:
    with pytest.raises(InvariantError):
        Segment("s", "k", "t", Span(0, 1), delegate="heading", left_out_reason=LeftOut.NAVIGATION)


@pytest.mark.parametrize(("text", "k"), [("", 5), (" \n", 5), ("dose", 0)])
def test_a_query_that_cannot_have_an_answer_is_refused(text: str, k: int) -> None:
    with pytest.raises(QueryError):
        Query(text, k)


def test_an_attribute_admits_its_type_and_null() -> None:
    number = Attribute("n", "int", "")
    assert number.admits(0)
    assert number.admits(None)
    assert not number.admits(True)
    assert not number.admits("1")
    assert Attribute("s", "str[]", "").admits(["a"])
    assert not Attribute("s", "str[]", "").admits([1])


@pytest.mark.parametrize("error", [BrokenError("x", page=3), UnknownNameError("strategy", "a", ["b"]), RecordError(["x", "y"])])
def test_errors_cross_processes_with_their_data(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_places_that_are_not_pages_are_told_to_a_reader() -> None:
    assert described((LineRange(3, 3),)) == "line 3"
    assert described((LineRange(3, 4), LineRange(6, 9))) == "lines 3–9"
    assert described((Paragraph(0), Paragraph(4))) == "paragraphs 1–5"
    assert described(()) == ""
