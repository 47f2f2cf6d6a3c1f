"""Strategy `heading`: the heading tree; every chunk carries the path of titles above it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.limits import HashesOptions, SizeOptions
from pecia.chunking.packer import Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.model import Attribute, BlockKind, Chunk, Document, Segment, Span
from pecia.protocols import Detection, Rule
from pecia.segmenting.headings import HeadingTree
from pecia.strategies.heading.segmenter import sections_to_segments
from pecia.text.tokens import index_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SizeOptions):
    """Neighbouring sections are joined while they stay within target_tokens."""

    max_tokens: int = 800
    target_tokens: int = 650
    overlap_tokens: int = 65


@dataclass(frozen=True, slots=True)
class HeadingStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "heading"
    attributes: tuple[Attribute, ...] = ()
    rules: tuple[Rule, ...] = ()

    def detect(self, document: Document) -> Detection:
        count = sum(block.kind is BlockKind.HEADING for block in document.blocks)
        if count < 2:
            return Detection(0.0, f"{count or 'no'} heading{'s' * (count != 1)}")
        # A heading for each 40 blocks or more is a document that its headings divide.
        dense = count * 40 >= len(document.blocks)
        return Detection(0.6 if dense else 0.3, f"{count} headings over {len(document.blocks)} blocks")

    def segment(self, document: Document) -> Iterator[Segment]:
        """The sections, small neighbours joined; what stands before the first heading is the preamble."""
        index, target = index_of(self.options.tokenizer, document.text), self.options.target_tokens

        def size(span: Span) -> int:
            """The exact count up to the target; of a longer section, only that it is longer."""
            over = index.furthest(span.start, span.end, target) < span.end
            return target + 1 if over else index.count(span.start, span.end)

        sections = [section for section in HeadingTree(document).sections if section.body.trimmed(document.text)]
        yield from sections_to_segments(sections, size, target)

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        packer = packer_for(document, self.options, DocumentBoundaries(document))
        record, tree = Recorder(document, self.name, self.options), HeadingTree(document)

        for segment in segments:
            own = (segment.title,) if segment.key == "section" else ()
            pieces = packer(Stretch(segment.span, segment.headings, own))
            yield from record(segment, pieces, headings=lambda piece: tree.path_of(piece.span))
