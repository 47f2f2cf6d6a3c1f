"""Where questions begin: lines that bear a marker, a number in a section of its own, or a question as their title."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pecia.strategies.question.marks import (
    CONTENTS_LINE,
    PREFIX,
    Mark,
    Style,
    alternatives,
    mark_at,
    sequence_key,
    styles,
    words,
)
from pecia.strategies.question.units import Unit

# A question mark that ends a sentence: not the one of an address.
ASKS = re.compile(r"[?？](?=$|[\s\"'”’」』）)\]】*_]|[^\x00-\x7f])")
_LETTERED = re.compile(rf"{PREFIX}(?P<number>[A-Z]\s?\d{{1,2}})(?!\d)\s*(?:[.:、)]\s*|\s+|(?=[\u3400-\u9fff]))(?=\S)")
_WHOLE = re.compile(r"[^?？]*(?:[?？][^?？]{0,120})*[?？][\"'”’」』）)*_]*$")
_DECORATED = re.compile(r"^[#*_>\s]*(?:\(?[A-Z0-9一二三四五六七八九十]{1,3}[).、．:]\s*)?|[*_:\s]+$")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LEADERS = re.compile(r"\.{8,}|…{4,}|·{8,}")
# A question is read over at most this many lines before its mark.
_LINES = 8


@dataclass(frozen=True, slots=True)
class Opening:
    """A question begins at `start`, in line `unit`; its text begins at `content`. `number` is "" where none is printed;
    `style` knows the marker of the answer; `sure` is how far the form alone tells a question, from 0 to 1. In `extra`,
    `untitled` says that the title of its section is not there, so that those before it are not its own."""

    unit: int
    start: int
    content: int
    number: str
    id: str
    qa_style: str
    style: Style | None = None
    sure: float = 1.0
    extra: Mapping[str, Any] = field(default_factory=dict)


def paragraph(units: Sequence[Unit], at: int) -> list[Unit]:
    """The line at `at` and those that its sentence goes on in."""
    end = at + 1
    while end < len(units) and units[end].joins:
        end += 1
    return list(units[at:end])


def openings(units: Sequence[Unit], known: Sequence[Style] | None = None) -> list[Opening]:
    """The questions that markers and numbers tell, in order; titles that ask where there are none."""
    found = _marked(units, styles() if known is None else known)
    found = sorted([*found, *_implicit(units, found)], key=lambda opening: opening.start)
    return found or _titles(units)


def contents_lines(units: Sequence[Unit]) -> set[int]:
    """The lines of tables of contents, which name questions and ask none: those that end on a page."""
    listed = {at for run in contents(units) for at in range(*run)}
    return listed | {unit.index for unit in units if unit.markable and CONTENTS_LINE.search(unit.text)}


def contents(units: Sequence[Unit]) -> list[tuple[int, int]]:
    """(first, after), as places in `units`, of each table of contents: its title, then lines that end on a page, and
    lines that run on into them."""
    names = {name.lower() for name in words()["structure"]["contents"]}
    found: list[tuple[int, int]] = []
    for first, unit in enumerate(units):
        if not unit.markable or plain(unit.text).lower() not in names:
            continue
        at, pages = first + 1, 0
        while at < len(units) and not units[at].is_heading:
            ends = sum(1 for _ in CONTENTS_LINE.finditer(units[at].text)) or len(_LEADERS.findall(units[at].text))
            runs_on = at + 1 < len(units) and len(units[at].text) <= 80 and CONTENTS_LINE.search(units[at + 1].text)
            if not (units[at].markable and (ends or runs_on)):
                break
            at, pages = at + 1, pages + max(ends, len(_LEADERS.findall(units[at].text)))
        if pages > 1:
            found.append((first, at))
    return found


def plain(text: str) -> str:
    """A title without Markdown's marks and without its own number or letter."""
    return _DECORATED.sub("", text.strip())


@cache
def requests() -> re.Pattern[str]:
    """Words with which a sentence asks that has no question mark."""
    return re.compile(alternatives(words()["structure"]["requests"]))


@cache
def reply_line() -> re.Pattern[str]:
    """A line that names who is to reply, as agendas have them."""
    return re.compile(rf"{PREFIX}(?:{alternatives(words()['hearing']['replies'])})\s*:?\s*(?P<speaker>.*)")


