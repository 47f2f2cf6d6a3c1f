"""What a store tells of its vectors."""

from __future__ import annotations

from dataclasses import dataclass

from pecia.model.finding import Finding


@dataclass(frozen=True, slots=True)
class Embedded:
    """An embedder that a store has vectors of; `plugin` is the name it is loaded by, "" where it was given as an object.
    `whole`: every chunk has its vectors."""

    name: str
    plugin: str
    dimension: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far embedding is: chunks that have their vectors now, of how many; vectors made, and found by their text.
    `finding` names a chunk that is longer than the window."""

    chunks: int
    of: int
    made: int
    known: int
    finding: Finding | None = None
