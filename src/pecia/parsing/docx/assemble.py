"""Drafts written one after another into the document's text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pecia.model import Block, BlockKind, Paragraph, Span, Table
from pecia.model.alignment import Run
from pecia.parsing.docx.body import Draft

# Of headings that only look so: how much larger than the text (14 points beside 12 are 1.17), how long at most, how many at
# least.
_LARGER, _LONGEST, _FEWEST = 1.15, 160, 2
COMPOSED = "accent that became one character with the letter before it"


@dataclass(slots=True)
class Assembled:
    text: str = ""
    blocks: list[Block] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)


def assemble(drafts: Sequence[Draft], dropped: Counter[str], rendered: Sequence[int] = ()) -> Assembled:
    """Text, blocks, tables and runs; what composing loses is added to `dropped`. Items of a list stand on lines one
    below the other, other blocks are parted by an empty line. `rendered` holds the page of each body element."""
    made = Assembled()
    parts: list[str] = []
    length = 0
    _shown_headings(drafts)
    _number_levels(drafts)
    for at, draft in enumerate(drafts):
        if parts:
            parts.append("\n" if draft.kind is BlockKind.LIST_ITEM is drafts[at - 1].kind else "\n\n")
            length += len(parts[-1])
        text, runs, lost = draft.text.composed()
        dropped[COMPOSED] += lost
        span = Span(length, length + len(text))
        places = tuple(Paragraph(place, rendered[place] if place < len(rendered) else None) for place in draft.places)
        made.blocks.append(Block(f"b{at:05d}", draft.kind, span, draft.level, places=places))
        if draft.grid:
            caption = _caption(drafts, at)
            made.tables.append(Table(f"t{len(made.tables)}", draft.grid.cells, draft.grid.header_rows, caption, span, places))
        made.runs += [(start + length, end + length, first, last) for start, end, first, last in runs]
        parts.append(text)
        length += len(text)
    made.text = "".join(parts)
    return made


def _shown_headings(drafts: Sequence[Draft]) -> None:
    """Where no paragraph is a heading by its style, those are that look like one: short, all bold, and larger than the text."""
    if any(draft.kind is BlockKind.HEADING for draft in drafts):
        return
    sizes = sum((draft.sizes for draft in drafts), Counter[int]())
    body = max(sizes, key=lambda size: (sizes[size], size), default=0)
    found = [draft for draft in drafts if draft.bold and len(draft.sizes) == 1 and _stands_out(draft, body)]
    if len(found) < _FEWEST or sum(len(draft.text.text) for draft in found) * 4 > sizes.total():
        return
    levels = sorted({next(iter(draft.sizes)) for draft in found}, reverse=True)
    for draft in found:
        draft.kind, draft.level = BlockKind.HEADING, min(9, levels.index(next(iter(draft.sizes))) + 1)


def _stands_out(draft: Draft, body: int) -> bool:
    text = draft.text.text.strip()
    larger = min(draft.sizes) >= body * _LARGER
    return larger and len(text) <= _LONGEST and "\n" not in text and not text.endswith((".", ";", ",", ":"))


def _number_levels(drafts: Sequence[Draft]) -> None:
    """Where all headings claim one level but their numbers differ in depth (1, 1.1, 1.1.1), the numbers give the levels."""
    headings = [draft for draft in drafts if draft.kind is BlockKind.HEADING]
    depths = {draft.depth for draft in headings if draft.depth}
    if len({draft.level for draft in headings}) == 1 and len(depths) > 1:
        for draft in headings:
            if draft.depth:
                draft.level = (draft.level or 1) + draft.depth - min(depths)


def _caption(drafts: Sequence[Draft], at: int) -> str:
    """The caption before a table, else the one behind it that does not belong to the table that follows."""
    if at and drafts[at - 1].kind is BlockKind.CAPTION:
        return drafts[at - 1].text.composed()[0]
    after = drafts[at + 1 : at + 3]
    if after and after[0].kind is BlockKind.CAPTION and not (len(after) > 1 and after[1].grid):
        return after[0].text.composed()[0]
    return ""
