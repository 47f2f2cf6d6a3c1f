"""The fields that pairs add to the record, and how a pair fills them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pecia.model import Attribute, Document, Span
from pecia.strategies.question.passages import Passage, followup_record, reference_record, words_of
from pecia.strategies.question.reading import Pair

ATTRIBUTES = (
    Attribute("strategy_type", "str", "`question` on every chunk of that strategy"),
    Attribute(
        "qa_style", "str", "how the pair is marked: chinese, english, chinese_implicit, hearing, reply_form; none outside pairs"
    ),
    Attribute("question_index", "int", "position over all pairs, from 0; those of a section without markers after the last"),
    Attribute("question_id", "str", "number as printed, such as A1 or Q7; a repeated one gets #2 behind it"),
    Attribute("question_text", "str", "the question without its marker"),
    Attribute("answer_text", "str", "the answer of the whole pair without its marker, tables included"),
    Attribute("topic_section", "str", "title of the topic that the question stands under, as printed"),
    Attribute("has_table", "bool", "a table stands in the answer"),
    Attribute("page_number", "int", "physical page, counted from 1 as viewers do; null where a format has no pages"),
    Attribute("pair_page_range", "int[]", "first and last physical page of the whole pair, counted from 0"),
    Attribute("followups", "object[]", "bracketed follow-ups: trigger, answer, start and end in the document's text"),
    Attribute("internal_refs", "object[]", "bracketed internal references: text, start and end in the document's text"),
    Attribute("nested_qa", "object[]", "pairs inside the answer that a judge named: question, answer, start and end in the text"),
    Attribute("judged", "object[]", "what a judge was asked and said, and what became of it; empty where none was asked"),
    Attribute("question_parts", "str[]", "the lettered parts of the question"),
    Attribute("confidence", "float", "how surely question and answer are what they are taken for, from 0 to 1"),
    Attribute("document_date", "str", "date of the page feet, as YYYY-MM-DD"),
    Attribute("asker", "str", "who asks, as printed"),
    Attribute("speaker", "str", "who answers, as printed"),
    Attribute("reply_serial", "str", "serial number of a reply form"),
    Attribute("head", "str", "head of expenditure of a reply form"),
    Attribute("programme", "str", "programme of a reply form"),
    Attribute("controlling_officer", "str", "controlling officer of a reply form"),
)


def pair_record(
    document: Document, pair: Pair, date: str | None, kept: Sequence[Passage], holes: Sequence[Span]
) -> dict[str, Any]:
    """The attributes of a pair; `holes` are the passages that are left out of it."""
    text = document.text
    asked, all_of = document.locate(pair.question or pair.label), document.locate(pair.span)
    extra: Mapping[str, Any] = pair.extra
    return {
        "strategy_type": "question",
        "qa_style": pair.qa_style,
        "question_index": pair.index,
        "question_id": pair.id,
        "question_text": words_of(text, pair.question),
        "answer_text": "".join(part.of(text) for part in without(pair.answer, holes)),
        "topic_section": pair.topic,
        "has_table": pair.table,
        "page_number": asked.pages[0].number if asked.pages else None,
        "pair_page_range": list(all_of.page_range) if all_of.page_range else None,
        "followups": [dict(followup_record(text, item)) for item in kept if item.kind == "followup"],
        "internal_refs": [dict(reference_record(text, item)) for item in kept if item.kind == "internal"],
        "nested_qa": [dict(item) for item in pair.nested],
        "judged": [dict(note) for note in pair.judged],
        "question_parts": list(pair.parts),
        "confidence": pair.confidence,
        "document_date": date,
        **{name: extra.get(name) for name in ("asker", "speaker", "reply_serial", "head", "programme", "controlling_officer")},
    }


def without(span: Span, holes: Sequence[Span]) -> list[Span]:
    """What is left of a span without the holes in it, which rise."""
    left, start = [], span.start
    for hole in holes:
        if hole.end <= span.start or hole.start >= span.end:
            continue
        if start < hole.start:
            left.append(Span(start, hole.start))
        start = max(start, hole.end)
    return [*left, Span(start, span.end)] if start < span.end else left
