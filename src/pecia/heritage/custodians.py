"""Heritage custodians: the 19 types, and identifiers such as NL-NH-AMS-M-RM taken apart."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

TYPES = "GLAMORCUBESFIXPHDNT"
# Country, region, settlement, type, abbreviation; behind them what tells two apart: a Wikidata number or a name.
_GHCID = re.compile(
    r"(?P<country>[A-Z]{2})-(?P<region>[A-Z0-9]{1,3})-(?P<settlement>\w{3})-(?P<type>[A-Z])-(?P<abbreviation>[^\W_]+)"
    r"(?:-(?P<suffix>\w[\w.-]*))?"
)
_WORD = re.compile(r"[^\W_]+")


@cache
def _data() -> dict[str, Any]:
    with resources.files(__package__).joinpath("custodians.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def countries() -> frozenset[str]:
    """Codes of countries, two capitals each."""
    return frozenset(_data()["countries"]["codes"].split())


def folded(text: str) -> str:
    """A name as it is compared: without case, accents, punctuation and more than one space."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(_WORD.findall("".join(mark for mark in plain if not unicodedata.combining(mark))))


def type_label(letter: str) -> str:
    """The English name of a type: `museum` for M; "" for what is none of the letters."""
    names: list[str] = _data()["types"].get(letter, [""])
    return names[0]


@cache
def _letters() -> dict[str, str]:
    return {folded(name): letter for letter, names in _data()["types"].items() for name in names}


def type_letter(stated: str) -> str | None:
    """The letter of a type as a source states it: by letter, by name, or by a path that ends in one; None where it is none."""
    text = re.sub(r"\s*\(.*\)$", "", stated.strip().rpartition("/")[2] if "://" in stated else stated.strip())
    if len(text) == 1:
        return text.upper() if text.upper() in TYPES else None
    return _letters().get(folded(text))


@cache
def _spoken() -> tuple[tuple[tuple[str, ...], str], ...]:
    """(words in a row, type) for every way in which a name may speak of a type."""
    ways = [(name, letter) for kind in ("types", "names") for letter, names in _data()[kind].items() for name in names]
    return tuple((tuple(folded(name).split()), letter) for name, letter in ways if len(name) > 1)


def type_of_name(name: str) -> str | None:
    """The type that the words of an institution's name speak of, as words or as the end of one (Waterschapsarchief); None
    where they speak of none or of several."""
    words = folded(name).split()
    found = {
        letter
        for wanted, letter in _spoken()
        if any(tuple(words[at : at + len(wanted)]) == wanted for at in range(len(words)))
        or (len(wanted) == 1 and len(wanted[0]) > 4 and any(word.endswith(wanted[0]) for word in words))
    }
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Ghcid:
    """The parts of a global heritage custodian identifier; `suffix` is what tells two of the same parts apart, or empty."""

    country: str
    region: str
    settlement: str
    type: str
    abbreviation: str
    suffix: str = ""

    def __str__(self) -> str:
        body = f"{self.country}-{self.region}-{self.settlement}-{self.type}-{self.abbreviation}"
        return f"{body}-{self.suffix}" if self.suffix else body

    def faults(self) -> Iterator[str]:
        """What is wrong with the parts, one sentence each."""
        if self.country not in countries():
            yield f"{self.country} is no code of a country"
        if self.type not in TYPES:
            yield f"{self.type} is none of the types {TYPES}"


def parse_ghcid(text: str) -> Ghcid | None:
    """The parts of an identifier; None for what is not built like one, in capitals."""
    match = _GHCID.fullmatch(text.strip())
    if (
        match is None
        or match["settlement"] != match["settlement"].upper()
        or match["abbreviation"] != match["abbreviation"].upper()
    ):
        return None
    return Ghcid(**{name: value or "" for name, value in match.groupdict().items()})


def ghcid_faults(text: str) -> Iterator[str]:
    """What is wrong with an identifier, one sentence each; nothing where all is well."""
    parts = parse_ghcid(text)
    if parts is None:
        yield f"{text[:60]!r} is not built like NL-NH-AMS-M-RM"
    else:
        yield from parts.faults()
