"""Where a text names known entities, and where it speaks of one that it named before.

Names are whole words, the longest first. An acronym or another short form that a text itself introduces ("Gemeentearchief Delft
(GAD)") holds in all of that text. A definite description ("the archive") is the fitting entity that was named last.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pecia.heritage.concepts import concepts_of, data, is_noun, letter_of
from pecia.heritage.descriptions import UPPER, descriptions, is_definite, is_of_another, is_part_of_word, is_written
from pecia.heritage.discovery import discovered, passing
from pecia.heritage.entity_files import is_acronym
from pecia.heritage.gazetteer import ACRONYM, ALIAS, COREFERENCE, Entity, Form, Gazetteer, entity_of, ways
from pecia.heritage.identity import host_of
from pecia.model import Span
from pecia.text.folding import folded

_BRACKETS = re.compile(r"\s*[(\[]\s*([^()\[\]\n]{2,60})[)\]]")
_JOINING = r"(?:of|de|van|der|du|da|do|del|des|von|the|la|le|el)"
# A word with a capital and those that go on with it; an article before it belongs to the form ("de Hortus").
_CAPITALISED = re.compile(rf"[\"'“‘«»„]?({UPPER}[\w&'’-]*(?:\s+(?:{_JOINING}\s+)*{UPPER}[\w&'’-]*)*)")
_BEFORE = re.compile(rf"(?<!\w)({UPPER}{{2,8}})\s*\Z")
_WORDS = re.compile(r"[^\W_]+")
_REACH = 240  # characters between a name and the phrase that introduces its short form


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters of the text that stand for an entity; `kind` is name, alias, acronym or coreference."""

    start: int
    end: int
    kind: str
    entity: Entity


@dataclass(frozen=True, slots=True)
class Held:
    """The mentions in a part of the text."""

    mentions: tuple[Mention, ...]

    @property
    def entities(self) -> list[str]:
        """Ids in the order of first mention."""
        return list(dict.fromkeys(mention.entity.id for mention in self.mentions))

    @property
    def types(self) -> list[str]:
        """Letters of the types of custodian, in the order of first mention."""
        return list(dict.fromkeys(mention.entity.type for mention in self.mentions if mention.entity.type))

    def as_records(self) -> list[dict[str, Any]]:
        return [
            {"entity": item.entity.id, "name": item.entity.name, "kind": item.kind, "start": item.start, "end": item.end}
            for item in self.mentions
        ]


