"""What a monograph is to a reader: views over the document and its segments, as values and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pecia.model import Document, Location, PageBox, Segment, Span

if TYPE_CHECKING:
    from pecia.strategies.monograph.anatomy import Anatomy, Entry, Part
    from pecia.strategies.monograph.held import Held


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table of a monograph; `shape` is rows and columns, `section_key` the section that it belongs to."""

    table_id: str
    shape: tuple[int, int]
    page: int | None
    bbox: tuple[float, ...] | None
    section_key: str
    quarantined: bool


@dataclass(frozen=True, slots=True)
class SectionPart:
    """Prose between tables, or a table or formula. `source_span_ids` are the blocks that it is made of; `page` is physical,
    counted from 0."""

    kind: str
    text: str
    start: int
    end: int
    page: int | None
    bbox: tuple[float, ...] | None
    source_span_ids: tuple[str, ...]
    quarantined: bool = False


@dataclass(frozen=True, slots=True)
class SectionSpan:
    """A section with its heading as printed; page and box are those of the heading."""

    key: str
    display_name: str
    heading_page: int | None
    heading_bbox: tuple[float, ...] | None
    parts: tuple[SectionPart, ...]


@dataclass(frozen=True, slots=True)
class Monograph:
    """One drug: its pages, physical from 0 and as printed, its codes, its sections and tables. `preamble` is the text before the
    first heading."""

    drug_id: str
    drug_name: str
    page_range: tuple[int, int] | None
    printed_page_range: tuple[int | str, int | str] | None
    atc_codes: tuple[str, ...]
    atc_printed: tuple[str, ...]
    atc_stated_absent: bool
    sub_compounds: tuple[str, ...]
    preamble: str
    sections: tuple[SectionSpan, ...]
    tables: tuple[TableBlock, ...]


def monographs(segments: Sequence[Segment]) -> Iterator[Monograph]:
    """The monographs that the segments of the strategy describe, in order."""
    for segment in segments:
        if segment.key != "monograph" or segment.delegate:
            continue
        own = [item for item in segments if item.parent == segment.id and "parts" in item.attributes]
        sections = [_section(item.attributes) for item in own]
        given = {name: _tuples(value) for name, value in segment.attributes.items() if name != "tables"}
        tables = tuple(
            TableBlock(**{name: _tuples(value) for name, value in item.items()}) for item in segment.attributes["tables"]
        )
        yield Monograph(**given, sections=tuple(sections), tables=tables)


def _section(attributes: Mapping[str, Any]) -> SectionSpan:
    parts = tuple(SectionPart(**{name: _tuples(value) for name, value in part.items()}) for part in attributes["parts"])
    fields = {name: _tuples(attributes[name]) for name in ("key", "display_name", "heading_page", "heading_bbox")}
    return SectionSpan(**fields, parts=parts)


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Later(Mapping[str, Any]):
    """Attributes that are made when they are first asked for: chunking never asks, and they cost a third of segmenting."""

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self._make = make
        self._made: dict[str, Any] | None = None

    def _read(self) -> dict[str, Any]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, name: str) -> Any:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())


class MonographView:
    """The attributes of the segments of one monograph, as JSON holds them."""

    def __init__(self, anatomy: Anatomy, entry: Entry, held: Sequence[Held]) -> None:
        self._document, self._entry, self._held = anatomy.document, entry, held

    def monograph(self) -> dict[str, Any]:
        entry, place = self._entry, _pages(self._document, self._entry.span)
        preamble = entry.parts[0] if entry.parts and entry.parts[0].heading is None else None
        return {
            "drug_id": entry.drug_id,
            "drug_name": entry.name,
            "page_range": list(place.page_range) if place.page_range else None,
            "printed_page_range": list(place.printed_range) if place.printed_range else None,
            "atc_codes": list(entry.codes.codes),
            "atc_printed": list(entry.codes.printed),
            "atc_stated_absent": entry.codes.stated_absent,
            "sub_compounds": list(entry.compounds) if len(entry.compounds) > 1 else [],
            "preamble": Span(entry.title.end, preamble.span.end).of(self._document.text).strip() if preamble else "",
            "tables": [_listed(asdict(self._table(item))) for item in self._held if item.table],
        }

    def section(self, part: Part) -> dict[str, Any]:
        page, bbox = self._place(_heading_span(self._entry, part))
        return {
            "drug_id": self._entry.drug_id,
            "key": part.key,
            "display_name": part.title,
            "heading_page": page,
            "heading_bbox": list(bbox) if bbox else None,
            "parts": [_listed(asdict(item)) for item in self._parts(part)],
        }

    def _parts(self, part: Part) -> Iterator[SectionPart]:
        """Prose and blocks by turns; then the blocks that stand elsewhere and belong here."""
        at = part.span.start
        inside = [item for item in self._held if part.span.contains(item.span)]
        for item in inside:
            yield from self._prose(Span(at, item.span.start))
            yield self._block(item)
            at = item.span.end
        yield from self._prose(Span(at, part.span.end))
        for item in self._held:
            if item.owner is part and item not in inside:
                yield self._block(item)

    def _prose(self, span: Span) -> Iterator[SectionPart]:
        if kept := span.trimmed(self._document.text):
            page, bbox = self._place(kept)
            ids = tuple(block.id for block in self._document.blocks_of(kept))
            yield SectionPart("prose", kept.of(self._document.text), kept.start, kept.end, page, bbox, ids)

    def _block(self, item: Held) -> SectionPart:
        page, bbox = self._place(item.span)
        ids = tuple(block.id for block in self._document.blocks_of(item.span))
        text = item.span.of(self._document.text)
        return SectionPart(item.kind, text, item.span.start, item.span.end, page, bbox, ids, item.quarantined)

    def _table(self, item: Held) -> TableBlock:
        page, bbox = _first([place for place in item.locators if isinstance(place, PageBox)])
        cells = item.table.cells if item.table else ()
        return TableBlock(item.id, (len(cells), max(map(len, cells), default=0)), page, bbox, item.owner.key, item.quarantined)

    def _place(self, span: Span) -> tuple[int | None, tuple[float, ...] | None]:
        return _first([place for place in self._document.locate(span).locators if isinstance(place, PageBox)])


def _first(boxes: Sequence[PageBox]) -> tuple[int | None, tuple[float, ...] | None]:
    """The first page of some boxes and the box around those on it."""
    if not boxes:
        return None, None
    page = boxes[0].page
    on_it = [box.bbox for box in boxes if box.page == page]
    return page, tuple(type(on_it[0]).around(on_it).to_list())


def _heading_span(entry: Entry, part: Part) -> Span:
    if part.heading is None:
        return entry.title or Span(part.span.start, part.span.start)
    return Span(part.heading.start, part.heading.end)


def _pages(document: Document, span: Span) -> Location:
    return Location(document.pages_of(span), ())


def _listed(fields: dict[str, Any]) -> dict[str, Any]:
    """Tuples of a value as the lists that JSON has."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
