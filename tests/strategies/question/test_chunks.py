"""What a pair carries into its chunks, where it is cut, what is left out of it, and rules that find planted faults."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pecia import pipeline, plugins
from pecia.checking.engine import check
from pecia.model import Attribute, Chunk, ChunkKind, LeftOut
from tests.strategies.question.papers import codes, cutting, document

EXAMPLES = Path(__file__).parents[3] / "examples"
LONG = "問 A1：新區何時完成？\n\n答 A1：首句。\n\n" + "".join(
    f"第{number}段的工程會在明年完成，居民可以放心使用。\n\n" for number in range(40)
)
PASSAGES = (
    "問 A1：何時？\n答 A1：明年。\n[如被追問會否延誤：不會。]\n[內部參考：見[附件一]。]\n"
    "[如追問費用？五億元。]\n[如被追問為何]\n因為下雨。\n完。\n"
)


def test_a_long_pair_is_cut_in_its_answer_and_every_part_carries_the_question() -> None:
    chunks = cutting("(A) 排水\n\n" + LONG, max_tokens=200).chunks
    assert len(chunks) > 3
    assert chunks[0].part_count == len(chunks)
    assert chunks[0].source_text.startswith("(A) 排水\n\n問 A1")
    assert "首句" in chunks[0].source_text
    for chunk in chunks[1:]:
        assert chunk.context_labels == ("(A) 排水", "問 A1：新區何時完成？")
        assert chunk.source_text.startswith("第")
        assert chunk.attributes["question_text"] == "新區何時完成？"
    assert not codes(cutting(LONG, max_tokens=200))


def test_a_table_is_cut_by_rows_with_its_header_and_the_question() -> None:
    rows = "".join(f"| plot {number} | {number * 7} ha | yes |\n" for number in range(40))
    text = f"Q1: How large?\n\nA1: See below.\n\n| Plot | Size | Sold |\n| --- | --- | --- |\n{rows}\n"
    chunks = cutting(text, markdown=True, max_tokens=160).chunks
    assert len(chunks) > 2
    assert all(chunk.attributes["has_table"] for chunk in chunks)
    for chunk in chunks[1:]:
        assert chunk.context_labels == ("Q1: How large?", "| Plot | Size | Sold |\n| --- | --- | --- |")


def test_follow_ups_and_internal_references_are_kept_and_listed() -> None:
    (chunk,) = cutting(PASSAGES).chunks
    asked = [(item["trigger"], item["answer"]) for item in chunk.attributes["followups"]]
    assert asked == [("會否延誤", "不會。"), ("費用？", "五億元。"), ("為何", "因為下雨。")]
    assert [item["text"] for item in chunk.attributes["internal_refs"]] == ["[內部參考：見[附件一]。]"]
    assert "[內部參考：見[附件一]。]" in chunk.source_text


def test_follow_ups_as_chunks_of_their_own_name_the_pair_and_carry_its_question() -> None:
    pair, *children = cutting(PASSAGES, followup_chunks=True).chunks
    assert [child.chunk_kind for child in children] == [ChunkKind.FOLLOWUP] * 3
    assert {child.parent_id for child in children} == {pair.chunk_id}
    assert all(child.context_labels == ("問 A1：何時？",) for child in children)
    assert children[2].source_text == "[如被追問為何]\n因為下雨。"
    assert not codes(cutting(PASSAGES, followup_chunks=True))


def test_internal_references_are_left_out_and_the_pair_is_cut_around_them() -> None:
    cut = cutting(PASSAGES, include_internal_refs=False)
    assert [part.left_out_reason for part in cut.left_out] == [LeftOut.INTERNAL_REFERENCE]
    assert len(cut.chunks) == 2
    assert cut.chunks[1].context_labels == ("問 A1：何時？",)
    for chunk in cut.chunks:
        assert "附件" not in chunk.to_line()
    assert not codes(cut)


def test_a_pair_knows_its_pages_and_the_date_of_their_feet() -> None:
    lines = ["問 A1：何時？", "答 A1：明年完成，", "工程順利。", "居民放心。", "數據上載。"]
    pages = "".join("\n".join([*lines, f"K-{number}", "2025-04-02", ""]).replace("A1", f"A{number}") for number in (1, 2, 3))
    chunks = cutting(pages).chunks
    assert [chunk.attributes["document_date"] for chunk in chunks] == ["2025-04-02"] * 3
    assert not any("K-" in chunk.source_text or "2025" in chunk.source_text for chunk in chunks)


def test_narrative_goes_by_its_headings_and_says_who_asked() -> None:
    text = "# Paper\n\n## Policy\n\nText of policy.\n\n## Q&A\n\nQ1: Why?\n\nA1: Because.\n\n## Annex\n\nTable.\n"
    chunks = cutting(text, markdown=True).chunks
    assert [(chunk.strategy, chunk.requested_strategy) for chunk in chunks] == [
        ("heading", "question"), ("question", "question"), ("heading", "question"),
    ]  # fmt: skip
    assert chunks[0].tokenizer == chunks[1].tokenizer


def test_a_delegate_never_has_a_larger_ceiling_than_was_asked_for() -> None:
    text = "# A\n\n" + "One more sentence of policy. " * 60 + "\n\n# B\n\nQ1: Why?\n\nA1: So.\n"
    assert all(chunk.max_tokens == 100 for chunk in cutting(text, markdown=True, max_tokens=100).chunks)


def test_a_paper_of_figures_has_no_pairs_and_says_so() -> None:
    cut = cutting("Table 1\n\n12   34   56\n78   90   12\n34   56   78\n")
    assert cut.chunks
    assert codes(cut) == ["QA101"]


def test_auto_takes_a_paper_that_is_mostly_pairs() -> None:
    strategy = plugins.strategy("question")
    pairs = "".join(f"問 A{number}：何時完成？\n答 A{number}：明年完成。\n\n" for number in range(1, 5))
    assert strategy.detect(document(pairs)).score > 0.9
    assert strategy.detect(document(pairs[:40])).score == 0
    assert strategy.detect(document(pairs + "敘述文字，沒有問題。\n\n" * 3 + "附件\n\n" + "長篇的敘述文字。" * 200)).score < 0.1


FAULTY = {
    "QA102": "問 A1：何時？\n\n問 A2：為何？\n答 A2：因為。\n",
    "QA103": "問 A1：何時？\n答 A1：明年。\n答 A2：因為。\n",
    "QA104": "問 A1：何時？\n答 A1：明年。\n問 A2：為何？\n因為。\n問 A3：誰？\n答 A3：渠務組。\n",
    "QA201": "問 A1：何時？\n答 A1：明年。\n問 A1：為何？\n答 A1：因為。\n",
    "QA202": "問 A1：何時？\n答 A1：明年。\n問 A3：為何？\n答 A3：因為。\n",
    "QA203": "問 A1：何時？\n答 A7：明年。\n",
    "QA401": "Q1. Traffic and noise in the area\n\nIt is bad.\n",
    "QA402": "問 A1：何時？\n答 A1：明年。\n[如被追問未完\n後面。\n",
}


@pytest.mark.parametrize("code", FAULTY)
def test_a_fault_of_the_paper_is_named_and_nothing_is_lost(code: str) -> None:
    cut = cutting(FAULTY[code])
    assert code in codes(cut)
    held = "".join(chunk.source_text for chunk in cut.chunks)
    assert "".join(held.split()) == "".join(cut.document.text.split())


def _with(name: str, value: Any) -> Callable[[Chunk], Chunk]:
    return lambda chunk: replace(chunk, attributes={**chunk.attributes, name: value})


BROKEN: Sequence[tuple[str, Callable[[Chunk], Chunk]]] = [
    ("QA301", lambda chunk: replace(chunk, text=chunk.source_text.replace("何時？", "…"), context_labels=())),
    ("QA302", _with("question_text", "一" * 900)),
    ("QA303", _with("question_text", "別的問題？")),
    ("QA303", _with("followups", [{"trigger": "別的", "answer": "", "start": 0, "end": 4}])),
    ("QA303", _with("internal_refs", [{"text": "別的", "start": 0, "end": 4}])),
]


@pytest.mark.parametrize(("code", "change"), BROKEN)
def test_a_fault_of_a_chunk_is_named(code: str, change: Callable[[Chunk], Chunk]) -> None:
    cut = cutting(PASSAGES)
    found = check(cut.document, [change(chunk) for chunk in cut.chunks], cut.strategy.rules)
    assert code in [finding.rule for finding in found]


def test_what_is_left_out_and_kept_is_named_and_so_is_an_orphan() -> None:
    cut = cutting(PASSAGES, include_internal_refs=False)
    whole = cutting(PASSAGES).chunks
    assert "QA304" in [finding.rule for finding in check(cut.document, whole, cut.strategy.rules, cut.left_out)]
    _, *children = cutting(PASSAGES, followup_chunks=True).chunks
    assert "QA305" in [finding.rule for finding in check(cut.document, children, cut.strategy.rules)]


def test_a_pair_is_found_by_question_by_answer_and_by_both() -> None:
    short, *parts = cutting("問 A2：誰付費？\n\n答 A2：政府。\n\n" + LONG, max_tokens=200).chunks
    assert plugins.surfaces(short) == {"question": "誰付費？", "answer": "政府。", "both": short.text}
    assert [sorted(plugins.surfaces(part)) for part in parts] == [["both", "question"], *[["answer", "both"]] * (len(parts) - 1)]
    assert plugins.surfaces(parts[1])["answer"] == parts[1].source_text
    (plain,) = pipeline.cut(document("無問題。"), "question").chunks
    assert plugins.surfaces(plain) == {"": plain.text}
    unanswered = cutting("問 A1：何時？\n問 A2：誰付費？\n答 A2：政府。\n").chunks[0]
    assert sorted(plugins.surfaces(unanswered)) == ["both", "question"]


def test_every_rule_is_planted_somewhere() -> None:
    judged = {"QA501", "QA502", "QA503", "QA504", "QA505"}  # planted in test_judge
    planted = {*FAULTY, *(code for code, _ in BROKEN), "QA101", "QA304", "QA305", *judged}
    assert {rule.code for rule in plugins.strategy("question").rules} == planted


def test_a_pair_of_a_pdf_is_cited_at_the_page_of_its_question() -> None:
    cut = pipeline.cut(pipeline.parse(EXAMPLES / "supplementary-paper.pdf"), "question")
    pairs = [chunk for chunk in cut.chunks if chunk.chunk_kind is ChunkKind.PAIR]
    assert len(pairs) == 10
    for chunk in pairs:
        assert chunk.page_range is not None
        assert chunk.attributes["pair_page_range"] == list(chunk.page_range)
        assert chunk.attributes["page_number"] == chunk.page_range[0] + 1
        assert Chunk.from_record(json.loads(chunk.to_line()), plugins.attributes()) == chunk
        assert not Attribute("pair_page_range", "int[]", "").admits([True, 1.5])
