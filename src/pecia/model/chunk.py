"""The chunk and its record, schema version 4: one flat JSON object."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, Self

from pecia.errors import InvariantError, RecordError
from pecia.model.document import Location, Page
from pecia.model.locators import LineRange, Locator, locator_from_json
from pecia.model.span import Span

SCHEMA_VERSION = 4


# A record holds nothing that holds itself; looking for that takes a tenth of the time.
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


class ChunkKind(StrEnum):
    PROSE = "prose"
    BLOCK_DESCRIPTOR = "block_descriptor"
    PAIR = "pair"
    RECORD = "record"
    MESSAGE = "message"
    FOLLOWUP = "followup"


AttributeType = Literal["str", "int", "float", "bool", "str[]", "int[]", "object", "object[]"]
_PYTHON: dict[str, tuple[type, ...]] = {
    "str": (str,), "int": (int,), "float": (float, int), "bool": (bool,), "str[]": (list,),
    "int[]": (list,), "object": (dict,), "object[]": (list,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field that a strategy adds to the record; the value may also be null. One name has one type and one meaning
    in all strategies: the store's schema, the filters and the reference page are made from this. A record of the strategy that
    is read back must have a value where it is `required`; "on pages" where the source has pages."""

    name: str
    type: AttributeType
    meaning: str
    required: Literal["never", "always", "on pages"] = "never"

    def admits(self, value: object) -> bool:
        """True for null and for a value of the declared type; a truth value is not a number."""
        if value is None:
            return True
        if not isinstance(value, _PYTHON[self.type]) or (isinstance(value, bool) and self.type != "bool"):
            return False
        inner = {"str[]": str, "int[]": int, "object[]": dict}.get(self.type)
        return inner is None or all(isinstance(item, inner) and item is not True and item is not False for item in value)  # type: ignore[attr-defined]


CORE = (
    Attribute("schema_version", "int", "exactly 4"),
    Attribute("chunk_id", "str", "deterministic: same bytes and options, same id"),
    Attribute("document_id", "str", "SHA-256 of the source bytes, plus # and a pointer for a member of a container"),
    Attribute("source_name", "str", "file name of the source"),
    Attribute("text_hash", "str", "first 16 hex digits of the SHA-256 of the document's text"),
    Attribute("strategy", "str", "what cut this chunk"),
    Attribute("requested_strategy", "str", "what was asked for; differs where a part was delegated"),
    Attribute("chunk_kind", "str", "prose, block_descriptor, pair, record, message or followup"),
    Attribute("segment_id", "str", "the segment that the chunk is a part of"),
    Attribute("headings", "str[]", "titles above and of the segment, outermost first"),
    Attribute("parent_id", "str", "for a child, the chunk that it belongs to"),
    Attribute("text", "str", "what is embedded and measured: context and source"),
    Attribute("source_text", "str", "exactly the document's text from start_char to end_char"),
    Attribute("context_labels", "str[]", "labels repeated into text for retrieval only"),
    Attribute("start_char", "int", "where the chunk begins in the document's text"),
    Attribute("end_char", "int", "where it ends, exclusive"),
    Attribute("source_page_range", "object[]", "first and last physical page, counted from 0"),
    Attribute("printed_page_range", "object[]", "first and last folio as printed"),
    Attribute("locators", "object[]", "line boxes, or other places, that the chunk touches"),
    Attribute("part_index", "int", "position within the segment, from 0"),
    Attribute("part_count", "int", "number of parts of the segment"),
    Attribute("est_tokens", "int", "token count of text"),
    Attribute("tokenizer", "str", "what counted them"),
    Attribute("oversized", "bool", "one atom that cannot be cut is over the ceiling"),
    Attribute("max_tokens", "int", "the ceiling in force"),
    Attribute("overlap_tokens", "int", "the overlap in force"),
    Attribute("attachments", "object[]", "tables and formulas that belong to the chunk, one entry per region"),
    Attribute("has_quarantined_content", "bool", "it holds or leans on a table that cannot be trusted"),
)
NULLABLE = frozenset({"parent_id", "source_page_range", "printed_page_range"})
_RANGES = ("source_page_range", "printed_page_range")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a document; `to_record` gives the flat JSON object. Field meanings stand in `CORE`."""

    chunk_id: str
    document_id: str
    source_name: str
    text_hash: str
    strategy: str
    requested_strategy: str
    chunk_kind: ChunkKind
    segment_id: str
    headings: tuple[str, ...]
    text: str
    source_text: str
    context_labels: tuple[str, ...]
    span: Span
    page_range: tuple[int, int] | None
    printed_range: tuple[int | str, int | str] | None
    locators: tuple[Locator, ...]
    part_index: int
    part_count: int
    est_tokens: int
    tokenizer: str
    max_tokens: int
    overlap_tokens: int
    oversized: bool = False
    attachments: tuple[Mapping[str, Any], ...] = ()
    has_quarantined_content: bool = False
    parent_id: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.source_text) != len(self.span):
            raise InvariantError(f"chunk {self.chunk_id}: {len(self.source_text)} characters in a span of {len(self.span)}")
        if not 0 <= self.part_index < self.part_count:
            raise InvariantError(f"chunk {self.chunk_id}: part {self.part_index} of {self.part_count}")

    @property
    def location(self) -> Location | None:
        """Where the chunk stands by its own record; None where that names lines of the text, which the text tells better."""
        if all(isinstance(place, LineRange) for place in self.locators) and self.page_range is None:
            return None
        folios = self.printed_range or (None, None)
        numbers = dict(zip(self.page_range or (), folios, strict=False))
        pages = (Page(number, None if label is None else str(label), 0.0, 0.0, self.span) for number, label in numbers.items())
        return Location(tuple(pages), self.locators)

    def to_record(self) -> dict[str, Any]:
        """The core fields in the order of `CORE`, then the strategy's own attributes."""
        return {
            "schema_version": SCHEMA_VERSION,
            "chunk_id": self.chunk_id,
            "document_id": self.document_id,
            "source_name": self.source_name,
            "text_hash": self.text_hash,
            "strategy": self.strategy,
            "requested_strategy": self.requested_strategy,
            "chunk_kind": self.chunk_kind.value,
            "segment_id": self.segment_id,
            "headings": list(self.headings),
            "parent_id": self.parent_id,
            "text": self.text,
            "source_text": self.source_text,
            "context_labels": list(self.context_labels),
            "start_char": self.span.start,
            "end_char": self.span.end,
            "source_page_range": list(self.page_range) if self.page_range else None,
            "printed_page_range": list(self.printed_range) if self.printed_range else None,
            "locators": [locator.to_json() for locator in self.locators],
            "part_index": self.part_index,
            "part_count": self.part_count,
            "est_tokens": self.est_tokens,
            "tokenizer": self.tokenizer,
            "oversized": self.oversized,
            "max_tokens": self.max_tokens,
            "overlap_tokens": self.overlap_tokens,
            "attachments": [dict(item) for item in self.attachments],
            "has_quarantined_content": self.has_quarantined_content,
            **self.attributes,
        }

    def to_line(self) -> str:
        """The record as one line of JSON Lines, without the line end."""
        return _ENCODER.encode(self.to_record())

    @classmethod
    def from_record(cls, record: Mapping[str, Any], declared: Iterable[Attribute]) -> Self:
        """The chunk of a record; RecordError names every field that is missing, mistyped or undeclared."""
        faults = list(record_faults(record, declared))
        if faults:
            raise RecordError(faults)
        core = {attribute.name for attribute in CORE}
        ranges = {name: tuple(record[name]) if record[name] else None for name in _RANGES}
        simple = {f.name: record[f.name] for f in fields(cls) if f.name in core}
        try:
            return cls(
                **{
                    **simple,
                    "chunk_kind": ChunkKind(record["chunk_kind"]),
                    "headings": tuple(record["headings"]),
                    "context_labels": tuple(record["context_labels"]),
                    "attachments": tuple(record["attachments"]),
                    "locators": tuple(map(locator_from_json, record["locators"])),
                },
                span=Span(record["start_char"], record["end_char"]),
                page_range=ranges["source_page_range"],
                printed_range=ranges["printed_page_range"],
                attributes={name: value for name, value in record.items() if name not in core},
            )
        except InvariantError as error:
            raise RecordError([str(error)]) from error


