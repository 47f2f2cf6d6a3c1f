"""Stacked fractions: a bar with one line over and one line under it, centred on it, after an equals sign.

Only these have a linear reading that is certain: `a = [b] / [c]`. Everything else stays as its lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pecia.model import BlockKind
from pecia.parsing.pdf.drawings import Ruling
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs, Word
from pecia.parsing.pdf.rows import Row, rows_of
from pecia.parsing.pdf.sketch import Corners, bare, hold

SHORTEST, LONGEST = 10.0, 360.0  # points of a bar
MOST = 200  # bars of a page
OVER, UNDER = 1.0, 1.5  # of the size: so far above and below the bar baselines stand, at most
BESIDE = 0.9  # of the size: so far from the bar the baseline of what stands before or after it is
CENTRED = 3.0  # points, or a tenth of the bar
NEAR = 2.5  # of the size: between the bar and the words before or after it


@dataclass(slots=True)
class Fraction:
    """The rows of `before = over / under after`; what stands after is mostly nothing."""

    page: PageGlyphs
    fonts: Fonts = field(repr=False)
    before: Row
    over: Row
    under: Row
    after: Row | None = None
    kind: BlockKind = BlockKind.FORMULA

    @property
    def box(self) -> Corners:
        return bare(self.words())

    def words(self) -> Iterator[Word]:
        for row in (self.before, self.over, self.under, self.after):
            yield from row.words if row is not None else ()


def find_fractions(page: PageGlyphs, words: Sequence[Word], fonts: Fonts) -> None:
    """Adds the fractions of the page, with a word to stand in for each. `words` are those of the body, upright."""
    bars = [bar for bar in page.across if SHORTEST <= bar.end - bar.start <= LONGEST]
    if len(bars) > MOST:
        return  # a drawing
    free = [word for word in words if word.start >= 0]
    for bar in bars:
        near = [word for word in free if abs(word.base - bar.at) < 2 * fonts[word.font].size and word.start not in page.held]
        found = _fraction(page, near, fonts, bar) if near else None
        if found is not None:
            page.held |= {word.start for word in found.words()}
            page.stand_ins.append(hold(page, found, found.box, found.over.words[0].font, found.before.base))


def _fraction(page: PageGlyphs, near: Sequence[Word], fonts: Fonts, bar: Ruling) -> Fraction | None:
    inside = [word for word in near if bar.start - 2 < word.x0 and word.x1 < bar.end + 2]
    over = [word for word in inside if 0 <= bar.at - word.base < OVER * fonts[word.font].size]
    under = [word for word in inside if 0 < word.base - bar.at < UNDER * fonts[word.font].size]
    parts = [rows_of(part, page, fonts) for part in (over, under)]
    if any(len(part) != 1 for part in parts):
        return None
    top, bottom = parts[0][0], parts[1][0]
    middle, slack = bar.start + bar.end, 2 * max(CENTRED, 0.1 * (bar.end - bar.start))
    if any(abs(row.x0 + row.x1 - middle) > slack for row in (top, bottom)):
        return None
    size = top.size
    beside = [word for word in near if word not in inside and abs(word.base - bar.at - 0.3 * size) < BESIDE * size]
    before, after = (
        _joined(sorted(part, key=lambda word: word.x0), page, fonts, size, backwards=backwards)
        for part, backwards in (
            ([word for word in beside if word.x1 <= bar.start + 1], True),
            ([word for word in beside if word.x0 >= bar.end - 1], False),
        )
    )
    if before is None or bar.start - before.x1 > NEAR * size or not before.text.rstrip().endswith("="):
        return None
    if after is not None and after.x0 - bar.end > NEAR * size:
        after = None
    return Fraction(page, fonts, before, top, bottom, after)


def _joined(words: Sequence[Word], page: PageGlyphs, fonts: Fonts, size: float, *, backwards: bool) -> Row | None:
    """The words of one line next to the bar, up to the first wide gap."""
    rows = rows_of(words, page, fonts)
    if not rows:
        return None
    row = max(rows, key=lambda row: row.x1) if backwards else min(rows, key=lambda row: row.x0)
    held = row.words[::-1] if backwards else row.words
    kept = held[:1]
    for word in held[1:]:
        gap = kept[-1].x0 - word.x1 if backwards else word.x0 - kept[-1].x1
        if gap > size:
            break
        kept.append(word)
    return Row.of(kept, page, fonts)
