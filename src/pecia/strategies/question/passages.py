"""Passages inside a pair: follow-ups and internal references in brackets, parts of a question."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pecia.model import Span
from pecia.strategies.question.marks import alternatives, fold, words
from pecia.strategies.question.split import PART
from pecia.strategies.question.units import Unit

# A bracket that does not close within this many characters is not one passage.
_LONGEST = 6000
_OPENERS, _CLOSERS = "[【〔", "]】〕"
_NOTHING = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Passage:
    """A bracketed passage. `kind` is `followup` or `internal`; `label` is what names it; `trigger` and `answer` are spans
    of a follow-up's two halves, of which the answer may stand in the paragraph after; `closed` is false where the
    bracket never closes, and the passage ends with its line."""

    kind: str
    label: str
    span: Span
    trigger: Span
    answer: Span
    closed: bool


@cache
def _labels() -> re.Pattern[str]:
    kinds = words()["passages"]
    followup, internal = alternatives(kinds["followup"]), alternatives(kinds["internal"])
    return re.compile(rf"[{re.escape(_OPENERS)}]\s*(?:(?P<followup>{followup})|(?P<internal>{internal}))(?![A-Za-z])")


def passages(text: str, answer: Span, units: Sequence[Unit]) -> list[Passage]:
    """The passages of an answer, in order; `units` are all lines of the document."""
    folded = fold(text[answer.start : answer.end])
    found: list[Passage] = []
    for match in _labels().finditer(folded):
        start = answer.start + match.start()
        if found and start < found[-1].span.end:
            continue
        kind = "followup" if match["followup"] else "internal"
        end, closed = _closing(text, start, answer.end)
        label = Span(answer.start + match.start(kind), answer.start + match.end(kind))
        inner = Span(label.end, max(label.end, end - 1 if closed else end))
        if kind == "internal":
            found.append(Passage(kind, label.of(text), Span(start, end), _NOTHING, _NOTHING, closed))
            continue
        trigger, reply = _trigger_and_answer(text, inner)
        if not reply and closed:
            reply = _paragraph_after(units, end, answer.end)
        found.append(Passage(kind, label.of(text), Span(start, end), trigger, reply, closed))
    return found


def _closing(text: str, start: int, limit: int) -> tuple[int, bool]:
    """Where a bracket closes, brackets inside it counted; the end of its line where it never does."""
    depth = 0
    for at in range(start, min(limit, start + _LONGEST)):
        if text[at] in _OPENERS:
            depth += 1
        elif text[at] in _CLOSERS:
            depth -= 1
            if not depth:
                return at + 1, True
    line = text.find("\n", start, limit)
    return (line if line >= 0 else limit), False


def _trigger_and_answer(text: str, inner: Span) -> tuple[Span, Span]:
    """A follow-up's two halves: up to its first colon, else up to its first question mark."""
    folded = fold(inner.of(text))
    lead = len(folded) - len(folded.lstrip(" :,，、"))
    cut = re.search(r":(?!\d)", folded[lead:]) or re.search(r"[?？]", folded[lead:])
    if not cut:
        return _tight(text, Span(inner.start + lead, inner.end)), Span(inner.end, inner.end)
    at = inner.start + lead + cut.end()
    trigger = Span(inner.start + lead, at - 1 if text[at - 1] not in "?？" else at)
    return _tight(text, trigger), _tight(text, Span(at, inner.end))


def _tight(text: str, span: Span) -> Span:
    return span.trimmed(text)


def _paragraph_after(units: Sequence[Unit], at: int, limit: int) -> Span:
    """The paragraph that begins after an offset; empty where the answer ends there."""
    first = bisect_right(units, at, key=lambda unit: unit.span.start)
    if first >= len(units) or units[first].span.start >= limit or units[first].text[:1] in _OPENERS:
        return Span(at, at)
    last = first
    while last + 1 < len(units) and units[last + 1].joins:
        last += 1
    return Span(units[first].span.start, min(limit, units[last].span.end))


def words_of(text: str, span: Span) -> str:
    """The text of a span on one line: wrapped lines joined, with a space where words have spaces between them."""
    piece = span.of(text)
    piece = re.sub(r"(?<=[\u3000-\u9fff\uff00-\uffef])[^\S\n]*\n\s*(?=[\u3000-\u9fff\uff00-\uffef])", "", piece)
    return " ".join(piece.split()).strip("*_ ")


def followup_record(text: str, passage: Passage) -> Mapping[str, Any]:
    """The entry in the attribute `followups`."""
    return {
        "trigger": words_of(text, passage.trigger),
        "answer": words_of(text, passage.answer),
        "start": passage.span.start,
        "end": max(passage.span.end, passage.answer.end),
    }


def reference_record(text: str, passage: Passage) -> Mapping[str, Any]:
    """The entry in the attribute `internal_refs`."""
    return {"text": words_of(text, passage.span), "start": passage.span.start, "end": passage.span.end}


def question_parts(text: str, question: Span, units: Sequence[Unit]) -> list[str]:
    """The parts of a question that letters or numbers open; none where it has fewer than two."""
    first = bisect_right(units, question.start, key=lambda unit: unit.span.end)
    starts = [unit.span.start for unit in _inside(units, first, question) if PART.match(unit.text)]
    if len(starts) < 2:
        starts = _inline_parts(text, question)
    ends = [*starts[1:], question.end]
    return [words_of(text, Span(start, end)) for start, end in zip(starts, ends, strict=True)] if len(starts) > 1 else []


def _inside(units: Sequence[Unit], first: int, span: Span) -> Iterator[Unit]:
    for unit in units[first:]:
        if unit.span.start >= span.end:
            return
        yield unit


_INLINE_PART = re.compile(r"(?<=[\s:;,；：，])[(（]\s*(?P<label>[a-z]|[一二三四五六七八九十])\s*[)）]")


def _inline_parts(text: str, question: Span) -> list[int]:
    """Where parts begin that stand in one line: (a) … (b) …, in the order of their labels."""
    wanted = iter(("abcdefghij", "一二三四五六七八九十"))
    for row in wanted:
        starts: list[int] = []
        for match in _INLINE_PART.finditer(text, question.start, question.end):
            if len(starts) < len(row) and match["label"] == row[len(starts)]:
                starts.append(match.start())
        if len(starts) > 1:
            return starts
    return []
