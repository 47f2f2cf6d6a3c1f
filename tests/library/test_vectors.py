"""Vectors in a library: made once, whole for a reader, found exactly, gone with their chunks."""

import hashlib
import itertools
import sqlite3
import uuid
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from pecia import plugins
from pecia.cli.main import app
from pecia.embedding.windows import windows
from pecia.errors import LibraryError, QueryError, UnknownNameError, UsageError
from pecia.library import Library
from pecia.model import Query
from pecia.retrieving.dense import Likeness
from pecia.storing.connection import DATABASE
from pecia.storing.vectors import content_of, context, point_id
from pecia.testing.stores import document_of, line_chunks


class Meanings:
    """Words of one meaning have one direction: a model of two dozen words, which counts what it is asked for."""

    name, dimension, window, query_prefix, passage_prefix = "meanings", 64, 12, "", ""
    same = ({"boat", "ferry", "ship"}, {"leave", "depart", "leaves"}, {"dose", "milligrams"})

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text, *, query=False):
        return len(text.split())

    def passages(self, texts):
        self.asked += texts
        return np.vstack([self.query(text) for text in texts])

    def query(self, text):
        made = np.full(self.dimension, 0.01, np.float32)
        for word in text.lower().split()[: self.window]:
            meaning = next((str(at) for at, words in enumerate(self.same) if word.strip(".") in words), word)
            made[hashlib.sha256(meaning.encode()).digest()[0] % self.dimension] += 1
        return made / np.linalg.norm(made)


LINES = ["the ferry leaves at nine", "adults take two tablets", "rain fell on the harbour all night", "the fox slept"]


def filled(folder, lines=LINES, uri="memory:a.txt", embedder=None, **attributes):
    library = Library(folder, keep_originals=False, embedder=embedder)
    document = document_of(lines, uri)
    library.add(document, line_chunks(document, **attributes))
    return library


def sources(hits):
    return [hit.chunk.source_text.strip() for hit in hits]


def test_meaning_finds_what_shares_no_word(tmp_path):
    with filled(tmp_path) as library:
        assert library.search("boat depart") == []
        with pytest.raises(LibraryError, match="pecia embed"):
            library.search("boat depart", mode="dense")
        *_, last = library.embed(Meanings())
        assert (last.chunks, last.of, last.made, last.known) == (4, 4, 4, 0)
        for mode, retriever in (("auto", "hybrid"), ("hybrid", "hybrid"), ("dense", "dense")):
            hits = library.search("boat depart", mode=mode)
            assert sources(hits)[0] == LINES[0]
            assert {hit.retriever for hit in hits} == {retriever}
        assert library.search("boat depart", mode="bm25") == []
        assert sources(library.search("fox boat", mode="hybrid", where={"part_index": 3})) == [LINES[3]]
        assert sources(library.search("boat", mode="dense", k=9, where={"part_index>=": 2})) == LINES[2:]
        with pytest.raises(QueryError, match="mode"):
            library.search("boat", mode="both")


def test_a_library_that_is_opened_again_needs_its_embedder(tmp_path):
    with filled(tmp_path) as library:
        list(library.embed(Meanings()))
    with Library(tmp_path) as library:
        assert {hit.retriever for hit in library.search("fox")} == {"bm25"}
        with pytest.raises(LibraryError, match="embedder="):
            library.search("fox", mode="hybrid")
    with Library(tmp_path, embedder=Meanings()) as library:
        assert {hit.retriever for hit in library.search("fox")} == {"hybrid"}


def test_the_same_text_is_embedded_once(tmp_path):
    with filled(tmp_path) as library:
        embedder = Meanings()
        list(library.embed(embedder))
        assert list(library.embed(embedder)) == []
        changed = document_of([*LINES[:3], "the fox woke"])
        library.add(changed, line_chunks(changed))
        assert {hit.retriever for hit in library.search("fox")} == {"bm25"}  # not all chunks have vectors
        *_, last = library.embed(embedder)
        assert (last.made, last.known) == (1, 3)
        twice = document_of(LINES[:1] * 3, "memory:b.txt")
        library.add(twice, line_chunks(twice))
        *_, last = library.embed(embedder)
        assert (last.chunks, last.made, last.known) == (3, 0, 1)
        assert sorted(embedder.asked) == sorted(f"{line}\n" for line in [*LINES, "the fox woke"])


