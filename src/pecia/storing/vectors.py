"""Vectors of chunks: the rows of the library's database are the truth, a file beside it is what a search reads.

A vector is kept under its embedder and the hash of the text that it was made of, so that the same text is embedded once,
whatever chunk it stands in. A point says which window of which surface of which chunk a vector is of.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pecia.errors import LibraryError, PeciaError
from pecia.model import Chunk, Embedded, Finding, Progress, Severity, Span
from pecia.protocols import Embedder, Surfaces, Windows

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FOLDER = "vectors"
CONTEXT = ("custodian_type", "country_code")
"""Attributes that stand before a text when it is embedded, and before a question that asks for them in its filter."""
# Vectors that are made between two commits: what an interruption loses takes some seconds to make again.
_BATCH = 32
_READ = 512  # chunks that are held at a time: their records take 5 kB each
# Of 1, as float32 keeps it.
_TOLERANCE = 1e-3


class Store(Protocol):
    """The transactions of a store; `pecia.storing.sqlite` has them."""

    def snapshot(self) -> Any: ...
    def writing(self) -> Any: ...
    def read(self, record: str, name: str) -> Chunk: ...


class Ranked(Protocol):
    """Chunk ids and scores, best first."""

    @property
    def rows(self) -> tuple[tuple[int, float], ...]: ...


Ranker = Callable[..., Ranked]
"""Takes postings, weighted terms and k, and `likeness=` where vectors count too."""


@dataclass(frozen=True, slots=True)
class Held:
    """A row of `embedder`; `state` changes with the points that are of it."""

    key: int
    told: Embedded
    state: str


def context(values: Mapping[str, Any]) -> str:
    """`[type] [country] ` of a record, or of what a filter asks for; "" where neither is known."""
    found = [values.get(name) for name in CONTEXT]
    return "".join(f"[{value}] " for value in found if isinstance(value, str) and value)


def content_of(text: str) -> str:
    """What a vector is found by: half of the SHA-256 of its text."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def point_id(document_id: str, strategy: str, options_hash: str, chunk_id: str, surface: int, surfaces: int) -> uuid.UUID:
    """The id of a vector in any store: a name for the chunk within its cutting; `#n` where the chunk has several, counted over
    the windows of all its surfaces."""
    home = uuid.uuid5(uuid.NAMESPACE_OID, f"{document_id}\0{strategy}\0{options_hash}")
    return uuid.uuid5(home, f"{chunk_id}#{surface}" if surfaces > 1 else chunk_id)


def embedders(connection: sqlite3.Connection) -> list[Held]:
    """Those that anything was embedded with, the latest first."""
    rows = connection.execute(
        """SELECT id, name, plugin, dimension, state, chunks = (SELECT chunks FROM total) FROM embedder
           WHERE chunks > 0 ORDER BY id DESC"""
    )
    return [
        Held(key, Embedded(name, plugin, dimension, bool(whole)), state) for key, name, plugin, dimension, state, whole in rows
    ]


def embed(store: Store, embedder: Embedder, plugin: str, windows: Windows, surfaces: Surfaces) -> Iterator[Progress]:
    """Gives every chunk its vectors, one cutting after the other: a reader finds those of a whole cutting or none.

    What was made before, or before an interruption, is not made again. Afterwards vectors that no chunk has any more go.
    """
    with store.writing() as connection:
        key = _embedder(connection, embedder, plugin)
    with store.snapshot() as connection:
        cuttings = connection.execute(
            """SELECT k.cutting, count(*) FROM chunk k
               WHERE NOT EXISTS (SELECT 1 FROM point p WHERE p.chunk = k.id AND p.embedder = ?) GROUP BY k.cutting ORDER BY 1""",
            (key,),
        ).fetchall()
    total, done = sum(count for _, count in cuttings), _Done()
    for cutting, _ in cuttings:
        yield from _cutting(store, key, embedder, windows, surfaces, cutting, total, done)
    with store.writing() as connection:
        prune(connection)


