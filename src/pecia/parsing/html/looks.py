"""What text looks like: all in links, as a menu does; all large or bold, as titles do on pages without elements for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lxml import etree

from pecia.parsing.html.vocabulary import HEADINGS

_WORDS = re.compile(r"\w+")
_STRONG = {"b", "strong"}
# `size` of `font` from which text is larger than that around it by half: 5 of 7, or two steps up.
_LARGE = re.compile(r"\+?[2-9]|[5-7]")
# A menu has three links, of a few words each; before the content stand no more letters that are in none: a name, a motto.
_FEWEST, _LONGEST, _BEFORE = 3, 40, 100
_LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Mark:
    """How many letters have been seen, how many of them in links and in links to the page itself; how many links; how many
    visible characters."""

    letters: int
    linked: int
    inside: int
    links: int
    visible: int


class Looks:
    """Is told of elements and text in the order of the page. `headed`: it has elements that are headings."""

    def __init__(self, root: etree._Element) -> None:
        self.headed = any(
            element.tag in HEADINGS or element.get("role") == "heading" for element in root.iter(*HEADINGS, "div", "span", "p")
        )
        self._link = self._anchor = self._strong = self._large = 0  # elements that are open
        self._letters = self._linked = self._inside = self._links = self._visible = 0
        self._run = (0, 0, 0)  # letters since the last border of a box; those that are strong, and large

    def enter(self, name: str, attributes: Any, step: int = 1) -> None:
        """An element is opened, or closed where `step` is -1."""
        if name == "a" and (address := attributes.get("href")):
            self._link += step
            self._anchor += step * (address.startswith("#") and len(address) > 1)
            self._links += step > 0
        elif name in _STRONG:
            self._strong += step
        elif name == "big" or (name == "font" and _LARGE.fullmatch(attributes.get("size", "").strip())):
            self._large += step

    def add(self, text: str, visible: int) -> None:
        """Text of the innermost open element."""
        self._visible += visible
        size = sum(map(len, _WORDS.findall(text)))
        self._letters += size
        self._linked += size * (self._link > 0)
        self._inside += size * (self._anchor > 0)
        letters, strong, large = self._run
        self._run = letters + size, strong + size * (self._strong > 0), large + size * (self._large > 0)

    def mark(self) -> Mark:
        return Mark(self._letters, self._linked, self._inside, self._links, self._visible)

    def is_first(self, mark: Mark) -> bool:
        """True where hardly anything but links stands before."""
        return mark.letters - mark.linked <= _BEFORE

    def is_menu(self, since: Mark) -> bool:
        """True where all letters since then are in links, three or more, or all in links to the page itself."""
        letters, links = self._letters - since.letters, self._links - since.links
        if not letters or self._linked - since.linked < letters or letters > _LONGEST * links:
            return False
        return links >= _FEWEST or self._inside - since.inside == letters

    def title_level(self, text: str) -> int | None:
        """The level of a title that is none by its element; None for other text, and then for the next run of it."""
        (letters, strong, large), self._run = self._run, (0, 0, 0)
        if not letters or len(text) > _LONGEST_TITLE or "\n" in text or text.endswith((".", ",", ";")):
            return None
        if large == letters:
            return 2
        return 3 if strong == letters and not self.headed else None
