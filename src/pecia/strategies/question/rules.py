"""Checks of pairs: QA1xx what is missing, QA2xx numbers, QA3xx what a chunk must carry, QA4xx what a person should look at.

They read records only, so that they hold chunks of any run to account.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pecia.checking.laws import Law, registering
from pecia.model import BlockKind, Chunk, ChunkKind, Document, LeftOut, Segment, Severity, Span
from pecia.strategies.question.marks import Mark, fold, mark_at, sequence_key, styles
from pecia.strategies.question.reading import DOUBTFUL
from pecia.text.tokens import tokenizer

Found = Iterator[tuple[str, Chunk | None, Span | None]]
_RULES: list[Law] = []
_NUMBERED = {"chinese", "english", "chinese_implicit"}
_OPENERS, _CLOSERS = "[【〔", "]】〕"
_MARKABLE = {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.HEADING}


_rule = registering(_RULES)


def _visible(text: str) -> str:
    return "".join(text.split())


def _pairs(chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    """The parts of each pair, in order."""
    found: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        if chunk.chunk_kind is ChunkKind.PAIR:
            found.setdefault(chunk.segment_id, []).append(chunk)
    return list(found.values())


def _get(chunk: Chunk, name: str) -> Any:
    return chunk.attributes.get(name)


def _number(chunk: Chunk) -> str:
    """The number of a pair without what tells a repeated one from the first, and without the word for question."""
    name = str(_get(chunk, "question_id") or "").partition("#")[0]
    return name[1:] if _get(chunk, "qa_style") == "english" and name[:1] == "Q" and name[1:2].isdigit() else name


def _answer_marks(document: Document, parts: Sequence[Chunk]) -> Iterator[tuple[Mark, Span]]:
    """The closed markers of answers that lines of a pair begin with, quotations and tables aside, and where."""
    known = [style for style in styles() if style.qa_style == _get(parts[0], "qa_style")]
    for chunk in parts:
        offset = chunk.span.start
        for line in chunk.source_text.split("\n"):
            folded = fold(line)
            mark = next((mark for style in known if (mark := mark_at(style.answer, folded))), None)
            place = Span(offset + mark.start, offset + mark.end) if mark and mark.strong else None
            if mark and place and all(block.kind in _MARKABLE for block in document.blocks_of(place)):
                yield mark, place
            offset += len(line) + 1


@_rule("QA101", Severity.INFO)
def no_pairs(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A document that was to be cut by questions and has none is named, with the strategy that cut it instead.

    Why: chunks by heading look like success to a reader who asked for pairs.
    Example: a paper of figures.
    """
    if chunks and not _pairs(chunks) and any(chunk.requested_strategy == "question" for chunk in chunks):
        used = " and ".join(sorted({chunk.strategy for chunk in chunks}))
        yield f"no question was found; the document is cut by {used}", None, None


