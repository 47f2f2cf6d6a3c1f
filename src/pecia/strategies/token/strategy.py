"""Strategy `token`: windows of tokens over the whole text, cut at sentences. The baseline, and the last fallback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.limits import HashesOptions, SizeOptions
from pecia.chunking.packer import Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.model import Attribute, Chunk, Document, Segment, Span
from pecia.protocols import Detection, Rule
from pecia.segmenting.headings import HeadingTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SizeOptions):
    """Sizes only."""

    max_tokens: int = 1000
    target_tokens: int = 700
    overlap_tokens: int = 200


@dataclass(frozen=True, slots=True)
class TokenStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "token"
    attributes: tuple[Attribute, ...] = ()
    rules: tuple[Rule, ...] = ()

    def detect(self, document: Document) -> Detection:
        return Detection(0.1, "any text can be cut into windows")

    def segment(self, document: Document) -> Iterator[Segment]:
        """The whole text as one segment."""
        yield Segment("document", "document", document.source.name, Span(0, len(document.text)))

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        packer = packer_for(document, self.options, DocumentBoundaries(document))
        record, tree = Recorder(document, self.name, self.options), HeadingTree(document)
        for segment in segments:
            pieces = packer(Stretch(segment.span))
            yield from record(segment, pieces, headings=lambda piece: tree.path_of(piece.span))
