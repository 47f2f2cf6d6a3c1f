"""Strategy `website`: sections of a saved web page, each with its element, its lines and what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.entities import EntityOptions
from pecia.chunking.limits import TEXT, HashesOptions
from pecia.chunking.packer import Piece, Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.heritage.attributes import LINES, MENTIONS, UNIVERSAL, universal
from pecia.heritage.classes import class_of_section
from pecia.heritage.gazetteer import OF_ENTITY, Gazetteer
from pecia.heritage.mentions import Mentions
from pecia.model import Attribute, Chunk, Document, LineRange, Segment, Span
from pecia.protocols import Detection, Link, Rule
from pecia.strategies.website.page import Page, place_of, read_page
from pecia.strategies.website.segmenter import segments
from pecia.text.tokens import index_of

ATTRIBUTES = (
    Attribute("xpath", "str", "the element of the file that holds the section, as lxml.html numbers elements"),
    Attribute("html_tag", "str", "name of that element"),
    Attribute("section_type", "str", "about, contact, collection, visit, news, history or other, by the words of its title"),
    Attribute("has_images", "bool", "there are images in the section"),
    Attribute("source_url", "str", "where the page is from: its canonical link, its saved-from comment, og:url, or the option"),
    *LINES,
    *MENTIONS,
    *UNIVERSAL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(EntityOptions):
    """A section is one chunk up to max_tokens. One within target_tokens takes in what stands under it.

    entities: files of known entities, whose names are looked for. source_url, extraction_date: for pages that do not say where
    and when they were saved.
    """

    max_tokens: int = 800
    target_tokens: int = 300
    overlap_tokens: int = 50
    source_url: str = field(default="", metadata=TEXT)
    extraction_date: str = field(default="", metadata=TEXT)


@dataclass(frozen=True, slots=True)
class WebsiteStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "website"
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    rules: tuple[Rule, ...] = ()

    def detect(self, document: Document) -> Detection:
        if not document.blocks or not place_of(document.blocks[0].places).startswith("/html"):
            return Detection(0.0, "not a web page")
        page = read_page(document, None)
        said = "that says where it was saved from" if page.source_url else "with no address"
        return Detection(0.7, f"a web page {said}, with {len(page.parts)} parts that are not its content")

    def segment(self, document: Document) -> Iterator[Segment]:
        """Sections in the order of the page; navigation, footers, side columns and notices are left out, with the reason."""
        index = index_of(self.options.tokenizer, document.text)

        def tokens(span: Span) -> int:
            return index.count(span.start, span.end)

        yield from segments(document, self._page(document), tokens, self.options.target_tokens)

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        packer = packer_for(document, self.options, DocumentBoundaries(document))
        record = Recorder(document, self.name, self.options)
        page = self._page(document)
        link = self._link(document, page, self.options.known())
        for segment in segments:
            title = (segment.title,) if segment.title else ()
            shown = segment.attributes.get("shown", True)
            stretch = Stretch(segment.span, segment.headings if shown else (*segment.headings, *title), title if shown else ())
            yield from record(
                segment,
                packer(stretch),
                headings=lambda piece, path=(*segment.headings, *title): path,  # type: ignore[misc]
                attributes=lambda piece, of=segment.attributes: link(piece.span, self._attributes(document, piece, of, page)),  # type: ignore[misc]
            )

    def _page(self, document: Document) -> Page:
        return read_page(document, self.options.source_url or None)

    def link(self, document: Document, known: Gazetteer) -> Link:
        """What makes of the attributes of a chunk those that name entities, and that say whose page it is."""
        return self._link(document, self._page(document), known)

    def _link(self, document: Document, page: Page, known: Gazetteer) -> Link:
        mentions = Mentions(known, document.text, page.title)
        subject = mentions.subject(page.title, page.source_url)
        whose = subject.attributes() if subject else dict.fromkeys(OF_ENTITY)
        return lambda span, attributes: mentions.link(span, {**attributes, **whose})

    def _attributes(self, document: Document, piece: Piece, of: Mapping[str, Any], page: Page) -> Mapping[str, Any]:
        lines = [place for place in document.locate(piece.span).locators if isinstance(place, LineRange)]
        primary = class_of_section(of["section_type"])
        return {
            **universal(
                "website",
                source_id=page.source_url or document.source.name,
                primary_class=primary,
                language=of["language"],
                has_collections=primary == "CustodianCollection",
                extraction_date=self.options.extraction_date or None,
            ),
            **{name: of[name] for name in ("xpath", "html_tag", "section_type", "has_images")},
            "source_url": page.source_url,
            "line_start": min((place.line_start for place in lines), default=None),
            "line_end": max((place.line_end for place in lines), default=None),
        }
