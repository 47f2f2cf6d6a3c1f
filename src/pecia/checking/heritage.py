"""Rules for chunks of heritage sources: identifiers that are what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pecia.checking.laws import Law, registering
from pecia.heritage.custodians import ghcid_faults, parse_ghcid
from pecia.model import Chunk, Document, Segment, Severity, Span

_LAWS: list[Law] = []
_rule = registering(_LAWS)


@_rule("HER101", Severity.WARNING)
def misbuilt(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """A GHCID has its parts: country, region, settlement, type, abbreviation.

    Why: type and place are read from it, and records of one institution are joined by it.
    Example: `NL-NH-AMS-Z-RM`, whose type is none of the 19 letters.
    """
    for chunk in chunks:
        if (stated := chunk.attributes.get("ghcid")) and chunk.part_index == 0:
            for fault in ghcid_faults(stated):
                yield fault, chunk, chunk.span


@_rule("HER102", Severity.WARNING)
def disagreeing(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """Type and country that a record states are those of its GHCID.

    Why: one of the two is wrong, and a filter on either gives another answer.
    Example: `custodian_type: M` beside `NL-NH-AMS-A-SAA`.
    """
    for chunk in chunks:
        parts = parse_ghcid(chunk.attributes.get("ghcid") or "")
        if parts is None or chunk.part_index:
            continue
        for name, part in (("custodian_type", parts.type), ("country_code", parts.country)):
            stated = chunk.attributes.get(name)
            if stated and stated != part:
                yield f"{name} is {stated}, in {parts} it is {part}", chunk, chunk.span


RULES = tuple(_LAWS)
