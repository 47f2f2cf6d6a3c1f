"""What every store must do, whoever wrote it: `check_store(make)` raises AssertionError with the promise that is broken.

    def test_my_store(tmp_path):
        check_store(lambda: MyStore(tmp_path))

`make` is called several times and must open the same, at first empty, store; what it returns is closed before the next call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from pecia.embedding.windows import windows
from pecia.model import Boost, Chunk, ChunkKind, Document, Embedded, Progress, Query, Source, Span, chunk_ids
from pecia.protocols import Embedder, Meaning, Surfaces, Windows
from pecia.storing.filters import Where

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


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


class KeepsVectors(KeepsChunks, Protocol):
    """The part that concerns vectors."""

    def search(self, query: Query, meaning: Meaning | None = None) -> Any: ...
    def embed(self, embedder: Embedder, plugin: str, windows: Windows, surfaces: Surfaces) -> Iterator[Progress]: ...
    def embedders(self) -> list[Embedded]: ...


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
        _with_an_empty_store(make, promise)


def check_vectors(make: Callable[[], KeepsVectors]) -> None:
    """The same for a store that keeps vectors."""
    for promise in (_embeds, _has_surfaces, _embeds_once, _vectors_go):
        _with_an_empty_store(make, promise)


def _with_an_empty_store(make: Callable[[], Any], promise: Callable[[Any], None]) -> None:
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


class _Axes:
    """Each text of one word lies on an axis of its own, so that the nearest is the same word and nothing else."""

    name, dimension, window, query_prefix, passage_prefix = "axes", 8, 3, "", ""
    words = ("fox", "whale", "heron", "otter")

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str, *, query: bool = False) -> int:
        return len(text.split())

    def passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        import numpy as np

        self.asked += texts
        return np.vstack([self.query(text) for text in texts])

    def query(self, text: str) -> npt.NDArray[np.float32]:
        import numpy as np

        at = [self.words.index(word) for word in text.split() if word in self.words]
        made = np.zeros(self.dimension, np.float32)
        made[at or [self.dimension - 1]] = 1
        made /= np.float32(np.linalg.norm(made))
        return made


def _own_text(chunk: Chunk) -> Mapping[str, str]:
    return {"": chunk.text}


def _near(store: KeepsVectors, word: str, **where: Any) -> list[str]:
    found = store.search(Query(word, 10, where, "dense"), Meaning("axes", _Axes().query(word)))
    return [chunk.source_text.strip() for chunk, _, _ in found]


def _embeds(make: Callable[[], KeepsVectors]) -> None:
    document = document_of(["a fox", "a whale", "one heron or two and then an otter"])
    with closing(make()) as store:
        store.put(document, line_chunks(document), **_CUT)
        assert not store.embedders(), "a store tells of vectors before anything was embedded"
        last = list(store.embed(_Axes(), "axes", windows, _own_text))[-1]
        assert (last.chunks, last.of) == (3, 3), f"{last.chunks} of {last.of} chunks are embedded, not 3 of 3"
    with closing(make()) as store:
        assert store.embedders() == [Embedded("axes", "axes", _Axes.dimension, whole=True)], "what was embedded is not told"
        assert _near(store, "whale")[0] == "a whale", "the nearest does not come first"
        assert _near(store, "otter")[0].endswith("otter"), "what stands behind the first window is not found"
        assert len(_near(store, "fox")) == 3, "a chunk with several windows is found several times, or one is lost"
        assert _near(store, "fox", part_index=1) == ["a whale"], "the filter is not applied to vectors"
        both = store.search(Query("whale", mode="hybrid"), Meaning("axes", _Axes().query("fox")))
        first = [chunk.source_text.strip() for chunk, _, _ in both][:2]
        assert sorted(first) == ["a fox", "a whale"], "terms and vectors together lose what one of them finds"


def _has_surfaces(make: Callable[[], KeepsVectors]) -> None:
    document = document_of(["a fox", "a whale"])
    with closing(make()) as store:
        store.put(document, line_chunks(document), **_CUT)
        named = {"a fox": "heron", "a whale": "otter"}
        list(store.embed(_Axes(), "axes", windows, lambda chunk: {"": chunk.text, "name": named[chunk.text.strip()]}))
        for word, line in (("heron", "a fox"), ("fox", "a fox"), ("otter", "a whale"), ("whale", "a whale")):
            assert _near(store, word)[0] == line, "a chunk is not found by each of its surfaces"
        assert len(_near(store, "fox")) == 2, "a chunk with several surfaces is found several times, or one is lost"


def _embeds_once(make: Callable[[], KeepsVectors]) -> None:
    document, more = document_of(["a fox", "a whale"]), document_of(["a fox", "a heron"], "memory:b.txt")
    embedder = _Axes()
    with closing(make()) as store:
        store.put(document, line_chunks(document), **_CUT)
        list(store.embed(embedder, "axes", windows, _own_text))
        store.put(more, line_chunks(more), **_CUT)
        assert not store.embedders()[0].whole, "a chunk without a vector is not missed"
        list(store.embed(embedder, "axes", windows, _own_text))
        assert len(embedder.asked) == len(set(embedder.asked)) == 3, "a text is embedded twice"
        assert store.embedders()[0].whole, "all chunks have vectors, and the store says otherwise"


def _vectors_go(make: Callable[[], KeepsVectors]) -> None:
    document, other = document_of(["a fox"]), document_of(["a whale"], "memory:b.txt")
    with closing(make()) as store:
        for item in (document, other):
            store.put(item, line_chunks(item), **_CUT)
        list(store.embed(_Axes(), "axes", windows, _own_text))
        store.delete(document.id)
        assert _near(store, "fox") == ["a whale"], "a deleted chunk is found by its vector"
