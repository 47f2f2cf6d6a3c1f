"""Letters of fonts from before Unicode, and of UTF-8 that was read as cp1252, given back where that is certain.

A Vietnamese font of those years (`.VnTime`, `VNI-Times`) shows one letter where the file says another, of western Europe.
Certain is a family of fonts of which the name says so and whose letters, read by its table, are Vietnamese and, as they
stand, are not. What only looks like it is a finding.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pecia.model import Finding
from pecia.parsing import encodings
from pecia.parsing.ocr.alphabets import BYTES, TWINS, UTF8, decoded, from_tcvn3, from_vni
from pecia.parsing.ocr.findings import finding
from pecia.parsing.pdf.findings import pages
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs

Edit = tuple[int, int, str]  # start and end on the page, and what stands there instead: never longer

PAGES = 24  # that are looked at where no font has the name of an old one
ENOUGH, SAMPLE = 12, 600  # words with a letter outside ASCII in a font: fewer say nothing; more say no more
GOOD, WELL = 0.85, 0.7  # rating by the table, at least; as the letters stand, at most
OTHER = 0.05  # of the letters outside ASCII that the table does not know
SEEN, LIKELY = 5, 2  # sequences of UTF-8 in cp1252: certain; worth a finding
_TCVN3 = re.compile(r"\.?Vn[A-Z0-9]")
_VNI = re.compile(r"VNI[- ]")
_QUOTES = frozenset("“”‘’»›–—…\xa0")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class _Table:
    """A family of fonts: how its names begin, what its letters mean, and which characters its table knows."""

    family: str
    name: re.Pattern[str]
    read: Callable[[str], str]
    known: frozenset[str]


_FAMILIES = (
    _Table("TCVN3", _TCVN3, from_tcvn3, frozenset(BYTES) | frozenset(TWINS)),
    _Table("VNI", _VNI, from_vni, frozenset(BYTES)),
)


@dataclass(slots=True)
class _Pool:
    """What stands in fonts of one name."""

    words: list[str] = field(default_factory=list)
    on: set[int] = field(default_factory=set)


def restore(found: list[PageGlyphs], fonts: Fonts) -> Iterator[Finding]:
    """Changes the pages in place; what was changed and what is in doubt comes back as findings."""
    pools: dict[str, _Pool] = defaultdict(_Pool)
    named = any(_is_legacy(font.name) for font in fonts.known)
    for page in found if named else found[:: max(1, len(found) // PAGES)]:
        if page.chars.isascii() and not named:
            continue
        for word in page.words():
            name, text = fonts[word.font].name, page.text(word)
            if page.chars[word.end : word.end + 1] == "\xa0":  # the last byte of `à`
                text += "\xa0"
            if not text.isascii() or _is_legacy(name):
                pool = pools[name]
                if len(pool.words) < SAMPLE or (word.start % 16 == 0 and len(pool.words) < 8 * SAMPLE):
                    pool.words.append(text)
                if not text.isascii():
                    pool.on.add(page.index)
    for table in _FAMILIES:
        yield from _restore_family(table, {name: pool for name, pool in pools.items() if table.name.match(name)}, found, fonts)
    others = {name: pool for name, pool in pools.items() if not _is_legacy(name)}
    yield from _restore_utf8(others, found, fonts)
    yield from _suspects(others)


def _is_legacy(name: str) -> bool:
    return _TCVN3.match(name) is not None or _VNI.match(name) is not None


def _restore_family(table: _Table, pools: dict[str, _Pool], found: list[PageGlyphs], fonts: Fonts) -> Iterator[Finding]:
    words = [word for pool in pools.values() for word in pool.words if not word.isascii()]
    if not words:
        return
    on = {index for pool in pools.values() for index in pool.on}
    names = ", ".join(sorted(pools))
    if not _certain(words, table):
        if any(char in table.known for word in words for char in word if char.isalpha()):
            yield finding(
                "OCR203",
                f"{pages(on)}: the font {names} is one of {table.family}, but {words[0]!r} does not read as its letters do",
            )
        return
    numbers = {number for number, font in enumerate(fonts.known) if table.name.match(font.name)}

    def edits(page: PageGlyphs) -> Iterator[Edit]:
        for word in page.words():
            if word.font in numbers:
                text = page.text(word)
                made = table.read(text)
                made = _capitals(made) if _shows_capitals(fonts[word.font].name) else made
                if made != text:
                    yield word.start, word.end, made

    changed = _apply(edits, found)
    if changed:
        yield finding(
            "OCR202",
            f"{pages(changed)}: {names} shows letters of {table.family}, {words[0]!r} for {table.read(words[0])!r}",
        )


def _capitals(text: str) -> str:
    return "".join(char.upper() if len(char.upper()) == 1 else char for char in text)


def _shows_capitals(name: str) -> bool:
    """`.VnTimeH`, `.VnArialH,Bold`: fonts that show capitals for small letters."""
    return _TCVN3.match(name) is not None and re.split(r"[,\-\s]", name)[0].endswith("H")


def _certain(words: Sequence[str], table: _Table) -> bool:
    """Whether the words are Vietnamese by the table and nothing else as they stand."""
    letters = [char for word in words for char in word if not char.isascii()]
    foreign = sum(char not in table.known for char in letters)
    if len(words) < ENOUGH or foreign > OTHER * len(letters):
        return False
    plain = encodings.vietnamese(" ".join(words))
    made = encodings.vietnamese(" ".join(table.read(word) for word in words))
    return made >= GOOD and plain <= WELL


def _restore_utf8(pools: dict[str, _Pool], found: list[PageGlyphs], fonts: Fonts) -> Iterator[Finding]:
    """UTF-8 that was read as cp1252 before it was set: all letters outside ASCII of a font are such sequences."""
    sure, doubtful = set[str](), set[str]()
    for name, pool in pools.items():
        text = " ".join(pool.words)
        sequences = [match[0] for match in UTF8.finditer(text) if _LETTER.match(decoded(match[0]))]
        rest = sum(not char.isascii() for char in UTF8.sub("", text))
        if len(sequences) >= SEEN and rest <= OTHER * sum(map(len, sequences)):
            sure.add(name)
        elif sum(sequence[-1] not in _QUOTES for sequence in sequences) >= LIKELY:
            doubtful.add(name)

    def edits(page: PageGlyphs) -> Iterator[Edit]:
        taken = bytearray(len(page.chars))
        for word in page.words():
            if fonts[word.font].name in sure:
                taken[word.start : word.end] = b"\1" * (word.end - word.start)
        for match in UTF8.finditer(page.chars):
            if taken[match.start()] and (made := decoded(match[0])):
                yield match.start(), match.end(), made

    changed = _apply(edits, found) if sure else set()
    if changed:
        yield finding("OCR202", f"{pages(changed)}: text in {', '.join(sorted(sure))} was UTF-8 read as cp1252")
    if doubtful:
        on = {index for name in doubtful for index in pools[name].on}
        yield finding("OCR203", f"{pages(on)}: text in {', '.join(sorted(doubtful))} looks like UTF-8 read as cp1252")


def _suspects(pools: dict[str, _Pool]) -> Iterator[Finding]:
    """Fonts with plain names whose letters read as Vietnamese by a table only."""
    for table in _FAMILIES:
        names = {name for name, pool in pools.items() if len(pool.words) >= 2 * ENOUGH and _certain(pool.words, table)}
        if names:
            on = {index for name in names for index in pools[name].on}
            yield finding("OCR203", f"{pages(on)}: text in {', '.join(sorted(names))} reads like letters of {table.family}")


def _apply(edits: Callable[[PageGlyphs], Iterator[Edit]], found: list[PageGlyphs]) -> set[int]:
    """Changes the pages; the indexes of those that differ now."""
    changed = set[int]()
    for at, page in enumerate(found):
        made = sorted(edits(page))
        if made:
            found[at] = _rewritten(page, made)
            changed.add(page.index)
    return changed


def _rewritten(page: PageGlyphs, edits: Sequence[Edit]) -> PageGlyphs:
    """The page with the texts in their places; what they are shorter by is out of the page, and out of its count."""
    moved, chars, lefts = list[int](), list[str](), array("f")
    at = fewer = gone = 0
    for start, end, text in edits:
        moved.extend(range(at - fewer, start - fewer))
        chars += page.chars[at:start], text
        lefts.extend(page.lefts[at : start + len(text)])
        moved.extend(start - fewer + min(step, len(text)) for step in range(end - start))
        gone += sum(not char.isspace() for char in page.chars[start + len(text) : end])
        fewer += end - start - len(text)
        at = end
    moved.extend(range(at - fewer, len(page.chars) - fewer + 1))
    chars.append(page.chars[at:])
    lefts.extend(page.lefts[at:])
    text = "".join(chars)
    made = replace(
        page,
        chars=text,
        lefts=lefts,
        wraps=[moved[wrap] for wrap in page.wraps if text[moved[wrap]] == "-"],
        visible=page.visible - gone,
        _numbers=array("i"),
        _boxes=array("f"),
    )
    for word in page.words():
        start, end = moved[word.start], moved[word.end]
        if end > start:
            made.add(replace(word, start=start, end=end))
    return made
