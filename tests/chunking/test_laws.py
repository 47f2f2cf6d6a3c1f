"""What the packer and the strategies do, by example. The laws over documents of every alphabet: tests/test_conformance.py."""

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pecia import pipeline, plugins
from pecia.errors import OptionError, UnknownNameError
from pecia.model import Document, Severity
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.text import parse_text
from pecia.testing.documents import documents, paged, parsed

STRATEGIES = plugins.strategy_names()


def text_document(text: str) -> Document:
    return parsed(text.encode(), "a.txt", parse_text)


def markdown_document(text: str) -> Document:
    return parsed(text.encode(), "a.md", parse_markdown)


@given(document=documents(), ceiling=st.integers(16, 60))
def test_without_overlap_the_bodies_give_the_text_back(document: Document, ceiling: int) -> None:
    chunks = pipeline.cut(document, "token", max_tokens=ceiling, overlap_tokens=0).chunks
    for before, after in pairwise(chunks):
        assert not document.text[before.span.end : after.span.start].strip()
        assert after.span.start - before.span.end == 0 or after.span.start - before.span.end > 64
    assert "".join("".join(chunk.source_text.split()) for chunk in chunks) == "".join(document.text.split())


@given(document=documents())
def test_page_chunks_never_cross_a_page(document: Document) -> None:
    for chunk in pipeline.cut(document, "page", max_tokens=40).chunks:
        if document.pages:
            page = document.pages[chunk.attributes["page_number"] - 1]
            assert chunk.page_range == (page.index, page.index)
            inside = page.span.of(document.text)
            assert inside[chunk.attributes["page_start_char"] : chunk.attributes["page_end_char"]] == chunk.source_text


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text(
        "# Liều dùng\n\nNgười lớn: 500 mg. Trẻ em: 250 mg.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" * 20, encoding="utf-8"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-m", "pecia", "chunk", str(file), "-s", "heading", "--max-tokens", "60"],
            capture_output=True, check=True, env={"PATH": "", "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0]
    assert runs[0] == runs[1]


# What goes wrong elsewhere: inputs of other tools' reports, and the right result here.


def test_equal_sentences_keep_their_own_places() -> None:
    document = text_document("The vote is approved. " * 400)
    chunks = pipeline.cut(document, "token", max_tokens=100, overlap_tokens=0).chunks
    assert [chunk.span.start for chunk in chunks] == sorted({chunk.span.start for chunk in chunks})
    assert "".join(chunk.source_text for chunk in chunks) == document.text


def test_equal_pages_have_different_ids() -> None:
    chunks = pipeline.cut(paged(["the same words on every page"] * 12, 2), "page").chunks
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks) > 2


@pytest.mark.parametrize(
    "text", ["我" * 5000, "食べ物" * 2000, "äöü" * 3000, "A" * 60_000, "👩‍⚕️" * 800, "e\u0301\u0323" * 3000 + "x"]
)
def test_text_without_a_break_is_cut_between_whole_characters(text: str) -> None:
    document = text_document(text)
    cutting = pipeline.cut(document, "token", max_tokens=50, overlap_tokens=10)
    assert not [finding for finding in cutting.findings() if finding.severity is Severity.ERROR]
    assert not any(chunk.source_text[0] in "\u200d\ufe0f\u0323" for chunk in cutting.chunks)


def test_a_forced_cut_is_a_finding() -> None:
    rules = {finding.rule for finding in pipeline.cut(text_document("A" * 9000), "token", max_tokens=50).findings()}
    assert rules == {"LAW305"}


def test_a_long_sentence_is_cut_at_a_clause_or_word() -> None:
    text = "the members of the joint committee, " * 40 + "agreed."
    for chunk in pipeline.cut(text_document(text), "token", max_tokens=40, overlap_tokens=0).chunks[:-1]:
        assert chunk.source_text.rstrip().endswith(",")


def test_a_label_is_never_the_end_of_a_chunk() -> None:
    text = "".join(f"Người lớn {n}:\n\nUống {n} viên mỗi ngày sau khi ăn, không dùng quá liều.\n\n" for n in range(40))
    for strategy in STRATEGIES:
        for chunk in pipeline.cut(text_document(text), strategy, max_tokens=60, overlap_tokens=10).chunks:
            assert not chunk.source_text.rstrip().endswith(":")


def test_a_heading_is_never_the_end_of_a_chunk_that_others_follow() -> None:
    text = "".join(f"## Section {n}\n\n" + "Words of the body go on. " * 6 + "\n\n" for n in range(20))
    for chunk in pipeline.cut(markdown_document(text), "token", max_tokens=64, overlap_tokens=0).chunks:
        assert not chunk.source_text.rstrip().split("\n")[-1].startswith("#")


def test_rows_carry_the_header_of_their_table() -> None:
    rows = "".join(f"| {n} years | {n * 5} mg |\n" for n in range(30))
    document = markdown_document(f"Doses:\n\n| Age | Dose |\n| --- | --- |\n{rows}\nEnd.\n")
    chunks = pipeline.cut(document, "token", max_tokens=60, overlap_tokens=0).chunks
    inside = [chunk for chunk in chunks if chunk.source_text.startswith("| ") and "Age" not in chunk.source_text]
    assert len(inside) > 3
    for chunk in inside:
        assert chunk.context_labels == ("| Age | Dose |\n| --- | --- |",)
        assert all(row.startswith("| ") and row.endswith(" |") for row in chunk.source_text.strip().split("\n") if "mg" in row)
        assert [item["block_id"] for item in chunk.attachments] == ["t0"]


def test_headings_are_kept_in_path_and_text_and_never_doubled() -> None:
    document = markdown_document("# A\n\n## B\n\n### C\n\nBody one.\n\n## D\n\n" + "Long body. " * 300)
    chunks = pipeline.cut(document, "heading", max_tokens=100, target_tokens=60, overlap_tokens=0).chunks
    assert chunks[0].headings == ("A",)
    assert all(f"{mark} {title}" in "".join(chunk.source_text for chunk in chunks) for mark, title in (("##", "B"), ("###", "C")))
    tail = [chunk for chunk in chunks if chunk.headings == ("A", "D")]
    assert len(tail) > 3
    assert tail[0].context_labels == ("A",)
    assert tail[1].context_labels == ("A", "D")
    assert tail[0].text.count("D") == 1


def test_a_document_of_headings_only_is_kept() -> None:
    chunks = pipeline.cut(markdown_document("# A\n## B\n"), "heading").chunks
    assert "".join(chunk.source_text for chunk in chunks) == "# A\n## B\n"


def test_small_sections_are_joined_to_the_target_and_no_further() -> None:
    text = "".join(f"## Part {n}\n\nA few words stand here.\n\n" for n in range(30))
    cutting = pipeline.cut(markdown_document(text), "heading", max_tokens=100, target_tokens=60, overlap_tokens=0)
    assert 3 < len(cutting.chunks) < 15
    assert all(chunk.est_tokens <= 60 for chunk in cutting.chunks)
    assert all(chunk.source_text.startswith("## ") for chunk in cutting.chunks)


def test_labels_too_long_for_the_ceiling_leave_room_for_the_text() -> None:
    title = "a heading that goes on and on " * 20
    document = markdown_document(f"# {title}\n\n## Short\n\n" + "Body text goes here. " * 60)
    cutting = pipeline.cut(document, "heading", max_tokens=64, overlap_tokens=0)
    assert not [finding for finding in cutting.findings() if finding.severity is Severity.ERROR]
    assert any(chunk.context_labels == ("Short",) for chunk in cutting.chunks)


def test_white_space_is_kept_verbatim_in_code() -> None:
    text = "a\tb\u00a0c\n\n```python\n    if x:\n\t\treturn\n```\n"
    chunks = pipeline.cut(markdown_document(text), "token").chunks
    assert "".join(chunk.source_text for chunk in chunks) == text


def test_long_runs_of_white_space_fill_no_chunks() -> None:
    document = text_document("a" + "\n" * 200_000 + "b")
    assert [chunk.source_text.strip() for chunk in pipeline.cut(document, "token", max_tokens=100).chunks] == ["a", "b"]


@pytest.mark.parametrize("text", ["", " \n\t\n", "\ufeff"])
def test_a_document_without_text_has_no_chunks(text: str) -> None:
    for strategy in STRATEGIES:
        cutting = pipeline.cut(text_document(text), strategy)
        assert not [chunk for chunk in cutting.chunks if not chunk.source_text.strip()]
        assert [finding.rule for finding in cutting.findings()] == ["LAW102"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_tokens": 100, "overlap_tokens": 90}, "overlap_tokens is 90 beside max_tokens 100"),
        ({"max_tokens": 100, "target_tokens": 101}, "target_tokens is 101 beside max_tokens 100"),
        ({"max_tokens": 3}, "max_tokens is 3"),
        ({"max_tokens": "100"}, "whole number"),
        ({"overlap_tokens": -1}, "overlap_tokens is -1"),
        ({"maxtokens": 100}, "has no option maxtokens; it has max_tokens"),
    ],
)
def test_impossible_options_are_refused_at_construction(options: dict[str, object], named: str) -> None:
    for strategy in STRATEGIES:
        with pytest.raises(
            OptionError, match=named.replace("max_tokens", "max_tokens") if "it has" not in named else "has no option"
        ):
            plugins.strategy(strategy, **options)


