"""A row as NFC text, with the source index and left edge of every character."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pecia.parsing.pdf.glyphs import Word
from pecia.parsing.pdf.marks import is_wide
from pecia.parsing.pdf.rows import Row

SPACE = 0.15  # of the size: a gap this wide between words parts them although the file holds no space there
NO_SPACE = 0.6  # of the size: pdfium puts a space into stretched Han text; a narrower gap is none
FIRST_ACCENT = "\u0300"  # what comes before it combines with nothing, and is not Han
APART = "accent that stands apart from its letter"
ZERO_WIDTH = "zero-width character"
CONTROL = "control character"

# Starters that compose with what stands before them: Indic vowel signs, Hangul vowels and finals (NFC_QC=Maybe).
_JOINING = (
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1161-\u1175\u11a8-\u11c2\u1b35"
)
_JOINS = re.compile(f"[{_JOINING}]")
_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ufb00-\ufb06\U00010000-\U0010ffff]")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_CLOSING = frozenset("，。、；：？！」』）》〉】〕")  # never with a space before them, wherever in its square a type has them
_ZERO_WIDTH = "\u200b\u2060\ufeff"

Run = tuple[int, int, int, int]  # start and end in the line, start and end on the page


@dataclass(slots=True)
class Letters:
    """The text of a row; `runs` lead back to pdfium's indexes on the page; one edge a character, none in turned rows."""

    text: str
    runs: list[Run]
    edges: array[float]
    dropped: Counter[str]


def letters_of(row: Row) -> Letters:
    """The row in NFC, one space between its words; what has no place in it is counted by reason."""
    plain = not row.words[0].turns and not row.leftwards
    text, runs, edges = _in_order(row) or _one_by_one(row)
    found = Letters(text, runs, edges if plain else array("f"), Counter())
    odd = _ODD.search(text) is not None
    return _composed(found, edges, row.x1, plain) if odd or not unicodedata.is_normalized("NFC", text) else found


def _in_order(row: Row) -> tuple[str, list[Run], array[float]] | None:
    """The line as it stands in the file, where its words follow one another there with a space between, as most do."""
    words, chars = row.words, row.page.chars
    for before, word in pairwise(words):
        at = before.end
        if word.start != at + 1 or chars[at] != " " or chars[at + 1] >= FIRST_ACCENT:
            return None
    first, last = words[0].start, words[-1].end
    edges = row.page.lefts[first:last]
    for word in words[:-1]:
        edges[word.end - first] = word.x1
    return chars[first:last], [(0, last - first, first, last)], edges


def _one_by_one(row: Row) -> tuple[str, list[Run], array[float]]:
    page = row.page
    pieces, runs, edges, at = [], list[Run](), array("f"), 0
    before: Word | None = None
    last = -1  # `last`: where on the page the run so far ends
    for word in row.words:
        if before is not None and _parted(row, before, word):
            pieces.append(" ")
            edges.append(before.x1)
            last = word.start if word.start == before.end + 1 else -1  # a space of the file's own is part of the run
            at += 1
        piece = page.chars[word.start : word.end]
        if before is not None and at and pieces[-1] != " " and piece.isdecimal() and piece.isascii() and row.raises(word):
            piece = piece.translate(_RAISED)  # a mark of a note or an exponent must not lengthen the number before it
        pieces.append(piece)
        if last == word.start and runs:
            runs[-1] = runs[-1][0], at + len(piece), runs[-1][2], word.end
        else:
            runs.append((at, at + len(piece), word.start, word.end))
        last = word.end
        edges.extend(page.lefts[word.start : word.end])
        at += len(piece)
        before = word
    return "".join(pieces), runs, edges


def escaped(found: Letters) -> Letters:
    """The text with a backslash before each pipe, as a cell of a pipe table has it."""
    if "|" not in found.text:
        return found
    places = list(accumulate((2 if char == "|" else 1 for char in found.text), initial=0))
    runs: list[Run] = []
    for start, end, first, last in found.runs:
        if end - start != last - first:
            runs.append((places[start], places[end], first, last))
            continue
        begun = start
        for at in range(start, end):
            if found.text[at] == "|":
                if at > begun:
                    runs.append((places[begun], places[at], first + begun - start, first + at - start))
                runs.append((places[at] + 1, places[at] + 2, first + at - start, first + at - start + 1))
                begun = at + 1
        if end > begun:
            runs.append((places[begun], places[end], first + begun - start, last))
    edges = array(
        "f", (edge for edge, char in zip(found.edges, found.text, strict=False) for _ in range(2 if char == "|" else 1))
    )
    return Letters(found.text.replace("|", "\\|"), runs, edges if found.edges else found.edges, found.dropped)


def _parted(row: Row, before: Word, word: Word) -> bool:
    """Whether a space stands between two words of a row."""
    chars = row.page.chars
    first = chars[word.start]
    if first < FIRST_ACCENT and word.start > before.end:
        return True
    if unicodedata.combining(first) or first in _CLOSING:
        return False
    gap = before.x0 - word.x1 if row.leftwards else word.x0 - before.x1
    if is_wide(first) and is_wide(chars[before.end - 1]) and gap < NO_SPACE * row.size:
        return False
    return word.start > before.end or gap > SPACE * row.size


def _composed(plain: Letters, edges: array[float], right: float, has_edges: bool) -> Letters:
    sources = [-1] * len(plain.text)
    for start, end, first, _ in plain.runs:
        sources[start:end] = range(first, first + end - start)
    found = Letters("", [], array("f"), Counter())
    pieces, at = [], 0
    bounds = [*edges, right]
    for start, end in _clusters(plain.text):
        cluster = plain.text[start:end]
        reason = _reason(cluster)
        if reason and sources[start] >= 0:
            found.dropped[reason] += 1
            continue
        own = [source for source in sources[start:end] if source >= 0]
        piece = unicodedata.normalize("NFKC" if "\ufb00" <= cluster[0] <= "\ufb06" else "NFC", cluster)
        piece = piece.replace("\u00ad", "-").replace("\0", "")
        if own:
            whole = all(b == a + 1 for a, b in pairwise(own))
            found.dropped[APART] += 0 if whole else len(own) - 1
            found.runs.append((at, at + len(piece), own[0], own[-1] + 1 if whole else own[0] + 1))
        width = max(0.0, bounds[end] - bounds[start]) / max(1, len(piece))
        found.edges.extend(bounds[start] + width * step for step in range(len(piece)))
        pieces.append(piece)
        at += len(piece)
    found.text = "".join(pieces)
    found.dropped = +found.dropped
    found.edges = found.edges if has_edges else array("f")
    return found


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Stretches that normalise by themselves: a letter with its accents, a pair of UTF-16 halves (X, U+0000)."""
    start = 0
    for at in range(1, len(text) + 1):
        if at < len(text):
            char = text[at]
            if unicodedata.combining(char) or _JOINS.match(char) or (char == "\0" and text[at - 1] > "\uffff"):
                continue
        if at > start:
            yield start, at
        start = at


def _reason(cluster: str) -> str | None:
    if len(cluster) > 1:
        return None
    if cluster in _ZERO_WIDTH:
        return ZERO_WIDTH
    return CONTROL if unicodedata.category(cluster) == "Cc" else None
