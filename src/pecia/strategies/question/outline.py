"""What stands around pairs: the topic that each belongs to, titles that only hold questions, where a last answer ends."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pecia.strategies.question.marks import alternatives, han_value, mark_at, words
from pecia.strategies.question.openings import Opening, is_others, paragraph, plain, reply_line
from pecia.strategies.question.units import Unit
from pecia.text.headings import heading_title

# A topic line is a title: longer ones, and those with marks inside that only sentences have, are text.
_LONGEST_TITLE = 80
_SENTENCE_MARKS = re.compile(r"[。！!?？；;，]|[.,:]$|\.\s")
_SENTENCE = re.compile(r"[。！!?？；;]|[.:：]$")
_LIST_ITEM = re.compile(r"^(?:[-•●▪◦⚫➢*+–]\s|\(?(?:[ivx]{1,5}|[a-z]|\d{1,3})[).、．]\s?)")
_LETTERED = re.compile(
    r"^(?:[(（【\[]\s*(?:[A-Z]|[一二三四五六七八九十]{1,3})\s*[)）】\]]|[A-Z][.、．]|[一二三四五六七八九十]{1,3}、|(?i:part)\s)\s*\S"
)
# Two figures side by side: a row of a table that stands as text.
_FIGURES = re.compile(r"(?:^|\s)\d[\d.,]*%?\s+\d[\d.,]*%?(?:\s|$)")
_WORD = re.compile(r"[A-Za-z]+|[\u3400-\u9fff]+")
_BRACKETED = re.compile(r"^[\[【〔(（].*[\]】〕)）]$")
# Titles in a row before a question: a topic and what holds it.
_MOST_TITLES = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question stands: `first` is the line that its part of the text begins with (its topic line, else its
    own), `end` the line after its last; `topic` as printed; `holder` is the first of the titles before `first` that
    hold questions and belong to what stands before them."""

    first: int
    end: int
    topic: str | None
    titled: bool


def title_of(unit: Unit, text: str) -> str:
    """The words of a title as printed, without Markdown's marks."""
    return heading_title(unit.span.of(text)).strip("*_ ").rstrip(":：")


def is_container(title: str) -> bool:
    """True for a title made of words for question and answer alone; numbers and marks do not count."""
    heads, held = _container_words()
    found = [word.lower() for word in held.findall(plain(title))]
    return any(word in heads for word in found) and not _WORD.search(held.sub(" ", plain(title)))


@cache
def _container_words() -> tuple[frozenset[str], re.Pattern[str]]:
    table = words()["structure"]
    every = sorted({*table["container_heads"], *table["container_words"]}, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in every if word.isascii())
    han = "|".join(re.escape(word) for word in every if not word.isascii())
    pattern = re.compile(rf"\b(?:{latin})\b|{han}", re.IGNORECASE)
    return frozenset(word.lower() for word in table["container_heads"]), pattern


def places(units: Sequence[Unit], found: Sequence[Opening], text: str) -> list[Place]:
    """The place of each opening, in order."""
    made: list[Place] = []
    heads = [_heads(units, opening, found[at - 1] if at else None) for at, opening in enumerate(found)]
    stack = _Stack(units, text, [opening.unit for opening in found])
    numbered = list(_numbered(units))
    for at, opening in enumerate(found):
        begins = _begins(opening)
        stack.advance(heads[at], begins)
        kept = [unit for unit in heads[at] if unit.index != stack.title and not is_container(title_of(unit, text))]
        holders = [unit for unit in heads[at] if unit not in kept]
        first = next((unit.index for unit in kept if not holders or unit.index > holders[-1].index), begins)
        limit = len(units)
        if at + 1 < len(found):
            limit = heads[at + 1][0].index if heads[at + 1] else _begins(found[at + 1])
        limit = _next_section(numbered, opening.unit, limit)
        follows = at + 1 < len(found) and not heads[at + 1] and _is_next(opening, found[at + 1])
        end = opening.extra.get("end") or _end(units, opening, limit, stack.level, follows=follows)
        own = first < begins or not opening.extra.get("untitled")
        made.append(Place(first, min(end, limit), stack.topic if own else None, first < begins))
    return made


def _begins(opening: Opening) -> int:
    """The line that a question's part of the text begins with, titles aside."""
    first: int = opening.extra.get("first", opening.unit)
    return first


def _heads(units: Sequence[Unit], opening: Opening, before: Opening | None) -> list[Unit]:
    """The titles that stand right before a question, in order."""
    found: list[Unit] = []
    if "end" in opening.extra:  # a form is all that belongs to its question
        return found
    least = _after_question(units, before) if before else -1
    answer = before.style.answer if before and before.style else ()
    at = _begins(opening) - 1
    while at > (before.unit if before else -1) and len(found) < _MOST_TITLES:
        # What stands right after a question is its answer, however short.
        if not units[at].is_heading and (at <= least or mark_at(answer, units[at].text) or not _is_title(units, at)):
            break
        found.append(units[at])
        at -= 1
    return found[::-1]


def _after_question(units: Sequence[Unit], opening: Opening) -> int:
    """The line after the paragraph of a question, or after the one that follows a marker alone on its line."""
    at = opening.unit + len(paragraph(units, opening.unit))
    alone = opening.content >= units[opening.unit].span.end and at < len(units)
    return at + len(paragraph(units, at)) if alone else at


