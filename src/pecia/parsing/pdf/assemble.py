"""Blocks written one after another into the document's text, with lines, pages, alignment and ledger."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pecia.model import Alignment, Block, BlockKind, Box, Columns, Figure, Line, Lines, PageBox, Span, Table
from pecia.parsing.pdf.drafts import Draft
from pecia.parsing.pdf.fractions import Fraction
from pecia.parsing.pdf.frame import turned
from pecia.parsing.pdf.glyphs import WRAP
from pecia.parsing.pdf.letters import Letters, Run, escaped, letters_of
from pecia.parsing.pdf.paragraphs import wants_space
from pecia.parsing.pdf.pictures import Picture
from pecia.parsing.pdf.rows import Row
from pecia.parsing.pdf.sketch import Cell, Sketch
from pecia.parsing.pdf.spanning import CAPTION_AGAIN, HEADER_AGAIN, repeated_rows
from pecia.text.tables import pipe_row, rule_row

WRAP_HYPHEN = "hyphen of a wrapped word"
ASCENT, DESCENT = 1.3, 0.6  # of the size, from the baseline: fonts that claim to reach farther are not believed

# What stands before a hyphen in many compounds and is seldom a syllable at which a longer word is broken, and what follows
# where it is one.
COMPOUNDING = frozenset({
    "broad", "cross", "double", "far", "fast", "first", "fixed", "four", "free", "full", "half", "hard", "heavy", "high", "large",
    "last", "left", "light", "long", "low", "lower", "middle", "one", "open", "quick", "real", "right", "second", "self", "short",
    "single", "slow", "small", "soft", "third", "three", "two", "upper", "user", "well", "whole", "wide", "world", "year",
})  # fmt: skip
_SUFFIX = re.compile(r"\w{1,4}$|(?:iz|is[ait]|iti|abl|less|ness|ment|ful|ward|hood)")
# After a hyphen that stands for a part: pre- and post-war.
JOINED_LATER = frozenset({"and", "or", "to", "nor", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en", "of", "và", "hoặc"})

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_BROKEN = re.compile(rf"\S*(?:{WRAP}|[-\u00ad\u2010]\r?\n)\S*")
_REST = re.compile(rf"{WRAP}([^\W\d_]+)")
_PART = re.compile(r"[^\W\d_]+")
_TAIL = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_ENDS_IN_HYPHEN = re.compile(r"\w[-\u2010]$")
_ENDS_OPEN = re.compile(r"\S[/\u2013\u2014]$|\S*(?:://|www\.)\S*[_=&?]$")  # a dash, a slash, an address in its middle
_CAPITAL_INSIDE = re.compile(r"\b[^\W\d_]+[A-ZÀ-Þ][^\W\d_]*\b")


@dataclass(slots=True)
class Words:
    """How often each word stands unbroken in the document, in lower case, with and without inner hyphens; those with capitals
    inside as they are; and the parts that begin a line after a hyphen."""

    seen: Counter[str] = field(default_factory=Counter)
    cased: set[str] = field(default_factory=set)
    rests: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        """Takes the text of a page with its wrap hyphens marked."""
        text = unicodedata.normalize("NFC", text)
        if WRAP in text:
            self.rests.update(_REST.findall(text.lower()))
        text = _BROKEN.sub(" ", text)
        self.cased.update(_CAPITAL_INSIDE.findall(text))
        for word in _WORD.findall(text.lower()):
            self.seen[word] += 1
            if not word.isalpha():
                self.seen.update(_PART.findall(word))

    def broken(self, before: str, after: str) -> bool:
        """True where the hyphen between the lines was put there by the typesetter. What the document says elsewhere decides:
        the word in one piece or with its hyphen, whichever is more frequent; capitals count. Where it says nothing, two parts
        that are words of the document keep the hyphen, a part that often begins a compound does, so does a second one."""
        tail, head = _TAIL.search(before), _PART.match(after)
        if tail is None or head is None or "://" in before[before.rfind(" ") + 1 :]:
            return False
        if not head[0][0].islower() or not tail[1][-1].islower():
            return tail[1] + head[0] in self.cased
        left, right = tail[1].lower(), head[0].lower()
        whole, hyphened = self.seen[left + right], self.seen[f"{left}-{right}"]
        if whole or hyphened:
            return whole >= hyphened
        if left + right in self.rests:
            return True
        inner = before[: tail.start()][-1:] in ("-", "\u2010")
        compound = left in COMPOUNDING and not _SUFFIX.match(right)
        return not inner and not compound and not (left in self.seen and right in self.seen)


@dataclass(slots=True)
class _Made:
    """What is kept of a draft: its rows, with all their words, are gone once they are written."""

    kind: BlockKind
    depth: int
    style: tuple[float, bool]
    span: Span
    lines: Lines
    table: _Grid | None
    continues_on: int | None = None
    caption: int | None = None


@dataclass(frozen=True, slots=True)
class _Grid:
    cells: tuple[tuple[str, ...], ...]
    header_rows: int
    reason: str


class Assembler:
    """Takes complete drafts in reading order; `finish` gives the blocks. `offsets` is the source index at which each
    page begins, pdfium's characters counted over all pages."""

    def __init__(self, offsets: Sequence[int], words: Words, spaced: bool) -> None:
        self._offsets, self._words, self._spaced = offsets, words, spaced
        self._parts: list[str] = []
        self._length = 0
        self._runs = array("Q")  # four numbers each
        self._lines = Columns()
        self._made: list[_Made] = []
        self._page_starts: dict[int, int] = {}
        self._pictures: list[tuple[PageBox, Span, int | None]] = []
        self._captions: dict[tuple[int, int], int] = {}  # by page and first word
        self._cells: dict[int, tuple[Cell, list[tuple[Row, Letters, str]]]] = {}
        self.dropped = Counter[str]()

    def add(self, drafts: Iterable[Draft]) -> None:
        for draft in drafts:
            if draft.kind is BlockKind.TABLE:
                self._add_table(draft)
                continue
            if (picture := draft.rows[0].picture) is not None:
                self._add_picture(draft, picture)
                continue
            if (fraction := draft.rows[0].fraction) is not None:
                self._add_fraction(draft, fraction)
                continue
            letters = [(row, found) for row in draft.rows if (found := self._letters(row)).text.strip()]
            if not letters:  # glyphs that are all control characters leave nothing but the spaces between them
                continue
            self._separate(draft)
            start, first = self._length, len(self._lines)
            for row, found, glue in _coded(letters) if draft.kind is BlockKind.CODE else self._glued(letters):
                self._line(row, found)
                self._write(glue)
            self._close(draft, start, first)

    def _close(self, draft: Draft, start: int, first: int, table: _Grid | None = None) -> None:
        """Keeps what was written since `start`, with the lines from `first` on, as the block of the draft."""
        number = draft.number = len(self._made)
        lines = Lines(self._lines, first, len(self._lines))
        made = _Made(draft.kind, draft.depth, _style(draft), Span(start, self._length), lines, table)
        self._made.append(made)
        if draft.kind is BlockKind.CAPTION:
            self._captions[draft.rows[0].page.index, draft.rows[0].words[0].start] = number
        if draft.follows is not None:
            self._made[draft.follows].continues_on = number
        if draft.caption is not None:
            made.caption = draft.caption.number  # none yet where it stands below: it will say so itself
        if draft.captioned is not None and draft.captioned.number is not None:
            self._made[draft.captioned.number].caption = number

    def _glued(self, letters: Sequence[tuple[Row, Letters]]) -> Iterator[tuple[Row, Letters, str]]:
        """The lines of a block, each with what stands between it and the next one."""
        for at, (row, found) in enumerate(letters):
            following = letters[at + 1][1].text if at + 1 < len(letters) else ""
            glue = self._glue(found.text, following)
            if glue is None:
                found.text, glue = found.text[:-1], ""
                found.edges = found.edges[:-1]
                found.runs = list(_shortened(found.runs, len(found.text)))
                self.dropped[WRAP_HYPHEN] += 1
            yield row, found, glue

    def _add_table(self, draft: Draft) -> None:
        """A table as a pipe table; one that cannot be trusted as its printed lines."""
        sketches = [row.table for row in draft.rows if row.table is not None]
        glyphs = (glyph for sketch in sketches for word in sketch.words() for glyph in sketch.page.text(word))
        if all(unicodedata.category(glyph) == "Cc" for glyph in glyphs):
            for row in (row for sketch in sketches for row in sketch.printed()):
                self._letters(row)  # counts them as dropped
            return
        self.dropped[CAPTION_AGAIN] += sum(word.end - word.start for row in draft.again for word in row.words)
        self._separate(draft)
        start, first = self._length, len(self._lines)
        reason = "; ".join(dict.fromkeys(sketch.reason for sketch in sketches if sketch.reason))
        cells: list[tuple[str, ...]] = []
        if reason:
            printed = [(row, found) for sketch in sketches for row in sketch.printed() if (found := self._letters(row)).text]
            for at, (row, found) in enumerate(printed):
                self._line(row, found)
                self._write("\n" if at + 1 < len(printed) else "")
        else:
            width = len(sketches[0].slots[0])
            if not sketches[0].header_rows:
                self._page_starts.setdefault(sketches[0].page.index, start)
                self._write(pipe_row([""] * width) + "\n" + rule_row(width) + "\n")
            for sketch in sketches:
                again = 0 if sketch is sketches[0] else repeated_rows(sketches[0], sketch)
                for at in range(again):
                    self.dropped[HEADER_AGAIN] += sum(word.end - word.start for word in sketch.row_words(at))
                for slots in sketch.slots[again:]:
                    self._write("\n" if cells else "")
                    cells.append(self._table_row(slots, sketch))
                    if len(cells) == 1 and sketches[0].header_rows:
                        self._write("\n" + rule_row(width))
        header_rows = 0 if reason else sketches[0].header_rows
        self._cells.clear()
        self._close(draft, start, first, _Grid(tuple(cells), header_rows, reason))

    def _add_picture(self, draft: Draft, picture: Picture) -> None:
        """The labels of a picture, line by line; one without labels leaves no text, and its place is kept."""
        printed = [(row, found) for row in picture.printed() if (found := self._letters(row)).text.strip()]
        self._page_starts.setdefault(picture.page.index, self._length)
        if printed:
            self._separate(draft)
        start, first = self._length, len(self._lines)
        for at, (row, found) in enumerate(printed):
            self._line(row, found)
            self._write("\n" if at + 1 < len(printed) else "")
        if printed:
            self._close(draft, start, first)
        frame, (x0, y0, x1, y1) = picture.page.frame, picture.box
        box = Box(max(x0, 0.0), max(y0, 0.0), min(x1, frame.width), min(y1, frame.height))
        self._pictures.append((PageBox(picture.page.index, box), Span(start, self._length), picture.caption))

    def _add_fraction(self, draft: Draft, fraction: Fraction) -> None:
        """A stacked fraction in one line, its parts in brackets: `a = [b] / [c]`."""
        self._separate(draft)
        start, first = self._length, len(self._lines)
        for row, opens, closes in (
            (fraction.before, "", " ["),
            (fraction.over, "", "] / ["),
            (fraction.under, "", "]"),
            (fraction.after, " ", ""),
        ):
            if row is not None:
                self._page_starts.setdefault(row.page.index, self._length)
                self._write(opens)
                self._line(row, self._letters(row))
                self._write(closes)
        self._close(draft, start, first)

    def _table_row(self, slots: Sequence[Cell], sketch: Sketch) -> tuple[str, ...]:
        """Writes one row; the cells' texts. A cell that spans several slots is repeated, its characters counted once."""
        self._page_starts.setdefault(sketch.page.index, self._length)
        texts = []
        for cell in slots:
            self._write("| ")
            own = id(cell) not in self._cells
            if own:
                letters = [(row, found) for row in cell.lines(sketch.page, sketch.fonts) if (found := self._letters(row)).text]
                self._cells[id(cell)] = cell, list(self._glued(letters))
            made = list[str]()
            for row, found, glue in self._cells[id(cell)][1]:
                made += found.text, glue
                self._line(row, escaped(found), own=own)
                self._write(glue)
            texts.append("".join(made))
            self._write(" ")
        self._write("|")
        return tuple(texts)

    def finish(
        self, page_count: int
    ) -> tuple[str, tuple[Span, ...], tuple[Block, ...], tuple[Table, ...], tuple[Figure, ...], Alignment]:
        """The text, the span of each page, the blocks, the tables, the figures and the way back to the source."""
        spans, end = [], self._length
        for page in range(page_count - 1, -1, -1):
            start = self._page_starts.get(page, end)
            spans.append(Span(start, end))
            end = start
        levels = _levels(self._made)
        blocks = tuple(
            Block(
                _block_id(number),
                made.kind,
                made.span,
                level,
                None if made.continues_on is None else _block_id(made.continues_on),
                made.lines,
            )
            for number, (made, level) in enumerate(zip(self._made, levels, strict=True))
        )
        text = "".join(self._parts)
        runs = iter(self._runs)
        return (
            text,
            tuple(reversed(spans)),
            blocks,
            tuple(self._tables(text)),
            tuple(self._figures(text)),
            Alignment.of(zip(*[runs] * 4, strict=True)),
        )

    def _figures(self, text: str) -> Iterator[Figure]:
        for number, (place, span, caption) in enumerate(self._pictures):
            own = None if caption is None else self._captions.get((place.page, caption))
            yield Figure(f"g{number:05d}", self._made[own].span.of(text) if own is not None else "", span, (place,))

    def _tables(self, text: str) -> Iterator[Table]:
        number = 0
        for made in self._made:
            if made.table is None:
                continue
            caption = "" if made.caption is None else self._made[made.caption].span.of(text)
            boxes: dict[int, list[Box]] = {}
            for line in made.lines:
                boxes.setdefault(line.page, []).append(line.bbox)
            places = tuple(PageBox(page, Box.around(held)) for page, held in boxes.items())
            grid = made.table
            yield Table(
                f"t{number:05d}", grid.cells, grid.header_rows, caption, made.span, places, bool(grid.reason), grid.reason
            )
            number += 1

    def _letters(self, row: Row) -> Letters:
        found = letters_of(row)
        self.dropped.update(found.dropped)
        return found

    def _glue(self, text: str, following: str) -> str | None:
        """What stands between two lines of a block; None where the hyphen at the end of the first one goes."""
        if not following:
            return ""
        if _ENDS_IN_HYPHEN.search(text):
            head = _PART.match(following)
            if head is not None and head[0] in JOINED_LATER:
                return " "
            return None if self._words.broken(text, following) else ""
        if _ENDS_OPEN.search(text):
            return ""
        return " " if wants_space(text[-1], following[0], self._spaced) else ""

    def _separate(self, draft: Draft) -> None:
        if self._made:
            item = draft.kind is BlockKind.LIST_ITEM is self._made[-1].kind
            self._write("\n" if item else "\n\n")

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _line(self, row: Row, found: Letters, *, own: bool = True) -> None:
        """Writes a line; one that is not the text's `own` repeats characters that are counted elsewhere."""
        page, start = row.page, self._length
        self._page_starts.setdefault(page.index, start)
        offset = self._offsets[page.index]
        if own:
            for a, b, c, d in found.runs:
                self._runs.extend((start + a, start + b, offset + c, offset + d))
        self._write(found.text)
        self._lines.append(Line(Span(start, self._length), page.index, box_of(row), row.font.name, row.size, found.edges))


