"""Characters of a page as pdfium gives them, gathered into words with boxes, baselines and fonts.

Must not decide anything about lines, columns or paragraphs. Offsets are pdfium's character indexes on the page.
"""

from __future__ import annotations

import ctypes
import re
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, repeat
from math import hypot
from operator import sub
from typing import TYPE_CHECKING

import pypdfium2

from pecia.parsing.pdf import native
from pecia.parsing.pdf.drawings import Ruling
from pecia.parsing.pdf.frame import Frame, turned
from pecia.parsing.pdf.marks import is_wide

if TYPE_CHECKING:
    from pecia.parsing.pdf.fractions import Fraction
    from pecia.parsing.pdf.pictures import Picture
    from pecia.parsing.pdf.regions import Region
    from pecia.parsing.pdf.sketch import Sketch

WRAP_MARK = 0xFFFE  # what GetText says for a hyphen at the end of a line; GetUnicode says 2
DUPLICATE = 0.1  # of the size: as near as overprinted glyphs (fake bold) stand to each other
STRAIGHT = 0.001  # slope up to which a line of 600 points ends where it began, within half a point
WRAP = "\ufffe"  # stands in `marked` text for a hyphen that may be the typesetter's
LONG = 12  # glyphs; a longer run is searched for changes of font
LEFTWARDS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
OBLIQUE = 4  # `Word.turns` of text that stands on the page at no right angle
DOWNWARDS = 3  # `Word.turns` of text that runs from the top to the bottom, its lines from the right to the left
SQUARE = 1.3  # times the height of a Han character: what is wider is no vertical line
CENTRED = 0.12  # of a vertical line's width: where the baseline of Han type would be, on its left
BOLD_WEIGHT = 600
BOLD_NAMES = ("bold", "black", "heavy", "demi")
# Names that state a weight below bold. Then the stem width that pdfium makes a weight of does not count: some printers write
# one that would make every page bold (704 for a regular face).
PLAIN_NAMES = (b"regular", b"-roman", b"book", b"light", b"medium", b"italic", b"oblique")
ITALIC_NAMES = ("italic", "oblique")
FIXED_NAMES = ("mono", "courier", "consol", "typewriter", "cmtt", "cmsltt", "sftt", "txtt", "menlo", "sourcecode", "firacode")
NOT_FIXED = ("monotype",)
FILL_AND_STROKE = 2
TINTED = 40  # of 255 between the strongest and the weakest of red, green and blue: dark greys of scans and CMYK stay below


@dataclass(frozen=True, slots=True)
class Font:
    """A face at a size in points as shown. Filled and stroked text counts as bold: that is how a printer fakes it.
    `tinted`: in a colour, not black, white or grey; `fixed`: by its name all letters are equally wide, as code is set."""

    name: str
    size: float
    bold: bool = False
    italic: bool = False
    tinted: bool = False
    fixed: bool = False


