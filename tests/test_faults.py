"""Faults of other chunkers, tried here with the smallest input of each report; docs/faults.md has one row for each.

Where a report asks for fewer tokens than the least ceiling here (16), the input is longer in the same shape.
"""

import json
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pecia import pipeline, plugins
from pecia.errors import OptionError, UnknownNameError
from pecia.library import Library
from pecia.model import BlockKind, Chunk, Document, LineRange, PageBox, Paragraph, Severity, chunk_ids
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.text import parse_text
from pecia.pipeline import Cutting
from pecia.ranking import rank
from pecia.testing.documents import parsed
from pecia.text.tokens import tokenizer
from tests.parsing import docx_maker, pdf_maker
from tests.parsing.pdf_maker import Paper, prose

ROOT = Path(__file__).parents[1]
STRATEGIES = plugins.strategy_names()
VIETNAMESE = (
    "Người lớn uống 500 mg mỗi lần, ngày hai lần, sau bữa ăn. Trẻ em dưới 12 tuổi không dùng thuốc này. "
    "Người suy thận phải giảm liều theo độ thanh thải. "
)


def text_document(text: str) -> Document:
    return parsed(text.encode(), "a.txt", parse_text)


def markdown_document(text: str) -> Document:
    return parsed(text.encode(), "a.md", parse_markdown)


def cut(document: Document, strategy: str = "token", **options: Any) -> Cutting:
    """A cutting after what must hold for every one: slices, no break of a law, nothing lost but white space."""
    cutting = pipeline.cut(document, strategy, **options)
    assert not [finding for finding in cutting.findings() if finding.severity is Severity.ERROR]
    end = 0
    for chunk in cutting.chunks:
        assert chunk.source_text == document.text[chunk.span.start : chunk.span.end]
        assert not document.text[end : chunk.span.start].strip()
        assert chunk.est_tokens == count(chunk.text) <= chunk.max_tokens
        assert not chunk.oversized
        end = chunk.span.end
    assert not document.text[end:].strip()
    return cutting


def count(text: str) -> int:
    return tokenizer("cl100k_base").count(text)


def starts(chunks: tuple[Chunk, ...]) -> list[int]:
    return [chunk.span.start for chunk in chunks]


def boxes(chunk: Chunk) -> list[PageBox]:
    return [place for place in chunk.locators if isinstance(place, PageBox)]


def pages_of(chunk: Chunk) -> list[int]:
    return sorted({place.page for place in boxes(chunk)})


def pdf(*pages: list[str]) -> Document:
    """A PDF of these pages, each a paragraph of lines from the top."""
    return pdf_maker.parsed(pdf_bytes(*pages))


def pdf_bytes(*pages: list[str]) -> bytes:
    paper = Paper()
    for lines in pages:
        paper.lines(50, 60, lines, width=300)
        paper.page()
    return paper.bytes()


def table_rows(rows: int) -> str:
    return "".join(f"| Item {row} | {row * 3} | {row}0 mg |\n" for row in range(rows))


HEADER = "| Item | Count | Dose |\n| --- | --- | --- |"


# Offsets and spans


def test_fault_01_a_sentence_cut_with_overlap_has_its_offsets() -> None:
    document = text_document(" ".join(f"word{number}" for number in range(25)) + ".")
    chunks = cut(document, max_tokens=16, target_tokens=16, overlap_tokens=8).chunks
    assert len(chunks) > 3
    assert starts(chunks) == sorted(set(starts(chunks)))
    assert sum(after.span.start < before.span.end for before, after in pairwise(chunks)) >= 3


def test_fault_02_a_repeated_word_has_its_own_place() -> None:
    chunks = cut(text_document("chunk " * 40), max_tokens=16, target_tokens=16, overlap_tokens=8).chunks
    assert len(chunks) > 2
    assert starts(chunks) == sorted(set(starts(chunks)))


def test_fault_03_an_overlap_in_tokens_leaves_no_vietnamese_text_out() -> None:
    document = text_document(f"{VIETNAMESE}\n\n" * 4)
    chunks = cut(document, max_tokens=40, target_tokens=40, overlap_tokens=10).chunks
    assert starts(chunks)[0] == 0
    assert starts(chunks) == sorted(set(starts(chunks)))
    assert all(after.span.start <= before.span.end for before, after in pairwise(chunks))


def test_fault_05_equal_sentences_tile_the_text() -> None:
    document = text_document("The vote is approved. " * 400)
    chunks = cut(document, max_tokens=60, overlap_tokens=0).chunks
    assert [chunk.span.start for chunk in chunks] == [0, *(chunk.span.end for chunk in chunks[:-1])]
    assert chunks[-1].span.end == len(document.text) == 8_800