@dataclass(slots=True)
class _Done:
    chunks: int = 0
    made: int = 0
    known: int = 0


def _embedder(connection: sqlite3.Connection, embedder: Embedder, plugin: str) -> int:
    held = connection.execute("SELECT dimension FROM embedder WHERE name = ?", (embedder.name,)).fetchone()
    if held and held[0] != embedder.dimension:
        raise LibraryError(
            f"{embedder.name} gave vectors of {held[0]} numbers and now gives {embedder.dimension}: another model?"
        )
    row = connection.execute(
        """INSERT INTO embedder (name, plugin, dimension, chunks, state) VALUES (?, ?, ?, 0, '')
           ON CONFLICT (name) DO UPDATE SET plugin = excluded.plugin RETURNING id""",
        (embedder.name, plugin, embedder.dimension),
    ).fetchone()
    return int(row[0])


def pieces(chunk: Chunk, embedder: Embedder, windows: Windows, surfaces: Surfaces) -> list[tuple[str, Span, str]]:
    """(name of the surface, window in it, what is embedded) of all that a chunk is found by."""
    before = context(chunk.attributes)

    def fits(text: str) -> bool:
        return embedder.count(before + text) <= embedder.window

    shown = surfaces(chunk).items()
    return [(name, span, before + span.of(text)) for name, text in shown for span in windows(text, fits)]


def beyond(chunk: Chunk, held: Sequence[tuple[str, Span, str]], embedder: Embedder) -> Iterator[Finding]:
    """EM001 where a surface is longer than the window."""
    most = max(Counter(name for name, _, _ in held).values(), default=0)
    if most > 1:
        words = f"longer than the window of {embedder.window} tokens; embedded as {most} windows"
        yield Finding("EM001", Severity.INFO, words, chunk.chunk_id)


def _cutting(
    store: Store, key: int, embedder: Embedder, windows: Windows, surfaces: Surfaces, cutting: int, total: int, done: _Done
) -> Iterator[Progress]:
    query = "SELECT id FROM chunk WHERE cutting = ? ORDER BY position"
    with store.snapshot() as connection:
        ids = [row[0] for row in connection.execute(query, (cutting,))]
    points: list[tuple[int, int, str, int, int, int, str]] = []
    for start in range(0, len(ids), _READ):
        with store.snapshot() as connection:
            rows = connection.execute(
                f"SELECT id, record FROM chunk WHERE id IN ({', '.join(map(str, ids[start : start + _READ]))}) ORDER BY position"
            ).fetchall()
        texts: dict[str, str] = {}
        for row, record in rows:
            chunk = store.read(record, "")
            held = pieces(chunk, embedder, windows, surfaces)
            for number, (name, span, text) in enumerate(held):
                texts[content_of(text)] = text
                points.append((row, number, name, span.start, span.end, embedder.count(text), content_of(text)))
            for finding in beyond(chunk, held, embedder):
                yield Progress(done.chunks, total, done.made, done.known, finding)
        yield from _made(store, key, embedder, texts, total, done)
    with store.writing() as connection:
        # Another process may have replaced the cutting, or pruned what nothing had yet; then it is for the next call.
        made = {content: _vector(connection, key, content) for *_, content in points}
        if [row[0] for row in connection.execute(query, (cutting,))] == ids and None not in made.values():
            leave(connection, cutting, key)
            connection.executemany(
                "INSERT INTO point (chunk, embedder, surface, name, start_char, end_char, tokens, vector)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                ((row, key, *rest, made[content]) for row, *rest, content in points),
            )
            connection.execute("UPDATE embedder SET chunks = chunks + ? WHERE id = ?", (len(ids), key))
    done.chunks += len(ids)
    yield Progress(done.chunks, total, done.made, done.known)


