"""What the pages of a document have in common: size of the body, leading, column gutters. Learned from a sample."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pecia.parsing.pdf.glyphs import OBLIQUE, Fonts, PageGlyphs, Word
from pecia.parsing.pdf.gutters import Gutter
from pecia.parsing.pdf.marks import is_wide
from pecia.parsing.pdf.order import Column, columns_of

SAMPLE = 12  # pages, evenly spread; with 5 to 31 the golden documents come out alike
NOTED = 0.25  # of the commonest size: so many characters a larger one has at least to be the body above notes
TIGHTEST = 0.95  # of the size: lines that are closer are labels of a drawing, not text
LARGEST, LEAST_PROSE = 1.5, 150  # times the notes; its characters a page: titles over the text are larger or shorter
FLUSH = 0.8  # points within which two lines end at one edge
LEADING = 1.2  # of the size: where a size has no neighbours to learn from
INDENTED = 5  # first lines that stand in alike before the document is taken to indent them
HUNG = 2  # paragraphs whose other lines stand in alike before the document is taken to hang them
AGAIN = 2  # pages of the sample that a gutter stands on before it is known


@dataclass(frozen=True, slots=True)
class Profile:
    """`leading` is the usual distance of baselines by size, in points; `spaced` tells whether the document puts a
    space between Han characters and figures or Latin letters; `indent` is how far first lines stand in, in points,
    or 0 where the document does not indent them; `hang` how far the other lines do where first lines stand out;
    `tinted`: much of the text is in colour; `fixed`: much of it has letters of one width, as a typewriter does; `turns` are
    those of its words (`Word.turns`), as where Chinese is set vertically."""

    body: float
    leading: dict[float, float] = field(default_factory=dict)
    gutters: tuple[Gutter, ...] = ()
    indent: float = 0.0
    hang: float = 0.0
    spaced: bool = False
    tinted: bool = False
    fixed: bool = False
    turns: int = 0

    def leading_of(self, size: float) -> float:
        return self.leading.get(round(size, 1), LEADING * size)


def direction(pages: Sequence[PageGlyphs]) -> int:
    """The quarter turns of most glyphs; 0 where no right angle has more than half."""
    counts = Counter[int]()
    for page in sample(pages):
        for glyphs, _, turns in page.weights():
            counts[turns] += glyphs
    turns = max(counts, key=lambda way: counts[way], default=0)
    return turns if turns < OBLIQUE and 2 * counts[turns] > counts.total() else 0


def body_size(pages: Sequence[PageGlyphs], fonts: Fonts, way: int) -> float:
    """The size that most characters that run this way are set in, in points, or the larger one of the text above them where these
    are notes; 0 where there are none."""
    counts = [0] * len(fonts.known)
    for page in pages:
        for glyphs, font, turns in page.weights():
            if turns == way:
                counts[font] += glyphs
    weights = Counter[float]()
    for face, count in zip(fonts.known, counts, strict=True):
        if count:
            weights[round(face.size, 1)] += count
    most = max(weights, key=lambda size: (weights[size], size), default=0.0)
    least = max(NOTED * weights[most], LEAST_PROSE * len(pages))
    larger = [size for size in weights if most < size <= LARGEST * most and weights[size] >= least]
    above = max(larger, key=lambda size: (weights[size], size), default=most)
    return above if larger and _stands_above(above, most, pages, fonts, way) else most


def _stands_above(large: float, small: float, pages: Sequence[PageGlyphs], fonts: Fonts, way: int) -> bool:
    """On most pages that have both sizes, nearly all in the larger one stands higher than all in the smaller one."""
    both = above = 0
    for page in sample(pages):
        sizes = [(round(fonts[word.font].size, 1), word) for word in page.words() if word.turns == way]
        first = min((word.base for size, word in sizes if size == small), default=0.0)
        bases = [word.base for size, word in sizes if size == large]
        if first and bases:
            both += 1
            above += sum(base < first for base in bases) >= 0.9 * len(bases)
    return both > 1 and above > 0.7 * both


def sample(pages: Sequence[PageGlyphs]) -> Sequence[PageGlyphs]:
    """At most `SAMPLE` pages, evenly spread."""
    return pages[:: max(1, -(-len(pages) // SAMPLE))]


def learn(pages: Sequence[tuple[PageGlyphs, Sequence[Word]]], fonts: Fonts, body: float, turns: int) -> Profile:
    """The profile from pages with the words that are left once furniture is taken out."""
    found: list[Gutter] = []
    distances: dict[float, Counter[float]] = defaultdict(Counter)
    seams, tints, widths = Counter[bool](), Counter[bool](), Counter[bool]()
    insets, hangs = Counter[float](), Counter[float]()
    for page, words in pages:
        columns = list(columns_of(words, page, fonts))
        found += gutters_of(columns)
        for column in columns:
            _measure(column, distances)
            insets.update(_first_lines(column))
            hangs.update(_hung_lines(column))
        own = [word for word in words if word.start >= 0]
        for before, after in pairwise(own):
            if page.chars[after.start].isascii() and page.chars[after.start].isalnum():
                seams[True] += is_wide(page.chars[before.end - 1])
        for word in own:
            text = page.text(word)
            tints[fonts[word.font].tinted] += len(text)
            widths[fonts[word.font].fixed] += len(text)
            if not text.isascii():
                seams[False] += sum(is_wide(a) and b.isascii() and b.isalnum() for a, b in pairwise(text))
    leading = {size: min(counter, key=lambda gap: (-counter[gap], gap)) for size, counter in distances.items()}
    gutters = _known(found, 1 if len(pages) < AGAIN * 2 else AGAIN)
    indent = max(insets, key=lambda inset: insets[inset], default=0.0)
    indent = indent if insets[indent] >= INDENTED else 0.0
    hang = max(hangs, key=lambda inset: hangs[inset], default=0.0)
    hang = hang if hangs[hang] >= HUNG and abs(hang - indent) > 1.0 else 0.0
    tinted, fixed = 4 * tints[True] > tints[False], widths[True] > widths[False]
    return Profile(body, leading, gutters, indent, hang, seams[True] > seams[False], tinted, fixed, turns)


def gutters_of(columns: Sequence[Column]) -> list[Gutter]:
    """The strips between columns that stand side by side, one of each."""
    found: list[Gutter] = []
    for left, right in pairwise(columns):
        beside = left.rows[-1].y1 > right.rows[0].y0
        if beside and right.x0 > left.x1 and not any(abs(left.x1 - other.x0) < 3 for other in found):
            found.append(Gutter(left.x1, right.x0, left.x0, right.x1))
    return found


def _known(found: Sequence[Gutter], again: int) -> tuple[Gutter, ...]:
    groups: list[list[Gutter]] = []
    for gutter in sorted(found, key=lambda gutter: (gutter.x0 + gutter.x1, gutter.left)):
        for group in groups:  # the outer edge tells left pages from right ones; ragged lines leave the gutter's own edges vague
            first = group[0]
            if abs(gutter.left - first.left) < 2 and abs(gutter.x0 + gutter.x1 - first.x0 - first.x1) < 16:
                group.append(gutter)
                break
        else:
            groups.append([gutter])
    groups = sorted((group for group in groups if len(group) >= again), key=len, reverse=True)
    # The narrowest strip of a group: a column of short lines makes its gutter look wider than it is.
    return tuple(
        Gutter(
            max(item.x0 for item in group), min(item.x1 for item in group),
            min(item.left for item in group), max(item.right for item in group),
        )
        for group in groups[:6]
    )  # fmt: skip


def _measure(column: Column, distances: dict[float, Counter[float]]) -> None:
    """The distances of lines from full ones: of a single page a head or folio beside the text may widen the column."""
    edges: dict[float, float] = {}
    for row in column.rows:
        edges[round(row.size, 1)] = max(row.x1, edges.get(round(row.size, 1), 0.0))
    for above, below in pairwise(column.rows):
        full = above.x1 >= edges[round(above.size, 1)] - 2 * above.size or abs(above.x1 - below.x1) <= FLUSH
        if full and abs(above.size - below.size) < 0.1 and not above.tabular:
            gap = round(below.base - above.base, 1)
            if TIGHTEST * above.size < gap < 3 * above.size:
                distances[round(above.size, 1)][gap] += 1


def _first_lines(column: Column) -> Iterator[float]:
    """How far lines stand in that the next line, flush with the column, goes on with; to half a point."""
    for above, below in pairwise(column.rows):
        inset = above.x0 - column.x0
        word = below.words[0]
        if (
            0.6 * above.size < inset < 4 * above.size
            and abs(below.x0 - column.x0) < 1.0
            and abs(above.size - below.size) < 0.1
            and below.base - above.base < 1.5 * above.size
            and column.x1 - above.x1 < max(1.0, word.x1 - word.x0)  # in ragged text the next word did not fit
        ):
            yield round(2 * inset) / 2


def _hung_lines(column: Column) -> Iterator[float]:
    """How far the two lines stand in that follow a line flush with the column; to half a point."""
    for first, second, third in zip(column.rows, column.rows[1:], column.rows[2:], strict=False):
        inset = second.x0 - first.x0
        step = second.base - first.base
        close = step < 2.2 * first.size and third.base - second.base < 1.2 * step
        alike = abs(first.size - second.size) < 0.1 and abs(third.size - second.size) < 0.1
        hung = abs(first.x0 - column.x0) < 1.0 and abs(second.x0 - third.x0) < 1.0
        if close and alike and hung and 0.6 * first.size < inset < 4 * first.size:
            yield round(2 * inset) / 2
