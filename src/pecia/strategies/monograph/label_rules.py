"""Gates on labels and doses. The labels are read again from the document, without a look at how it was cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pecia.model import Block, BlockKind, Chunk, ChunkKind, Span
from pecia.strategies.monograph.anatomy import Anatomy, Entry, Part
from pecia.strategies.monograph.labels import Governors
from pecia.strategies.monograph.lines import SOLID
from pecia.text.sentences import sentence_ends


def _by_part(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[Entry, Part, Governors, list[Chunk]]]:
    """The prose chunks of each section, in order."""
    held: dict[tuple[str, int], list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        if chunk.chunk_kind is not ChunkKind.PROSE:
            continue
        entry = anatomy.entry_at(chunk.span.start)
        part = entry.part_at(chunk.span.start) if entry else None
        if entry and part:
            held[entry.drug_id, part.span.start].append(chunk)
    for entry in anatomy.entries:
        for part in entry.parts:
            if own := held.get((entry.drug_id, part.span.start)):
                yield entry, part, anatomy.governors(entry, part), own


def ends_on_label(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """No part of a section ends on a label, a subheading or the heading, unless the section itself does.

    Why: what the label says belongs to the next part, whose reader must see it.
    Example: a chunk that ends on "Người lớn:", and the dose for adults in the next one.
    """
    text = anatomy.document.text
    for _, part, governors, own in _by_part(anatomy, chunks):
        heading_end = anatomy.body(part).start
        for chunk in own:
            rest = text[chunk.span.end : part.span.end]
            if not rest.strip():
                continue
            end = chunk.span.trimmed(text).end
            label = governors.ends_at(end, text)
            block = _block_at(anatomy, rest, chunk.span.end)
            if block and (label is None or not label.known or block.kind is BlockKind.FORMULA):
                continue  # it leads into a table or formula, and that is attached
            if label is not None:
                yield f"it ends on the label {label.text[:60]!r}", chunk, Span(label.start, label.end)
            elif part.heading and end == heading_end:
                yield f"it ends on the heading {part.title[:60]!r}", chunk, Span(part.heading.start, heading_end)


def dose_without_chain(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """A chunk that states a dose shows every label that governs it, in `text` or in its own source, outermost first.

    Why: a dose for adults that is read as one for children harms.
    Example: "500 mg mỗi 8 giờ" without "Suy thận:" and "Clcr dưới 10 ml/phút:".
    """
    text, dose = anatomy.document.text, anatomy.vocabulary.dose
    for _, _, governors, own in _by_part(anatomy, chunks):
        for chunk in own:
            for match in dose.finditer(text, chunk.span.start, chunk.span.end):
                chain = [label for label in governors.chain(match.start()) if label.kind != "lead_in"]
                outside = [label.text for label in chain if label.start < chunk.span.start]
                if not _in_order(outside, chunk.context_labels) and not _too_long(outside, chunk):
                    missing = next((label for label in outside if label not in chunk.context_labels), outside[0])
                    yield f"{match[0]!r} stands there without its label {missing[:60]!r}", chunk, Span(*match.span())
                    break


def _in_order(wanted: Sequence[str], shown: Sequence[str]) -> bool:
    at = 0
    for label in wanted:
        if label not in shown[at:]:
            return False
        at = list(shown).index(label, at) + 1
    return True


def _too_long(labels: Sequence[str], chunk: Chunk) -> bool:
    """Where the labels are longer than half of the ceiling the packer carries the innermost that fit; a token is at least one
    character, and in Vietnamese one and a half to three of them."""
    return sum(map(len, (*labels, *chunk.context_labels[:2]))) > chunk.max_tokens // 2


def parted_dose(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """No part of a section ends inside a sentence that states a dose; a long list of names may be cut after a comma.

    Why: the number in one part and how often it is given in the next are two wrong doses.
    Example: "250 mg, ngày 2 lần," | "tối đa 1 g/24 giờ."
    """
    text, dose = anatomy.document.text, anatomy.vocabulary.dose
    for _, part, _, own in _by_part(anatomy, chunks):
        for chunk in own:
            end = chunk.span.end
            if not text[end : part.span.end].strip():
                continue
            if _block_at(anatomy, text[end : part.span.end], end) is not None:
                continue  # a table or formula stands amid the sentence; the cut is the page's
            begin, stop = _sentence_around(text, end, part)
            words = text[begin:stop]
            stated = len(dose.findall(words))
            if begin < end < stop and stated * 4 > words.count(",") + words.count(";"):
                yield f"cut inside the dose {words.strip()[:80]!r}", chunk, Span(begin, stop)


def _block_at(anatomy: Anatomy, rest: str, offset: int) -> Block | None:
    """The block that comes next, where it is no prose."""
    at = offset + len(rest) - len(rest.lstrip())
    return next((block for block in anatomy.document.blocks_of(Span(at, at + 1)) if block.kind in SOLID), None)


def _sentence_around(text: str, offset: int, part: Part) -> tuple[int, int]:
    """The sentence that has `offset` inside it; an empty one where a sentence ends there."""
    low = max(part.span.start, offset - 2000)
    begin = low
    for end in sentence_ends(text, low, min(part.span.end, offset + 2000)):
        if end >= offset and not text[offset:end].strip():
            return offset, offset
        if end > offset:
            return begin, end
        begin = end
    return begin, part.span.end
