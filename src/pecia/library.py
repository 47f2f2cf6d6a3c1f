"""A folder that keeps sources, documents and chunks, and answers questions with citations."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from pecia import plugins
from pecia.citing.cite import cite as cite_chunk
from pecia.citing.cite import find
from pecia.citing.passage import best_part, best_passage
from pecia.citing.whole import SHOWN_WHOLE, each_once, whole
from pecia.embedding.windows import windows
from pecia.entries import KeepsCuttings, cutting_of
from pecia.errors import CitationError, LibraryError, NotHeldError, PeciaError
from pecia.heritage.dedupe import Duplicates
from pecia.linking import relink
from pecia.model import (
    Chunk,
    ChunkKind,
    Citation,
    Document,
    Embedded,
    Finding,
    Hit,
    Progress,
    Query,
    Severity,
    Span,
)
from pecia.protocols import Embedder, Meaning, Strategy, Understanding
from pecia.records import document_of
from pecia.retrieving.bm25 import best
from pecia.retrieving.quoted import favouring
from pecia.segmenting.headings import HeadingTree
from pecia.storing import vectors
from pecia.storing.checks import damage
from pecia.storing.connection import guarded
from pecia.storing.filters import Where, conditions, fits
from pecia.storing.held import Held, asked_for, held_documents
from pecia.storing.holdings import FacetHoldings
from pecia.storing.originals import Originals, Prepared, local_file, sha256_of
from pecia.storing.sqlite import SqliteStore
from pecia.understanding import understood, with_understood

RETRIEVER = "bm25"
# Characters of the texts whose heading trees are kept: 32 MB at two bytes each.
_KEPT_CHARACTERS = 16_000_000
# Copies begun anew where a document went meanwhile; a second one suffices unless files change all the time.
_ATTEMPTS = 5


class Library(KeepsCuttings):
    """A library in a folder, which is made where it is missing.

    With `keep_originals` each file is copied into `originals/` under its hash; without, its uri is all that is kept.
    LibraryFormatError, with nothing written, for a folder of something else or of a newer pecia. One object may be used
    by several threads, one at a time; several processes may read while one writes. `embedder` is one that no plug-in name
    leads to, for a library that was embedded with it.
    """

    def __init__(
        self, path: str | Path, *, create: bool = True, keep_originals: bool = True, embedder: Embedder | None = None
    ) -> None:
        self.path = Path(path)
        self._keep = keep_originals
        self._originals = Originals(self.path / "originals")
        self._sound: set[str] = set()
        self._trees: OrderedDict[tuple[str, str], tuple[HeadingTree, int]] = OrderedDict()
        self._embedders = {embedder.name: embedder} if embedder else {}
        self._store = SqliteStore(self.path, attributes=plugins.attributes(), ranker=best, likeness=_likeness, create=create)

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
        terms: Sequence[str] = (),
    ) -> bool:
        """Adds a document and its chunks in one transaction; True where anything changed.

        What the same uri, strategy and options gave before is replaced; a file that changed loses the chunks of its
        former bytes. The record does not hold the options: give the strategy, or a hash of its options. Without either
        the hash is made of requested_strategy, max_tokens, overlap_tokens and tokenizer, so that two cuttings that differ
        in another option alone would replace each other. `original` is the file or its bytes where the uri of the source
        does not lead to it; `terms` is what each chunk is found by, where a `Cutting` has them already. DocumentError where
        the file is no longer the one that was parsed; RecordError for chunks of another document or text.
        """
        held = list(chunks)
        name, identity, given = cutting_of(held, strategy, options_hash, options)
        prepared: Prepared | None = None
        if self._keep:
            source = Path(original) if isinstance(original, str) else original
            prepared = self._originals.prepare(document.source, source)
        try:
            changed = self._store.put(
                document, held, strategy=name, options_hash=identity, options=given, original=prepared, terms=terms
            )
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

    def load(self, chunks: Iterable[Chunk], documents: Iterable[Document] = (), *, original: str | Path | None = None) -> int:
        """Adds chunks that were read from records, all of them or none; the number of cuttings that changed.

        The documents that are not given are put together from their chunks (`pecia.records.document_of`); RecordError where
        that cannot be proven. `original` is the file of the documents, where it is at hand.
        """
        groups: dict[tuple[str, str], list[Chunk]] = {}
        for chunk in chunks:
            groups.setdefault((chunk.document_id, chunk.requested_strategy), []).append(chunk)
        texts = {document.id: document for document in documents}
        for document_id, _ in groups:
            if document_id not in texts:
                texts[document_id] = document_of(
                    [chunk for key, held in groups.items() if key[0] == document_id for chunk in held]
                )
        copies = list[Prepared]()
        try:
            kept = {
                document_id: self._originals.prepare(texts[document_id].source, Path(original))
                for document_id in {document_id for document_id, _ in groups}
                if original and self._keep
            }
            copies += [copy for copy in kept.values() if copy]
            with self._store.writing():
                changed = 0
                for (document_id, _), held in groups.items():
                    name, identity, given = cutting_of(held, None, None, None)
                    changed += self._store.put(
                        texts[document_id],
                        held,
                        strategy=name,
                        options_hash=identity,
                        options=given,
                        original=kept.get(document_id),
                    )
        except BaseException:
            for copy in copies:
                if copy.discard():
                    with contextlib.suppress(LibraryError):
                        self._store.release(self._originals.remove, *{texts[key].source.sha256 for key, _ in groups})
            raise
        for copy in copies:  # those that nothing changed for
            copy.discard()
        self._store.release(self._originals.remove)
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

    def relink(self) -> Iterator[tuple[int, int]]:
        """Looks in conversations and web pages for the entities that registries and entities of the library name, where it
        holds others than when it last looked; tells after each document how many are done, and of how many.

        The attributes of chunks change, and with them what filters find; ids, texts and spans never do. A cutting that was
        given files of entities keeps to those.
        """
        yield from relink(self._store)

    def embed(self, embedder: str | Embedder = "nano") -> Iterator[Progress]:
        """Gives every chunk that has none yet its vectors, and tells how far it is after each batch.

        What was made before an interruption is kept. MissingExtraError where the embedder is not installed.
        """
        made = plugins.embedder(embedder) if isinstance(embedder, str) else embedder
        self._embedders[made.name] = made
        return self._store.embed(made, embedder if isinstance(embedder, str) else "", windows, plugins.surfaces)

    def search(self, text: str, *, k: int = 10, where: Where | None = None, mode: str = "auto") -> list[Hit]:
        """The k chunks that answer best, each with its citation, which has just been compared with the stored source.

        `mode` is `bm25` (terms), `dense` (vectors), `hybrid` (both) or `auto`: hybrid where every chunk has its vectors and
        their embedder is at hand, else bm25; each hit says what found it. What strategies understand of the question
        (`understand`) counts too. Chunks with quarantined content come after all others. Of a pair of question and answer the
        best part is given, with the citation of the whole pair, once. What holds the words that the question has in quotation
        marks, in their order, counts double. QueryError for a blank text or k below 1, FilterError for
        a `where` that cannot be read, CitationError where a hit no longer stands in its source, LibraryError where there are no
        vectors for the mode, MissingExtraError where their embedder is not installed.
        """
        query = Query(text, k, where or (), mode)
        with self._store.snapshot():
            mode, meaning = self._meaning(query)
            query = with_understood(query, self.understand(text))
            search = favouring(text, lambda k: list(self._store.search(replace(query, k=k), meaning)))
            found = each_once(search, lambda row: self.unit_of(row[0]), k)
            return [self._hit(chunk, score, rank, mode, uri, text) for rank, (chunk, score, uri) in enumerate(found, 1)]

    def _hit(self, chunk: Chunk, score: float, rank: int, mode: str, uri: str, query: str) -> Hit:
        if chunk.chunk_kind not in SHOWN_WHOLE:
            return Hit(chunk, score, rank, mode, self._cite(chunk, uri))
        parts = self.segment_of(chunk)
        if chunk.chunk_kind is ChunkKind.PAIR:
            chunk = best_part(chunk, parts, query)
        return Hit(chunk, score, rank, mode, self._whole(chunk, parts, uri))

    def understand(self, text: str) -> Understanding:
        """What the strategies that the library was cut by take a question for; `search` boosts what fits it."""
        with self._store.snapshot() as connection:
            return understood(text, FacetHoldings(connection), asked_for(connection))

    def _meaning(self, query: Query) -> tuple[str, Meaning | None]:
        """The mode that is meant, and what the question means by the vectors that the library has."""
        if query.mode == RETRIEVER:
            return RETRIEVER, None
        held = self._store.embedders()
        if query.mode == "auto":
            held = [item for item in held if item.whole]
            try:
                return ("hybrid", self._asked(query, held[0])) if held else (RETRIEVER, None)
            except PeciaError:  # not installed here, of another version or out of reach: auto means what can be had
                return RETRIEVER, None
        if not held:
            raise LibraryError(f"{self.path} holds no vectors; pecia embed makes them")
        return query.mode, self._asked(query, held[0])

    def _asked(self, query: Query, held: Embedded) -> Meaning:
        """The question as the embedder of the vectors sees it."""
        embedder = self._embedder(held)
        asked = {
            item.attribute.name: item.values[0]
            for item in conditions(query.where, plugins.attributes())
            if item.operator == "=" and len(item.values) == 1
        }
        vector = embedder.query(vectors.context(asked) + query.text)
        if len(vector) != held.dimension:
            raise LibraryError(f"{held.name} gave vectors of {held.dimension} numbers and now gives {len(vector)}: embed anew")
        return Meaning(embedder.name, vector)

    @property
    def has_vectors(self) -> bool:
        """True where chunks were embedded, so that a search may go by meaning."""
        return bool(self._store.embedders())

    def _embedder(self, held: Embedded) -> Embedder:
        """The embedder that made the vectors; LibraryError where another version bears its name now."""
        if held.name not in self._embedders:
            if not held.plugin:
                raise LibraryError(f"{self.path} was embedded with {held.name}, which must be given: Library(…, embedder=…)")
            found = plugins.embedder(held.plugin)
            if found.name != held.name:
                raise LibraryError(f"{self.path} was embedded with {held.name}, this is {found.name}: embed it anew")
            self._embedders[held.name] = found
        return self._embedders[held.name]

    def points(self) -> Iterator[tuple[UUID, str, str, Span, Sequence[float]]]:
        """(point id, chunk id, name of the surface, window in its text, vector) of all vectors of the latest embedder, for
        another store. `pecia.plugins.surfaces` gives the texts."""
        with self._store.reader() as connection:
            for held in vectors.embedders(connection)[:1]:
                yield from vectors.points(connection, held)

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
            path = self._headings(hit.chunk.document_id, hit.chunk.text_hash).path_of(span)
            return replace(citation, headings=path or citation.headings)

    def hydrate(self, hit: Hit) -> Citation:
        """The citation of the whole segment that a hit is a part of: the whole section, the whole pair. Its quote holds the parts
        in order, what they share once, and the tables among them."""
        with self._store.snapshot():
            parts = self.segment_of(hit.chunk)
            return self._whole(hit.chunk, [*parts, *self.tables_among(parts)], hit.citation.uri)

    def _whole(self, chunk: Chunk, cutting: Sequence[Chunk], uri: str) -> Citation:
        text, text_hash = self._store.hashed_text(chunk.document_id, chunk.text_hash)
        self._check_original(chunk.document_id)
        return whole(chunk, cutting, uri, text, text_hash)

    def _headings(self, document_id: str, text_hash: str) -> HeadingTree:
        """The heading tree of a stored document, by its id and the hash of its text; those asked for last are kept, since making
        one reads all of it."""
        reading = document_id, text_hash
        if reading not in self._trees:
            document = self._store.document(document_id, text_hash)
            self._trees[reading] = (HeadingTree(document), len(document.text))
            while len(self._trees) > 1 and sum(size for _, size in self._trees.values()) > _KEPT_CHARACTERS:
                self._trees.popitem(last=False)
        self._trees.move_to_end(reading)
        return self._trees[reading][0]

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

    def canonical(self, where: Where | None = None) -> Iterator[Chunk]:
        """The chunks that are left of the whole library where texts that are equal, and records of one entity, stand once; of
        these the ones that fit, in the order of `export`.

        Of several the highest tier stays, of one tier the first by source uri and place; it names the others in `also_in`, each
        with the reason. Reads the library twice, in one state; holds some 500 bytes a chunk.
        """
        wanted = conditions(where, plugins.attributes())
        with self._store.pass_over() as read:
            duplicates = Duplicates()
            for chunk, uri in read():
                duplicates.show(chunk, uri)
            for chunk in duplicates.settle()(chunk for chunk, _ in read()):
                if fits(chunk, wanted):
                    yield chunk

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
            yield from vectors.vector_damage(connection, self.path, lambda record: plugins.surfaces(self._store.read(record, "")))
            kept = {item.original: item.sha256 for item in held_documents(connection) if item.original}
            for name, sha256 in kept.items():
                if fault := self._fault(name, sha256):
                    yield Finding(fault[0], Severity.ERROR, f"original {name} {fault[1]}")
            for name in self._originals.names():
                if name not in kept and not self._store.keeps(name):
                    yield Finding("LB007", Severity.INFO, f"{name} belongs to no document; an add was interrupted")


def _likeness(*given: Any) -> Any:
    from pecia.retrieving.dense import Likeness  # numpy, which a search by terms does without, takes 80 ms to load

    return Likeness(*given)
