"""Pairs of question and answer in a library: each surface has vectors, a hit on any gives back the whole pair, once."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pecia.cli.main import app
from pecia.embedding.windows import windows
from pecia.library import Library
from pecia.pipeline import Cutting
from pecia.ranking import rank
from pecia.storing.connection import DATABASE
from tests.library.test_vectors import Meanings
from tests.strategies.question.papers import cutting

FILLER = "".join(f"Stage {number} of the works goes on and the site is cleaned each week.\n\n" for number in range(30))
PAPER = (
    "Q1 When will the boat leave today?\n\nA1 At nine. " + "Rain and snow fall on the harbour and nobody minds. " * 4 + "\n\n"
    "Q2 Who pays for the bridge?\n\nA2 The first stage is paid by the town.\n\n"
    + FILLER
    + "The toll of trucks is nine coins.\n\n"
    "[If asked about foxes: foxes cross at night.]\n\n" + FILLER + "\n"
    "Q3 Who paints the bridge?\n\nA3 The town does.\n"
)


@pytest.fixture
def cut() -> Cutting:
    return cutting(PAPER, max_tokens=200, target_tokens=180, followup_chunks=True)


@pytest.fixture
def library(tmp_path: Path, cut: Cutting) -> Iterator[Library]:
    with Library(tmp_path / "library", keep_originals=False, embedder=Meanings()) as held:
        held.add(cut.document, cut.chunks, strategy=cut.strategy)
        yield held


def whole_pair(cut: Cutting, index: int) -> str:
    parts = [chunk for chunk in cut.chunks if chunk.attributes["question_index"] == index and chunk.chunk_kind == "pair"]
    return cut.document.text[parts[0].span.start : parts[-1].span.end].strip()


def test_a_question_is_found_by_itself_and_each_point_names_its_surface(library: Library, cut: Cutting) -> None:
    list(library.embed(Meanings()))
    assert next(iter(library.search("when will the ship depart", mode="dense"))).chunk.attributes["question_id"] == "Q1"
    surfaces = {name for _, chunk, name, _, _ in library.points() if chunk == cut.chunks[0].chunk_id}
    assert surfaces == {"question", "answer", "both"}
    assert len({identity for identity, *_ in library.points()}) == len(list(library.points()))
    assert list(library.verify()) == []


@pytest.mark.parametrize("mode", ["bm25", "dense", "hybrid"])
def test_a_hit_on_a_part_gives_back_the_whole_pair_once(library: Library, cut: Cutting, mode: str) -> None:
    list(library.embed(Meanings()))
    hits = library.search("toll of trucks on the bridge", k=3, mode=mode)
    assert len(hits) == len({hit.chunk.attributes["question_index"] for hit in hits}) == (2 if mode == "bm25" else 3)
    long = next(hit for hit in hits if hit.chunk.attributes["question_id"] == "Q2")
    assert "nine coins" in long.chunk.source_text
    assert long.chunk.part_index > 0
    assert long.citation.quote == whole_pair(cut, 1) == library.hydrate(long).quote


def test_a_hit_on_a_followup_gives_back_the_pair_that_it_follows(library: Library, cut: Cutting) -> None:
    hits = library.search("foxes night")
    assert [hit.chunk.chunk_kind for hit in hits][:1] == ["followup"]
    assert hits[0].citation.quote == whole_pair(cut, 1)
    assert sum(hit.chunk.attributes["question_id"] == "Q2" for hit in hits) == 1


def test_chunks_alone_are_ranked_like_those_of_a_library(library: Library, cut: Cutting) -> None:
    for query in ("toll of trucks", "foxes night", "bridge"):
        held = [(hit.chunk.chunk_id, round(hit.score, 6), hit.citation.quote) for hit in library.search(query, mode="bm25")]
        alone = [(hit.chunk.chunk_id, round(hit.score, 6), hit.citation.quote) for hit in rank(cut.chunks, cut.document, query)]
        assert held == alone


def test_a_library_of_before_keeps_its_vectors_and_gets_those_of_surfaces(tmp_path: Path, cut: Cutting) -> None:
    folder = tmp_path / "library"
    with Library(folder, keep_originals=False) as library:
        library.add(cut.document, cut.chunks, strategy=cut.strategy)
        before = Meanings()
        list(library._store.embed(before, "", windows, lambda chunk: {"": chunk.text}))
    connection = sqlite3.connect(folder / DATABASE)
    connection.executescript(
        "ALTER TABLE point DROP COLUMN name; ALTER TABLE cutting DROP COLUMN linked; PRAGMA user_version = 2"
    )
    connection.close()
    with Library(folder, embedder=Meanings()) as library:
        assert {hit.retriever for hit in library.search("bridge")} == {"bm25"}  # not all chunks have their vectors
        after = Meanings()
        list(library.embed(after))
        assert not set(after.asked) & set(before.asked)
        assert {name for _, _, name, _, _ in library.points()} == {"question", "answer", "both", ""}
        assert {hit.retriever for hit in library.search("bridge")} == {"hybrid"}
        assert list(library.verify()) == []


def test_the_command_shows_pairs_whole_and_sentences_where_asked(tmp_path: Path) -> None:
    file = tmp_path / "paper.md"
    file.write_text(PAPER, "utf-8")
    folder, runner = str(tmp_path / "library"), CliRunner()
    assert runner.invoke(app, ["ingest", str(file), "-s", "question", "-l", folder, "--max-tokens", "200"]).exit_code == 0
    for where in (["-l", folder], ["-f", str(file), "-s", "question"]):
        shown = runner.invoke(app, ["search", "toll of trucks", "-k", "1", *where]).stdout
        assert "Q2 Who pays for the bridge?" in shown
        assert "foxes cross at night" in shown
    shown = runner.invoke(app, ["search", "toll of trucks", "-k", "1", "--passage", "-l", folder]).stdout
    assert "nine coins" in shown
    assert "foxes cross at night" not in shown