def test_a_ceiling_alone_pulls_the_other_sizes_under_it() -> None:
    options = plugins.strategy("token", max_tokens=200).options
    assert (options.target_tokens, options.overlap_tokens) == (140, 40)


def test_an_unknown_strategy_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"auto, .*heading, .*page, question, .*token"):
        plugins.strategy("tokens")


def test_auto_says_why() -> None:
    headed = markdown_document("".join(f"# H{n}\n\nText.\n\n" for n in range(5)))
    cutting = pipeline.cut(headed, "auto")
    assert (cutting.strategy.name, cutting.reason) == ("heading", "5 headings over 10 blocks")
    assert {(chunk.strategy, chunk.requested_strategy) for chunk in cutting.chunks} == {("heading", "auto")}
    assert pipeline.cut(text_document("plain"), "auto").strategy.name == "token"
    assert pipeline.cut(paged(["words and words"] * 9, 3), "auto").strategy.name == "page"


def test_options_change_ids_and_the_same_options_do_not() -> None:
    document = text_document("Some words. " * 200)
    one, two = (pipeline.cut(document, "token", max_tokens=size).chunks[0].chunk_id for size in (100, 101))
    assert one != two
    assert one == pipeline.cut(document, "token", max_tokens=100).chunks[0].chunk_id


