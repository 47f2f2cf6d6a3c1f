"""Reads a shown page the way a browser does, as far as the tests need."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "rect", "path"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""
    inside: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())


class Reading(HTMLParser):
    """`elements` in document order; `open_at_end` holds what was never closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.open_at_end: list[Element] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        path = [(item.tag, item.attributes) for item in self.open_at_end]
        element = Element(tag, {name: value or "" for name, value in attrs}, inside=path)
        self.elements.append(element)
        if tag not in VOID:
            self.open_at_end.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_at_end[-1].tag == tag, f"</{tag}> closes <{self.open_at_end[-1].tag}>"
        self.open_at_end.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open_at_end:
            element.text += data

    def with_class(self, name: str) -> list[Element]:
        return [element for element in self.elements if name in element.classes]

    def source_text(self, sheet: str) -> str:
        """The document's own text on the sheet of that id, in order."""
        return "".join(
            element.text
            for element in self.with_class("t")
            if any(attributes.get("id") == sheet for tag, attributes in element.inside if tag == "section")
        )
