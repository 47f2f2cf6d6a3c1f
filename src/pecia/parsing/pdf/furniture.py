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
from pecia.parsing.pdf.labels import Folio, read_folio, sequences
from pecia.parsing.pdf.rows import Row, rows_of

ZONE = 0.14  # of the page height: the head and foot margins in which furniture stands
NEIGHBOURS = 0.3  # of the page height: rows that tell how far apart rows are
FOLIO_ZONE = 0.4  # of the page height: so far in a lone page number may stand that ends a page cut short
OUTERMOST = 4  # rows from the edge that may be furniture
SAME_HEIGHT = 3.0  # points that a running line may move between pages
FEWEST = 3  # pages that a line must repeat on
SHARE = 0.5  # of the pages of a slot's run, for a line whose words change
DETACHED = 1.3  # times the usual gap between rows
WORDS = 14  # a changing line with more words is text, not a title

_NUMBERS = re.compile(r"\d+")
_NOTE = re.compile(r"[¹²³⁰⁴-⁹*†‡§]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row near the edge of a page. `height` is its baseline from the edge of its zone, in points."""

    page: int
    zone: str
    rank: int
    height: float
    size: float
    detached: bool
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
            rows = rows_of((word for word in words if word.y1 > (1 - NEIGHBOURS) * height), page, fonts)[::-1]
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
            far = rank or abs(row.base - (0.0 if zone == "header" else height)) > FOLIO_ZONE * height
            if not inside[rank] and far:
                break
            texts = tuple(piece.text for piece in row.pieces(row.size * 1.5))
            edge = row.base if zone == "header" else height - row.base
            if not inside[rank] and (len(texts) > 1 or read_folio(row.text, page.index, (zone, 0, 0)) is None):
                break
            yield Candidate(page.index, zone, rank, edge, row.size, rank <= last, row, texts)


def _turned(page: PageGlyphs, fonts: Fonts) -> Iterator[Candidate]:
    """Text that stands on the page at a right angle or askew, such as a stamp in the margin or a watermark."""
    for turns in sorted({turns for _, _, turns in page.weights() if turns}):
        for row in rows_of((word for word in page.words() if word.turns == turns), page, fonts):
            yield Candidate(
                page.index, f"turned {turns}", OUTERMOST, row.base, row.size, detached=True, row=row, texts=(row.text,)
            )


def find(pages: Sequence[Sequence[Candidate]], body_size: float) -> Running:
    """The furniture of all pages; nothing where there are fewer than three."""
    every = [item for page in pages for item in page]
    if len(pages) < FEWEST:
        return Running({}, {})
    offered = (
        folio
        for item in every
        for text in item.texts
        if len(item.texts) <= 3 and item.rank < OUTERMOST and (folio := read_folio(text, item.page, item.slot))
    )
    folios = sequences(offered)
    repeated = _repeated(every)
    slots = _changing(every, body_size, len(pages))
    found: dict[int, list[tuple[str, Row]]] = defaultdict(list)
    for item in every:
        folio = folios.get(item.page)
        numbered = (
            folio is not None
            and folio.slot == item.slot
            and any(read_folio(text, item.page, item.slot) == folio for text in item.texts)
        )
        lone = numbered and len(item.texts) == 1 and folio is not None and folio.family != "edge"
        if numbered and (item.detached or lone or _is_repeated(item, repeated)):
            found[item.page].append(("folio" if lone else _kind(item), item.row))
        elif item.detached and (_is_repeated(item, repeated) or (_near_slot(item.slot, slots) and _is_title(item))):
            found[item.page].append((_kind(item), item.row))
    taken = {page: {id(row) for _, row in rows} for page, rows in found.items()}
    kept = {
        page: folio
        for page, folio in folios.items()
        if any(item.slot == folio.slot and id(item.row) in taken.get(page, ()) for item in pages[page])
    }
    return Running(found, kept)


def _kind(item: Candidate) -> str:
    if item.zone in ("header", "footer"):
        return item.zone
    return "header" if item.row.base < item.row.page.frame.height / 2 else "footer"


def _key(text: str) -> str:
    return _NUMBERS.sub("#", text.casefold())


def _repeated(every: Iterable[Candidate]) -> set[tuple[str, int, str]]:
    """Pieces that stand on three pages at one height, either word for word or with a number that counts the pages."""
    pages: dict[tuple[str, int, str], dict[int, str]] = defaultdict(dict)
    for item in every:
        for text in item.texts:
            if item.detached:
                pages[item.zone, round(item.height / SAME_HEIGHT), _key(text)][item.page] = text
    found = set()
    for key, texts in pages.items():
        near = dict(texts)
        for other in (key[1] - 1, key[1] + 1):
            near |= pages.get((key[0], other, key[2]), {})
        if len(near) >= FEWEST and (max(Counter(near.values()).values()) >= FEWEST or _counts(near)):
            found.add(key)
    return found


def _counts(texts: Mapping[int, str]) -> bool:
    """One of the numbers in the line keeps its distance to the physical index on most pages."""
    distances = Counter(
        (place, int(number) - page)
        for page, text in texts.items()
        for place, number in enumerate(_NUMBERS.findall(text)[:12])
        if len(number) < 6
    )
    return bool(distances) and max(distances.values()) >= max(FEWEST, 0.7 * len(texts))


def _is_repeated(item: Candidate, repeated: set[tuple[str, int, str]]) -> bool:
    height = round(item.height / SAME_HEIGHT)
    return any((item.zone, height, _key(text)) in repeated for text in item.texts)


def _changing(every: Iterable[Candidate], body_size: float, page_count: int) -> set[tuple[str, int, int]]:
    """Slots that hold a detached row of other words on most pages: chapter titles, names of entries."""
    seen: dict[tuple[str, int, int], list[Candidate]] = defaultdict(list)
    for item in every:
        seen[item.slot].append(item)
    found = set()
    for slot, items in seen.items():
        near = [other for key, others in seen.items() if _near_slot(slot, {key}) for other in others]
        free = {item.page for item in items if item.detached and item.rank == 0}
        bound = {item.page for item in near if not item.detached}
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
