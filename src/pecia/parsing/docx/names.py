"""Names of elements and attributes, the same for transitional and strict files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from lxml.etree import _Element as Element

_OPEN, _STRICT = "http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/"
_WORD = (f"{_OPEN}wordprocessingml/2006/main", f"{_STRICT}wordprocessingml/main")
_PREFIXES = {
    **dict.fromkeys(_WORD, "w"),
    **dict.fromkeys((f"{_OPEN}officeDocument/2006/math", f"{_STRICT}officeDocument/math"), "m"),
    **dict.fromkeys((f"{_OPEN}drawingml/2006/main", f"{_STRICT}drawingml/main"), "a"),
    f"{_OPEN}markup-compatibility/2006": "mc",
}
# Where characters stand, and signs that are elements of their own. What is not among these shows no text from the file.
TEXTS = frozenset({"w:t", "w:delText", "w:instrText", "w:delInstrText", "m:t", "a:t"})
SIGNS = frozenset({"w:sym", "w:noBreakHyphen", "w:softHyphen"})


@lru_cache(maxsize=4096)
def short(tag: str) -> str:
    """`w:p` for a qualified tag in either namespace; `?:name` in one that is not read."""
    namespace, _, local = tag.removeprefix("{").rpartition("}")
    return f"{_PREFIXES.get(namespace, '?')}:{local}"


def name(element: Element) -> str:
    return short(element.tag)


def children(element: Element | None, wanted: str) -> Iterator[Element]:
    if element is not None:
        yield from (item for item in element if name(item) == wanted)


def child(element: Element | None, *path: str) -> Element | None:
    """The first element at the end of a path of names, or None."""
    for wanted in path:
        if element is None:
            return None
        for item in element:
            if short(item.tag) == wanted:
                element = item
                break
        else:
            return None
    return element


def attribute(element: Element | None, local: str = "val") -> str | None:
    """An attribute of the word-processing or mathematics namespace, whichever the element is of."""
    if element is None:
        return None
    namespaces = (*_WORD, str(element.tag)[1:].partition("}")[0])
    found = next((value for space in namespaces if (value := element.get(f"{{{space}}}{local}")) is not None), None)
    return None if found is None else str(found)


def number(element: Element | None, local: str = "val", default: int = 0) -> int:
    """An attribute as a whole number; the default where it is absent or none."""
    value = attribute(element, local)
    try:
        return default if value is None else int(value)
    except ValueError:
        return default


def switch(element: Element | None) -> bool | None:
    """On or off as an element says it; None where it is absent."""
    return None if element is None else attribute(element) not in {"0", "false", "off", "none"}