@_rule("QA102", Severity.WARNING)
def no_answer(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A question without an answer is named.

    Why: a pair that answers nothing is a question list, or its answer was lost to another pair.
    Example: "問 A4：" right before "問 A5：".
    """
    for parts in _pairs(chunks):
        if not str(_get(parts[0], "answer_text") or "").strip():
            yield f"{_get(parts[0], 'question_id')} has no answer", parts[0], parts[0].span


@_rule("QA103", Severity.WARNING)
def no_question(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """An answer whose question is not there is named; it stays in the pair before it.

    Why: two answers in one pair mean that the marker of a question is missing or misprinted.
    Example: "答 A3：" in the answer to A2, and no "問 A3：".
    """
    for parts in _pairs(chunks):
        for mark, span in list(_answer_marks(document, parts))[1:]:
            if mark.number and mark.number != _number(parts[0]):
                yield f"answer {mark.number} stands in {_get(parts[0], 'question_id')}", parts[0], span


@_rule("QA104", Severity.INFO)
def no_answer_marker(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A pair without a marker for its answer is named where most others have one.

    Why: where its answer begins was told by form, and may be wrong.
    Example: "問 B2：…" and then a paragraph, in a paper that writes "答 B1：".
    """
    pairs = [parts for parts in _pairs(chunks) if _get(parts[0], "qa_style") in {"chinese", "english"}]
    lacking = [parts for parts in pairs if next(_answer_marks(document, parts), None) is None]
    if 2 * len(lacking) < len(pairs):
        for parts in lacking:
            yield f"no marker opens the answer of {_get(parts[0], 'question_id')}", parts[0], parts[0].span


@_rule("QA201", Severity.WARNING)
def repeated_number(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A number that a paper gives to two questions is named; the second has #2 in its id.

    Why: whoever asks for A2 must know that there are two.
    Example: "問 A2：" twice, where the second should be A3.
    """
    for parts in _pairs(chunks):
        name, repeated, _count = str(_get(parts[0], "question_id") or "").partition("#")
        if repeated:
            yield f"the number {name} is used again", parts[0], parts[0].span


@_rule("QA202", Severity.WARNING)
def number_out_of_order(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A number that does not follow the one before it in its row is named.

    Why: a gap is a misprint, or a question that was not found.
    Example: A1, A2, A4.
    """
    before: dict[str, int] = {}
    for parts in _pairs(chunks):
        key = sequence_key(_number(parts[0])) if _get(parts[0], "qa_style") in _NUMBERED else None
        if key is None:
            continue
        letters, value = key
        expected = before.get(letters, 0) + 1
        if value != expected and not (letters in before and value == before[letters]):
            yield f"{_get(parts[0], 'question_id')} stands where {letters}{expected} is expected", parts[0], parts[0].span
        before[letters] = value


@_rule("QA203", Severity.WARNING)
def other_number(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """An answer whose marker bears another number than its question is named.

    Why: one of the two is a misprint, and a reader who cites the number cites the wrong pair.
    Example: "問 A3：" answered by "答 A2：".
    """
    for parts in _pairs(chunks):
        mark, span = next(_answer_marks(document, parts), (None, None))
        if mark and mark.number and _number(parts[0]) and mark.number != _number(parts[0]):
            yield f"the answer to {_get(parts[0], 'question_id')} is marked {mark.number}", parts[0], span


def _parted(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, bool]]:
    """(chunk, whether its question could be carried) for parts and follow-ups that do not carry it."""
    for chunk in chunks:
        question = str(_get(chunk, "question_text") or "")
        if chunk.chunk_kind not in {ChunkKind.PAIR, ChunkKind.FOLLOWUP} or not question:
            continue
        if _visible(question) not in _visible(chunk.text):
            # The packer leaves half of the ceiling to the source; the marker and a topic need room beside the question.
            yield chunk, tokenizer(chunk.tokenizer).count(question) <= chunk.max_tokens // 4


@_rule("QA301", Severity.ERROR)
def question_not_carried(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """Every part of a pair carries the question.

    Why: an answer without its question answers anything.
    Example: the second half of an answer of 5,000 tokens by itself.
    """
    for chunk, fits in _parted(chunks):
        if fits:
            yield f"it does not carry the question of {_get(chunk, 'question_id')}", chunk, chunk.span


@_rule("QA302", Severity.WARNING)
def question_too_long(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A question that is too long to be carried into the parts of its pair is named.

    Why: those parts stand without it; a larger ceiling would hold both.
    Example: a question of 200 tokens under a ceiling of 300.
    """
    for chunk, fits in _parted(chunks):
        if not fits:
            yield f"the question of {_get(chunk, 'question_id')} is too long to be carried", chunk, chunk.span


@_rule("QA303", Severity.ERROR)
def attribute_of_nowhere(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """Question, follow-ups and internal references say what the document says at their place.

    Why: a surface that is embedded must not hold words that the source does not have.
    Example: a question that was tidied up.
    """
    whole = _visible(document.text) if _pairs(chunks) else ""
    for parts in _pairs(chunks):
        first = parts[0]
        if _visible(str(_get(first, "question_text") or "")) not in whole:
            yield f"the question of {_get(first, 'question_id')} does not stand in the document", first, first.span
        for name, keys in (("followups", ("trigger", "answer")), ("internal_refs", ("text",))):
            for item in _get(first, name) or ():
                span = Span(item["start"], max(item["start"], min(item["end"], len(document.text))))
                place = _visible(span.of(document.text))
                if any(_visible(item[key]) not in place for key in keys):
                    yield f"an entry of {name} does not stand at its place", first, span


@_rule("QA304", Severity.ERROR)
def left_out_and_kept(document: Document, chunks: Sequence[Chunk], left_out: Sequence[Segment]) -> Found:
    """What is left out as internal stands in no chunk.

    Why: whoever leaves it out relies on it not being found.
    Example: a chunk that runs over a bracketed reference.
    """
    for segment in left_out:
        if segment.left_out_reason is LeftOut.INTERNAL_REFERENCE:
            for chunk in chunks:
                if chunk.span.overlaps(segment.span):
                    yield "it holds a passage that is left out as internal", chunk, segment.span


@_rule("QA305", Severity.ERROR)
def orphan(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A follow-up names the chunk of its pair.

    Why: a hit on a follow-up is shown with the answer that it follows.
    Example: a parent_id that no chunk bears.
    """
    known = {chunk.chunk_id for chunk in chunks}
    for chunk in chunks:
        if chunk.chunk_kind is ChunkKind.FOLLOWUP and chunk.parent_id not in known:
            yield f"its parent {chunk.parent_id} is not there", chunk, chunk.span


@_rule("QA401", Severity.INFO)
def doubtful(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A pair whose halves could not be told apart surely is named.

    Why: someone should look, or a judge.
    Example: a numbered paragraph without a question mark.
    """
    for parts in _pairs(chunks):
        sure = _get(parts[0], "confidence")
        if sure is not None and sure < DOUBTFUL:
            yield f"{_get(parts[0], 'question_id')}: confidence {sure}", parts[0], parts[0].span


@_rule("QA402", Severity.WARNING)
def open_bracket(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A follow-up or internal reference whose bracket never closes is named; it ends with its line.

    Why: what belongs to it is a guess.
    Example: "[如被追問：…" without "]".
    """
    for parts in _pairs(chunks):
        for name in ("followups", "internal_refs"):
            for item in _get(parts[0], name) or ():
                passage = document.text[item["start"] : item["end"]]
                if passage[:1] in _OPENERS and not set(passage) & set(_CLOSERS):  # one that a judge named has none
                    yield "a bracket never closes", parts[0], Span(item["start"], item["end"])


def _notes(chunks: Sequence[Chunk], what: Sequence[str], verdict: Sequence[str]) -> Iterator[tuple[Chunk, str, dict[str, Any]]]:
    """(first chunk, id, note) of what a judge said of pairs."""
    for parts in _pairs(chunks):
        for note in _get(parts[0], "judged") or ():
            if note.get("what") in what and note.get("verdict") in verdict:
                yield parts[0], str(_get(parts[0], "question_id")), note


@_rule("QA501", Severity.INFO)
def judged(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A pair that a model judged is named, and where its end was moved.

    Why: where the pair ends is then what a model said.
    Example: an answer that ran on into a note to the reader, and now ends before it.
    """
    ends = {chunk.chunk_id: note for chunk, _, note in _notes(chunks, ["boundary"], ["moved"])}
    for chunk, name, note in _notes(chunks, ["reply"], ["read"]):
        moved = ends.get(chunk.chunk_id)
        end = f"its end was moved from {moved.get('from')} to {moved.get('to')}" if moved else "its end stays"
        why, tokens = ", ".join(note.get("asked_because", ())), f"{note.get('tokens_in')} tokens in, {note.get('tokens_out')} out"
        yield (
            f"{name} ({why}): judged by {note.get('model')}, {tokens}; {end}",
            chunk,
            chunk.span,
        )


@_rule("QA502", Severity.WARNING)
def disputed_end(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A pair whose end a judge calls wrong, without words that stand at another one, is named.

    Why: someone should look; nothing was changed.
    Example: a last line that stands twice, or nowhere.
    """
    for chunk, name, note in _notes(chunks, ["boundary"], ["refused"]):
        yield f"{name}: the end is called wrong, and {note.get('why')}: {note.get('said')!r:.80}", chunk, chunk.span


@_rule("QA503", Severity.WARNING)
def no_verdict(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """A doubtful pair of which a judge said nothing is named.

    Why: it is as doubtful as before.
    Example: an endpoint that is down, a reply that is no JSON.
    """
    for chunk, name, note in _notes(chunks, ["reply"], ["none", "not asked"]):
        yield f"{name}: not judged; {note.get('said')}", chunk, chunk.span


@_rule("QA504", Severity.WARNING)
def named_passage(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """Passages that a judge names stand in the answer, word for word.

    Why: what stands nowhere was made up.
    Example: a nested question in other words than those of the paper.
    """
    for chunk, name, note in _notes(chunks, ["nested pair", "internal reference"], ["refused"]):
        yield f"{name}: {note.get('what')}, {note.get('why')}: {note.get('said')!r:.80}", chunk, chunk.span


@_rule("QA505", Severity.WARNING)
def written_anew(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Found:
    """What a judge writes itself has no number and no letter more than the answer.

    Why: it shows whether the judge read or invented. Nothing of a clean answer is kept.
    Example: 26,500 in its table where the answer has 26,000.
    """
    for chunk, name, note in _notes(chunks, ["table", "clean answer"], ["refused", "differs"]):
        yield f"{name}: {note.get('what')}, {note.get('why')}", chunk, chunk.span


RULES: tuple[Law, ...] = tuple(_RULES)
