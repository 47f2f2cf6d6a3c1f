"""The words of `html.toml`, and what the attributes of an element say it is."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any

from pecia.model import BlockKind


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


with resources.files(__package__).joinpath("html.toml").open("rb") as file:
    _DATA = tomllib.load(file)
BLOCKS, ATOMIC, APART, VERBATIM = (_names(_DATA[name]) for name in ("blocks", "atomic", "apart", "verbatim"))
DROPPED = {name: reason for reason, listed in _DATA["dropped"].items() for name in _names(listed)}
KINDS = {name: BlockKind(kind) for kind, listed in _DATA["kinds"].items() for name in _names(listed)}
HEADINGS = {f"h{level}": level for level in range(1, 7)}
# Landmarks of these names belong to the section around them, and to the page where there is none.
_OF_A_SECTION = {"header", "footer"}
_SECTIONS = {"article", "aside", "nav", "section"}
_KEYS = ("elements", "roles", "names", "anywhere", "first", "exact")
_REGIONS: dict[str, dict[str, frozenset[str]]] = {
    kind: {key: _names(held.get(key, "")) for key in _KEYS} for kind, held in _DATA["regions"].items()
}
_OTHER = _names(_DATA["names"]["other"])
_BUILDERS, _PICTURES = (tuple(_DATA["names"][key].split()) for key in ("builders", "pictures"))
# Hold the page; a name on them tells of its layout.
_NEVER = {"html", "body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6", "a", "span", "img", "input", "button", "form"}
_FOR_PICTURES = {"i", "span", "em", "b"}
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_HIDDEN = re.compile(r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)


def is_hidden(name: str, attributes: Any) -> bool:
    """True where a browser shows nothing of an element."""
    if name == "dialog" and "open" not in attributes:
        return True
    hidden = attributes.get("hidden")
    if hidden is not None and hidden.lower() != "until-found":
        return True
    if name in _FOR_PICTURES and any(item.startswith(_PICTURES) for item in attributes.get("class", "").split()):
        return True
    style = attributes.get("style")
    return style is not None and bool(_HIDDEN.search(style))


def region_of(name: str, attributes: Any, *, inside_section: bool) -> tuple[str, bool] | None:
    """The kind of part that an element is, and whether that is certain; None for content."""
    roles = attributes.get("role", "").lower().split()
    for kind, words in _REGIONS.items():
        if not words["roles"].isdisjoint(roles):
            return kind, True
        if name in words["elements"] and not (name in _OF_A_SECTION and inside_section):
            return kind, True
    if name in _NEVER:
        return None
    named = f"{attributes.get('class', '')} {attributes.get('id', '')}".split()
    found = next(filter(None, map(_kind_of_name, named)), None) if named else None
    if found == "sidebar" and any(item.startswith(_BUILDERS) for item in named):
        return None
    return (found, False) if found else None


def opens_section(name: str) -> bool:
    return name in _SECTIONS


@lru_cache(maxsize=4096)
def _kind_of_name(name: str) -> str | None:
    parts = [part.lower() for part in _PARTS.findall(name[:80])]
    if not parts or parts[0] in _OTHER:
        return None
    ends, whole = {parts[0], parts[-1]}, name.lower()
    for kind, words in _REGIONS.items():
        if whole in words["exact"] or parts[0] in words["first"] or not words["names"].isdisjoint(ends):
            return kind
        if not words["anywhere"].isdisjoint(parts):
            return kind
    return None
