"""Strategy `monograph`: a formulary or a label, drug by drug and section by section; no dose without its label."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pecia.chunking.limits import SizeOptions, one_of, options_hash
from pecia.errors import OptionError
from pecia.model import Attribute, Chunk, Document, Segment, Span
from pecia.protocols import Detection, Holdings, Rule, Understanding
from pecia.strategies.monograph.anatomy import Anatomy
from pecia.strategies.monograph.asking import understand
from pecia.strategies.monograph.book_rules import unknown_headings
from pecia.strategies.monograph.cutting import Cutter
from pecia.strategies.monograph.lines import Line, lines_of
from pecia.strategies.monograph.loading import SHIPPED, load
from pecia.strategies.monograph.rules import rules_for
from pecia.strategies.monograph.segmenter import segments_of
from pecia.strategies.monograph.vocabulary import Vocabulary

AUTO = "auto"
ATTRIBUTES = (
    Attribute("drug_id", "str", "slug of the monograph's title, unique in the document", "always"),
    Attribute("drug_name", "str", "title of the monograph as printed", "always"),
    Attribute("section_key", "str", "key of the section in the vocabulary; preamble before the first heading", "always"),
    Attribute("section_display_name", "str", "heading of the section as printed; null where it has none"),
    Attribute("heading_physical_page", "int", "physical page of that heading, counted from 0", "on pages"),
    Attribute("atc_codes", "str[]", "ATC codes of the drug, without dots and spaces"),
    Attribute("atc_stated_absent", "bool", "the monograph says that the drug has no ATC code"),
    Attribute("other_names", "str[]", "names of the drug that the section lists: international, trade, of its sub-compounds"),
    Attribute("sub_compound", "str", "in a class monograph, the substance that governs all of the chunk"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SizeOptions):
    """`vocabulary` is a name of the box, the path of a TOML file, or `auto`: the one of the box that fits the document best."""

    max_tokens: int = 800
    target_tokens: int = 650
    overlap_tokens: int = 65
    vocabulary: str = field(default=AUTO, metadata=one_of(AUTO, *SHIPPED))

    def __post_init__(self) -> None:
        SizeOptions.__post_init__(self)
        if type(self.vocabulary) is not str:
            raise OptionError(f"vocabulary is {self.vocabulary!r}; a name or a path is needed")
        if self.vocabulary != AUTO:
            load(self.vocabulary)


@dataclass(frozen=True)
class MonographStrategy:
    options: Options = field(default_factory=Options)
    name: str = "monograph"
    attributes: tuple[Attribute, ...] = ATTRIBUTES

    @cached_property
    def vocabularies(self) -> tuple[Vocabulary, ...]:
        """The vocabularies that a document may be in."""
        return tuple(map(load, SHIPPED if self.options.vocabulary == AUTO else (self.options.vocabulary,)))

    @property
    def rules(self) -> tuple[Rule, ...]:
        return rules_for(self._anatomy)

    @property
    def options_hash(self) -> str:
        """Of the options and of what the vocabularies say, since a file may change under its name."""
        digests = "".join(vocabulary.digest for vocabulary in self.vocabularies)
        return hashlib.sha256(f"{options_hash(self.name, self.options)}{digests}".encode()).hexdigest()[:16]

    def detect(self, document: Document) -> Detection:
        anatomy = self._anatomy(document)
        keys = {part.key for entry in anatomy.entries for part in entry.parts if part.heading}
        count = len(anatomy.entries)
        if not count or len(keys) < 4:
            return Detection(0.0, "no monograph of a known vocabulary")
        plural = "s" if count > 1 else ""
        return Detection(0.9, f"{count} monograph{plural} with {len(keys)} sections of the vocabulary {anatomy.vocabulary.name}")

    def understand(self, query: str, held: Holdings) -> Understanding:
        """The sections and drugs that a question names, by the vocabularies' words and the names that are held."""
        keys = held.values("section_key")
        return understand(query, held, self.vocabularies, keys) if keys else Understanding()

    def unknown_headings(self, document: Document) -> Iterator[tuple[str, Span]]:
        """Headings inside monographs that are no section, subheading or label of the vocabulary, with the key of the section that
        they stay in."""
        for _, part, line in unknown_headings(self._anatomy(document)):
            yield part.key, Span(line.start, line.end)

    def _anatomy(self, document: Document) -> Anatomy:
        """By the vocabulary of whose headings the document has most, by more sections where two have as many. A document
        without a heading of any is not read further: most documents are no formulary."""
        lines = lines_of(document)
        if len(self.vocabularies) == 1:
            return Anatomy(document, self.vocabularies[0], lines)
        words = set(map(_heading_words, lines))
        codes = {coded.code for block in document.blocks for coded in block.within}
        counts = [
            sum(map(vocabulary.resembles, words)) + len(codes & vocabulary.codes.keys()) for vocabulary in self.vocabularies
        ]
        best = max(counts)
        if best == 0:
            return Anatomy(document, self.vocabularies[0], ())
        likely = [vocabulary for vocabulary, count in zip(self.vocabularies, counts, strict=True) if count == best]
        found = [Anatomy(document, vocabulary, lines) for vocabulary in likely]
        return max(found, key=lambda anatomy: sum(len(entry.parts) for entry in anatomy.entries))

    def segment(self, document: Document) -> Iterator[Segment]:
        """Monographs, their sections and tables; what is no monograph is delegated to `heading`."""
        yield from segments_of(self._anatomy(document))

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        yield from Cutter(self._anatomy(document), self.name, self.options)(segments)


def _heading_words(line: Line) -> str:
    """What may be a heading in a line: its words up to a colon, without a number before them."""
    return line.words[:80].partition(":")[0].lstrip("0123456789. ").strip()
