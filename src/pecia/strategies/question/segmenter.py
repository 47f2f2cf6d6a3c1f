"""A document's pairs as segments, with what stands between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pecia.model import Document, LeftOut, Segment, Span
from pecia.segmenting.headings import HeadingTree
from pecia.strategies.question.attributes import pair_record
from pecia.strategies.question.narrative import TARGET, narrative
from pecia.strategies.question.passages import words_of
from pecia.strategies.question.reading import Pair, Reading, document_date
from pecia.text.tokens import index_of


def segments(
    document: Document, reading: Reading, tokenizer: str, target: int, *, keep_internal: bool, followups: bool
) -> Iterator[Segment]:
    """Segments in document order that together hold every visible character; children follow their pair. What another
    strategy cuts holds the white space behind it too."""
    found = list(_parts(document, reading, tokenizer, target, keep_internal=keep_internal, followups=followups))
    tops = [segment for segment in found if segment.parent is None]
    # What stands in no block belongs to the part before it, and to the first where there is none.
    starts = {segment.id: segment.span.start if at else 0 for at, segment in enumerate(tops)}
    ends = [*(starts[segment.id] for segment in tops[1:]), len(document.text)]
    spans = {
        segment.id: Span(starts[segment.id], end if segment.delegate else _visible_end(document.text, segment.span.end, end))
        for segment, end in zip(tops, ends, strict=True)
    }
    for segment in found:
        yield segment if segment.parent else replace(segment, span=spans[segment.id])


def _visible_end(text: str, start: int, end: int) -> int:
    """The end of what is visible between two offsets; the first where nothing is, or where the second stands before it."""
    return start + len(text[start:end].rstrip())


def _parts(
    document: Document, reading: Reading, tokenizer: str, target: int, *, keep_internal: bool, followups: bool
) -> Iterator[Segment]:
    tree, index, date = HeadingTree(document), index_of(tokenizer, document.text), document_date(document)

    def tokens(span: Span) -> int:
        return index.count(span.start, span.end)

    if not reading.units:
        yield Segment("document", "document", document.source.name, Span(0, len(document.text)), delegate="token")
        return
    at = 0
    for pair, (first, end) in zip(reading.pairs, reading.bounds, strict=True):
        if at < first:
            yield from narrative(document, reading.units[at:first], tree, tokens, min(TARGET, target))
        yield from _pair(document, pair, date, tree, keep_internal=keep_internal, followups=followups)
        at = end
    if at < len(reading.units):
        yield from narrative(document, reading.units[at:], tree, tokens, min(TARGET, target))


def _pair(
    document: Document, pair: Pair, date: str | None, tree: HeadingTree, *, keep_internal: bool, followups: bool
) -> Iterator[Segment]:
    """The segment of a pair, then its children: follow-ups that are chunks too, passages that are left out."""
    text = document.text
    name = f"q{pair.span.start}"
    internal = [item.span for item in pair.passages if item.kind == "internal"]
    holes = [] if keep_internal else internal
    kept = [item for item in pair.passages if keep_internal or item.kind != "internal"]
    record = pair_record(document, pair, date, kept, holes)
    question = words_of(text, pair.label)
    topic = [pair.topic] if pair.topic else []
    attributes = {
        "record": record,
        # The topic is carried into every part; the part that holds its line shows it itself.
        "labels": [] if pair.titled else topic,
        "head": [*(topic if pair.titled else []), question],
        "holes": [[hole.start, hole.end] for hole in holes],
        "whole": [[span.start, span.end] for span in _whole(pair)],
    }
    path = tree.path_of(Span(pair.label.start, pair.label.start + 1))
    headings = path if not topic or topic[0] in path else (*path, topic[0])
    title = record["question_text"] or pair.id
    yield Segment(name, "pair", title, pair.span, headings, attributes=attributes)
    for number, item in enumerate(pair.passages):
        if item.kind == "internal" and not keep_internal:
            yield Segment(
                f"{name}-i{number}", "internal", item.label, item.span, parent=name, left_out_reason=LeftOut.INTERNAL_REFERENCE
            )
        elif item.kind == "followup" and followups:
            span = Span(item.span.start, max(item.span.end, item.answer.end))
            child = {**attributes, "labels": [*topic, question], "head": [], "holes": _inside(holes, span), "whole": []}
            yield Segment(f"{name}-f{number}", "followup", words_of(text, item.trigger), span, headings, name, child)


def _inside(holes: list[Span], span: Span) -> list[list[int]]:
    return [[hole.start, hole.end] for hole in holes if span.contains(hole)]


def _whole(pair: Pair) -> Iterator[Span]:
    """What is not cut: the question, up to where the answer begins, and a follow-up that its reply stands behind."""
    yield Span(pair.span.start, max(pair.question.end, pair.answer.start) if pair.answer else pair.question.end)
    for item in pair.passages:
        if item.kind == "followup" and item.answer.start >= item.span.end:
            yield Span(item.span.start, item.answer.start)
