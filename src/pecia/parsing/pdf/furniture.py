"""Running heads, feet and folios, found over the whole document by place and repetition.

Must never take a line of the body: what is not certain stays in the text. A row is a candidate when it belongs to the
outermost rows of its page, set off from what follows by a wider gap than rows of the body have among themselves.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs
from pecia.parsing.pdf.labels import SLOT_SEQUENCE, Folio, read_folio, sequences
from pecia.parsing.pdf.rows import Row, rows_of

ZONE = 0.14  # of the page height: the head and foot margins in which furniture stands
NEIGHBOURS = 0.3  # of the page height: rows that tell how far apart rows are
FOLIO_ZONE = 0.9  # of the page height: so far up a lone page number may stand that ends a page cut short
OUTERMOST = 4  # rows from the edge that may be furniture
SAME_HEIGHT = 3.0  # points that a running line may move between pages
FEWEST = 3  # pages that a line must repeat on
APART = 3  # pages from one of them to the next: left pages or right ones, and a plate between
SHARE = 0.5  # of the pages of a slot's run, for a line whose words change
DETACHED = 1.3  # times the usual gap between rows
SHORT, SMALLER = 6, 0.97  # pages; of the size of the body
PIECE = 1.5  # of the size: a gap this wide parts a folio from the title beside it
WORDS = 14  # a changing line with more words is text, not a title

LONG_PART = 10  # characters of a part of a running head that is known again where it stands alone

_LETTER = re.compile(r"[^\W\d_]")
_SEPARATOR = re.compile(r"\s[/|·•–—]\s")
_NUMBERS = re.compile(r"\d+")
_NOTE = re.compile(r"[¹²³⁰⁴-⁹*†‡§]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row near the edge of a page. `height` is its baseline from the edge of its zone, in points. `detached`: it, or the
    few rows that begin with it, are set off from the text; `alone`: it by itself is, by a gap or by its size."""

    page: int
    zone: str
    rank: int
    height: float
    size: float
    detached: bool
    alone: bool
    row: Row
    texts: tuple[str, ...]

    @property
    def slot(self) -> tuple[str, int, int]:
        return self.zone, round(self.height / SAME_HEIGHT), round(self.size)


@dataclass(frozen=True, slots=True)
class Running:
    """What was found: rows per page with their kind, and the folio of each page that has one."""

    rows: Mapping[int, Sequence[tuple[str, Row]]]
    folios: Mapping[int, Folio]


def candidates(page: PageGlyphs, fonts: Fonts) -> Iterator[Candidate]:
    """The rows at the head and foot of a page, outermost first."""
    height = page.frame.height
    words = [word for word in page.words() if not word.turns]
    if words:  # a page of turned text only has that for its body
        yield from _turned(page, fonts)
    for zone in ("header", "footer"):
        if zone == "header":
            rows = rows_of((word for word in words if word.y0 < NEIGHBOURS * height), page, fonts)
        else:
            # The foot of a page that is not full may follow the text, however high up it ends.
            rows = rows_of((word for word in words if word.y1 > (1 - NEIGHBOURS) * height), page, fonts)[::-1]
            if not rows and len(whole := rows_of(words, page, fonts)) > OUTERMOST:
                rows = whole[::-1]
        near = rows[: OUTERMOST + 1]
        distances = [max(b.y0 - a.y1, a.y0 - b.y1) for a, b in pairwise(rows)]
        usual = median([max(0.0, distance) for distance in distances] or [0.0])
        gaps = distances[:OUTERMOST]
        if len(near) == len(rows) and len(near) <= OUTERMOST:
            gaps.append(height)  # nothing else stands in this part of the page
        inside = [(row.y0 + row.y1) / 2 < ZONE * height if zone == "header" else (row.y0 + row.y1) / 2 > (1 - ZONE) * height
                  for row in near]  # fmt: skip
        loose = [gap > DETACHED * usual + 0.25 * row.size for gap, row in zip(gaps, near, strict=False)]
        last = next((at for at, free in enumerate(loose) if free), -1)
        for rank, row in enumerate(near[:OUTERMOST]):
            far = rank or zone == "header" or height - row.base > FOLIO_ZONE * height
            if not inside[rank] and far:
                break
            texts = tuple(piece.text for piece in row.pieces(PIECE * row.size))
            edge = row.base if zone == "header" else height - row.base
            if not inside[rank] and (len(texts) > 1 or read_folio(row.text, page.index, (zone, 0, 0)) is None):
                break
            alone = loose[rank] if rank < len(loose) else False
            alone = alone or (rank + 1 < len(near) and abs(near[rank + 1].size - row.size) > 0.3)
            yield Candidate(page.index, zone, rank, edge, row.size, rank <= last, alone, row, texts)


