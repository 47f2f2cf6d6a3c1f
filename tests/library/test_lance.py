"""The store in Lance tables keeps the promises of every store, and what it does not promise is known."""

from pathlib import Path

import pytest

from pecia.model import Query
from pecia.retrieving.dense import Likeness
from pecia.retrieving.transient import rank
from pecia.storing.lance import LanceStore
from pecia.testing.stores import check_store, check_vectors, document_of, line_chunks

lance = pytest.importorskip("lance")


def store(folder: Path) -> LanceStore:
    return LanceStore(str(folder / "store"), attributes=(), rank=rank, likeness=Likeness)


def test_the_suite_of_all_stores(tmp_path: Path) -> None:
    check_store(lambda: store(tmp_path))


def test_the_suite_of_stores_with_vectors(tmp_path: Path) -> None:
    check_vectors(lambda: store(tmp_path))


def test_a_put_is_one_commit_and_a_reader_keeps_its_state(tmp_path: Path) -> None:
    old, new = document_of(["an old fox", "a whale"]), document_of(["it's a new fox"])
    held = store(tmp_path)
    held.put(old, line_chunks(old), strategy="lines", options_hash="0", options={})
    reader = lance.dataset(str(tmp_path / "store" / "chunks.lance"))
    held.put(new, line_chunks(new), strategy="lines", options_hash="0", options={})
    assert lance.dataset(str(tmp_path / "store" / "chunks.lance")).version == reader.version + 1
    assert reader.count_rows(filter="kind = 'chunk'") == 2
    assert [chunk.source_text for chunk, _, _ in held.search(Query("fox"))] == ["it's a new fox\n"]