def _is_title(units: Sequence[Unit], at: int) -> bool:
    unit = units[at]
    if unit.is_heading:
        return True
    if not unit.markable or unit.joins or (at + 1 < len(units) and units[at + 1].joins):
        return False
    words_ = unit.text.strip("*_ ")
    if len(words_) > _LONGEST_TITLE or not _WORD.search(words_) or _BRACKETED.match(words_):
        return False
    if unit.columns or _FIGURES.search(words_):
        return False
    if reply_line().match(words_):
        return False
    if _LETTERED.match(words_):
        return not _SENTENCE_MARKS.search(re.sub(r"^\W*\w{1,3}[.、．)）]", "", words_))
    if _LIST_ITEM.match(words_) or _SENTENCE_MARKS.search(words_):
        return False
    # A line that the sentence before runs into is no title.
    return at == 0 or units[at - 1].ended or not units[at - 1].markable or units[at - 1].columns or _is_title(units, at - 1)


def _is_next(opening: Opening, after: Opening) -> bool:
    """True where the number after is the next in the same row, so that nothing need begin between the two."""
    one, two = re.match(r"(\D*)(\d+)$", opening.number), re.match(r"(\D*)(\d+)$", after.number)
    return bool(one and two) and one[1] == two[1] and int(one[2]) + 1 == int(two[2])  # type: ignore[index]


class _Stack:
    """The titles that are open at a question: headings by their level, topic lines below them."""

    def __init__(self, units: Sequence[Unit], text: str, asked: Iterable[int]) -> None:
        self._units, self._text, self._at = units, text, 0
        self._open: list[tuple[int, str]] = []
        headings = [unit for unit in units if unit.is_heading]
        levels = [unit.level or 1 for unit in headings]
        top = bool(levels) and (len(levels) == 1 or levels[0] < min(levels[1:]))
        self.title = headings[0].index if top else -1
        # The title of the whole paper is no topic; neither is a heading that is itself a question.
        self._passed = {self.title, *asked}

    def advance(self, heads: Sequence[Unit], question: int) -> None:
        """Reads the titles up to a question; `heads` are those right before it."""
        own = {unit.index for unit in heads}
        for unit in self._units[self._at : question]:
            if unit.index in self._passed:  # a heading that is itself a question heads nothing but its answer
                self._open = [item for item in self._open if item[0] < (unit.level or 1)] if unit.is_heading else self._open
            elif unit.is_heading or unit.index in own:
                level = (unit.level or 1) if unit.is_heading else _BELOW
                self._open = [item for item in self._open if item[0] < level]
                self._open.append((level, title_of(unit, self._text)))
        self._at = question

    @property
    def topic(self) -> str | None:
        """The innermost title that is no container, of those below the last container."""
        for _, title in reversed(self._open):
            return None if is_container(title) else title
        return None

    @property
    def level(self) -> int | None:
        """The level of the innermost heading that is open."""
        return next((level for level, _ in reversed(self._open) if level < _BELOW), None)


_BELOW = 99


def _end(units: Sequence[Unit], opening: Opening, limit: int, level: int | None, *, follows: bool) -> int:
    """The line before which an answer ends: at the next question or its titles, at a heading that is no deeper than the
    one it stands under, at an annex."""
    own = units[opening.unit].level if units[opening.unit].is_heading else None
    bar = own if own is not None else level
    for unit in units[opening.unit + 1 : limit]:
        if unit.is_heading and not (follows and bar is not None and (unit.level or 1) >= bar):
            if bar is None or (unit.level or 1) <= bar:
                return unit.index
        elif not unit.is_heading and (
            is_annex(unit) or (is_others(unit) and not unit.joins and (unit.opens or units[unit.index - 1].ended))
        ):
            return unit.index
    return limit


# The numbers of the parts of an agenda: III. 法案, IV. Motions, 三、法案; also in the first cell of a row.
_PART = re.compile(
    r"(?:^|\n|\|[ ])[*_]*(?:(?P<roman>X{0,2}(?:IX|IV|V?I{0,3}))(?<=[IVX])\s*[.、．]|(?P<han>[一二三四五六七八九十]{1,3})、)\s*\w"
)
_ROMAN = {"I": 1, "V": 5, "X": 10}


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A line that bears the number of a part, or the last one in a table; `title` where it may head one."""

    unit: int
    kind: str
    value: int
    title: bool


def _numbered(units: Sequence[Unit]) -> Iterator[_Numbered]:
    for unit in units:
        for match in list(_PART.finditer(unit.text))[-1:] if unit.is_table or unit.opens else ():
            title = not unit.is_table and not match.start() and len(unit.text) <= _LONGEST_TITLE and not unit.joins
            roman = [_ROMAN[letter] for letter in match["roman"] or ""]
            value = sum(-one if one < two else one for one, two in itertools.zip_longest(roman, roman[1:], fillvalue=0))
            kind = "roman" if roman else "han"
            yield _Numbered(unit.index, kind, value or han_value(match["han"] or ""), title and not _SENTENCE.search(unit.text))


def _next_section(numbered: Sequence[_Numbered], question: int, limit: int) -> int:
    """The line before `limit` that heads the part after the one that the question stands in; else `limit`. A list inside an
    answer begins anew, so that its first number is not the one that follows."""
    for kind in ("roman", "han"):
        before = next((item for item in reversed(numbered) if item.kind == kind and item.unit < question), None)
        after = next((item for item in numbered if item.kind == kind and item.unit > question), None)
        if before and after and after.title and after.value == before.value + 1 and after.unit < limit:
            limit = after.unit
    return limit


_ANNEX = re.compile(
    rf"^[*_#\s]*(?:{alternatives(words()['structure']['annexes'])})\s*[A-Z0-9一二三四五六七八九十]{{0,3}}\s*[*_:]*$"
)


def is_annex(unit: Unit) -> bool:
    """True for a line that says annex, and its letter or number, and no more."""
    return unit.markable and not unit.joins and bool(_ANNEX.match(unit.text))
