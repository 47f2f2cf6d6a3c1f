"""Hearings, debates and interviews: speakers' turns, and which of them ask and which answer."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from pecia.model import Span
from pecia.strategies.question.marks import PREFIX, words
from pecia.strategies.question.openings import ASKS, Opening, contents_lines, reply_line, requests
from pecia.strategies.question.split import Halves
from pecia.strategies.question.units import Unit

# A turn without a number that is longer than this is a speech: it asks only where its end does.
_LONGEST_QUESTION = 1500
_END_OF_TURN = 160


class Role(StrEnum):
    CHAIR = "chair"
    OFFICER = "officer"
    ASKER = "asker"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says, from line `unit` on; `start` is where the line begins, `content` what is said. `asks` is
    true where the line itself says that the speaker asks."""

    unit: int
    start: int
    content: int
    number: str
    speaker: str
    role: Role
    asks: bool


@dataclass(frozen=True, slots=True)
class _Patterns:
    turns: tuple[re.Pattern[str], ...]
    named: re.Pattern[str]
    roles: tuple[tuple[Role, re.Pattern[str]], ...]


@cache
def _patterns() -> _Patterns:
    table = words()["hearing"]
    latin = [word for role in ("chair", "officer", "asker", "honorifics") for word in table[role] if word.isascii()]
    han = [word for role in ("chair", "officer", "asker", "han_titles") for word in table[role] if not word.isascii()]
    title, names = _any(latin), _any(han)
    number = rf"{PREFIX}(?:\d{{1,2}}\s{{2,}})?(?:(?P<number>\d{{1,3}})\s*[.)、]\s*)?"
    remark = r"(?:\s*\([^()]{1,40}\))*"
    asks = _any(table["asks"])
    # A name in capitals or with a title of honour; the title of an office and what it is of.
    spoken = rf"(?P<speaker>(?:{title})\b\.?(?:[ ,.'’-]+[\w.'’&-]+){{0,14}}?)"
    return _Patterns(
        (
            re.compile(rf"{number}(?P<bold>\*\*)?{spoken}{remark}(?:\s+(?P<asks>{asks}))?{remark}(?:\*\*)?\s*:(?:\*\*)?\s*"),
            re.compile(
                rf"{number}(?P<bold>\*\*)?(?P<speaker>[\u3400-\u9fff·]{{0,24}}?(?:{names})(?:[\u3400-\u9fff]{{0,4}}(?:{names}))?)"
                rf"{remark}\s*(?P<asks>{asks})?{remark}(?:\*\*)?\s*:(?:\*\*)?\s*"
            ),
        ),
        re.compile(rf"{PREFIX}(?P<speaker>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){{0,3}})(?:\*\*)?\s*:(?:\*\*)?\s+"),
        tuple((role, re.compile(rf"(?:{_any(table[role])})")) for role in (Role.CHAIR, Role.OFFICER, Role.ASKER)),
    )


def _any(labels: Sequence[str]) -> str:
    """A pattern for any of these; words in capitals also Capitalised."""
    cased = [form for label in labels for form in ([label, label.title()] if label.isupper() else [label])]
    return alternatives_as_written(cased)


def alternatives_as_written(labels: Sequence[str]) -> str:
    """A pattern for any of these labels in this letter case, the longest first."""
    return "|".join(re.escape(label) for label in sorted(set(labels), key=len, reverse=True))


def turns_of(units: Sequence[Unit]) -> list[Turn]:
    """The turns of speakers, in order. A name without a title is one where it opens three lines and another does too."""
    skipped = contents_lines(units)
    found: list[Turn] = []
    loose: list[tuple[Unit, re.Match[str]]] = []
    for unit in units:
        if not unit.markable or unit.index in skipped or unit.is_heading or reply_line().match(unit.text):
            continue
        match = next((match for pattern in _patterns().turns if (match := pattern.match(unit.text))), None)
        if match and not (unit.joins and not match["number"]):
            found.append(_turn(unit, match))
        elif not unit.joins and (match := _patterns().named.match(unit.text)):
            loose.append((unit, match))
    if not found:
        names = Counter(match["speaker"] for _, match in loose)
        often = {name for name, count in names.items() if count >= 3}
        if len(often) > 1:
            found = [_turn(unit, match) for unit, match in loose if match["speaker"] in often]
    return found