def is_inside(row: Row, boxes: Iterable[tuple[float, float, float, float]]) -> bool:
    """Whether a row stands in one of the boxes, as the header of a table that is printed again on every page does; a box that
    lies within the margin itself may well be furniture."""
    middle, height = (row.y0 + row.y1) / 2, row.page.frame.height
    return any(
        y0 < middle < y1 and x0 < row.x1 and row.x0 < x1 and y1 > ZONE * height and y0 < (1 - ZONE) * height
        for x0, y0, x1, y1 in boxes
    )


def _turned(page: PageGlyphs, fonts: Fonts) -> Iterator[Candidate]:
    """Text that stands on the page at a right angle or askew, such as a stamp in the margin or a watermark."""
    for turns in sorted({turns for _, _, turns in page.weights() if turns}):
        for row in rows_of((word for word in page.words() if word.turns == turns), page, fonts):
            yield Candidate(
                page.index,
                f"turned {turns}",
                OUTERMOST,
                row.base,
                row.size,
                detached=True,
                alone=True,
                row=row,
                texts=(row.text,),
            )


def find(pages: Sequence[Sequence[Candidate]], body_size: float) -> Running:
    """The furniture of all pages; of two only what stands with their folios or in smaller type on both, and of one the folio
    that says what it is."""
    every = [item for page in pages for item in page]
    if len(pages) < SLOT_SEQUENCE:
        return _single(every)
    offered = (
        folio
        for item in every
        for text in item.texts
        if len(item.texts) <= 3 and item.rank < OUTERMOST and (folio := read_folio(text, item.page, item.slot))
        if len(pages) >= FEWEST or len(item.texts) == 1 or not folio.plain
    )
    folios = sequences(offered, len(pages))
    repeated = _repeated(every, body_size, len(pages))
    if len(pages) < FEWEST:
        repeated |= _beside(every, folios)
    slots = _changing(every, body_size, len(pages))
    moving, parted = _moving(every), _heads_parts(every, repeated, body_size)
    found: dict[int, list[tuple[str, Row]]] = defaultdict(list)
    kept: dict[int, Folio] = {}
    for item in every:
        folio = folios.get(item.page)
        numbered = [folio is not None and read_folio(text, item.page, item.slot) == folio for text in item.texts]
        again = [_is_repeated(item, text, repeated) or (item.zone, _key(text)) in moving for text in item.texts]
        lone = any(numbered) and len(item.texts) == 1 and folio is not None and folio.family != "edge"
        titled = id(item) in parted or (item.detached and item.alone and _near_slot(item.slot, slots) and _is_title(item))
        if not (lone or titled or (any(numbered) and any(again)) or (item.detached and (any(numbered) or any(again)))):
            continue
        sure = [one or other for one, other in zip(numbered, again, strict=True)]
        found[item.page] += _parts(item, sure, lone=lone, titled=titled)
        if folio is not None and any(numbered):
            kept[item.page] = folio
    return Running(found, kept)


def _single(every: Sequence[Candidate]) -> Running:
    """The folio of a lone page, in words: `Page 1 of 1`."""
    for item in every:
        folio = read_folio(item.row.text, item.page, item.slot)
        if item.detached and not item.rank and folio is not None and folio.framed and _LETTER.search(item.row.text):
            return Running({item.page: [("folio", item.row)]}, {item.page: folio})
    return Running({}, {})


def _heads_parts(every: Iterable[Candidate], repeated: set[tuple[str, int, str]], body_size: float) -> set[int]:
    """Lines at the head of a page that are, word for word, a part of a running head: a first page sets it in a place of its
    own. Gives their identities."""
    heads = {key for zone, _, key in repeated if zone == "header"}
    parts = {part.strip() for key in heads for part in _SEPARATOR.split(key) if len(part.strip()) >= LONG_PART}
    return {
        id(item)
        for item in every
        if item.zone == "header" and item.size <= 1.1 * body_size and all(_key(text) in parts for text in item.texts)
    }


def _parts(item: Candidate, sure: Sequence[bool], *, lone: bool, titled: bool) -> Iterator[tuple[str, Row]]:
    """The pieces of the row that are furniture: those that are known to be, and what is set in the same size beside
    them. A title in larger type on the same line stays in the body."""
    pieces = list(item.row.pieces(PIECE * item.row.size))
    sizes = [piece.size for piece, known in zip(pieces, sure, strict=True) if known]
    for piece, known in zip(pieces, sure, strict=True):
        if titled or known or any(piece.size <= size + 0.6 for size in sizes):
            yield ("folio" if lone else _kind(item)), piece


def _kind(item: Candidate) -> str:
    if item.zone in ("header", "footer"):
        return item.zone
    return "header" if item.row.base < item.row.page.frame.height / 2 else "footer"


def _key(text: str) -> str:
    return _NUMBERS.sub("#", text.casefold())


