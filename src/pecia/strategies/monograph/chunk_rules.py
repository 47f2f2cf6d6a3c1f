"""Gates on single chunks and on chunks beside each other."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pecia.model import Chunk, ChunkKind, Span
from pecia.strategies.monograph.anatomy import Anatomy

# Shorter sections are the same by their nature ("none known"); the shortest that named a copied page was longer.
_LONG = 200
_SHORTEST_FURNITURE = 4
_UNPRINTABLE = frozenset({"Cc", "Co", "Cs", "Cn"})


def not_unique(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """No two chunks of one monograph have the same source_text (`chunk_source_text_not_unique`).

    Why: the same text twice is one answer found twice; it comes from a page that was read twice or a section cut twice.
    Example: a section that stands in the body and again in the overlap of a wrong cut.
    """
    seen: dict[tuple[str, str], Chunk] = {}
    for chunk in chunks:
        words = " ".join(chunk.source_text.split())
        if len(words) < _LONG // 4:
            continue
        key = chunk.attributes["drug_id"], words
        if key in seen:
            yield f"its source_text is that of {seen[key].chunk_id}", chunk, chunk.span
        seen.setdefault(key, chunk)


def furniture(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """No running head, foot or folio of the pages stands as a line of its own in a section.

    Why: a running head amid a dose reads as a part of it.
    Example: "Amoxicilin" or "142" between two lines of a sentence that goes on over the page.
    """
    text = anatomy.document.text
    lines = {" ".join(item.text.split()) for item in anatomy.document.furniture}
    lines = {line for line in lines if len(line) >= _SHORTEST_FURNITURE and not line.isdigit()}
    titles = {" ".join(entry.name.split()) for entry in anatomy.entries}
    names = {name.casefold() for name in titles}
    for chunk in chunks if lines else ():
        at = chunk.span.start
        for line in chunk.source_text.split("\n"):
            words = " ".join(line.split())
            if words in lines and words not in titles and not _starts_monograph(anatomy, text, at, words, names):
                yield f"{words[:60]!r} is a running line of the pages", chunk, Span(at, at + len(line))
            at += len(line) + 1


def _starts_monograph(anatomy: Anatomy, text: str, at: int, words: str, names: set[str]) -> bool:
    entry = anatomy.entry_at(at)
    return entry is not None and words.casefold() in names and at < entry.title.end


def parted_word(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """No part of a section ends inside a word or a number.

    Why: "1 | 00 mg" is another dose in both halves, and a name that is parted is found by nobody.
    Example: a chunk that ends on "amoxi" where the next begins with "cilin".
    """
    text = anatomy.document.text
    for chunk in chunks:
        end = chunk.span.end
        before, after = text[end - 1 : end], text[end : end + 1]
        if before.isalnum() and after.isalnum() and max(before, after) < "\u2e80":
            yield f"cut inside {text[max(0, end - 12) : end]!r}|{text[end : end + 12]!r}", chunk, Span(end, end)
        elif re.search(r"\d[.,]$", text[max(0, end - 2) : end]) and after.isdigit():
            yield f"cut inside the number {text[max(0, end - 6) : end + 6]!r}", chunk, Span(end, end)


def unprintable(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """No control, replacement or private-use character stands in a section, quarantined tables aside.

    Why: such a character is a letter or a sign that the parser could not read: a comparison or a unit may be lost.
    Example: "Clcr \ue0a3 30 ml/phút", where the font hides "<".
    """
    for chunk in chunks:
        if chunk.has_quarantined_content and chunk.chunk_kind is ChunkKind.BLOCK_DESCRIPTOR:
            continue
        for place, char in enumerate(chunk.source_text):
            if char == "\ufffd" or (char not in "\n\t" and unicodedata.category(char) in _UNPRINTABLE):
                at = chunk.span.start + place
                yield f"U+{ord(char):04X} in {chunk.source_text[max(0, place - 10) : place + 10]!r}", chunk, Span(at, at + 1)
                break


def duplicate_section(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """No long section of one drug is word for word that of another; sections that a vocabulary accepts aside.

    Why: a dose that was copied from the neighbour is the neighbour's dose.
    Example: "Liều lượng và cách dùng" of two drugs with the same 900 characters.
    """
    text = anatomy.document.text
    seen: dict[tuple[str, str], str] = {}
    first = {(chunk.attributes["drug_id"], chunk.attributes["section_key"]): chunk for chunk in reversed(chunks)}
    for entry in anatomy.entries:
        for part in entry.parts:
            words = "".join(anatomy.body(part).of(text).split())
            if len(words) < _LONG or part.key in anatomy.vocabulary.accepted:
                continue
            other = seen.setdefault((part.key, words), entry.drug_id)
            chunk = first.get((entry.drug_id, part.key))
            if other != entry.drug_id and chunk:
                yield f"the section {part.key} of {entry.drug_id} is that of {other}", chunk, chunk.span


def holes(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, None, Span]]:
    """On every page of a monograph that holds text of it, a chunk of it stands.

    Why: a page that fell out of a monograph takes a dose or a contraindication with it.
    Example: a monograph on pages 30 to 33 without a chunk on page 32.
    """
    document = anatomy.document
    if not document.pages:
        return
    stand: dict[str, list[Span]] = defaultdict(list)
    for chunk in chunks:
        stand[chunk.attributes["drug_id"]].append(chunk.span)
    for entry in anatomy.entries:
        for page in document.pages_of(entry.span):
            held = page.span.intersect(entry.span)
            if held and held.trimmed(document.text) and not any(held.overlaps(span) for span in stand[entry.drug_id]):
                yield f"no chunk of {entry.drug_id} stands on its PDF page {page.number}", None, held


def no_head(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """`text` of every chunk begins with the name of its drug and that of its section.

    Why: the text of a section rarely names its drug; without the name it is found for any drug or for none.
    Example: "500 mg, ngày 2 lần", with the name three pages above.
    """
    for chunk in chunks:
        name = chunk.attributes["drug_name"]
        section = chunk.attributes["section_display_name"]
        wanted = [name, section] if section and chunk.attributes["section_key"] != "preamble" else [name]
        if name == section:
            wanted = wanted[:1]
        # Labels take at most half of a chunk: where they are longer the outermost are left out. A token is at least a character.
        long = sum(map(len, {*wanted, *chunk.context_labels})) > chunk.max_tokens // 2
        if list(chunk.context_labels[: len(wanted)]) != wanted and not long:
            yield f"its text does not begin with {' · '.join(wanted)}", chunk, chunk.span
