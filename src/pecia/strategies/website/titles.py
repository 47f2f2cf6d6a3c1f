"""What a section is about, by the words of its title."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from pecia.text.folding import folded

OTHER = "other"


@cache
def _data() -> dict[str, Any]:
    with resources.files(__package__).joinpath("website.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    made = []
    for kind, words in _data()["types"].items():
        whole = [re.escape(word[1:]) for word in words if word.startswith("=")]
        inside = [_inside(word) for word in words if not word.startswith("=")]
        made.append((kind, re.compile(rf"\A\W*(?:{'|'.join(whole) or '(?!)'})\W*\Z|{'|'.join(inside)}")))
    return tuple(made)


def _inside(word: str) -> str:
    before = r"\w*" if word.startswith("*") else ""
    after = r"\w*" if word.endswith("*") else ""
    return rf"\b{before}{re.escape(word.strip('*'))}{after}\b"


def section_type(title: str) -> str | None:
    """about, contact, collection, visit, news or history; None where no word of the title says so."""
    text = folded(title[:300])
    found = [(match.start(), -match.end(), kind) for kind, pattern in _patterns() if (match := pattern.search(text))]
    return min(found)[2] if found else None


def tells_of_cookies(text: str) -> bool:
    """True for a short text in which a page speaks of its own cookies."""
    if len(text) > 600 or "cookie" not in text.lower():
        return False
    plain = folded(text)
    return any(words in plain for words in _data()["cookies"]["this"])


_COPYRIGHT = re.compile(r"\W{0,3}(?:©|\(c\)\s*(?:19|20)\d\d|copyright\b)", re.IGNORECASE)


def tells_of_rights(text: str) -> bool:
    """True for a short text that begins with a mark of copyright, as the last line of a page does."""
    return len(text) <= 300 and bool(_COPYRIGHT.match(text))