@dataclass(slots=True)
class Word:
    """Glyphs without white space between them, [start, end) on the page. The box is in the frame in which the word
    runs from left to right: the page as shown, turned clockwise by `turns` quarter turns."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    font: int
    turns: int = 0


@dataclass(slots=True)
class PageGlyphs:
    """What one page holds. `chars` has one character per pdfium index; the second half of a pair is U+0000. `wraps`
    are the hyphens at which pdfium joins two lines without a line break, `pictures` what is drawn, `across` and `down` the
    rulings, `shades` the upper and lower edges of filled boxes. `lifted` are tables, pictures and formulas, `held` tells where
    the words in them and in furniture start, `captions` where captions of pictures do, and `stand_ins` are the words that hold
    the places of what is lifted; `is_lifted`: it was looked for.

    Packed in arrays, about 12 bytes a glyph: furniture needs all pages before the first one can be read.
    """

    index: int
    frame: Frame
    chars: str = ""
    lefts: array[float] = field(default_factory=lambda: array("f"))
    wraps: list[int] = field(default_factory=list)
    pictures: tuple[Region, ...] = ()
    across: list[Ruling] = field(default_factory=list)
    down: list[Ruling] = field(default_factory=list)
    shades: list[Ruling] = field(default_factory=list)
    lifted: list[Sketch | Fraction | Picture] = field(default_factory=list)
    is_lifted: bool = False
    held: set[int] = field(default_factory=set)
    captions: set[int] = field(default_factory=set)
    stand_ins: list[Word] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    visible: int = 0
    _has_leftwards: bool | None = field(default=None, init=False, repr=False)
    _numbers: array[int] = field(default_factory=lambda: array("i"))
    _boxes: array[float] = field(default_factory=lambda: array("f"))

    def add(self, word: Word) -> None:
        self._numbers.extend((word.start, word.end, word.font, word.turns))
        self._boxes.extend((word.x0, word.y0, word.x1, word.y1, word.base))

    def words(self) -> Iterator[Word]:
        numbers, boxes = self._numbers, self._boxes
        starts, ends, fonts, turns = (numbers[at::4] for at in range(4))
        x0, y0, x1, y1, base = (boxes[at::5] for at in range(5))
        return map(Word, starts, ends, x0, y0, x1, y1, base, fonts, turns)

    def weights(self) -> Iterator[tuple[int, int, int]]:
        """Number of glyphs, font and turns of each word, without making the words."""
        numbers = self._numbers
        return zip(map(sub, numbers[1::4], numbers[0::4]), numbers[2::4], numbers[3::4], strict=True)

    @property
    def has_leftwards(self) -> bool:
        """Whether a letter of Arabic or Hebrew stands on the page; looked up once."""
        if self._has_leftwards is None:
            self._has_leftwards = LEFTWARDS.search(self.chars) is not None
        return self._has_leftwards

    def text(self, word: Word) -> str:
        return self.chars[word.start : word.end]

    def marked(self) -> str:
        """The characters in pdfium's order, `WRAP` in place of each hyphen at which two lines were joined."""
        if not self.wraps:
            return self.chars
        chars = list(self.chars)
        for at in self.wraps:
            chars[at] = WRAP
        return "".join(chars)

    def drop(self, word: Word, reason: str) -> None:
        self.dropped[reason] += word.end - word.start


class Fonts:
    """All fonts of a document, told apart by name, size, weight and slope; a word holds the number of its font."""

    def __init__(self) -> None:
        self.known: list[Font] = []
        self._numbers: dict[Font, int] = {}

    def number(self, font: Font) -> int:
        number = self._numbers.setdefault(font, len(self.known))
        if number == len(self.known):
            self.known.append(font)
        return number

    def __getitem__(self, number: int) -> Font:
        return self.known[number]


def read_page(page: pypdfium2.PdfPage, index: int, frame: Frame, fonts: Fonts) -> PageGlyphs:
    """The glyphs of a page; those that stand outside it or are printed twice at one place are counted as dropped."""
    glyphs = PageGlyphs(index, frame)
    textpage = page.get_textpage()
    try:
        handle = native.address_of(textpage.raw)
        count = native.count_chars(handle)
        if count > 0:
            units, spaces = _units(handle, count)
            glyphs.chars, glyphs.visible = _characters(units), count - spaces
            glyphs.wraps = [index for index, unit in enumerate(units) if unit == WRAP_MARK]
            _gather(handle, glyphs, fonts)
    finally:
        textpage.close()
    return glyphs


def _units(handle: int, count: int) -> tuple[list[int], int]:
    """One UTF-16 unit per index, and how many are white space by the count that the ledger trusts (GetText)."""
    buffer = (ctypes.c_uint16 * (2 * count + 2))()
    written = max(0, native.get_text(handle, 0, count, ctypes.addressof(buffer)) - 1)
    units = buffer[:written]
    spaces = sum(map(str.isspace, map(chr, units)))
    if written != count:  # characters without Unicode are left out of the text: ask for each
        units = [native.unicode_of(handle, index) for index in range(count)]
        units = [WRAP_MARK if unit == 2 and native.is_hyphen(handle, at) == 1 else unit for at, unit in enumerate(units)]
    return units, spaces


def _characters(units: Sequence[int]) -> str:
    text = "".join("-" if unit == WRAP_MARK else chr(unit) for unit in units)
    return _paired(text) if any(0xD800 <= unit < 0xE000 for unit in units) else text


