"""Strategy `registry`: one row of a table, one chunk, its text `slot: value` lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from pecia.checking.heritage import RULES
from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.limits import PAIRS, TEXT, HashesOptions, SizeOptions
from pecia.chunking.lines import LinePacker
from pecia.chunking.packer import Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.heritage.attributes import line_numbers, lines_of
from pecia.model import Attribute, Chunk, ChunkKind, Document, LeftOut, Segment, Span
from pecia.protocols import Detection, Rule
from pecia.strategies.registry.mapping import Pairs, read_pairs
from pecia.strategies.registry.register import Register, is_register
from pecia.strategies.registry.row import ATTRIBUTES, RowReader
from pecia.text.tokens import tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SizeOptions):
    """A row is one chunk up to max_tokens; a longer one is cut between its cells.

    mapping: from columns to slots, as the path of a .toml file or as `Column=slot;Column=slot`; without it a mapping in the
    box is used where it fits. registry_type: what kind of register it is. extraction_date: when the data was taken, where rows
    do not say.
    """

    max_tokens: int = 800
    target_tokens: int = 800
    overlap_tokens: int = 0
    mapping: str | Pairs = field(default="", metadata=PAIRS)
    registry_type: str = field(default="", metadata=TEXT)
    extraction_date: str = field(default="", metadata=TEXT)

    def __post_init__(self) -> None:
        SizeOptions.__post_init__(self)
        object.__setattr__(self, "mapping", read_pairs(self.mapping))


@dataclass(frozen=True, slots=True)
class RegistryStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "registry"
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    rules: tuple[Rule, ...] = RULES
    streams: ClassVar[bool] = True  # a row is cut by itself

    def detect(self, document: Document) -> Detection:
        if not is_register(document):
            return Detection(0.0, "no rows of a table file")
        return Detection(0.95, f"a table file of {len(document.blocks):,} rows, the header among them")

    def segment(self, document: Document) -> Iterator[Segment]:
        """One segment a row of data. The header, what stands above it, sums and sources under the table and rows of empty cells
        are left out; a document that is no table file is all for `heading`."""
        if not is_register(document):
            yield Segment("document", "document", document.source.name, Span(0, len(document.text)), delegate="heading")
            return
        register = self._register(document)
        first, name = register.dialect.first, register.columns.slots.get("preferred_label", 0)
        last, header = register.summary(), register.dialect.header
        for number in range(len(register.starts)):
            span = register.span(number)
            if number < first:
                key = "header" if 0 <= header <= number else "preamble"
                yield Segment(f"{key}-{number}", key, key.capitalize(), span, left_out_reason=LeftOut.HEADER)
                continue
            if number >= last:
                yield Segment(f"summary-{number}", "summary", "Summary", span, left_out_reason=LeftOut.HEADER)
                continue
            values = register.values(number)
            if not any(map(str.strip, values)):
                yield Segment(f"row-{number - first}", "row", "", span, left_out_reason=LeftOut.MARKUP)
                continue
            title = " ".join(values[name].split()) if name < len(values) else ""
            yield Segment(f"row-{number - first}", "row", title, span)

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        """One chunk a row, of kind `record`. What another strategy should cut is packed as it is where it is given."""
        record = Recorder(document, self.name, self.options)
        packer = cache(lambda: packer_for(document, self.options, DocumentBoundaries(document)))
        count, ceiling = tokenizer(self.options.tokenizer).count, self.options.max_tokens
        lines = LinePacker(packer, count, ceiling)
        row: RowReader | None = None
        for segment in segments:
            if segment.key != "row":
                yield from record(segment, packer()(Stretch(segment.span)))
                continue
            row = row or self._row_reader(document)
            number = row.register.at(segment.span.start)
            values = row.register.values(number)
            shape = row.shape(values)
            text = "\n".join([label + values[column] for label, column in shape.labelled])
            tokens = count(text)
            made = row.attributes(values, number, shape)
            headings = (segment.title,) if segment.title else ()
            if tokens <= ceiling:
                place = document.locate(segment.span)
                made |= line_numbers(place)
                yield record.whole(segment, place, text, tokens, ChunkKind.RECORD, headings, made)
                continue
            held = row.register.lines(number, values, shape.filled)
            name = next((line for line in held if line.label == "preferred_label"), None)
            yield from record(
                segment,
                lines(segment.span, held, name),
                kind=ChunkKind.RECORD,
                headings=lambda piece, headings=headings: headings,  # type: ignore[misc]
                attributes=lambda piece, made=made: made | lines_of(document, piece.span),  # type: ignore[misc]
            )

    def _register(self, document: Document) -> Register:
        assert not isinstance(self.options.mapping, str)  # the options have read it
        return Register(document, self.options.mapping)

    def _row_reader(self, document: Document) -> RowReader:
        options = self.options
        stated = {"extraction_date": options.extraction_date or None, "registry_type": options.registry_type or None}
        return RowReader(self._register(document), document.source.name, stated)
