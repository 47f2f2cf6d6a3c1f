"""Entities by a LinkML schema: all slots in its order, under its titles, with what its enums mean."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from pecia.chunking.lines import Line
from pecia.errors import MissingExtraError, OptionError
from pecia.parsing.nodes import Kind
from pecia.strategies.entity.places import Place

# Classes within classes; a schema may refer to itself.
_DEEPEST = 20


@lru_cache(maxsize=8)
def schema_of(path: str) -> Schema:
    """The schema in a file, read once in a process. OptionError where it is none; MissingExtraError without the extra."""
    return Schema(path)


class Schema:
    """`sha256` is the hash of the schema's own file; schemas that it imports are read from beside it."""

    def __init__(self, path: str) -> None:
        try:
            from linkml_runtime.utils.schemaview import SchemaView
        except ImportError as error:
            raise MissingExtraError("linkml-runtime", "linkml", f"schema {path}") from error
        try:
            self.sha256 = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            self._view: Any = SchemaView(path)
            self._classes: dict[str, dict[str, Any]] = {
                name: {slot.name: slot for slot in self._view.class_induced_slots(name)} for name in self._view.all_classes()
            }
            self._enums: dict[str, Any] = self._view.all_enums()
        except Exception as error:  # whatever linkml-runtime stumbles over is a fault of the schema
            raise OptionError(f"schema {path} cannot be read as LinkML: {' '.join(str(error).split())[:200]}") from error

    def lines(self, entity: Place) -> tuple[list[Line], list[str]]:
        """The lines of an entity by its class, and the slots that the class does not have."""
        name = self._class_of(entity)
        unknown: list[str] = []
        return list(self._filled(entity, name, "", unknown, 0)), unknown

    def _class_of(self, entity: Place) -> str:
        """The class that the entity names (`@type`, `type`, a slot that designates it), else the one that has most of its slots;
        of two, the root of the schema's tree, then the one with fewer slots, then the first."""
        for name, slots in self._classes.items():
            designators = [slot for slot in slots.values() if slot.designates_type]
            stated = entity.get("@type", "type", *(slot.name.casefold() for slot in designators))
            if stated and stated.text().rpartition("/")[2].rpartition(":")[2] == name:
                return name

        def rating(name: str) -> tuple[int, bool, int]:
            slots = self._classes[name]
            known = sum(self._slot(slots, key) is not None for key in entity.node.names())
            return known, bool(self._view.get_class(name).tree_root), -len(slots)

        return max(self._classes, key=rating, default="")

    def _slot(self, slots: dict[str, Any], key: str) -> Any:
        """The slot that a key fills: by its name, with or without the prefix of a vocabulary, by its alias or another name."""
        bare = key.rpartition(":")[2]
        for name, slot in slots.items():
            if bare.replace(" ", "_") in {name.replace(" ", "_"), *([slot.alias] if slot.alias else []), *slot.aliases}:
                return slot
        return None

    def _filled(self, place: Place, name: str, above: str, unknown: list[str], depth: int) -> Iterator[Line]:
        slots = self._classes.get(name, {})
        found: dict[str, list[Place]] = {}
        for key, member in place.members() if place.node.kind is Kind.MAPPING else ():
            slot = self._slot(slots, key)
            if slot is not None:
                found.setdefault(slot.name, []).append(member)
            elif key not in ("@context", "@type") and not (key == "type" and self._is_class(member)):
                unknown.append(f"{above} › {key}" if above else key)
        for slot in slots.values():
            title = _title(slot)
            for member in found.get(slot.name, ()):
                yield from self._values(member, slot, f"{above} › {title}" if above else title, unknown, depth)

    def _values(self, place: Place, slot: Any, label: str, unknown: list[str], depth: int) -> Iterator[Line]:
        inner = self._classes.get(slot.range)
        for item in place.items():
            if item.node.kind is Kind.SCALAR:
                if item.node.text.strip():
                    yield from self._value(item, slot, label)
            elif inner is not None and depth < _DEEPEST:
                if any(self._slot(inner, key) for key in item.node.names()):
                    yield from self._filled(item, slot.range, label, unknown, depth + 1)
                    continue
                for key, thing in item.members():
                    yield from self._keyed(key, thing, slot.range, label, unknown, depth)
            else:
                yield from (scalar.line(label) for scalar in item.scalars())

    def _keyed(self, key: str, thing: Place, name: str, label: str, unknown: list[str], depth: int) -> Iterator[Line]:
        """A thing that is inlined by its identifier: that, then what it holds, or the one value that it is."""
        slots = self._classes[name]
        own = next((slot for slot in slots.values() if slot.identifier or slot.key), None)
        if own is not None:
            yield Line(f"{label} › {_title(own)}", " ".join(key.split()), thing.span, thing.borrowed)
        if thing.node.kind is Kind.MAPPING:
            yield from self._filled(thing, name, label, unknown, depth + 1)
        else:
            others = [slot for slot in slots.values() if slot is not own]
            title = f"{label} › {_title(others[0])}" if len(others) == 1 else label
            yield from (scalar.line(title) for scalar in thing.scalars())

    def _is_class(self, place: Place) -> bool:
        return place.text().rpartition("/")[2].rpartition(":")[2] in self._classes

    def _value(self, item: Place, slot: Any, label: str) -> Iterator[Line]:
        """A value, and under it what the schema says that it means: that is context, as the source does not say it."""
        yield item.line(label)
        enum = self._enums.get(slot.range)
        meant = enum.permissible_values.get(item.value) if enum else None
        if meant is not None:
            words = dict.fromkeys([meant.title, meant.description, *meant.aliases])
            said = "; ".join(" ".join(word.split()) for word in words if word)
            if said:
                yield Line(f"{label} ({item.value})", said, item.span, borrowed=True)


def _title(slot: Any) -> str:
    """What a slot is called, without what parts a label from its value."""
    return " ".join((slot.title or slot.name).replace(": ", ":").split())
