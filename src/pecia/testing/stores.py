"""What every store must do, whoever wrote it: `check_store(make)` raises AssertionError with the promise that is broken.

    def test_my_store(tmp_path):
        check_store(lambda: MyStore(tmp_path))

`make` is called several times and must open the same, at first empty, store; what it returns is closed before the next call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Protocol

from pecia.model import Boost, Chunk, ChunkKind, Document, Query, Source, Span, chunk_ids
from pecia.storing.filters import Where


class KeepsChunks(Protocol):
    """The part of a store that the suite uses; `pecia.protocols.Store` with the name of the strategy."""

    def put(
        self, document: Document, chunks: Sequence[Chunk], *, strategy: str, options_hash: str, options: Mapping[str, Any]
    ) -> bool: ...
    def delete(self, document_id: str) -> int: ...
    def search(self, query: Query) -> Any: ...
    def chunks(self, where: Where | None = None) -> Any: ...
    def text(self, document_id: str) -> str: ...
    def close(self) -> None: ...


Make = Callable[[], KeepsChunks]
_CUT: dict[str, Any] = {"strategy": "lines", "options_hash": "0", "options": {}}


def document_of(lines: Sequence[str], uri: str = "memory:a.txt") -> Document:
    """A text document of these lines."""
    text = "".join(f"{line}\n" for line in lines)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(digest, Source(uri, uri.rpartition("/")[2].rpartition(":")[2], "text/plain", digest), text)


def line_chunks(document: Document, strategy: str = "lines", **attributes: Any) -> list[Chunk]:
    """One chunk for each line; `attributes` go into each."""
    chunks, start = [], 0
    lines = document.text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        span = Span(start, start + len(line))
        start = span.end
        place = document.locate(span)
        chunks.append(
            Chunk(
                chunk_id=chunk_ids(document.id, strategy, "0", "s0", ChunkKind.PROSE)(span),
                document_id=document.id,
                source_name=document.source.name,
                text_hash=document.text_hash,
                strategy=strategy,
                requested_strategy=strategy,
                chunk_kind=ChunkKind.PROSE,
                segment_id="s0",
                headings=(),
                text=line,
                source_text=line,
                context_labels=(),
                span=span,
                page_range=place.page_range,
                printed_range=place.printed_range,
                locators=place.locators,
                part_index=number,
                part_count=len(lines),
                est_tokens=len(line.split()),
                tokenizer="estimate",
                max_tokens=100,
                overlap_tokens=0,
                attributes=attributes,
            )
        )
    return chunks


def check_store(make: Make) -> None:
    """Runs all promises on an empty store, which is empty again afterwards."""
    promises = (_keeps, _idempotent, _replaces, _two_sources, _side_by_side, _deletes, _equal_texts, _quarantined_last, _boosts)
    for promise in promises:
        promise(make)
        with closing(make()) as store:
            held = {chunk.document_id for chunk in store.chunks()}
            gone = sum(store.delete(item) for item in held)
            assert not list(store.chunks()), f"{promise.__name__}: chunks are left after all documents are deleted"
            assert gone or not held, f"{promise.__name__}: delete does not count"


def _found(store: KeepsChunks, text: str, **where: Any) -> list[str]:
    return [chunk.source_text.strip() for chunk, _, _ in store.search(Query(text, 10, where))]


def _keeps(make: Make) -> None:
    document = document_of(["the red fox", "a blue whale", "thuốc kháng sinh", "會議紀錄"])
    chunks = line_chunks(document)
    with closing(make()) as store:
        assert store.put(document, chunks, **_CUT), "put says that a new document changed nothing"
    with closing(make()) as store:
        assert list(store.chunks()) == chunks, "chunks come back otherwise than they were put"
        assert store.text(document.id) == document.text, "the text comes back otherwise than it was put"
        assert _found(store, "fox") == ["the red fox"]
        assert _found(store, "khang sinh") == ["thuốc kháng sinh"]
        assert _found(store, "會議") == ["會議紀錄"]
        assert _found(store, "zebra") == [], "a term that nothing holds finds something"
        assert [uri for _, _, uri in store.search(Query("fox"))] == [document.source.uri]
        assert _found(store, "fox whale", part_index=1) == ["a blue whale"], "the filter is not applied"


def _idempotent(make: Make) -> None:
    document = document_of(["one fox", "two foxes"])
    with closing(make()) as store:
        store.put(document, line_chunks(document), **_CUT)
        before = list(store.search(Query("fox")))
        assert not store.put(document, line_chunks(document), **_CUT), "putting the same again says that it changed something"
        assert list(store.search(Query("fox"))) == before, "putting the same again changes the answers"


def _replaces(make: Make) -> None:
    old, new = document_of(["old fox"]), document_of(["new whale"])
    with closing(make()) as store:
        store.put(old, line_chunks(old), **_CUT)
        assert store.put(new, line_chunks(new), **_CUT)
        assert _found(store, "fox whale") == ["new whale"], "chunks of the former bytes are still found"
        assert {chunk.document_id for chunk in store.chunks()} == {new.id}


def _two_sources(make: Make) -> None:
    first, second = document_of(["same fox"], "memory:a.txt"), document_of(["same fox"], "memory:b.txt")
    other = document_of(["other whale"], "memory:a.txt")
    with closing(make()) as store:
        store.put(first, line_chunks(first), **_CUT)
        assert store.put(second, line_chunks(second), **_CUT), "a second source of the same bytes is not taken"
        assert _found(store, "fox") == ["same fox"], "the same bytes under two uris are found twice"
        store.put(other, line_chunks(other), **_CUT)
        assert _found(store, "fox") == ["same fox"], "a document goes although another source has it"
        assert [uri for _, _, uri in store.search(Query("fox"))] == ["memory:b.txt"], "the uri that changed is still cited"


def _side_by_side(make: Make) -> None:
    document = document_of(["a fox here"])
    with closing(make()) as store:
        store.put(document, line_chunks(document), **_CUT)
        store.put(document, line_chunks(document, "other"), strategy="other", options_hash="1", options={})
        assert len(list(store.chunks())) == 2, "two strategies do not stand side by side"
        assert [chunk.strategy for chunk in store.chunks({"strategy": "other"})] == ["other"]


def _deletes(make: Make) -> None:
    document = document_of(["a fox", "two fox"])
    with closing(make()) as store:
        store.put(document, line_chunks(document), **_CUT)
        assert store.delete(document.id) == 2, "delete does not count the chunks that went"
        assert _found(store, "fox") == [], "a deleted document is found"
        assert store.delete(document.id) == 0, "a document is deleted twice"
        assert store.put(document, line_chunks(document), **_CUT), "what was deleted cannot be put again"


def _equal_texts(make: Make) -> None:
    document = document_of(["the same line"] * 3)
    with closing(make()) as store:
        store.put(document, line_chunks(document), **_CUT)
        spans = sorted(chunk.span.start for chunk, _, _ in store.search(Query("same line")))
        assert spans == [0, 14, 28], f"equal chunks are not kept apart: {spans}"


def _quarantined_last(make: Make) -> None:
    document = document_of(["fox fox fox", "a fox and a whale and many more words", "nothing"])
    chunks = line_chunks(document)
    chunks[0] = replace(chunks[0], has_quarantined_content=True)
    with closing(make()) as store:
        store.put(document, chunks, **_CUT)
        flags = [chunk.has_quarantined_content for chunk, _, _ in store.search(Query("fox"))]
        assert flags == [False, True], "what is quarantined does not come last"


def _boosts(make: Make) -> None:
    document = document_of(["fox fox fox", "a fox and a whale and many more words", "nothing"])
    boost = Boost({"part_index": 1}, 100.0)
    with closing(make()) as store:
        store.put(document, line_chunks(document), **_CUT)
        plain = {chunk.part_index: score for chunk, score, _ in store.search(Query("fox"))}
        found = [(chunk.part_index, score) for chunk, score, _ in store.search(Query("fox", boosts=(boost,)))]
        assert [index for index, _ in found] == [1, 0], "what fits a boost does not count more, or the rest is lost"
        assert abs(found[0][1] - 100 * plain[1]) < 1e-6, "a boost is no factor"
        assert [chunk.part_index for chunk, _, _ in store.search(Query("fox", 1, boosts=(boost,)))] == [1]
