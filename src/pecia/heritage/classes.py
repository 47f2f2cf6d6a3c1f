"""Which class a slot or a section tells something of, and the flags that follow."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any

CONTEXT = "Context"


@cache
def _data() -> dict[str, dict[str, Any]]:
    with resources.files(__package__).joinpath("classes.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def _of_slot() -> dict[str, str]:
    return {slot: name for name, slots in _data()["slots"].items() for slot in slots}


@cache
def class_names() -> tuple[str, ...]:
    """All classes by rank."""
    return (*_data()["slots"], CONTEXT)


def class_of_section(section_type: str) -> str:
    """The class that a section of a page tells something of, by its type: `about`, `contact`, …"""
    return str(_data()["sections"].get(section_type, CONTEXT))


@lru_cache(maxsize=4096)  # rows of a register fill the same few slots
def told(filled: tuple[str, ...]) -> Mapping[str, Any]:
    """`primary_class`, `mentioned_classes` and the `has_` flags of a chunk in which these slots are filled."""
    slots = frozenset(filled)
    found = {_of_slot().get(slot, CONTEXT) for slot in slots}
    classes = [name for name in class_names() if name in found] or [CONTEXT]
    made: dict[str, Any] = {
        "primary_class": classes[0],
        "mentioned_classes": classes,
        "has_identifiers": not slots.isdisjoint(_data()["flags"]["has_identifiers"]),
        "has_collections": "CustodianCollection" in found,
        "has_relationships": "Relationship" in found,
    }
    return MappingProxyType(made)
