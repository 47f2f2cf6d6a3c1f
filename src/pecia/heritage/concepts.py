"""What kind of institution the words of a name speak of, and the nouns by which a text speaks of it again."""

from __future__ import annotations

import tomllib
from collections.abc import Container
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from pecia.text.folding import folded, words_of

LANGUAGES = ("en", "nl", "de", "fr", "es", "pt", "vi", "zh")
FIRST_HAN = "\u2e80"  # from here on characters are written without spaces between words


@dataclass(frozen=True, slots=True)
class Concept:
    """`nouns` stand behind an article; `names` are words, or several in a row, that stand in names: alone, or a single longer
    one as the end of a word. Institutions of the types in `letters` and `fits` may be spoken of by the nouns; only the former are
    told by them."""

    key: str
    letters: str
    fits: str
    languages: tuple[tuple[str, tuple[str, ...]], ...]  # with their nouns, as they are written
    names: tuple[tuple[str, ...], ...]

    def nouns(self, languages: Container[str] = LANGUAGES) -> tuple[str, ...]:
        """The nouns of these languages, folded."""
        return tuple(dict.fromkeys(folded(noun) for language, nouns in self.languages if language in languages for noun in nouns))


@cache
def data() -> dict[str, Any]:
    with resources.files(__package__).joinpath("gazetteer.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def discovery_words(name: str) -> frozenset[str]:
    """The words of a list of those by which names are found in a text."""
    return frozenset(data()["discovery"][name].split())


@cache
def concepts() -> tuple[Concept, ...]:
    made = []
    for key, item in data()["concepts"].items():
        languages = tuple((language, phrases(item[language])) for language in LANGUAGES if language in item)
        nouns = dict.fromkeys(noun for _, listed in languages for noun in listed if len(noun) > 1)
        names = tuple(words_of(name) for name in (*phrases(item["names"]), *nouns))
        made.append(Concept(key, item["letters"], item.get("fits", ""), languages, names))
    return tuple(made)


def phrases(listed: str) -> tuple[str, ...]:
    """The phrases of a list that is parted by spaces; a + stands for a space inside one."""
    return tuple(phrase.replace("+", " ") for phrase in listed.split())


def concepts_of(name: str, letter: str | None) -> tuple[Concept, ...]:
    """The concepts by whose nouns an institution may be spoken of: those of its type, and those in its name."""
    held = _spoken_of(name)
    return tuple(
        item for number, item in enumerate(concepts()) if (letter and letter in item.letters + item.fits) or number in held
    )


def letter_of(text: str) -> str | None:
    """The type of custodian that the words of a name or description speak of, the first of several; None where of none."""
    return next(iter(_letters(text)), None)


def only_letter_of(name: str) -> str | None:
    """The same, and None where they speak of several."""
    found = _letters(name)
    return found[0] if len(found) == 1 else None


def _letters(text: str) -> list[str]:
    held = _spoken_of(text)
    return list(dict.fromkeys(item.letters[0] for number, item in enumerate(concepts()) if number in held and item.letters))


def _spoken_of(text: str) -> set[int]:
    """The concepts that the words of a name speak of, by their place."""
    words = words_of(text)
    held = {number for word in words for number in _of_word(word)}
    for at, word in enumerate(words):
        held.update(number for phrase, number in _in_a_row().get(word, ()) if words[at : at + len(phrase)] == phrase)
    return held


@lru_cache(maxsize=1 << 16)
def _of_word(word: str) -> tuple[int, ...]:
    """Those that a single word speaks of; a longer noun may be the end of it, as in Stadsarchief."""
    nouns = _single()
    if word not in nouns and not word.endswith(_endings()):
        return ()
    return tuple(
        {number for noun, held in nouns.items() if word == noun or (_may_end(noun) and word.endswith(noun)) for number in held}
    )


@cache
def _single() -> dict[str, list[int]]:
    """The concepts of names of one word."""
    made: dict[str, list[int]] = {}
    for number, item in enumerate(concepts()):
        for name in item.names:
            if len(name) == 1:
                made.setdefault(name[0], []).append(number)
    return made


@cache
def _endings() -> tuple[str, ...]:
    return tuple(noun for noun in _single() if _may_end(noun))


def _may_end(noun: str) -> bool:
    """True for a noun that ends longer words: one of five letters, or a Chinese one, since no space parts it from its name."""
    return len(noun) > 4 or noun[0] >= FIRST_HAN


@cache
def _in_a_row() -> dict[str, list[tuple[tuple[str, ...], int]]]:
    """Names of several words by the first of them."""
    made: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for number, item in enumerate(concepts()):
        for name in item.names:
            if len(name) > 1:
                made.setdefault(name[0], []).append((name, number))
    return made


@cache
def _nouns() -> frozenset[str]:
    return frozenset(noun for item in concepts() for noun in item.nouns())


def is_noun(text: str) -> bool:
    """True for a word that names a kind of institution and no single one."""
    return folded(text) in _nouns()


@lru_cache(maxsize=1 << 16)
def base_noun(word: str) -> str | None:
    """The noun that a longer word ends in: `Archief` for Gemeentearchief; None where it ends in none."""
    plain = folded(word)
    ends = (noun for noun in _nouns() if len(noun) > 4 and " " not in noun and plain.endswith(noun) and plain != noun)
    longest = max(ends, key=len, default=None)
    return word[len(word) - len(longest) :].capitalize() if longest else None
