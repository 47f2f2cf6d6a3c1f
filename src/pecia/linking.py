"""The entities that a library holds, found again in its conversations and web pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pecia import plugins
from pecia.errors import OptionError
from pecia.heritage.entity_files import Record, read_records
from pecia.heritage.gazetteer import Gazetteer, gazetteer_from
from pecia.model import Chunk, Document
from pecia.parsing.media import CSV, JSON, TSV, YAML
from pecia.protocols import Link, Links
from pecia.storing import links
from pecia.storing.sqlite import SqliteStore

# How the text of a document of entities may be read; JSON may be one value or one on each line.
_SUFFIXES: Mapping[str, Sequence[str]] = {CSV: (".csv",), TSV: (".tsv",), YAML: (".yaml",), JSON: (".json", ".jsonl")}


def relink(store: SqliteStore) -> Iterator[tuple[int, int]]:
    """Links every cutting anew that was linked by other entities than the library holds now; tells after each how many are
    done, and of how many. What an interruption leaves is for the next call."""
    with store.snapshot() as connection:
        readings = links.entity_readings(connection, tuple(_SUFFIXES))
        if not readings and not links.any_linked(connection):
            return  # before strategies are loaded, which most libraries need for nothing else
        strategies = [name for name in plugins.strategy_names() if isinstance(plugins.strategy(name), Links)]
        mark = links.mark_of(readings)
        waiting = links.pending(connection, strategies, mark)
        known = _gazetteer(connection, readings) if waiting else None
    for number, cutting in enumerate(waiting, 1):
        assert known is not None
        with store.snapshot() as connection:
            held = links.linkable(connection, cutting)
            document = store.document(held.document_id, held.text_hash) if held else None
        if held and document:
            made = dict(_linked(held, document, known))
            with store.writing() as connection:
                links.settle(connection, held, made, mark)
        yield number, len(waiting)


def _gazetteer(connection: sqlite3.Connection, readings: Sequence[tuple[int, str, str]]) -> Gazetteer:
    """What the same files would give with `--entities`."""
    records: list[Record] = []
    for reading, media_type, _ in readings:
        content = links.text_of(connection, reading).encode()
        for suffix in _SUFFIXES.get(media_type, ()):
            try:
                records += read_records(Path(f"held{suffix}"), content)
            except OptionError:  # nothing in it has a name, or it is of the other form
                continue
            break
    return gazetteer_from(records)


def _linked(held: links.Linkable, document: Document, known: Gazetteer) -> Iterator[tuple[int, Chunk]]:
    """The chunks of a cutting, by their rows, as they are where these entities are known."""
    if not document.blocks:  # put together from its records: titles and turns, which linking needs, are not known
        return
    made: dict[str, Link | None] = {}
    for key, record in held.chunks:
        name = record["strategy"]
        if name not in made:
            made[name] = _link(name, held.options, document, known)
        if link := made[name]:
            chunk = Chunk.from_record(record, plugins.attributes())
            yield key, replace(chunk, attributes=link(chunk.span, chunk.attributes))


def _link(name: str, options: Mapping[str, Any], document: Document, known: Gazetteer) -> Link | None:
    own = {item.name for item in fields(plugins.options_class(name)) if item.init}
    try:
        strategy = plugins.strategy(name, **{key: value for key, value in options.items() if key in own})
    except OptionError:  # options of another version, or of what delegated to it
        strategy = plugins.strategy(name)
    return strategy.link(document, known) if isinstance(strategy, Links) else None
