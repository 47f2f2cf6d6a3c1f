"""Doubtful pairs shown to a model. It may move the end of a pair by lines; all else that it says is a note.

Nothing that it writes becomes text: a passage that it names is a span where the same words stand, or it is refused.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pecia.errors import ModelError, OptionError
from pecia.llm.client import Client, configured
from pecia.model import Document, Span
from pecia.settings import settings
from pecia.strategies.question.passages import Passage, passages
from pecia.strategies.question.reading import DOUBTFUL, Pair, Reading, has_table
from pecia.text.comparing import letters, numbers, places
from pecia.text.tables import rows_as_text
from pecia.text.tokens import index_of

if TYPE_CHECKING:
    from pecia.llm.forms import Verdict

LONG_ANSWER = 2000  # tokens
AHEAD = 2000  # characters behind a pair that are shown with it
MOST = 60_000  # characters of a pair; a longer one is not shown
_log = logging.getLogger("pecia.llm")
_PROMPT = """A paper of questions and answers was cut into pairs by its markers. Judge one pair.
The question stands under QUESTION, the answer as it was cut under ANSWER, and what comes after it in the paper under AFTER.

correct_boundary: true if the answer ends where ANSWER ends.
suggested_boundary: null if it does; else the last line of the answer, word for word, from ANSWER or from AFTER.
tables_markdown: each table of the answer as a pipe table; empty if there is none.
nested_qa: further questions inside ANSWER with their answers, each word for word.
internal_refs: passages of ANSWER that are notes for internal use, word for word.
clean_answer: the words of the answer without page numbers, marks and notes; nothing added.

QUESTION
{question}

ANSWER
{answer}

AFTER
{after}
"""
Note = Mapping[str, Any]


def judge_of_settings() -> Client:
    """The model that judges; OptionError where the settings name none."""
    client = configured(settings().qa_verification_model)
    if client is None:
        raise OptionError("judge asks a model, and none is set: LLM_BASE_URL and LLM_MODEL_NAME name one")
    return client


def judged(document: Document, reading: Reading, tokenizer: str, client: Client) -> Reading:
    """The reading with its doubtful pairs judged, in order; each bears notes of what was said."""
    index = index_of(tokenizer, document.text)
    doubts = {at: why for at, pair in enumerate(reading.pairs) if (why := doubts_of(document, pair, index.count))}
    pairs, bounds = list(reading.pairs), list(reading.bounds)
    for number, (at, why) in enumerate(doubts.items(), 1):
        _log.info("%s is judged by %s (%d of %d)", pairs[at].id, client.model, number, len(doubts))
        first, end = bounds[at]
        limit = bounds[at + 1][0] if at + 1 < len(bounds) else len(reading.units)
        last = _shown(reading, end, limit)
        pairs[at], end = _judged(document, reading, pairs[at], (first, end, last), why, client)
        bounds[at] = first, end
    return Reading(reading.units, tuple(pairs), tuple(bounds))


def doubts_of(document: Document, pair: Pair, count: Callable[[int, int], int]) -> list[str]:
    """Why a pair is doubtful; empty where it is not."""
    loose = pair.answer and any(not document.tables_of(run) for run in rows_as_text(document.text, pair.answer))
    reasons = {
        "long answer": pair.answer and count(pair.answer.start, pair.answer.end) > LONG_ANSWER,
        "passages in brackets": bool(pair.passages),
        "rows of a table as text": loose,
        "no markers": pair.qa_style == "chinese_implicit",
        "low confidence": pair.confidence < DOUBTFUL,
    }
    return [reason for reason, holds in reasons.items() if holds]


def _shown(reading: Reading, end: int, limit: int) -> int:
    """The line after the last one that is shown behind a pair."""
    last = end
    while last < limit and reading.units[last].span.end - reading.units[end].span.start <= AHEAD:
        last += 1
    return last


def _judged(
    document: Document, reading: Reading, pair: Pair, lines: tuple[int, int, int], why: Sequence[str], client: Client
) -> tuple[Pair, int]:
    """The pair as the model sees it, and the line after its last."""
    text, units, (_, end, last) = document.text, reading.units, lines
    head = {"what": "reply", "model": client.model, "asked_because": list(why)}
    if len(pair.span) > MOST:
        return replace(pair, judged=({**head, "verdict": "not asked", "said": f"{len(pair.span):,} characters"},)), end
    after = Span(units[end].span.start, units[last - 1].span.end).of(text) if last > end else ""
    try:
        asked = _PROMPT.format(question=pair.question.of(text), answer=pair.answer.of(text), after=after)
        reply = client.ask(asked, _form())
    except ModelError as error:
        return replace(pair, judged=({**head, "verdict": "none", "said": error.message},)), end
    notes: list[Note] = [{**head, "verdict": "read", "tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out}]
    verdict = reply.value
    pair, end, note = _bounded(document, reading, pair, lines, verdict)
    notes.append(note)
    pair, named = _internal(text, pair, verdict.internal_refs)
    nested, held = _nested(text, pair.answer, verdict)
    notes += [*named, *held, *_written(text, pair, verdict)]
    return replace(pair, nested=tuple(nested), judged=tuple(notes)), end


def _form() -> type[Verdict]:
    from pecia.llm.forms import Verdict

    return Verdict


def _bounded(
    document: Document, reading: Reading, pair: Pair, lines: tuple[int, int, int], verdict: Verdict
) -> tuple[Pair, int, Note]:
    """The pair with its end where the model says, if that is the end of a line from its answer's first to the last shown."""
    text, units, (first, end, last) = document.text, reading.units, lines
    if verdict.correct_boundary:
        return pair, end, {"what": "boundary", "verdict": "right"}
    start = pair.answer.start if pair.answer else pair.question.end
    shown = Span(start, max(start, units[last - 1].span.end))
    words = verdict.suggested_boundary or ""
    found = places(text, shown, words)
    refused = {"what": "boundary", "verdict": "refused", "said": words}
    if len(found) != 1:
        return pair, end, {**refused, "why": f"the words stand {len(found)} times in the answer and behind it"}
    line = bisect_left(units, found[0].end, key=lambda unit: unit.span.end)
    rest = text[found[0].end : units[line].span.end]
    if any(char.isalnum() for char in rest):
        return pair, end, {**refused, "why": "a line goes on behind the words"}
    if line + 1 == end:
        return pair, end, {"what": "boundary", "verdict": "right"}
    answer = Span(start, units[line].span.end).trimmed(text)
    moved = replace(
        pair, span=Span(pair.span.start, units[line].span.end), answer=answer, passages=tuple(passages(text, answer, units)),
        table=has_table(document, units, (first, line + 1), answer),
    )  # fmt: skip
    note = {"what": "boundary", "verdict": "moved", "from": pair.span.end, "to": moved.span.end, "said": words}
    return moved, line + 1, note