def test_fault_06_a_sentence_over_a_page_break_is_one_chunk_on_both_pages() -> None:
    lines = prose("Long", 39, 300)
    paper = Paper()
    paper.lines(50, 60, [*lines[:36], ""], width=300)
    paper.page()
    paper.lines(50, 60, [*lines[36:39], "and came to the end."], width=300)
    document = pdf_maker.parsed(paper.bytes())
    (chunk,) = cut(document, max_tokens=2000).chunks
    assert chunk.page_range == (0, 1)
    assert pages_of(chunk) == [0, 1]
    parts = [page.span.intersect(chunk.span) for page in document.pages]
    assert [part.of(document.text).split()[0] for part in parts if part] == ["Long", lines[36].split()[0]]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fault_07_no_chunk_is_without_start_and_end(strategy: str) -> None:
    text = " \n\n  One here.\t \n\n\n   Two there, and more of it.  \n \n Three.\n\n\n"
    for chunk in cut(markdown_document(text), strategy, max_tokens=16, target_tokens=5, overlap_tokens=0).chunks:
        record = chunk.to_record()
        assert text[record["start_char"] : record["end_char"]] == record["source_text"]


def test_fault_08_repeats_have_starts_of_their_own() -> None:
    chunks = cut(text_document("This is a test, and it is only a test. " * 6), max_tokens=16, overlap_tokens=8).chunks
    assert len(chunks) >= 6
    assert len(set(starts(chunks))) == len(chunks)


@pytest.mark.parametrize("text", ["äöü", "äöü" * 40, "中文字符測試樣本句子內容" * 4])
def test_fault_09_no_boundary_is_inside_a_character(text: str) -> None:
    chunks = cut(text_document(text), max_tokens=16, overlap_tokens=0).chunks
    assert "".join(chunk.source_text for chunk in chunks) == text
    assert all(chunk.source_text for chunk in chunks)


@pytest.mark.parametrize(("text", "ceiling"), [("🇻🇳" * 60, 16), ("กำ" * 60, 17)])
def test_fault_09_no_boundary_is_inside_a_flag_or_a_syllable_with_its_vowel(text: str, ceiling: int) -> None:
    chunks = cut(text_document(text), max_tokens=ceiling, target_tokens=ceiling, overlap_tokens=0).chunks
    assert {chunk.source_text[0] for chunk in chunks} == {text[0]}


def test_fault_10_kanji_and_kana_are_cut_without_an_error() -> None:
    text = "食べ物" * 50
    chunks = cut(text_document(text), max_tokens=16, target_tokens=16, overlap_tokens=0).chunks
    assert "".join(chunk.source_text for chunk in chunks) == text
    assert len(chunks) > 10


def test_fault_11_an_overlap_of_words_begins_where_it_says() -> None:
    document = text_document("One two three four. Five six seven eight. Nine ten eleven twelve. Last of all here. " * 3)
    chunks = cut(document, max_tokens=16, target_tokens=16, overlap_tokens=8).chunks
    shared = [document.text[after.span.start : before.span.end] for before, after in pairwise(chunks)]
    assert all(shared)
    for (before, after), both in zip(pairwise(chunks), shared, strict=True):
        assert before.source_text.endswith(both)
        assert after.source_text.startswith(both)


def test_fault_13_an_id_is_that_of_the_stored_span_overlap_included() -> None:
    paragraphs = [
        "One walks.\n\nTwo go by boat to the isle.\n\n",
        "Three stay at home by the fire.\n\n",
        "Four sleep, and snore.\n\n",
    ]
    document = text_document("".join(paragraphs) * 2)
    cutting = cut(document, max_tokens=24, target_tokens=20, overlap_tokens=12)
    chunks = cutting.chunks
    assert any(after.span.start < before.span.end for before, after in pairwise(chunks))
    for chunk in chunks:
        made = chunk_ids(document.id, "token", cutting.strategy.options_hash, chunk.segment_id, chunk.chunk_kind)(chunk.span)
        assert chunk.chunk_id == made
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)


def test_fault_14_with_overlap_no_chunk_ends_after_the_text() -> None:
    document = text_document(("A line of thirty characters ok.\n" * 100)[:3000])
    chunks = cut(document, max_tokens=200, target_tokens=200, overlap_tokens=100).chunks
    assert len(chunks) > 3
    assert max(chunk.span.end for chunk in chunks) == len(document.text) == 3000


# Pages, boxes, highlight

SIX_SENTENCES = [
    "The harbour was quiet on that day. The boats lay still at the",
    "quay. Nobody came to see the light. A man walked out to the",
    "end of the pier. He waited there for an hour. Then he went",
    "home again.",
]


def test_fault_15_the_boxes_of_a_sentence_are_its_own() -> None:
    document = pdf(SIX_SENTENCES)
    assert len(document.blocks) == 1
    chunks = cut(document, max_tokens=16, target_tokens=8, overlap_tokens=0).chunks
    second, third = chunks[1], chunks[2]
    assert second.source_text.strip() == "The boats lay still at the quay."
    upper, lower = boxes(second)
    (own,) = boxes(third)
    before = boxes(chunks[0])[0]
    assert before.bbox.x1 < upper.bbox.x0  # on one line, side by side
    assert upper.bbox.x1 == pytest.approx(350, abs=1)
    assert lower.bbox.x0 == pytest.approx(50, abs=1)
    assert lower.bbox.x1 < own.bbox.x0
    assert {own.bbox.y0} == {lower.bbox.y0}


