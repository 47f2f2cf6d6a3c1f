"""Lines that an engine read, as the glyphs of a page: what finds columns and paragraphs cannot tell them from set type."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import cos, log, radians, sin

from pecia.model import OCR_FONT
from pecia.parsing.ocr.lines import Piece, Placing, TextLine
from pecia.parsing.pdf.frame import Frame
from pecia.parsing.pdf.glyphs import Font, Fonts, PageGlyphs, Word

ALIKE = 1.25  # sizes this close to that of the body are the body's: boxes of engines differ by a sixth from line to line
LEAST_GAP = 0.02  # of the size, between words, however near the engine puts them
REPLACED = "text layer that OCR took the place of"
COVERED = 0.5  # of a line that words of the page itself cover: it is those words
PLAIN = str.maketrans(dict.fromkeys((*map(chr, range(32)), *map(chr, range(127, 160)), "\ufeff", "\u200b", "\ufffd")))


@dataclass(slots=True)
class ReadPage:
    """What was read on one page, and how the page lay."""

    index: int
    lines: list[TextLine]
    placing: Placing
    reader: str
    confidence: float
    left_out: int = 0


class Sizes:
    """One size for lines that look alike, over the whole document: an engine's boxes are a little larger or smaller from
    line to line, and every size would look like a style of its own."""

    def __init__(self, pages: Iterable[ReadPage]) -> None:
        weights = Counter[float]()
        for page in pages:
            for line in page.lines:
                weights[round(line.size / page.placing.scale, 1)] += len(line.text)
        half, self._body = sum(weights.values()) / 2, 10.0
        for size in sorted(weights):
            half -= weights[size]
            if half <= 0:
                self._body = max(1.0, size)
                break

    def of(self, size: float) -> float:
        """The size in points that stands for this one."""
        steps = log(max(size, 0.1) / self._body) / log(ALIKE)
        return round(self._body * ALIKE ** (round(steps) if abs(steps) > 1 else 0), 1)


def completed(own: PageGlyphs, page: ReadPage, fonts: Fonts, sizes: Sizes) -> PageGlyphs:
    """The page with what was read on it beside its own words; lines that stand over those do not come twice."""
    made = replace(own, lefts=own.lefts[:], _numbers=array("i"), _boxes=array("f"))
    for word in own.words():
        made.add(_levelled(word, own.frame, page.placing.skew))
    return _written(made, page, fonts, sizes)


def replaced(own: PageGlyphs, page: ReadPage, fonts: Fonts, sizes: Sizes) -> PageGlyphs:
    """The page with what was read on it in the place of its own words, which the account has as dropped."""
    made = replace(own, chars="", lefts=array("f"), wraps=[], dropped=Counter(), _numbers=array("i"), _boxes=array("f"))
    if own.visible:
        made.dropped[REPLACED] += own.visible
    return _written(made, page, fonts, sizes)


def _written(made: PageGlyphs, page: ReadPage, fonts: Fonts, sizes: Sizes) -> PageGlyphs:
    chars, at = [made.chars], len(made.chars)
    taken = [word for word in made.words() if word.turns == page.placing.turns]
    for line in page.lines:
        at = _add(line, page.placing, made, chars, at, taken, fonts, sizes)
    made.chars = "".join(chars)
    return made


def _add(
    line: TextLine,
    placing: Placing,
    made: PageGlyphs,
    chars: list[str],
    at: int,
    taken: Sequence[Word],
    fonts: Fonts,
    sizes: Sizes,
) -> int:
    """Writes a line; the index behind it."""
    scale = placing.scale
    box = line.x0 / scale, line.y0 / scale, line.x1 / scale, line.y1 / scale
    if taken and _covered(box, taken):
        return at
    size = sizes.of(line.size / scale)
    font, base = fonts.number(Font(OCR_FONT, size)), line.base / scale
    pieces = [piece for piece in map(_cleaned, line.pieces) if piece.text]
    if not pieces:
        return at
    chars.append("\n" if at else "")
    made.lefts.extend([box[0]] * len(chars[-1]))
    at += len(chars[-1])
    ends = -1.0
    for number, word in enumerate(_words(pieces)):
        if number:
            chars.append(" ")
            made.lefts.append(ends)
            at += 1
        start, left = at, max(word[0].x0 / scale, ends + LEAST_GAP * size)
        for piece in word:
            x0, x1 = max(left, piece.x0 / scale), max(left, piece.x1 / scale)
            made.lefts.extend(x0 + (x1 - x0) * step / len(piece.text) for step in range(len(piece.text)))
            chars.append(piece.text)
            at += len(piece.text)
        ends = max(left, word[-1].x1 / scale)
        made.add(Word(start, at, left, box[1], ends, box[3], base, font, placing.turns))
        made.visible += at - start
    return at


def _cleaned(piece: Piece) -> Piece:
    """The piece without control characters, which no engine ought to give."""
    text = "".join(piece.text.translate(PLAIN).split())
    return piece if text == piece.text else Piece(text, piece.x0, piece.x1, piece.glued)


def _words(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces that no space parts, together."""
    number = 0
    numbers = list[int]()
    for at, piece in enumerate(pieces):
        number += bool(at) and not piece.glued
        numbers.append(number)
    return [[piece for piece, _ in group] for _, group in groupby(zip(pieces, numbers, strict=True), key=lambda item: item[1])]


def _covered(box: tuple[float, float, float, float], words: Sequence[Word]) -> bool:
    x0, y0, x1, y1 = box
    area = max(0.01, (x1 - x0) * (y1 - y0))
    shared = sum(max(0.0, min(x1, word.x1) - max(x0, word.x0)) * max(0.0, min(y1, word.y1) - max(y0, word.y0)) for word in words)
    return shared > COVERED * area


def _levelled(word: Word, frame: Frame, skew: float) -> Word:
    """A word of the page's own moved to where it stands once the page is turned level with its scan."""
    if not skew:
        return word
    width, height = (frame.height, frame.width) if word.turns % 2 else (frame.width, frame.height)
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    across, down = turned_about(x, y, width, height, -skew)
    across, down = across - x, down - y
    return replace(word, x0=word.x0 + across, y0=word.y0 + down, x1=word.x1 + across, y1=word.y1 + down, base=word.base + down)


def turned_about(x: float, y: float, width: float, height: float, degrees: float) -> tuple[float, float]:
    """A point turned clockwise about the middle of a page, y downwards."""
    angle = radians(degrees)
    dx, dy = x - width / 2, y - height / 2
    return width / 2 + dx * cos(angle) - dy * sin(angle), height / 2 + dx * sin(angle) + dy * cos(angle)
