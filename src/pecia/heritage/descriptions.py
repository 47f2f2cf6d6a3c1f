"""Definite descriptions ("the archive", "dit museum", "thư viện này", 該館): the words that they are made of, and what around one
says that it is none, or one of another institution than the one that was named last."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product
from typing import Any

from pecia.heritage.concepts import FIRST_HAN, LANGUAGES, concepts, discovery_words, phrases
from pecia.text.folding import folded

UPPER = r"[^\W\d_a-zß-öø-ÿ]"  # and small letters beyond Latin-1, which are looked at once more
# Of the institution that is described this is a part or another one: "the garden of the museum", "the archive of Leeds", "die
# Bibliothek seines Vaters", "le musée d'Orval".
_OF = re.compile(
    r"\s+(?:(?:of|van|von|der|des|du|de|del|do|da|cua)\s+(?:(?:the|het|de|la|le|el|los|las|der|des|dem|den|os|as)\s+|l')?"
    r"|d'|de l'|(?:sein|ihr|mein|unser)e[rs]\s+)(\w+)"
)
# What makes a longer word of a noun, or a longer name.
_LONGER = re.compile(rf"-\w|[ ]({UPPER}\w+)")
_NEXT = re.compile(r"[ ](\w+)")
_LAST_WORD = re.compile(r"(\w+)\s+\Z")
_BEFORE = 24  # characters that are looked at before a description


@dataclass(frozen=True, slots=True)
class Description:
    """`text` as it is written, in small letters; `concept` is the key of what it speaks of, `noun` where its noun begins."""

    text: str
    concept: str
    language: str
    noun: int


@cache
def _words() -> dict[str, Any]:
    with resources.files(__package__).joinpath("descriptions.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def descriptions() -> dict[str, Description]:
    """All of them, by their folded text; of two languages with the same one the first."""
    made: dict[str, Description] = {}
    for language in LANGUAGES:
        never = set(phrases(_words()[language].get("never", "")))
        for concept in concepts():
            for noun in dict(concept.languages).get(language, ()):
                for text, at in _around(language, noun):
                    if text not in never:
                        made.setdefault(folded(text), Description(text, concept.key, language, at))
    return made


def _around(language: str, noun: str) -> Iterator[tuple[str, int]]:
    """The descriptions with a noun, each with the place of the noun."""
    said = {name: phrases(words) for name, words in _words()[language].items() if isinstance(words, str)}
    articles, after = said.get("articles", ()), said.get("after", ())
    before = [*articles, *said.get("pointing", ()), *map(" ".join, product(articles, said.get("between", ())))]
    for word in before:
        joined = language == "zh" or (word.endswith("'") and word != "'t")
        text = f"{word}{noun}" if joined else f"{word} {noun}"
        yield text, len(text) - len(noun)
        yield from ((f"{text} {behind}", len(text) - len(noun)) for behind in after)
    if not before:
        yield from ((f"{noun} {behind}", 0) for behind in after)


def is_written(folded_text: str, surface: str) -> bool:
    """True for characters that are the description of this folded text: in Vietnamese marks tell words apart ("nhân viên bảo tàng
    này" has no "viện bảo tàng này"), and "Said" that begins a sentence is a name."""
    description = descriptions()[folded_text]
    if description.language == "vi":
        return surface.lower() == description.text
    return not surface.startswith("Said ")


def is_definite(description: Description, text: str, plain: str, start: int, end: int) -> bool:
    """False for what only reads as a description, whichever institutions were named: a plural, a part of a longer word, a
    conjunction, "a visit to the museum"."""
    if description.language == "zh":
        return _is_definite_chinese(description, text, start, end)
    before = _LAST_WORD.search(text, max(0, start - _BEFORE), start)
    if description.language == "vi":
        said = _words()["vi"]
        follows = _NEXT.match(text, end)
        several = before and before[1].lower() in said["never_after"].split()
        ordinal = before and text[: before.start()].rstrip().lower().endswith(said["ordinal"])
        return not (several and not ordinal) and not (follows and follows[1] == said["never_before"])
    follows = _NEXT.match(plain, end)
    if description.text.startswith("that ") and before and before[1].lower() in _words()["that"]["after"].split():
        return follows is None or follows[1] in _words()["that"]["followed"].split()
    if description.language == "en" and follows and text[start].isupper() and follows[1] in _words()["clause"]["en"].split():
        return False
    return not plain[max(0, start - _BEFORE) : start].rstrip().endswith(tuple(_words()["elsewhere"]["generic_before"]))


def _is_definite_chinese(description: Description, text: str, start: int, end: int) -> bool:
    said = _words()["zh"]
    first, before = description.text[0], text[start - 1 : start]
    if before in said["after_none"].get(first, "") and before:
        return False
    only = said["after_only"].get(first)
    if only and before.isalnum() and before not in only:
        return False
    never = said["before_none"] + (said["before_none_short"] if description.noun == len(description.text) - 1 else [])
    return not re.compile("|".join(never)).match(text, end)


def is_of_another(description: Description, own: Container[str], text: str, plain: str, start: int, end: int) -> bool:
    """True for "the archive of Leeds" and "the archive in Leeds" where Leeds is none of the institution's `own` words, those of
    its names and place, for "the garden of the museum", for "the Museum Hotel" and "the museum-goer", and for "the museum in
    society", which is no single one."""
    noun = start + description.noun
    longer = _LONGER.match(text, end)
    if longer and (longer[1] is None or longer[1][0].isupper()):
        # "le musée Corvan" is a name, "the museum Anna founded" is none.
        named = text[noun].isupper() or description.language != "en"
        if longer[1] is None or (named and folded(longer[1]) not in own and not _is_object(description, text, start, longer[1])):
            return True
    if (
        (kind := _NEXT.match(plain, end))
        and kind[1] in discovery_words("adjectives")
        and kind[1] not in own
        and description.language != "en"
    ):
        return True
    if _generic().match(plain, end):
        return True
    place = _OF.match(plain, end) or _elsewhere(description.language == "nl").match(text, end)
    if place is None or (place.re is not _OF and not place[1][0].isupper()):
        return False
    word = folded(place[1])
    elsewhere = place.re is not _OF and place[0].split()[0] not in _words()["elsewhere"]["purpose"].split()
    if elsewhere and (word in _never() or word.endswith(tuple(_words()["elsewhere"]["never_ends"].split()))):
        return False
    return word not in own


def _is_object(description: Description, text: str, start: int, word: str) -> bool:
    """True for a German noun that goes on with no name: "gestern zeigte das Museum Karten", "dieses Archiv Briefe geben"."""
    if description.language != "de":
        return False
    said = _words()["de"]
    if description.text.split()[0] in said["pointing"].split():
        return True
    before = _LAST_WORD.search(text, max(0, start - _BEFORE), start)
    behind_verb = before is not None and before[1].islower() and before[1] not in said["prepositions"].split()
    return behind_verb and word.endswith(said["object_ends"])


def is_part_of_word(text: str, start: int, end: int) -> bool:
    """True where a letter or digit stands before or behind; Chinese is written without spaces between words."""
    return _joined(text[start - 1 : start], text[start : start + 1]) or _joined(text[end - 1 : end], text[end : end + 1])


def _joined(one: str, two: str) -> bool:
    return one.isalnum() and two.isalnum() and one < FIRST_HAN and two < FIRST_HAN


@cache
def _elsewhere(dutch: bool) -> re.Pattern[str]:
    """A preposition with a name of one word or more."""
    said = _words()["elsewhere"]
    words = set(said["prepositions"].split()) - (set(said["not_dutch"].split()) if dutch else set())
    return re.compile(rf"\s+(?:{'|'.join(sorted(words))})\s+({UPPER}\w+)")


@cache
def _never() -> frozenset[str]:
    return frozenset(_words()["elsewhere"]["never"].split())


@cache
def _generic() -> re.Pattern[str]:
    listed = sorted(map(re.escape, _words()["elsewhere"]["generic"]), key=len, reverse=True)
    return re.compile(rf"\s+(?:{'|'.join(listed)})\b")
