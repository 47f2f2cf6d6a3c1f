"""Known entities and all the ways to write them, as one automaton over folded text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pecia.heritage import forms
from pecia.heritage.concepts import concepts_of, is_noun, letter_of
from pecia.heritage.descriptions import descriptions
from pecia.heritage.entity_files import Record, contents, is_acronym, read_records
from pecia.heritage.identity import host_of
from pecia.text.folding import folded

NAME, ALIAS, ACRONYM, COREFERENCE = "name", "alias", "acronym", "coreference"
OF_ENTITY = ("custodian_type", "ghcid", "country_code", "region_code", "settlement")
"""The universal attributes that say what is known of the entity that a chunk is of."""
# By these two records are of one entity; a company's number may be shared by its branches.
_UNIQUE = ("isil", "ghcid", "wikidata", "hc_id")


@dataclass(frozen=True, slots=True)
class Entity:
    """`id` is its GHCID, else its Wikidata number, else its name. `type` is one letter; what is not known is None."""

    id: str
    name: str
    names: tuple[str, ...]
    aliases: tuple[str, ...]
    acronyms: tuple[str, ...]
    type: str | None
    concepts: tuple[str, ...]
    ghcid: str | None = None
    country: str | None = None
    region: str | None = None
    settlement: str | None = None
    websites: tuple[str, ...] = ()

    def attributes(self) -> dict[str, Any]:
        """What is known of the entity, under the names of universal attributes."""
        return {
            "custodian_type": self.type,
            "ghcid": self.ghcid,
            "country_code": self.country if self.country and len(self.country) == 2 else None,
            "region_code": self.region,
            "settlement": self.settlement,
        }


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write one of several entities, or, with a concept, to speak of the one that was named last and fits it."""

    text: str
    kind: str
    entities: tuple[int, ...] = ()
    concept: str = ""


class Gazetteer:
    """Entities in the order of their files."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        self.entities = tuple(entities)

    @cached_property
    def automaton(self) -> Any:
        """Finds the folded forms; the values are places in `forms`."""
        import ahocorasick

        made = ahocorasick.Automaton()
        for number, form in enumerate(self.forms):
            made.add_word(folded(form.text), number)
        made.make_automaton()
        return made

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """Every form once: what a file says before what is made by rule, names before aliases before acronyms."""
        held: dict[str, dict[int, tuple[str, str, bool]]] = {}
        for number, entity in enumerate(self.entities):
            for text, kind, stated in ways(entity):
                held.setdefault(folded(text), {}).setdefault(number, (text, kind, stated))
        made = []
        for listed in held.values():
            # A form that a rule made for one entity does not compete with another's own name.
            best = {number: way for number, way in listed.items() if way[2]} or listed
            text, kind, _ = next(iter(best.values()))
            described = descriptions().get(folded(text))
            made.append(Form(text, kind, tuple(best), described.concept if described else ""))
        known = held.keys()
        made += (Form(text, COREFERENCE, concept=item.concept) for text, item in descriptions().items() if text not in known)
        return tuple(made)


def ways(entity: Entity) -> Iterator[tuple[str, str, bool]]:
    """(text, kind, whether a file says so) of each form of an entity, those that a rule makes last."""
    found = [(name, NAME, True) for name in entity.names]
    found += [(alias, ALIAS, True) for alias in entity.aliases]
    found += [(acronym, ACRONYM, True) for acronym in entity.acronyms]
    for name in entity.names:
        found += [(alias, ALIAS, False) for alias in forms.aliases(name, entity.settlement)]
        found += [(acronym, ACRONYM, False) for acronym in forms.acronyms(name)]
    for text, kind, stated in found:
        if len(text) > 2 and any(map(str.isalpha, text)) and not is_noun(text):
            yield text, kind, stated


def gazetteer_of(paths: Sequence[str]) -> Gazetteer:
    """The gazetteer of entity files; OptionError for a file that cannot be read. The same bytes are read once in a process."""
    return _gazetteer(tuple((path.name, content) for path, content in contents(paths))) if paths else _EMPTY


def content_hash(paths: Sequence[str]) -> list[str]:
    """SHA-256 of each file, in their order: what the entities are, wherever the files stand."""
    return [hashlib.sha256(content).hexdigest() for _, content in contents(paths)]


@lru_cache(maxsize=4)
def _gazetteer(files: tuple[tuple[str, bytes], ...]) -> Gazetteer:
    return gazetteer_from([record for name, content in files for record in read_records(Path(name), content)])


def gazetteer_from(records: Sequence[Record]) -> Gazetteer:
    """The entities that these records are of, in the order of their first ones."""
    return Gazetteer([_entity([records[number] for number in group]) for group in _groups(records)])


_EMPTY = Gazetteer(())


def _groups(records: Sequence[Record]) -> Iterator[list[int]]:
    """The records of each entity: of one identifier or website, or of one name in one place; of one name where no record of that
    name says another place."""
    parent = list(range(len(records)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    first: dict[tuple[str, str], int] = {}
    places: dict[str, set[str]] = {}
    for record in records:
        if record.settlement:
            places.setdefault(folded(record.names[0]), set()).add(folded(record.settlement))
    for number, record in enumerate(records):
        name = folded(record.names[0])
        keys = [(scheme, record.identifiers[scheme].casefold()) for scheme in _UNIQUE if scheme in record.identifiers]
        if record.settlement or len(places.get(name, ())) > 1:
            keys.append(("place", f"{name}\0{folded(record.settlement or '')}"))
        if len(places.get(name, ())) <= 1:
            keys.append(("name", name))
        for key in keys:
            one, two = root(first.setdefault(key, number)), root(number)
            parent[max(one, two)] = min(one, two)
    groups: dict[int, list[int]] = {}
    for number in range(len(records)):
        groups.setdefault(root(number), []).append(number)
    yield from groups.values()


def _entity(records: Sequence[Record]) -> Entity:
    def first(name: str) -> str | None:
        return next((value for record in records if (value := getattr(record, name))), None)

    ids = {scheme: value for record in reversed(records) for scheme, value in record.identifiers.items()}
    names = tuple(dict.fromkeys(record.names[0] for record in records))
    others = dict.fromkeys(alias for record in records for alias in record.aliases if alias not in names)
    acronyms = dict.fromkeys(acronym for record in records for acronym in record.acronyms)
    acronyms |= dict.fromkeys(alias for alias in others if is_acronym(alias))
    stated = next((record.type for record in records if record.type and ("ghcid" in record.identifiers)), None)
    letter = stated or letter_of(names[0]) or letter_of(ids.get("description", "")) or first("type")
    websites = dict.fromkeys(host for record in records if (host := host_of(record.website)))
    return Entity(
        ids.get("ghcid") or ids.get("wikidata") or names[0],
        names[0],
        names,
        tuple(alias for alias in others if alias not in acronyms),
        tuple(acronyms),
        letter,
        tuple(dict.fromkeys(item.key for name in names for item in concepts_of(name, letter))),
        ids.get("ghcid"),
        first("country"),
        first("region"),
        first("settlement"),
        tuple(websites),
    )


def entity_of(name: str) -> Entity:
    """An entity of which nothing but its name is known."""
    letter = letter_of(name)
    return Entity(name, name, (name,), (), (), letter, tuple(item.key for item in concepts_of(name, letter)))