def test_fault_16_a_record_has_page_and_boxes_inline() -> None:
    (chunk,) = cut(pdf(["One line stands here."])).chunks
    record = json.loads(chunk.to_line())
    assert record["source_page_range"] == [0, 0]
    (place,) = record["locators"]
    assert (place["kind"], place["page"], len(place["bbox"])) == ("page", 0, 4)


def test_fault_17_joined_elements_keep_the_boxes_of_each() -> None:
    paper = Paper()
    paper.text(50, 60, "A Title", 18, "Times-Bold")
    paper.lines(50, 100, prose("Body", 5, 300), width=300)
    document = pdf_maker.parsed(paper.bytes())
    assert [block.kind for block in document.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH]
    (chunk,) = cut(document, "heading").chunks
    assert len(boxes(chunk)) == 7
    assert set(chunk.locators) == {place for block in document.blocks for place in document.locate(block.span).locators}


def test_fault_19_the_strategy_page_keeps_to_pages() -> None:
    paper = Paper()
    paper.text(50, 60, "Part One", 18, "Times-Bold")
    paper.page()
    paper.lines(50, 60, prose("Text", 12, 300), width=300)
    paper.page()
    paper.text(50, 60, "Part Two", 18, "Times-Bold")
    paper.lines(50, 90, prose("More", 12, 300), width=300)
    chunks = cut(pdf_maker.parsed(paper.bytes()), "page", max_tokens=800).chunks
    assert [(chunk.page_range, chunk.headings) for chunk in chunks] == [
        ((0, 0), ("Part One",)), ((1, 1), ("Part One",)), ((2, 2), ("Part Two",)),
    ]  # fmt: skip


def test_fault_20_rows_on_two_pages_are_highlighted_on_both() -> None:
    paper, at = Paper(), 0
    for rows in (30, 8):
        for row in range(rows):
            for column, name in enumerate(("Item", "Count", "Dose")):
                paper.text(50 + 100 * column, 60 + 16 * row, f"{name} {at}" if at else name)
            at += 1
        paper.page()
    (chunk,) = cut(pdf_maker.parsed(paper.bytes()), max_tokens=2000).chunks
    assert chunk.page_range == (0, 1)
    assert Counter(place.page for place in boxes(chunk)) == {0: 3 * 30, 1: 3 * 8}


def test_fault_22_a_file_without_pages_cites_none(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx_maker.docx(docx_maker.paragraph("One paragraph only.")))
    (tmp_path / "a.txt").write_text("One paragraph only.\n")
    for name, place in (("a.docx", Paragraph(0)), ("a.txt", LineRange(1, 1))):
        document = pipeline.parse(tmp_path / name)
        (chunk,) = cut(document).chunks
        assert (chunk.page_range, chunk.printed_range, chunk.locators) == (None, None, (place,))
        citation = rank([chunk], document, "paragraph")[0].citation
        assert (citation.pages, citation.uri) == (None, (tmp_path / name).as_uri())
        assert citation.place() in {"paragraph 1", "line 1"}


def test_fault_23_a_word_file_claims_no_page_that_it_does_not_have() -> None:
    rendered = "<w:r><w:lastRenderedPageBreak/><w:t>Two.</w:t></w:r>"
    document = docx_maker.read(docx_maker.paragraph("One. ", rendered) + docx_maker.paragraph("Three."))
    assert document.text == "One. Two.\n\nThree."
    (chunk,) = cut(document).chunks
    assert chunk.page_range is None
    assert chunk.locators == (Paragraph(0, 0), Paragraph(1, 1))


@pytest.fixture
def two_pages(tmp_path: Path) -> Path:
    file = tmp_path / "two.pdf"
    file.write_bytes(pdf_bytes(prose("Lighthouse", 6, 300), prose("Foghorn", 6, 300)))
    return file


def test_fault_24_a_citation_names_its_page(two_pages: Path) -> None:
    document = pipeline.parse(two_pages)
    citation = rank(cut(document, "page").chunks, document, "foghorn")[0].citation
    assert citation.pages == (1, 1)
    assert citation.uri.endswith("two.pdf#page=2")
    assert "PDF page 2" in str(citation)


def test_fault_25_a_chunk_names_its_page(two_pages: Path) -> None:
    chunks = cut(pipeline.parse(two_pages), max_tokens=100, overlap_tokens=0).chunks
    for chunk in chunks:
        assert chunk.page_range == (pages_of(chunk)[0], pages_of(chunk)[-1])
    assert {chunk.page_range for chunk in chunks} >= {(0, 0), (1, 1)}


def test_fault_26_a_stored_chunk_still_names_its_page(two_pages: Path, tmp_path: Path) -> None:
    cutting = cut(pipeline.parse(two_pages), "page")
    with Library(tmp_path / "library") as library:
        library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
        hit = library.search("foghorn")[0]
        assert hit.chunk.page_range == hit.citation.pages == (1, 1)
        assert {place.page for place in hit.citation.regions if isinstance(place, PageBox)} == {1}
        assert [chunk.page_range for chunk in library.export()] == [(0, 0), (1, 1)]


