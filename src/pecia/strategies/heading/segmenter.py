"""Sections to segments: the heading tree, with small neighbours joined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pecia.model import Segment, Span
from pecia.segmenting.headings import Section, common_path


def sections_to_segments(sections: Sequence[Section], tokens: Callable[[Span], int], target: int) -> Iterator[Segment]:
    """The leaves that are packed, in order: each section's own text, or a run of neighbours that together stay within
    `target` tokens and never climb above the level at which the run began.

    A joined segment takes the id of its first and last section and the headings that they share.
    """
    group: list[Section] = []
    size = 0
    parents = {section.parent for section in sections}
    for section in sections:
        own = tokens(section.body)
        # A section with parts of its own belongs to them, not to what stands before it.
        heads = section.number in parents and bool(group) and section.parent != group[-1].number
        if group and (size + own > target or section.level < group[0].level or heads):
            yield _segment(group)
            group, size = [], 0
        group.append(section)
        size += own
    if group:
        yield _segment(group)


def _segment(group: Sequence[Section]) -> Segment:
    first, last = group[0], group[-1]
    span = Span(first.body.start, last.body.end)
    if len(group) == 1:
        return Segment(f"s{first.number}", "section" if first.title else "preamble", first.title, span, first.path)
    title = f"{first.title or group[1].title} … {last.title}"
    return Segment(f"s{first.number}-{last.number}", "sections", title, span, common_path(section.path for section in group))
