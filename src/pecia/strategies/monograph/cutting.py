"""Sections to chunks, by the one packer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.limits import SizeOptions
from pecia.chunking.packer import Packer, Piece, Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.model import Chunk, ChunkKind, Segment, Span
from pecia.protocols import TokenIndex
from pecia.strategies.monograph.anatomy import Anatomy, Entry, Part, names_in
from pecia.strategies.monograph.boundaries import SectionBoundaries, sentences_to_cut
from pecia.strategies.monograph.held import Held, held_in
from pecia.strategies.monograph.labels import Governors
from pecia.strategies.monograph.segmenter import held_id, section_id
from pecia.text.tokens import index_of

# A maker or a note behind a name.
_IN_BRACKETS = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")


class Cutter:
    """The chunks of one document under one set of options."""

    def __init__(self, anatomy: Anatomy, strategy: str, options: SizeOptions) -> None:
        document = anatomy.document
        self._anatomy, self._options, self._text = anatomy, options, document.text
        self._record = Recorder(document, strategy, options)
        self._plain = DocumentBoundaries(document)
        self._boundaries = SectionBoundaries(document, self._plain, anatomy.vocabulary)
        self._packer: Packer = packer_for(document, options, self._boundaries)
        self._block_packer: Packer = packer_for(document, options, self._plain)
        self._index = index_of(options.tokenizer, document.text)
        self._held = held_in(anatomy)
        self._sections = {section_id(entry, part): (entry, part) for entry in anatomy.entries for part in entry.parts}
        self._blocks = {held_id(item): item for item in self._held}
        self._numbers: Counter[tuple[str, str]] = Counter()

    def __call__(self, segments: Iterable[Segment]) -> Iterator[Chunk]:
        """The chunks of the given segments, in the order of the document; a monograph has none but those of its sections."""
        found: list[Chunk] = []
        for segment in segments:
            if segment.id in self._sections:
                entry, part = self._sections[segment.id]
                found += self._prose(segment, entry, part)
            elif segment.id in self._blocks:
                found += self._block(segment, self._blocks[segment.id])
        yield from sorted(found, key=lambda chunk: chunk.span)

    def _prose(self, segment: Segment, entry: Entry, part: Part) -> Iterator[Chunk]:
        governors = self._anatomy.governors(entry, part)
        stretches = list(self._stretches(part, governors))
        lists, doses = self._sentences(part)
        heading = (
            Span(entry.title.start, part.heading.end) if part.heading and part is entry.parts[0] else self._heading(entry, part)
        )
        self._boundaries.of(governors, heading, lists)
        labels = self._head(entry, part)
        pieces = [piece for span in stretches for piece in self._packer(Stretch(span, labels, whole=tuple(doses)))]
        leaning = self._leaning(part, pieces)
        headings = part.path(entry)
        attributes = self._attributes(entry, part)
        chunks = self._record(
            segment,
            pieces,
            headings=lambda piece: headings,
            attributes=lambda piece: {**attributes, "sub_compound": self._compound(governors, piece.span)},
        )
        key = (entry.drug_id, part.key)
        for chunk, held in zip(chunks, leaning, strict=True):
            number = self._numbers[key]
            self._numbers[key] += 1
            yield self._with(chunk, f"{entry.drug_id}__{part.key}__{number}", held)

    def _heading(self, entry: Entry, part: Part) -> Span:
        if part.heading is None:
            return Span(part.span.start, entry.title.end)
        return Span(part.heading.start, part.heading.end)

    def _head(self, entry: Entry, part: Part) -> tuple[str, ...]:
        """The drug and the section: what every chunk says first."""
        return part.path(entry) if part.title != entry.name else (entry.name,)

    def _attributes(self, entry: Entry, part: Part) -> dict[str, Any]:
        place = part.heading.start if part.heading else entry.title.start
        pages = self._anatomy.document.pages_of(Span(place, min(place + 1, len(self._text))))
        return {
            "drug_id": entry.drug_id,
            "drug_name": entry.name,
            "section_key": part.key,
            "section_display_name": part.title or None,
            "heading_physical_page": pages[0].index if pages else None,
            "atc_codes": list(entry.codes.codes),
            "atc_stated_absent": entry.codes.stated_absent,
            "other_names": self._other_names(part),
            "sub_compound": None,
        }

    def _other_names(self, part: Part) -> list[str]:
        if part.key not in self._anatomy.vocabulary.other_names:
            return []
        return list(names_in(_IN_BRACKETS.sub("", self._anatomy.body(part).of(self._text))))

    def _stretches(self, part: Part, governors: Governors) -> Iterator[Span]:
        """The prose of a part: what lies between the tables and formulas in it; of a class monograph, compound by compound."""
        cuts = self._compounds(part, governors)
        at = part.span.start
        holes = [hole for item in self._held if (hole := item.span.intersect(part.span))]
        for hole in (*holes, Span(part.span.end, part.span.end)):
            inside = [cut for cut in cuts if at < cut < hole.start]
            yield from (Span(start, end) for start, end in pairwise((at, *inside, hole.start)) if end > start)
            at = max(at, hole.end)

    def _compounds(self, part: Part, governors: Governors) -> list[int]:
        """Where a section that must be cut is cut first: before the label of each sub-compound, so that a chunk is of one."""
        index, labels = self._index, governors.labels
        if not any(label.name for label in labels) or self._fits(part, index):
            return []
        cuts = []
        for number, label in enumerate(labels):
            if label.name:
                first = number
                while first and labels[first - 1].bare and not labels[first - 1].name:
                    first -= 1  # a subheading right before it goes with it
                cuts.append(labels[first].start)
        return cuts

    def _fits(self, part: Part, index: TokenIndex) -> bool:
        ceiling = self._options.max_tokens
        return (
            index.furthest(part.span.start, part.span.end, ceiling) >= part.span.end
            and index.count(part.span.start, part.span.end) <= ceiling
        )

    def _sentences(self, part: Part) -> tuple[list[Span], list[Span]]:
        body = self._anatomy.body(part)
        longer = self._options.target_tokens  # in characters: a token has one at least
        if len(part.span) <= longer:
            return [], []
        return sentences_to_cut(self._text, body, longer, self._anatomy.vocabulary)

    def _compound(self, governors: Governors, span: Span) -> str | None:
        """The sub-compound that governs all of a span; None where none does or several do."""
        inside = span.trimmed(self._text)
        names = {label.name for label in governors.chain(inside.start) if label.name}
        own = [label for label in governors.labels if label.name and inside.start <= label.start < inside.end]
        covered = bool(names) or (bool(own) and not self._text[inside.start : own[0].start].strip())
        names |= {label.name for label in own if label.name}
        return names.pop() if covered and len(names) == 1 else None

    # Tables and formulas.

    def _block(self, segment: Segment, item: Held) -> Iterator[Chunk]:
        labels = self._head(item.entry, item.owner)
        head = (" ".join(item.caption.of(self._text).split()),) if item.caption else ()
        pieces = self._block_packer(Stretch(item.span, labels, head))
        governors = self._anatomy.governors(item.entry, item.owner)
        place = item.mention if item.mention is not None else item.span.start
        names = [label.name for label in governors.chain(place) if label.name]
        attributes = {**self._attributes(item.entry, item.owner), "sub_compound": names[-1] if names else None}
        chunks = self._record(
            segment,
            pieces,
            kind=ChunkKind.BLOCK_DESCRIPTOR,
            attributes=lambda piece: attributes,
            headings=lambda piece: segment.headings,
        )
        for chunk in chunks:
            number = f"__{chunk.part_index}" if chunk.part_index else ""
            yield self._with(chunk, f"{segment.id}{number}", [item])

    def _leaning(self, part: Part, pieces: Sequence[Piece]) -> list[list[Held]]:
        """For each piece the tables and formulas that it refers to, or that stand behind it and no sentence refers to."""
        leaning: list[list[Held]] = [[] for _ in pieces]
        for item in self._held:
            if item.owner is not part or not pieces:
                continue
            if item.mention is not None:
                at = [number for number, piece in enumerate(pieces) if piece.span.start <= item.mention < piece.span.end]
            else:
                at = [number for number, piece in enumerate(pieces) if piece.span.start < item.span.start][-1:]
            for number in at or [0]:
                leaning[number].append(item)
        return leaning

    def _with(self, chunk: Chunk, chunk_id: str, held: Sequence[Held]) -> Chunk:
        document = self._anatomy.document
        have = {(item["block_id"], item["physical_page"]) for item in chunk.attachments}
        more: list[Mapping[str, Any]] = [
            entry
            for item in held
            for entry in item.attachments(document)
            if (entry["block_id"], entry["physical_page"]) not in have
        ]
        flagged = chunk.has_quarantined_content or any(item.quarantined for item in held)
        return replace(chunk, chunk_id=chunk_id, attachments=(*chunk.attachments, *more), has_quarantined_content=flagged)
