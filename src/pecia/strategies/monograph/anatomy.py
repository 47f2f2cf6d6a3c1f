"""The parts of a monograph: sections by their headings, and the tables and formulas that stand among them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from pecia.model import Document, Span
from pecia.strategies.monograph.book import Book, Found
from pecia.strategies.monograph.codes import Codes, codes_of_section
from pecia.strategies.monograph.labels import Governors, governors, run_in_labels
from pecia.strategies.monograph.lines import Heading, Line, headings_of, lines_of
from pecia.strategies.monograph.vocabulary import Vocabulary, fold, slug

PREAMBLE = "preamble"


@dataclass(frozen=True, slots=True)
class Part:
    """A section as it stands in the text, heading included. `heading` is None for the preamble; `number` counts the sections
    of one key in one monograph from 0; `opens` is where a preamble begins behind the title."""

    key: str
    title: str
    span: Span
    heading: Heading | None
    number: int = 0
    opens: int = 0

    def path(self, entry: Entry) -> tuple[str, ...]:
        """The titles above and of the part; its own only where one is printed."""
        return (entry.name, self.title) if self.heading and self.title else (entry.name,)


@dataclass(frozen=True)
class Entry:
    """A monograph of the book with its parts in order."""

    drug_id: str
    name: str
    title: Span
    span: Span
    parts: tuple[Part, ...]
    codes: Codes
    compounds: tuple[str, ...] = field(default=())

    def part_at(self, offset: int) -> Part | None:
        at = bisect_right(self.parts, offset, key=lambda part: part.span.start) - 1
        return self.parts[at] if at >= 0 and offset < self.parts[at].span.end else None


class Anatomy:
    """Everything that the strategy reads out of a document, made once; nothing is kept between documents."""

    def __init__(self, document: Document, vocabulary: Vocabulary, lines: Sequence[Line] | None = None) -> None:
        self.document, self.vocabulary = document, vocabulary
        self.lines: Sequence[Line] = lines_of(document) if lines is None else lines
        self.headings = headings_of(self.lines, vocabulary, document)
        self._line_starts = [line.start for line in self.lines]
        self.entries: tuple[Entry, ...] = tuple(self._entries())
        self._starts = [entry.span.start for entry in self.entries]
        self._governors: dict[tuple[int, int], Governors] = {}

    @cached_property
    def _run_in(self) -> frozenset[str]:
        return run_in_labels(self.lines)

    def _entries(self) -> Iterator[Entry]:
        found = Book(self.document, self.lines, self.headings, self.vocabulary).monographs()
        self._follows = follows(self.headings_between(item.first, item.last) for item in found)
        taken: set[str] = set()
        for item in found:
            name = slug(item.name) or "monograph"
            drug_id, number = name, 1
            while drug_id in taken:
                number += 1
                drug_id = f"{name}_{number}"
            taken.add(drug_id)
            yield self._entry(drug_id, item)

    def _entry(self, drug_id: str, found: Found) -> Entry:
        text = self.document.text
        end = self.lines[found.last].start if found.last < len(self.lines) else len(text)
        span = Span(found.title.start, max(end, found.title.end))
        parts = tuple(self._parts(found, span))
        by_role = {part.key: part for part in reversed(parts)}
        codes = Codes()
        if role := by_role.get(self.vocabulary.codes_role or ""):
            codes = codes_of_section(self.body(role).of(text), self.vocabulary.absent)
        compounds: tuple[str, ...] = ()
        if role := by_role.get(self.vocabulary.names_role or ""):
            compounds = names_in(self.body(role).of(text))
        return Entry(drug_id, found.name, found.title, span, parts, codes, compounds)

    def _parts(self, found: Found, span: Span) -> Iterator[Part]:
        text = self.document.text
        headings = accepted(self.headings_between(found.first, found.last), self._follows)
        if not headings:
            yield Part(PREAMBLE, found.name, span, None, opens=found.title.end)
            return
        first = headings[0].start
        opens = span.start
        if text[found.title.end : first].strip():
            yield Part(PREAMBLE, found.name, Span(span.start, first), None, opens=found.title.end)
            opens = first
        bounds = [*(heading.start for heading in headings[1:]), span.end]
        seen: dict[str, int] = {}
        for heading, stop in zip(headings, bounds, strict=True):
            number = seen.get(heading.key, 0)
            seen[heading.key] = number + 1
            yield Part(
                heading.key, heading.title, Span(opens if heading is headings[0] else heading.start, stop), heading, number
            )

    def headings_between(self, first: int, last: int) -> list[Heading]:
        low = bisect_left(self.headings, first, key=lambda heading: heading.line)
        return self.headings[low : bisect_left(self.headings, last, key=lambda heading: heading.line)]

    def body(self, part: Part) -> Span:
        """The part without its title and heading."""
        start = part.heading.end if part.heading else part.opens
        return Span(min(start, part.span.end), part.span.end)

    def entry_at(self, offset: int) -> Entry | None:
        at = bisect_right(self._starts, offset) - 1
        return self.entries[at] if at >= 0 and offset < self.entries[at].span.end else None

    def lines_in(self, span: Span) -> Sequence[Line]:
        """The lines that share a character with `span`."""
        low = max(0, bisect_right(self._line_starts, span.start) - 1)
        return [line for line in self.lines[low : bisect_left(self._line_starts, span.end)] if line.end > span.start]

    def governors(self, entry: Entry, part: Part) -> Governors:
        """The labels of a part; made when they are first asked for."""
        key = (part.span.start, part.span.end)
        if key not in self._governors:
            body = self.body(part)
            names = entry.compounds if len(entry.compounds) > 1 else ()
            self._governors[key] = governors(
                self.lines_in(body),
                body,
                self.document.text,
                self.vocabulary,
                key=part.key,
                names=names,
                run_in=self._run_in,
            )
        return self._governors[key]


def accepted(candidates: Sequence[Heading], own_order: Container[tuple[str, str]]) -> list[Heading]:
    """The headings of one monograph among what may be headings.

    A place counts where no better one has its key: a heading block, then a line of its own, then words before a colon. Words that
    share their line with text are a heading only where they do not run backwards in the order of the vocabulary, or in that
    which the book itself has (`follows`); fields may. Amid a paragraph they must not run ahead of the next heading on a line
    of its own either.
    """
    best = _best(candidates)
    found: list[Heading] = []
    before: Heading | None = None
    seen = set[str]()
    for at, item in enumerate(candidates):
        entry = item.match.entry
        if item.strength < best[item.key]:
            continue
        back = before is not None and entry.position < before.match.entry.position and (before.key, item.key) not in own_order
        if item.strength <= 1 and (item.key in seen or (not entry.field and back)):
            continue
        if item.strength == 0 and not entry.field and entry.position > _next_position(candidates[at + 1 :], best):
            continue
        found.append(item)
        seen.add(item.key)
        if not entry.field:
            before = item
    return found


def follows(monographs: Iterable[Sequence[Heading]]) -> set[tuple[str, str]]:
    """The pairs of sections of which one follows the other in nearly all monographs of a book that begin lines with both."""
    counts = Counter[tuple[str, str]]()
    for candidates in monographs:
        best = _best(candidates)
        keys = dict.fromkeys(item.key for item in candidates if item.strength == best[item.key] > 0)
        counts.update(combinations(keys, 2))
    return {(one, other) for (one, other), count in counts.items() if count >= _OFTEN * max(1, counts[other, one])}


def _best(candidates: Sequence[Heading]) -> dict[str, int]:
    best: dict[str, int] = {}
    for item in candidates:
        best[item.key] = max(best.get(item.key, 0), item.strength)
    return best


def _next_position(candidates: Sequence[Heading], best: Mapping[str, int]) -> int:
    """The position in the book's order of the next heading that stands on a line of its own."""
    known = (item.match.entry for item in candidates if item.strength >= _OWN_LINE and item.strength == best[item.key])
    return next((entry.position for entry in known if not entry.field), _LAST)


_OWN_LINE, _LAST = 2, 1_000_000
# Monographs that have two sections in one order, and times as many as have them the other way round.
_OFTEN = 3


def names_in(text: str) -> tuple[str, ...]:
    """The names that a section lists: at semicolons, else at commas; at the ends of lines in any case."""
    parts = re.split(r"[;\n]" if ";" in text else r"[,\n]", text)
    names = [" ".join(part.split()).strip(" .") for part in parts]
    return tuple(dict.fromkeys(name for name in names if name and len(name) < 80 and fold(name)))
