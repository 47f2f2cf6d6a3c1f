"""One pass over the tree of a page, in the order of the file: blocks, tables, what is dropped, and what the page says of itself.

It follows what browsers do: the elements of one list begin and end boxes of text, all others stand in a line of one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lxml import etree

from pecia.model import BlockKind, Furniture, LineRange, Locator, XPath, visible
from pecia.parsing.flow import BREAK, LINE_END, Flow, Grid, Piece
from pecia.parsing.html.looks import Looks, Mark
from pecia.parsing.html.vocabulary import (
    APART,
    ATOMIC,
    BLOCKS,
    DROPPED,
    HEADINGS,
    KINDS,
    VERBATIM,
    is_hidden,
    opens_section,
    region_of,
)

# libxml2 gives this line for all that stand after it.
_LAST_LINE = 65_535
# Names that stand in an XPath as they are; another element is told by its number among all.
_PLAIN = re.compile(r"[A-Za-z_][\w.-]*\Z", re.ASCII)
# What programs that save pages say in a comment: browsers, SingleFile, HTTrack.
_SAVED = re.compile(r"\s*(?:saved from url=\(\d+\)\s*|Page saved with SingleFile\s+url:\s*|Mirrored from\s+)(\S+)", re.IGNORECASE)
# Between the paragraphs of a plain text that stands in a page.
_EMPTY_LINES = re.compile(r"((?:\n[ \t\r]*){2,})")
# Of an element of these kinds the first text is of the kind, what follows in it is a paragraph.
_FIRST = {BlockKind.LIST_ITEM, BlockKind.HEADING}
# A heading that is longer and holds boxes of text is one that nothing closes.
_LONGEST_HEADING = 400
# A region that is known by a name only holds less of the page's text than this; what wraps the content holds more.
_MOST = 0.4
_WIDEST = 100  # of `colspan`, as in XML


class Frame:
    """An open element: its place, and what it says of the text in it."""

    __slots__ = (
        "above",
        "atomic",
        "fresh",
        "kind",
        "level",
        "mark",
        "plain",
        "section",
        "seen",
        "step",
        "tags",
        "verbatim",
        "whole",
        "xpath",
    )

    def __init__(self, above: Frame | None, step: str, mark: Mark) -> None:
        self.above, self.step, self.mark = above, step, mark
        self.xpath: str | None = None
        self.tags: Counter[Any] | None = None  # of all children
        self.seen: Counter[str] = Counter()  # children before the one that is walked
        self.kind: BlockKind | None = above.kind if above else None
        self.level: int | None = above.level if above else None
        self.atomic: bool = above.atomic if above else False
        self.verbatim: bool = above.verbatim if above else False
        self.section: bool = above.section if above else False
        self.whole: Frame | None = above.whole if above else None  # the element that the kind is of
        self.plain = False  # a text file that a browser saved as a page
        self.fresh = True  # nothing of a list item has been added

    def path(self) -> str:
        """The XPath as lxml.html tells it: a step has a number where its name has several."""
        waiting: list[Frame] = []
        frame: Frame | None = self
        while frame is not None and frame.xpath is None:
            waiting.append(frame)
            frame = frame.above
        made = frame.xpath if frame and frame.xpath else ""
        for item in reversed(waiting):
            made = item.xpath = f"{made}/{item.step}"
        return made

    def child_step(self, parent: etree._Element, name: str) -> str:
        if self.tags is None:
            self.tags = Counter(child.tag for child in parent)
        self.seen[name] += 1
        self.seen["*"] += 1
        if not _PLAIN.match(name):
            return f"*[{self.seen['*']}]"
        return f"{name}[{self.seen[name]}]" if self.tags[name] > 1 else name


class _Region:
    """A part of the page that is not its content, while it is open."""

    __slots__ = ("certain", "frame", "headings", "kind", "mains", "text", "visible")

    def __init__(self, kind: str, frame: Frame, text: str, *, certain: bool, mains: int, headings: int, seen: int) -> None:
        self.kind, self.frame, self.text, self.certain = kind, frame, text, certain
        self.mains, self.headings, self.visible = mains, headings, seen


class _Table:
    """A table of data while it is open."""

    __slots__ = ("caption", "cell", "element", "frame", "grid", "line", "owner", "spans")

    def __init__(self, element: etree._Element, frame: Frame, line: int) -> None:
        self.element, self.frame, self.line = element, frame, line
        self.grid = Grid()
        self.cell: list[Piece] | None = None
        self.owner: etree._Element | None = None  # of the cell
        self.spans = (1, 1)
        self.caption = ""


class Walk:
    """Runs once over a tree; then `flow`, `dropped` and `furniture` hold what it found."""

    def __init__(self, root: etree._Element, address: str = "") -> None:
        """`address` is where the page was saved from, where something beside it says so."""
        self.flow = Flow()
        self.dropped: Counter[str] = Counter()
        self._root = root
        self._said: list[tuple[str, str, tuple[Locator, ...], int]] = []  # kind, text, places, size
        self._regions: list[tuple[_Region, int]] = []  # with the visible characters in it
        self._open: list[tuple[etree._Element, _Region]] = []
        self._stack: list[Frame] = []
        self._boxes: list[Frame] = []
        self._run: list[Piece] = []
        self._lines: tuple[int, int] | None = None  # of the run
        self._line = 1
        self._offset = self._visible = self._mains = self._headings = 0
        self._table: _Table | None = None
        self._looks = Looks(root)
        if address:
            self._said.append(("saved_from", address, (), 0))

    def run(self) -> None:
        for node in (*self._root.itersiblings(preceding=True), *self._root.itersiblings()):
            self._comment(node)
        events = etree.iterwalk(self._root, events=("start", "end", "comment", "pi"))
        for event, node in events:
            if event == "start":
                if not self._start(node):
                    events.skip_subtree()
            elif event == "end":
                self._end(node)
                self._take(node.tail)
            else:
                self._comment(node)
                self._take(node.tail)

    def furniture(self) -> Iterator[Furniture]:
        """What the page says of itself, its images, and the parts of it that are not its content, in that order."""
        total = max(1, self._visible)
        parts = [
            (region.kind, region.text, (XPath(region.frame.path()),), 0)
            for region, size in self._regions
            if region.certain or size <= _MOST * total
        ]
        for number, (kind, text, places, size) in enumerate((*self._said, *parts)):
            yield Furniture(f"f{number}", kind, text, places, size)

    def _start(self, element: etree._Element) -> bool:
        """Opens an element; False where nothing in it is walked."""
        name = element.tag
        attributes = element.attrib
        above = self._stack[-1] if self._stack else None
        parent = element.getparent()
        frame = Frame(above, above.child_step(parent, name) if above is not None else name, self._looks.mark())
        self._looks.enter(name, attributes)
        self._stack.append(frame)
        if element.sourceline and element.sourceline < _LAST_LINE:
            self._line = max(self._line, element.sourceline)
        if not self._enter(element, name, attributes, frame):
            self._line += sum(text.count("\n") for text in element.itertext())
            return False
        self._take(element.text)
        return True

    def _enter(self, element: etree._Element, name: str, attributes: Any, frame: Frame) -> bool:
        if name in {"title", "meta", "link", "img"}:
            return self._say(element, name, attributes, frame)
        reason = DROPPED.get(name) or ("hidden" if attributes and is_hidden(name, attributes) else None)
        if reason:
            self._drop(element, reason)
            return False
        if attributes:
            if language := attributes.get("lang") or attributes.get("xml:lang"):
                self._said.append(("language", language.strip(), (XPath(frame.path()),), 0))
            self._open_region(element, name, attributes, frame)
        elif name in {"nav", "aside", "footer", "header", "menu", "search"}:
            self._open_region(element, name, attributes, frame)
        if name in {"main", "h1"} or (attributes and attributes.get("role") == "main"):
            self._mains += 1
        if self._table is not None and self._in_table(element, name, attributes):
            return True
        if name == "br":
            self._break()
        elif name in APART:
            self._run.append(BREAK)
        elif name in BLOCKS or (name == "a" and self._is_skip_link(element, frame)):
            self._open_box(element, name, attributes, frame)
        return True

    def _is_skip_link(self, element: etree._Element, frame: Frame) -> bool:
        """True for a link to the content, at the top of a page and in no box."""
        parent = element.getparent()
        at_the_top = parent is not None and parent.tag == "body" and not self._headings and self._looks.is_first(frame.mark)
        return at_the_top and len(element.get("href", "")) > 1 and element.get("href", "").startswith("#")

    def _open_box(self, element: etree._Element, name: str, attributes: Any, frame: Frame) -> None:
        if self._boxes and self._boxes[-1].atomic:
            self._run.append(BREAK)  # inside a heading or a caption
            return
        self._flush()
        self._boxes.append(frame)
        frame.section = frame.section or opens_section(name)
        level = HEADINGS.get(name)
        if level is None and attributes and attributes.get("role") == "heading":
            said = attributes.get("aria-level", "2")
            level = int(said) if said.isascii() and said.isdigit() and len(said) < 3 else 2
        if level is not None:
            self._headings += 1
            frame.kind, frame.level, frame.whole = BlockKind.HEADING, max(1, level), frame
            frame.atomic = frame.atomic or not _is_unclosed(element)
        elif kind := KINDS.get(name):
            frame.kind, frame.level, frame.whole = kind, None, frame
        elif name == "table" and _is_data(element):
            self._table = _Table(element, frame, self._line)
        frame.atomic = frame.atomic or name in ATOMIC
        frame.verbatim = frame.verbatim or name in VERBATIM
        if name == "pre" and element.getparent().tag == "body" and len(element.getparent()) == 1 and not len(element):
            frame.kind, frame.plain = None, True

    def _end(self, element: etree._Element) -> None:
        frame = self._stack.pop()
        name = element.tag
        self._looks.enter(name, element.attrib, -1)
        if self._open and self._open[-1][0] is element:
            _, region = self._open.pop()
            kept = self._mains == region.mains and not (region.kind == "header" and self._headings > region.headings)
            if kept:
                self._regions.append((region, self._visible - region.visible))
                self._headings = region.headings  # those of a menu are none of the page
        if self._table is not None and self._out_of_table(element, name):
            return
        if self._boxes and self._boxes[-1] is frame:
            self._flush()
            self._boxes.pop()
            if not self._open and self._is_menu(name, frame):
                self._add_menu(name, frame)
        elif name in APART or (name in BLOCKS and self._boxes and self._boxes[-1].atomic):
            self._run.append(BREAK)

    def _is_menu(self, name: str, frame: Frame) -> bool:
        """True for a box with nothing but links, before the content or in a cell of a table that lays out the page."""
        first = not self._headings and self._looks.is_first(frame.mark)
        return (first or name == "td") and name not in {"body", "html"} and self._looks.is_menu(frame.mark)

    def _add_menu(self, name: str, frame: Frame) -> None:
        place = f"{frame.path()}/"
        self._regions = [item for item in self._regions if not item[0].frame.path().startswith(place)]
        size = self._visible - frame.mark.visible
        state = {"mains": self._mains, "headings": self._headings, "seen": frame.mark.visible}
        self._regions.append((_Region("navigation", frame, name, certain=False, **state), size))

    def _open_region(self, element: etree._Element, name: str, attributes: Any, frame: Frame) -> None:
        above = self._boxes[-1] if self._boxes else None
        found = region_of(name, attributes, inside_section=above is not None and above.section)
        if found is None or any(region.certain and region.kind != "header" for _, region in self._open):
            return
        text = name + "".join(
            f"{mark}{value}" for mark, key in (("#", "id"), (".", "class")) for value in attributes.get(key, "").split()[:3]
        )
        state = {"mains": self._mains, "headings": self._headings, "seen": self._visible}
        self._open.append((element, _Region(found[0], frame, text[:200], certain=found[1], **state)))

    def _in_table(self, element: etree._Element, name: str, attributes: Any) -> bool:
        """True where the table takes the element; what is not in a cell (a caption) stands before it."""
        table = self._table
        assert table is not None
        if name in {"td", "th"} and table.cell is None:
            table.cell, table.owner = [], element
            table.spans = _number(attributes.get("rowspan")), min(_number(attributes.get("colspan")), _WIDEST)
            if not table.grid.rows:
                table.grid.begin(header=False)
        elif name == "tr":
            parent = element.getparent()
            cells = [child.tag for child in element if child.tag in {"td", "th"}]
            head = (parent is not None and parent.tag == "thead") or (len(cells) > 1 and "td" not in cells)
            table.grid.begin(header=head)
        elif name in {"tbody", "thead", "tfoot"} and table.cell is None:
            return True
        elif table.cell is None:
            return False
        elif name in BLOCKS or name in APART or name == "br":
            table.cell.append(BREAK)
        return True

    def _out_of_table(self, element: etree._Element, name: str) -> bool:
        table = self._table
        assert table is not None
        if element is table.element:
            self._flush()
            self._boxes.pop()
            self._table = None
            places = self._places(table.frame, (table.line, self._line))
            self.flow.add_table(table.grid, table.caption, places)
        elif element is table.owner and table.cell is not None:
            table.grid.add(table.cell, *table.spans)
            table.cell = table.owner = None
        elif table.cell is not None:
            if name in BLOCKS or name in APART:
                table.cell.append(BREAK)
        elif name not in {"tr", "tbody", "thead", "tfoot"}:
            return False
        return True

    def _break(self) -> None:
        """A line break; the second of two ends the paragraph, which goes on in the same element."""
        if self._boxes and self._boxes[-1].atomic:
            self._run.append(BREAK)
            return
        for text, offset in reversed(self._run):
            if text.strip():
                break
            if offset == LINE_END[1] and not (self._boxes and self._boxes[-1].verbatim):
                self._flush()
                return
        self._run.append(LINE_END)

    def _flush(self) -> None:
        """Adds the text since the last border of a box as a block of the innermost box."""
        if not self._run:
            return
        run, lines, self._run, self._lines = self._run, self._lines, [], None
        if lines is None or not self._boxes:
            return
        box = self._boxes[-1]
        kind = box.kind or BlockKind.PARAGRAPH
        looks = self._looks.title_level("".join(text for text, _ in run).strip())
        if looks and kind is BlockKind.PARAGRAPH and not box.plain:
            self._headings += 1
            self.flow.add(run, BlockKind.HEADING, looks, self._places(box, lines), verbatim=box.verbatim)
            return
        if kind in _FIRST and box.whole is not None:
            kind = kind if box.whole.fresh else BlockKind.PARAGRAPH
            box.whole.fresh = False
        level = box.level if kind is BlockKind.HEADING else None
        text = self.flow.add(run, kind, level, self._places(box, lines), verbatim=box.verbatim)
        if kind is BlockKind.CAPTION and self._table is not None:
            self._table.caption = text

    def _places(self, frame: Frame, lines: tuple[int, int]) -> tuple[Locator, ...]:
        place = XPath(frame.path())
        return (place, LineRange(*lines)) if lines[1] < _LAST_LINE else (place,)

    def _take(self, text: str | None) -> None:
        if not text:
            return
        if self._boxes and self._boxes[-1].plain:
            for part in _EMPTY_LINES.split(text):
                if part.isspace():
                    self._flush()
                self._take_part(part)
        else:
            self._take_part(text)

    def _take_part(self, text: str) -> None:
        piece = (text, self._offset)
        self._offset += len(text)
        size = visible(text)
        self._visible += size
        self._looks.add(text, size)
        first = self._line
        self._line += text.count("\n")
        if self._table is not None and self._table.cell is not None:
            self._table.cell.append(piece)
            return
        self._run.append(piece)
        if size:
            first += text.count("\n", 0, len(text) - len(text.lstrip()))
            last = self._line - text.count("\n", len(text.rstrip()))
            self._lines = (self._lines[0] if self._lines else first, last)

    def _say(self, element: etree._Element, name: str, attributes: Any, frame: Frame) -> bool:
        """What the page tells about itself, outside its text."""
        place = XPath(frame.path())
        if name == "title":
            text = "".join(element.itertext())
            inside = any(above.tag == "svg" for above in element.iterancestors())
            if inside or not text.strip():
                self._drop(element, "annotations")
            else:
                self._said.append(("title", " ".join(text.split()), (place,), visible(text)))
            return False
        if name == "img":
            text = " ".join((attributes.get("alt") or attributes.get("src") or "").split())
            self._said.append(("image", text[:500], (place, LineRange(self._line, self._line)), 0))
        elif name == "link" and "canonical" in attributes.get("rel", "").lower().split():
            self._said.append(("canonical", attributes.get("href", "").strip(), (place,), 0))
        elif name == "meta":
            key = (attributes.get("property") or attributes.get("name") or attributes.get("http-equiv") or "").lower()
            if key in {"og:url", "content-language", "og:locale"} and attributes.get("content", "").strip():
                self._said.append((key, attributes["content"].strip(), (place,), 0))
        return True

    def _comment(self, node: Any) -> None:
        text = node.text or ""
        if match := _SAVED.match(text):
            address = match[1] if "://" in match[1] or ":" in match[1][:8] else f"http://{match[1]}"  # HTTrack leaves it out
            self._said.append(("saved_from", address, (LineRange(node.sourceline or 1, node.sourceline or 1),), visible(text)))
        else:
            self.dropped["comments" if node.tag is etree.Comment else "processing instructions"] += visible(text)

    def _drop(self, element: etree._Element, reason: str) -> None:
        """Counts what the element holds, comments in it too, as dropped."""
        self.dropped[reason] += sum(map(visible, element.itertext()))
        for node in element.iter(etree.Comment, etree.ProcessingInstruction):
            self._comment(node)


def _is_unclosed(heading: etree._Element) -> bool:
    """True for a heading that holds what it is the heading of, because its end is missing."""
    size = 0
    boxes = False
    for number, element in enumerate(heading.iter()):
        if element is not heading and isinstance(element.tag, str) and element.tag in BLOCKS:
            boxes = True
        size += len(element.text or "") + len(element.tail or "" if element is not heading else "")
        if number > _LONGEST_HEADING or size > _LONGEST_HEADING:
            return boxes
    return False


def _number(value: str | None) -> int:
    return max(1, int(value)) if value and value.isascii() and value.isdigit() and len(value) < 6 else 1


# A table with one of these lays out a page.
_LAYS_OUT = {"table", "h1", "h2", "h3", "h4", "h5", "h6", "article", "section", "nav", "main", "form", "pre", "blockquote"}
_LONGEST_CELL = 2_000


def _is_data(table: etree._Element) -> bool:
    """True for a table of data: two cells in some row, two rows or a header, and in its cells nothing that lays out a page."""
    if table.get("role") in {"presentation", "none"}:
        return False
    rows = 0
    several = headed = False
    for element in table.iter(etree.Element):
        name = element.tag
        if name == "tr":
            rows += 1
            cells = [child.tag for child in element if child.tag in {"td", "th"}]
            several = several or len(cells) > 1
            headed = headed or "th" in cells
        elif name == "caption":
            headed = True
        elif (name in _LAYS_OUT and element is not table and not (name in HEADINGS and _is_in_header(element))) or (
            element.text and len(element.text) > _LONGEST_CELL
        ):
            return False
    return several and (rows > 1 or headed)


def _is_in_header(element: etree._Element) -> bool:
    return any(above.tag in {"th", "caption"} for above in element.iterancestors("th", "caption", "table"))
