"""The words of the pages in three languages, each a catalogue file; a word that one lacks is English there.

Errors and findings are told in English, as on the command line; another language has a few words for what each code of an error
(`fault`) and of a rule (`rule`) means, which stand before them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

LANGUAGES: Mapping[str, str] = {"en": "English", "vi": "Tiếng Việt", "zh-Hant": "繁體中文"}
DEFAULT = "en"
_PLACE = re.compile(r"(line|paragraph)s? ([\d–]+)(?: \(about page (\d+)\))?")


class Words:
    """`words("list.title", count=3)`: the words of a key, with values put in."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._own, self._english = catalogue(language), catalogue(DEFAULT)

    def __call__(self, key: str, **values: object) -> str:
        return (self._own.get(key) or self._english[key]).format(**values)

    def counted(self, key: str, count: int, **values: object) -> str:
        """The words of a key for so many of something; those for one have a key of their own."""
        return self(f"{key}_one" if count == 1 else key, count=f"{count:,}", **values)

    def place(self, place: str) -> str:
        """A place that is not a page, as `described` words it, in this language; anything else as it stands."""
        found = _PLACE.fullmatch(place)
        if found is None:
            return place
        about = self("place.about", page=found[3]) if found[3] else ""
        return self(f"place.{found[1]}{'' if '–' in found[2] else '_one'}", span=found[2]) + about

    def get(self, key: str, otherwise: str) -> str:
        """The words of a key that need not be there, as for a strategy that somebody added."""
        return self._own.get(key) or self._english.get(key) or otherwise

    def section(self, name: str) -> dict[str, str]:
        """The words of a section that this language has itself."""
        return {key.removeprefix(f"{name}."): words for key, words in self._own.items() if key.startswith(f"{name}.")}


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Every key with its words; `[list] title` is `list.title`."""
    found = tomllib.loads(files(__package__).joinpath("texts", f"{language}.toml").read_text("utf-8"))
    return {f"{section}.{key}": words for section, inner in found.items() for key, words in inner.items()}


def language_of(asked: str | None, accepted: str) -> str:
    """The language that somebody chose, else the first that a browser accepts and we have."""
    if asked is not None and asked in LANGUAGES:
        return asked
    for part in accepted.split(","):
        name = part.partition(";")[0].strip().lower()
        if name.startswith("zh"):
            return "zh-Hant"
        if name[:2] in LANGUAGES:
            return name[:2]
    return DEFAULT
