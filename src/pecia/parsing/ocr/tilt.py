"""Boxes of lines that were read on a page turned level, back on the page as it is shown."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace

from pecia.model import Block, Box, Document, Furniture, Line, Locator, Page, PageBox
from pecia.parsing.ocr.adapter import turned_about


def tilted(document: Document, skews: Mapping[int, float]) -> Document:
    """The document with every box on a page of `skews` (degrees by page index) turned back and squared: a line that runs
    askew gets the box around it, which is higher than the line."""
    if not skews:
        return document
    pages = document.pages
    return replace(
        document,
        blocks=tuple(_block(block, pages, skews) for block in document.blocks),
        furniture=tuple(_furniture(item, pages, skews) for item in document.furniture),
        tables=tuple(
            replace(table, locators=tuple(_place(place, pages, skews) for place in table.locators)) for table in document.tables
        ),
    )


def _block(block: Block, pages: tuple[Page, ...], skews: Mapping[int, float]) -> Block:
    if not any(line.page in skews for line in block.lines):
        return block
    lines = tuple(_line(line, pages[line.page], skews[line.page]) if line.page in skews else line for line in block.lines)
    return replace(block, lines=lines, places=tuple(_place(place, pages, skews) for place in block.places))


def _line(line: Line, page: Page, skew: float) -> Line:
    """The edges go with the box: a line that runs level across the page and askew by two degrees is as wide as before."""
    box = _box(line.bbox, page, skew)
    old = max(0.01, line.bbox.x1 - line.bbox.x0)
    factor = (box.x1 - box.x0) / old
    edges = array("f", (box.x0 + (edge - line.bbox.x0) * factor for edge in line.edges))
    return replace(line, bbox=box, edges=edges)


def _furniture(item: Furniture, pages: tuple[Page, ...], skews: Mapping[int, float]) -> Furniture:
    return replace(item, locators=tuple(_place(place, pages, skews) for place in item.locators))


def _place(place: Locator, pages: tuple[Page, ...], skews: Mapping[int, float]) -> Locator:
    if isinstance(place, PageBox) and place.page in skews:
        return PageBox(place.page, _box(place.bbox, pages[place.page], skews[place.page]))
    return place


def _box(box: Box, page: Page, skew: float) -> Box:
    corners = [turned_about(x, y, page.width, page.height, skew) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    xs = [min(max(x, 0.0), page.width) for x, _ in corners]
    ys = [min(max(y, 0.0), page.height) for _, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))