def _repeated(every: Iterable[Candidate], body_size: float, page_count: int) -> set[tuple[str, int, str]]:
    """Pieces that stand on three pages at one height, either word for word and near one another (the heading of a section may
    open any three pages of a book) or with a number that counts the pages. In a short document two are enough for an outermost
    line in smaller type, word for word on neighbouring pages or on the next left or right one, or with a number that counts
    all its pages."""
    small: dict[tuple[str, int, str], dict[int, str]] = defaultdict(dict)
    pages: dict[tuple[str, int, str], dict[int, str]] = defaultdict(dict)
    for item in every:
        for text in item.texts:
            if item.detached:
                key = item.zone, round(item.height / SAME_HEIGHT), _key(text)
                pages[key][item.page] = text
                if item.rank == 0 and item.size < SMALLER * body_size:
                    small[key][item.page] = text
    found = set()
    for key, texts in pages.items():
        near = dict(texts)
        for other in (key[1] - 1, key[1] + 1):
            near |= pages.get((key[0], other, key[2]), {})
        if len(near) >= FEWEST and (_goes_on(near) or _counts(near)):
            found.add(key)
    if page_count <= SHORT:
        found |= {
            key
            for key, texts in small.items()
            if any(text in (texts.get(page + 1), texts.get(page + 2)) for page, text in texts.items())
            or (key[2] != "#" and len(texts) == page_count and _counts(texts, page_count))
        }
    return found


def _moving(every: Iterable[Candidate]) -> set[tuple[str, str]]:
    """Last lines that follow the text at any height and count the pages; word for word alike but for their numbers."""
    pages: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for item in every:
        if item.zone == "footer" and not item.rank and item.detached and len(item.texts) == 1:
            pages[item.zone, _key(item.texts[0])][item.page] = item.texts[0]
    return {key for key, texts in pages.items() if "#" in key[1] and len(texts) >= FEWEST and _counts(texts)}


def _beside(every: Iterable[Candidate], folios: Mapping[int, Folio]) -> set[tuple[str, int, str]]:
    """What two pages have in common in the zone of their folios."""
    zones = {folio.slot[0] for folio in folios.values()}
    texts = Counter(
        {
            (item.page, item.zone, round(item.height / SAME_HEIGHT), _key(text))
            for item in every
            if item.rank < 2
            for text in item.texts
        }
    )
    seen = Counter(key[1:] for key in texts)
    return {key for key, count in seen.items() if count == SLOT_SEQUENCE and key[0] in zones}


def _goes_on(texts: Mapping[int, str]) -> bool:
    """One of the texts stands on three pages that follow one another, others between them or not."""
    pages: dict[str, list[int]] = defaultdict(list)
    for page in sorted(texts):
        pages[texts[page]].append(page)
    return any(
        last - first <= APART * (FEWEST - 1)
        for found in pages.values()
        for first, last in zip(found, found[FEWEST - 1 :], strict=False)
    )


def _counts(texts: Mapping[int, str], fewest: int = FEWEST) -> bool:
    """One of the numbers in the line keeps its distance to the physical index on most pages."""
    distances = Counter(
        (place, int(number) - page)
        for page, text in texts.items()
        for place, number in enumerate(_NUMBERS.findall(text)[:12])
        if len(number) < 6
    )
    return bool(distances) and max(distances.values()) >= max(fewest, 0.7 * len(texts))


def _is_repeated(item: Candidate, text: str, repeated: set[tuple[str, int, str]]) -> bool:
    return (item.zone, round(item.height / SAME_HEIGHT), _key(text)) in repeated


def _changing(every: Iterable[Candidate], body_size: float, page_count: int) -> set[tuple[str, int, int]]:
    """Slots that hold a detached row of other words on most pages: chapter titles, names of entries."""
    seen: dict[tuple[str, int, int], list[Candidate]] = defaultdict(list)
    for item in every:
        seen[item.slot].append(item)
    found = set()
    for slot, items in seen.items():
        near = [other for key, others in seen.items() if _near_slot(slot, {key}) for other in others]
        free = {item.page for item in items if item.detached and item.alone and item.rank == 0}
        bound = {item.page for item in near if not (item.detached and item.alone)}
        if len(free) < FEWEST or slot[2] > round(body_size * 1.1) or len(bound) > 0.1 * len(free):
            continue
        if len(free) >= SHARE * (max(free) - min(free) + 1) and len(free) >= min(5, page_count):
            found.add(slot)
    return found


def _near_slot(slot: tuple[str, int, int], slots: set[tuple[str, int, int]]) -> bool:
    zone, height, size = slot
    return any((zone, height + step, size) in slots for step in (-1, 0, 1))


def _is_title(item: Candidate) -> bool:
    """Short, no note, no sentence: what a changing head may be."""
    text = " ".join(item.texts)
    return (
        len(item.texts) <= 2
        and len(text.split()) <= WORDS
        and not _NOTE.match(text)
        and not (item.zone == "footer" and text.endswith((".", "。")) and len(text.split()) > 4)
    )