def _internal(text: str, pair: Pair, named: Sequence[str]) -> tuple[Pair, list[Note]]:
    """The pair with the internal passages that the model names and no bracket told; not those that are most of the answer."""
    held, notes = list(pair.passages), list[Note]()
    for words in named:
        found = places(text, pair.answer, words)
        note = {"what": "internal reference", "said": words}
        if not found or 2 * len(found[0]) > len(pair.answer):
            notes.append({**note, "verdict": "refused", "why": "most of the answer" if found else "not in the answer"})
        elif any(item.span.overlaps(found[0]) for item in held):
            notes.append({**note, "verdict": "known"})
        else:
            nothing = Span(0, 0)
            held.append(Passage("internal", "", found[0], nothing, nothing, closed=True))
            notes.append({**note, "verdict": "found", "start": found[0].start, "end": found[0].end})
    return replace(pair, passages=tuple(sorted(held, key=lambda item: item.span.start))), notes


def _nested(text: str, answer: Span, verdict: Verdict) -> tuple[list[Mapping[str, Any]], list[Note]]:
    """The pairs inside an answer whose two halves stand in it, the answer behind the question."""
    found: list[Mapping[str, Any]] = []
    notes: list[Note] = []
    for pair in verdict.nested_qa:
        asked = places(text, answer, pair.question)
        replied = places(text, Span(asked[0].end, answer.end), pair.answer) if asked else []
        if replied:
            spans = asked[0], replied[0]
            found.append(
                {"question": spans[0].of(text), "answer": spans[1].of(text), "start": spans[0].start, "end": spans[1].end}
            )
        else:
            notes.append({"what": "nested pair", "verdict": "refused", "said": pair.question, "why": "not in the answer"})
    return found, notes


def _written(text: str, pair: Pair, verdict: Verdict) -> Iterator[Note]:
    """What the model wrote itself, held against the answer: tables, and the answer in clean words, which is not kept."""
    answer = pair.answer.of(text)
    own = numbers(answer)
    for table in verdict.tables_markdown:
        alien = sorted(numbers(table) - own)
        note = {"what": "table", "said": table}
        yield (
            {**note, "verdict": "refused", "why": f"not in the answer: {', '.join(alien)}"}
            if alien
            else {**note, "verdict": "found"}
        )
    more, less = letters(verdict.clean_answer) - letters(answer), letters(answer) - letters(verdict.clean_answer)
    alien = sorted(numbers(verdict.clean_answer) - own)
    if more or alien:
        why = f"{more.total()} letters and figures more than the answer has, {less.total()} fewer"
        yield {"what": "clean answer", "verdict": "differs", "why": f"{why}; numbers: {', '.join(alien)}" if alien else why}
