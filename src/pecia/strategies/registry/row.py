"""What one row of a register says: its text and its attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pecia.heritage.attributes import LINES, RECORD, UNIVERSAL, confidence, tier, universal
from pecia.heritage.classes import told
from pecia.heritage.custodians import countries, parse_ghcid, type_letter
from pecia.heritage.identity import any_identifier, country_of, identifiers, scheme_of
from pecia.model import Attribute
from pecia.strategies.registry.mapping import data
from pecia.strategies.registry.register import Register

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
# Rows of a register have few shapes; those of one without any order are not kept beyond this.
_SHAPES = 4_096


@dataclass(frozen=True, slots=True)
class Shape:
    """What rows with the same cells filled have in common. `filled` are the (label, column) pairs that stand in text, `labelled`
    the same with what parts a label from its value; the others are (slot, column), (scheme, column) and (name, column) pairs
    of the cells that fill attributes. `told` and `told_with_ids` are what the filled slots say of its classes."""

    filled: Sequence[tuple[str, int]]
    labelled: Sequence[tuple[str, int]]
    own: Sequence[tuple[str, int]]
    common: Sequence[tuple[str, int]]
    schemes: Sequence[tuple[str, int]]
    extra: Sequence[tuple[str, int]]
    told: Mapping[str, Any]
    told_with_ids: Mapping[str, Any]


class RowReader:
    """Reads one row after the other. `stated` are an extraction date and a type of register, where the options give them."""

    def __init__(self, register: Register, source_name: str, stated: Mapping[str, str | None]) -> None:
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
        self._shapes: dict[bytes, Shape] = {}
        self._base = {
            **universal("csv_registry", source_id=source_name, extraction_date=stated["extraction_date"]),
            **dict.fromkeys(attribute.name for attribute in ATTRIBUTES if attribute.name not in _UNIVERSAL | {"also_in"}),
            "registry_type": stated["registry_type"] or columns.registry_type,
        }

    def shape(self, values: Sequence[str]) -> Shape:
        """The shape of a row by which of its cells say something."""
        key = bytes([not (not value or value.isspace()) for value in values])
        found = self._shapes.get(key)
        if found is None:
            if len(self._shapes) >= _SHAPES:
                self._shapes.clear()
            found = self._shapes[key] = self._shape(key)
        return found

    def _shape(self, said: Sequence[int]) -> Shape:
        size, name = len(said), self.register.name
        filled = self._filled(said)
        common = [item for item in self._common if item[1] < size and said[item[1]]]
        extra = [number for number in (*self._extra, *range(len(self.register.names), size)) if number < size and said[number]]
        slots = (*(label for label, _ in filled), *(slot for slot, _ in common))
        return Shape(
            filled,
            [(f"{label}: ", column) for label, column in filled],
            [item for item in self._own if item[1] < size and said[item[1]]],
            common,
            [item for item in self._schemes if item[1] < size and said[item[1]]],
            [(name(number), number) for number in extra],
            dict(told(slots)),
            dict(told((*slots, "identifiers"))),
        )

    def _filled(self, said: Sequence[int]) -> list[tuple[str, int]]:
        """The (label, column) pairs that stand in the text of a row: those mapped, or all where none of these is filled."""
        size = len(said)
        found = [item for item in self._lines if item[1] < size and said[item[1]]]
        if found and self._mapped:
            return found
        wanted = range(size) if self._mapped else range(len(self.register.names), size)
        return found + [(self.register.name(number), number) for number in wanted if said[number]]

    def attributes(self, values: Sequence[str], number: int, shape: Shape) -> dict[str, Any]:
        """Attributes of a row, its number among all rows given; lines aside."""
        made = self._base.copy()
        made["row_index"] = number - self.register.dialect.first
        for slot, column in shape.own:
            made[slot] = values[column]
        for slot, column in shape.common:
            made |= _stated(slot, values[column])
        keys = [key for scheme, column in shape.schemes for key in identifiers(scheme, values[column])]
        if keys:
            made["identifiers"] = keys
            made["country_code"] = made["country_code"] or _country(keys)
        if ghcid := made["ghcid"] and parse_ghcid(made["ghcid"]):
            made["country_code"] = made["country_code"] or ghcid.country
            made["region_code"] = made["region_code"] or ghcid.region
            made["custodian_type"] = made["custodian_type"] or ghcid.type
        if entity := made["ghcid"] or made["preferred_label"]:
            made["mentioned_entities"] = [entity]
        made |= shape.told_with_ids if any_identifier(keys) else shape.told
        made["extra_columns"] = {name: values[column] for name, column in shape.extra} or None
        return made


def _country(keys: Sequence[str]) -> str | None:
    return next((country_of(key.removeprefix("isil:")) for key in keys if key.startswith("isil:")), None)


def _stated(slot: str, value: str) -> dict[str, Any]:
    """A universal attribute as a cell states it; nothing where the cell says nothing that the attribute can hold."""
    made = _READ[slot](value.strip()) if slot in _READ else value
    return {} if made is None else {slot: made}


_READ: dict[str, Callable[[str], Any]] = {
    "custodian_type": type_letter,
    "data_tier": tier,
    "confidence_score": confidence,
    "country_code": lambda text: text.upper() if text.upper() in countries() else None,
}
