"""What an instance of a heritage custodian says, by the slots that it has, and how it reads without a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pecia.chunking.lines import Line
from pecia.heritage.attributes import confidence, tier
from pecia.heritage.classes import told
from pecia.heritage.custodians import countries, parse_ghcid, type_letter
from pecia.heritage.identity import identifiers, scheme_of
from pecia.model import Span
from pecia.parsing.nodes import Kind
from pecia.strategies.entity.places import Place, data, leaves, names_of, plain


def is_custodian(entity: Place) -> bool:
    """True for a mapping with a slot that only custodians have, or with a name and a place, collections or identifiers."""
    if entity.node.kind is not Kind.MAPPING:
        return False
    keys = {plain(key) for key in entity.node.names()}
    if not keys.isdisjoint(data()["custodian"]):
        return True
    return bool(entity.slot("name")) and (_settled(entity) is not None or any(True for _ in _identified(entity)))


def lines(entity: Place) -> list[Line]:
    """Name, description, location, collections, identifiers, as far as they are there; of what is no custodian all else too."""
    made = list(_labelled(entity)) if entity.node.kind is Kind.MAPPING else []
    if is_custodian(entity):
        return made or list(leaves(entity))
    used = {line.span for line in made}
    return made + [line for line in leaves(entity) if not any(_within(line.span, span) for span in used)]


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _labelled(entity: Place) -> Iterator[Line]:
    for label, slot in (("Name", "name"), ("Description", "description")):
        if place := entity.slot(slot):
            yield from (scalar.line(label) for scalar in place.scalars())
    if location := _location(entity):
        yield location
    for name in _collections(entity):
        yield name.line("Collection")
    for scheme, value in _identified(entity):
        yield value.line(scheme)


def _settled(entity: Place) -> Place | None:
    """The first place with a settlement or country in it."""
    for name in names_of("place"):
        if held := entity.get(name):
            for place in held.items():
                if place.slot("settlement") or place.slot("country"):
                    return place
    return None


def _location(entity: Place) -> Line | None:
    place = _settled(entity)
    if place is None:
        return None
    parts = [part for slot in ("settlement", "country") if (part := place.slot(slot))]
    spans = [part.span for part in parts]
    span = Span(min(span.start for span in spans), max(span.end for span in spans))
    return Line("Location", " ".join(part.text() for part in parts), span, any(part.borrowed for part in parts))


def _collections(entity: Place) -> Iterator[Place]:
    """The name of each collection; a collection that is a text is its own name."""
    if held := entity.slot("collections"):
        for item in held.items():
            named = item.slot("collection_name") if item.node.kind is Kind.MAPPING else item
            if named:
                yield from list(named.scalars())[:1]


def _identified(entity: Place) -> Iterator[tuple[str, Place]]:
    """(scheme, value) of identifiers that have both; also of a mapping from scheme to value."""
    if held := entity.slot("identifiers"):
        for item in held.items():
            scheme, value = item.slot("identifier_scheme"), item.slot("identifier_value")
            if scheme and value:
                span = Span(min(scheme.span.start, value.span.start), max(scheme.span.end, value.span.end))
                yield scheme.text(), Place(next(value.scalars()).node, span, value.borrowed)
            elif held.node.kind is Kind.MAPPING and not scheme and not value:
                yield from ((key, scalar) for key, member in held.members() for scalar in member.scalars())


def known(entity: Place) -> dict[str, Any]:
    """Attributes of the entity, as far as it states them."""
    place, provenance = _settled(entity), entity.slot("provenance")
    schemes = list(_identified(entity))
    keys = [key for scheme, value in schemes for key in identifiers(scheme, value.text())]
    for name, member in entity.members() if entity.node.kind is Kind.MAPPING else ():
        if scheme_of(plain(name)):
            keys += [key for scalar in member.scalars() for key in identifiers(plain(name), scalar.value)]
    keys = list(dict.fromkeys(keys))
    country = _text(place, "country") or ""
    made: dict[str, Any] = {
        "preferred_label": _text(entity, "name"),
        "hc_id": _text(entity, "hc_id"),
        "ghcid": _text(entity, "ghcid"),
        "custodian_type": type_letter(_text(entity, "custodian_type") or ""),
        "country_code": country.upper() if country.upper() in countries() else None,
        "region_code": _text(place, "region"),
        "settlement": _text(place, "settlement"),
        "identifiers": keys,
    }
    made["ghcid"] = made["ghcid"] or next((key.removeprefix("ghcid:") for key in keys if key.startswith("ghcid:")), None)
    # Country and region are those of a place that the entity states: who gave a number is no place.
    if parts := parse_ghcid(made["ghcid"] or ""):
        made["custodian_type"] = made["custodian_type"] or parts.type
    for name, read in (("data_tier", tier), ("extraction_date", str), ("confidence_score", confidence)):
        stated = _text(provenance, name) or _text(entity, name)
        made[name] = read(stated) if stated else None
    filled = [plain(key) for key, member in entity.members() if member.filled()] if entity.node.kind is Kind.MAPPING else []
    named = made["ghcid"] or made["hc_id"] or made["preferred_label"]
    made["mentioned_entities"] = [named] if named else []
    made["source_id"] = _text(entity, "id")
    return {**made, **told(tuple(filled))}


def _text(place: Place | None, slot: str) -> str | None:
    found = place.slot(slot) if place else None
    return found.text() or None if found else None
