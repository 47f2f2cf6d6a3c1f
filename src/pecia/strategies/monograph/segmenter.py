"""Anatomy to segments: monographs, their sections, the tables and formulas among them, and what is delegated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from pecia.model import Segment, Span
from pecia.segmenting.headings import HeadingTree
from pecia.strategies.monograph.anatomy import Anatomy, Entry, Part
from pecia.strategies.monograph.held import Held, held_in
from pecia.strategies.monograph.views import Later, MonographView

DELEGATE = "heading"


def section_id(entry: Entry, part: Part) -> str:
    """`{drug_id}__{section_key}`; a section that a monograph has again gets its number behind a dot."""
    again = f".{part.number}" if part.number else ""
    return f"{entry.drug_id}__{part.key}{again}"


def held_id(item: Held) -> str:
    return f"{item.entry.drug_id}__{item.owner.key}__block__{item.id}"


def segments_of(anatomy: Anatomy) -> Iterator[Segment]:
    """Everything in the order of the document; a monograph stands before its sections, a section before its tables."""
    held = held_in(anatomy)
    ranked: list[tuple[int, int, int, Segment]] = []
    for entry in anatomy.entries:
        own = tuple(item for item in held if item.entry is entry)
        view = MonographView(anatomy, entry, own)
        ranked.append((entry.span.start, 0, 0, _monograph(entry, view)))
        ranked += [(part.span.start, 1, at, _section(entry, part, view)) for at, part in enumerate(entry.parts)]
    for item in held:
        ranked.append((item.span.start, 2, 0, _block(item)))
    ranked += [(segment.span.start, 0, 0, segment) for segment in _outside(anatomy)]
    yield from (segment for *_, segment in sorted(ranked, key=lambda item: item[:3]))


def _monograph(entry: Entry, view: MonographView) -> Segment:
    return Segment(entry.drug_id, "monograph", entry.name, entry.span, (), attributes=Later(view.monograph))


def _section(entry: Entry, part: Part, view: MonographView) -> Segment:
    return Segment(
        section_id(entry, part),
        part.key,
        part.title,
        part.span,
        (entry.name,),
        entry.drug_id,
        attributes=Later(partial(view.section, part)),
    )


def _block(item: Held) -> Segment:
    inside = item.owner.span.contains(item.span)
    title = item.table.caption if item.table else ""
    return Segment(
        held_id(item),
        item.kind,
        title,
        item.span,
        item.owner.path(item.entry),
        section_id(item.entry, item.owner) if inside else None,
        attributes={"drug_id": item.entry.drug_id, "section_key": item.owner.key, "quarantined": item.quarantined},
    )


def _outside(anatomy: Anatomy) -> Iterator[Segment]:
    """The parts between the monographs, one segment for each heading in them."""
    text = anatomy.document.text
    ends = [0, *(bound for entry in anatomy.entries for bound in (entry.span.start, entry.span.end)), len(text)]
    gaps = [Span(start, end) for start, end in list(pairwise(ends))[::2] if end > start]
    gaps = [gap for gap in gaps if gap.trimmed(text)]
    if not gaps:
        return
    number = 0
    for section in HeadingTree(anatomy.document).sections:
        for gap in _touched(gaps, section.body):
            if gap.trimmed(text):
                key = "section" if section.title and gap.start == section.body.start else "preamble"
                title = section.title if key == "section" else ""
                yield Segment(f"outside__{number}", key, title, gap, section.path, delegate=DELEGATE)
                number += 1


def _touched(gaps: Sequence[Span], body: Span) -> Iterator[Span]:
    for gap in gaps:
        if shared := gap.intersect(body):
            yield shared
