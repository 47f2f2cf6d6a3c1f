"""The lines of a document that may be titles, headings or labels, and the headings among them that a vocabulary knows."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pecia.model import BlockKind, Coded, Document
from pecia.strategies.monograph.vocabulary import Match, Vocabulary
from pecia.text.headings import heading_title

# Blocks that stand as one: no title, heading or label is looked for in them.
SOLID = frozenset({BlockKind.TABLE, BlockKind.CAPTION, BlockKind.FORMULA, BlockKind.FIGURE, BlockKind.CODE, BlockKind.FOOTNOTE})
# A title, and a label that stands alone, is shorter than this.
LONGEST = 160
_LEADERS = re.compile(r"\.{4,}|…{2,}|(?:\. ){4,}|·{4,}|_{4,}")
# Where another field may begin on a line of fields: after a stop, a bar or a wide gap.
_FIELD_STARTS = re.compile(r"(?<=[.;,|])\s+|\s+[-–•|]\s+|\t+|\s{3,}")
_COLON = re.compile(r"\s*[:：]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block, or a heading block as a whole, which has a `level`. `words` is its text without marks; `first` where a
    block begins with it."""

    start: int
    end: int
    words: str
    block: int
    level: int | None = None
    first: bool = True

    @property
    def heading(self) -> bool:
        return self.level is not None

    @property
    def capitals(self) -> bool:
        """Whether its letters, those in brackets aside, are capitals; one letter is not a word."""
        letters = [char for char in _BRACKETS.sub("", self.words) if char.isalpha()]
        return len(letters) > 1 and all(char == char.upper() and char != char.lower() for char in letters)

    @property
    def set_apart(self) -> bool:
        """Whether it is set as a heading: by its kind, or in capitals where a paragraph begins."""
        if self.heading:
            return True
        return self.first and len(self.words) <= LONGEST and self.capitals and not self.words.endswith((".", ":", "：", ";", ","))


_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the vocabulary in the text: [start, end) are its words and the colon after them; empty where a code begins a
    section without a title. `strength` is 3 for a heading block, 2 for a line of its own, 1 for words before a colon that share
    their line with text, 0 for those amid a line."""

    line: int
    start: int
    end: int
    title: str
    match: Match
    strength: int
    coded: bool = False  # known by the code of an element of the source, not by its words

    @property
    def key(self) -> str:
        return self.match.entry.key


def lines_of(document: Document) -> list[Line]:
    """The visible lines of all blocks that are not solid, in order."""
    return list(_lines(document))


def _lines(document: Document) -> Iterator[Line]:
    text = document.text
    for number, block in enumerate(document.blocks):
        if block.kind in SOLID:
            continue
        if block.kind is BlockKind.HEADING:
            span = block.span.trimmed(text)
            yield Line(span.start, span.end, heading_title(span.of(text)), number, block.level or 1)
            continue
        pieces = _pieces(text, block.span.start, block.span.end)
        for at, (start, end) in enumerate(pieces):
            yield Line(start, end, text[start:end], number, first=at == 0)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines in a range, white space at their ends cut off."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        kept = text[start:stop].strip()
        if kept:
            at = text.index(kept, start)
            yield at, at + len(kept)
        start = stop + 1


def headings_of(lines: Sequence[Line], vocabulary: Vocabulary, document: Document) -> list[Heading]:
    """Every place that may be a heading of the vocabulary, in order; which of them are is decided monograph by monograph."""
    if coded := list(_coded_headings(lines, vocabulary, document)):
        return coded
    text = document.text
    return [heading for number, line in enumerate(lines) for heading in _headings(number, line, vocabulary, text)]


def _coded_headings(lines: Sequence[Line], vocabulary: Vocabulary, document: Document) -> Iterator[Heading]:
    """The sections of a source that says by codes what they are: nothing is left to their words. A section begins at its first
    block, and goes on under its own title behind a section inside of it; one of an unknown code belongs to the one around it."""
    starts = [line.start for line in lines]
    titles: dict[Coded, str] = {}
    running: Coded | None = None
    for block in document.blocks:
        known = [coded for coded in block.within if coded.code in vocabulary.codes]
        if not block.span or (known[-1] if known else None) == running:
            continue
        running = known[-1] if known else None
        if running is None:
            continue
        at = bisect_left(starts, block.span.start)
        entry, start, end = vocabulary.codes[running.code], block.span.start, block.span.start
        own = running not in titles and block.kind is BlockKind.HEADING and block.within[-1] == running
        if own and at < len(lines) and lines[at].start < block.span.end:
            start, end = lines[at].start, lines[at].end
            titles[running] = _title(lines[at].words)
        yield Heading(at, start, end, titles.setdefault(running, ""), Match(entry), 3, coded=True)


def _headings(number: int, line: Line, vocabulary: Vocabulary, text: str) -> Iterator[Heading]:
    whole = line.words if len(line.words) <= LONGEST else None
    if whole and (match := vocabulary.match(whole, titled=line.heading)):
        # A colon, or words that are a label too ("Pregnant women:"), make a line no surer than words before text.
        doubtful = whole.endswith((":", "：")) or vocabulary.kind_of(whole) is not None
        strength = 3 if line.heading else 1 if doubtful else 2
        yield Heading(number, line.start, line.end, _title(whole), match, strength)
        return
    last, fields = line.start, False
    for start in _field_starts(line, text):
        if start < last or not (found := _before_colon(start, line, vocabulary, text)):
            continue
        end, match = found
        words = text[start:end].strip(" \t:：*_#")
        begins = start == line.start
        # Amid a line a field is believed after another one, and any heading that is printed as the vocabulary has it after a
        # sentence: paragraphs run together where a line happens to be full.
        after_sentence = text[line.start : start].rstrip()[-1:] in _SENTENCE_MARKS
        if begins or (fields and match.entry.field) or (after_sentence and vocabulary.knows(" ".join(words.split()))):
            yield Heading(number, start, end, _title(words), match, 1 if begins else 0)
            last, fields = end, True


_SENTENCE_MARKS = frozenset(".!?")


def _field_starts(line: Line, text: str) -> Iterator[int]:
    yield line.start
    if ":" in line.words[1:]:
        for match in _FIELD_STARTS.finditer(text, line.start, line.end):
            yield match.end()


def _before_colon(start: int, line: Line, vocabulary: Vocabulary, text: str) -> tuple[int, Match] | None:
    """End and match of a heading that begins at `start` and ends before the next colon."""
    colon = _COLON.search(text, start, min(line.end, start + vocabulary.longest + 8))
    if colon is None:
        return None
    match = vocabulary.match(text[start : colon.start()])
    end = colon.end()
    while text[end : end + 1] in ("*", "_") and end < line.end:  # **Heading:** of Markdown
        end += 1
    return (end, match) if match else None


def _title(words: str) -> str:
    """A heading as it is shown: white space folded, a colon at its end and marks around it cut off."""
    return " ".join(words.split()).strip("*_#: ：")


def is_contents(words: str) -> bool:
    """Whether a line is one of a table of contents: leaders before a page number."""
    return bool(_LEADERS.search(words))
