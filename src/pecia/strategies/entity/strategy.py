"""Strategy `entity`: one entity of a YAML or JSON file, one chunk, its text `label: value` lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.limits import FILES, TEXT, HashesOptions, SizeOptions
from pecia.chunking.lines import Line, LinePacker
from pecia.chunking.packer import Piece, Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.errors import OptionError
from pecia.heritage.attributes import LINES, POINTER, RECORD, UNIVERSAL, lines_of, universal
from pecia.model import Attribute, BlockKind, Chunk, ChunkKind, Document, LeftOut, Pointer, Segment, Span
from pecia.parsing.entities import Entity, entities
from pecia.parsing.media import JSON, YAML
from pecia.protocols import Detection, Rule
from pecia.strategies.entity import custodian, wikidata
from pecia.strategies.entity.places import Place, root
from pecia.strategies.entity.rules import RULES
from pecia.strategies.entity.schema import schema_of
from pecia.text.tokens import tokenizer

ATTRIBUTES = (
    *UNIVERSAL,
    *RECORD,
    *LINES,
    Attribute("hc_id", "str", "identifier of the custodian as the entity states it"),
    Attribute("yaml_path", "str", "document in the stream and pointer in it: doc=0/4; null in JSON"),
    POINTER,
    Attribute("unknown_slots", "str[]", "slots of the entity that the schema does not have"),
)
_OWN = tuple(item.name for item in ATTRIBUTES if item not in UNIVERSAL and item.name != "also_in")
_UNIVERSAL = frozenset(attribute.name for attribute in UNIVERSAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SizeOptions):
    """An entity is one chunk up to max_tokens; a longer one is cut between its slots.

    schema: a LinkML schema (.yaml), by which all slots stand in the text, in its order, under its titles. extraction_date: when
    the data was taken, where entities do not say.
    """

    max_tokens: int = 800
    target_tokens: int = 800
    overlap_tokens: int = 0
    schema: str = field(default="", metadata=FILES)
    extraction_date: str = field(default="", metadata=TEXT)
    # What the schema is, wherever it stands: chunks made by another state of it are other chunks.
    schema_hash: str = field(default="", init=False)

    def __post_init__(self) -> None:
        SizeOptions.__post_init__(self)
        if self.schema:
            if not Path(self.schema).is_file():
                raise OptionError(f"schema {self.schema}: there is no such file")
            object.__setattr__(self, "schema_hash", schema_of(self.schema).sha256)

    def identity(self) -> dict[str, Any]:
        return {**SizeOptions.identity(self), "schema": ""}


@dataclass(frozen=True, slots=True)
class EntityStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "entity"
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    rules: tuple[Rule, ...] = RULES

    def detect(self, document: Document) -> Detection:
        if not _has_entities(document):
            return Detection(0.0, "no entities of a YAML or JSON file")
        count = sum(block.kind is BlockKind.ENTITY for block in document.blocks)
        return Detection(0.95, f"{count:,} entities of a {document.source.media_type.rpartition('/')[2].upper()} file")

    def segment(self, document: Document) -> Iterator[Segment]:
        """One segment an entity. Brackets, comments and names of lists between them are left out; a document of another kind is
        all for `heading`."""
        if not _has_entities(document):
            yield Segment("document", "document", document.source.name, Span(0, len(document.text)), delegate="heading")
            return
        for block in document.blocks:
            if block.kind is BlockKind.ENTITY:
                title = next((place.pointer for place in block.places if isinstance(place, Pointer)), "")
                yield Segment(f"entity-{block.id[1:]}", "entity", title, block.span)
            else:
                yield Segment(f"between-{block.id}", "between", "", block.span, left_out_reason=LeftOut.MARKUP)

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        """One chunk an entity, of kind `record`. What another strategy should cut is packed as it is where it is given."""
        record = Recorder(document, self.name, self.options)
        packer = cache(lambda: packer_for(document, self.options, DocumentBoundaries(document)))
        lines = LinePacker(packer, tokenizer(self.options.tokenizer).count, self.options.max_tokens)
        found = iter(())  # type: Iterator[Entity]
        entity: Entity | None = None
        for segment in segments:
            if segment.key != "entity":
                yield from record(segment, packer()(Stretch(segment.span)))
                continue
            if entity is None:
                found = entities(document.text, document.source.media_type)
            while entity is None or entity.start < segment.span.start:
                entity = next(found)
            held, attributes = self._read(entity, document)
            name = next((line for line in held if line.label == "Name"), None)
            headings = (" ".join(attributes["preferred_label"].split()),) if attributes["preferred_label"] else ()
            pieces = lines(segment.span, held, name) if held else iter([_verbatim(segment, document, lines)])
            yield from record(
                segment,
                pieces,
                kind=ChunkKind.RECORD,
                headings=lambda piece, headings=headings: headings,  # type: ignore[misc]
                attributes=lambda piece, made=attributes: made | lines_of(document, piece.span),  # type: ignore[misc]
            )

    def _read(self, entity: Entity, document: Document) -> tuple[list[Line], dict[str, Any]]:
        """Lines and attributes of an entity."""
        place = root(entity.node)
        item = wikidata.is_item(place)
        known = wikidata.known(place) if item else custodian.known(place)
        shared = {name: value for name, value in known.items() if name in _UNIVERSAL}
        shared["source_id"] = shared.get("source_id") or entity.key or document.source.name
        shared["extraction_date"] = shared.get("extraction_date") or self.options.extraction_date or None
        made = universal("wikidata" if item else "yaml_instance", **shared)
        made |= {name: known.get(name) for name in _OWN}
        yaml = document.source.media_type == YAML
        made |= {"yaml_path": f"doc={entity.document}{entity.pointer}" if yaml else None, "json_pointer": entity.pointer}
        lines, unknown = self._lines(place, item=item)
        made |= {"identifiers": known.get("identifiers") or [], "unknown_slots": unknown}
        return lines, made

    def _lines(self, place: Place, *, item: bool) -> tuple[list[Line], list[str]]:
        if self.options.schema and not item:
            return schema_of(self.options.schema).lines(place)
        return (wikidata.lines(place) if item else custodian.lines(place)), []


def _has_entities(document: Document) -> bool:
    return document.source.media_type in (JSON, YAML) and any(block.kind is BlockKind.ENTITY for block in document.blocks[:2])


def _verbatim(segment: Segment, document: Document, lines: LinePacker) -> Piece:
    """An entity that says nothing (`{}`) as it stands."""
    text = segment.span.of(document.text)
    return Piece(segment.span, (), lines.count(text), text=text)
