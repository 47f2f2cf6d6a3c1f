"""Writes what is derived from the chunks of a library: terms, columns and facets for filters, totals."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from pecia.storing.clauses import COLUMNS
from pecia.storing.filters import RANGES, UNFILTERABLE, Scalar
from pecia.storing.schema import DERIVED, DERIVED_TABLES, DERIVED_VERSION
from pecia.text.statements import statement_terms

_BATCH = 500
# Attributes that have a column, or stand with the document; the rest that is short becomes a facet.
_NOT_FACETS = COLUMNS | UNFILTERABLE | {*RANGES, "schema_version", "chunk_id", "document_id", "text_hash", "source_name"}


def joined_terms(text: str) -> str:
    """The terms with a space on both sides of each; one line for each statement."""
    return "\n".join(f" {'  '.join(held)} " for held in statement_terms(text))


def facets(record: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    """(attribute, value) pairs of a record, each once; objects, and numbers that SQLite has no room for, give none."""
    for key, value in record.items():
        if key in _NOT_FACETS or value is None:
            continue
        for item in dict.fromkeys(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else [value]:
            whole = isinstance(item, int) and -(1 << 63) <= item < 1 << 63
            if whole or isinstance(item, str) or (isinstance(item, float) and item == item):
                yield key, item


def version(connection: sqlite3.Connection) -> str | None:
    """The version of what is derived; None where there is nothing yet."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'derived_version'").fetchone()
    return str(row[0]) if row else None


def rebuild(connection: sqlite3.Connection) -> int:
    """Drops what is derived and makes it again from the chunks; within the transaction of the caller.

    Returns the number of chunks.
    """
    for table in DERIVED_TABLES:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in DERIVED:
        connection.execute(statement)
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('derived_version', ?)", (DERIVED_VERSION,))
    rows = connection.execute("SELECT id, cutting, record FROM chunk ORDER BY id")
    records = ((chunk, cutting, json.loads(record)) for chunk, cutting, record in rows)
    return add(connection, ((chunk, cutting, record, joined_terms(record["text"])) for chunk, cutting, record in records))


def add(connection: sqlite3.Connection, chunks: Iterable[tuple[int, int, Mapping[str, Any], str]]) -> int:
    """Indexes chunks that are not indexed yet, each as its id, cutting, record and joined terms; the number of them."""
    chunks = iter(chunks)
    count = 0
    ids: dict[tuple[str, Scalar], int] = {}
    while batch := list(islice(chunks, _BATCH)):
        count += len(batch)
        analysed = [(chunk, terms) for chunk, _, _, terms in batch]
        lengths = [len(text.split()) for _, text in analysed]
        connection.executemany("INSERT INTO analysed VALUES (?, ?)", analysed)
        connection.executemany("INSERT INTO word (rowid, terms) VALUES (?, ?)", analysed)
        connection.executemany(
            f"INSERT INTO entry VALUES ({', '.join('?' * 20)})",
            [_entry(chunk, cutting, length, record) for (chunk, cutting, record, _), length in zip(batch, lengths, strict=True)],
        )
        connection.executemany(
            "INSERT INTO facet VALUES (?, ?)",
            [
                (chunk, ids.get(facet) or ids.setdefault(facet, _value_id(connection, facet)))
                for chunk, _, record, _ in batch
                for facet in facets(record)
            ],
        )
        quarantined = sum(bool(record["has_quarantined_content"]) for _, _, record, _ in batch)
        _count(connection, len(batch), sum(lengths), quarantined)
    return count


def refacet(connection: sqlite3.Connection, records: Mapping[int, Mapping[str, Any]]) -> None:
    """Makes the facets of chunks anew whose attributes changed, and nothing else did."""
    for chunk, record in records.items():
        values = connection.execute("DELETE FROM facet WHERE chunk = ? RETURNING value_id", (chunk,)).fetchall()
        connection.executemany(
            "INSERT INTO facet VALUES (?, ?)", [(chunk, _value_id(connection, facet)) for facet in facets(record)]
        )
        _drop_unused(connection, values)


def remove(connection: sqlite3.Connection, cutting: int) -> None:
    """Takes the chunks of a cutting out of what is derived."""
    which = "(SELECT chunk FROM entry WHERE cutting = ?)"
    row = connection.execute(
        "SELECT count(*), coalesce(sum(length), 0), coalesce(sum(has_quarantined_content), 0) FROM entry WHERE cutting = ?",
        (cutting,),
    ).fetchone()
    connection.execute(
        f"INSERT INTO word (word, rowid, terms) SELECT 'delete', chunk, terms FROM analysed WHERE chunk IN {which}", (cutting,)
    )
    values = connection.execute(f"SELECT DISTINCT value_id FROM facet WHERE chunk IN {which}", (cutting,)).fetchall()
    for table in ("facet", "analysed"):
        connection.execute(f"DELETE FROM {table} WHERE chunk IN {which}", (cutting,))
    connection.execute("DELETE FROM entry WHERE cutting = ?", (cutting,))
    _drop_unused(connection, values)
    _count(connection, *(-number for number in row))
    connection.execute("UPDATE total SET removal = lower(hex(randomblob(8)))")


def _entry(chunk: int, cutting: int, length: int, record: Mapping[str, Any]) -> tuple[Any, ...]:
    pages = record["source_page_range"] or (None, None)
    printed = record["printed_page_range"] or (None, None)
    return (
        chunk, cutting, length,
        record["strategy"], record["requested_strategy"], record["chunk_kind"], record["tokenizer"],
        record["start_char"], record["end_char"], *pages, *printed, record["part_index"], record["part_count"],
        record["est_tokens"], record["max_tokens"], record["overlap_tokens"],
        int(record["oversized"]), int(record["has_quarantined_content"]),
    )  # fmt: skip


def _value_id(connection: sqlite3.Connection, facet: tuple[str, Scalar]) -> int:
    row = connection.execute("SELECT id FROM facet_value WHERE key = ? AND value = ?", facet).fetchone()
    if row is None:
        row = (connection.execute("INSERT INTO facet_value (key, value) VALUES (?, ?)", facet).lastrowid,)
    return int(row[0])


def _drop_unused(connection: sqlite3.Connection, values: Iterable[tuple[int]]) -> None:
    connection.executemany(
        "DELETE FROM facet_value WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM facet WHERE value_id = ?1)", values
    )


def _count(connection: sqlite3.Connection, chunks: int, length: int, quarantined: int) -> None:
    connection.execute(
        "UPDATE total SET chunks = chunks + ?, length = length + ?, quarantined = quarantined + ?", (chunks, length, quarantined)
    )
