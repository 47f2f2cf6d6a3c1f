"""Many files in worker processes: the same outcomes in the same order, and no file takes another one with it."""

import json
import multiprocessing
import tempfile
from pathlib import Path

import pytest

from pecia import batch
from pecia.batch import Outcome, cut_files
from pecia.library import Library


def shown(outcome: Outcome) -> tuple[str, list[str], str]:
    lines = [chunk.to_line() for cutting, _ in outcome.cuttings for chunk in cutting.chunks]
    return outcome.file.name, lines, outcome.failure.error if outcome.failure else ""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = []
    for number in range(9):
        path = tmp_path / f"{number}.md"
        path.write_bytes(b"\0\1" * 40 if number == 4 else f"# Part {number}\n\nSome words of part {number}.\n".encode())
        made.append(path)
    return [*made, tmp_path / "missing.md"]


def test_workers_give_what_one_process_gives_in_the_same_order(files: list[Path]) -> None:
    alone = [shown(outcome) for outcome in cut_files(files, "heading", {"max_tokens": 50}, jobs=1)]
    together = [shown(outcome) for outcome in cut_files(files, "heading", {"max_tokens": 50}, jobs=2)]
    assert together == alone
    assert [bool(failure) for _, _, failure in alone] == [False] * 4 + [True] + [False] * 4 + [True]


def test_what_chunks_are_found_by_comes_from_the_worker_and_is_what_the_library_would_make(files: list[Path]) -> None:
    with Library(files[0].parent / "given") as given, Library(files[0].parent / "own") as own:
        for outcome in cut_files(files, "heading", {}, jobs=2):
            for cutting, _ in outcome.cuttings:
                assert len(cutting.terms) == len(cutting.chunks)
                given.add(cutting.document, cutting.chunks, strategy=cutting.strategy, terms=cutting.terms)
                own.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
        assert not list(given.verify())
        found = [[(hit.chunk.chunk_id, hit.score) for hit in library.search("words of part 3")] for library in (given, own)]
        assert found[0]
        assert found[0] == found[1]


def test_a_reader_that_stops_early_leaves_no_worker(files: list[Path]) -> None:
    outcomes = cut_files(files, "token", {}, jobs=2)
    assert next(outcomes).file == files[0]
    assert multiprocessing.active_children()
    outcomes.close()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_large_container_waits_on_disk_and_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    talks = [[{"role": "user", "content": f"Talk {number}: " + "words and more words. " * 9}] for number in range(6)]
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([{"messages": talk, "id": number} for number, talk in enumerate(talks)]))
    broken = tmp_path / "broken.json"
    broken.write_text(path.read_text()[:-40])
    files = [path, broken, path]
    plain = [shown(outcome) for outcome in cut_files(files, "conversation", {}, jobs=1)]
    assert [bool(failure) for _, _, failure in plain] == [False, True, False]
    monkeypatch.setattr(batch, "SPOOLED", 300)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spooled = []
    for outcome in cut_files(files, "conversation", {}, jobs=jobs):
        spooled.append(shown(outcome))
        assert shown(outcome) == spooled[-1]  # read twice
        if jobs == 1 and not outcome.failure:
            assert isinstance(outcome.cuttings, batch.Spool)
    assert spooled == plain
    assert sorted(item.name for item in tmp_path.iterdir()) == ["broken.json", "talks.json"]
