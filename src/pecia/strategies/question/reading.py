"""A document read as questions and answers: every pair with its spans, its topic and what stands in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pecia.model import Document, Span
from pecia.strategies.question.forms import forms
from pecia.strategies.question.marks import Style
from pecia.strategies.question.openings import Opening, openings, unique
from pecia.strategies.question.outline import Place, places
from pecia.strategies.question.passages import Passage, passages, question_parts
from pecia.strategies.question.split import Halves, halves
from pecia.strategies.question.turns import hearing
from pecia.strategies.question.units import Unit, units_of
from pecia.text.dates import find_date

_COLUMN_ROWS = 2
DOUBTFUL = 0.6  # a confidence below this asks for a second look


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and its answer. `span` is all that belongs to it, a topic line of its own included (`titled`);
    `label` runs from the marker to the end of the question; `question` and `answer` are without markers, the answer
    empty where there is none. `marked` is true where a marker opens the answer. `nested` and
    `judged` are what a model found in it and said of it, where one was asked."""

    id: str
    index: int
    number: str
    qa_style: str
    span: Span
    label: Span
    question: Span
    answer: Span
    topic: str | None
    titled: bool
    confidence: float
    marked: bool
    passages: tuple[Passage, ...]
    parts: tuple[str, ...]
    table: bool
    extra: Mapping[str, Any] = field(default_factory=dict)
    nested: tuple[Mapping[str, Any], ...] = ()
    judged: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """`units` are the lines of the document; `bounds` the first line of each pair and the line after its last."""

    units: tuple[Unit, ...]
    pairs: tuple[Pair, ...]
    bounds: tuple[tuple[int, int], ...]

    def coverage(self, document: Document) -> float:
        """The share of the document's characters that stand in pairs."""
        return sum(len(pair.span) for pair in self.pairs) / max(1, len(document.text))


def read(document: Document, styles: Sequence[Style] | None = None) -> Reading:
    """The pairs of a document in the order of its text; linear in its length."""
    units = units_of(document)
    if not units:
        return Reading((), (), ())
    found, split, speaker = _opened(units, document.text, styles)
    found = unique(found)
    where = places(units, found, document.text)
    pairs = [
        _pair(document, units, opening, place, split(opening, place.end), speaker(opening, place.end))
        for opening, place in zip(found, where, strict=True)
    ]
    return Reading(tuple(units), tuple(_numbered(pairs)), tuple((place.first, place.end) for place in where))


Split = Callable[[Opening, int], Halves]
Speaker = Callable[[Opening, int], str | None]


def _opened(units: Sequence[Unit], text: str, styles: Sequence[Style] | None) -> tuple[Sequence[Opening], Split, Speaker]:
    """The openings of the reading that finds most, and how it tells questions from answers. Forms say what they are;
    speakers are heard where they ask more questions than markers tell."""
    filled = forms(units, text)
    if filled.openings:
        return filled.openings, filled.halves, _nobody
    marked, heard = openings(units, styles), hearing(units)
    named = any(opening.number for opening in marked)  # else titles that ask: as a bold name does with its question behind it
    if len(heard.openings) > len(marked) or (not named and heard.openings and len(heard.openings) == len(marked)):
        return heard.openings, heard.halves, heard.speaker
    return marked, lambda opening, end: halves(units, opening, end), _nobody


def _nobody(opening: Opening, end: int) -> str | None:
    return None


def _pair(document: Document, units: Sequence[Unit], opening: Opening, place: Place, cut: Halves, speaker: str | None) -> Pair:
    text = document.text
    question, answer = cut.question.trimmed(text), cut.answer.trimmed(text)
    question = _undecorated(text, question)
    span = Span(min(units[place.first].span.start, opening.start), units[place.end - 1].span.end)
    inside = tuple(passages(text, answer, units))
    extra = {name: value for name, value in opening.extra.items() if name not in {"first", "end", "untitled"}}
    return Pair(
        opening.id, 0, opening.number, opening.qa_style, span, Span(min(opening.start, question.start), question.end), question,
        answer, place.topic, place.titled, round(cut.sure, 2), cut.marked, inside,
        tuple(question_parts(text, question, units)), has_table(document, units, (place.first, place.end), answer),
        {**extra, "speaker": speaker},
    )  # fmt: skip


def _undecorated(text: str, span: Span) -> Span:
    """The span without the marks of bold text at its ends."""
    piece = span.of(text)
    kept = piece.strip("*_ \t\n")
    if not kept:
        return span
    start = span.start + piece.index(kept)
    return Span(start, start + len(kept))


def has_table(document: Document, units: Sequence[Unit], lines: tuple[int, int], answer: Span) -> bool:
    """A table of the document stands in the answer, or two lines of columns or more in a row; `lines` are those of the pair."""
    if not answer:
        return False
    if document.tables_of(answer):
        return True
    run = 0
    for unit in units[slice(*lines)]:
        if unit.span.start < answer.start:
            continue
        run = run + 1 if unit.columns else 0
        if unit.is_table or run >= _COLUMN_ROWS:
            return True
    return False


def _numbered(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with their index over all: those of a section without markers after the last of the others."""
    implicit = Counter(pair.qa_style == "chinese_implicit" for pair in pairs)
    marked, unmarked = 0, implicit[False]
    made = []
    for pair in pairs:
        if pair.qa_style == "chinese_implicit":
            made.append(replace(pair, index=unmarked))
            unmarked += 1
        else:
            made.append(replace(pair, index=marked))
            marked += 1
    return made


def document_date(document: Document) -> str | None:
    """The date that the feet of pages bear most, as YYYY-MM-DD; None where they bear none."""
    found = Counter(dated.date for item in document.furniture if (dated := find_date(item.text)))
    return found.most_common(1)[0][0] if found else None
