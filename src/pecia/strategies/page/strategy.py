"""Strategy `page`: physical pages, sentence-aware inside. No chunk crosses a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.limits import TEXT, HashesOptions, SizeOptions
from pecia.chunking.packer import Piece, Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.errors import OptionError
from pecia.model import Attribute, Chunk, Document, Page, PageBox, Segment, Span
from pecia.protocols import Detection, Rule
from pecia.segmenting.headings import HeadingTree

ATTRIBUTES = (
    Attribute("page_number", "int", "physical page, counted from 1 as viewers do; null where a format has no pages"),
    Attribute("page_start_char", "int", "where the chunk begins in the text of its page"),
    Attribute("page_end_char", "int", "where it ends there, exclusive"),
    Attribute("page_screenshot", "str", "file name of the picture of the page, where parsing was asked to make one"),
    Attribute("page_images", "object[]", "boxes of the pictures on the page"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SizeOptions):
    """separator: a string between words; a chunk may end before it where no sentence ends.
    paragraph_separator: a string after which a chunk may end as after a paragraph."""

    max_tokens: int = 512
    target_tokens: int = 512
    overlap_tokens: int = 64
    separator: str = field(default=" ", metadata=TEXT)
    paragraph_separator: str = field(default="\n\n", metadata=TEXT)

    def __post_init__(self) -> None:
        # Not super(): a dataclass with slots is a new class, which the closure of super() does not know.
        SizeOptions.__post_init__(self)
        for name in ("separator", "paragraph_separator"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name):
                raise OptionError(f"{name} is {getattr(self, name)!r}; a string of at least one character is needed")


@dataclass(frozen=True, slots=True)
class PageStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "page"
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    rules: tuple[Rule, ...] = ()

    def detect(self, document: Document) -> Detection:
        filled = sum(bool(page.span.trimmed(document.text)) for page in document.pages)
        if not filled:
            return Detection(0.0, "the format has no pages")
        return Detection(0.4, f"{filled} of {len(document.pages)} pages hold text")

    def segment(self, document: Document) -> Iterator[Segment]:
        """One segment a page that holds text; the whole text where a format has no pages."""
        if not document.pages:
            yield Segment("document", "document", document.source.name, Span(0, len(document.text)))
        for page in document.pages:
            if page.span.trimmed(document.text):
                yield Segment(f"page-{page.number}", "page", f"Page {page.label or page.number}", page.span)

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        options = self.options
        boundaries = DocumentBoundaries(document, separator=options.separator, paragraph_separator=options.paragraph_separator)
        packer = packer_for(document, options, boundaries)
        record, tree = Recorder(document, self.name, options), HeadingTree(document)
        for segment in segments:
            pages = document.pages_of(segment.span)
            page = pages[0] if pages else None
            yield from record(
                segment,
                packer(Stretch(segment.span)),
                headings=lambda piece: tree.path_of(piece.span),
                attributes=lambda piece, page=page: _attributes(piece, page),  # type: ignore[misc]
            )


def _attributes(piece: Piece, page: Page | None) -> Mapping[str, Any]:
    if page is None:
        return {attribute.name: None for attribute in ATTRIBUTES}
    return {
        "page_number": page.number,
        "page_start_char": piece.span.start - page.span.start,
        "page_end_char": piece.span.end - page.span.start,
        "page_screenshot": page.screenshot,
        "page_images": [PageBox(page.index, box).to_json() for box in page.images],
    }