class Mentions:
    """All mentions in one text, in its order."""

    def __init__(self, gazetteer: Gazetteer, text: str, title: str = "") -> None:
        """`title` is what stands over the text: what it names is named before all else."""
        self._gazetteer = gazetteer
        before = f"{title}\n\n" if title else ""
        found = _mentions(gazetteer, before + text, len(before))
        self.found = tuple(Mention(item.start - len(before), item.end - len(before), item.kind, item.entity)
                           for item in found if item.start >= len(before))  # fmt: skip
        self._starts = [mention.start for mention in self.found]

    def within(self, span: Span) -> Held:
        """The mentions that stand whole in a span."""
        first = bisect_left(self._starts, span.start)
        last = bisect_left(self._starts, span.end)
        return Held(tuple(item for item in self.found[first:last] if item.end <= span.end))

    def link(self, span: Span, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes of a chunk with those that say what it names; those of its class must be among them."""
        held = self.within(span)
        return {
            **attributes,
            "mentioned_classes": list(dict.fromkeys((attributes["primary_class"], *(["Custodian"] if held.entities else [])))),
            "mentioned_entities": held.entities,
            "entity_types": held.types,
            "mentions": held.as_records(),
        }

    def subject(self, title: str, address: str | None) -> Entity | None:
        """The entity whose page it is: by the host of its website, else by its name in the title; None where it is unknown."""
        host, plain = host_of(address), folded(title)
        entities = self._gazetteer.entities
        by_host = [entity for entity in entities if host and host in entity.websites]
        by_name = [entity for entity in entities if any(folded(name) in plain for name in entity.names if len(name) > 5)]
        if len(by_host) == 1:
            return by_host[0]
        return max(by_name, key=lambda entity: len(entity.name), default=None)


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    form: Form


def _mentions(gazetteer: Gazetteer, text: str, title_end: int) -> Iterator[Mention]:
    plain = folded(text)
    named, described = _matches(gazetteer, text, plain)
    known = _With(gazetteer)
    named = _also(named, _introduced(known, text, plain, named), text)
    ends = [match.end for match in named]
    names = discovered(text, title_end, lambda start, end: _overlaps(named, ends, start, end))
    if new := list(known.add(names)):
        named = _also(named, new, text)
        named = _also(named, _introduced(known, text, plain, named), text)
        ends = [match.end for match in named]
    free = [match for match in described if not _overlaps(named, ends, match.start, match.end)]
    if free:
        begins = [match.start for match in free]
        for start, end in passing(text, lambda start, end: _overlaps(named, ends, start, end)):
            if bisect_right(begins, start) == bisect_left(begins, end):  # no description begins within it
                free.append(_Match(start, end, _PASSING))
    yield from _resolved(known.entities, sorted([*named, *free], key=lambda match: match.start), text, plain)


_PASSING = Form("", "")  # what looks like the name of an institution that no file and nothing in the text tells of


class _With:
    """The known entities with those that a text alone names."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self.entities = list(gazetteer.entities)

    def add(self, names: Iterable[str]) -> Iterator[tuple[str, Form]]:
        """Takes in entities of these names; their forms, but for those that a known entity has. A name that is a form of a longer
        one is that one's."""
        held: dict[str, tuple[str, Form]] = {}
        for name in sorted(names, key=len, reverse=True):
            if folded(name) in held:
                continue
            number = len(self.entities)
            entity = entity_of(name)
            self.entities.append(entity)
            for text, kind, _ in ways(entity):
                if folded(text) not in self._gazetteer.automaton:
                    held.setdefault(folded(text), (text, Form(text, kind, (number,))))
        yield from held.values()


def _also(named: list[_Match], forms: Iterable[tuple[str, Form]], text: str) -> list[_Match]:
    """The matches with those of more forms, which stand as they are written."""
    by_text = dict(forms)
    if not by_text:
        return named
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(sorted(map(re.escape, by_text), key=len, reverse=True)) + r")(?!\w)")
    return _longest([*named, *(_Match(match.start(), match.end(), by_text[match[0]]) for match in pattern.finditer(text))])


def _matches(gazetteer: Gazetteer, text: str, plain: str) -> tuple[list[_Match], list[_Match]]:
    """Names and definite descriptions, each the longest where several begin or cross."""
    named, described = list[_Match](), list[_Match]()
    for last, number in gazetteer.automaton.iter(plain):
        form = gazetteer.forms[number]
        start, end = last + 1 - len(form.text), last + 1
        if is_part_of_word(text, start, end):
            continue
        if form.kind == COREFERENCE:
            if is_written(plain[start:end], text[start:end]):
                described.append(_Match(start, end, form))
        elif _is_written(form, text[start:end]):
            named.append(_Match(start, end, form))
    return _longest(named), _longest(described)


def _is_written(form: Form, surface: str) -> bool:
    """An acronym stands in its capitals, a name of one word begins with one; longer names may be written as anyone likes."""
    if form.kind == ACRONYM:
        return surface == surface.upper()
    return " " in form.text or surface[0].isupper() or not form.text[0].isupper()


def _longest(matches: Iterable[_Match]) -> list[_Match]:
    kept: list[_Match] = []
    for match in sorted(matches, key=lambda item: (item.start, -item.end)):
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
    return kept


def _overlaps(named: Sequence[_Match], ends: Sequence[int], start: int, end: int) -> bool:
    at = bisect_right(ends, start)
    return at < len(named) and named[at].start < end


def _introduced(known: _With, text: str, plain: str, named: Sequence[_Match]) -> Iterator[tuple[str, Form]]:
    """Short forms that the text itself gives to an entity."""
    last: tuple[int, int] | None = None  # entity, and where it was named
    at = 0
    phrases = iter(_phrases().finditer(plain))
    phrase = next(phrases, None)
    for match in (*named, None):
        limit = match.start if match else len(text)
        while phrase and phrase.start() < limit:
            if last and phrase.start() - last[1] <= _REACH and (found := _CAPITALISED.match(text, phrase.end())):
                yield from _fitting(known.entities, last[0], found[1])
            phrase = next(phrases, None)
        if match is None:
            return
        if len(match.form.entities) != 1:
            continue
        entity = match.form.entities[0]
        if bracket := _BRACKETS.match(text, match.end):
            inner = bracket[1].strip("\"'“”‘’ ")
            inner = inner if is_acronym(inner) else next(iter(reversed(inner.split())), "").strip("\"'“”‘’")
            yield from _fitting(known.entities, entity, inner, acronym=True)
        elif match.start > 1 and text[match.start - 1] == "(" and (before := _BEFORE.search(text, at, match.start - 1)):
            yield from _fitting(known.entities, entity, before[1], acronym=True)
        last, at = (entity, match.end), match.end


