"""A page to segments: sections by headings and by the elements that hold them, and the parts that are left out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pecia.model import Block, BlockKind, Document, LeftOut, Segment, Span
from pecia.segmenting.tiling import tiled
from pecia.strategies.website.page import PARTS, Page, common_element, is_under, line_of, place_of, scope_of, tag_of
from pecia.strategies.website.titles import OTHER, section_type, tells_of_cookies, tells_of_rights
from pecia.text.headings import heading_title

# The longest text of a button and the longest notice of cookies, in characters; the blocks at whose end a copyright stands.
_BUTTON, _NOTICE, _AT_THE_END = 40, 1_000, 6


@dataclass(slots=True)
class Section:
    """A heading with what stands under it, or text that has no heading of its own."""

    title: str
    level: int
    scope: str
    above: Section | None
    kind: str
    blocks: list[tuple[int, Block]] = field(default_factory=list)  # with their number in the document
    parts: list[Section] = field(default_factory=list)
    own_kind: bool = False

    def path(self) -> tuple[str, ...]:
        """The titles above, outermost first."""
        found = []
        above = self.above
        while above is not None:
            if above.title:
                found.append(above.title)
            above = above.above
        return tuple(reversed(found))


def segments(document: Document, page: Page, tokens: Callable[[Span], int], target: int) -> Iterator[Segment]:
    """Segments in the order of the page, which hold every block: sections, small ones with what stands under them, and the parts
    that are not content, left out."""
    root, left_out = _read(document, page)
    made: list[tuple[int, Segment]] = []
    for number, (reason, kind, blocks) in enumerate(left_out):
        span = Span(blocks[0].span.start, blocks[-1].span.end)
        title = kind.replace("_", " ")
        made.append((span.start, Segment(f"x{number}", kind, title, span, left_out_reason=reason)))
    places = sorted(place_of(block.places) for part in _all(root) for _, block in part.blocks)
    for group in _groups(root, tokens, target):
        made += ((segment.span.start, segment) for segment in _segments(group, page, places))
    yield from tiled([segment for _, segment in sorted(made, key=lambda item: item[0])], len(document.text))


def _read(document: Document, page: Page) -> tuple[Section, list[tuple[LeftOut, str, list[Block]]]]:
    root = Section("", 0, "", None, section_type(page.title) or OTHER)
    current, left_out = root, list[tuple[LeftOut, str, list[Block]]]()
    out = -1  # number of the last block that was left out
    last = len(document.blocks) - 1
    notice = ""  # the element that holds a notice of cookies, with its buttons
    for number, block in enumerate(document.blocks):
        place = place_of(block.places)
        kind = page.part_of(place)
        text = block.span.of(document.text) if kind is None and place else ""
        if text and (tells_of_cookies(text) or (notice and len(text) <= _BUTTON and is_under(place, notice))):
            kind = "cookie_notice"
            notice = notice or _notice(document, place.rpartition("/")[0])
        elif text and last - number < _AT_THE_END and block.kind is not BlockKind.CAPTION and tells_of_rights(text):
            kind = "footer"
        if kind:
            if left_out and left_out[-1][1] == kind and out == number - 1:
                left_out[-1][2].append(block)
            else:
                left_out.append((PARTS[kind], kind, [block]))
            out = number
            continue
        current = _next(current, document, block, place)
        current.blocks.append((number, block))
    return root, left_out


def _notice(document: Document, element: str) -> str:
    """The element, where it holds no more than a notice of cookies and its buttons; else ""."""
    held = [block.span for block in document.blocks if is_under(place_of(block.places), element)]
    return element if element and sum(map(len, held)) <= _NOTICE else ""


def _next(current: Section, document: Document, block: Block, place: str) -> Section:
    """The section that a block belongs to; a new one where it is a heading, or stands outside what holds the one before."""
    if block.kind is BlockKind.HEADING:
        level, title = block.level or 1, heading_title(block.span.of(document.text))
        above = current
        while above.above is not None and (above.level >= level or not _holds(above, place)):
            above = above.above
        kind = section_type(title)
        made = Section(title, level, scope_of(place), above, kind or above.kind, own_kind=kind is not None)
        above.parts.append(made)
        return made
    if _holds(current, place):
        return current
    above = current
    while above.above is not None and (not _holds(above, place) or not above.title):
        above = above.above
    made = Section("", above.level + 1, scope_of(place), above, above.kind)
    above.parts.append(made)
    return made


def _holds(section: Section, place: str) -> bool:
    if section.scope:
        return is_under(place, section.scope)
    # Without sections and articles: what a page has beside the box of a heading and its text is no part of that.
    held = {_top(place_of(block.places)) for _, block in section.blocks[:2]} if len(section.blocks) > 1 else set()
    return len(held) != 1 or "" in held or _top(place) in held or not section.title


def _top(place: str) -> str:
    """The child of the body that an element stands in, where it is a box of others."""
    steps = place.split("/", 4)
    return steps[3] if len(steps) > 4 else ""


def _groups(section: Section, tokens: Callable[[Span], int], target: int) -> Iterator[tuple[Section, list[Section]]]:
    """Each section with those under it that go into one segment with it: of the same kind, and together within the target.
    The title of the page and what stands under it stay apart."""
    everything = _all(section)
    is_top = section.above is None or (section.level == 1 and bool(section.parts))
    alike = all(not part.own_kind or part.kind == section.kind for part in everything)
    if not is_top and alike and len(everything) > 1:
        numbered = sorted((item for part in everything for item in part.blocks), key=lambda item: item[0])
        if sum(tokens(block.span) for _, block in numbered) <= target:
            yield section, everything
            return
    yield section, [section]
    for part in section.parts:
        yield from _groups(part, tokens, target)


def _all(section: Section) -> list[Section]:
    found = [section]
    for item in found:
        found += item.parts
    return found


def _segments(group: tuple[Section, list[Section]], page: Page, everything: Sequence[str]) -> Iterator[Segment]:
    """A segment for each run of blocks that nothing left out stands between; all bear the element that holds them all."""
    section, held = group
    numbered = sorted((item for part in held for item in part.blocks), key=lambda item: item[0])
    if not numbered:
        return
    places = [place_of(block.places) for _, block in numbered]
    xpath = common_element(places) if all(places) else ""
    # "0" is the character behind "/": so many places are the element, or stand in it.
    inside = bisect_right(everything, xpath) - bisect_left(everything, xpath)
    inside += bisect_left(everything, f"{xpath}0") - bisect_left(everything, f"{xpath}/")
    attributes = _attributes(section, page, xpath, [block for _, block in numbered], shared=inside > len(places))
    for run in _runs(numbered):
        span = Span(run[0].span.start, run[-1].span.end)
        own = section.title if run[0] is numbered[0][1] else ""
        yield Segment(f"s{span.start}", attributes["section_type"], section.title, span, section.path(),
                      attributes={**attributes, "shown": bool(own)})  # fmt: skip


def _runs(numbered: Sequence[tuple[int, Block]]) -> Iterator[list[Block]]:
    run: list[Block] = []
    for at, (number, block) in enumerate(numbered):
        if run and number != numbered[at - 1][0] + 1:
            yield run
            run = []
        run.append(block)
    yield run


def _attributes(section: Section, page: Page, xpath: str, blocks: Sequence[Block], *, shared: bool) -> dict[str, Any]:
    lines = [line for block in blocks if (line := line_of(block.places)) is not None]
    images = [line for place, line in page.images if xpath and is_under(place, xpath)]
    if shared and lines:  # the element holds other sections too: an image counts by its line
        images = [line for line in images if line is not None and min(lines) <= line <= max(lines)]
    return {
        "xpath": xpath or None,
        "html_tag": tag_of(xpath) if xpath else None,
        "section_type": section.kind,
        "has_images": bool(images),
        "language": page.language_of(xpath),
    }
