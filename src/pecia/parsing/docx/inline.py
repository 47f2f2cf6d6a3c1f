"""The inside of a paragraph as its reader sees it, and what is dropped with the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from lxml.etree import _Element as Element

from pecia.parsing.docx.fields import form_value
from pecia.parsing.docx.formulas import linear
from pecia.parsing.docx.names import SIGNS, TEXTS, attribute, child, name
from pecia.parsing.docx.notes import Notes
from pecia.parsing.docx.styles import Styles
from pecia.parsing.docx.symbols import UNKNOWN, is_symbol, sign
from pecia.parsing.docx.traced import Traced

DELETED = "deleted by a tracked change"
CODE, HIDDEN, PHONETIC = "field code", "hidden text", "phonetic guide above the characters"
SOFT_HYPHEN, SECOND_COPY = "soft hyphen", "second copy for older programs (mc:AlternateContent)"
UNKNOWN_SYMBOL = "symbol without a Unicode character"
REMOVED = frozenset({"w:del", "w:moveFrom"})
_BOXES = frozenset({"w:txbxContent", "a:txBody"})
_SPACES = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "a:br": "\n"}
_NOTES = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote"}


@dataclass(slots=True)
class Line:
    """A paragraph while it is read. `boxes` are the text boxes anchored in it; `displayed` counts the characters of
    formulas: where there are no others, Word sets the formula apart."""

    properties: Element | None
    places: tuple[int, ...]
    text: Traced = field(default_factory=Traced)
    boxes: list[Element] = field(default_factory=list)
    displayed: int = 0


class Inline:
    """`offsets` says where each text begins in the source, `codes` which texts belong to a field's code."""

    def __init__(
        self, offsets: Mapping[Element, int], codes: AbstractSet[Element], styles: Styles, notes: Mapping[str, Notes]
    ) -> None:
        self._offsets, self._codes, self._styles, self._notes = offsets, codes, styles, notes
        self.dropped = Counter[str]()

    def read(self, paragraph: Element, properties: Element | None, places: tuple[int, ...]) -> Line:
        """The paragraph's text with its text boxes set aside."""
        line = Line(properties, places)
        self._inner(paragraph, line)
        return line

    def drop(self, element: Element, reason: str) -> None:
        """Accounts for all texts in an element that is not shown."""
        size = sum(self._size(item) for item in element.iter() if item in self._offsets)
        if size:
            self.dropped[reason] += size

    def branch(self, alternatives: Element) -> Element | None:
        """The one branch of mc:AlternateContent that is read: the first with text in it, so that nothing is lost
        where the newest is a picture; the others are dropped."""
        branches = [item for item in alternatives if name(item) in {"mc:Choice", "mc:Fallback"}]
        chosen = next((item for item in branches if self._holds_text(item)), None)
        for other in branches:
            if other is not chosen:
                self.drop(other, SECOND_COPY)
        return chosen

    def _size(self, element: Element) -> int:
        return 1 if name(element) in SIGNS else sum(map(len, (element.text or "").split()))

    def _holds_text(self, element: Element) -> bool:
        return any(item in self._offsets and self._size(item) for item in element.iter())

    def _inner(self, element: Element, line: Line) -> None:
        for item in element:
            self._walk(item, line)

    def _walk(self, element: Element, line: Line) -> None:
        """Anything that is not known is looked into, so that text in a new kind of wrapper is not lost."""
        kind = name(element)
        if kind in TEXTS or kind in SIGNS:
            self._leaf(element, kind, line)
        elif kind in _SPACES:
            line.text.add(_SPACES[kind])
        elif kind in REMOVED:
            self.drop(element, DELETED)
        elif kind in _BOXES:
            line.boxes.append(element)
        elif kind in {"m:oMath", "m:oMathPara"}:
            self._formula(element, kind, line)
        elif kind in _NOTES:
            line.text.add(self._notes[_NOTES[kind]].mark(element, line.places))
        elif kind == "mc:AlternateContent":
            if (chosen := self.branch(element)) is not None:
                self._inner(chosen, line)
        elif kind in {"w:r", "m:r"} and self._hidden(element, line):
            self.drop(element, HIDDEN)
        elif kind == "w:rt":
            self.drop(element, PHONETIC)
        elif kind == "w:fldChar":
            line.text.add(form_value(element))
        elif not kind.endswith("Pr"):
            self._inner(element, line)

    def _hidden(self, run: Element, line: Line) -> bool:
        return self._styles.says("w:vanish", child(run, "w:rPr"), line.properties)

    def _formula(self, element: Element, kind: str, line: Line) -> None:
        before = line.text.source_size
        previous = element.getprevious()
        if previous is not None and name(previous) == kind == "m:oMath":
            line.text.add(" ")
        for item in linear(element):
            if isinstance(item, str):
                line.text.add(item)
            else:
                self._walk(item, line)
        line.displayed += line.text.source_size - before

    def _leaf(self, element: Element, kind: str, line: Line) -> None:
        at = self._offsets[element]
        if element in self._codes or kind in {"w:instrText", "w:delInstrText"}:
            self.drop(element, CODE)
        elif kind == "w:delText":
            self.drop(element, DELETED)
        elif kind == "w:noBreakHyphen":
            line.text.take("\u2011", at)
        elif kind == "w:softHyphen":
            self.dropped[SOFT_HYPHEN] += 1
        elif kind == "w:sym":
            self._symbol(_code(element), attribute(element, "font") or "", at, line.text)
        else:
            self._text(element, at, line.text)

    def _text(self, element: Element, at: int, out: Traced) -> None:
        """Line ends inside of a text are white space of the XML, not of the document."""
        text = (element.text or "").translate(_LINE_ENDS)
        font = _font(element) if _SPECIAL.search(text) else ""
        start = 0
        for match in _SPECIAL.finditer(text):
            offset, character = match.start(), match[0]
            if character != "\u00ad" and not is_symbol(font):
                continue
            out.take(text[start:offset], at + start)
            start = offset + 1
            if character == "\u00ad":
                self.dropped[SOFT_HYPHEN] += 1
            else:
                self._symbol(ord(character), font, at + offset, out)
        out.take(text[start:], at + start)

    def _symbol(self, code: int, font: str, at: int, out: Traced) -> None:
        found = sign(code, font)
        if found == UNKNOWN or found.isspace():
            self.dropped[UNKNOWN_SYMBOL if found == UNKNOWN else "space of a symbol font"] += 1
            out.add(found)
        else:
            out.take(found, at)


_SPECIAL = re.compile("[\u00ad\uf020-\uf0ff]")  # the private area is where symbol fonts are stored
_LINE_ENDS = str.maketrans("\r\n\t", "   ")


def _code(symbol: Element) -> int:
    try:
        return int(attribute(symbol, "char") or "", 16)
    except ValueError:
        return 0


def _font(text: Element) -> str:
    """The font of the run around a text; Symbol where none is named, as Word falls back to it for these characters."""
    run = text.getparent()
    fonts = child(run, "w:rPr", "w:rFonts")
    return attribute(fonts, "ascii") or attribute(fonts, "hAnsi") or "Symbol"
