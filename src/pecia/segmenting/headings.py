"""The heading tree of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from pecia.model import BlockKind, Document, Span
from pecia.text.headings import heading_title


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands under it. `body` ends where the next heading begins, `span` where the next one of
    the same or a higher level begins; `path` is the titles above, outermost first."""

    number: int
    title: str
    level: int
    path: tuple[str, ...]
    parent: int | None
    body: Span
    span: Span


class HeadingTree:
    """The sections of a document in order; the first holds what stands before any heading and has no title."""

    def __init__(self, document: Document) -> None:
        self.sections = tuple(_sections(document))
        self._text = document.text
        self._starts = [section.body.start for section in self.sections]

    def path_of(self, span: Span) -> tuple[str, ...]:
        """Titles that all of the visible text of `span` stands under, outermost first."""
        if len(self.sections) == 1:
            return ()
        inside = span.trimmed(self._text)
        first = bisect_right(self._starts, inside.start) - 1
        last = bisect_right(self._starts, max(inside.start, inside.end - 1)) - 1
        paths = [(*section.path, section.title) if section.title else section.path for section in self.sections[first : last + 1]]
        return tuple(names[0] for names in takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False)))


def _sections(document: Document) -> Iterator[Section]:
    headings = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    end = len(document.text)
    starts = [block.span.start for block in headings]
    yield Section(0, "", 0, (), None, Span(0, starts[0] if starts else end), Span(0, starts[0] if starts else end))
    open_: list[tuple[int, int, str]] = []  # level, number, title of the sections that hold this one
    ends = _ends([block.level or 1 for block in headings], starts, end)
    for number, block in enumerate(headings, 1):
        level, title = block.level or 1, heading_title(block.span.of(document.text))
        while open_ and open_[-1][0] >= level:
            open_.pop()
        body_end = starts[number] if number < len(starts) else end
        yield Section(
            number,
            title,
            level,
            tuple(name for _, _, name in open_ if name),
            open_[-1][1] if open_ else None,
            Span(block.span.start, body_end),
            Span(block.span.start, ends[number - 1]),
        )
        open_.append((level, number, title))


def _ends(levels: list[int], starts: list[int], end: int) -> list[int]:
    """Where each section ends: at the next heading that is not below it."""
    ends = [end] * len(levels)
    waiting: list[int] = []
    for at, level in enumerate(levels):
        while waiting and levels[waiting[-1]] >= level:
            ends[waiting.pop()] = starts[at]
        waiting.append(at)
    return ends
