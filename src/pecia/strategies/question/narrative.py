"""What stands between pairs: speaking points, policy, contents, annexes, by their own headings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pecia.model import Document, LeftOut, Segment, Span
from pecia.segmenting.headings import HeadingTree, common_path
from pecia.strategies.question.openings import contents
from pecia.strategies.question.units import Unit

# Neighbouring sections are joined up to this many tokens, as the strategy for headings does.
TARGET = 650


def narrative(
    document: Document, units: Sequence[Unit], tree: HeadingTree, tokens: Callable[[Span], int], target: int
) -> Iterator[Segment]:
    """Segments over a run of lines, for the strategy that cuts by headings, or by windows where there are none: a section
    each, small neighbours joined, a heading never apart from what it is over. A table of contents is left out: it names
    what stands elsewhere, and would be found in its place."""
    at = 0
    for first, after in contents(units):
        yield from _stretch(document, units[at:first], tree, tokens, target)
        listed = Span(units[first].span.start, units[after - 1].span.end)
        yield Segment(f"n{listed.start}", "contents", units[first].text, listed, left_out_reason=LeftOut.CONTENTS)
        at = after
    yield from _stretch(document, units[at:], tree, tokens, target)


def _stretch(
    document: Document, units: Sequence[Unit], tree: HeadingTree, tokens: Callable[[Span], int], target: int
) -> Iterator[Segment]:
    delegate = "heading" if len(tree.sections) > 1 else "token"
    group: list[Span] = []
    size = 0
    bare = False  # the group ends on a heading with nothing under it yet
    for span, has_body in _sections(units):
        own = tokens(span)
        if group and not bare and has_body and size + own > target:
            yield _segment(document, group, tree, delegate)
            group, size = [], 0
        group.append(span)
        size, bare = size + own, not has_body
    if group:
        yield _segment(document, group, tree, delegate)


def _sections(units: Sequence[Unit]) -> Iterator[tuple[Span, bool]]:
    """(span, whether anything but the heading stands in it) of each heading with what follows it."""
    if not units:
        return
    starts = [at for at, unit in enumerate(units) if unit.is_heading or not at]
    for first, after in zip(starts, [*starts[1:], len(units)], strict=True):
        own = units[first:after]
        yield Span(own[0].span.start, own[-1].span.end), not own[0].is_heading or len(own) > 1


def _segment(document: Document, group: Sequence[Span], tree: HeadingTree, delegate: str) -> Segment:
    span = Span(group[0].start, group[-1].end)
    paths = [tree.path_of(Span(part.start, part.start + 1)) for part in group]
    path = common_path(paths)
    own = len(group) == 1 and bool(path)
    title = path[-1] if path else document.source.name
    return Segment(f"n{span.start}", "section" if own else "sections", title, span, path[:-1] if own else path, delegate=delegate)
