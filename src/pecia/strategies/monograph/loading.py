"""Vocabularies from TOML: those of the box by name, one of your own by its path; what is wrong with one is said."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pecia.errors import OptionError
from pecia.strategies.monograph.vocabulary import Entry, Kind, Vocabulary, fold, slug

SHIPPED = ("formulary", "smpc", "spl")
_FILES = {"formulary": "vocabulary.toml"}
_STYLES = ("capitals", "section", "document")


def load(name: str) -> Vocabulary:
    """A vocabulary of the box by its name, or one of your own by the path of its TOML file; OptionError says what is wrong."""
    if name in SHIPPED:
        return _shipped(name)
    path = Path(name)
    if path.suffix != ".toml":
        raise OptionError(f"no vocabulary {name!r}; there are {', '.join(SHIPPED)}, and paths of .toml files")
    try:
        return parsed(path.read_bytes(), name)
    except OSError as error:
        raise OptionError(f"the vocabulary {name} cannot be read: {error.strerror}") from error


@cache
def _shipped(name: str) -> Vocabulary:
    data = resources.files(__package__).joinpath(_FILES.get(name, f"{name}.toml")).read_bytes()
    return parsed(data, name)


def parsed(data: bytes, name: str) -> Vocabulary:
    """The vocabulary in the bytes of a TOML file."""
    try:
        read = tomllib.loads(data.decode("utf-8"))
        return _made(read, hashlib.sha256(data).hexdigest()[:16])
    except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
        raise OptionError(f"the vocabulary {name} is not one: {error}") from error


def _made(read: Mapping[str, Any], digest: str) -> Vocabulary:
    titles, roles, labels = read.get("titles", {}), read.get("roles", {}), read.get("labels", {})
    style = titles.get("style", "capitals")
    if style not in _STYLES:
        raise ValueError(f"titles.style is {style!r}, not one of {', '.join(_STYLES)}")
    entries = tuple(_entries(read["section"]))
    known = {entry.key for entry in entries}
    named = [titles.get("section"), roles.get("names"), roles.get("codes"), *titles.get("openers", ())]
    named += [*roles.get("doses", ()), *roles.get("other_names", ())]
    for key in named:
        if key is not None and key not in known:
            raise ValueError(f"{key!r} is the key of no section")
    if style == "section" and not titles.get("section"):
        raise ValueError("titles.section is missing; titles of the style 'section' need it")
    return Vocabulary(
        name=read["name"],
        style=style,
        entries=entries,
        kinds=tuple(
            Kind(
                item["name"],
                int(item["level"]),
                tuple(item["begins"]),
                bool(item.get("anywhere")),
                item.get("family", item["name"]),
            )
            for item in labels.get("kind", ())
        ),
        title_section=titles.get("section"),
        title_names=tuple(re.compile(pattern) for pattern in titles.get("names", ())),
        openers=frozenset(titles.get("openers", ())),
        outside=tuple(titles.get("outside", ())),
        names_role=roles.get("names"),
        codes_role=roles.get("codes"),
        other_names=frozenset(roles.get("other_names", ())),
        dose_keys=frozenset(roles.get("doses", ())),
        lead_ins=tuple(map(fold, labels.get("lead_ins", ()))),
        units=tuple(read.get("doses", {}).get("units", ())),
        absent=tuple(map(fold, read.get("codes", {}).get("absent", ()))),
        captions=tuple(read.get("captions", {}).get("words", ())),
        accepted=frozenset(read.get("duplicates", {}).get("accepted", ())),
        unknown_allowed=read.get("headings", {}).get("unknown") == "allowed",
        same_words={fold(word): fold(other) for word, other in read.get("same_words", {}).items()},
        digest=digest,
    )


def _entries(sections: Iterable[Mapping[str, Any]]) -> Iterator[Entry]:
    seen: set[str] = set()
    for position, item in enumerate(sections):
        key = item["key"]
        if slug(key) != key or key in seen:
            raise ValueError(f"section key {key!r} must be small letters, digits and _, and stand once")
        seen.add(key)
        texts = {name: tuple(item.get(name, ())) for name in ("headings", "misspelt", "subheadings", "begins", "asked")}
        yield Entry(key, position, number=item.get("number"), code=item.get("code"), field=bool(item.get("field")), **texts)
