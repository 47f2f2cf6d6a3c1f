"""A folder that keeps sources, documents and chunks, and answers questions with citations."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from pathlib import Path
from typing import Any, Self

from pecia import plugins
from pecia.citing.cite import cite as cite_chunk
from pecia.citing.cite import find
from pecia.citing.passage import best_passage
from pecia.errors import CitationError, LibraryError, NotHeldError, OptionError
from pecia.model import Chunk, Citation, Document, Finding, Hit, Page, Query, Severity, Span
from pecia.protocols import Strategy
from pecia.retrieving.bm25 import best
from pecia.retrieving.transient import rank as rank_chunks
from pecia.segmenting.headings import HeadingTree
from pecia.storing import cuttings
from pecia.storing.checks import damage
from pecia.storing.connection import guarded
from pecia.storing.cuttings import Entry
from pecia.storing.filters import Where, conditions, matches
from pecia.storing.held import Held, held_documents
from pecia.storing.originals import Originals, Prepared, local_file, sha256_of
from pecia.storing.sqlite import SqliteStore

RETRIEVER = "bm25"
# Characters of the texts whose heading trees are kept: 32 MB at two bytes each.
_KEPT_CHARACTERS = 16_000_000
# Copies begun anew where a document went meanwhile; a second one suffices unless files change all the time.
_ATTEMPTS = 5


class Library:
    """A library in a folder, which is made where it is missing.

    With `keep_originals` each file is copied into `originals/` under its hash; without, its uri is all that is kept.
    LibraryFormatError, with nothing written, for a folder of something else or of a newer pecia. One object may be used
    by several threads, one at a time; several processes may read while one writes.
    """

    def __init__(self, path: str | Path, *, create: bool = True, keep_originals: bool = True) -> None:
        self.path = Path(path)
        self._keep = keep_originals
        self._originals = Originals(self.path / "originals")
        self._sound: set[str] = set()
        self._trees: OrderedDict[str, tuple[HeadingTree, int]] = OrderedDict()
        self._store = SqliteStore(self.path, attributes=plugins.attributes(), ranker=best, create=create)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    def add(
        self,
        document: Document,
        chunks: Iterable[Chunk],
        *,
        strategy: Strategy | None = None,
        options_hash: str | None = None,
        options: Mapping[str, Any] | None = None,
        original: str | Path | bytes | None = None,
    ) -> bool:
        """Adds a document and its chunks in one transaction; True where anything changed.

        What the same uri, strategy and options gave before is replaced; a file that changed loses the chunks of its
        former bytes. The record does not hold the options: give the strategy, or a hash of its options. Without either
        the hash is made of requested_strategy, max_tokens, overlap_tokens and tokenizer, so that two cuttings that differ
        in another option alone would replace each other. `original` is the file or its bytes where the uri of the source
        does not lead to it. DocumentError where the file is no longer the one that was parsed; RecordError for chunks of
        another document or text.
        """
        held = list(chunks)
        name, identity, given = _cutting(held, strategy, options_hash, options)
        prepared: Prepared | None = None
        if self._keep:
            source = Path(original) if isinstance(original, str) else original
            prepared = self._originals.prepare(document.source, source)
        try:
            changed = self._store.put(document, held, strategy=name, options_hash=identity, options=given, original=prepared)
        except BaseException:
            if prepared and prepared.discard():
                with contextlib.suppress(LibraryError):  # a copy that belongs to nothing; verify would say so
                    self._store.release(self._originals.remove, document.source.sha256)
            raise
        if changed:
            self._store.release(self._originals.remove)
        elif prepared:
            prepared.discard()
        return changed

    def holds(self, file: str | Path, strategy: str, options_hashes: Iterable[str]) -> bool:
        """True where these very bytes of a file are held, cut by the strategy that was asked for under any of the options."""
        path = Path(os.path.realpath(file))  # `resolve` fails on a link that leads to itself
        hashes, cuttings = self._store.held(path.as_uri())
        known = any((strategy, identity) in cuttings for identity in options_hashes)
        try:
            return known and len(hashes) == 1 and path.is_file() and sha256_of(path) in hashes
        except OSError:  # it cannot be read any more; whoever parses it says so
            return False

    def delete(self, target: str) -> int:
        """Removes a document by its id, or a source by its uri with the documents that no other source has.

        Returns the number of chunks that went; LibraryError where there is no such document or source.
        """
        with self._store.writing():
            held = self._store.documents()
            if any(item.document_id == target for item in held):
                gone = self._store.delete(target)
            elif any(uri == target for item in held for uri, _ in item.sources):
                gone = self._store.delete_source(target)
            else:
                raise NotHeldError(f"{self.path} holds no document or source {target}")
        self._store.release(self._originals.remove)
        return gone

    def search(self, text: str, *, k: int = 10, where: Where | None = None) -> list[Hit]:
        """The k chunks that answer best, each with its citation, which has just been compared with the stored source.

        Chunks with quarantined content come after all others. QueryError for a blank text or k below 1, FilterError for a
        `where` that cannot be read, CitationError where a hit no longer stands in its source.
        """
        query = Query(text, k, where or ())
        with self._store.snapshot():
            return [
                Hit(chunk, score, rank, RETRIEVER, self._cite(chunk, uri))
                for rank, (chunk, score, uri) in enumerate(self._store.search(query), 1)
            ]

    def cite(self, chunk: Chunk | str, *, quote: str | None = None, start: int = 0) -> Citation:
        """The citation of a chunk or chunk id, or of a quote inside it: its first place from the offset `start` on.

        CitationError where the chunk, or the quote, does not stand in the stored source.
        """
        with self._store.snapshot():
            if isinstance(chunk, str):
                found, uri = self._store.chunk(chunk)
            else:
                found, uri = chunk, self._store.uri(chunk.document_id)
            return self._cite(found, uri, None if quote is None else find(found, quote, start=start))

    def passage(self, hit: Hit, query: str) -> Citation:
        """The citation of the sentences of a hit that answer best: what to show of a long chunk."""
        inside, start = best_passage(hit.chunk.source_text, query), hit.chunk.span.start
        span = Span(start + inside.start, start + inside.end)
        with self._store.snapshot():
            citation = self._cite(hit.chunk, hit.citation.uri, span)
            return replace(citation, headings=self._headings(hit.chunk.document_id).path_of(span))

    def _headings(self, document_id: str) -> HeadingTree:
        """The heading tree of a stored document; those asked for last are kept, since making one reads all of it."""
        if document_id not in self._trees:
            document = self._store.document(document_id)
            self._trees[document_id] = (HeadingTree(document), len(document.text))
            while len(self._trees) > 1 and sum(size for _, size in self._trees.values()) > _KEPT_CHARACTERS:
                self._trees.popitem(last=False)
        self._trees.move_to_end(document_id)
        return self._trees[document_id][0]

    def chunk(self, chunk_id: str) -> Chunk:
        """The chunk of that id; LibraryError where there is none."""
        return self._store.chunk(chunk_id)[0]

    def original(self, chunk_id: str) -> Path:
        """The kept file that a chunk was cut from, else the local file that it was cut from; LibraryError where neither is
        there."""
        chunk, uri = self._store.chunk(chunk_id)
        name, _ = self._store.original(chunk.document_id)
        path = self._originals.path(name) if name else local_file(uri)
        if path is None or not path.is_file():
            raise NotHeldError(f"the file of chunk {chunk_id} is not kept here, and {uri} is not a local file")
        return path

    def _cite(self, chunk: Chunk, uri: str, span: Span | None = None) -> Citation:
        try:
            text, text_hash = self._store.hashed_text(chunk.document_id, chunk.text_hash)
        except LibraryError:
            text, text_hash = self._store.hashed_text(chunk.document_id)  # of another parser: `cite` says so
        self._check_original(chunk.document_id)
        return cite_chunk(chunk, uri, text, text_hash, span=span, locate=lambda part: self._store.locate(chunk, part))

    def _check_original(self, document_id: str) -> None:
        """Compares a kept original with its hash before its first citation; once for each document, as it costs 1 s a GB."""
        if document_id in self._sound:
            return
        name, sha256 = self._store.original(document_id)
        if name is not None:
            fault = self._fault(name, sha256)
            if fault:
                raise CitationError(f"the kept original of {document_id:.12} {fault[1]}: {name}")
        self._sound.add(document_id)

    def _fault(self, name: str, sha256: str) -> tuple[str, str] | None:
        """The rule and the words for what is wrong with a kept original; None where nothing is, and where its document went
        while an older state of the library is read, since the file goes with it."""
        path = self._originals.path(name)
        try:
            if sha256_of(path) == sha256:
                return None
            found = ("LB006", "has other bytes than were added")
        except FileNotFoundError:
            found = ("LB005", "is missing")
        return found if self._store.keeps(name) else None

    def export(self, where: Where | None = None) -> Iterator[Chunk]:
        """All chunks that fit, in the order of source uri, strategy and position."""
        return self._store.chunks(where)

    def documents(self) -> list[Held]:
        """What the library holds: documents with their sources and cuttings."""
        return self._store.documents()

    def document(self, document_id: str, *, text_hash: str | None = None, near: Span | None = None) -> Document:
        """The document as it was parsed; left edges of characters are rounded to 0.01 point. `text_hash` tells the reading
        where there are several; with `near` only the blocks that touch that span are there."""
        return self._store.document(document_id, text_hash, near)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """All that is read inside is of one state of the library."""
        with self._store.snapshot():
            yield

    def entries(self, *, before: int | None = None, limit: int = 50, name: str = "") -> list[Entry]:
        """Cuttings, the latest first: at most `limit`, with a number below `before`, whose file name holds `name`."""
        with self._store.snapshot() as connection:
            return cuttings.entries(connection, before=before, limit=limit, name=name)

    def entry(self, key: str) -> Entry:
        """The cutting of that key; LibraryError where there is none."""
        with self._store.snapshot() as connection:
            found = cuttings.entry(connection, key)
        if found is None:
            raise NotHeldError(f"{self.path} holds no document {key}")
        return found

    def entries_of(self, chunks: Iterable[Chunk]) -> list[tuple[Entry, int] | None]:
        """For each chunk its cutting and its position there, from 0; None where it went."""
        with self._store.snapshot() as connection:
            return cuttings.entries_of(connection, chunks)

    def position(self, entry: Entry, chunk_id: str) -> int | None:
        """Where a chunk of that id stands in a cutting, from 0; None where it is of another one."""
        with self._store.snapshot() as connection:
            return cuttings.position(connection, entry.number, chunk_id)

    def entry_count(self) -> int:
        with self._store.snapshot() as connection:
            return cuttings.count(connection)

    def chunks_of(self, entry: Entry, first: int = 0, last: int | None = None) -> list[tuple[int, Chunk]]:
        """The chunks of a cutting with their positions, from `first` up to `last`, exclusive."""
        with self._store.snapshot() as connection:
            rows = cuttings.records(connection, entry.number, first, entry.chunks if last is None else last)
            return [(position, self._store.read(record, entry.name)) for position, record in rows]

    def chunks_on(self, entry: Entry, page: int) -> list[tuple[int, Chunk]]:
        """The chunks of a cutting that touch a physical page, counted from 0, with their positions."""
        with self._store.snapshot() as connection:
            rows = cuttings.records_on(connection, entry.number, page)
            return [(position, self._store.read(record, entry.name)) for position, record in rows]

    def values(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """What chunks hold of these attributes, where it is a choice: two values or more, and not too many to offer."""
        with self._store.snapshot() as connection:
            return cuttings.values(connection, names)

    def pages(self, entry: Entry) -> tuple[Page, ...]:
        """The pages of a cutting's document; none where its format has none."""
        return self._store.document(entry.document_id, entry.text_hash, Span(0, 0)).pages

    def remove(self, entry: Entry) -> int:
        """Removes one cutting, with its document and kept original where no other cutting has them; the number of chunks
        that went."""
        gone = self._store.delete_cutting(entry.number)
        self._store.release(self._originals.remove)
        return gone

    def kept(self, entry: Entry) -> Path:
        """The kept original of a cutting; LibraryError where there is none."""
        path = self._originals.path(entry.original) if entry.original else None
        if path is None or not path.is_file():
            raise NotHeldError(f"the file of {entry.name} is not kept here")
        return path

    def rebuild(self) -> int:
        """Makes all that is searched anew from the stored chunks; the number of them."""
        return self._store.rebuild()

    def backup(self, target: str | Path) -> None:
        """Copies the library as it is at this moment into a new folder, which has its name only when all is copied.

        LibraryError, with nothing left behind, where the folder is there already or a kept original is missing.
        """
        folder = Path(target)
        with guarded(folder):
            if folder.exists():
                raise LibraryError(f"{folder} is there already; name a new folder")
            with tempfile.TemporaryDirectory(dir=folder.resolve().parent, prefix=f".{folder.name}.") as temporary:
                for attempt in range(_ATTEMPTS):
                    made = Path(temporary) / f"library{attempt}"
                    if self._copied(made):
                        made.rename(folder)
                        return
        raise LibraryError(f"{self.path} changes faster than it is copied; try again when less is written")

    def _copied(self, folder: Path) -> bool:
        """False where a document went, with its original, between the copy of the database and that of its file."""
        folder.mkdir()
        for name in self._store.copy_to(folder):
            (folder / "originals" / name).parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copy2(self._originals.path(name), folder / "originals" / name)
            except FileNotFoundError as error:
                if self._store.keeps(name):
                    raise LibraryError(f"the kept original {name} cannot be copied: it is missing") from error
                return False
        return True

    def verify(self) -> Iterator[Finding]:
        """What is damaged: texts, spans, originals, the index. Nothing is changed."""
        with self._store.reader() as connection:
            yield from damage(connection)
            kept = {item.original: item.sha256 for item in held_documents(connection) if item.original}
            for name, sha256 in kept.items():
                if fault := self._fault(name, sha256):
                    yield Finding(fault[0], Severity.ERROR, f"original {name} {fault[1]}")
            for name in self._originals.names():
                if name not in kept and not self._store.keeps(name):
                    yield Finding("LB007", Severity.INFO, f"{name} belongs to no document; an add was interrupted")


