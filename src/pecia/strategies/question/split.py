"""A question told from its answer: at the marker of the answer, else by question mark, sentence form and line break."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pecia.model import Span
from pecia.strategies.question.marks import alternatives, mark_at, words
from pecia.strategies.question.openings import ASKS, Opening, paragraph, requests
from pecia.strategies.question.units import Unit

# A part of a question or of an answer: (a), (一), 1., and two at once: (b) and (c), (二)及(三).
PART = re.compile(
    r"^[*_\s]*(?P<label>[(（]\s*(?:[a-z]|[ivx]{1,4}|\d{1,2}|[一二三四五六七八九十]{1,3})\s*[)）]|[a-z][.)]|[①-⑳])"
    r"(?:\s*(?:[,、及和與]|and|to|至|-|–)\s*[(（]\s*(?:[a-z]|[ivx]{1,4}|\d{1,2}|[一二三四五六七八九十]{1,3})\s*[)）])*"
)
_SENTENCE = re.compile(r"[.。!！?？](?=$|[\s\"'”’」』）)\]】*_]|[^\x00-\x7f])")
_ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|No|Nos|Hon|St|vs|etc|e\.g|i\.e)|\b[A-Z])\.$")
_CLOSERS = re.compile(r"[\"'”’」』）)\]】*_]*")
# An answer marker inside the line of its question: after the end of the question.
_INLINE = r"(?<=[?？。])[*_]*\s*(?:{labels})\s*{number}\s*[:.、](?![\d])\s*"


@dataclass(frozen=True, slots=True)
class Halves:
    """The question and the answer of a pair, without their markers; an answer that is not there is empty and stands at
    the end. `sure`: how far the two can be told apart, from 0 to 1."""

    question: Span
    answer: Span
    sure: float
    marked: bool = False


def halves(units: Sequence[Unit], opening: Opening, end: int) -> Halves:
    """The two halves of the pair that begins with `opening` and whose last line stands before `end`."""
    own = units[opening.unit : end]
    last = own[-1].span.end
    if opening.style and (found := _at_marker(own, opening, last)):
        return found
    return _by_form(units, opening, end, last)


def _at_marker(own: Sequence[Unit], opening: Opening, last: int) -> Halves | None:
    assert opening.style
    for unit in own[1:]:
        mark = mark_at(opening.style.answer, unit.text) if unit.markable else None
        if mark and _answers(mark.number, opening.number, strong=mark.strong) and not (unit.joins and not mark.number):
            question = _trimmed(own, opening.content, unit.span.start)
            return Halves(question, Span(min(unit.span.start + mark.end, last), last), opening.sure, marked=True)
        if unit.index > opening.unit + _FARTHEST:
            break
    return _inline(own[0], opening, last)


def _answers(found: str, asked: str, *, strong: bool) -> bool:
    """A marker without a number answers; one with a number that is not the question's must be closed."""
    return found == asked or (strong and (not found or bool(asked)))


# Lines of a question that are looked through for the marker of its answer.
_FARTHEST = 60


def _inline(unit: Unit, opening: Opening, last: int) -> Halves | None:
    offset = opening.content - unit.span.start
    for pattern in inline_patterns(opening):
        if match := pattern.search(unit.text, offset):
            start = unit.span.start
            question = Span(opening.content, start + match.start())
            return Halves(question, Span(min(start + match.end(), last), last), 0.9 * opening.sure, marked=True)
    return None


def inline_patterns(opening: Opening) -> Iterator[re.Pattern[str]]:
    """Patterns of the answer's marker in mid-line; with a number only the question's own counts."""
    labels = next((table["answer"] for table in words()["style"] if opening.style and table["name"] == opening.style.name), ())
    if not labels:
        return
    number = r"\s*".join(map(re.escape, opening.number))
    yield re.compile(_INLINE.format(labels=alternatives(labels), number=number))
    # A full last line that no mark ends is joined with the next one: 答 A1： stands nowhere else, but A1: may be a grade.
    if number and (han := [label for label in labels if label[0] > "\u2e80"]):
        yield re.compile(rf"[*_]*(?:{alternatives(han)})\s*{number}\s*[:、](?!\d)[*_]*\s*")