def test_fault_27_pieces_of_a_section_have_their_own_pages() -> None:
    paper = Paper()
    paper.text(50, 40, "One Section", 18, "Times-Bold")
    for page in range(4):
        paper.lines(50, 70, prose(f"Page{page}", 36, 300), width=300)
        paper.page()
    document = pdf_maker.parsed(paper.bytes())
    chunks = cut(document, "heading", max_tokens=600, target_tokens=500, overlap_tokens=0).chunks
    assert len(chunks) >= 4
    assert {chunk.headings for chunk in chunks} == {("One Section",)}
    for chunk in chunks:
        assert chunk.page_range == (pages_of(chunk)[0], pages_of(chunk)[-1])
        assert chunk.page_range[1] - chunk.page_range[0] <= 1
    assert {page for chunk in chunks for page in pages_of(chunk)} == {0, 1, 2, 3}


def test_fault_29_all_pieces_of_a_page_have_its_number() -> None:
    document = pdf(*([f"Page {page} is short."] for page in range(6)), prose("Seventh", 30, 300))
    chunks = [chunk for chunk in cut(document, "page", max_tokens=160, overlap_tokens=0).chunks if chunk.page_range == (6, 6)]
    assert len(chunks) >= 3
    assert [chunk.part_index for chunk in chunks] == list(range(len(chunks)))
    assert {chunk.attributes["page_number"] for chunk in chunks} == {7}
    assert all(pages_of(chunk) == [6] for chunk in chunks)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fault_32_every_chunk_of_a_paged_file_has_a_page(strategy: str) -> None:
    document = pdf(*(prose(f"Page{page}", 20, 300) for page in range(10)))
    chunks = cut(document, strategy, max_tokens=120).chunks
    assert all(chunk.page_range and chunk.locators for chunk in chunks)
    assert {page for chunk in chunks for page in pages_of(chunk)} == set(range(10))


# Token limits and size