def rank(
    chunks: Iterable[Chunk], documents: Document | Iterable[Document], query: str, *, k: int = 10, where: Where | None = None
) -> list[Hit]:
    """The k best of the chunks for a query, ranked in memory; the citations are compared with the documents.

    The same errors as `Library.search`; CitationError also for a chunk of a document that is not given. Scores are those
    of a library that holds just these chunks.
    """
    asked = Query(query, k, where or ())
    wanted = conditions(where, plugins.attributes())
    texts = {item.id: item for item in ([documents] if isinstance(documents, Document) else documents)}
    held = list(chunks)
    if wanted:
        fitting = {id(chunk) for chunk in held if all(matches(item, chunk.to_record()) for item in wanted)}
        ranked = [item for item in rank_chunks(held, asked.text, len(held)) if id(item[0]) in fitting][:k]
    else:
        ranked = rank_chunks(held, asked.text, k)
    return [
        Hit(chunk, score, number, RETRIEVER, _cite_transient(chunk, texts)) for number, (chunk, score) in enumerate(ranked, 1)
    ]


def _cite_transient(chunk: Chunk, documents: Mapping[str, Document]) -> Citation:
    document = documents.get(chunk.document_id)
    if document is None:
        raise CitationError(f"chunk {chunk.chunk_id} is of document {chunk.document_id:.12}, which was not given")
    return cite_chunk(chunk, document.source.uri, document.text, document.text_hash)


def _cutting(
    chunks: Sequence[Chunk], strategy: Strategy | None, options_hash: str | None, options: Mapping[str, Any] | None
) -> tuple[str, str, Mapping[str, Any]]:
    """(strategy asked for, options hash, options) of chunks."""
    names = {chunk.requested_strategy for chunk in chunks} or ({strategy.name} if strategy else set())
    if len(names) != 1:
        raise OptionError(
            f"chunks of {len(names)} strategies ({', '.join(sorted(names))}); add one cutting at a time"
            if names
            else "there are no chunks; say with strategy= what cut the document"
        )
    if strategy is not None and options_hash is None:
        held = getattr(strategy, "options", None)
        given = asdict(held) if is_dataclass(held) and not isinstance(held, type) else {}
        return names.pop(), strategy.options_hash, options or given
    if options_hash is None:
        sizes = sorted({(chunk.max_tokens, chunk.overlap_tokens, chunk.tokenizer) for chunk in chunks})
        options = options or {"sizes": [list(item) for item in sizes]}
        options_hash = hashlib.sha256(json.dumps([sorted(names), sizes]).encode()).hexdigest()[:16]
    return names.pop(), options_hash, options or {}