def _turn(unit: Unit, match: re.Match[str]) -> Turn:
    groups = match.groupdict()
    start, speaker = unit.span.start, match["speaker"].strip(" *")
    role = next((role for role, pattern in _patterns().roles if pattern.search(speaker)), Role.MEMBER)
    first = match.start("number") if groups.get("number") else match.start("speaker")
    return Turn(
        unit.index, start + first, start + match.end(), groups.get("number") or "", speaker, role, bool(groups.get("asks"))
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hearing:
    """The questions that turns ask, and how their halves are told apart."""

    openings: tuple[Opening, ...]
    turns: tuple[Turn, ...]
    units: Sequence[Unit]

    def halves(self, opening: Opening, end: int) -> Halves:
        """The question runs to the next turn, the answer from the first turn that answers to the end of the last."""
        last = self.units[end - 1].span.end
        at = bisect_left(self.turns, opening.unit, key=lambda turn: turn.unit)
        own = self.turns[at]
        after = [turn for turn in self.turns[at + 1 :] if turn.unit < end]
        stop = self._end_of(opening.unit, after[0].unit if after else end)
        if replies := _reply_line(self.units, opening.unit, end):
            stop = min(stop, self._end_of(opening.unit, replies))
        answer = next((turn for turn in after if turn.role is not Role.CHAIR and turn.speaker != own.speaker), None)
        if not answer:
            return Halves(Span(opening.content, max(opening.content, stop)), Span(last, last), opening.sure)
        closing = next((turn for turn in after if turn.role is Role.CHAIR and turn.unit > answer.unit), None)
        close = self._end_of(answer.unit, closing.unit) if closing else last
        return Halves(
            Span(opening.content, max(opening.content, stop)), Span(answer.content, max(answer.content, close)), opening.sure,
            marked=True,
        )  # fmt: skip

    def _end_of(self, first: int, after: int) -> int:
        return self.units[max(first, after - 1)].span.end

    def speaker(self, opening: Opening, end: int) -> str | None:
        """Who answers, as printed."""
        at = bisect_left(self.turns, opening.unit, key=lambda turn: turn.unit)
        own = self.turns[at]
        for turn in self.turns[at + 1 :]:
            if turn.unit >= end:
                break
            if turn.role is not Role.CHAIR and turn.speaker != own.speaker:
                return turn.speaker
        line = _reply_line(self.units, opening.unit, end)
        match = reply_line().match(self.units[line].text) if line else None
        return match["speaker"].strip() or None if match else None


def _reply_line(units: Sequence[Unit], first: int, end: int) -> int:
    """The line that names who is to reply; 0 where none does."""
    return next((at for at in range(first + 1, end) if reply_line().match(units[at].text)), 0)


def hearing(units: Sequence[Unit]) -> Hearing:
    """The questions of a hearing: numbered turns, and in between turns that ask and that another speaker answers."""
    turns = turns_of(units)
    officers = any(turn.role is Role.OFFICER for turn in turns)
    asking = _askers(turns, units)
    style = words()["hearing"]["qa_style"]
    made: list[Opening] = []
    main, count, running = "", 0, 0
    for at, turn in enumerate(turns):
        if turn.number and (turn.asks or turn.role in {Role.MEMBER, Role.ASKER}):
            main, count, name = turn.number, 0, turn.number
        elif _asks(turns, at, units, officers=officers, asking=asking) and (not main or _answered(turns, at, made)):
            count, running = count + 1, running + 1
            name = f"{main}-{count}" if main else str(running)
        else:
            continue
        first = _preface(turns, at, made)
        sure = 0.95 if turn.number or turn.role in {Role.MEMBER, Role.ASKER} else 0.7
        extra = {"asker": turn.speaker, "first": first}
        made.append(Opening(turn.unit, turn.start, turn.content, turn.number, name, style, None, sure, extra))
    return Hearing(tuple(made), tuple(turns), units)


def _preface(turns: Sequence[Turn], at: int, made: Sequence[Opening]) -> int:
    """The line with which what belongs to a question begins: that of the chair who calls the speaker up."""
    first = turns[at].unit
    while at and turns[at - 1].role is Role.CHAIR and turns[at - 1].unit > (made[-1].unit if made else -1):
        at -= 1
        first = turns[at].unit
    return first


def _answered(turns: Sequence[Turn], at: int, made: Sequence[Opening]) -> bool:
    """True where somebody other than the asker spoke since the last question."""
    asker = made[-1].extra["asker"]
    return any(turn.unit > made[-1].unit and turn.role is not Role.CHAIR and turn.speaker != asker for turn in turns[:at][-8:])


def _askers(turns: Sequence[Turn], units: Sequence[Unit]) -> frozenset[str]:
    """Names without a title whose turns mostly ask, where another's mostly do not: the interviewer's."""
    said = Counter(turn.speaker for turn in turns)
    asked = Counter(turn.speaker for at, turn in enumerate(turns) if _ends_asking(_said(turns, at, units)))
    return frozenset(name for name, count in said.items() if 2 * asked[name] > count)


def _said(turns: Sequence[Turn], at: int, units: Sequence[Unit]) -> str:
    end = turns[at + 1].unit if at + 1 < len(turns) else len(units)
    return "\n".join(unit.text for unit in units[turns[at].unit : min(end, turns[at].unit + 200)])


def _ends_asking(said: str) -> bool:
    return bool(ASKS.search(said[-_END_OF_TURN:]))


def _asks(turns: Sequence[Turn], at: int, units: Sequence[Unit], *, officers: bool, asking: frozenset[str]) -> bool:
    """True for a turn that asks what the next speaker, the chair aside, answers."""
    turn = turns[at]
    if turn.role in {Role.OFFICER, Role.CHAIR}:
        return False
    following = next((one for one in turns[at + 1 : at + 4] if one.role is not Role.CHAIR), None)
    if following is None or following.speaker == turn.speaker:
        return False
    said = _said(turns, at, units)
    asks = bool(ASKS.search(said) or requests().search(said))
    if turn.asks or turn.role is Role.ASKER:
        return asks
    if officers:
        short = len(said) <= _LONGEST_QUESTION
        return following.role is Role.OFFICER and asks and (short or _ends_asking(said))
    return turn.speaker in asking and following.speaker not in asking and asks