@pytest.mark.parametrize("ceiling", [40, 52, 64, 65, 66, 80, 128])
def test_fault_33_headings_count_against_the_ceiling(ceiling: int) -> None:
    titles = "# " + "A long title of a part " * 3 + "\n\n## " + "A long title of a section " * 2
    document = markdown_document(f"{titles}\n\n" + "Body text goes here, and on it goes. " * 40)
    chunks = cut(document, "heading", max_tokens=ceiling, overlap_tokens=ceiling // 8).chunks
    assert any(chunk.context_labels for chunk in chunks)
    assert max(count(chunk.text) for chunk in chunks) <= ceiling


def test_fault_34_a_size_is_kept_or_refused() -> None:
    document = text_document("Some words stand in a row here. " * 200)
    for strategy in STRATEGIES:
        chunks = cut(document, strategy, max_tokens=128).chunks
        assert {chunk.max_tokens for chunk in chunks} == {128}
        assert 64 < max(chunk.est_tokens for chunk in chunks) <= 128
        with pytest.raises(OptionError):
            pipeline.cut(document, strategy, max_size=128)
        with pytest.raises(UnknownNameError):
            pipeline.cut(document, strategy, max_tokens=128, tokenizer="none such")


def test_fault_36_text_without_line_ends_keeps_to_the_ceiling() -> None:
    document = text_document("lorem " * 500)
    chunks = cut(document, max_tokens=40, target_tokens=40, overlap_tokens=0).chunks
    assert len(chunks) == 13
    assert all(chunk.source_text.split() == ["lorem"] * len(chunk.source_text.split()) for chunk in chunks)
    forced = cut(text_document("lorem" * 500), max_tokens=40, target_tokens=40, overlap_tokens=0)
    named = [finding for finding in forced.findings() if finding.rule == "LAW305"]
    assert {finding.chunk_id for finding in named} == {chunk.chunk_id for chunk in forced.chunks[:-1]}


def test_fault_37_a_long_last_article_is_cut_and_keeps_its_path() -> None:
    articles = "".join(f"## Article {number}\n\nThe rule {number} is short.\n\n" for number in range(1, 10))
    long = "Whoever keeps a lamp shall trim it daily, and shall keep a log of it. " * 720
    chunks = cut(markdown_document(f"# Act\n\n{articles}## Article 10\n\n{long}"), "heading", max_tokens=200).chunks
    last = [chunk for chunk in chunks if chunk.headings == ("Act", "Article 10")]
    assert len(last) > 50
    assert all(chunk.context_labels[-1] == "Article 10" for chunk in last[1:])


def test_fault_38_a_sentence_over_the_ceiling_is_cut_at_a_word() -> None:
    text = "The members of the joint committee agreed on the plan that had been laid before them in spring."
    chunks = cut(text_document(text), max_tokens=16, overlap_tokens=0).chunks
    assert len(chunks) == 2
    assert [word for chunk in chunks for word in chunk.source_text.split()] == text.split()


def test_fault_39_an_overlap_of_half_stays_under_the_ceiling() -> None:
    chunks = cut(text_document("aa  bb  cc  dd  " * 10), max_tokens=16, target_tokens=16, overlap_tokens=8).chunks
    assert max(count(chunk.text) for chunk in chunks) <= 16
    assert any(after.span.start < before.span.end for before, after in pairwise(chunks))


def test_fault_40_a_title_longer_than_the_ceiling_is_no_error_and_takes_no_room() -> None:
    title = "metadata " * 600
    document = markdown_document(f"# {title}\n\n## Part\n\n" + "Body text goes here. " * 300)
    chunks = cut(document, "heading", max_tokens=512).chunks
    body = [chunk for chunk in chunks if chunk.headings and chunk.headings[-1] == "Part"]
    assert len(body) > 2
    assert all("metadata" not in label for chunk in chunks for label in chunk.context_labels)
    assert all(chunk.headings[0].startswith("metadata") for chunk in body)  # known, though not in the text
    assert max(chunk.est_tokens for chunk in body) > 300


def test_fault_43_the_ceiling_counts_tokens_and_not_characters() -> None:
    text = "港口燈塔每晚為遠航船隻照亮海面漁民感謝" * 53
    document = text_document(text[:1000])
    chunks = cut(document, max_tokens=500, overlap_tokens=0).chunks
    assert count(document.text) > 1000
    assert len(chunks) > 2
    assert max(count(chunk.text) for chunk in chunks) <= 500


# CJK and Vietnamese


def test_fault_44_text_without_spaces_is_cut_at_its_own_stops_then_at_characters() -> None:
    text = "我們今天討論這個問題。你是否同意這個看法？大家都說好！以後有空再看；" * 150
    chunks = cut(text_document(text), max_tokens=60, overlap_tokens=0).chunks
    assert len(text) > 5000
    assert all(chunk.source_text[-1] in "。？！；" for chunk in chunks)
    bare = cut(text_document("燈" * 5000), max_tokens=60, overlap_tokens=0).chunks
    assert "".join(chunk.source_text for chunk in bare) == "燈" * 5000


@pytest.mark.parametrize("mark", ["。", "、", "|"])
def test_fault_45_a_separator_of_one_wide_character_works(mark: str) -> None:
    text = f"我們討論戊己庚甲{mark}你是否乙丙丁戊己庚{mark}" * 6
    chunks = cut(text_document(text), "page", max_tokens=24, overlap_tokens=0, paragraph_separator=mark).chunks
    assert len(chunks) > 5
    assert all(chunk.source_text.endswith(mark) for chunk in chunks)
    assert "".join(chunk.source_text for chunk in chunks) == text


def test_fault_46_chinese_sentences_end_without_a_space() -> None:
    sentences = ["第一句話在這裡說完了。", "第二句話在這裡說完了。", "第三句話在這裡說完了。"]
    chunks = cut(text_document("".join(sentences)), max_tokens=20, target_tokens=16, overlap_tokens=0).chunks
    assert [chunk.source_text for chunk in chunks] == sentences


def found(document: Document, query: str, **options: Any) -> list[str]:
    """The sources of the hits, best first, one chunk for each section."""
    chunks = cut(document, "heading", **{"max_tokens": 60, "target_tokens": 4, "overlap_tokens": 0} | options).chunks
    return [hit.chunk.source_text for hit in rank(chunks, document, query)]


def test_fault_48_a_term_in_no_dictionary_is_found() -> None:
    document = markdown_document("# 登录\n\n请输入三码验证。\n\n# 其他\n\n三个密码，二维码。\n\n# 三\n\n第三章。\n")
    assert "三码验证" in found(document, "三码")[0]


@pytest.mark.parametrize("query", ["thuốc kháng sinh", "thuoc khang sinh", "THUỐC KHÁNG SINH", "kháng sinh"])
def test_fault_50_vietnamese_is_found_by_syllables_in_their_order_with_and_without_accents(query: str) -> None:
    parts = ("Sinh viên kháng nghị.", "Dùng thuốc kháng sinh khi sốt.", "Thuốc lá gây hại, sinh con kháng cự.")
    document = markdown_document("".join(f"# Phần {number}\n\n{part}\n\n" for number, part in enumerate(parts)))
    assert "thuốc kháng sinh" in found(document, query)[0]


# Tables


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fault_51_each_piece_of_a_table_has_its_header_and_whole_rows(strategy: str) -> None:
    rows = table_rows(30)
    chunks = cut(markdown_document(f"{HEADER}\n{rows}"), strategy, max_tokens=60, overlap_tokens=0).chunks
    assert len(chunks) > 5
    assert chunks[0].source_text.startswith(HEADER)
    assert all(chunk.context_labels == (HEADER,) for chunk in chunks[1:])
    assert all(chunk.text == f"{HEADER}\n{chunk.source_text}" for chunk in chunks[1:])
    assert "".join(chunk.source_text for chunk in chunks).splitlines() == [*HEADER.splitlines(), *rows.splitlines()]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fault_53_a_lead_in_or_caption_stays_with_its_table(strategy: str) -> None:
    before = "Some words of prose stand here. " * 6
    options = {"max_tokens": 64, "target_tokens": 45, "overlap_tokens": 0}
    document = markdown_document(f"{before}\n\nTable 2 shows the doses:\n\n{HEADER}\n{table_rows(20)}")
    chunks = cut(document, strategy, **options).chunks
    assert [chunk.source_text[:15] for chunk in chunks if HEADER in chunk.source_text] == ["Table 2 shows t"]

    # A plain sentence is the part before, which the numbers of the parts lead to.
    document = markdown_document(f"{before}\n\nTable 2 shows the doses.\n\n{HEADER}\n{table_rows(20)}")
    chunks = cut(document, strategy, **options).chunks
    (table,) = [chunk for chunk in chunks if HEADER in chunk.source_text]
    near = [item for item in chunks if item.segment_id == table.segment_id and abs(item.part_index - table.part_index) <= 1]
    assert any("Table 2 shows" in item.source_text for item in near)

    word = docx_maker.read(
        docx_maker.paragraph(before)
        + docx_maker.paragraph("Table 2. Doses", style="Bijschrift")
        + docx_maker.table(*(docx_maker.row(f"Item {row}", str(row), f"{row}0 mg") for row in range(20)))
    )
    (first,) = [chunk for chunk in cut(word, strategy, **options).chunks if "Item 0" in chunk.source_text]
    assert first.source_text.startswith("Table 2. Doses")
    assert word.tables[0].caption == "Table 2. Doses"


def test_fault_56_a_word_in_a_column_of_numbers_stays() -> None:
    values = ("1", "2", "N/A", "4")
    document = markdown_document("| Dose |\n| --- |\n" + "".join(f"| {value} |\n" for value in values))
    word = docx_maker.read(docx_maker.table(*(docx_maker.row(value) for value in ("Dose", *values))))
    for item in (document, word):
        assert [row[0] for row in item.tables[0].cells] == ["Dose", *values]
        (chunk,) = cut(item).chunks
        assert "| N/A |" in chunk.source_text


# Headings, structure, lost text


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fault_68_headings_without_a_body_are_kept(strategy: str) -> None:
    for text in ("# A\n## B\n", "# A\n\n## B\n\n## C\n\nText.\n\n# D\n"):
        chunks = cut(markdown_document(text), strategy, max_tokens=16, target_tokens=4, overlap_tokens=0).chunks
        assert "".join(chunk.source_text for chunk in chunks) == text


def test_fault_69_a_running_head_is_kept_as_furniture(tmp_path: Path) -> None:
    paper = Paper()
    for page in range(6):
        paper.text(50, 30, "Journal of Tides, ISSN 1234-5678", 8)
        paper.lines(50, 70, prose(f"Page{page}", 30, 300), width=300)
        paper.page()
    file = tmp_path / "journal.pdf"
    file.write_bytes(paper.bytes())
    cutting = cut(pipeline.parse(file), "page")
    assert not any("ISSN" in chunk.text for chunk in cutting.chunks)
    with Library(tmp_path / "library") as library:
        library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
        kept = library.document(cutting.document.id).furniture
    assert [item.text for item in kept] == ["Journal of Tides, ISSN 1234-5678"] * 6
    assert [place.page for item in kept for place in item.locators if isinstance(place, PageBox)] == [0, 1, 2, 3, 4, 5]


def levels(document: Document) -> list[int | None]:
    return [block.level for block in document.blocks if block.kind is BlockKind.HEADING]


@pytest.mark.parametrize(
    "format_name",
    [
        pytest.param(
            "pdf",
        ),
        "docx",
    ],
)
def test_fault_70_numbers_give_levels_to_headings_of_one_size(format_name: str) -> None:
    depths = {"1 Light": 0, "1.1 Oil": 1, "1.1.1 Whale oil": 2, "1.2 Gas": 1, "2 Sound": 0}
    if format_name == "pdf":
        paper, y = Paper(), 50.0
        for title in depths:
            paper.text(50, y, title, 12, "Times-Bold")
            y = paper.lines(50, y + 18, prose("Body", 3, 300), width=300) + 12
        document = pdf_maker.parsed(paper.bytes())
    else:
        parts = docx_maker.numbering(
            "".join(docx_maker.level(at, ".".join(f"%{n}" for n in range(1, at + 2))) for at in range(3))
        )
        body = "".join(docx_maker.listed(title.split(" ", 1)[1], 1, depth, "Kop1") for title, depth in depths.items())
        document = docx_maker.read(body, numbering=parts)
    assert [block.span.of(document.text) for block in document.blocks if block.kind is BlockKind.HEADING] == list(depths)
    assert levels(document) == [depth + 1 for depth in depths.values()]


def test_fault_72_a_section_keeps_its_title() -> None:
    document = markdown_document("# One\n\nFirst text stands here.\n\n# Two\n\nSecond text stands here.\n")
    apart = cut(document, "heading", max_tokens=16, target_tokens=8, overlap_tokens=0).chunks
    assert [(chunk.headings, chunk.source_text.split("\n")[0]) for chunk in apart] == [(("One",), "# One"), (("Two",), "# Two")]
    (joined,) = cut(document, "heading").chunks
    assert joined.source_text == document.text


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fault_76_white_space_is_verbatim(strategy: str) -> None:
    text = "a\tb\u00a0c  d\n\n```python\n    if x:\n\t\treturn\n```\n\nOne.\n\n\nTwo.\n"
    (chunk,) = cut(markdown_document(text), strategy).chunks
    assert chunk.source_text == text


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mark", ["## ", ""])
def test_fault_77_numbered_sections_keep_their_order_and_all_of_their_text(strategy: str, mark: str) -> None:
    text = "".join(f"{mark}{number}. Section\n\nThe passage {number} stands here.\n\n" for number in range(1, 11))
    document = markdown_document(text) if mark else text_document(text)
    chunks = cut(document, strategy, max_tokens=40, target_tokens=16, overlap_tokens=0).chunks
    assert len(chunks) > 4
    assert "".join(chunk.source_text for chunk in chunks) == text


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fault_77_a_sentence_that_fits_is_not_parted_for_the_short_paragraph_before_it(strategy: str) -> None:
    sentence = "Nobody may give the oil to a child who has had a fever within the last two days."
    document = text_document(f"Dose of lamp oil\n\n{sentence}\n\nThe end is here now.")
    assert count(sentence) < 24
    chunks = cut(document, strategy, max_tokens=24, overlap_tokens=0).chunks
    assert any(sentence in chunk.source_text for chunk in chunks)


def test_fault_78_what_ends_a_sentence_stays() -> None:
    (chunk,) = cut(text_document("a。b！c")).chunks
    assert chunk.source_text == "a。b！c"
    text = "港口燈塔每晚照亮海面。漁民都感謝它！船隻平安回家" * 6
    for mark in ("。", "！"):
        chunks = cut(
            text_document(text), "page", max_tokens=24, overlap_tokens=0, paragraph_separator=mark, separator=mark
        ).chunks
        assert "".join(chunk.source_text for chunk in chunks) == text


def test_fault_79_a_separator_is_a_string_and_no_pattern() -> None:
    assert cut(markdown_document("# A\n## B"), "page").chunks[0].headings == ("A",)
    assert levels(markdown_document("# A\n## B")) == [1, 2]
    text = "one.two three|four " * 12
    options = {"max_tokens": 20, "target_tokens": 16, "overlap_tokens": 0}
    plain = starts(cut(text_document(text), "page", **options).chunks)
    for pattern in (".*", "o|t", "\\s", "[a-z]", "\\n"):
        assert starts(cut(text_document(text), "page", paragraph_separator=pattern, **options).chunks) == plain
    for wrong in ("", None, 3):
        with pytest.raises(OptionError, match="paragraph_separator"):
            plugins.strategy("page", paragraph_separator=wrong)


def test_fault_79_a_separator_does_not_part_the_mark_of_a_heading() -> None:
    document = markdown_document("# A\n" + "word " * 14 + "\n## B\n" + "word " * 14)
    chunks = cut(document, "page", max_tokens=22, target_tokens=20, overlap_tokens=0, paragraph_separator="\n#").chunks
    assert any(chunk.source_text.startswith("## B") for chunk in chunks)


def test_fault_80_a_heading_stands_once_in_the_text() -> None:
    (chunk,) = cut(markdown_document("# T\n\nP"), "heading").chunks
    assert chunk.text == "# T\n\nP"
    for chunk in cut(markdown_document("# Title\n\n" + "A body goes here. " * 60), "heading", max_tokens=40).chunks:
        assert chunk.text.count("Title") == 1


def test_fault_82_a_number_that_word_hides_is_not_shown() -> None:
    parts = docx_maker.numbering(docx_maker.level(0, "%1.", "none") + docx_maker.level(1, "%2)", "decimal"))
    body = docx_maker.listed("Light", 1, 0, "Kop1") + docx_maker.listed("Oil", 1, 1, "Kop2")
    assert docx_maker.shown(docx_maker.read(body, numbering=parts)) == ["Light", "1) Oil"]


def test_fault_83_a_note_is_kept_and_has_the_mark_and_the_place_of_what_it_notes() -> None:
    note = f'<w:footnote w:id="1">{docx_maker.paragraph("Not for children.")}</w:footnote>'
    mark = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    document = docx_maker.read(
        docx_maker.paragraph("First.") + docx_maker.paragraph("The dose is high", mark, "."), footnotes=note
    )
    noted, kept = document.blocks[1:]
    assert noted.span.of(document.text) == "The dose is high¹."
    assert (kept.kind, kept.span.of(document.text)) == (BlockKind.FOOTNOTE, "¹ Not for children.")
    assert kept.places == noted.places == (Paragraph(1),)
    assert "Not for children" in "".join(chunk.source_text for chunk in cut(document).chunks)

    paper = Paper()
    paper.lines(50, 60, prose("Body", 30, 300), width=300)
    paper.text(50, 540, "\u00b9 A note in smaller type.", 7)
    last = pdf_maker.parsed(paper.bytes()).blocks[-1]
    assert last.kind is BlockKind.FOOTNOTE

    text = "The dose is high.[^1]\n\n[^1]: Not for children.\n"
    assert cut(markdown_document(text)).chunks[0].source_text == text


# Ids, duplicates, determinism


def add(library: Library, file: Path, strategy: str = "heading", **options: Any) -> tuple[Cutting, bool]:
    cutting = pipeline.cut(pipeline.parse(file), strategy, **options)
    return cutting, library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)


