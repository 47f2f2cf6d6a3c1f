"""Faults of other chunkers with pairs, tables, pages and turns, tried here; docs/faults.md has one row for each."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pecia import pipeline, plugins
from pecia.errors import UnsupportedError
from pecia.library import Library
from pecia.model import Chunk, ChunkKind, LeftOut, PageBox
from pecia.ranking import rank
from tests.parsing import pdf_maker
from tests.parsing.pdf_maker import Paper
from tests.test_embedders import Hashed


def cut(folder: Path, name: str, content: str, strategy: str, **options: object) -> pipeline.Cutting:
    (folder / name).write_text(content, "utf-8")
    cutting = pipeline.cut(pipeline.parse(folder / name), strategy, **options)
    assert not [finding for finding in cutting.findings() if finding.rule.startswith("LAW")]
    return cutting


def pairs(cutting: pipeline.Cutting) -> list[Chunk]:
    return [chunk for chunk in cutting.chunks if chunk.chunk_kind is ChunkKind.PAIR]


def test_fault_20_a_table_on_two_pages_is_one_with_a_place_on_each() -> None:
    paper, xs = Paper(), (50, 150, 250, 350)
    head = ("Item", "Count", "Dose")
    for first, last in ((1, 28), (28, 35)):
        paper.ruled(xs, 60, [head, *((f"Item {row}", str(row), f"{row}0 mg") for row in range(first, last))])
        paper.page()
    document = pdf_maker.parsed(paper.bytes())
    (table,) = document.tables
    assert len(table.cells) == 35  # the header once
    chunks = pipeline.cut(document, "token", max_tokens=2000).chunks
    assert {place.page for chunk in chunks for place in chunk.locators if isinstance(place, PageBox)} == {0, 1}


def test_fault_55_each_row_of_a_csv_is_a_chunk_of_its_own(tmp_path: Path) -> None:
    content = "Item,Dose\n" + "".join(f"Item {row},{row}0 mg\n" for row in range(50))
    chunks = cut(tmp_path, "a.csv", content, "registry").chunks
    assert [chunk.source_text for chunk in chunks] == [f"Item {row},{row}0 mg" for row in range(50)]


def test_fault_56_a_word_in_a_column_of_numbers_of_a_csv_stays(tmp_path: Path) -> None:
    values = ("1", "2", "N/A", "4", "007", " 8")
    chunks = cut(tmp_path, "a.csv", "Dose,Unit\n" + "".join(f"{value},mg\n" for value in values), "registry").chunks
    assert [chunk.text for chunk in chunks] == [f"Dose: {value}\nUnit: mg" for value in values]


def test_fault_58_commas_quotes_and_line_ends_in_cells_are_part_of_them(tmp_path: Path) -> None:
    rows = [("q", "a, b"), ('say "when"', "one\ntwo"), ("", ",")]
    made = io.StringIO()
    csv.writer(made).writerows([("question", "answer"), *rows])
    chunks = cut(tmp_path, "a.csv", made.getvalue(), "registry").chunks
    assert [chunk.attributes["extra_columns"] for chunk in chunks] == [
        {name: value for name, value in zip(("question", "answer"), row, strict=True) if value} for row in rows
    ]


def test_fault_59_each_row_of_a_csv_says_what_its_cells_are(tmp_path: Path) -> None:
    chunks = cut(tmp_path, "a.csv", "Drug,Dose\nKevralol,25 mg\nDelopridon,0.2 mg/kg\n", "registry").chunks
    assert [chunk.text for chunk in chunks] == ["Drug: Kevralol\nDose: 25 mg", "Drug: Delopridon\nDose: 0.2 mg/kg"]


def test_fault_61_a_part_of_a_table_carries_its_own_rows_and_no_sheet_is_read(tmp_path: Path) -> None:
    rows = [f"| Item {row} | {row}0 mg |" for row in range(40)]
    cutting = cut(tmp_path, "a.md", "\n".join(("| Item | Dose |", "| --- | --- |", *rows)), "heading", max_tokens=120)
    held = [[row for row in rows if row in chunk.text] for chunk in cutting.chunks]
    assert len(held) > 2
    assert [row for part in held for row in part] == rows
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04" + bytes(40))
    with pytest.raises(UnsupportedError, match="zip container"):
        pipeline.parse(tmp_path / "a.xlsx")


PAIRS = "".join(
    f"Q{number} {question}\n\nA{number} {answer}\n\n"
    for number, (question, answer) in enumerate(
        (
            ("When does the reading room open?", "At half past nine, from Tuesday to Friday."),
            ("Who may order maps?", "Everybody with a card; the store is closed in winter, since it is unheated."),
            ("What does a copy cost?", "A copy costs forty cents, | or a guilder | in colour."),
        ),
        1,
    )
)


def test_fault_62_question_answer_and_both_are_fields_and_each_is_searched(tmp_path: Path) -> None:
    cutting = cut(tmp_path, "a.md", PAIRS, "question")
    first, second, _ = pairs(cutting)
    assert first.attributes["question_text"] == "When does the reading room open?"
    assert first.attributes["answer_text"] == "At half past nine, from Tuesday to Friday."
    assert set(plugins.surfaces(first)) == {"question", "answer", "both"}
    for query in ("who may order", "unheated store"):
        assert rank(cutting.chunks, cutting.document, query, k=1)[0].chunk.chunk_id == second.chunk_id


def test_fault_63_a_question_comes_back_with_its_answer(tmp_path: Path) -> None:
    answer = " ".join(f"Step {number} is to fill in form {number}." for number in range(80))
    cutting = cut(tmp_path, "a.txt", f"{PAIRS}Q4 How is a grant asked for?\n\nA4 {answer}\n", "question", max_tokens=200)
    with Library(tmp_path / "library") as library:
        library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
        for query in ("how is a grant asked for", "form 71"):
            (hit,) = library.search(query, k=1)
            whole = " ".join(library.hydrate(hit).quote.split())
            assert "How is a grant asked for?" in whole
            assert answer in whole


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_fault_64_and_66_pairs_are_as_many_as_there_are_and_to_the_letter(tmp_path: Path, name: str) -> None:
    found = pairs(cut(tmp_path, name, PAIRS, "question"))
    assert [chunk.attributes["question_id"] for chunk in found] == ["Q1", "Q2", "Q3"]
    assert "\n".join(chunk.source_text for chunk in found).split() == PAIRS.split()


def test_fault_67_each_row_of_a_csv_of_pairs_is_a_chunk(tmp_path: Path) -> None:
    content = "question,answer\n" + "".join(f"What is {number}?,It is {number}.\n" for number in range(3))
    chunks = cut(tmp_path, "a.csv", content, "registry").chunks
    assert [chunk.text for chunk in chunks] == [f"question: What is {number}?\nanswer: It is {number}." for number in range(3)]


def test_fault_74_a_page_of_divs_is_cut_by_them(tmp_path: Path) -> None:
    body = "<div><div role='heading' aria-level='2'>Visit</div><div>Open on Saturday.</div></div>"
    page = f"<html><body><section><h1>A museum</h1>{body}<div>By <b>bus</b> 4.</div></section></body></html>"
    chunks = cut(tmp_path, "a.html", page, "website").chunks
    assert ["".join(chunk.source_text.split()) for chunk in chunks] == ["Amuseum", "VisitOpenonSaturday.Bybus4."]
    assert chunks[1].headings == ("A museum", "Visit")


class Watched(Hashed):
    most = 0

    def passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.most = max(self.most, len(texts))
        return super().passages(texts)


def test_fault_97_vectors_are_made_and_kept_a_batch_at_a_time(tmp_path: Path) -> None:
    cutting = cut(
        tmp_path, "a.txt", " ".join(f"The {number}th sentence is short." for number in range(600)), "token", max_tokens=16
    )
    with Library(tmp_path / "library") as library:
        library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
        embedder = Watched()
        for _ in library.embed(embedder):
            pass
    assert len(cutting.chunks) > 100
    assert embedder.most <= 64


def test_fault_98_a_long_turn_keeps_its_speaker_and_short_ones_can_be_joined(tmp_path: Path) -> None:
    long = "\n\n".join(f"Paragraph {number} says what was found in the old house by the canal." for number in range(90))
    turns = [{"role": "user", "content": long}, *({"role": "assistant", "content": f"Yes, {number}."} for number in range(5))]
    for join, left in ((False, 5), (True, 0)):
        cutting = cut(tmp_path, "a.json", json.dumps(turns), "conversation", join_short=join)
        parts = [chunk for chunk in cutting.chunks if "Paragraph" in chunk.source_text]
        assert len(parts) > 1
        assert all("user" in chunk.text.split("\n")[:2] for chunk in parts)
        assert [segment.left_out_reason for segment in cutting.left_out] == [LeftOut.SHORT_MESSAGE] * left
    assert "Yes, 0.\n\nYes, 1." in cutting.chunks[-1].source_text
