"""XML of any vocabulary: the text of the elements in document order, one block for each smallest element that holds text.

What is a block follows from the text itself: an element in which text and elements mix is one block. Names of elements only say
where markup breaks a text or does not, and what kind a block is; they are data (`xml.toml`).
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any

from lxml import etree

from pecia.errors import BrokenError, DocumentError, EncodingError, LimitError
from pecia.model import Block, BlockKind, Coded, Document, Dropped, Finding, Severity, Source, XPath, visible
from pecia.parsing.flow import BREAK, Flow, Grid, Piece
from pecia.parsing.quoted import quoted
from pecia.protocols import ParseOptions

# Code, severity and text of each finding; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "XML101": (
        Severity.WARNING,
        """Every character of the text stands in the file itself.

Why: an entity that a DTD or another file defines is not resolved, since a definition may expand to gigabytes or read any file.
The text keeps the reference as it is written.
Example: `&company;` in a label whose document type defines it.""",
    ),
}

# Errors of libxml2: depth over 256, a text node over 10 MB, entities that multiply (114); bytes that do not fit (32, 81).
_LIMIT, _ENCODING = 114, {31, 32, 81}
# Parts of its messages that speak of its own functions.
_FOR_PROGRAMMERS = re.compile(r", use XML_PARSE_HUGE option|, try XML_PARSE_HUGE|, see xml\w+\.?|\bxml[A-Z]\w+: |\s+(?=,)")


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


with resources.files(__package__).joinpath("xml.toml").open("rb") as file:
    _DATA = tomllib.load(file)
_HEADINGS, _BREAKING, _INLINE = _names(_DATA["headings"]), _names(_DATA["breaking"]), _names(_DATA["inline"])
_TYPOGRAPHY, _ATOMIC, _CAPTIONED = _names(_DATA["typography"]), _names(_DATA["atomic"]), _names(_DATA["captioned"])
_KINDS = {name: BlockKind(kind) for kind, listed in _DATA["kinds"].items() for name in _names(listed)}
_CODED = _names(_DATA["coded"])
_APART = _BREAKING | {"br", "lb", "suffix"}
_PARAGRAPHS = {"p", "para", "paragraph"}
# What comes before the body; titles of the body then stand one level below the title in there.
_HEADERS, _TITLES = {"front", "teiheader", "eadheader", "control"}, {"title-group", "titlestmt"}
_TABLES, _PARTS, _ROWS = {"table", "informaltable"}, {"thead", "tbody", "tfoot", "tgroup"}, {"tr", "row"}
_WRAPS = {"table-wrap", "fig", "figure", "alternatives"}
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_WIDEST = 100  # of `colspan`: a number of an attacker is not a number of columns


def parse_xml(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document. Nothing outside the file is read and no entity is resolved; LimitError for what is nested deeper than
    256 elements or has more than 10 MB in one text, BrokenError with the line for what is not well-formed."""
    root = _root(data)
    walk = _Walk(root)
    walk.run()
    text = walk.flow.text()
    findings = tuple(
        Finding("XML101", Severity.WARNING, f"the entity {name} is not resolved; it stands as written ({_times(number)})")
        for name, number in sorted(walk.entities.items())
    )
    yield Document(
        source.sha256,
        source,
        text,
        blocks=tuple(_within(_joined(walk.flow.blocks, walk.continued), walk.coded)),
        tables=tuple(walk.flow.tables),
        alignment=walk.flow.alignment(),
        source_size=source_size(root),
        dropped=tuple(Dropped(reason, size) for reason, size in sorted(walk.dropped.items())),
        findings=findings,
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _root(data: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _fault(error) from None


def _fault(error: etree.XMLSyntaxError) -> DocumentError:
    message = quoted(_FOR_PROGRAMMERS.sub("", str(error.msg)))
    if error.code == _LIMIT:
        return LimitError(f"XML beyond the limits: {message}")
    kind = EncodingError if error.code in _ENCODING else BrokenError
    return kind(f"not well-formed XML: {message}")


def source_size(root: etree._Element) -> int:
    """The visible characters of text nodes, entity references, comments and instructions, by lxml's own iterators and not by
    the walk. Not by XPath: it puts nodes in order, which among 20,000 comments of one element takes libxml2 20 s."""
    outside = (*root.itersiblings(preceding=True), *root.itersiblings())
    inside = root.iter(etree.Comment, etree.ProcessingInstruction)
    return sum(map(visible, root.itertext())) + sum(visible(node.text or "") for node in (*outside, *inside))


def _joined(blocks: Sequence[Block], continued: dict[int, int]) -> Iterator[Block]:
    for number, block in enumerate(blocks):
        yield replace(block, continues_on=blocks[continued[number]].id) if number in continued else block


def _within(blocks: Iterable[Block], coded: Sequence[tuple[int, tuple[Coded, ...]]]) -> Iterator[Block]:
    """The blocks with the coded elements around them; `coded` says from which block on there are which."""
    around: tuple[Coded, ...] = ()
    at = 0
    for number, block in enumerate(blocks):
        while at < len(coded) and coded[at][0] <= number:
            around = coded[at][1]
            at += 1
        yield replace(block, within=around) if around else block


@dataclass(frozen=True, slots=True)
class _Place:
    """What is known of an element from what stands above it."""

    xpath: str
    depth: int  # number of sections with a heading, the element itself included
    kind: BlockKind | None = None
    verbatim: bool = False
    captioned: bool = False


class _Walk:
    """One pass over the tree in document order. It recurses: libxml2 lets through at most 256 levels."""

    def __init__(self, root: etree._Element) -> None:
        self.flow = Flow()
        self.entities: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.continued: dict[int, int] = {}  # block to the block that goes on after an interruption
        self.coded: list[tuple[int, tuple[Coded, ...]]] = []  # from which block on which coded elements are around
        self._around: tuple[Coded, ...] = ()
        self._root = root
        self._offset = 0  # of the next character of a text node
        self._broken = _with_breaking_parts(root)
        self._label: tuple[list[Piece], _Place] | None = None  # waits for the block that it is the label of
        self._captions: list[str] = []

    def run(self) -> None:
        for node in (*self._root.itersiblings(preceding=True), *self._root.itersiblings()):
            self._special(node, [])
        depth = any(_name(child) in _HEADERS for child in self._root) + _opens_section(self._root)
        verbatim = self._root.get(_SPACE) == "preserve"
        self._element(self._root, _Place("/" + _step(self._root, Counter()), depth, verbatim=verbatim))

    def _element(self, element: etree._Element, place: _Place) -> None:
        """Adds what the element holds, without its tail."""
        if code := _code(element):
            outer = self._around
            self._enter((*outer, Coded(code, place.xpath)))
            self._inside(element, place)
            self._enter(outer)
        else:
            self._inside(element, place)

    def _enter(self, around: tuple[Coded, ...]) -> None:
        self._around = around
        self.coded.append((len(self.flow.blocks), around))

    def _inside(self, element: etree._Element, place: _Place) -> None:
        name = _name(element)
        if name in _WRAPS and name != "alternatives":
            self._captions.clear()
        if name in _TABLES and _has_rows(element):
            self._table(element, place)
        elif element not in self._broken and (_has_text(element) or name in _ATOMIC or _only_inline(element)):
            self._block(self._pieces(element), place, element)
        else:
            self._container(element, place)

    def _container(self, element: etree._Element, place: _Place) -> None:
        """The blocks among the children, and what is text between them."""
        mixed, steps = _has_text(element), Counter[str]()
        run: list[Piece] = []
        before: int | None = None  # the block of the text before an interruption
        self._take(element.text, run)
        for child in element:
            name = _name(child)
            step = _step(child, steps) if name else ""
            if not name:
                self._special(child, run)
            elif child not in self._broken and name not in _BREAKING and (mixed or name in _INLINE):
                self._inline(child, run)
            else:
                before = self._between(run, place, element, before)
                run = []
                self._element(child, self._below(child, element, place, step))
            self._take(child.tail, run)
        self._between(run, place, element, before)
        if self._label and self._label[1].xpath.rpartition("/")[0] == place.xpath:
            self._add_label()

    def _between(self, run: list[Piece], place: _Place, element: etree._Element, before: int | None) -> int | None:
        number = len(self.flow.blocks)
        self._block(run, place, element)
        if len(self.flow.blocks) == number:
            return before
        if before is not None and self.flow.blocks[number].kind is self.flow.blocks[before].kind is BlockKind.PARAGRAPH:
            self.continued[before] = number
        return number

    def _below(self, child: etree._Element, parent: etree._Element, place: _Place, step: str) -> _Place:
        name = _name(child)
        section = _opens_section(child)
        captioned = name in _CAPTIONED or (place.captioned and not section)
        depth = 1 if name in _TITLES else place.depth + (section and not captioned)
        kind = _KINDS.get(name, place.kind)
        if kind is BlockKind.LIST_ITEM and name in _PARAGRAPHS and (_has_text(parent) or child is not _first(parent)):
            kind = BlockKind.PARAGRAPH
        verbatim = {"preserve": True, "default": False}.get(child.get(_SPACE, ""), place.verbatim) or kind is BlockKind.CODE
        return _Place(f"{place.xpath}/{step}", depth, kind, verbatim, captioned)

    def _block(self, pieces: list[Piece], place: _Place, element: etree._Element) -> None:
        if not any(text.strip() for text, _ in pieces):
            return
        if _name(element) == "label" and element.getnext() is not None:
            self._add_label()
            self._label = pieces, place
            return
        places = [XPath(place.xpath)]
        if self._label:
            label, above = self._label
            pieces, places, self._label = [*label, BREAK, *pieces], [XPath(above.xpath), *places], None
        kind, level = _kind(element, place)
        text = self.flow.add(pieces, kind, level, places, verbatim=place.verbatim)
        if kind is BlockKind.CAPTION:
            self._captions.append(text)

    def _add_label(self) -> None:
        """A label that nothing follows stands alone."""
        if self._label:
            pieces, place = self._label
            self._label = None
            kind = place.kind or (BlockKind.CAPTION if place.captioned else BlockKind.PARAGRAPH)
            self._captions.append(self.flow.add(pieces, kind, None, [XPath(place.xpath)]))

    def _table(self, table: etree._Element, place: _Place) -> None:
        """The rows as one pipe table; what is not in a row (a caption, a title) stands before it."""
        parent = table.getparent()
        if parent is None or _name(parent) not in _WRAPS:
            self._captions.clear()
        grid = Grid()
        self._rows(table, place, grid, header=False)
        self._add_label()
        caption = " ".join(self._captions)
        self.flow.add_table(grid, caption, [XPath(place.xpath)])

    def _rows(self, part: etree._Element, place: _Place, grid: Grid, *, header: bool) -> None:
        steps: Counter[str] = Counter()
        space: list[Piece] = []  # between the rows; `_has_rows` has seen that it is no more
        self._take(part.text, space)
        for child in part:
            name = _name(child)
            step = _step(child, steps) if name else ""
            if not name:
                self._special(child, space)
            elif name in _ROWS:
                self._row(child, grid, header=header)
            elif name in _PARTS:
                self._rows(child, self._below(child, part, place, step), grid, header=name == "thead")
            else:
                self._element(child, self._below(child, part, place, step))
            self._take(child.tail, space)

    def _row(self, row: etree._Element, grid: Grid, *, header: bool) -> None:
        stray: list[Piece] = []
        cells = [child for child in row if _name(child)]
        grid.begin(header=header or (bool(cells) and all(_name(cell) == "th" for cell in cells)))
        self._take(row.text, stray)
        for child in row:
            if not _name(child):
                self._special(child, stray)
            else:
                down = max(_number(child.get("rowspan"), 1), _number(child.get("morerows"), 0) + 1)
                grid.add(self._pieces(child), down, min(_number(child.get("colspan"), 1), _WIDEST))
            self._take(child.tail, stray)
        if any(text.strip() for text, _ in stray):
            grid.add(stray, 1, 1)

    def _pieces(self, element: etree._Element) -> list[Piece]:
        """The text of an element in document order, with breaks where markup alone keeps words apart."""
        run: list[Piece] = []
        self._take(element.text, run)
        for child in element:
            if _name(child):
                self._inline(child, run)
            else:
                self._special(child, run)
            self._take(child.tail, run)
        return run

    def _inline(self, child: etree._Element, run: list[Piece]) -> None:
        name, before = _name(child), child.getprevious()
        if name in _APART or (before is not None and not before.tail and not {name, _name(before)} & _TYPOGRAPHY):
            run.append(BREAK)
        run += self._pieces(child)
        if name in _BREAKING:
            run.append(BREAK)

    def _take(self, text: str | None, run: list[Piece]) -> None:
        if text:
            run.append((text, self._offset))
            self._offset += len(text)

    def _special(self, node: Any, run: list[Piece]) -> None:
        """An entity reference is text as it is written; comments and instructions are not text."""
        if node.tag is etree.Entity:
            self.entities[node.text] += 1
            self._take(node.text, run)
        else:
            reason = "comments" if node.tag is etree.Comment else "processing instructions"
            self.dropped[reason] += visible(node.text or "")


def _kind(element: etree._Element, place: _Place) -> tuple[BlockKind, int | None]:
    name, parent = _name(element), element.getparent()
    if place.captioned and (name in _HEADINGS or name == "label"):
        return place.kind or BlockKind.CAPTION, None
    if name in _HEADINGS and place.kind is None and parent is not None and _is_heading(element, parent):
        return BlockKind.HEADING, max(1, place.depth)
    return place.kind or BlockKind.PARAGRAPH, None


def _is_heading(element: etree._Element, parent: etree._Element) -> bool:
    name = _name(element)
    if name == "article-title":
        return _name(parent) == "title-group"
    if name == "unittitle":  # of a finding aid: the title of a component that holds more than its own description
        component = parent.getparent()
        return component is not None and _opens_section(component)
    return True


def _code(element: etree._Element) -> str | None:
    """What a section says that it is by the code of its child, as in HL7 documents: <section><code code="34067-9"/>."""
    if _name(element) not in _CODED:
        return None
    return next((child.get("code") for child in element if _name(child) == "code" and child.get("code")), None)


def _opens_section(element: etree._Element) -> bool:
    names = {_name(child) for child in element}
    if names & {"title", "head"}:
        return True
    if "did" not in names or len(names - {"did", ""}) == 0:
        return False
    described = {_name(part) for child in element if _name(child) == "did" for part in child}
    return "unittitle" in described and "head" not in described


def _name(node: Any) -> str:
    """The local name in small letters; "" for comments, instructions and entity references."""
    return _local(node.tag)


@lru_cache(maxsize=4096)
def _local(tag: object) -> str:
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _step(element: etree._Element, seen: Counter[str]) -> str:
    """The last step of an XPath that needs no namespaces to be told; `seen` counts the siblings before."""
    space, _, local = element.tag.rpartition("}")
    seen[local] += 1
    if space:
        return f"*[local-name()='{local}'][{seen[local]}]"
    seen["}" + local] += 1
    return f"{local}[{seen['}' + local]}]"


def _has_text(element: etree._Element) -> bool:
    """True where text, or an entity reference, stands directly in the element."""
    if element.text and element.text.strip():
        return True
    return any((child.tail and child.tail.strip()) or child.tag is etree.Entity for child in element)


def _has_rows(table: etree._Element) -> bool:
    """True where there are rows, and nothing but elements around them; else the table is read like any other element."""
    parts = [table]
    for part in parts:
        parts += [child for child in part if _name(child) in _PARTS]
    return not any(map(_has_text, parts)) and any(_name(child) in _ROWS for part in parts for child in part)


def _only_inline(element: etree._Element) -> bool:
    names = {_name(child) for child in element} - {""}
    return bool(names) and names <= _INLINE


def _first(parent: etree._Element) -> etree._Element | None:
    return next((child for child in parent if _name(child) not in {"", "label"}), None)


def _with_breaking_parts(root: etree._Element) -> set[etree._Element]:
    """The elements that hold one which breaks a text; each is reached once."""
    found: set[etree._Element] = set()
    for element in root.iter(etree.Element):
        if _name(element) in _BREAKING:
            for above in element.iterancestors():
                if above in found:
                    break
                found.add(above)
    return found


def _number(value: str | None, default: int) -> int:
    return max(1, int(value)) if value and value.isascii() and value.isdigit() and len(value) < 6 else default
