"""Heritage custodians: the 19 types, and identifiers such as NL-NH-AMS-M-RM taken apart."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from pecia.text.folding import words_of

TYPES = "GLAMORCUBESFIXPHDNT"
# Country, region, settlement, type, abbreviation; behind them what tells two apart: a Wikidata number or a name.
_GHCID = re.compile(
    r"(?P<country>[A-Z]{2})-(?P<region>[A-Z0-9]{1,3})-(?P<settlement>\w{3})-(?P<type>[A-Z])-(?P<abbreviation>[^\W_]+)"
    r"(?:-(?P<suffix>\w[\w.-]*))?"
)


@cache
def _data() -> dict[str, Any]:
    with resources.files(__package__).joinpath("custodians.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def countries() -> frozenset[str]:
    """Codes of countries, two capitals each."""
    return frozenset(_data()["countries"]["codes"].split())


def compared(name: str) -> str:
    """A name as it is compared: without case, accents, marks and more than one space."""
    return " ".join(words_of(name))


def type_label(letter: str) -> str:
    """The English name of a type: `museum` for M; "" for what is none of the letters."""
    names: list[str] = _data()["types"].get(letter, [""])
    return names[0]


@cache
def _letters() -> dict[str, str]:
    return {compared(name): letter for letter, names in _data()["types"].items() for name in names}


def type_letter(stated: str) -> str | None:
    """The letter of a type as a source states it: by letter, by name, or by a path that ends in one; None where it is none."""
    text = re.sub(r"\s*\(.*\)$", "", stated.strip().rpartition("/")[2] if "://" in stated else stated.strip())
    if len(text) == 1:
        return text.upper() if text.upper() in TYPES else None
    return _letters().get(compared(text))


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
