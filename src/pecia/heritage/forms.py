"""Short forms that are made of a name by rule: by them an institution is called where nobody wrote its aliases down."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pecia.heritage.concepts import base_noun, is_noun
from pecia.text.folding import folded

_PARTS = re.compile(r"[^\W_]+")
_OF = {"de", "da", "do", "del", "du", "of", "van", "von", "der", "des", "dos", "das", "di", "d"}
_LEGAL = {
    "stichting",
    "vereniging",
    "stiftung",
    "verein",
    "fondation",
    "association",
    "fundacion",
    "asociacion",
    "fundacao",
    "foundation",
}
_SHORTEST = 3  # of initials


def acronyms(name: str) -> Iterator[str]:
    """The initials of the words with a capital; of fewer than three such words the first letter, with the first three of the last
    one, as settlements are shortened in GHCID."""
    words = [word for word in _PARTS.findall(name) if word[0].isupper()]
    if len(words) >= _SHORTEST:
        yield "".join(word[0] for word in words)
    elif len(words) == 2 and len(words[1]) > _SHORTEST:
        yield words[0][0] + words[1][:3].upper()


def aliases(name: str, settlement: str | None) -> Iterator[str]:
    """The kind and the place (Archief Delft for Gemeentearchief Delft), initials and the place (RHC Delft), the name
    without its legal form, and the proper name between kind and place."""
    words = name.split()
    if len(words) < 2:
        return
    if folded(words[0]) in _LEGAL and len(words) > 2:
        yield " ".join(words[1:])
    if base := base_noun(words[0]):
        yield " ".join((base, *words[1:]))
    yield from _without_adjectives(words)
    head, place = _parted(words, settlement)
    capitals = [word for word in head if word[0].isupper()]
    if place and len(head) == len(capitals) >= _SHORTEST and not is_noun(head[0]):
        yield " ".join(("".join(word[0] for word in capitals), *place))
    if place and len(head) >= 2 and (is_noun(head[0]) or base_noun(head[0])):
        own = head[1:]
        if len(own) >= 2 and own[0][0].isupper() and own[-1][0].isupper():
            yield " ".join(own)


def _without_adjectives(words: list[str]) -> Iterator[str]:
    """`Musée de Lyon` for Musée municipal de Lyon."""
    at = next((number for number, word in enumerate(words) if folded(word) in _OF or folded(word).startswith("d'")), 0)
    if at > 1 and is_noun(words[0]):
        yield " ".join((words[0], *words[at:]))


def _parted(words: list[str], settlement: str | None) -> tuple[list[str], list[str]]:
    """The name up to the place it ends in, and the place; where no place is known, the last word."""
    place = (settlement or "").split()
    if place and [folded(word) for word in words[-len(place) :]] == [folded(word) for word in place]:
        return words[: -len(place)], words[-len(place) :]
    return words[:-1], words[-1:]