def _by_form(units: Sequence[Unit], opening: Opening, end: int, last: int) -> Halves:
    """Without a marker: the question is the paragraph that asks, up to its last question in a row; its lettered parts
    belong to it; a paragraph that asks nothing is the question where more follows it."""
    at = opening.unit
    lines = paragraph(units, at)[: end - at]
    if opening.content >= lines[-1].span.end and at + len(lines) < end:  # the marker stands alone on its line
        at += len(lines)
        lines = paragraph(units, at)[: end - at]
    start = max(opening.content, lines[0].span.start)
    stop = _last_asked(lines, start)
    after = at + len(lines)
    if stop:
        if rest := "".join(unit.text for unit in _cut(lines, stop)):
            return _made(units, start, stop, last, opening.sure * (0.6 if rest.strip("*_ ") else 0.9))
        return _made(units, start, stop, last, opening.sure * 0.9)
    parts = _parts_end(units, after, end)
    if parts > after:
        return _made(units, start, units[parts - 1].span.end, last, opening.sure * 0.7)
    if after < end and not units[after].is_table and (whole := _asks_whole(units, after, end)) and whole < end:
        return _made(units, start, units[whole - 1].span.end, last, opening.sure * 0.6)
    if after < end:
        asked = requests().search("".join(unit.text for unit in lines))
        return _made(units, start, lines[-1].span.end, last, opening.sure * (0.8 if asked else 0.5))
    first = _first_sentence(lines, start)
    return _made(units, start, first, last, opening.sure * 0.4)


def _made(units: Sequence[Unit], start: int, stop: int, last: int, sure: float) -> Halves:
    return Halves(Span(start, max(start, stop)), Span(min(max(start, stop), last), last), round(sure, 2))


def _trimmed(own: Sequence[Unit], start: int, end: int) -> Span:
    """From `start` to the end of the last line before `end`."""
    before = [unit.span.end for unit in own if unit.span.end <= end]
    return Span(start, max(start, before[-1] if before else start))


def _cut(lines: Sequence[Unit], offset: int) -> Iterator[Unit]:
    """What of these lines stands after an offset."""
    for unit in lines:
        if unit.span.end > offset:
            rest = unit.text[max(0, offset - unit.span.start) :]
            if rest.strip("*_ "):
                yield replace(unit, span=Span(max(offset, unit.span.start), unit.span.end), text=rest)


def _joined(lines: Sequence[Unit], start: int) -> tuple[str, int]:
    """The text of lines from `start` on, with one character for each of the document's, and its offset."""
    text, base = "", start
    for unit in lines:
        from_ = max(start, unit.span.start)
        text = text.ljust(from_ - base) + unit.text[from_ - unit.span.start :]
    return text, base


def _last_asked(lines: Sequence[Unit], start: int) -> int:
    """The offset after the last of the questions in a row that the first question mark begins; 0 where none asks."""
    text, base = _joined(lines, start)
    first = ASKS.search(text)
    if not first:
        return 0
    end = _closed(text, first.end())
    for match in _SENTENCE.finditer(text, end):
        if match[0] == "." and _ABBREVIATION.search(text, max(0, match.end() - 8), match.end()):
            continue
        if match[0] not in "?？":
            break
        end = _closed(text, match.end())
    return base + end


def _closed(text: str, at: int) -> int:
    match = _CLOSERS.match(text, at)
    return match.end() if match else at


def _first_sentence(lines: Sequence[Unit], start: int) -> int:
    text, base = _joined(lines, start)
    for match in _SENTENCE.finditer(text):
        if match[0] != "." or not _ABBREVIATION.search(text, max(0, match.end() - 8), match.end()):
            return base + _closed(text, match.end())
    return base + len(text)


def _parts_end(units: Sequence[Unit], at: int, end: int) -> int:
    """The line after the lettered parts that begin at a line; a part that asks or ends a sentence may be the last."""
    asked = 0
    seen: list[str] = []
    while at < end and units[at].markable:
        label = PART.match(units[at].text)
        if not label or label["label"] in seen:  # the answer begins its own row of parts
            break
        seen.append(label["label"])
        lines = paragraph(units, at)[: end - at]
        at += len(lines)
        if ASKS.search(lines[-1].text):
            asked = at
    return asked


def _asks_whole(units: Sequence[Unit], at: int, end: int) -> int:
    """The line after a short paragraph that is a question and nothing more; 0 where it is none."""
    lines = paragraph(units, at)[: end - at]
    text = "".join(unit.text for unit in lines)
    asks = ASKS.search(text)
    return at + len(lines) if asks and len(text) <= 200 and not text[asks.end() :].strip('*_」』"”? ？') else 0