def record_faults(record: Mapping[str, Any], declared: Iterable[Attribute]) -> Iterable[str]:
    """What keeps a record from being a chunk, one sentence each."""
    if record.get("schema_version") != SCHEMA_VERSION:
        yield f"schema_version is {record.get('schema_version')!r}, not {SCHEMA_VERSION}"
    for attribute in CORE:
        value = record.get(attribute.name)
        if attribute.name not in record:
            yield f"{attribute.name} is missing"
        elif value is None:
            if attribute.name not in NULLABLE:
                yield f"{attribute.name} is null"
        elif attribute.name in _RANGES:
            parts = (int,) if attribute.name == "source_page_range" else (int, str)
            if not (isinstance(value, list) and len(value) == 2 and all(type(part) in parts for part in value)):
                yield f"{attribute.name} is {value!r}, not a first and a last page"
        elif not attribute.admits(value):
            yield f"{attribute.name} is {value!r:.60}, not {attribute.type}"
    if record.get("chunk_kind") not in list(ChunkKind):
        yield f"chunk_kind {record.get('chunk_kind')!r} is not one of {', '.join(ChunkKind)}"
    known = {attribute.name: attribute for attribute in (*CORE, *declared)}
    for name, value in record.items():
        if name not in known:
            yield f"{name} is declared by no strategy"
        elif name not in {attribute.name for attribute in CORE} and not known[name].admits(value):
            yield f"{name} is {value!r:.60}, not {known[name].type}"


@lru_cache(maxsize=16)
def _hashed(begin: str) -> hashlib._Hash:
    return hashlib.sha256(begin.encode())


def chunk_ids(document_id: str, strategy: str, options_hash: str, segment_id: str, kind: ChunkKind) -> Callable[[Span], str]:
    """Gives the ids of a segment's chunks: 20 hex digits made of what a chunk is and of nothing else, so that a second run
    is an upsert of nothing."""
    segment = _hashed(f"{document_id}\0{strategy}\0{options_hash}\0").copy()
    segment.update(segment_id.encode())
    kind_bytes = kind.value.encode()

    def chunk_id(span: Span) -> str:
        own = segment.copy()  # a third of what hashing it all again takes
        own.update(b"\0%d\0%d\0%b" % (span.start, span.end, kind_bytes))
        return own.hexdigest()[:20]

    return chunk_id
