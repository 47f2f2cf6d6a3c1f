"""The linear reading of Office mathematics: `x^2`, `(a+b)/c`, `√(x)`."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.etree import _Element as Element

from pecia.parsing.docx.names import attribute, child, children, name, switch


def linear(element: Element) -> Iterator[str | Element]:
    """What is read, in order: strings that stand for the shape, and the runs that hold the text."""
    kind = name(element)
    if kind == "m:f":
        flat = attribute(child(element, "m:fPr", "m:type")) == "noBar"
        yield from _grouped(child(element, "m:num"))
        yield "¦" if flat else "/"
        yield from _grouped(child(element, "m:den"))
    elif kind in _SCRIPTS:
        yield from _scripts(element, *_SCRIPTS[kind])
    elif kind == "m:rad":
        if not switch(child(element, "m:radPr", "m:degHide")):
            yield from _inner(child(element, "m:deg"))
        yield "√("
        yield from _inner(child(element, "m:e"))
        yield ")"
    elif kind == "m:nary":
        yield attribute(child(element, "m:naryPr", "m:chr")) or "∫"
        yield from _marked("_", child(element, "m:sub"))
        yield from _marked("^", child(element, "m:sup"))
        yield " "
        yield from _inner(child(element, "m:e"))
    elif kind == "m:d":
        yield from _delimited(element)
    elif kind == "m:func":
        yield from _inner(child(element, "m:fName"))
        yield " "
        yield from _inner(child(element, "m:e"))
    elif kind == "m:acc":
        yield from _inner(child(element, "m:e"))
        yield attribute(child(element, "m:accPr", "m:chr")) or "\u0302"
    elif kind == "m:m":
        yield "["
        yield from _listed(list(children(element, "m:mr")), "; ")
        yield "]"
    elif kind == "m:mr":
        yield from _listed(list(children(element, "m:e")), ", ")
    elif kind in {"m:eqArr", "m:oMathPara"}:
        yield from _listed([item for item in element if name(item) in {"m:e", "m:oMath"}], "\n")
    elif kind.startswith("m:") and kind != "m:r":
        yield from _inner(element)
    else:
        yield element


_SCRIPTS = {
    "m:sSup": (("^", "m:sup"),),
    "m:sSub": (("_", "m:sub"),),
    "m:sSubSup": (("_", "m:sub"), ("^", "m:sup")),
    "m:sPre": (("_", "m:sub"), ("^", "m:sup")),
    "m:limLow": (("_", "m:lim"),),
    "m:limUpp": (("^", "m:lim"),),
}


def _scripts(element: Element, *marks: tuple[str, str]) -> Iterator[str | Element]:
    before = name(element) == "m:sPre"
    if not before:
        yield from _grouped(child(element, "m:e"))
    for mark, part in marks:
        yield from _marked(mark, child(element, part))
    if before:
        yield from _grouped(child(element, "m:e"))


def _delimited(element: Element) -> Iterator[str | Element]:
    properties = child(element, "m:dPr")
    begin, between, end = (attribute(child(properties, f"m:{part}Chr")) for part in ("beg", "sep", "end"))
    yield "(" if begin is None else begin
    yield from _listed(list(children(element, "m:e")), "|" if between is None else between)
    yield ")" if end is None else end


def _listed(items: list[Element], glue: str) -> Iterator[str | Element]:
    for at, item in enumerate(items):
        if at:
            yield glue
        yield from linear(item)


def _inner(element: Element | None) -> Iterator[str | Element]:
    for item in () if element is None else element:
        if not name(item).endswith("Pr"):
            yield from linear(item)


def _text(element: Element | None) -> str:
    return "" if element is None else "".join(item.text or "" for item in element.iter() if name(item) == "m:t")


def _grouped(element: Element | None) -> Iterator[str | Element]:
    """In brackets where it is more than one number or one name: 2a below a line is not a half times a."""
    text = _text(element)
    bracketed = [name(item) for item in (() if element is None else element) if not name(item).endswith("Pr")] == ["m:d"]
    own = text.startswith("(") and text.find(")") == len(text) - 1
    bare = bracketed or own or len(text) <= 1 or text.isalpha() or text.replace(".", "").isdigit()
    yield from _inner(element) if bare else ("(", *_inner(element), ")")


def _marked(mark: str, element: Element | None) -> Iterator[str | Element]:
    if _text(element):
        yield mark
        yield from _grouped(element)