@dataclass(frozen=True, slots=True)
class _Candidate:
    unit: Unit
    mark: Mark
    style: Style
    asks: bool  # a question mark stands in its paragraph
    whole: bool  # its paragraph ends on one

    @property
    def key(self) -> tuple[str, int] | None:
        return sequence_key(self.mark.number)


def _marked(units: Sequence[Unit], known: Sequence[Style]) -> list[Opening]:
    candidates = list(_candidates(units, known))
    numbered = [item for item in candidates if item.mark.number]
    bare = [item for item in candidates if not item.mark.number]
    strong = [item for item in numbered if item.mark.strong or item.asks]
    # A paper that numbers its questions quotes those that have no number, and the other way round.
    chosen = numbered if len(strong) >= len(bare) else [*bare, *(item for item in numbered if item.mark.strong)]
    accepted = _accepted(sorted(chosen, key=lambda item: item.unit.index))
    return list(_as_openings(_without_lists(accepted, units)))


def _candidates(units: Sequence[Unit], known: Sequence[Style]) -> Iterator[_Candidate]:
    skipped = contents_lines(units)
    for unit in units:
        if not unit.markable or unit.index in skipped:
            continue
        for style in known:
            if mark := mark_at(style.question, unit.text):
                text = "".join(line.text for line in paragraph(units, unit.index)[:_LINES])[mark.start :]
                asks = bool(ASKS.search(text) or requests().search(text))
                yield _Candidate(unit, mark, style, asks, bool(_WHOLE.match(text)))
                break