def _paired(text: str) -> str:
    """UTF-16 halves joined, as long as before; a lone half becomes U+FFFD."""
    units, at = list(text), 0
    while at < len(units):
        if "\ud800" <= units[at] < "\ue000":
            pair = "".join(units[at : at + 2])
            if len(pair) == 2 and pair[0] < "\udc00" <= pair[1] < "\ue000":
                units[at : at + 2] = pair.encode("utf-16-le", "surrogatepass").decode("utf-16-le"), "\0"
                at += 1
            else:
                units[at] = "\ufffd"
        at += 1
    return "".join(units)


def _gather(handle: int, glyphs: PageGlyphs, fonts: Fonts) -> None:
    frame, chars = glyphs.frame, glyphs.chars
    count = len(chars)
    buffer = (ctypes.c_float * (4 * count))()
    start, step = ctypes.addressof(buffer), native.RECT_BYTES
    deque(map(native.loose_box, repeat(handle), range(count), range(start, start + count * step, step)), maxlen=0)
    lefts, tops, rights, bottoms = _shown(frame, buffer[0::4], buffer[1::4], buffer[2::4], buffer[3::4])
    glyphs.lefts = array("f", lefts)
    faces = _Faces(handle, frame, fonts)
    found = []
    sides = (frame.width, frame.height), (frame.height, frame.width)
    runs = list(_runs(chars, lefts, tops, rights, bottoms))
    columns = _vertical(runs, chars, lefts, tops, rights, bottoms)
    for first, last, face in faces.parts(runs, columns):
        x0, y0, x1, y1 = min(lefts[first:last]), min(tops[first:last]), max(rights[first:last]), max(bottoms[first:last])
        base, turns = face.base if face.base is not None else faces.base(first, face.turns), face.turns
        if (first, last) in columns:
            turns = DOWNWARDS
            x0, y0, x1, y1 = turned((x0, y0, x1, y1), turns, *sides[0])
            base = y1 - CENTRED * (y1 - y0)
        elif turns % 4:
            x0, y0, x1, y1 = turned((x0, y0, x1, y1), turns, *sides[0])
        word = Word(first, last, x0, y0, x1, y1, base, face.font, turns)
        width, height = sides[turns % 2]
        if x1 < 0 or y1 < 0 or x0 > width or y0 > height:
            glyphs.drop(word, "outside the page")
        else:
            found.append(word)
    for word in _single(glyphs, found, fonts):
        glyphs.add(word)


