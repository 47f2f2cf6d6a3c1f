"""The characters of the source: where each text begins, and how many there are by a count of its own."""

from __future__ import annotations

import io
from collections.abc import Iterable
from xml.parsers import expat

from lxml.etree import _Element as Element

from pecia.errors import BrokenError, LimitError
from pecia.parsing.docx.names import SIGNS, TEXTS, name, short
from pecia.parsing.quoted import quoted

# Deeper than any file that Word writes (a text box in a table in a text box is at 40), and below Python's 1,000 frames.
DEPTH = 250


def offsets(roots: Iterable[Element]) -> dict[Element, int]:
    """Where each text and sign begins, all characters of the parts counted in document order; a sign is one."""
    found: dict[Element, int] = {}
    at = 0
    for root in roots:
        for element in root.iter():
            kind = name(element)
            if kind in TEXTS:
                found[element] = at
                at += len(element.text or "")
            elif kind in SIGNS:
                found[element] = at
                at += 1
    return found


def visible(data: bytes, part: str) -> int:
    """The visible characters and signs of a part, counted with expat from the raw XML: nothing else in the parser
    has a hand in it."""
    parser = expat.ParserCreate(namespace_separator="}")
    open_: list[bool] = []
    parts: list[str] = []
    signs = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal signs
        if len(open_) >= DEPTH:
            raise LimitError(f"{quoted(part)} is nested more than {DEPTH} deep")
        kind = short(tag)
        open_.append(kind in TEXTS)
        signs += kind in SIGNS

    def end(tag: str) -> None:
        open_.pop()

    def text(data: str) -> None:
        if open_[-1]:
            parts.append(data)

    def doctype(*_: object) -> None:
        raise BrokenError(f"{quoted(part)} declares a document type; no Word file has one, attacks do")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, doctype
    try:
        parser.ParseFile(io.BytesIO(data))
    except (expat.ExpatError, ValueError, LookupError) as error:  # LookupError: it declares an encoding that there is not
        raise BrokenError(f"{quoted(part)} is not XML that can be read: {quoted(error)}") from error
    return signs + sum(map(len, "".join(parts).split()))