def test_fault_86_equal_pages_are_two_chunks(tmp_path: Path) -> None:
    file = tmp_path / "two.pdf"
    file.write_bytes(pdf_bytes(*[prose("Lighthouse", 6, 300)] * 2))
    with Library(tmp_path / "library") as library:
        cutting, _ = add(library, file, "page")
        first, second = cutting.chunks
        assert first.source_text.split() == second.source_text.split()
        assert [chunk.chunk_id for chunk in library.export()] == [first.chunk_id, second.chunk_id]
        assert sorted(hit.citation.uri for hit in library.search("lighthouse")) == [f"{file.as_uri()}#page={n}" for n in (1, 2)]


def test_fault_87_the_same_file_twice_writes_nothing_and_has_the_same_ids(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# One\n\nText.\n\n# Two\n\n" + "More text here. " * 100)
    with Library(tmp_path / "library") as library:
        first, changed = add(library, file, max_tokens=60)
        again, changed_again = add(library, file, max_tokens=60)
        assert (changed, changed_again) == (True, False)
        assert [chunk.to_line() for chunk in first.chunks] == [chunk.to_line() for chunk in again.chunks]
        assert len(list(library.export())) == len(first.chunks)


def test_fault_88_the_same_text_at_two_places_has_two_ids() -> None:
    document = text_document("Ann bought corn, and Bob sold it. " * 12)
    chunks = cut(document, max_tokens=16, target_tokens=9, overlap_tokens=0).chunks
    assert len({chunk.source_text.strip() for chunk in chunks}) == 1
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks) == 12