@cache
def _phrases() -> re.Pattern[str]:
    said = data()["introductions"]
    phrases = "|".join(sorted(map(re.escape, said["phrases"]), key=len, reverse=True))
    return re.compile(rf"\b(?:{phrases})\b[:,]?\s+(?:(?:{'|'.join(said['between'].split())})\s+){{0,2}}")


def _fitting(entities: Sequence[Entity], number: int, short: str, *, acronym: bool = False) -> Iterator[tuple[str, Form]]:
    """The short form where it can be one of this entity: its letters stand in the name, or it shares a word with it."""
    entity = entities[number]
    short = short.strip(" .,;:")
    if len(short) < 2 or folded(short) in {folded(name) for name in entity.names}:
        return
    if is_acronym(short):
        if any(_spells(folded(short), folded(name)) for name in entity.names):
            yield short, Form(short, ACRONYM, (number,))
    elif not acronym:
        words = [word for word in _WORDS.findall(folded(short)) if len(word) > 3]
        own = {word for name in entity.names for word in _WORDS.findall(folded(name))}
        if (
            words
            and not is_noun(short)
            and any(word in own or any(word[:5] == one[:5] for one in own if len(one) > 4) for word in words)
        ):
            yield short, Form(short, ALIAS, (number,))


def _spells(letters: str, name: str) -> bool:
    """True where the letters stand in the name in their order, and the first one begins it or a word of it."""
    letters = "".join(filter(str.isalpha, letters))
    if not any(word.startswith(letters[0]) for word in _WORDS.findall(name)):
        return False
    rest = iter(name)
    return all(letter in rest for letter in letters)


def _resolved(entities: Sequence[Entity], matches: Sequence[_Match], text: str, plain: str) -> Iterator[Mention]:
    """Each match with its entity; what fits none, or several of which none was named, is no mention."""
    named_at: dict[int, int] = {}
    last: dict[str, int] = {}  # concept to the entity named last that fits
    done = 0
    for order, match in enumerate(matches):
        form = match.form
        if form is _PASSING:
            if match.start >= done:  # else it begins in a description
                _pass(entities, last, text[match.start : match.end])
            continue
        # What is an alias of one ("de Hortus") is a description of any other.
        meant = [number for number in (*form.entities, last.get(form.concept)) if number is not None]
        if len(form.entities) != 1 or form.concept:
            meant = [number for number in meant if number in named_at]
        if not meant:
            continue
        number = max(meant, key=lambda one: named_at.get(one, -1))
        entity = entities[number]
        kind = form.kind if number in form.entities else COREFERENCE
        if kind == COREFERENCE and not _means(form, entity, text, plain, match):
            continue
        yield Mention(match.start, match.end, kind, entity)
        done = match.end
        named_at[number] = order
        for concept in entity.concepts:
            last[concept] = number


def _pass(entities: Sequence[Entity], last: dict[str, int], name: str) -> None:
    """After an unknown institution nothing that fits a description of it was named last; a name that is a part of the one of
    an entity may be that one's."""
    words = set(_WORDS.findall(folded(name)))
    for concept in concepts_of(name, letter_of(name)):
        known = entities[last[concept.key]] if concept.key in last else None
        if known and not words <= _own_words((*known.names, *known.aliases), known):
            del last[concept.key]


def _means(form: Form, entity: Entity, text: str, plain: str, match: _Match) -> bool:
    """True where a description is one, and of this entity."""
    described = descriptions()[folded(form.text)]
    return is_definite(described, text, plain, match.start, match.end) and not is_of_another(
        described, _own_words(entity.names, entity), text, plain, match.start, match.end
    )


def _own_words(names: Iterable[str], entity: Entity) -> set[str]:
    """The words of these names of an entity, and of its place."""
    return set(_WORDS.findall(folded(f"{' '.join(names)} {entity.settlement or ''}")))
