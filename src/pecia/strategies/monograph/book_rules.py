"""Gates on the book: its headings, sections and codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pecia.model import Chunk, Span
from pecia.strategies.monograph.anatomy import Anatomy, Entry, Part
from pecia.strategies.monograph.lines import Line
from pecia.strategies.monograph.vocabulary import fold

# A section is missed where nine of ten monographs have it, in a book of at least so many.
_NEARLY_ALL, _BOOK = 0.9, 5


def unknown_headings(anatomy: Anatomy) -> Iterator[tuple[Entry, Part, Line]]:
    """Headings inside monographs that are no section, subheading or label of the vocabulary and no sub-compound."""
    vocabulary = anatomy.vocabulary
    for entry in anatomy.entries:
        compounds = {fold(name) for name in entry.compounds}
        for part in entry.parts:
            body = anatomy.body(part)
            for line in anatomy.lines_in(body):
                if (
                    not line.set_apart
                    or line.start < body.start
                    or fold(line.words) in compounds
                    or line.words.endswith((":", "："))
                ):
                    continue
                known = vocabulary.match(line.words, titled=True) or vocabulary.kind_of(line.words)
                if not known and not any(vocabulary.is_subheading(other.key, line.words) for other in vocabulary.entries):
                    yield entry, part, line


def _chunk_at(chunks: Sequence[Chunk], offset: int) -> Chunk | None:
    return next((chunk for chunk in chunks if chunk.span.start <= offset < chunk.span.end), None)


def unknown_heading(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk | None, Span]]:
    """A heading that the vocabulary does not know is named; its text stays in the section before it.

    Why: it may be a section under another name, whose text is then found under the wrong one.
    Example: "Lưu ý đặc biệt" between two sections; add it to the vocabulary as a variant or as a subheading.
    """
    if anatomy.vocabulary.unknown_allowed:
        return
    for entry, part, line in unknown_headings(anatomy):
        yield (
            f"the heading {line.words[:60]!r} of {entry.drug_id} is in no vocabulary; it stays in {part.key}",
            _chunk_at(chunks, line.start),
            Span(line.start, line.end),
        )


def misspelt_heading(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk | None, Span]]:
    """A heading that is read as a section although it is misspelt is named.

    Why: the source should be corrected, and somebody must see that the guess is right.
    Example: "Mã ACT: J01CA04".
    """
    for entry in anatomy.entries:
        for part in entry.parts:
            if part.heading and part.heading.match.misspelt:
                span = Span(part.heading.start, part.heading.end)
                yield (
                    f"the heading {part.title[:60]!r} of {entry.drug_id} is read as {part.key}",
                    _chunk_at(chunks, span.start),
                    span,
                )


def missing_section(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk | None, Span]]:
    """A section that nearly all monographs of the book have is in each of them.

    Why: its heading was probably not recognised, and its text stands in another section.
    Example: 47 of 48 drugs with "Chống chỉ định".
    """
    if len(anatomy.entries) < _BOOK:
        return
    counts = Counter(key for entry in anatomy.entries for key in {part.key for part in entry.parts if part.heading})
    for entry in anatomy.entries:
        have = {part.key for part in entry.parts}
        for key, count in counts.items():
            if key not in have and count >= _NEARLY_ALL * len(anatomy.entries):
                message = f"{entry.drug_id} has no section {key}; {count} of {len(anatomy.entries)} monographs have it"
                yield message, _chunk_at(chunks, entry.span.start), entry.title


def repeated_section(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk | None, Span]]:
    """A monograph has each section once.

    Why: a second one is a label or a reference that was taken for a heading, or two drugs under one title.
    Example: "Thận trọng" on a line of its own inside "Liều lượng và cách dùng".
    """
    for entry in anatomy.entries:
        for part in entry.parts:
            if part.number and not (part.heading and part.heading.coded):
                yield f"{entry.drug_id} has the section {part.key} again", _chunk_at(chunks, part.span.start), part.span


def malformed_code(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk | None, Span]]:
    """What stands for an ATC code is one: a letter of the fourteen groups, two digits, two letters, two digits.

    Why: a code is what other systems join by.
    Example: "J0ICA04", with the letter I for the digit 1.
    """
    for entry in anatomy.entries:
        for code in entry.codes.malformed:
            part = next(part for part in entry.parts if part.key == anatomy.vocabulary.codes_role)
            yield f"{code!r} of {entry.drug_id} is no ATC code", _chunk_at(chunks, part.span.start), part.span


def no_printed_page(anatomy: Anatomy, chunks: Sequence[Chunk]) -> Iterator[tuple[str, Chunk, Span]]:
    """A chunk of a paged book has a printed page, or a finding says that none is printed.

    Why: a reader of the paper book finds the place by the folio.
    Example: the last page of a book, whose folio was cut off.
    """
    for chunk in chunks:
        if chunk.page_range and chunk.printed_range is None and any(page.label for page in anatomy.document.pages):
            yield "no folio is printed on its pages", chunk, chunk.span
