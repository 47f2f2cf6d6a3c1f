"""Footnotes and endnotes: the mark that Word shows, and the paragraph that refers to each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element as Element

from pecia.parsing.docx.names import attribute, child, children, number
from pecia.parsing.docx.numerals import raised, shown


@dataclass(frozen=True, slots=True)
class Referred:
    """A note that the text refers to. `mark` is empty where the author wrote a sign of his own."""

    note: Element
    mark: str
    places: tuple[int, ...]


class Notes:
    """The notes of one kind (`footnote` or `endnote`), numbered as they are referred to.

    Numbers that begin again on every page go on here: a DOCX has no pages.
    """

    def __init__(self, kind: str, root: Element | None, settings: Element | None, section: Element | None) -> None:
        self._notes = {attribute(item, "id"): item for item in children(root, f"w:{kind}")}
        chosen = [child(place, f"w:{kind}Pr") for place in (section, settings)]
        formats = [attribute(child(place, "w:numFmt")) for place in chosen]
        starts = [child(place, "w:numStart") for place in chosen]
        restarts = [attribute(child(place, "w:numRestart")) for place in chosen]
        usual = "decimal" if kind == "footnote" else "lowerRoman"
        self._format = next((item for item in formats if item), usual)
        self._first = next((number(item, default=1) for item in starts if item is not None), 1)
        self._by_section = next((item for item in restarts if item), "") == "eachSect"
        self._next = self._first
        self._referred: dict[str | None, Referred] = {}

    def mark(self, reference: Element, places: tuple[int, ...]) -> str:
        """What stands in the text at a reference: the number, raised; nothing where the text has its own sign."""
        key = attribute(reference, "id")
        if key not in self._notes:
            return ""
        if key not in self._referred:
            mark = ""
            if attribute(reference, "customMarkFollows") not in {"1", "true", "on"}:
                mark = raised(shown(self._next, self._format))
                self._next += 1
            self._referred[key] = Referred(self._notes[key], mark, places)
        return self._referred[key].mark

    def end_section(self) -> None:
        if self._by_section:
            self._next = self._first

    def referred(self) -> Iterator[Referred]:
        """The notes in the order of their references."""
        yield from self._referred.values()

    def unreferred(self) -> Iterator[Element]:
        yield from (note for key, note in self._notes.items() if key not in self._referred)
