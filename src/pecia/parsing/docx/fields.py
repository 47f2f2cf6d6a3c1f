"""Fields: which texts are the code of one and not its result."""

from __future__ import annotations

from lxml.etree import _Element as Element

from pecia.parsing.docx.names import SIGNS, TEXTS, attribute, child, children, name, number, switch

_LEAVES = TEXTS | SIGNS


def codes(root: Element) -> set[Element]:
    """The texts between the beginning of a field and its separator, or its end where it shows nothing.

    A beginning without an end is not a field: a broken one must not swallow the rest of the document.
    """
    begun: list[Element] = []
    matched: set[Element] = set()
    for mark in root.iter():
        if name(mark) == "w:fldChar":
            kind = attribute(mark, "fldCharType")
            if kind == "begin":
                begun.append(mark)
            elif kind == "end" and begun:
                matched |= {begun.pop(), mark}
    return _inside(root, matched) if matched else set()


def _inside(root: Element, matched: set[Element]) -> set[Element]:
    found: set[Element] = set()
    in_code: list[bool] = []  # for each open field, whether its code is being read
    for element in root.iter():
        kind = name(element)
        if kind == "w:fldChar":
            mark = attribute(element, "fldCharType")
            if mark == "separate" and in_code:
                in_code[-1] = False
            elif mark == "begin" and element in matched:
                in_code.append(True)
            elif mark == "end" and element in matched:
                in_code.pop()
        elif kind in _LEAVES and any(in_code):
            found.add(element)
    return found


def form_value(mark: Element) -> str:
    """What an old form field shows without a result in the text: a box with or without a cross, the chosen entry."""
    data = child(mark, "w:ffData")
    box, entries = child(data, "w:checkBox"), child(data, "w:ddList")
    if box is not None:
        checked = switch(child(box, "w:checked"))
        return "☒" if (bool(switch(child(box, "w:default"))) if checked is None else checked) else "☐"
    chosen = number(child(entries, "w:result"), default=number(child(entries, "w:default")))
    values = [attribute(entry) or "" for entry in children(entries, "w:listEntry")]
    return values[chosen] if 0 <= chosen < len(values) else ""