def _made(store: Store, key: int, embedder: Embedder, texts: Mapping[str, str], total: int, done: _Done) -> Iterator[Progress]:
    """Makes and keeps the vectors of texts that have none yet."""
    with store.snapshot() as connection:
        missing = [content for content in texts if _vector(connection, key, content) is None]
    done.known += len(texts) - len(missing)
    for at in range(0, len(missing), _BATCH):
        batch = missing[at : at + _BATCH]
        made = embedder.passages([texts[content] for content in batch])
        with store.writing() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO vector (embedder, content, vector) VALUES (?, ?, ?)",
                [(key, content, vector.astype("<f4").tobytes()) for content, vector in zip(batch, made, strict=True)],
            )
        done.made += len(batch)
        yield Progress(done.chunks, total, done.made, done.known)


def _vector(connection: sqlite3.Connection, embedder: int, content: str) -> int | None:
    row = connection.execute("SELECT id FROM vector WHERE embedder = ? AND content = ?", (embedder, content)).fetchone()
    return row[0] if row else None


def leave(connection: sqlite3.Connection, cutting: int, embedder: int | None = None) -> None:
    """Takes the points of a cutting away, of one embedder or of all; the file that a search reads is then another one."""
    which = "chunk IN (SELECT id FROM chunk WHERE cutting = ?1) AND (?2 IS NULL OR embedder = ?2)"
    connection.execute(
        f"""UPDATE embedder SET state = lower(hex(randomblob(8))), chunks = chunks -
            (SELECT count(DISTINCT chunk) FROM point p WHERE p.embedder = embedder.id AND {which}) WHERE ?2 IS NULL OR id = ?2""",
        (cutting, embedder),
    )
    connection.execute(f"DELETE FROM point WHERE {which}", (cutting, embedder))


def prune(connection: sqlite3.Connection) -> None:
    """Removes the vectors that no chunk has."""
    connection.execute("DELETE FROM vector WHERE NOT EXISTS (SELECT 1 FROM point p WHERE p.vector = vector.id)")


