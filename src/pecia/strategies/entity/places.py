"""Walking through an entity: every value with the place inside the entity that states it."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from pecia.chunking.lines import Line
from pecia.model import Span
from pecia.parsing.nodes import Entry, Kind, Node

# Keys of the language of a text: those of JSON-LD and SPARQL, and what instances call it.
_LANGUAGE = re.compile(r"@?(?:\w+[_:])?lang(?:uage)?(?:_?code)?", re.IGNORECASE)
# A value as an endpoint of SPARQL gives it.
_BINDING = frozenset({"type", "value", "xml:lang", "datatype"})


@cache
def data() -> Mapping[str, Any]:
    """`entity.toml`."""
    with resources.files(__package__).joinpath("entity.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def names_of(slot: str) -> tuple[str, ...]:
    """What a slot may be called, in the order in which the names count."""
    return tuple(data()["slots"][slot])


@cache
def plain(key: str) -> str:
    """A key as it is compared: without case, and without the prefix or address of a vocabulary."""
    bare = re.split(r"[/#]", key.rstrip("/#"))[-1] if "://" in key else key.rpartition(":")[2]
    return bare.casefold()


@dataclass(frozen=True, slots=True)
class Place:
    """A value and the span inside the entity that states it; `borrowed` where an alias there only points to it."""

    node: Node
    span: Span
    borrowed: bool = False

    def of(self, entry: Entry) -> Place:
        """The place of a member."""
        if self.borrowed:
            return Place(entry.node, self.span, borrowed=True)
        return Place(entry.node, Span(entry.start, entry.end), entry.elsewhere)

    def members(self) -> Iterator[tuple[str, Place]]:
        """(key, place) of each member in order."""
        for entry in self.node.entries or ():
            yield entry.key, self.of(entry)

    def get(self, *names: str) -> Place | None:
        """The first member by these plain names that is not empty; None where the node is no mapping."""
        if self.node.kind is not Kind.MAPPING:
            return None
        for name in names:
            for key, place in self.members():
                if plain(key) == name and place.filled():
                    return place
        return None

    def slot(self, slot: str) -> Place | None:
        """The member that fills a slot of `entity.toml`."""
        return self.get(*names_of(slot))

    def filled(self) -> bool:
        """True where some scalar in it says something."""
        return any(True for _ in self.scalars())

    def items(self) -> Iterator[Place]:
        """The members of a sequence, else the value itself."""
        if self.node.kind is Kind.SEQUENCE:
            yield from (place for _, place in self.members())
        else:
            yield self

    def scalars(self) -> Iterator[Place]:
        """The scalars that say something, in order; of the language and the type of a text, none."""
        if self.node.kind is Kind.SCALAR:
            if self.node.text.strip():
                yield self
            return
        for key, place in self.members():
            if key != "@type" and not _LANGUAGE.fullmatch(key):
                yield from place.scalars()

    def text(self) -> str:
        """What the first scalar says, or ""."""
        return next((place.value for place in self.scalars()), "")

    @property
    def value(self) -> str:
        """What a scalar says, as text of a chunk: in NFC, with line ends as the document has them."""
        return unicodedata.normalize("NFC", self.node.text.strip().replace("\r\n", "\n").replace("\r", "\n"))

    def line(self, label: str) -> Line:
        return Line(" ".join(label.replace(": ", ":").split()), self.value, self.span, self.borrowed)


def root(node: Node) -> Place:
    return Place(node, Span(node.start, node.end))


def leaves(place: Place, label: str = "") -> Iterator[Line]:
    """A line for every scalar that says something, labelled by the keys that lead to it: `address.city: Utrecht`."""
    if place.node.kind is Kind.SCALAR:
        if place.node.text.strip():
            yield place.line(label or "value")
        return
    if (value := place.get("value")) and place.get("type") and _BINDING.issuperset(place.node.names()):
        yield from leaves(value, label)
        return
    for key, member in place.members():
        within = place.node.kind is Kind.MAPPING
        yield from leaves(member, f"{label}.{key}" if within and label else key if within else label or "item")
