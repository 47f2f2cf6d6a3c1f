"""Words on one baseline gathered into rows; nothing here knows of columns."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING, cast

from pecia.model import BlockKind
from pecia.parsing.pdf.glyphs import LEFTWARDS, Font, Fonts, PageGlyphs, Word
from pecia.parsing.pdf.marks import is_item_mark, is_note_mark

if TYPE_CHECKING:
    from pecia.parsing.pdf.fractions import Fraction
    from pecia.parsing.pdf.pictures import Picture
    from pecia.parsing.pdf.sketch import Sketch

SAME_BASE = 0.25  # of the smaller size: two words within it share a baseline
SMALL = 0.86  # a word this much smaller than its neighbour may be its super- or subscript; some are set at 0.83
LEAD = 4.0  # of the size: so far before the text of a note its mark may stand
MARKS = 3  # words of a line that may all be marks raised behind one word
CODE = 0.8  # share of the letters of a line of code that are of one width
GLUED = 0.1  # of the size: parts of one word stand no farther apart
HIGH = 1.1  # of the size: over Han the mark of a note may stand above the line, by itself
WIDE_GAP = 2.0  # of the size: a gap of this width is no space between words…
UNEVEN = 2.0  # …unless the line is stretched evenly: justified text has gaps alike


@dataclass(slots=True)
class Row:
    """Words in the order in which they are read, with the box around them. `font` is that of most characters."""

    words: list[Word]
    page: PageGlyphs
    fonts: Fonts = field(repr=False)
    x0: float = 0.0
    y0: float = 0.0
    x1: float = 0.0
    y1: float = 0.0
    base: float = 0.0
    font: Font = field(default_factory=lambda: Font("", 0.0))
    bold: bool = False
    _text: str | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, words: Iterable[Word], page: PageGlyphs, fonts: Fonts) -> Row:
        held = sorted(words, key=_left)
        if len(held) > 1 and page.has_leftwards and _runs_leftwards(held, page):
            held.reverse()
        row = cls(held, page, fonts)
        first = held[0]
        x0, y0, x1, y1 = first.x0, first.y0, first.x1, first.y1
        weights: dict[int, int] = {}
        for word in held:  # comparisons: calls of min and max would take twice the time
            if word.x0 < x0:
                x0 = word.x0
            if word.y0 < y0:
                y0 = word.y0
            if word.x1 > x1:
                x1 = word.x1
            if word.y1 > y1:
                y1 = word.y1
            weights[word.font] = weights.get(word.font, 0) + word.end - word.start
        row.x0, row.y0, row.x1, row.y1 = x0, y0, x1, y1
        row.font = fonts[max(weights, key=weights.__getitem__)]
        if len(weights) == 1:
            row.base = first.base
        else:
            large = max(fonts[number].size for number in weights)
            row.base = next(word.base for word in held if fonts[word.font].size == large)
        row.bold = all(fonts[number].bold for number in weights) or (row.font.bold and _are_borrowed(held, row.font, fonts))
        return row

    def halves(self, x: float) -> tuple[Row | None, Row | None]:
        """The words that end at or before `x`, and the others."""
        left = [word for word in self.words if word.x1 <= x]
        if len(left) == len(self.words):
            return self, None
        right = [word for word in self.words if word.x1 > x]
        return Row.of(left, self.page, self.fonts) if left else None, Row.of(right, self.page, self.fonts) if left else self

    @property
    def size(self) -> float:
        return self.font.size

    @property
    def lifted(self) -> Sketch | Fraction | Picture | None:
        """The table, picture or formula that the row stands in for, if it does."""
        start = self.words[0].start
        return self.page.lifted[-1 - start] if start < 0 else None

    @property
    def table(self) -> Sketch | None:
        found = self.lifted
        return cast("Sketch", found) if found is not None and found.kind is BlockKind.TABLE else None

    @property
    def fraction(self) -> Fraction | None:
        found = self.lifted
        return cast("Fraction", found) if found is not None and found.kind is BlockKind.FORMULA else None

    @property
    def picture(self) -> Picture | None:
        found = self.lifted
        return cast("Picture", found) if found is not None and found.kind is BlockKind.FIGURE else None

    def apart(self) -> Iterator[Row]:
        """The row itself, or where tables stand in it, these and what is beside them as rows of their own."""
        if len(self.words) == 1 or all(word.start >= 0 for word in self.words):
            yield self
            return
        for is_table, group in groupby(self.words, key=lambda word: min(0, word.start)):
            held = list(group)
            yield from (
                (Row.of([word], self.page, self.fonts) for word in held) if is_table else [Row.of(held, self.page, self.fonts)]
            )

    def raises(self, word: Word) -> bool:
        """True for a word that is smaller than the row and stands above its baseline."""
        return self.fonts[word.font].size <= 0.85 * self.size and word.base < self.base - 0.1 * self.size

    @property
    def is_led(self) -> bool:
        """The first word is the mark of an item or of a note, and text follows."""
        return len(self.words) > 1 and (is_item_mark(self.page.text(self.words[0])) or self.raises(self.words[0]))

    @property
    def inset(self) -> float:
        """Where the text after that mark begins, else the words; points from the left of the page."""
        return self.words[1].x0 if self.is_led else self.x0

    @property
    def fixed(self) -> bool:
        """Nearly all its letters are equally wide, as those of code are; a number of the line may stand beside them."""
        if not self.font.fixed or self.words[0].turns:
            return False
        held = [(word.end - word.start, self.fonts[word.font].fixed) for word in self.words]
        return sum(size for size, fixed in held if fixed) >= CODE * sum(size for size, _ in held)

    @property
    def text(self) -> str:
        """In NFC, as the words that are looked for in it are. Made once: it is asked for five times in the mean."""
        if self._text is None:
            chars = self.page.chars
            text = " ".join([chars[word.start : word.end] for word in self.words])
            self._text = text if text.isascii() else unicodedata.normalize("NFC", text)
        return self._text

    @property
    def leftwards(self) -> bool:
        return len(self.words) > 1 and self.words[0].x0 > self.words[-1].x0

    def pieces(self, gap: float) -> Iterator[Row]:
        """The row cut at every gap of `gap` points or more."""
        held = self.words[:1]
        for before, word in pairwise(self.words):
            if word.x0 - before.x1 >= gap:
                yield Row.of(held, self.page, self.fonts)
                held = []
            held.append(word)
        if held:
            yield Row.of(held, self.page, self.fonts)

    @property
    def tabular(self) -> bool:
        """True where a gap stands in the row that is much wider than the others: cells, not words. The gap after the mark of
        an item or note that leads the row is none."""
        gaps = [after.x0 - before.x1 for before, after in pairwise(self.words[1:] if self.is_led else self.words)]
        widest = max(gaps, default=0.0)
        if widest < WIDE_GAP * self.size:
            return False
        return len(gaps) < 3 or widest >= UNEVEN * (usual := median(gaps)) or usual >= WIDE_GAP * self.size


_left = attrgetter("x0")
_place = attrgetter("base", "x0")


def _are_borrowed(words: Sequence[Word], font: Font, fonts: Fonts) -> bool:
    """What is not bold are letters within words that the bold font lacks and another family lends: a browser writes `ử` so."""
    family = _family(font.name)
    for at, word in enumerate(words):
        other = fonts[word.font]
        if not other.bold:
            gaps = [words[at + 1].x0 - word.x1] if at + 1 < len(words) else []
            gaps += [word.x0 - words[at - 1].x1] if at else []
            if _family(other.name) == family or not gaps or min(gaps) > GLUED * font.size:
                return False
    return True


def _family(name: str) -> str:
    return re.split("[-,]", name, maxsplit=1)[0].lower()


def _runs_leftwards(words: list[Word], page: PageGlyphs) -> bool:
    """Arabic or Hebrew in most words: the first word stands at the right."""
    return 2 * sum(LEFTWARDS.match(page.chars[word.start]) is not None for word in words if word.start >= 0) > len(words)


def rows_of(words: Iterable[Word], page: PageGlyphs, fonts: Fonts) -> list[Row]:
    """The rows from the top. Raised and lowered small words belong to the row of the words that they touch."""
    held = sorted(words, key=_place)
    groups: list[list[Word]] = []
    base = size = 0.0
    for word in held:
        own = fonts[word.font].size
        if groups and word.base - base <= SAME_BASE * min(size, own):
            groups[-1].append(word)
            size = max(size, own)
            continue
        groups.append([word])
        base, size = word.base, own
    groups = _attach(groups, page, fonts)
    return [Row.of(group, page, fonts) for group in groups]


def _attach(groups: list[list[Word]], page: PageGlyphs, fonts: Fonts) -> list[list[Word]]:
    """Moves scripts into the rows that they touch, and the mark of a note into the row that it leads, `groups` sorted by
    baseline. The group that a script is found in may be a line of another column, so each small word is looked at by itself,
    once."""
    moved = set[int]()
    sizes = [max(fonts[number].size for number in {word.font for word in group}) for group in groups]
    bases = [group[0].base for group in groups]
    edges: dict[int, list[tuple[float, float]]] = {}
    for number, group in enumerate(groups):
        for own in sorted({fonts[word.font].size for word in group}, reverse=True):
            near = range(bisect_left(bases, bases[number] - 2 * own), bisect_right(bases, bases[number] + 2 * own))
            hosts = [other for other in near if sizes[other] * SMALL >= own and other != number][:8]
            small = [word for word in group if fonts[word.font].size == own and word.start >= 0] if hosts else []
            for word in small:
                if word.start in moved or (
                    len(group) > MARKS and _touches(word, _edges(edges, groups, number), 0.5 * own, itself=True)
                ):
                    continue
                for host in hosts:
                    size, up = sizes[host], bases[host] - word.base
                    mark = own < 0.8 * size and 0.1 * size < up and is_note_mark(page.text(word))
                    if abs(up) > 0.6 * size and not (mark and up <= HIGH * size and len(group) <= MARKS):
                        continue
                    held = _edges(edges, groups, host)
                    # A full stop of Han leaves half of its square empty.
                    if _touches(word, held, (0.6 if mark else 0.4) * size) or (mark and 0 <= held[0][0] - word.x1 <= LEAD * size):
                        group.remove(word)
                        groups[host].append(word)
                        edges.pop(host, None)  # what follows may touch this word
                        moved.add(word.start)
                        break
    return [group for group in groups if group]


def _edges(known: dict[int, list[tuple[float, float]]], groups: list[list[Word]], number: int) -> list[tuple[float, float]]:
    if number not in known:
        known[number] = sorted((word.x0, word.x1) for word in groups[number])
    return known[number]


def _touches(word: Word, edges: list[tuple[float, float]], near: float, *, itself: bool = False) -> bool:
    """Whether a word of the row stands within `near` points; `itself`: the word is in the row."""
    at = bisect_left(edges, (word.x0, word.x1))
    return any(
        edges[index][0] - near <= word.x1 and word.x0 <= edges[index][1] + near
        for index in ((at - 1, at + 1) if itself else (at - 1, at))
        if 0 <= index < len(edges)
    )