def test_fault_90_a_second_run_leaves_the_library_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("".join(f"# Part {number}\n\nThe fox and the whale meet.\n\n" for number in range(20)))
    states = []
    with Library(tmp_path / "library") as library:
        for _ in range(3):
            add(library, file, max_tokens=20, target_tokens=10, overlap_tokens=0)
            hits = [(hit.chunk.chunk_id, hit.score) for hit in library.search("fox", k=50)]
            states.append((library.documents(), list(library.export()), hits))
        assert not list(library.verify())
    assert states[0] == states[1] == states[2]
    assert len(states[0][2]) == 20


def test_fault_91_equal_bytes_under_two_names_are_one_content_with_two_sources(tmp_path: Path) -> None:
    data = docx_maker.docx(docx_maker.paragraph("Only this paragraph."))
    with Library(tmp_path / "library") as library:
        for name in ("a.docx", "b.docx"):
            (tmp_path / name).write_bytes(data)
            cutting, _ = add(library, tmp_path / name, "token")
        (held,) = library.documents()
        assert [name for _, name in held.sources] == ["a.docx", "b.docx"]
        assert [chunk.document_id for chunk in library.export()] == [cutting.document.id]
        assert len(library.search("paragraph")) == 1


def test_fault_92_more_than_a_thousand_chunks_are_not_doubled(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("".join(f"# Part {number}\n\nThe words of part {number}.\n\n" for number in range(1001)))
    sizes: dict[str, Any] = {"max_tokens": 20, "target_tokens": 8, "overlap_tokens": 0}
    with Library(tmp_path / "library") as library:
        changes = [add(library, file, **sizes)[1] for _ in range(2)]
        assert len(list(library.export())) == 1001
        file.write_text(file.read_text().replace("words of part 7.", "letters of part 7."))
        changes.append(add(library, file, **sizes)[1])
        assert len(list(library.export())) == 1001
        assert len(library.search("letters", k=50)) == 1
    assert changes == [True, False, True]


# Speed and memory: sizes at which quadratic work would not come to an end


def test_fault_94_many_paragraphs_under_one_heading() -> None:
    made = []
    for paragraphs in (20_000, 40_000):
        document = markdown_document("# H\n\n" + "One line.\n\n" * paragraphs)
        chunks = pipeline.cut(document, "heading", overlap_tokens=0).chunks
        assert {chunk.headings for chunk in chunks} == {("H",)}
        assert chunks[-1].span.end == len(document.text)
        made.append(len(chunks))
    assert made[1] == pytest.approx(2 * made[0], abs=2)


PEAK = """
import resource
from tests.test_faults import cut, pdf_bytes, pdf_maker, prose
data = pdf_bytes(*(prose(f"Page{page}", 8, 300) for page in range(700)))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
document = pdf_maker.parsed(data)
print(len(document.pages), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_fault_96_memory_for_700_pages_is_bounded() -> None:
    done = subprocess.run([sys.executable, "-c", PEAK], cwd=ROOT, capture_output=True, text=True, check=True)
    pages, grown = map(int, done.stdout.split())
    kilobytes = grown // 1024 if sys.platform == "darwin" else grown
    assert pages == 700
    assert kilobytes < 40_000  # 14,000 measured, 20 kB a page of nine lines