def _shown(
    frame: Frame, left: list[float], top: list[float], right: list[float], bottom: list[float]
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Left, top, right and bottom of all glyphs in the frame that a viewer shows, y downwards."""
    a, b, c, d, e, f = frame.matrix
    if frame.turns == 0:
        return (
            [a * x + e for x in left],
            [d * y + f for y in top],
            [a * x + e for x in right],
            [d * y + f for y in bottom],
        )
    if frame.turns == 2:
        return (
            [a * x + e for x in right],
            [d * y + f for y in bottom],
            [a * x + e for x in left],
            [d * y + f for y in top],
        )
    if frame.turns == 1:
        return (
            [c * y + e for y in bottom],
            [b * x + f for x in left],
            [c * y + e for y in top],
            [b * x + f for x in right],
        )
    return [c * y + e for y in top], [b * x + f for x in right], [c * y + e for y in bottom], [b * x + f for x in left]


def _runs(
    chars: str, lefts: list[float], tops: list[float], rights: list[float], bottoms: list[float]
) -> Iterator[tuple[int, int]]:
    """Stretches without white space whose glyphs touch one another: pdfium follows the content stream, which may jump
    from one column to the other without a space between. Half the size of a glyph apart, in any direction, is a jump."""
    jumps = {
        at
        for at, (left, top, right, bottom, left2, top2, right2, bottom2) in enumerate(
            zip(lefts, tops, rights, bottoms, lefts[1:], tops[1:], rights[1:], bottoms[1:], strict=False), 1
        )
        if left2 - right > (limit := 0.25 * (bottom - top + right - left))
        or left - right2 > limit
        or top2 - bottom > limit
        or top - bottom2 > limit
    }
    start = -1
    for at, char in enumerate(chars):
        if char.isspace():
            if start >= 0:
                yield start, at
            start = -1
        elif start < 0:
            start = at
        elif at in jumps and chars[at] != "\0":
            yield start, at
            start = at
    if start >= 0:
        yield start, len(chars)


def _vertical(
    runs: Sequence[tuple[int, int]], chars: str, lefts: list[float], tops: list[float], rights: list[float], bottoms: list[float]
) -> set[tuple[int, int]]:
    """The runs of upright glyphs below one another, as in vertical Chinese and Japanese, with the figures that stand side by side
    in them. Where most of a page is set so, a character alone, or with a mark that its type moves up to it, is too."""
    found, narrow = set[tuple[int, int]](), set[tuple[int, int]]()
    for first, last in runs:
        width, height = max(rights[first], rights[last - 1]) - min(lefts[first], lefts[last - 1]), bottoms[first] - tops[first]
        if width < SQUARE * height and any(map(is_wide, chars[first:last])):
            steps = sum(below - above > 0.5 * height for above, below in pairwise(tops[first:last]))
            (found if 2 * steps >= last - first > 1 else narrow).add((first, last))
    if 2 * sum(last - first for first, last in found) > sum(last - first for first, last in runs):
        found |= narrow
    return found


@dataclass(frozen=True, slots=True)
class _Face:
    """What the glyphs of one text object share; the baseline only where it runs along an edge of the page."""

    font: int
    turns: int
    base: float | None
    near: float  # baselines this close are one

    def differs(self, other: _Face) -> bool:
        if self is other:
            return False
        far = self.base is not None and other.base is not None and abs(self.base - other.base) > self.near
        return far or self.font != other.font or self.turns != other.turns


class _Faces:
    """Font, direction and baseline of words; pdfium is asked once per text object for what the object shares."""

    def __init__(self, handle: int, frame: Frame, fonts: Fonts) -> None:
        self._handle, self._frame, self._fonts = handle, frame, fonts
        self._seen: dict[int | None, _Face] = {}
        self._looks: dict[tuple[bytes, float, bool, bool], int] = {}
        self._name = ctypes.create_string_buffer(256)
        self._flags = ctypes.c_int()
        self._matrix = (ctypes.c_float * 6)()
        self._colour = (ctypes.c_uint * 4)()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._at = ctypes.addressof(self._x), ctypes.addressof(self._y)

    def parts(self, runs: Sequence[tuple[int, int]], whole: Container[tuple[int, int]]) -> Iterator[tuple[int, int, _Face]]:
        """The runs cut where font or baseline change, but for those that stay `whole`. Short ones are cut only where their
        ends differ, as a footnote mark does from its word; Chinese has a whole line in one run."""
        ask = partial(native.text_object, self._handle)
        firsts, lasts = (start for start, _ in runs), (end - 1 for _, end in runs)
        for (start, end), item, last in zip(runs, map(ask, firsts), map(ask, lasts), strict=True):
            face = self._face(start, item)
            if (start, end) in whole:
                yield start, end, face
            elif end - start > LONG or (item != last and face.differs(self._face(end - 1, last))):
                yield from self._cut(start, item, map(ask, range(start + 1, end)))
            else:
                yield start, end, face

    def _cut(self, start: int, item: int | None, others: Iterable[int | None]) -> Iterator[tuple[int, int, _Face]]:
        """One run, from the text object of its first glyph and those of the others."""
        face, at = self._face(start, item), start
        for at, other in enumerate(others, start + 1):
            if other != item and face.differs(own := self._face(at, other)):
                yield start, at, face
                start, face = at, own
            item = other
        yield start, at + 1, face

    def base(self, index: int, turns: int) -> float:
        """The baseline of a glyph, in the frame in which it runs from left to right."""
        native.origin_of(self._handle, index, *self._at)
        a, b, c, d, e, f = self._frame.matrix
        x, y = self._x.value, self._y.value
        shown = a * x + c * y + e, b * x + d * y + f
        return turned((*shown, *shown), turns % 4, self._frame.width, self._frame.height)[1]

    def _face(self, index: int, item: int | None) -> _Face:
        known = self._seen.get(item)
        if known is None:
            known = self._seen[item] = self._ask(index, item)
        return known

    def _ask(self, index: int, item: int | None) -> _Face:
        handle = self._handle
        native.font_info(handle, index, self._name, 256, ctypes.addressof(self._flags))
        a, b, c, d = 1.0, 0.0, 0.0, 1.0
        if native.matrix_of(handle, index, ctypes.addressof(self._matrix)):
            a, b, c, d = self._matrix[:4]
        size = round(native.font_size(handle, index) * hypot(c, d) * self._frame.unit, 2)
        heavy = native.font_weight(handle, index) >= BOLD_WEIGHT
        heavy = heavy and not any(part in self._name.value.lower() for part in PLAIN_NAMES)
        heavy = heavy or (bool(item) and native.render_mode(item) == FILL_AND_STROKE)
        turns = self._turns(a, b)
        straight = turns != OBLIQUE and min(abs(a), abs(b)) < STRAIGHT * max(abs(a), abs(b))
        base = self.base(index, turns) if straight else None
        at = ctypes.addressof(self._colour)
        colours = self._colour[:3] if native.fill_color(handle, index, at, at + 4, at + 8, at + 12) else [0]
        look = self._name.value, size, heavy, max(colours) - min(colours) > TINTED
        number = self._looks.get(look)
        if number is None:
            number = self._looks[look] = self._fonts.number(_font(*look))
        return _Face(number, turns, base, 0.1 * size)

    def _turns(self, a: float, b: float) -> int:
        """Clockwise quarter turns that make text along (a, b) of user space run from left to right."""
        m = self._frame.matrix
        dx, dy = m[0] * a + m[2] * b, m[1] * a + m[3] * b
        length = hypot(dx, dy)
        if not length or abs(dx) > 0.99 * length:  # within 8 degrees, as a scan that was fed askew
            return 0 if dx >= 0 else 2
        if abs(dy) > 0.99 * length:
            return 1 if dy < 0 else 3
        return OBLIQUE


def _font(raw_name: bytes, size: float, heavy: bool, tinted: bool) -> Font:
    name = raw_name.decode("utf-8", "replace")
    name = name[7:] if name[6:7] == "+" else name
    lower = name.lower()
    bold = heavy or any(part in lower for part in BOLD_NAMES)
    italic = any(part in lower for part in ITALIC_NAMES)
    fixed = any(part in lower for part in FIXED_NAMES) and not any(part in lower for part in NOT_FIXED)
    return Font(name, size, bold=bold, italic=italic, tinted=tinted, fixed=fixed)


def _single(glyphs: PageGlyphs, words: list[Word], fonts: Fonts) -> Iterator[Word]:
    """The words without those that repeat one at the same place. A grid of cells keeps it linear."""
    doubtful = _doubtful(glyphs, words, fonts)
    taken: dict[tuple[str, int, int], tuple[float, float]] = {}
    for word in words:
        if word.start in doubtful:
            text = glyphs.text(word)
            near = max(DUPLICATE * fonts[word.font].size, 0.01)
            column, row = int(word.x0 // near), int(word.base // near)
            if any(
                abs(other[0] - word.x0) <= near and abs(other[1] - word.base) <= near
                for x in (column - 1, column, column + 1)
                for y in (row - 1, row, row + 1)
                if (other := taken.get((text, x, y)))
            ):
                glyphs.drop(word, "printed twice at one place")
                continue
            taken[text, column, row] = word.x0, word.base
        yield word


def _doubtful(glyphs: PageGlyphs, words: Sequence[Word], fonts: Fonts) -> set[int]:
    """Where the words start that have one of the same text below, above or upon them: they are few, and the others need
    no second look."""
    same: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for word in words:
        same[glyphs.text(word)].append((word.x0, word.start))
    near = max(DUPLICATE * max((fonts[number].size for number in {word.font for word in words}), default=0.0), 0.01)
    found = set[int]()
    for held in same.values():
        if len(held) > 1:
            held.sort()
            for (x0, one), (x1, two) in pairwise(held):
                if x1 - x0 <= near:
                    found |= {one, two}
    return found
