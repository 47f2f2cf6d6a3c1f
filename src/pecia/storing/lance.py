"""A store in Lance tables, which may lie in an object store that many machines read: the way past one machine.

What it promises is less than `pecia.storing.sqlite` does. One `put` or `delete` is one commit of one table, and a reader sees
all of it or nothing; but there must be one writer at a time: two that merge the same new keys at once both insert them
(pylance 14: four writers of five keys left ten rows). Vectors stand in a table for each embedder, whose commits are not those of
the chunks, so a vector counts only where its chunk stands as it was embedded. Terms are looked for by scanning, in Lance, and
scores are those of a library that holds just what a question found: to be compared within one answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pecia.errors import MissingExtraError, NotHeldError, RecordError
from pecia.model import Attribute, Chunk, Document, Embedded, Progress, Query
from pecia.protocols import Embedder, Meaning, Surfaces, Windows
from pecia.storing.boosts import weighed
from pecia.storing.filters import Condition, Where, conditions, fits
from pecia.storing.held import digest, faults
from pecia.storing.indexing import joined_terms
from pecia.storing.vectors import beyond, content_of, pieces
from pecia.text.analysis import query_weights

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]

SOURCE, CUTTING, CHUNK = "source", "cutting", "chunk"
_COLUMNS = ("key", "kind", "document", "cutting", "position", "uri", "mark", "terms", "body")
_NEAR = 200  # windows that are nearest to a question, at least; four times as many while a filter leaves too few
_BATCH = 32
Ranks = Callable[..., list[tuple[Chunk, float]]]


class LanceStore:
    """A store at a folder or at any address that Lance opens (`s3://…`, `gs://…`). `rank` orders chunks
    (`pecia.retrieving.transient.rank`), `likeness` compares vectors with a question (`pecia.retrieving.dense.Likeness`).
    MissingExtraError where pylance is not installed.
    """

    def __init__(self, uri: str, *, attributes: Iterable[Attribute], rank: Ranks, likeness: Callable[..., Any]) -> None:
        try:
            import lance
            import pyarrow as pa
        except ImportError as error:
            raise MissingExtraError("pylance", "lance", "a store in Lance tables") from error
        self._lance, self._arrow = lance, pa
        self._uri, self._attributes, self._rank, self._likeness = uri.rstrip("/"), tuple(attributes), rank, likeness
        text = pa.string()
        types = {"position": pa.int64()}
        self._schema = pa.schema([(name, types.get(name, text)) for name in _COLUMNS])
        self._open("chunks", self._schema)

    def close(self) -> None:
        """Nothing is held open."""

    def _open(self, name: str, schema: Any = None) -> Any:
        """The newest state of a table, which is made where it is missing and a schema is given; else None."""
        path = f"{self._uri}/{name}.lance"
        try:
            return self._lance.dataset(path)
        except (ValueError, OSError):
            return self._lance.write_dataset(schema.empty_table(), path) if schema else None

    def _rows(self, where: str, *columns: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._open("chunks").to_table(columns=list(columns), filter=where).to_pylist()
        return found

    # Writing

    def put(
        self, document: Document, chunks: Sequence[Chunk], *, strategy: str, options_hash: str, options: Mapping[str, Any]
    ) -> bool:
        """Stores a document with its chunks in the place of what the same uri, strategy and options gave before; True where
        anything changed. RecordError for chunks that are not of this text."""
        if wrong := list(faults(document, chunks)):
            raise RecordError(wrong)
        uri, own = document.source.uri, f"{document.id}/{strategy}/{options_hash}"
        held = self._rows(f"kind = '{SOURCE}' AND uri = {_quoted(uri)}", "document", "body")
        mark = digest(chunks)
        as_it_is = self._rows(f"kind = '{CUTTING}' AND cutting = {_quoted(own)} AND mark = '{mark}'", "key")
        if as_it_is and held == [{"document": document.id, "body": document.source.name}]:
            return False
        told = {"text": document.text, "text_hash": document.text_hash, "options": dict(options)}
        rows = [
            self._row(f"s/{uri}", SOURCE, document.id, "", 0, uri, "", "", document.source.name),
            self._row(f"c/{own}", CUTTING, document.id, own, 0, "", mark, "", json.dumps(told, sort_keys=True, default=str)),
        ]
        for position, chunk in enumerate(chunks):
            line = chunk.to_line()
            terms = joined_terms(chunk.text)
            rows.append(self._row(f"k/{own}/{position}", CHUNK, document.id, own, position, "", content_of(line), terms, line))
        gone = [f"cutting = {_quoted(own)}"]
        for former in {row["document"] for row in held} - {document.id}:
            if len(self._rows(f"kind = '{SOURCE}' AND document = {_quoted(former)}", "key")) == 1:
                gone.append(f"document = {_quoted(former)}")
        merge = self._open("chunks").merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
        table = self._arrow.Table.from_pylist(rows, schema=self._schema)
        merge.when_not_matched_by_source_delete(" OR ".join(gone)).execute(table)
        return True

    def _row(self, *values: Any) -> dict[str, Any]:
        return dict(zip(_COLUMNS, values, strict=True))

    def delete(self, document_id: str) -> int:
        """Removes a document with all that hangs on it; the number of chunks that went."""
        count = len(self._rows(f"kind = '{CHUNK}' AND document = {_quoted(document_id)}", "key"))
        self._open("chunks").delete(f"document = {_quoted(document_id)}")
        self._prune()
        return count

    def _prune(self) -> None:
        """Removes the vectors that no chunk has; one that is left by an interruption counts for nothing."""
        held = {f"{row['key']}/{row['mark']}" for row in self._rows(f"kind = '{CHUNK}'", "key", "mark")}
        for name in self._vector_tables():
            table = self._open(name)
            stale = set(table.to_table(columns=["chunk"]).column("chunk").to_pylist()) - held
            if stale:
                table.delete(f"chunk IN ({', '.join(map(_quoted, sorted(stale)))})")

    # Reading

    def chunks(self, where: Where | None = None) -> Iterator[Chunk]:
        """All chunks that fit, in the order of source uri, cutting and position."""
        wanted = conditions(where, self._attributes)
        yield from (chunk for _, chunk, _ in self._read("true") if fits(chunk, wanted))

    def _read(self, test: str) -> list[tuple[str, Chunk, str]]:
        """(key and mark, chunk, uri) of the chunks that a filter of Lance lets pass, each under the first uri of its document."""
        sources: dict[str, tuple[str, str]] = {}
        for row in self._rows(f"kind = '{SOURCE}'", "document", "uri", "body"):
            held = sources.get(row["document"])
            sources[row["document"]] = min(held, (row["uri"], row["body"])) if held else (row["uri"], row["body"])
        found = self._rows(f"kind = '{CHUNK}' AND ({test})", "key", "document", "cutting", "position", "mark", "body")
        found.sort(key=lambda row: (sources[row["document"]][0], row["cutting"], row["position"]))
        made = []
        for row in found:
            uri, name = sources[row["document"]]
            chunk = Chunk.from_record(json.loads(row["body"]), self._attributes)
            made.append((f"{row['key']}/{row['mark']}", replace(chunk, source_name=name), uri))
        return made

    def text(self, document_id: str) -> str:
        """The stored text of a document; NotHeldError where there is none."""
        for row in self._rows(f"kind = '{CUTTING}' AND document = {_quoted(document_id)}", "body"):
            return str(json.loads(row["body"])["text"])
        raise NotHeldError(f"{self._uri} holds no document {document_id}")

    def search(self, query: Query, meaning: Meaning | None = None) -> Iterator[tuple[Chunk, float, str]]:
        """Chunks, scores and source uris, best first; those with quarantined content after all others."""
        wanted = conditions(query.where, self._attributes)
        boosts = [(conditions(boost.where, self._attributes), boost.factor) for boost in query.boosts]
        alone = query.mode == "dense"
        tests = [] if alone else [f"contains(terms, {_quoted(f' {term} ')})" for term in query_weights(query.text)]
        found = [item for item in self._read(" OR ".join(tests)) if fits(item[1], wanted)] if tests else []
        near: dict[str, list[Vector]] = {}
        if meaning:
            near, more = self._near(meaning, wanted, query.k)
            known = {key for key, _, _ in found}
            found += [item for item in more if item[0] not in known]
        likeness = self._compared(found, near, meaning) if meaning and near else None
        uris = {id(chunk): uri for _, chunk, uri in found}
        k = len(found) if boosts else query.k
        ranked = self._rank([chunk for _, chunk, _ in found], query.text, max(1, k), likeness=likeness, alone=alone)
        if boosts:
            ranked = weighed(ranked, boosts)
        return iter([(chunk, score, uris[id(chunk)]) for chunk, score in ranked[: query.k]])

    def _near(
        self, meaning: Meaning, wanted: Sequence[Condition], k: int
    ) -> tuple[dict[str, list[Vector]], list[tuple[str, Chunk, str]]]:
        """The vectors that are nearest, by their chunks, and those chunks that fit."""
        import numpy as np

        table = self._open(_table(meaning.embedder))
        size, fitting = max(_NEAR, 4 * k), list[tuple[str, Chunk, str]]()
        near: dict[str, list[Vector]] = {}
        while table is not None and len(fitting) < k:
            nearest = {"column": "vector", "q": meaning.vector, "k": size}
            rows = table.to_table(columns=["chunk", "vector"], nearest=nearest).to_pylist()
            near = {}
            for row in rows:
                near.setdefault(row["chunk"], []).append(np.array(row["vector"], np.float32))
            keys = ", ".join(_quoted(key.rpartition("/")[0]) for key in near)
            held = self._read(f"key IN ({keys})") if near else []
            fitting = [item for item in held if item[0] in near and fits(item[1], wanted)]
            if len(rows) < size:
                break
            size *= 4
        return near, fitting

    def _compared(self, found: Sequence[tuple[str, Chunk, str]], near: Mapping[str, Sequence[Vector]], meaning: Meaning) -> Any:
        import numpy as np

        places = [(at, vector) for at, (key, _, _) in enumerate(found) for vector in near.get(key, ())]
        if not places:
            return None
        return self._likeness(np.array([at for at, _ in places], np.int64), np.array([v for _, v in places]), meaning.vector)

    # Vectors

    def embed(self, embedder: Embedder, plugin: str, windows: Windows, surfaces: Surfaces) -> Iterator[Progress]:
        """Gives every chunk that has none its vectors, of each window of each surface; the same text is embedded once."""
        arrow, text = self._arrow, self._arrow.string()
        told = json.dumps({"name": embedder.name, "plugin": plugin, "dimension": embedder.dimension})
        schema = arrow.schema(
            [("chunk", text), ("content", text), ("vector", arrow.list_(arrow.float32(), embedder.dimension))],
            metadata={"embedder": told},
        )
        name = _table(embedder.name)
        held = self._open(name, schema).to_table(columns=["chunk"]).column("chunk").to_pylist()
        todo = [(key, chunk) for key, chunk, _ in self._read("true") if key not in set(held)]
        done = made = known = 0
        for start in range(0, len(todo), _BATCH):
            points: list[tuple[str, str]] = []
            texts: dict[str, str] = {}
            for key, chunk in todo[start : start + _BATCH]:
                own = pieces(chunk, embedder, windows, surfaces)
                for _, _, whole in own:
                    texts[content_of(whole)] = whole
                    points.append((key, content_of(whole)))
                for finding in beyond(chunk, own, embedder):
                    yield Progress(done, len(todo), made, known, finding)
            vectors = self._known(name, texts)
            missing = [content for content in texts if content not in vectors]
            known, made = known + len(vectors), made + len(missing)
            if missing:
                new = embedder.passages([texts[content] for content in missing])
                vectors |= dict(zip(missing, new, strict=True))
            rows = [{"chunk": key, "content": content, "vector": vectors[content]} for key, content in points]
            self._lance.write_dataset(arrow.Table.from_pylist(rows, schema=schema), f"{self._uri}/{name}.lance", mode="append")
            done += len(todo[start : start + _BATCH])
            yield Progress(done, len(todo), made, known)
        self._prune()

    def _known(self, name: str, texts: Iterable[str]) -> dict[str, Any]:
        contents = ", ".join(map(_quoted, texts))
        rows = self._open(name).to_table(columns=["content", "vector"], filter=f"content IN ({contents})").to_pylist()
        return {row["content"]: row["vector"] for row in rows}

    def embedders(self) -> list[Embedded]:
        """Those that anything was embedded with."""
        found = []
        chunks = {f"{row['key']}/{row['mark']}" for row in self._rows(f"kind = '{CHUNK}'", "key", "mark")}
        for name in self._vector_tables():
            table = self._open(name)
            told = json.loads(table.schema.metadata[b"embedder"])
            having = chunks & set(table.to_table(columns=["chunk"]).column("chunk").to_pylist())
            if having:
                found.append(Embedded(told["name"], told["plugin"], told["dimension"], whole=having == chunks))
        return found

    def _vector_tables(self) -> list[str]:
        from pyarrow import fs

        system, path = fs.FileSystem.from_uri(self._uri) if "://" in self._uri else (fs.LocalFileSystem(), self._uri)
        names = [PurePosixPath(item.path).name for item in system.get_file_info(fs.FileSelector(path))]
        return sorted(name.removesuffix(".lance") for name in names if name.startswith("vectors-") and name.endswith(".lance"))


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _table(embedder: str) -> str:
    return f"vectors-{hashlib.sha256(embedder.encode()).hexdigest()[:16]}"
