"""Tables and formulas: what stands among the prose of a section and is no prose, and which section and sentence it belongs to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pecia.model import Block, BlockKind, Document, Locator, PageBox, Span, Table
from pecia.strategies.monograph.anatomy import Anatomy, Entry, Part
from pecia.strategies.monograph.lines import LONGEST
from pecia.strategies.monograph.vocabulary import Vocabulary, fold


@dataclass(frozen=True, slots=True)
class Held:
    """A table with its caption, or a formula, and the labels right before it. `owner` is the part of a monograph that it belongs
    to; `mention` is where a sentence of that part refers to it, None where none does."""

    id: str
    kind: str
    span: Span
    caption: Span | None
    locators: tuple[Locator, ...]
    quarantined: bool
    entry: Entry
    owner: Part
    mention: int | None
    table: Table | None = None

    def attachments(self, document: Document) -> Iterator[dict[str, object]]:
        """One entry for each region; one without a region where the format has no pages."""
        regions: list[PageBox | None] = [place for place in self.locators if isinstance(place, PageBox)]
        for region in regions or [None]:
            yield {
                "block_id": self.id,
                "kind": self.kind,
                "physical_page": region.page if region else None,
                "bbox": region.bbox.to_list() if region else None,
                "printed_page": document.pages[region.page].label if region else None,
                "quarantined": self.quarantined,
            }


@dataclass(frozen=True, slots=True)
class _Loose:
    """A table or formula that is not yet given to a section."""

    id: str
    kind: str
    span: Span
    caption: Span | None
    locators: tuple[Locator, ...]
    table: Table | None = None

    @property
    def quarantined(self) -> bool:
        return self.table is not None and self.table.quarantined


def held_in(anatomy: Anatomy) -> tuple[Held, ...]:
    """The tables and formulas of all monographs, in the order of the text; those outside of them are not among them."""
    loose = sorted([*_tables(anatomy.document, anatomy.vocabulary), *_formulas(anatomy.document)], key=lambda item: item.span)
    mentions = _mentions(anatomy, loose)
    found = []
    for at, item in enumerate(loose):
        entry = anatomy.entry_at(item.span.start)
        if entry is None:
            continue
        place, part = _owner(anatomy, entry, item, loose[:at], mentions)
        if part is None:
            continue
        owner = (anatomy.entry_at(place) if place is not None else None) or entry
        span = _with_labels(anatomy, entry, item.span) if item.table else item.span
        found.append(
            Held(item.id, item.kind, span, item.caption, item.locators, item.quarantined, owner, part, place, item.table)
        )
    return tuple(found)


def _with_labels(anatomy: Anatomy, entry: Entry, span: Span) -> Span:
    """The span of a table and the labels right before it, which the prose must not end on: it floated between a label and its
    text. A clause that no pattern knows leads into the table."""
    part, text = entry.part_at(span.start), anatomy.document.text
    if part is None or not text[span.end : part.span.end].strip():
        return span
    governors = anatomy.governors(entry, part)
    while (label := governors.ends_at(span.start, text)) and label.known:
        span = Span(label.start, span.end)
    return span


def _tables(document: Document, vocabulary: Vocabulary) -> Iterator[_Loose]:
    starts = [block.span.start for block in document.blocks]
    for table in document.tables:
        at = bisect_left(starts, table.span.start)
        caption = None
        after_at = bisect_left(starts, table.span.end)
        after = document.blocks[after_at] if after_at < len(document.blocks) else None
        if caption_before := _caption_before(document, at, table, vocabulary):
            caption = caption_before
        elif after is not None and after.kind is BlockKind.CAPTION and _same(after.span.of(document.text), table.caption):
            caption = after.span
        whole = table.span
        if caption:
            whole = Span(min(caption.start, whole.start), max(caption.end, whole.end))
        for block in document.blocks[after_at : after_at + _STRAYED]:
            if not table.quarantined or block.kind is not BlockKind.PARAGRAPH or not _shed(block, table):
                break
            whole = Span(whole.start, block.span.end)
        yield _Loose(table.id, "table", whole, caption, table.locators, table)


def _caption_before(document: Document, at: int, table: Table, vocabulary: Vocabulary) -> Span | None:
    """The caption before a table: a caption block, or a short paragraph that begins with the number of a table. A table that was
    not read whole may have lost a few characters in between."""
    for number in range(at - 1, max(-1, at - 1 - _STRAYED), -1):
        block = document.blocks[number]
        if block.kind is BlockKind.CAPTION:
            return block.span
        if number == at - 1 and block.kind is BlockKind.PARAGRAPH and len(block.span) <= LONGEST:
            numbered = vocabulary.caption.match(block.span.of(document.text).lstrip("*_# "))
            if numbered and not document.text[block.span.start : block.span.end].rstrip("*_ ").endswith((".", ";", ":")):
                return block.span
        if not table.quarantined or block.kind is not BlockKind.PARAGRAPH or len(block.span) > _STRAY:
            return None
    return None


# Of a quarantined table, so many blocks of so few characters may stand between it and its caption.
_STRAYED, _STRAY = 4, 40


def _shed(block: Block, table: Table) -> bool:
    """Whether a few characters behind a table that was not read whole stand over its box: a cell that it lost."""
    boxes = [place for place in table.locators if isinstance(place, PageBox)]
    return (
        len(block.span) <= _STRAY
        and bool(block.lines)
        and all(
            any(
                box.page == line.page
                and box.bbox.y0 < line.bbox.y1
                and line.bbox.y0 < box.bbox.y1
                and box.bbox.x0 < line.bbox.x1
                and line.bbox.x0 < box.bbox.x1
                for box in boxes
            )
            for line in block.lines
        )
    )


def _same(text: str, caption: str) -> bool:
    return bool(caption) and fold(text) == fold(caption)


def _formulas(document: Document) -> Iterator[_Loose]:
    for block in document.blocks:
        if block.kind is BlockKind.FORMULA:
            yield _Loose(block.id, "formula", block.span, None, document.locate(block.span).locators)


def _number(anatomy: Anatomy, item: _Loose) -> str | None:
    """What a sentence calls a table by: `bang 5`."""
    text = anatomy.document.text
    caption = item.caption.of(text) if item.caption else (item.table.caption if item.table else "")
    match = anatomy.vocabulary.caption.match(caption.strip().lstrip("*_# "))
    return fold(match[0]) if match else None


def _mentions(anatomy: Anatomy, loose: Sequence[_Loose]) -> dict[str, list[int]]:
    """Where each number is referred to, captions and tables themselves aside."""
    found: dict[str, list[int]] = {}
    if not loose:
        return found
    starts = [item.span.start for item in loose]
    for match in anatomy.vocabulary.caption.finditer(anatomy.document.text):
        at = bisect_left(starts, match.start() + 1) - 1
        if at < 0 or match.start() >= loose[at].span.end:
            found.setdefault(fold(match[0]), []).append(match.start())
    return found


def _owner(
    anatomy: Anatomy, entry: Entry, item: _Loose, before: Sequence[_Loose], mentions: dict[str, list[int]]
) -> tuple[int | None, Part | None]:
    """The mention and the part that a table belongs to: the last mention before it in its monograph, else the first one after it
    there, else the last one in an earlier monograph that no table of the same number stands between; else where it stands."""
    here = entry.part_at(item.span.start)
    if item.kind == "formula":
        return None, here
    number = _number(anatomy, item)
    places = mentions.get(number, []) if number else []
    inside = [place for place in places if entry.span.start <= place < entry.span.end]
    earlier = [place for place in inside if place < item.span.start]
    taken = max((other.span.start for other in before if _number(anatomy, other) == number), default=0)
    floated = [place for place in places if taken <= place < entry.span.start]
    for place in (*earlier[-1:], *inside[:1], *floated[-1:]):
        owner = anatomy.entry_at(place)
        if owner and (part := owner.part_at(place)):
            return place, part
    return None, here
