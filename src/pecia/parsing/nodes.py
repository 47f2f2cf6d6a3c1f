"""YAML and JSON as a tree whose every part knows where it stands in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

# Nothing that people write nests deeper; what does is refused, since readers recurse.
MAX_DEPTH = 100


class Kind(StrEnum):
    SCALAR = "scalar"
    MAPPING = "mapping"
    SEQUENCE = "sequence"


@dataclass(frozen=True, slots=True)
class Node:
    """`text` is what a scalar says, "" for null; `entries` are the members of a mapping or sequence in order, equal keys
    included, or None where they were skipped. `start` and `end` are offsets; those of an alias are those of its anchor."""

    kind: Kind
    start: int
    end: int
    text: str = ""
    entries: Sequence[Entry] | None = ()

    def get(self, *keys: str) -> Entry | None:
        """The first member with the first of these keys that is there; None where the node is no mapping."""
        if self.kind is not Kind.MAPPING or not self.entries:
            return None
        return next((entry for key in keys for entry in self.entries if entry.key == key), None)

    def names(self) -> Iterator[str]:
        if self.kind is Kind.MAPPING:
            yield from (entry.key for entry in self.entries or ())


@dataclass(frozen=True, slots=True)
class Entry:
    """A member: of a mapping by its key, of a sequence by its number. `start` and `end` hold key and value, or the dash and
    the value; of an alias, the alias."""

    key: str
    start: int
    end: int
    node: Node

    @property
    def elsewhere(self) -> bool:
        """True where the value is stated outside, at the anchor of an alias."""
        return not self.start <= self.node.start <= self.node.end <= self.end


def pointer_step(key: str) -> str:
    """One step of a JSON pointer (RFC 6901)."""
    return "/" + key.replace("~", "~0").replace("/", "~1")
