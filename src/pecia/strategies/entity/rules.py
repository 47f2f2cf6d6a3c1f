"""Checks of entities: those of all heritage sources, and slots that a schema does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pecia.checking.heritage import RULES as HERITAGE
from pecia.checking.laws import Law, registering
from pecia.model import Chunk, Document, Segment, Severity, Span

_LAWS: list[Law] = []
_rule = registering(_LAWS)


@_rule("ENT101", Severity.WARNING)
def unknown(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """Every slot of an entity is one of its class in the schema.

    Why: what the schema does not have stands in no text, so nobody finds it; or the name is misspelt.
    Example: `prefered_label: Museum A` under a schema with `preferred_label`.
    """
    for chunk in chunks:
        if chunk.part_index == 0 and (slots := chunk.attributes.get("unknown_slots")):
            yield f"the schema has no {', '.join(slots)[:200]}", chunk, chunk.span


RULES = (*HERITAGE, *_LAWS)