class Matrix:
    """The vectors of a library as one matrix, kept as long as they are the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._state: tuple[int, str] | None = None
        self._held: tuple[Any, Any] = (None, None)

    def rows(self, connection: sqlite3.Connection, embedder: str, *, writable: bool) -> tuple[Any, Any]:
        """The chunk of each row, and the rows. LibraryError where the embedder made none of them."""
        held = next((item for item in embedders(connection) if item.told.name == embedder), None)
        if held is None:
            raise LibraryError(f"{self._folder} holds no vectors of {embedder}; pecia embed makes them")
        if self._state != (held.key, held.state):
            self._held = _matrix(connection, self._folder, held, writable=writable)
            self._state = held.key, held.state
        return self._held


def _matrix(
    connection: sqlite3.Connection, folder: Path, embedder: Held, *, writable: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """The chunk of each row, and the rows: mapped from a file, which is written where it is missing; in memory where it may
    not be."""
    import numpy as np

    query = "SELECT chunk FROM point WHERE embedder = ? ORDER BY chunk, surface"
    chunks = np.fromiter((row[0] for row in connection.execute(query, (embedder.key,))), np.int64)
    path = folder / FOLDER / f"{embedder.key}-{embedder.state}.npy"
    shape = (len(chunks), embedder.told.dimension)
    try:
        held = np.load(path, mmap_mode="r")
        if held.shape == shape and held.dtype == np.float32:
            return chunks, held
    except (FileNotFoundError, ValueError):
        pass
    made: npt.NDArray[np.float32] = np.empty(shape, np.float32)
    for at, row in enumerate(_vectors(connection, embedder.key)):
        made[at] = np.frombuffer(row, "<f4")
    if writable:
        _write(path, made)
        return chunks, np.load(path, mmap_mode="r")
    return chunks, made


def _vectors(connection: sqlite3.Connection, embedder: int) -> Iterator[bytes]:
    query = """SELECT v.vector FROM point p JOIN vector v ON v.id = p.vector WHERE p.embedder = ?
               ORDER BY p.chunk, p.surface"""
    return (row[0] for row in connection.execute(query, (embedder,)))


def _write(path: Path, made: npt.NDArray[np.float32]) -> None:
    """Whole or not at all; then the files of former states go. Who reads one of them keeps it open."""
    import numpy as np

    path.parent.mkdir(exist_ok=True)
    partial = path.with_name(f".{path.stem}-{uuid.uuid4().hex[:8]}.npy")
    try:
        np.save(partial, made)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    for other in path.parent.glob(f"{path.name.partition('-')[0]}-*.npy"):
        if other != path:
            other.unlink(missing_ok=True)


def vector_damage(
    connection: sqlite3.Connection, folder: Path, surfaces: Callable[[str], Mapping[str, str]]
) -> Iterator[Finding]:
    """Vectors that are not of a surface of their chunk or not whole (LB008), and a file that holds others (LB009). `surfaces`
    gives those of a stored record."""
    import numpy as np

    for held in embedders(connection):
        path = folder / FOLDER / f"{held.key}-{held.state}.npy"
        stored = _loaded(path) if path.exists() else None
        rows = connection.execute(
            """SELECT k.chunk_id, k.record, p.name, p.start_char, p.end_char, v.content, v.vector FROM point p
               JOIN chunk k ON k.id = p.chunk JOIN vector v ON v.id = p.vector WHERE p.embedder = ?
               ORDER BY p.chunk, p.surface""",
            (held.key,),
        )
        other = path.exists() and stored is None
        number = 0
        for number, (chunk_id, record, name, start, end, content, blob) in enumerate(rows, 1):
            shown = context(json.loads(record)) + _surface(surfaces, record, name)[start:end]
            if content_of(shown) != content:
                yield Finding("LB008", Severity.ERROR, "its vector is of another text", chunk_id)
            vector = (
                np.frombuffer(blob, "<f4") if len(blob) == 4 * held.told.dimension else np.zeros(held.told.dimension, np.float32)
            )
            if not abs(float(np.linalg.norm(vector)) - 1) < _TOLERANCE:
                yield Finding("LB008", Severity.ERROR, "its vector is damaged", chunk_id)
            if stored is not None and not (number <= len(stored) and np.array_equal(stored[number - 1], vector)):
                other = True
        if other or (stored is not None and len(stored) != number):
            yield Finding("LB009", Severity.ERROR, f"{path.name} does not hold the stored vectors; rebuild the library")


def _surface(surfaces: Callable[[str], Mapping[str, str]], record: str, name: str) -> str:
    """A surface of a stored record; "" where it has none of that name, or cannot be read."""
    try:
        return surfaces(record).get(name, "")
    except PeciaError:
        return ""


def _loaded(path: Path) -> npt.NDArray[np.float32] | None:
    import numpy as np

    try:
        found: npt.NDArray[np.float32] = np.load(path, mmap_mode="r")
    except ValueError:
        return None
    return found


def forget(folder: Path) -> None:
    """Removes the files; the next search writes what it needs anew."""
    for path in _files(folder):
        path.unlink(missing_ok=True)


def _files(folder: Path) -> Iterable[Path]:
    return (folder / FOLDER).glob("*.npy") if (folder / FOLDER).is_dir() else ()


def points(connection: sqlite3.Connection, embedder: Held) -> Iterator[tuple[uuid.UUID, str, str, Span, Sequence[float]]]:
    """(point id, chunk id, name of the surface, window in its text, vector) of all that is embedded."""
    import numpy as np

    rows = connection.execute(
        """SELECT d.document_id, c.strategy, c.options_hash, k.chunk_id, p.surface,
                  (SELECT count(*) FROM point o WHERE o.chunk = p.chunk AND o.embedder = p.embedder),
                  p.name, p.start_char, p.end_char, v.vector
           FROM point p JOIN vector v ON v.id = p.vector JOIN chunk k ON k.id = p.chunk JOIN cutting c ON c.id = k.cutting
           JOIN reading r ON r.id = c.reading JOIN document d ON d.id = r.document
           WHERE p.embedder = ? ORDER BY p.chunk, p.surface""",
        (embedder.key,),
    )
    for *identity, name, start, end, blob in rows:
        yield point_id(*identity), identity[3], name, Span(start, end), np.frombuffer(blob, "<f4").tolist()
