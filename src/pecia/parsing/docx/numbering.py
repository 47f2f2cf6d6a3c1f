"""The numbers that Word shows before paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml.etree import _Element as Element

from pecia.parsing.docx.names import attribute, child, children, number, switch
from pecia.parsing.docx.numerals import shown
from pecia.parsing.docx.styles import Styles

LEVELS = 9
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list. `restart`: the level (from 1) after which it begins again; 0 for never."""

    start: int
    format: str
    text: str
    style: str | None
    legal: bool
    gap: str
    restart: int
    hidden: bool


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before a paragraph of a list: nothing for a bullet. `level` counts from 0; `depth` is the count of
    numbers in it, 2 for `1.1`."""

    text: str
    level: int
    depth: int
    listed: bool


@dataclass(slots=True)
class _List:
    levels: dict[int, Level]
    counters: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts the paragraphs of lists; each paragraph is asked about once, in order."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract = {attribute(item, "abstractNumId"): item for item in children(root, "w:abstractNum")}
        self._numbers = {attribute(item, "numId"): item for item in children(root, "w:num")}
        self._lists: dict[str | None, _List] = {}  # by abstract definition: lists that share one go on counting
        self._overridden: dict[str, dict[int, Level]] = {}

    def label(self, properties: Element | None) -> Label | None:
        """What Word shows before the next paragraph, which has these properties; None outside of lists."""
        number_id = self._number_id(properties)
        number_element = self._numbers.get(number_id)
        if number_element is None or number_id == "0":
            return None
        abstract = self._definition(attribute(child(number_element, "w:abstractNumId")))
        counted = self._lists.get(abstract)
        if counted is None:
            counted = self._lists[abstract] = _List(_levels(self._abstract.get(abstract)))
        if number_id not in self._overridden:
            self._overridden[number_id] = self._override(number_element, counted)
        levels = {**counted.levels, **self._overridden[number_id]}
        index = self._index(properties, levels)
        if index not in levels:
            return None
        self._count(counted, levels, index)
        return _label(levels, counted.counters, index)

    def _number_id(self, properties: Element | None) -> str:
        """The list that a paragraph is in, by itself or by its style; "0" for none."""
        references = (child(item, "w:numId") for item in self._styles.numbering(properties))
        return next((found for item in references if (found := attribute(item)) is not None), "0")

    def _index(self, properties: Element | None, levels: dict[int, Level]) -> int:
        """The level of a paragraph: its own; else, from its style upwards, the one that names the style (it beats the
        level that the style states, ECMA-376 part 1, 17.9.23) or that the style states. Word's own heading 2 states a
        level and takes the list from heading 1."""
        stated = [child(properties, "w:numPr", "w:ilvl")]
        for style in self._styles.chain(self._styles.of_paragraph(properties)):
            if stated[-1] is not None:
                break
            named = next((at for at, level in levels.items() if level.style == style.id), None)
            if named is not None:
                return named
            stated.append(child(style.paragraph, "w:numPr", "w:ilvl"))
        return min(max(number(stated[-1]), 0), LEVELS - 1)

    def _definition(self, abstract: str | None) -> str | None:
        """The abstract list meant: one that only names a list style stands for the list that the style names."""
        link = attribute(child(self._abstract.get(abstract), "w:numStyleLink"))
        if link is None:
            return abstract
        for key, item in self._abstract.items():
            if attribute(child(item, "w:styleLink")) == link:
                return key
        return abstract

    def _override(self, element: Element, counted: _List) -> dict[int, Level]:
        """The levels that a list changes; those with a start of their own begin again when the list is first met."""
        changed: dict[int, Level] = {}
        for override in children(element, "w:lvlOverride"):
            index = number(override, "ilvl")
            own = child(override, "w:lvl")
            if own is not None:
                changed[index] = _level(own, index)
            start = child(override, "w:startOverride")
            if start is not None:
                counted.counters[index] = number(start, default=1) - 1
        return changed

    @staticmethod
    def _count(counted: _List, levels: dict[int, Level], index: int) -> None:
        counters = counted.counters
        counters[index] = counters.get(index, levels[index].start - 1) + 1
        for deeper in range(index + 1, LEVELS):
            if deeper in levels and index < levels[deeper].restart:
                counters.pop(deeper, None)


def _levels(abstract: Element | None) -> dict[int, Level]:
    return {number(item, "ilvl"): _level(item, number(item, "ilvl")) for item in children(abstract, "w:lvl")}


def _level(element: Element, index: int) -> Level:
    alternative = child(element, "mc:AlternateContent", "mc:Choice", "w:numFmt")
    chosen = alternative if alternative is not None else child(element, "w:numFmt")
    number_format = attribute(chosen) or "decimal"
    if number_format == "custom":  # w:format="001, 002, 003, ...": leading noughts are the only ones in use
        number_format = "decimalZero"
    return Level(
        start=number(child(element, "w:start")),
        format=number_format,
        text=attribute(child(element, "w:lvlText")) or "",
        style=attribute(child(element, "w:pStyle")),
        legal=bool(switch(child(element, "w:isLgl"))),
        gap="" if attribute(child(element, "w:suff")) == "nothing" else " ",
        restart=number(child(element, "w:lvlRestart"), default=index),
        hidden=bool(switch(child(element, "w:rPr", "w:vanish"))),
    )


def _label(levels: dict[int, Level], counters: dict[int, int], index: int) -> Label:
    level = levels[index]
    if level.format == "bullet":
        return Label("", index, 0, listed=True)
    places: list[str] = []

    def place(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        if at not in levels or levels[at].format == "bullet":  # Word prints nothing for a level without numbers
            return ""
        own = levels[at]
        written = shown(counters.get(at, own.start), "decimal" if level.legal and own.format != "none" else own.format)
        places.append(written)
        return written

    text = _PLACE.sub(place, level.text).strip()
    if level.hidden or not any(map(str.isalnum, text)):  # the points around a number of format "none" are not a number
        return Label("", index, 0, listed=level.format != "none" and bool(text))
    return Label(text + level.gap, index, len([item for item in places if item]), listed=True)