def test_an_interrupted_embedding_goes_on_and_a_reader_sees_whole_documents(tmp_path):
    lines = [f"line {number} of many" for number in range(100)]
    with filled(tmp_path, lines) as library:
        first = Meanings()
        assert next(iter(library.embed(first))).made == 32
        assert not library._store.embedders()
        second = Meanings()
        *_, last = library.embed(second)
        assert (last.made, last.known, len(second.asked)) == (68, 32, 68)
        assert list(library.verify()) == []


def test_long_texts_have_several_windows_and_a_finding(tmp_path):
    line = ("rain fell all night. " * 3 + "The ferry leaves at nine. " + "snow " * 30).strip()
    with filled(tmp_path, [line, *LINES[1:]]) as library:
        states = list(library.embed(Meanings()))
        assert [state.finding.rule for state in states if state.finding] == ["EM001"]
        points = [(chunk, span) for _, chunk, _, span, _ in library.points()]
        long = [span for chunk, span in points if library.chunk(chunk).part_index == 0]
        text = f"{line}\n"
        assert "".join(span.of(text) for span in long) == text
        assert all(len(span.of(text).split()) <= Meanings.window for span in long)
        assert len({identity for identity, *_ in library.points()}) == len(points)
        assert library.search("boat", mode="dense", k=1)[0].chunk.part_index == 0
        assert len(library.search("boat", mode="dense", k=9)) == 4


@given(st.text("ab .\n。", max_size=60), st.integers(1, 9))
def test_windows_put_together_are_the_text(text, room):
    found = windows(text, lambda part: len(part) <= room)
    assert "".join(span.of(text) for span in found) == text
    assert all(len(span) <= room for span in found)
    assert all(span.end == after.start for span, after in itertools.pairwise(found))


@given(st.integers(0, 10_000), st.integers(1, 40), st.booleans())
def test_the_nearest_are_those_of_a_full_sort(seed, k, several):
    picker = np.random.default_rng(seed)
    chunks = np.sort(picker.integers(1, 900, 1500)) if several else np.arange(3, 1503)
    rows = picker.standard_normal((1500, 8)).astype(np.float32)
    question = rows[7]

    class Odd:
        def admitted(self, held):
            return [chunk for chunk in held if chunk % 37 == 1]

    best: dict[int, float] = {}
    for chunk, cosine in zip(chunks.tolist(), (rows @ question).tolist(), strict=True):
        best[chunk] = max(cosine, best.get(chunk, -99.0))
    expected = sorted((-cosine, chunk) for chunk, cosine in best.items() if chunk % 37 == 1)[:k]
    likeness = Likeness(chunks.astype(np.int64), rows, question)
    assert [(-cosine, chunk) for chunk, cosine in likeness.nearest(Odd(), k).rows] == expected
    assert likeness.deviations([1_000_000]) == [0.0]
    assert abs(np.mean(likeness.deviations(sorted(best)))) < 1e-4


def test_vectors_go_with_their_chunks(tmp_path):
    with filled(tmp_path) as library:
        list(library.embed(Meanings()))
        library.search("fox", mode="dense")
        assert len(list((tmp_path / "vectors").iterdir())) == 1
        library.delete("memory:a.txt")
        connection = sqlite3.connect(tmp_path / DATABASE)
        assert [connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("point", "vector")] == [0, 0]
        connection.close()
        with pytest.raises(LibraryError, match="no vectors"):
            library.search("fox", mode="dense")
        other = document_of(["a whale"], "memory:c.txt")
        library.add(other, line_chunks(other))
        list(library.embed(Meanings()))
        assert sources(library.search("fox", mode="dense")) == ["a whale"]
        assert len(list((tmp_path / "vectors").iterdir())) == 1  # the file of the former state is gone


