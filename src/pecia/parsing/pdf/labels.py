"""Page labels: the label tree of the file, else folios that are printed in sequence. Never a guess."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pecia.text.dates import find_date

SEQUENCE = 3  # pages on which a folio keeps its distance to the physical index before it is believed
SLOT_SEQUENCE = 2  # enough where another sequence stands at the same height in the same size
REACH = 12  # physical pages that may lie between two folios of one sequence: blank pages, plates

_ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})", re.IGNORECASE)
_NUMBER = r"(?P<number>\d{1,5}|[ivxlcdm]{1,12})"
# The whole piece is a folio; `E-2` keeps its prefix. Words around the number are data, tried in this order.
_FOLIO = re.compile(
    rf"(?P<label>(?P<prefix>[A-Z]{{1,3}}\s?[-–.]\s?)?{_NUMBER})"
    rf"|[-–—|\[(/·•]\s*(?P<framed>{_NUMBER.replace('number', 'number2')})\s*[-–—|\])/·•]"
    rf"|(?:pages?|p\.|pg\.?|trang|seite|s\.|página|pagina|第)\s*(?P<worded>{_NUMBER.replace('number', 'number3')})"
    r"(?:\s*(?:of|/|de|von|trên|trong|sur|頁|页|頁，共)\s*\d*\s*[頁页]?|\s*[頁页])?",
    re.IGNORECASE,
)
_EDGE_NUMBER = re.compile(r"^(\d{1,4})(?=\s\D)|(?<=\D\s)(\d{1,4})$")
_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


@dataclass(frozen=True, slots=True)
class Folio:
    """A piece of a head or foot that may be a page number. `family` is what a sequence shares: numerals and prefix;
    `slot` is where it stands: zone, height, size."""

    page: int
    label: str
    value: int
    family: str
    slot: tuple[str, int, int]
    framed: bool = False

    @property
    def plain(self) -> bool:
        """A bare number, which might be anything; not `E-2`, `Page 2 of 4` or `- 2 -`."""
        return not self.framed and self.family in ("arabic", "roman", "edge")


def read_folio(text: str, page: int, slot: tuple[str, int, int]) -> Folio | None:
    """The folio that the text is, or that begins or ends it; None where there is none."""
    text = " ".join(text.split())
    match = _FOLIO.fullmatch(_undated(text))
    if match:
        prefix = match["prefix"] or ""
        number = match["number"] or match["number2"] or match["number3"]
        if (value := _value(number)) is None:
            return None
        numerals = "arabic" if number.isdigit() else "roman"
        return Folio(
            page, (prefix + number) if match["label"] else number, value, f"{prefix}{numerals}", slot, not match["number"]
        )
    match = _EDGE_NUMBER.search(text)
    if match:
        number = match[1] or match[2]
        return Folio(page, number, int(number), "edge", slot)
    return None


def _undated(text: str) -> str:
    """The text without the date that stands beside its number: `E-2 (3.5.2026)`."""
    dated = find_date(text)
    if dated is None:
        return text
    before, after = text[: dated.start].rstrip(" (（|·•,"), text[dated.end :].lstrip(" )）|·•,")
    return text if before and after else before or after


def _value(number: str) -> int | None:
    if number.isdigit():
        return int(number)
    if not _ROMAN.fullmatch(number) or not (number.islower() or number.isupper()):
        return None
    values = [_DIGITS[letter] for letter in number.lower()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def sequences(folios: Iterable[Folio], page_count: int = 0) -> dict[int, Folio]:
    """The folio of each page that belongs to a sequence: its value keeps its distance to the physical index. In a document
    of two pages, `page_count`, both must have one, at one height; bare numbers must be 1 and 2."""
    groups: dict[tuple[str, int], list[Folio]] = defaultdict(list)
    for folio in folios:
        groups[folio.family, folio.value - folio.page].append(folio)
    runs = [run for group in groups.values() for run in _runs(group)]
    runs.sort(key=lambda run: (-len(run), run[0].family == "edge", run[0].page))
    found: dict[int, Folio] = {}
    slots: set[tuple[str, int, int]] = set()
    for run in runs:
        usual = run[0].slot in slots
        whole = len(run) == page_count == SLOT_SEQUENCE and len({folio.slot for folio in run}) == 1
        if (
            len(run) >= SEQUENCE
            or (whole and (not run[0].plain or (run[0].family == "arabic" and run[0].value == run[0].page + 1)))
            or (len(run) >= SLOT_SEQUENCE and usual and run[0].family != "edge")
        ):
            slots.update(folio.slot for folio in run)
            for folio in run:
                found.setdefault(folio.page, folio)
    for run in runs:  # a single page between sequences, where it has its number in the place of the others
        for folio in run:
            if folio.slot in slots and folio.family != "edge" and (_between(folio, found) or _opens(folio, found)):
                found.setdefault(folio.page, folio)
    return found


def _runs(group: Sequence[Folio]) -> Iterable[list[Folio]]:
    run: list[Folio] = []
    for folio in sorted(group, key=lambda folio: folio.page):
        if run and folio.page == run[-1].page:
            continue
        if run and folio.page - run[-1].page > REACH:
            yield run
            run = []
        run.append(folio)
    if run:
        yield run


def _between(folio: Folio, found: Mapping[int, Folio]) -> bool:
    """Its number lies between those of the nearest pages of its family, which have one."""
    same = [other for other in found.values() if other.family == folio.family]
    before = max((other for other in same if other.page < folio.page), key=lambda other: other.page, default=None)
    after = min((other for other in same if other.page > folio.page), key=lambda other: other.page, default=None)
    return bool(same) and (not before or before.value < folio.value) and (not after or folio.value < after.value)


def _opens(folio: Folio, found: Mapping[int, Folio]) -> bool:
    """A lone roman `i` before the pages in arabic numerals: front matter of one page."""
    return folio.family == "roman" and folio.value == folio.page + 1 and folio.page < min(found, default=0)


def real_tree(labels: Sequence[str]) -> bool:
    """True where the file's label tree says more than 1, 2, 3…: many writers put that in without a thought."""
    return any(labels) and any(label != str(index + 1) for index, label in enumerate(labels))
