"""The pictures of a page taken out of its words with their labels; each leaves one word behind that holds its place.

Must never take prose: beside the ink only short lines are labels, and what holds mostly lines of text is no picture unless a
caption says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pecia.model import BlockKind, Box
from pecia.parsing.pdf.frame import turned
from pecia.parsing.pdf.glyphs import OBLIQUE, Font, Fonts, PageGlyphs, Word
from pecia.parsing.pdf.marks import is_figure_caption
from pecia.parsing.pdf.regions import LOWEST, Region
from pecia.parsing.pdf.rows import Row, rows_of
from pecia.parsing.pdf.sketch import Cell, Corners, Sketch, hold

PIECE = 0.8  # of the size: a gap this wide parts lines of two columns, or two labels
NEAR = 6.0  # of the size: between a picture and its caption, names of its parts included
BESIDE = 60.0  # points between two pictures under one caption
EDGE = 10.0  # points that labels stand off the ink: figures of an axis
PROSE = 6  # words of two letters or more that a line of text has, at least
CLOSE = 1.5  # of the size: lines of a caption are no farther apart
INSIDE, LEGEND = 0.9, 0.4  # of a legend that lies in its drawing; of the drawing that it fills at most
SMALL = 0.95  # of the body: labels at a picture without a caption are smaller than the text around it
COVERED = 0.5  # of its area: so much of a picture that lies under a table is the table's

_PART = re.compile(r"\(?[a-z0-9]\)")


@dataclass(slots=True)
class Picture:
    """What is drawn, as a box around ink and labels in points of the page as shown, with the words of the labels."""

    page: PageGlyphs
    fonts: Fonts = field(repr=False)
    box: Corners
    held: list[Word]
    caption: int | None = None  # the start of the first word of its caption
    kind: BlockKind = BlockKind.FIGURE

    def words(self) -> Iterator[Word]:
        return iter(self.held)

    def printed(self) -> list[Row]:
        """Its labels, line by line; those that are turned after the upright."""
        return Cell(self.held).lines(self.page, self.fonts) if self.held else []


def find_pictures(page: PageGlyphs, words: Sequence[Word], fonts: Fonts, body: float) -> None:
    """Adds the pictures to the page, with a word to stand in for each. `words` are those of the body, turned any way."""
    if not page.pictures:
        return
    words = [*words, *_released(page)]
    free = [word for word in words if word.start >= 0 and word.start not in page.held]
    upright = rows_of([word for word in free if not word.turns], page, fonts)
    pieces = [piece for row in upright for piece in row.pieces(PIECE * row.size)]
    captions = [piece for piece in pieces if _is_caption(piece, body)]
    others = [piece for piece in pieces if not any(piece is caption for caption in captions)]
    texts = [piece for piece in others if _is_text(piece)]
    lifted = [page.lifted[-1 - word.start] for word in page.stand_ins]
    tables = [item.box for item in lifted if item.kind is BlockKind.TABLE]
    found = [region for region in page.pictures if not any(_share(region.box, table) > COVERED for table in tables)]
    aslant = [word for word in free if word.turns]
    found = [part for region in found for part in _parted(region, captions, pieces)]
    for region, caption in _joined(found, captions, [*texts, *captions]):
        box = region.box
        labels = _labels(others, region, caption, body)
        held = [word for piece in labels for word in piece.words if word.start not in page.held]
        if caption is None and 2 * sum(map(_letters, filter(_is_text, labels))) > sum(map(_letters, labels)):
            continue
        held += [word for word in aslant if _is_in(shown(word, page), box, 2 * EDGE) and word.start not in page.held]
        around = _around([_corners(box), *(shown(word, page) for word in held)])
        page.held |= {word.start for word in held}
        font = held[0].font if held else _any_font(page, fonts, body)
        base = min([around[1] + fonts[font].size, *(word.base for word in held if not word.turns)])
        named = None if caption is None else caption.words[0].start
        page.captions |= {named} if named is not None else set()
        page.stand_ins.append(hold(page, Picture(page, fonts, around, held, named), around, font, base))


def _released(page: PageGlyphs) -> list[Word]:
    """Gives back the words of what was taken for a table without rulings and is the legend of a drawing around it."""
    given: list[Word] = []
    for word in list(page.stand_ins):
        item = page.lifted[-1 - word.start]
        if not isinstance(item, Sketch) or item.turns or item.ruled:
            continue
        box = Box(*item.box)
        if any(region.sure and _share(box, _corners(region.box)) > INSIDE and _share(region.box, item.box) < LEGEND
               for region in page.pictures):  # fmt: skip
            page.stand_ins.remove(word)
            held = list(item.words())
            page.held -= {each.start for each in held}
            given += held
    return given


def _is_text(piece: Row) -> bool:
    """A line of prose: no row of figures, and not the name of a part, as `(a) Before the storm`."""
    words = [piece.page.text(word) for word in piece.words]
    return not _PART.match(words[0]) and sum(len(word) > 1 and word.isalpha() for word in words) >= PROSE


def shown(word: Word, page: PageGlyphs) -> Corners:
    """The box of a word on the page as shown, however it is turned."""
    box = word.x0, word.y0, word.x1, word.y1
    if not word.turns % OBLIQUE:
        return box
    sides = (page.frame.height, page.frame.width) if word.turns % 2 else (page.frame.width, page.frame.height)
    return turned(box, -word.turns, *sides)


def _is_caption(piece: Row, body: float) -> bool:
    face = piece.font
    return is_figure_caption(piece.text, set_apart=piece.bold or face.italic or abs(face.size - body) > 0.3)


def _parted(region: Region, captions: Sequence[Row], pieces: Sequence[Row]) -> Iterator[Region]:
    """A picture that a caption runs through is two: a path that is cut off reaches farther than what is seen of it."""
    box = region.box
    through = [c for c in captions if box.y0 < c.y0 and c.y1 < box.y1 and c.x0 < box.x1 and box.x0 < c.x1]
    if not through:
        yield region
        return
    caption = min(through, key=lambda piece: piece.base)
    bottom, base = caption.y1, caption.base
    for piece in pieces:
        if piece.x0 < caption.x1 and caption.x0 < piece.x1 and 0 < piece.base - base <= CLOSE * caption.size:
            bottom, base = piece.y1, piece.base
    if caption.y0 - box.y0 > LOWEST:
        yield replace(region, box=Box(box.x0, box.y0, box.x1, caption.y0))
    if box.y1 - bottom > LOWEST:
        yield from _parted(replace(region, box=Box(box.x0, bottom, box.x1, box.y1)), through, pieces)


def _joined(found: Sequence[Region], captions: Sequence[Row], texts: Sequence[Row]) -> Iterator[tuple[Region, Row | None]]:
    """The pictures from the top, those under one caption as one; with their captions, and without one only sure ones."""
    free = list(found)
    made: list[tuple[Region, Row | None]] = []
    for caption in sorted(captions, key=lambda piece: piece.base):
        group = _taken(free, caption, texts)
        if group:
            free = [region for region in free if region not in group]
            made.append((Region(_around_boxes([region.box for region in group]), sure=True), caption))
    made += [(region, None) for region in free if region.sure]
    yield from sorted(made, key=lambda item: (item[0].box.y0, item[0].box.x0))


def _taken(free: Sequence[Region], caption: Row, texts: Sequence[Row]) -> list[Region]:
    """The pictures that a caption stands under, else over: the nearest, and those beside or behind it with no text between."""
    for under in (True, False):
        group: list[Region] = []
        edge = caption.y0 if under else caption.y1
        waiting = sorted(free, key=lambda item: -item.box.y1 if under else item.box.y0)
        while more := [region for region in waiting if _reaches(region.box, group, edge, caption, under=under)]:
            group += [region for region in more if not any(_stands_between(text, region.box, caption) for text in texts)]
            waiting = [region for region in waiting if region not in more]
        if group:
            return group
    return []


def _reaches(box: Box, group: Sequence[Region], edge: float, caption: Row, *, under: bool) -> bool:
    """Whether a picture is near enough to the caption, or to one that has it, and over or under it or beside the others."""
    gap = edge - box.y1 if under else box.y0 - edge
    others = [(_apart(box.x0, box.x1, one.box.x0, one.box.x1), _apart(box.y0, box.y1, one.box.y0, one.box.y1)) for one in group]
    if gap < -caption.size or min([gap, *(high for _, high in others)]) > NEAR * caption.size:
        return False
    aside = _apart(box.x0, box.x1, caption.x0, caption.x1)
    if not group:
        return aside < BESIDE
    return not aside or any(wide < BESIDE and not high for wide, high in others)


def _apart(low: float, high: float, low2: float, high2: float) -> float:
    return max(0.0, low2 - high, low - high2)


def _stands_between(text: Row, box: Box, caption: Row) -> bool:
    if text is caption:
        return False
    low, high = (box.y1, caption.y0) if box.y1 <= caption.y0 + caption.size else (caption.y1, box.y0)
    between = low - 0.2 * text.size < text.base and text.base < high - 0.2 * text.size
    return between and text.x0 < max(box.x1, caption.x1) and min(box.x0, caption.x0) < text.x1


def _labels(pieces: Sequence[Row], region: Region, caption: Row | None, body: float) -> list[Row]:
    """What stands in the ink, and smaller than the body close to it. Under a caption all that stands between and beside and is
    no prose, whatever its size; what is taken makes the picture wider, once."""
    box = region.box
    if caption is None:
        narrow = [piece for piece in pieces if piece.x1 - piece.x0 <= box.x1 - box.x0 + 4 * EDGE]
        return [
            piece for piece in narrow if region.covers(piece.x0, piece.x1, piece.y0, piece.y1, near=piece.size < SMALL * body)
        ]
    area = Box(min(box.x0, caption.x0), box.y0, max(box.x1, caption.x1), box.y1)
    low, high = min(area.y0 - EDGE, caption.y1), max(area.y1 + EDGE, caption.y0)
    found: list[Row] = []
    for _ in (1, 2):
        found = []
        for piece in pieces:
            x, y = (piece.x0 + piece.x1) / 2, (piece.y0 + piece.y1) / 2
            inside = box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1
            near = area.x0 - 2 * EDGE < x < area.x1 + 2 * EDGE and low < y < high
            wide = piece.x1 - piece.x0 > area.x1 - area.x0 + 4 * EDGE
            if not wide and (inside or (near and not _is_text(piece))):
                found.append(piece)
        left, right = min([area.x0, *(piece.x0 for piece in found)]), max([area.x1, *(piece.x1 for piece in found)])
        area = Box(left, area.y0, right, area.y1)
    return found


def _letters(piece: Row) -> int:
    return sum(word.end - word.start for word in piece.words)


def _is_in(box: Corners, area: Box, margin: float) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return area.x0 - margin <= x <= area.x1 + margin and area.y0 - margin <= y <= area.y1 + margin


def _share(box: Box, other: Corners) -> float:
    """The part of a box that another one covers."""
    wide = min(box.x1, other[2]) - max(box.x0, other[0])
    high = min(box.y1, other[3]) - max(box.y0, other[1])
    area = (box.x1 - box.x0) * (box.y1 - box.y0)
    return wide * high / area if wide > 0 and high > 0 and area else 0.0


def _around(boxes: Sequence[Corners]) -> Corners:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _around_boxes(boxes: Sequence[Box]) -> Box:
    return Box(*_around([_corners(box) for box in boxes]))


def _corners(box: Box) -> Corners:
    return box.x0, box.y0, box.x1, box.y1


def _any_font(page: PageGlyphs, fonts: Fonts, body: float) -> int:
    """The font of most letters: a picture without labels stands among rows of text."""
    weights: dict[int, int] = {}
    for glyphs, font, _ in page.weights():
        weights[font] = weights.get(font, 0) + glyphs
    return max(weights, key=weights.__getitem__) if weights else fonts.number(Font("", body))