def test_damaged_vectors_are_named_and_a_rebuild_keeps_sound_ones(tmp_path):
    with filled(tmp_path) as library:
        list(library.embed(Meanings()))
        library.search("fox", mode="dense")
        assert list(library.verify()) == []
        file = next((tmp_path / "vectors").iterdir())
        np.save(file, np.load(file)[::-1])
        assert {item.rule for item in library.verify()} == {"LB009"}
        file.write_bytes(b"nothing of the kind")
        assert {item.rule for item in library.verify()} == {"LB009"}
        library.rebuild()
        assert list(library.verify()) == []
        assert sources(library.search("boat", mode="dense"))[0] == LINES[0]
        connection = sqlite3.connect(tmp_path / DATABASE)
        connection.execute("UPDATE vector SET vector = zeroblob(256) WHERE id = 1")
        connection.execute("UPDATE vector SET content = 'of another text' WHERE id = 2")
        connection.commit()
        connection.close()
        found = [item.rule for item in library.verify()]
        assert found.count("LB008") == 2


def test_a_copy_of_a_library_has_the_vectors(tmp_path):
    with filled(tmp_path / "a") as library:
        list(library.embed(Meanings()))
        library.backup(tmp_path / "b")
    with Library(tmp_path / "b", embedder=Meanings()) as copy:
        assert sources(copy.search("boat", mode="dense"))[0] == LINES[0]


def test_quarantined_chunks_come_last_by_meaning_too(tmp_path):
    document = document_of(LINES)
    chunks = line_chunks(document)
    chunks[0] = replace(chunks[0], has_quarantined_content=True)
    with Library(tmp_path, keep_originals=False) as library:
        library.add(document, chunks)
        list(library.embed(Meanings()))
        for mode in ("dense", "hybrid"):
            assert sources(library.search("boat leaves", mode=mode))[-1] == LINES[0]


def test_type_and_country_stand_before_what_is_embedded():
    record = {"custodian_type": "M", "country_code": "NL", "text": "x"}
    assert context(record) == "[M] [NL] "
    assert context({"custodian_type": None, "text": "x"}) == ""
    assert content_of(context(record) + "x") != content_of("x")


def test_point_ids_tell_cuttings_and_windows_apart():
    one = point_id("d", "page", "0", "c", 0, 1)
    assert one == point_id("d", "page", "0", "c", 0, 1)
    others = [point_id("d", "page", "1", "c", 0, 1), point_id("d", "page", "0", "c", 0, 2), point_id("d", "page", "0", "c", 1, 2)]
    assert len({one, *others}) == 4
    assert all(isinstance(item, uuid.UUID) for item in (one, *others))


def test_the_command_embeds_and_searches(tmp_path):
    file = tmp_path / "a.md"
    file.write_text("# Harbour\n\nThe ferry leaves at nine.\n\n# Fox\n\nThe fox slept.\n", "utf-8")
    folder = str(tmp_path / "library")
    runner = CliRunner()
    done = runner.invoke(app, ["ingest", str(file), "-s", "heading", "-l", folder, "--embedder", "nano", "--jobs", "1"])
    assert done.exit_code == 0
    assert "1 vector made" in done.stderr
    found = runner.invoke(app, ["search", "boat depart", "-l", folder, "--json"])
    assert '"retriever": "hybrid"' in found.stdout
    assert "0 vectors made" in runner.invoke(app, ["embed", "-l", folder]).stderr
    assert isinstance(runner.invoke(app, ["search", "x", "-f", str(file), "--mode", "dense"]).exception, UsageError)


def test_an_unknown_embedder_is_told_with_the_known_ones():
    with pytest.raises(UnknownNameError, match="nano"):
        plugins.embedder("nanny")
    assert Query("x").mode == "auto"
