"""The embedded store: one SQLite file is the truth, and holds what is derived from it beside it."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from pecia.errors import LibraryError, LibraryFormatError, NotHeldError, RecordError
from pecia.model import Attribute, Chunk, Document, Embedded, Location, Progress, Query, Source, Span, text_hash
from pecia.protocols import Embedder, Meaning, Surfaces, Windows
from pecia.storing import indexing, structure, vectors
from pecia.storing.boosts import Rows, boosted
from pecia.storing.clauses import clause
from pecia.storing.connection import DATABASE, connect, guarded, open_database, stamp
from pecia.storing.filters import Condition, Where, conditions
from pecia.storing.held import Held, digest, faults, held_documents
from pecia.storing.originals import Prepared
from pecia.storing.postings import Known, Postings
from pecia.storing.schema import DERIVED_VERSION
from pecia.text.analysis import query_weights

# Characters of stored texts kept after their hash was computed: 64 MB at two bytes each.
_KEPT_CHARACTERS = 32_000_000

_JOINED = """chunk k JOIN cutting c ON c.id = k.cutting JOIN reading r ON r.id = c.reading
    JOIN source s ON s.document = r.document AND s.uri = (SELECT min(uri) FROM source WHERE document = r.document)"""
_CHUNKS = f"SELECT k.id, k.record, s.uri, s.name FROM {_JOINED}"


class SqliteStore:
    """A store in a folder. One connection, used by one thread at a time; other processes may read while one writes.

    `attributes` are those that strategies declare, `ranker` orders what the index finds, `likeness` compares the rows of the
    chunks' vectors with a question (`pecia.retrieving.dense`). LibraryFormatError for a folder
    that is not a library or was written by a newer version; LibraryError where SQLite refuses.
    """

    def __init__(
        self,
        folder: Path,
        *,
        attributes: Iterable[Attribute],
        ranker: vectors.Ranker,
        likeness: Callable[..., Any] | None = None,
        create: bool = True,
    ) -> None:
        self._folder, self._attributes, self._ranker, self._likeness = folder, tuple(attributes), ranker, likeness
        self._lock = threading.RLock()
        self._writing = False
        self._released: set[str] = set()
        self._seen: tuple[int, int] | None = None
        self._known = Known()
        self._matrix = vectors.Matrix(folder)
        self._texts: OrderedDict[tuple[str, str], tuple[str, str]] = OrderedDict()
        self._connection, self.writable = connect(folder, create=create)
        try:
            self._stamp = None if self.writable else stamp(folder)
            if indexing.version(self._connection) != DERIVED_VERSION:
                self._renew()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _renew(self) -> None:
        if not self.writable:
            raise LibraryFormatError(f"{self._folder} must be indexed anew, but it cannot be written")
        with self.writing() as connection:
            if indexing.version(connection) != DERIVED_VERSION:  # another process may have been first
                indexing.rebuild(connection)

    # Transactions

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """All that is read inside is of one state of the library; may be nested, also inside `writing`."""
        with self._lock, guarded(self._folder):
            if self._connection.in_transaction:
                yield self._connection
                return
            self._look_again()
            try:
                self._connection.execute("BEGIN")
                self._forget()
                yield self._connection
            finally:
                self._roll_back()

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """A snapshot on a connection of its own, for a generator: the caller may write while it reads."""
        with guarded(self._folder):
            connection, _ = open_database(self._folder / DATABASE)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    def copy_to(self, folder: Path) -> list[str]:
        """Copies the database as it is at this moment into a folder; the names of the originals that belong to it."""
        with self.reader() as connection, guarded(folder), closing(sqlite3.connect(folder / DATABASE)) as copy:
            connection.backup(copy)
            return [row[0] for row in connection.execute("SELECT DISTINCT original FROM document WHERE original IS NOT NULL")]

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All that is written inside is there afterwards, or nothing of it; may be nested, but not inside `snapshot`."""
        with self._lock, guarded(self._folder):
            if not self.writable:
                raise LibraryError(f"{self._folder} cannot be written")
            if self._writing:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._writing = True
            try:
                self._forget()
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                self._roll_back()
                self._released.clear()
                raise
            finally:
                self._writing = False
                self._seen = None

    def _roll_back(self) -> None:
        if self._connection.in_transaction:  # a full disk ends a transaction by itself, and Ctrl-C may come after COMMIT
            self._connection.execute("ROLLBACK")

    def _look_again(self) -> None:
        """Opens anew what was opened as unchanging, as this process may not write it, where another one has written since."""
        if self._stamp is None or self._stamp == (seen := stamp(self._folder)):
            return
        self._connection.close()
        self._connection, self.writable = connect(self._folder, create=False)
        self._stamp, self._seen = None if self.writable else seen, None

    def _forget(self) -> None:
        """Empties what is kept between calls where anyone has written since."""
        # The first read fixes the snapshot, and data_version is then that of the snapshot.
        self._connection.execute("SELECT 1 FROM meta LIMIT 1").fetchone()
        seen = (self._connection.execute("PRAGMA data_version").fetchone()[0], self._connection.total_changes)
        if seen != self._seen:
            self._known.frequencies.clear()
            self._texts.clear()
            self._seen = seen

    # Writing

    def put(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        *,
        strategy: str,
        options_hash: str,
        options: Mapping[str, Any],
        original: Prepared | None = None,
        terms: Sequence[str] = (),
    ) -> bool:
        """Stores a document with its chunks in the place of what the same uri, strategy and options gave before.

        True where anything changed. RecordError for chunks that are not of this text. What the uri held before goes where
        no other uri holds it; cuttings under other options stay.
        """
        if wrong := list(faults(document, chunks)):
            raise RecordError(wrong)
        if self.holds(
            document, chunks, strategy=strategy, options_hash=options_hash, original=original.name if original else None
        ):
            return False
        with self.writing() as connection:
            kept = original.settle() if original else None
            self._drop_stale(connection, document)
            key = structure.register(connection, document, kept)
            cut = strategy, options_hash, json.dumps(dict(options), sort_keys=True, default=str)
            found = zip(chunks, terms or [indexing.joined_terms(chunk.text) for chunk in chunks], strict=True)
            self._chunks(connection, key, document, list(found), cut)
        return True

    def holds(
        self, document: Document, chunks: Sequence[Chunk], *, strategy: str, options_hash: str, original: str | None = None
    ) -> bool:
        """True where `put` would change nothing."""
        with self.snapshot() as connection:
            row = connection.execute(
                """SELECT c.digest, d.original
                   FROM cutting c JOIN reading r ON r.id = c.reading JOIN document d ON d.id = r.document
                   JOIN source s ON s.document = d.id WHERE d.document_id = ? AND r.text_hash = ? AND c.strategy = ?
                   AND c.options_hash = ? AND s.uri = ? AND s.name = ? AND s.tier IS ?""",
                (
                    document.id,
                    document.text_hash,
                    strategy,
                    options_hash,
                    document.source.uri,
                    document.source.name,
                    document.source.tier,
                ),
            ).fetchone()
            if row is None or row[0] != digest(chunks) or (original is not None and row[1] != original):
                return False
            return not self._stale(connection, document)

    def delete(self, document_id: str) -> int:
        """Removes a document with all that hangs on it; the number of chunks that went."""
        with self.writing() as connection:
            rows = connection.execute("SELECT id FROM document WHERE document_id = ?", (document_id,)).fetchall()
            gone = sum(self._drop(connection, key) for (key,) in rows)
            vectors.prune(connection)
            return gone

    def delete_cutting(self, cutting: int) -> int:
        """Removes one cutting, and its document where that was the last one; the number of chunks that went."""
        with self.writing() as connection:
            gone = self._drop_cutting(connection, cutting)
            connection.execute("DELETE FROM reading WHERE id NOT IN (SELECT reading FROM cutting)")
            bare = connection.execute("SELECT id FROM document WHERE id NOT IN (SELECT document FROM reading)").fetchall()
            return gone + sum(self._drop(connection, key) for (key,) in bare)

    def delete_source(self, uri: str) -> int:
        """Removes a source, and its documents where no other source has them; the number of chunks that went."""
        with self.writing() as connection:
            rows = connection.execute("DELETE FROM source WHERE uri = ? RETURNING document", (uri,)).fetchall()
            gone = sum(self._drop_unsourced(connection, key) for (key,) in rows)
            vectors.prune(connection)
            return gone

    def rebuild(self) -> int:
        """Makes all that is derived anew; the number of chunks."""
        with self.writing() as connection:
            vectors.forget(self._folder)
            return indexing.rebuild(connection)

    def release(self, remove: Callable[[str], None], *more: str) -> None:
        """Calls `remove` with each hash of bytes that were dropped since the last call, or are given, and that no document
        has now. Under the lock for writing: another process that adds the same bytes waits, and then keeps them anew."""
        self._released.update(more)
        if not self._released:
            return
        with self.writing() as connection:
            for sha256 in sorted(self._released):
                if not connection.execute("SELECT 1 FROM document WHERE sha256 = ?", (sha256,)).fetchone():
                    remove(sha256)
            self._released.clear()

    def _stale(self, connection: sqlite3.Connection, document: Document) -> list[int]:
        """Documents that the uri held when its bytes were others, members of a container included."""
        query = "SELECT s.document FROM source s JOIN document d ON d.id = s.document WHERE s.uri = ? AND d.sha256 <> ?"
        return [row[0] for row in connection.execute(query, (document.source.uri, document.source.sha256))]

    def _drop_stale(self, connection: sqlite3.Connection, document: Document) -> None:
        for key in self._stale(connection, document):
            connection.execute("DELETE FROM source WHERE uri = ? AND document = ?", (document.source.uri, key))
            self._drop_unsourced(connection, key)

    def _drop_unsourced(self, connection: sqlite3.Connection, key: int) -> int:
        if connection.execute("SELECT 1 FROM source WHERE document = ?", (key,)).fetchone():
            return 0
        return self._drop(connection, key)

    def _drop(self, connection: sqlite3.Connection, key: int) -> int:
        cuttings = connection.execute(
            "SELECT c.id FROM cutting c JOIN reading r ON r.id = c.reading WHERE r.document = ?", (key,)
        )
        gone = sum(self._drop_cutting(connection, cutting) for (cutting,) in cuttings.fetchall())
        self._released.update(row[0] for row in connection.execute("DELETE FROM document WHERE id = ? RETURNING sha256", (key,)))
        return gone

    def _drop_cutting(self, connection: sqlite3.Connection, cutting: int) -> int:
        indexing.remove(connection, cutting)
        vectors.leave(connection, cutting)
        gone = connection.execute("DELETE FROM chunk WHERE cutting = ?", (cutting,)).rowcount
        connection.execute("DELETE FROM cutting WHERE id = ?", (cutting,))
        return gone

    def _chunks(
        self,
        connection: sqlite3.Connection,
        key: int,
        document: Document,
        found: Sequence[tuple[Chunk, str]],
        cut: tuple[str, str, str],
    ) -> None:
        chunks = [chunk for chunk, _ in found]
        former = connection.execute(
            """SELECT c.id, r.text_hash FROM cutting c JOIN reading r ON r.id = c.reading
               WHERE r.document = ? AND c.strategy = ? AND c.options_hash = ?""",
            (key, *cut[:2]),
        ).fetchall()
        for cutting, _ in former:
            self._drop_cutting(connection, cutting)
        # A parser that gives the same text may give better boxes: what is cut again is also laid out again.
        reading = structure.store(connection, key, document, anew=any(text == document.text_hash for _, text in former))
        connection.execute(
            "DELETE FROM reading WHERE document = ? AND id <> ? AND id NOT IN (SELECT reading FROM cutting)",
            (key, reading),
        )
        cutting = connection.execute(
            "INSERT INTO cutting (reading, strategy, options_hash, options, digest) VALUES (?, ?, ?, ?, ?)",
            (reading, *cut, digest(chunks)),
        ).lastrowid
        assert cutting is not None
        first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM chunk").fetchone()[0]
        connection.executemany(
            "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (first + position, cutting, position, chunk.chunk_id, chunk.span.start, chunk.span.end, chunk.to_line())
                for position, chunk in enumerate(chunks)
            ),
        )
        rows = enumerate(found, first)
        indexing.add(connection, ((number, cutting, chunk.to_record(), terms) for number, (chunk, terms) in rows))

    # Reading

    def search(self, query: Query, meaning: Meaning | None = None) -> Iterator[tuple[Chunk, float, str]]:
        """Chunks, scores and source uris, best first; those with quarantined content after all others."""
        asked = conditions(query.where, self._attributes)
        boosts = [(conditions(boost.where, self._attributes), boost.factor) for boost in query.boosts]
        terms = query_weights(query.text)
        with self.snapshot() as connection:
            rank = self._ranker if meaning is None else self._by_meaning(connection, meaning, alone=query.mode == "dense")
            quarantined = connection.execute("SELECT quarantined FROM total").fetchone()[0]
            rows: list[tuple[int, float]] = []
            for wanted in (False, True) if quarantined else (None,):
                if len(rows) < query.k:

                    def ranked(more: tuple[Condition, ...], k: int, wanted: bool | None = wanted) -> Rows:
                        index = Postings(connection, clause((*asked, *more), quarantined=wanted), self._known)
                        return rank(index, terms, k).rows

                    rows += boosted(ranked, boosts, query.k - len(rows))
            marks = ", ".join("?" * len(rows))
            found = {row[0]: row for row in connection.execute(f"{_CHUNKS} WHERE k.id IN ({marks})", [row[0] for row in rows])}
            return iter([(self._chunk(found[key]), score, found[key][2]) for key, score in rows])

    def _by_meaning(self, connection: sqlite3.Connection, meaning: Meaning, *, alone: bool) -> vectors.Ranker:
        rows = self._matrix.rows(connection, meaning.embedder, writable=self.writable)
        assert self._likeness, "a store that compares vectors is made with `likeness`"
        likeness = self._likeness(*rows, meaning.vector)
        if alone:
            return lambda index, terms, k: likeness.nearest(index, k)
        return partial(self._ranker, likeness=likeness)

    def embed(self, embedder: Embedder, plugin: str, windows: Windows, surfaces: Surfaces) -> Iterator[Progress]:
        """Gives every chunk that has none its vectors; `pecia.storing.vectors` says how."""
        return vectors.embed(self, embedder, plugin, windows, surfaces)

    def embedders(self) -> list[Embedded]:
        """Those that the library has vectors of, the latest first."""
        with self.snapshot() as connection:
            return [held.told for held in vectors.embedders(connection)]

    def chunks(self, where: Where | None = None) -> Iterator[Chunk]:
        """All chunks that fit, in the order of source uri, document, strategy, options and position."""
        with self.pass_over(where) as read:
            yield from (chunk for chunk, _ in read())

    @contextmanager
    def pass_over(self, where: Where | None = None) -> Iterator[Callable[[], Iterator[tuple[Chunk, str]]]]:
        """What reads all chunks that fit, with their source uris, in the order of `chunks`; called again, the same ones."""
        test = clause(conditions(where, self._attributes)).test("k.id")
        order = "ORDER BY s.uri, s.pointer, c.strategy, c.options_hash, r.text_hash, k.position"
        with self.reader() as connection:
            # The ids first: sorting whole records would hold all of them at once.
            ids = connection.execute(f"SELECT k.id FROM {_JOINED} WHERE {test.text} {order}", test.values).fetchall()

            def read() -> Iterator[tuple[Chunk, str]]:
                for key in ids:
                    row = connection.execute(f"{_CHUNKS} WHERE k.id = ?", key).fetchone()
                    yield self._chunk(row), row[2]

            yield read

    def chunk(self, chunk_id: str) -> tuple[Chunk, str]:
        """The chunk of that id with its source uri; LibraryError where there is none."""
        with self.snapshot() as connection:
            row = connection.execute(f"{_CHUNKS} WHERE k.chunk_id = ? ORDER BY k.id LIMIT 1", (chunk_id,)).fetchone()
            if row is None:
                raise NotHeldError(f"{self._folder} holds no chunk {chunk_id}")
            return self._chunk(row), row[2]

    def held(self, uri: str) -> tuple[set[str], set[tuple[str, str]]]:
        """The SHA-256 of what was found at a uri, and (strategy asked for, options hash) of its cuttings."""
        with self.snapshot() as connection:
            rows = connection.execute(
                "SELECT d.sha256, c.strategy, c.options_hash FROM source s JOIN document d ON d.id = s.document"
                " LEFT JOIN reading r ON r.document = d.id LEFT JOIN cutting c ON c.reading = r.id WHERE s.uri = ?",
                (uri,),
            ).fetchall()
        return {row[0] for row in rows}, {(row[1], row[2]) for row in rows if row[1]}

    def uri(self, document_id: str) -> str:
        """The first of the uris of a document; LibraryError where it is not held."""
        with self.snapshot() as connection:
            row = connection.execute(
                "SELECT min(s.uri) FROM source s JOIN document d ON d.id = s.document WHERE d.document_id = ?", (document_id,)
            ).fetchone()
            if row[0] is None:
                raise NotHeldError(f"{self._folder} holds no document {document_id}")
            return str(row[0])

    def read(self, record: str, name: str) -> Chunk:
        """The chunk of a stored record, under the name that its source has now."""
        return self._chunk((0, record, "", name))

    def _chunk(self, row: tuple[int, str, str, str]) -> Chunk:
        chunk = Chunk.from_record(json.loads(row[1]), self._attributes)
        # The same bytes may have been added under another name, and the first of them may be gone.
        return chunk if chunk.source_name == row[3] else replace(chunk, source_name=row[3])

    def text(self, document_id: str) -> str:
        """The stored text of a document, of the latest reading where parsers gave several."""
        return self.hashed_text(document_id)[0]

    def hashed_text(self, document_id: str, of: str | None = None) -> tuple[str, str]:
        """The stored text of a document and the hash computed from it, once for each state of the library.

        `of` asks for the reading with that recorded hash. LibraryError where there is none.
        """
        with self.snapshot():
            key = (document_id, of or "")
            if key not in self._texts:
                row = self._row("r.text", document_id, of)
                self._texts[key] = (row[0], text_hash(row[0]))
                while len(self._texts) > 1 and sum(len(text) for text, _ in self._texts.values()) > _KEPT_CHARACTERS:
                    self._texts.popitem(last=False)
            self._texts.move_to_end(key)
            return self._texts[key]

    def _row(self, columns: str, document_id: str, of: str | None) -> Any:
        row = self._connection.execute(
            f"""SELECT {columns} FROM reading r JOIN document d ON d.id = r.document JOIN source s ON s.document = d.id
                WHERE d.document_id = ? AND (?2 IS NULL OR r.text_hash = ?2) ORDER BY r.id DESC, s.uri LIMIT 1""",
            (document_id, of),
        ).fetchone()
        if row is None:
            raise NotHeldError(f"{self._folder} holds no document {document_id}")
        return row

    def keeps(self, original: str) -> bool:
        """True where a document has that file at this moment, whatever an older snapshot says."""
        with self.reader() as connection:
            return connection.execute("SELECT 1 FROM document WHERE original = ?", (original,)).fetchone() is not None

    def document(self, document_id: str, of: str | None = None, near: Span | None = None) -> Document:
        """The stored document; with the blocks that `near` touches only, where it is given."""
        with self.snapshot() as connection:
            columns = "r.id, r.text, r.structure, d.sha256, d.media_type, s.uri, s.name, s.tier"
            reading, text, held, sha256, media_type, uri, name, tier = self._row(columns, document_id, of)
            span = near or Span(0, max(1, len(text)))
            blocks = connection.execute(
                "SELECT blocks FROM layout WHERE reading = ? AND end_char >= ? AND start_char <= ? ORDER BY position",
                (reading, span.start, span.end),
            )
            source = Source(uri, name, media_type, sha256, tier)
            return structure.load(text, document_id, source, held, (row[0] for row in blocks), near)

    def locate(self, chunk: Chunk, span: Span) -> Location:
        """Where a span of the chunk's document stands in the source; of a document that was put together from its records, whose
        pages and blocks nobody knows, where the chunk stands."""
        document = self.document(chunk.document_id, chunk.text_hash, near=span)
        return document.locate(span) if document.blocks or document.pages else chunk.location or document.locate(span)

    def documents(self) -> list[Held]:
        """What is held, by the first uri of each document."""
        with self.snapshot() as connection:
            return held_documents(connection)

    def original(self, document_id: str) -> tuple[str | None, str]:
        """The name of the kept original, or None, and the hash that it must have."""
        with self.snapshot() as connection:
            row = connection.execute("SELECT original, sha256 FROM document WHERE document_id = ?", (document_id,)).fetchone()
            if row is None:
                raise NotHeldError(f"{self._folder} holds no document {document_id}")
            return row[0], row[1]
