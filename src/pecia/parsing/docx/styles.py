"""What a paragraph or run is by its style, with what the style inherits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml.etree import _Element as Element

from pecia.parsing.docx.names import attribute, child, children, number, switch

BODY_LEVEL = 9  # w:outlineLvl 9 says: not a heading, whatever the style is called
_HEADING = re.compile(r"heading ?([1-9])")


@dataclass(frozen=True, slots=True)
class Style:
    """`name` is the built-in English one, in lower case: Word keeps it in w:name also where the id is localized."""

    id: str
    name: str
    based_on: str
    paragraph: Element | None
    run: Element | None


@dataclass(frozen=True, slots=True)
class Styles:
    styles: dict[str, Style] = field(default_factory=dict)
    default: str = ""
    run_defaults: Element | None = None
    _inherited: dict[tuple[str, str | None, str], bool] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, root: Element | None) -> Styles:
        styles: dict[str, Style] = {}
        default = ""
        for item in children(root, "w:style"):
            key = attribute(item, "styleId") or ""
            shown = (attribute(child(item, "w:name")) or key).strip().lower()
            base = attribute(child(item, "w:basedOn")) or ""
            styles[key] = Style(key, shown, base, child(item, "w:pPr"), child(item, "w:rPr"))
            if attribute(item, "type") == "paragraph" and attribute(item, "default") in {"1", "true", "on"}:
                default = key
        return cls(styles, default, child(root, "w:docDefaults", "w:rPrDefault", "w:rPr"))

    def chain(self, key: str | None) -> Iterator[Style]:
        """A style and those that it is based on. Without styles.xml, the id says what can be known."""
        seen: set[str] = set()
        while key and key not in seen:
            seen.add(key)
            style = self.styles.get(key) or Style(key, key.lower(), "", None, None)
            yield style
            key = style.based_on

    def of_paragraph(self, properties: Element | None) -> str:
        return attribute(child(properties, "w:pStyle")) or self.default

    def level(self, properties: Element | None) -> int | None:
        """1 to 9 for a heading: the paragraph's own outline level, else its style's, else the style's built-in name."""
        own = child(properties, "w:outlineLvl")
        if own is not None:
            return _level(own)
        for style in self.chain(self.of_paragraph(properties)):
            outline = child(style.paragraph, "w:outlineLvl")
            if outline is not None:
                return _level(outline)
            if match := _HEADING.fullmatch(style.name):
                return int(match[1])
            if style.name == "title":
                return 1
        return None

    def called(self, properties: Element | None, *names: str) -> bool:
        """True where the paragraph's style, or one it is based on, has one of these built-in names."""
        return any(style.name in names for style in self.chain(self.of_paragraph(properties)))

    def numbering(self, properties: Element | None) -> Iterator[Element]:
        """The w:numPr that count for a paragraph, its own first."""
        own = child(properties, "w:numPr")
        if own is not None:
            yield own
        for style in self.chain(self.of_paragraph(properties)):
            found = child(style.paragraph, "w:numPr")
            if found is not None:
                yield found

    def says(self, toggle: str, run: Element | None, paragraph: Element | None) -> bool:
        """Whether a property such as w:vanish or w:b is on for a run in a paragraph of these properties."""
        own = switch(child(run, toggle))
        if own is not None:
            return own
        key = toggle, attribute(child(run, "w:rStyle")), self.of_paragraph(paragraph)
        if key not in self._inherited:
            places = [style.run for name in key[1:] for style in self.chain(name)]
            said = (switch(child(place, toggle)) for place in (*places, self.run_defaults))
            self._inherited[key] = next((found for found in said if found is not None), False)
        return self._inherited[key]

    def size(self, run: Element | None, paragraph: Element | None) -> int:
        """Half points of a run's letters; 20 where nothing says so (ECMA-376 part 1, 17.3.2.38)."""
        chains = (attribute(child(run, "w:rStyle")), self.of_paragraph(paragraph))
        places = (run, *(style.run for key in chains for style in self.chain(key)), self.run_defaults)
        return next((size for place in places if (size := number(child(place, "w:sz")))), 20)


def _level(outline: Element) -> int | None:
    level = number(outline, default=BODY_LEVEL)
    return level + 1 if 0 <= level < BODY_LEVEL else None
