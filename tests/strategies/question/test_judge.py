"""A judge behind a real local endpoint: it may move an end by lines, and nothing that it writes becomes text."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pecia import plugins
from pecia.errors import OptionError
from pecia.llm.client import configured
from pecia.model import LeftOut, Severity
from pecia.pipeline import Cutting
from pecia.settings import VARIABLES, settings
from tests.llm.endpoint import Endpoint, Said, endpoint
from tests.strategies.question.papers import codes, cutting, document

RIGHT: dict[str, Any] = {
    "correct_boundary": True,
    "suggested_boundary": None,
    "tables_markdown": [],
    "nested_qa": [],
    "internal_refs": [],
    "clean_answer": "",
}
DOUBTFUL = "答 A1：工程會在明年六月完成。\n[如被追問會否延誤：不會。]\n費用約為 35.5 億元。\n"
PAPER = (
    f"問 A1：新區何時完成？\n{DOUBTFUL}以上資料由工程組提供。\n"
    "問 A2：交通如何？\n答 A2：會有巴士。\n問 A3：排水如何？\n答 A3：會改善。\n"
)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with endpoint(Said(RIGHT)) as made:
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("LLM_BASE_URL", made.url)
        monkeypatch.setenv("LLM_MODEL_NAME", "reader")
        monkeypatch.setenv("QA_VERIFICATION_MODEL", "judge")
        monkeypatch.setenv("PECIA_CACHE_FOLDER", str(tmp_path / "cache"))
        settings.cache_clear()
        configured.cache_clear()
        yield made
    monkeypatch.undo()
    settings.cache_clear()
    configured.cache_clear()


def notes(made: Cutting, what: str) -> list[dict[str, Any]]:
    return [note for chunk in made.chunks for note in chunk.attributes.get("judged") or () if note["what"] == what]


def text_of(made: Cutting, pair: str) -> str:
    return "".join(chunk.source_text for chunk in made.chunks if chunk.attributes.get("question_id") == pair)


def test_only_doubtful_pairs_are_shown_to_the_model_that_judges(server: Endpoint) -> None:
    made = cutting(PAPER, judge=True)
    (asked,) = server.requests
    assert asked["model"] == "judge"
    prompt = asked["messages"][1]["content"]
    assert "QUESTION\n新區何時完成？" in prompt
    assert "費用約為 35.5 億元。" in prompt
    assert "A2" not in prompt
    assert notes(made, "reply")[0] == {
        "what": "reply", "model": "judge", "asked_because": ["passages in brackets"], "verdict": "read",
        "tokens_in": 11, "tokens_out": 5,
    }  # fmt: skip
    assert codes(made) == ["QA501"]
    plain = cutting(PAPER)
    assert [chunk.source_text for chunk in made.chunks] == [chunk.source_text for chunk in plain.chunks]
    assert [chunk.attributes["judged"] for chunk in plain.chunks] == [[], [], []]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("問 A1：何時？\n答 A1：" + "工程會在明年完成，居民可以放心使用。" * 130, "long answer"),
        (
            "問 A1：何時？\n答 A1：見下表。\n項目 甲 乙\n日數 41 28\n樹木 71 30\n棵數 28 69\n",
            "rows of a table as text",
        ),
        ("Others\n\nO1 會否影響歷史建築？\n不會。\n", "no markers"),
        ("問 A1：何時？\n答 A1：明年。\n[內部參考：見附件。]\n", "passages in brackets"),
    ],
)
def test_why_a_pair_is_doubtful_is_told(server: Endpoint, text: str, why: str) -> None:
    assert why in notes(cutting(text, judge=True), "reply")[0]["asked_because"]


def test_an_end_moves_back_by_lines_and_what_follows_is_cut_by_others(server: Endpoint) -> None:
    server.says(Said({**RIGHT, "correct_boundary": False, "suggested_boundary": "費用約為 35.5 億元。"}))
    made = cutting(PAPER, judge=True)
    assert text_of(made, "A1").endswith("費用約為 35.5 億元。")
    assert made.chunks[0].attributes["answer_text"].endswith("億元。")
    assert made.chunks[1].source_text.strip() == "以上資料由工程組提供。"
    assert made.chunks[1].strategy == "token"
    assert codes(made) == ["QA501"]
    assert notes(made, "boundary")[0]["verdict"] == "moved"


def test_an_end_moves_on_over_lines_behind_the_pair_and_not_into_the_next(server: Endpoint) -> None:
    paper = (
        "# 一\n\n問 A1：何時？\n\n答 A1：明年。[如被追問為何：因為下雨。]\n\n# 背景\n\n居民支持方案。\n\n工程已獲撥款。\n\n"
        "# 二\n\n問 A2：交通？\n\n答 A2：巴士。\n"
    )
    server.says(Said({**RIGHT, "correct_boundary": False, "suggested_boundary": "居民支持方案。"}))
    made = cutting(paper, markdown=True, judge=True)
    assert text_of(made, "A1").endswith("居民支持方案。")
    assert any(chunk.source_text.strip() == "工程已獲撥款。" for chunk in made.chunks)
    assert [finding for finding in made.findings() if finding.severity is Severity.ERROR] == []
    server.says(Said({**RIGHT, "correct_boundary": False, "suggested_boundary": "答 A2：巴士。"}))
    (settings().caches / "replies").rename(settings().caches / "old")
    refused = cutting(paper, markdown=True, judge=True)
    assert notes(refused, "boundary")[0]["why"] == "the words stand 0 times in the answer and behind it"
    assert "QA502" in codes(refused)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("費用約為 99 億元。", "stand 0 times"),
        ("會在明年六月", "a line goes on"),
        ("。", "stand 0 times"),
        (None, "stand 0 times"),
        ("新區何時完成？", "stand 0 times"),
    ],
)
def test_an_end_that_is_none_is_refused_and_nothing_moves(server: Endpoint, words: str | None, why: str) -> None:
    server.says(Said({**RIGHT, "correct_boundary": False, "suggested_boundary": words}))
    made = cutting(PAPER, judge=True)
    assert why in notes(made, "boundary")[0]["why"]
    assert codes(made) == ["QA501", "QA502"]
    assert text_of(made, "A1") == text_of(cutting(PAPER), "A1")


def test_words_that_stand_twice_tell_no_end(server: Endpoint) -> None:
    server.says(Said({**RIGHT, "correct_boundary": False, "suggested_boundary": "費用約為 35.5 億元。"}))
    made = cutting(PAPER.replace("以上資料", "費用約為 35.5 億元。\n以上資料"), judge=True)
    assert "stand 2 times" in notes(made, "boundary")[0]["why"]


def test_passages_become_spans_where_they_stand(server: Endpoint) -> None:
    nested = [
        {"question": "[如被追問會否延誤", "answer": "不會。]\n費用約為35.5億元。"},
        {"question": "費用為何？", "answer": "35.5 億元"},
    ]
    server.says(
        Said({**RIGHT, "nested_qa": nested, "internal_refs": ["以上資料由工程組提供。", "不在文中的字句。", "如被追問會否延誤"]})
    )
    made = cutting(PAPER, judge=True)
    text, attributes = made.document.text, made.chunks[0].attributes
    (held,) = attributes["nested_qa"]
    assert text[held["start"] : held["end"]].startswith("[如被追問會否延誤")
    assert held["answer"] == "不會。]\n費用約為 35.5 億元。"
    (found,) = attributes["internal_refs"]
    assert text[found["start"] : found["end"]] == found["text"] == "以上資料由工程組提供。"
    assert [note["verdict"] for note in notes(made, "internal reference")] == ["found", "refused", "known"]
    assert codes(made) == ["QA501", "QA504", "QA504"]
    without = cutting(PAPER, judge=True, include_internal_refs=False)
    assert "以上資料" not in "".join(chunk.text for chunk in without.chunks)
    assert [item.left_out_reason for item in without.left_out] == [LeftOut.INTERNAL_REFERENCE]
    assert [finding for finding in without.findings() if finding.severity is Severity.ERROR] == []


def test_most_of_an_answer_is_no_internal_reference(server: Endpoint) -> None:
    server.says(Said({**RIGHT, "internal_refs": ["工程會在明年六月完成。\n[如被追問會否延誤：不會。]\n費用約為 35.5 億元。"]}))
    made = cutting(PAPER, judge=True, include_internal_refs=False)
    assert not made.left_out
    assert notes(made, "internal reference")[0]["why"] == "most of the answer"


def test_what_the_judge_writes_is_compared_and_not_kept(server: Endpoint) -> None:
    tables = ["| 費用 |\n| --- |\n| 35.5 |", "| 費用 |\n| --- |\n| 36.5 |"]
    server.says(Said({**RIGHT, "tables_markdown": tables, "clean_answer": "工程會在後年六月完成，費用 44 億元。"}))
    made = cutting(PAPER, judge=True)
    assert [note["verdict"] for note in notes(made, "table")] == ["found", "refused"]
    assert "numbers: 44" in notes(made, "clean answer")[0]["why"]
    assert codes(made) == ["QA501", "QA505", "QA505"]
    assert "後年" not in "".join(chunk.to_line() for chunk in made.chunks)
    again = cutting(PAPER, judge=True)
    assert [chunk.to_line() for chunk in again.chunks] == [chunk.to_line() for chunk in made.chunks]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Said("so be it"), "has not the form"),
        (Said({**RIGHT, "correct_boundary": "yes"}), "correct_boundary"),
        (Said({"correct_boundary": True}), "Field required"),
        (Said(status=403), "status 403"),
    ],
)
def test_a_judge_that_does_not_judge_leaves_the_pair_and_says_so(server: Endpoint, said: Said, why: str) -> None:
    server.says(said)
    made = cutting(PAPER, judge=True)
    assert codes(made) == ["QA503"]
    assert why in notes(made, "reply")[0]["said"]
    assert text_of(made, "A1") == text_of(cutting(PAPER), "A1")


@examples(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_laws_hold_whatever_a_judge_says(server: Endpoint, data: st.DataObject) -> None:
    """Pieces of the paper, cut at any place, as every passage of every verdict."""
    configured.cache_clear()

    def piece() -> str:
        start = data.draw(st.integers(0, len(PAPER) - 1))
        return PAPER[start : start + data.draw(st.integers(0, 60))]

    verdict = {
        "correct_boundary": data.draw(st.booleans()),
        "suggested_boundary": data.draw(st.sampled_from([None, *PAPER.split("\n")])),
        "tables_markdown": [piece()],
        "nested_qa": [{"question": piece(), "answer": piece()}],
        "internal_refs": [piece(), piece()],
        "clean_answer": piece(),
    }
    server.says(Said(verdict))
    for path in (settings().caches / "replies").rglob("*.json"):
        path.unlink()
    made = cutting(
        PAPER, judge=True, include_internal_refs=data.draw(st.booleans()), max_tokens=data.draw(st.sampled_from([60, 3000]))
    )
    assert [finding.message for finding in made.findings() if finding.severity is Severity.ERROR] == []
    assert {chunk.attributes["question_id"] for chunk in made.chunks if chunk.attributes.get("question_id")} == {"A1", "A2", "A3"}


def test_a_judge_is_asked_for_by_name_and_needs_an_endpoint(server: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="strategy token has no option judge"):
        plugins.strategy("token", judge=True)
    assert plugins.strategy("question", judge=True).options_hash != plugins.strategy("question").options_hash
    monkeypatch.delenv("LLM_BASE_URL")
    settings.cache_clear()
    configured.cache_clear()
    with pytest.raises(OptionError, match="judge asks a model, and none is set: LLM_BASE_URL"):
        plugins.strategy("question", judge=True)
    assert len(cutting(PAPER).chunks) == 3


def test_the_command_judges_and_check_says_the_same_of_the_file(server: Endpoint, tmp_path: Path) -> None:
    (tmp_path / "paper.txt").write_text(PAPER, "utf-8")
    server.says(Said({**RIGHT, "correct_boundary": False, "suggested_boundary": "費用約為 35.5 億元。"}))

    def pecia(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pecia", *arguments]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=dict(os.environ))

    done = pecia("chunk", "paper.txt", "--strategy", "question", "--judge", "-o", "chunks.jsonl")
    assert done.returncode == 0, done.stderr
    assert "QA501" in done.stderr
    first = json.loads((tmp_path / "chunks.jsonl").read_text("utf-8").splitlines()[0])
    assert [note["what"] for note in first["judged"]] == ["reply", "boundary"]
    checked = pecia("check", "chunks.jsonl", "--source", "paper.txt")
    assert checked.returncode == 0, checked.stderr
    assert "its end was moved" in checked.stderr
    assert pecia("chunk", "paper.txt", "--judge").returncode == 2
    assert document(PAPER).id == first["document_id"]