def _accepted(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Those that are questions: by a closed marker, by a paragraph that asks and nothing more, or by their place in the
    row of numbers. One that stands in mid-sentence must be next in that row."""
    found: list[_Candidate] = []
    keys = Counter(item.key for item in candidates)
    for at, item in enumerate(candidates):
        follows = _follows(found[-1].key if found else None, item.key)
        last = at + 1 == len(candidates)
        leads = bool(found) if last else _follows(item.key, candidates[at + 1].key)
        if item.mark.strong:
            good = not item.unit.joins or (follows and bool(item.mark.number))
        elif item.unit.joins:
            good = False
        else:
            alone = keys[item.key] == 1
            good = item.whole or (item.asks and (follows or (alone and _rises(found, item)))) or (follows and leads and alone)
        if good:
            found.append(item)
    return found


def _follows(before: tuple[str, int] | None, after: tuple[str, int] | None) -> bool:
    """True where a number is the next of its row, or the first of a row."""
    if after is None:
        return False
    return after[1] == 1 or (before is not None and before[0] == after[0] and after[1] == before[1] + 1)


def _rises(found: Sequence[_Candidate], item: _Candidate) -> bool:
    before = found[-1].key if found else None
    return before is None or item.key is None or before[0] != item.key[0] or before[1] < item.key[1]


def _without_lists(accepted: Sequence[_Candidate], units: Sequence[Unit]) -> list[_Candidate]:
    """Without a list of questions at the front: three or more in a row with nothing between, each asked again later."""
    last = {item.mark.number: item.unit.index for item in accepted if item.mark.number}
    dropped: set[int] = set()
    run: list[_Candidate] = []
    for at, item in enumerate(accepted):
        after = accepted[at + 1] if at + 1 < len(accepted) else None
        run.append(item)
        end = item.unit.index + len(paragraph(units, item.unit.index))
        if after is None or after.unit.index > end:
            if len(run) >= 3 and all(last.get(one.mark.number, -1) > one.unit.index for one in run[:-1]):
                dropped |= {one.unit.index for one in run if last.get(one.mark.number, -1) > one.unit.index}
            run = []
    return [item for item in accepted if item.unit.index not in dropped]


def _as_openings(accepted: Sequence[_Candidate]) -> Iterator[Opening]:
    for running, item in enumerate(accepted, 1):
        start = item.unit.span.start
        name = item.style.id.format(number=item.mark.number or running)
        sure = 1.0 if item.mark.strong else 0.95 if item.asks else 0.6
        yield Opening(
            item.unit.index, start + item.mark.start, start + item.mark.end, item.mark.number, name,
            item.style.qa_style, item.style, sure,
        )  # fmt: skip


def is_others(unit: Unit) -> bool:
    """True for the title of a section whose questions bear no word for question."""
    return unit.markable and plain(unit.text).lower() in {name.lower() for name in words()["implicit"]["sections"]}


def _implicit(units: Sequence[Unit], marked: Sequence[Opening]) -> Iterator[Opening]:
    """Questions with a letter and a number only: in a section of their own, behind the last marked question under the letter
    of such sections, whose title may be on a page that is not there, or all over a paper that marks none."""
    taken = {opening.unit for opening in marked}
    sections = [unit.index for unit in units if is_others(unit)]
    for start in sections:
        ends = [at for at in (*taken, *sections) if at > start]
        own = range(start + 1, min(ends, default=len(units)))
        yield from _lettered(units, own) or _unmarked(units, own)
    if marked:
        last = max(taken)
        own = range(last + 1, min((at for at in sections if at > last), default=len(units)))
        loose = (one for one in _lettered(units, own) if one.number[0] == words()["implicit"]["letter"])
        yield from (replace(one, extra={"untitled": True}) for one in loose)
    elif not sections:
        found = [one for one in _lettered(units, range(len(units))) if one.number[0] != "Q"]
        whole = sum(_is_question(units, one.unit) for one in found)
        yield from found if len(found) > 1 and 2 * whole >= len(found) else []


def _lettered(units: Sequence[Unit], own: range) -> list[Opening]:
    """Lines that a letter and the next number open; all of one letter where the letter is the first's."""
    found: list[Opening] = []
    before: tuple[str, int] | None = None
    for at in own:
        unit = units[at]
        match = _LETTERED.match(unit.text) if unit.markable and not unit.joins else None
        if not match:
            continue
        number = match["number"].replace(" ", "")
        key = sequence_key(number)
        text = "".join(line.text for line in paragraph(units, at)[:_LINES])
        if ASKS.search(text) and (_follows(before, key) or bool(_WHOLE.match(text))):
            start = unit.span.start
            style = words()["implicit"]["qa_style"] if _HAN.search(text) else "english"
            found.append(Opening(at, start + match.start("number"), start + match.end(), number, number, style, None, 0.85))
            before = key
    return found


def _unmarked(units: Sequence[Unit], own: range) -> list[Opening]:
    """Paragraphs that are a question and nothing else, each with something after it."""
    letter, style = words()["implicit"]["letter"], words()["implicit"]["qa_style"]
    asked = [at for at in own if _is_question(units, at) and at + 1 in own and not _is_question(units, at + 1)]
    return [_unnumbered(units[at], f"{letter}{number}", style, 0.6) for number, at in enumerate(asked, 1)]


def _is_question(units: Sequence[Unit], at: int) -> bool:
    unit = units[at]
    lines = paragraph(units, at)
    text = "".join(line.text for line in lines)
    return unit.markable and not unit.joins and len(lines) <= 3 and len(text) <= 200 and bool(_WHOLE.match(text))


def _unnumbered(unit: Unit, name: str, style: str, sure: float) -> Opening:
    start = unit.span.start + (len(unit.text) - len(unit.text.lstrip("#*_> ")))
    return Opening(unit.index, start, start, "", name, style, None, sure)


def _asks(unit: Unit) -> bool:
    return bool(_WHOLE.match(unit.text)) and len(unit.text) <= 200


def _titles(units: Sequence[Unit]) -> list[Opening]:
    """The titles of a FAQ: headings that ask, or bold lines; two or more, and no fewer than half of the headings at
    their level."""
    levels = Counter(unit.level for unit in units if unit.is_heading)
    asking = Counter(unit.level for unit in units if unit.is_heading and _asks(unit))
    held = {level for level, count in asking.items() if count >= 2 and 2 * count >= levels[level]}
    found = [unit for unit in units if unit.is_heading and unit.level in held and _asks(unit)]
    if not found:
        bold = [unit for unit in units if unit.opens and unit.text.startswith("**") and _asks(unit)]
        found = bold if len(bold) > 1 else []
    made = []
    for number, unit in enumerate(found, 1):
        kind = words()["untitled"]["han" if _HAN.search(unit.text) else "latin"]
        made.append(_unnumbered(unit, kind["id"].format(number=number), kind["qa_style"], 0.8))
    return made


def unique(found: Sequence[Opening]) -> list[Opening]:
    """The openings with an id each: one that is taken gets `#2`, `#3` behind it."""
    seen: Counter[str] = Counter()
    made = []
    for opening in found:
        seen[opening.id] += 1
        count = seen[opening.id]
        made.append(opening if count == 1 else replace(opening, id=f"{opening.id}#{count}"))
    return made