def _coded(letters: Sequence[tuple[Row, Letters]]) -> Iterator[tuple[Row, Letters, str]]:
    """Lines of code, each on its own line, with as many spaces before it as it stands in."""
    left = min(row.x0 for row, _ in letters)
    widths = sorted((row.x1 - row.x0) / len(found.text) for row, found in letters)
    width = widths[len(widths) // 2] or 1.0
    for (row, found), (after, _) in pairwise(letters):
        yield row, found, "\n" + " " * round((after.x0 - left) / width)
    yield *letters[-1], ""


def _shortened(runs: Iterable[Run], length: int) -> Iterable[Run]:
    """The runs without the last character of the line."""
    for start, end, first, last in runs:
        if end <= length:
            yield start, end, first, last
        elif start < length:
            yield start, length, first, last - (end - length)


def box_of(row: Row) -> Box:
    """The box of a row on the page as shown, clipped to the page."""
    frame = row.page.frame
    width, height, turns = frame.width, frame.height, row.words[0].turns % 4
    y0, y1 = row.y0, row.y1
    if row.size >= 3 and y1 - y0 > (ASCENT + DESCENT) * row.size:
        y0, y1 = max(y0, row.base - ASCENT * row.size), min(y1, row.base + DESCENT * row.size)
    box = row.x0, min(y0, y1), row.x1, max(y0, y1)
    if turns:
        box = turned(box, -turns, *((height, width) if turns % 2 else (width, height)))
    x0, x1 = (min(max(value, 0.0), width) for value in (box[0], box[2]))
    y0, y1 = (min(max(value, 0.0), height) for value in (box[1], box[3]))
    return Box(x0, y0, max(x0, x1), max(y0, y1))


SAME_RANK = 0.92  # of the size: titles of two parts of a book are often set a point apart, levels two or more


def _levels(made: Sequence[_Made]) -> list[int | None]:
    """The level of each block that is a heading: the rank of its type among all headings; a number shifts it by its depth."""
    headings = [item for item in made if item.kind is BlockKind.HEADING]
    sizes = sorted({item.style for item in headings}, reverse=True)
    ranks: dict[tuple[float, bool], int] = {}
    rank, previous = 0, None
    for style in sizes:
        if previous is None or style[0] < SAME_RANK * previous[0] or previous[1] != style[1]:
            rank += 1
        ranks[style], previous = rank, style
    tops = [ranks[item.style] - item.depth + 1 for item in headings if item.depth]
    top = max(1, min(tops, default=1))
    return [
        None if item.kind is not BlockKind.HEADING else max(1, top + item.depth - 1) if item.depth else ranks[item.style]
        for item in made
    ]


def _style(draft: Draft) -> tuple[float, bool]:
    return round(draft.rows[0].size, 1), draft.rows[0].bold


def _block_id(number: int) -> str:
    return f"b{number:05d}"