@settings(max_examples=20)
@given(st.integers(2_000, 6_000))
def test_many_small_paragraphs_are_linear_in_chunks(count: int) -> None:
    chunks = pipeline.cut(text_document("One line.\n\n" * count), "token", max_tokens=100, overlap_tokens=0).chunks
    assert len(chunks) == pytest.approx(count * 3 / 75, rel=0.35)


def test_replacing_a_field_keeps_the_record_valid() -> None:
    chunk = pipeline.cut(text_document("Some words."), "token").chunks[0]
    assert replace(chunk, requested_strategy="auto").to_record()["requested_strategy"] == "auto"


def test_a_section_with_parts_of_its_own_is_not_joined_to_what_stands_before_it() -> None:
    text = "# Book\n\n## Notes\n\nShort.\n\n## Drug\n\nName.\n\n### Uses\n\nUse it.\n\n### Doses\n\nOne a day.\n"
    chunks = pipeline.cut(markdown_document(text), "heading", max_tokens=40, target_tokens=24, overlap_tokens=0).chunks
    assert [chunk.source_text.split("\n")[0] for chunk in chunks] == ["# Book", "## Drug"]


def test_an_overlap_never_begins_inside_a_row() -> None:
    rows = "".join(f"| {n} years and some months | {n * 5} mg of it, once or twice a day |\n" for n in range(30))
    document = markdown_document(f"| Age | Dose |\n| --- | --- |\n{rows}")
    for chunk in pipeline.cut(document, "token", max_tokens=100, overlap_tokens=12).chunks:
        assert chunk.source_text.startswith("| ")
