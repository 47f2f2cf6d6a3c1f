"""Strategy `question`: questions and their answers, one chunk a pair, cited at the question's page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pecia.chunking.boundaries import DocumentBoundaries
from pecia.chunking.limits import HashesOptions, SizeOptions
from pecia.chunking.packer import Packer, Piece, Stretch, packer_for
from pecia.chunking.records import Recorder
from pecia.model import Attribute, Chunk, ChunkKind, Document, Segment, Span
from pecia.protocols import Detection, Rule
from pecia.segmenting.headings import HeadingTree
from pecia.settings import settings
from pecia.strategies.question.attributes import ATTRIBUTES
from pecia.strategies.question.cuts import AnswerBoundaries
from pecia.strategies.question.judge import judge_of_settings, judged
from pecia.strategies.question.reading import read
from pecia.strategies.question.rules import RULES
from pecia.strategies.question.segmenter import segments

# Fewer pairs than this, or pairs over less of the text, are an aside and no question-and-answer document.
FEWEST, LEAST_COVERAGE = 3, 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SizeOptions):
    """A pair is one chunk up to max_tokens; a longer one is cut in its answer, near target_tokens.

    include_internal_refs: false leaves bracketed internal references out, with the reason. followup_chunks: true gives
    follow-ups as chunks of their own too, of kind `followup`, that name the pair and carry its question. QA_MAX_CHUNK_TOKENS
    and QA_INCLUDE_INTERNAL_REFS set max_tokens and include_internal_refs where they are not given. judge: true asks a model
    (QA_VERIFICATION_MODEL, else LLM_MODEL_NAME) about doubtful pairs.
    """

    max_tokens: int = field(default_factory=lambda: settings().qa_max_chunk_tokens)
    target_tokens: int = field(default_factory=lambda: settings().qa_max_chunk_tokens * 2 // 3)
    overlap_tokens: int = 0
    include_internal_refs: bool = field(default_factory=lambda: settings().qa_include_internal_refs)
    followup_chunks: bool = False
    judge: bool = False

    def __post_init__(self) -> None:
        SizeOptions.__post_init__(self)
        if self.judge:
            judge_of_settings()  # refused before a file is read


@dataclass(frozen=True, slots=True)
class QuestionStrategy(HashesOptions):
    options: Options = field(default_factory=Options)
    name: str = "question"
    attributes: tuple[Attribute, ...] = ATTRIBUTES
    rules: tuple[Rule, ...] = RULES

    def detect(self, document: Document) -> Detection:
        reading = read(document)
        count, coverage = len(reading.pairs), reading.coverage(document)
        counted = f"{count or 'no'} question{'s' * (count != 1)}"
        if count < FEWEST:
            return Detection(0.0, counted)
        if coverage < LEAST_COVERAGE:
            return Detection(0.05, f"{counted}, but with their answers only {coverage:.0%} of the text")
        return Detection(round(0.7 + 0.25 * min(1.0, coverage), 3), f"{counted}, with their answers {coverage:.0%} of the text")

    def segment(self, document: Document) -> Iterator[Segment]:
        """Pairs, and between them parts that `heading` or `token` cuts; follow-ups and what is left out are children of their
        pair. A document without a question is all theirs."""
        options, reading = self.options, read(document)
        if options.judge:
            reading = judged(document, reading, options.tokenizer, judge_of_settings())
        return segments(document, reading, options.tokenizer, options.target_tokens,
                        keep_internal=options.include_internal_refs, followups=options.followup_chunks)  # fmt: skip

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]:
        """Pairs as chunks of kind `pair`. What other strategies should cut is packed as it is where it is given all the same."""
        segments = list(segments)
        inner = DocumentBoundaries(document)
        whole = [Span(*span) for segment in segments for span in segment.attributes.get("whole", ())]
        packer = packer_for(document, self.options, AnswerBoundaries(inner, whole))
        record, tree = Recorder(document, self.name, self.options), HeadingTree(document)
        pair: list[Chunk] = []
        for segment in segments:
            if segment.key not in {"pair", "followup"}:
                pieces = packer(Stretch(segment.span, segment.headings))
                yield from record(segment, pieces, headings=lambda piece: tree.path_of(piece.span), attributes=_prose)
                continue
            kind = ChunkKind.PAIR if segment.key == "pair" else ChunkKind.FOLLOWUP
            shared = segment.attributes["record"]
            chunks = list(record(segment, _pieces(packer, segment), kind=kind, attributes=lambda _, shared=shared: shared))  # type: ignore[misc]
            if kind is ChunkKind.PAIR:
                pair = chunks
                yield from chunks
            else:
                yield from (_child(chunk, pair) for chunk in chunks)

    def surfaces(self, chunk: Chunk) -> Mapping[str, str]:
        """The texts that a pair is found by: `question`, `answer`, and `both`, which is the text that is measured. Of a pair in
        several parts the first has the question, each further one its piece of the answer. Other chunks have their text."""
        if chunk.chunk_kind is not ChunkKind.PAIR:
            return {"": chunk.text}
        question, answer = (str(chunk.attributes.get(name) or "") for name in ("question_text", "answer_text"))
        if chunk.part_count > 1:
            question, answer = (question, "") if chunk.part_index == 0 else ("", chunk.source_text)
        found = {"question": question, "answer": answer, "both": chunk.text}
        return {name: text for name, text in found.items() if text.strip()}


def _prose(piece: Piece) -> Mapping[str, Any]:
    return {"strategy_type": "question", "qa_style": "none"}


def _pieces(packer: Packer, segment: Segment) -> Iterator[Piece]:
    """The pieces of a pair: of its whole span, or of what stands between the parts that are left out."""
    labels: Sequence[str] = segment.attributes["labels"]
    head: Sequence[str] = segment.attributes["head"]
    start = segment.span.start
    for hole in [*segment.attributes["holes"], [segment.span.end, segment.span.end]]:
        if start < hole[0]:
            if start == segment.span.start:
                yield from packer(Stretch(Span(start, hole[0]), tuple(labels), tuple(head)))
            else:
                yield from packer(Stretch(Span(start, hole[0]), (*labels, *head)))
        start = hole[1]


def _child(chunk: Chunk, pair: Sequence[Chunk]) -> Chunk:
    """The chunk with the id of the part of the pair that it begins in."""
    parent = next((one for one in pair if one.span.start <= chunk.span.start < one.span.end), pair[0] if pair else None)
    return replace(chunk, parent_id=parent.chunk_id if parent else None)
