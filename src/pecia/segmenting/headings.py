"""The heading tree of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from pecia.model import BlockKind, Document, Span
from pecia.text.headings import heading_title


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text up to the next heading, `body`; `path` is the titles above, outermost first."""

    number: int
    title: str
    level: int
    path: tuple[str, ...]
    parent: int | None
    body: Span


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
        return common_path(paths)


def common_path(paths: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The titles that all paths begin with."""
    shared = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in shared)


def _sections(document: Document) -> Iterator[Section]:
    headings = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    ends = [*(block.span.start for block in headings), len(document.text)]
    yield Section(0, "", 0, (), None, Span(0, ends[0]))
    open_: list[tuple[int, int, str]] = []  # level, number, title of the sections that hold this one
    for number, block in enumerate(headings, 1):
        level, title = block.level or 1, heading_title(block.span.of(document.text))
        while open_ and open_[-1][0] >= level:
            open_.pop()
        path = tuple(name for _, _, name in open_ if name)
        yield Section(number, title, level, path, open_[-1][1] if open_ else None, Span(block.span.start, ends[number]))
        open_.append((level, number, title))
