"""Items of Wikidata: labels, descriptions, aliases, and claims as facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pecia.chunking.lines import Line
from pecia.heritage.identity import identifiers
from pecia.parsing.nodes import Kind
from pecia.strategies.entity.places import Place, data

_ITEM = re.compile(r"[QP][1-9][0-9]*")
_TIME = re.compile(r"\+?(-?\d+)(?:-(\d\d)-(\d\d))?T")
# What a claim says in parts, by the type of its value: the part that is a fact by itself.
_PART = {"quantity": "amount", "monolingualtext": "text", "wikibase-entityid": "id"}


def is_item(entity: Place) -> bool:
    """True for a mapping with labels or claims and the number of an item."""
    node = entity.node
    if node.kind is not Kind.MAPPING or not (node.get("labels") or node.get("claims")):
        return False
    number = entity.get("id")
    return bool(number and _ITEM.fullmatch(number.text()))


def lines(entity: Place) -> list[Line]:
    """Each name, description and alias once, in whatever languages; then every claim that is not deprecated."""
    made: list[Line] = []
    seen = set[tuple[str, str]]()
    for label, key in (("Name", "labels"), ("Description", "descriptions"), ("Alias", "aliases")):
        for place in _in_languages(entity, key):
            if (label, place.value) not in seen:
                seen.add((label, place.value))
                made.append(place.line(label))
    return [*made, *(place_line for _, place_line in _claims(entity))]


def known(entity: Place) -> dict[str, Any]:
    """Attributes of the item, as far as it states them."""
    number = entity.get("id")
    qid = number.text() if number else ""
    keys = list(identifiers("wikidata", qid))
    claimed = list(_claims(entity))
    for prop, line in claimed:
        keys += identifiers(prop, line.value)
    name = next((place.value for place in _in_languages(entity, "labels")), None)
    return {
        "preferred_label": name,
        "identifiers": list(dict.fromkeys(keys)),
        "source_id": qid or None,
        "mentioned_entities": [qid or name] if qid or name else [],
        "primary_class": "Custodian",
        "mentioned_classes": ["Custodian", *(["Observation"] if claimed else [])],
        "has_identifiers": True,
        "has_relationships": any(prop in {"P361", "P463", "P749", "P355"} for prop, _ in claimed),
    }


def _in_languages(entity: Place, key: str) -> Iterator[Place]:
    """The texts of labels, descriptions or aliases: `{"en": {"value": …}}`, lists of these, or plain texts."""
    held = entity.get(key)
    for _, language in held.members() if held else ():
        for item in language.items():
            found = item.get("value") if item.node.kind is Kind.MAPPING else item
            if found:
                yield from list(found.scalars())[:1]


def _claims(entity: Place) -> Iterator[tuple[str, Line]]:
    """(property, line) of each claim with a value."""
    held = entity.get("claims")
    for prop, statements in held.members() if held else ():
        label = data()["properties"].get(prop, prop)
        for statement in statements.items():
            rank = statement.get("rank")
            if rank and rank.text() == "deprecated":
                continue
            for line in _fact(statement, label):
                yield prop, line


def _fact(statement: Place, label: str) -> Iterator[Line]:
    snak = statement.get("mainsnak") or statement
    held = snak.get("datavalue") or snak
    kind = held.get("type")
    value = held.get("value") or (held if held.node.kind is Kind.SCALAR else None)
    if value is None:
        return
    if value.node.kind is Kind.SCALAR:
        if value.value:
            yield value.line(label)
    elif time := value.get("time"):
        yield _dated(value, time, label)
    elif latitude := value.get("latitude"):
        longitude = value.get("longitude")
        both = " ".join(place.text() for place in (latitude, longitude) if place)
        yield Line(label, both, value.span, value.borrowed)
    elif part := value.get(_PART.get(kind.text() if kind else "", "text")) or value.get("id") or value.get("amount"):
        yield Line(label, part.text().removeprefix("+"), part.span, part.borrowed)


def _dated(value: Place, time: Place, label: str) -> Line:
    """A date as exact as it is known: precision 9 is a year, 10 a month, 11 a day."""
    match = _TIME.match(time.text())
    precision = value.get("precision")
    text = time.text()
    if match:
        parts = [part for part in match.groups() if part]
        exact = int(precision.text()) - 8 if precision and precision.text().isdigit() else 3
        text = "-".join(parts[: max(1, min(exact, 3))])
    return Line(label, text, time.span, time.borrowed)
