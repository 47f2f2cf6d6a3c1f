"""The attributes that chunks of conversations, web pages, registries and entities share, whatever they were cut from."""

from __future__ import annotations

from typing import Any

from pecia.errors import InvariantError
from pecia.model import Attribute, Document, LineRange, Location, Span

UNIVERSAL = (
    Attribute("source_type", "str", "conversation, website, csv_registry, yaml_instance or wikidata"),
    Attribute("source_id", "str", "what the source calls itself: an address, an id, else the name of the file"),
    Attribute("primary_class", "str", "class of what the chunk tells: Custodian, CustodianPlace, CustodianCollection, …"),
    Attribute("mentioned_classes", "str[]", "every class that the chunk tells something of"),
    Attribute("custodian_type", "str", "one letter of GLAMORCUBESFIXPHDNT"),
    Attribute("mentioned_entities", "str[]", "ids or names of the entities that the chunk names, in order of first mention"),
    Attribute("ghcid", "str", "global heritage custodian identifier, such as NL-NH-AMS-M-RM"),
    Attribute("country_code", "str", "two letters of ISO 3166-1"),
    Attribute("region_code", "str", "region within the country"),
    Attribute("settlement", "str", "town or village, as written"),
    Attribute("data_tier", "str", "TIER_1_AUTHORITATIVE, TIER_2_VERIFIED, TIER_3_CROWD_SOURCED or TIER_4_INFERRED"),
    Attribute("extraction_date", "str", "when the data was taken, as the source or an option states it"),
    Attribute("confidence_score", "float", "as the source states it, else 0.5"),
    Attribute("language", "str", "ISO 639-1 code of the chunk's language"),
    Attribute("has_identifiers", "bool", "a slot for identifiers is not empty"),
    Attribute("has_collections", "bool", "a slot for collections is not empty"),
    Attribute("has_relationships", "bool", "a slot for memberships or other relationships is not empty"),
)
# Declared here since several strategies have them.
LINES = (
    Attribute("line_start", "int", "first line of the chunk in the file, from 1"),
    Attribute("line_end", "int", "its last line, inclusive"),
)

POINTER = Attribute("json_pointer", "str", "JSON pointer (RFC 6901) to what the chunk is, in the file")
# What a record says of the entity that it is a record of, and what a canonical export adds.
RECORD = (
    Attribute("preferred_label", "str", "name of the entity that the chunk is a record of"),
    Attribute("identifiers", "str[]", "its identifiers, as scheme:value: isil:NL-XX, ghcid:…, wikidata:Q…, kvk:…, site:host"),
    Attribute("also_in", "object[]", "in a canonical export: the chunks that this one stands for, each with why it lost"),
)
MENTIONS = (
    Attribute("entity_types", "str[]", "types of the entities that the chunk names, one letter each, in order of first mention"),
    Attribute(
        "mentions",
        "object[]",
        "each mention: entity, name, kind (name, alias, acronym, coreference), start and end in the document",
    ),
)
TIERS = {
    "csv_registry": "TIER_1_AUTHORITATIVE",
    "yaml_instance": "TIER_2_VERIFIED",
    "website": "TIER_2_VERIFIED",
    "wikidata": "TIER_3_CROWD_SOURCED",
    "conversation": "TIER_4_INFERRED",
}
UNSTATED_CONFIDENCE = 0.5
_EMPTY: dict[str, Any] = {
    attribute.name: [] if attribute.type == "str[]" else False if attribute.type == "bool" else None for attribute in UNIVERSAL
}


def tier(stated: str) -> str | None:
    """The tier that a source states, by its name or the begin of it (`TIER_2`); None where it is none."""
    text = stated.strip().upper()
    return next((name for name in sorted(set(TIERS.values())) if text == name or (text and name.startswith(f"{text}_"))), None)


def confidence(stated: str) -> float | None:
    """The confidence that a source states, from 0 to 1; None where it is none."""
    try:
        value = float(stated)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def universal(source_type: str, **known: Any) -> dict[str, Any]:
    """All universal attributes of a chunk: what is known, and for the rest what stands for nothing known.

    A tier or confidence that is None comes from the kind of source; InvariantError for a name that is not universal.
    """
    if unknown := known.keys() - _EMPTY.keys():
        raise InvariantError(f"no universal attribute is called {', '.join(sorted(unknown))}")
    stated = {name: value for name, value in known.items() if value is not None}
    assumed = {"source_type": source_type, "data_tier": TIERS[source_type], "confidence_score": UNSTATED_CONFIDENCE}
    return {**_EMPTY, **assumed, **stated}


def line_numbers(place: Location) -> dict[str, int]:
    """The values of `LINES` for a place with lines."""
    (lines,) = [item for item in place.locators if isinstance(item, LineRange)]
    return _ends(lines)


def lines_of(document: Document, span: Span) -> dict[str, int]:
    """The values of `LINES` for a span of a text that is the file itself."""
    return _ends(document.lines_of(span))


def _ends(lines: LineRange) -> dict[str, int]:
    return {"line_start": lines.line_start, "line_end": lines.line_end}
