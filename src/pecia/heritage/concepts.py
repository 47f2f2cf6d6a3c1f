"""What kind of institution the words of a name speak of, and the nouns by which a text speaks of it again."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from pecia.text.folding import folded

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Concept:
    """`nouns` stand behind an article; `names` are words, or several in a row, that stand in names."""

    key: str
    letters: str
    languages: tuple[tuple[str, tuple[str, ...]], ...]  # with their nouns
    names: tuple[tuple[str, ...], ...]

    @property
    def nouns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(noun for _, nouns in self.languages for noun in nouns))

    def fits_name(self, words: tuple[str, ...]) -> bool:
        """True where the words of a name speak of it. A single noun may be the end of a word, as in Stadsarchief."""
        for wanted in self.names:
            if len(wanted) == 1:
                if any(word == wanted[0] or (len(wanted[0]) > 4 and word.endswith(wanted[0])) for word in words):
                    return True
            elif any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1)):
                return True
        return False


@cache
def data() -> dict[str, Any]:
    with resources.files(__package__).joinpath("gazetteer.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def concepts() -> tuple[Concept, ...]:
    articles = data()["articles"]
    made = []
    for key, item in data()["concepts"].items():
        languages = tuple((language, _phrases(item[language])) for language in articles if language in item)
        nouns = dict.fromkeys(noun for _, listed in languages for noun in listed)
        made.append(
            Concept(key, item["letters"], languages, tuple(tuple(name.split()) for name in (*_phrases(item["names"]), *nouns)))
        )
    return tuple(made)


def _phrases(listed: str) -> tuple[str, ...]:
    return tuple(phrase.replace("+", " ") for phrase in listed.split())


def words_of(text: str) -> tuple[str, ...]:
    """The words of a name, without case and accents."""
    return tuple(_WORD.findall(folded(text)))


def concepts_of(name: str, letter: str | None) -> tuple[Concept, ...]:
    """The concepts by whose nouns an institution may be spoken of: those of its type, and those in its name."""
    words = words_of(name)
    return tuple(item for item in concepts() if (letter and letter in item.letters) or item.fits_name(words))


def letter_of(text: str) -> str | None:
    """The type of custodian that the words of a name or description speak of; None where they do not."""
    words = words_of(text)
    return next((item.letters[0] for item in concepts() if item.letters and item.fits_name(words)), None)


def is_noun(text: str) -> bool:
    """True for a word that names a kind of institution and no single one."""
    plain = folded(text)
    return any(plain in item.nouns for item in concepts())


@cache
def descriptions() -> dict[str, str]:
    """Definite descriptions, folded, each with the key of its concept: `het archief`, `l'archive`."""
    articles = {language: listed.split() for language, listed in data()["articles"].items()}
    return {
        f"{article}{noun}" if article.endswith("'") and article != "'t" else f"{article} {noun}": item.key
        for item in concepts()
        for language, nouns in item.languages
        for noun in nouns
        for article in articles[language]
    }


def base_noun(word: str) -> str | None:
    """The noun that a longer word ends in: `Archief` for Gemeentearchief; None where it ends in none."""
    plain = folded(word)
    nouns = (noun for item in concepts() for noun in item.nouns if " " not in noun and len(noun) > 4)
    ends = max((noun for noun in nouns if plain.endswith(noun) and plain != noun), key=len, default=None)
    return word[len(word) - len(ends) :].capitalize() if ends else None
