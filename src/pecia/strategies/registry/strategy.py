"""Strategy `registry`: one row of a table, one chunk, its text `slot: value` lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pecia.checking.heritage import RULES
from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.limits import PAIRS, TEXT, HashesOptions, SizeOptions
from pecia.chunking.lines import LinePacker
from pecia.chunking.packer import Piece, Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.heritage.attributes import LINES, RECORD, UNIVERSAL, confidence, lines_of, tier, universal
from pecia.heritage.classes import told
from pecia.heritage.custodians import countries, parse_ghcid, type_letter
from pecia.heritage.identity import any_identifier, country_of, identifiers, scheme_of
from pecia.model import Attribute, Chunk, ChunkKind, Document, LeftOut, Segment, Span
from pecia.protocols import Detection, Rule
from pecia.strategies.registry.mapping import Pairs, data, read_pairs
from pecia.strategies.registry.register import Register, is_register
from pecia.text.tokens import tokenizer

ATTRIBUTES = (
    *UNIVERSAL,
    *RECORD,
    *LINES,
    Attribute("registry_type", "str", "isil, dutch_organisations, or as the option says; null for a table without a mapping"),
    Attribute("row_index", "int", "number of the row among those behind the header, from 0"),
    *(Attribute(name, "str", meaning) for name, meaning in data()["attributes"].items()),
    Attribute("extra_columns", "object", "cells that fill no attribute of their own, by the name of their column or slot"),
)
_OWN = frozenset((*data()["attributes"], "preferred_label"))
_UNIVERSAL = frozenset(attribute.name for attribute in UNIVERSAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SizeOptions):
    """A row is one chunk up to max_tokens; a longer one is cut between its cells.

    mapping: from columns to slots, as the path of a .toml file or as `Column=slot;Column=slot`; without it a mapping in the
    box is used where it fits. registry_type: what kind of register it is. extraction_date: when the data was taken, where rows
    do not say.
    """

    max_tokens: int = 800
    target_tokens: int = 800
    overlap_tokens: int = 0
    mapping: str | Pairs = field(default="", metadata=PAIRS)
    registry_type: str = field(default="", metadata=TEXT)
    extraction_date: str = field(default="", metadata=TEXT)

    def __post_init__(self) -> None:
        SizeOptions.__post_init__(self)
        object.__setattr__(self, "mapping", read_pairs(self.mapping))


@dataclass(frozen=True, slots=True)
class RegistryStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "registry"
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    rules: tuple[Rule, ...] = RULES

    def detect(self, document: Document) -> Detection:
        if not is_register(document):
            return Detection(0.0, "no rows of a table file")
        return Detection(0.95, f"a table file of {len(document.blocks):,} rows, the header among them")

    def segment(self, document: Document) -> Iterator[Segment]:
        """One segment a row of data. The header, what stands above it and rows of empty cells are left out; a document that is no
        table file is all for `heading`."""
        if not is_register(document):
            yield Segment("document", "document", document.source.name, Span(0, len(document.text)), delegate="heading")
            return
        register = self._register(document)
        first, name = register.dialect.first, register.columns.slots.get("preferred_label", 0)
        for number in range(len(register.starts)):
            span = register.span(number)
            if number < first:
                key = "header" if number == register.dialect.header else "preamble"
                yield Segment(f"{key}-{number}", key, key.capitalize(), span, left_out_reason=LeftOut.HEADER)
                continue
            values = register.values(number)
            if not any(map(str.strip, values)):
                yield Segment(f"row-{number - first}", "row", "", span, left_out_reason=LeftOut.MARKUP)
                continue
            title = " ".join(values[name].split()) if name < len(values) else ""
            yield Segment(f"row-{number - first}", "row", title, span)

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        """One chunk a row, of kind `record`. What another strategy should cut is packed as it is where it is given."""
        record = Recorder(document, self.name, self.options)
        packer = cache(lambda: packer_for(document, self.options, DocumentBoundaries(document)))
        count, ceiling = tokenizer(self.options.tokenizer).count, self.options.max_tokens
        lines = LinePacker(packer, count, ceiling)
        row: _RowReader | None = None
        for segment in segments:
            if segment.key != "row":
                yield from record(segment, packer()(Stretch(segment.span)))
                continue
            row = row or _RowReader(self._register(document), document, self.options)
            number = row.register.at(segment.span.start)
            values = row.register.values(number)
            filled = row.filled(values)
            text = "\n".join([f"{label}: {values[column]}" for label, column in filled])
            tokens = count(text)
            pieces: Iterable[Piece]
            if tokens <= ceiling:
                pieces = (Piece(segment.span, (), tokens, text=text),)
            else:
                held = row.register.lines(number, values, filled)
                pieces = lines(segment.span, held, next((line for line in held if line.label == "preferred_label"), None))
            made = row.attributes(values, number, filled)
            headings = (segment.title,) if segment.title else ()
            yield from record(
                segment,
                pieces,
                kind=ChunkKind.RECORD,
                headings=lambda piece, headings=headings: headings,  # type: ignore[misc]
                attributes=lambda piece, made=made: made | lines_of(document, piece.span),  # type: ignore[misc]
            )

    def _register(self, document: Document) -> Register:
        assert not isinstance(self.options.mapping, str)  # the options have read it
        return Register(document, self.options.mapping)


class _RowReader:
    """Text and attributes of one row after the other."""

    def __init__(self, register: Register, document: Document, options: Options) -> None:
        self.register = register
        columns = register.columns
        self._lines, self._mapped = columns.lines, columns.mapped
        self._own = [(slot, number) for slot, number in columns.slots.items() if slot in _OWN]
        self._common = [(slot, number) for slot, number in columns.slots.items() if slot in _UNIVERSAL]
        attributes = {slot: number for slot, number in columns.slots.items() if slot in _OWN | _UNIVERSAL}
        shown = {number for slot, number in columns.lines if attributes.get(slot) == number} if columns.mapped else set()
        self._extra = [number for number in range(len(register.names)) if number not in shown]
        slots = {number: slot for slot, number in columns.slots.items()}
        by_column = [(scheme_of(slots.get(number, "")) or scheme_of(name), number) for number, name in enumerate(register.names)]
        self._schemes = [(scheme, number) for scheme, number in by_column if scheme]
        self._base = {
            **universal("csv_registry", source_id=document.source.name, extraction_date=options.extraction_date or None),
            **dict.fromkeys(attribute.name for attribute in ATTRIBUTES if attribute.name not in _UNIVERSAL | {"also_in"}),
            "registry_type": options.registry_type or columns.registry_type,
        }

    def filled(self, values: Sequence[str]) -> list[tuple[str, int]]:
        """The (label, column) pairs that stand in the text of a row: those mapped, or all where none of these is filled."""
        size = len(values)
        found = [item for item in self._lines if item[1] < size and not _blank(values[item[1]])]
        if found and self._mapped:
            return found
        wanted = range(size) if self._mapped else range(len(self.register.names), size)
        return found + [(self.register.name(number), number) for number in wanted if not _blank(values[number])]

    def attributes(self, values: Sequence[str], number: int, filled: Sequence[tuple[str, int]]) -> dict[str, Any]:
        size = len(values)
        made = dict(self._base)
        made["row_index"] = number - self.register.dialect.first
        for slot, column in self._own:
            if column < size and not _blank(values[column]):
                made[slot] = values[column]
        common = [(slot, values[column]) for slot, column in self._common if column < size and not _blank(values[column])]
        for slot, value in common:
            made |= _stated(slot, value)
        keys = [key for scheme, column in self._schemes if column < size for key in identifiers(scheme, values[column])]
        if keys:
            made["identifiers"] = keys
            made["country_code"] = made["country_code"] or _country(keys)
        if ghcid := made["ghcid"] and parse_ghcid(made["ghcid"]):
            made["country_code"] = made["country_code"] or ghcid.country
            made["region_code"] = made["region_code"] or ghcid.region
            made["custodian_type"] = made["custodian_type"] or ghcid.type
        if entity := made["ghcid"] or made["preferred_label"]:
            made["mentioned_entities"] = [entity]
        names = (*(label for label, _ in filled), *(slot for slot, _ in common))
        made |= told((*names, "identifiers") if any_identifier(keys) else names)
        extra = [number for number in self._extra if number < size]
        if size > len(self.register.names):
            extra += range(len(self.register.names), size)
        held = {self.register.name(number): values[number] for number in extra if not _blank(values[number])}
        made["extra_columns"] = held or None
        return made


def _blank(cell: str) -> bool:
    return not cell or cell.isspace()


def _country(keys: Sequence[str]) -> str | None:
    return next((country_of(key.removeprefix("isil:")) for key in keys if key.startswith("isil:")), None)


def _stated(slot: str, value: str) -> dict[str, Any]:
    """A universal attribute as a cell states it; nothing where the cell says nothing that the attribute can hold."""
    held = value.strip()
    known: dict[str, Callable[[str], Any]] = {
        "custodian_type": type_letter,
        "data_tier": tier,
        "confidence_score": confidence,
        "country_code": lambda text: text.upper() if text.upper() in countries() else None,
    }
    made = known[slot](held) if slot in known else value
    return {} if made is None else {slot: made}
