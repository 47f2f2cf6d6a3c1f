"""What every strategy promises, as a suite that others can run on theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from pecia.checking.engine import check
from pecia.model import Attribute, Chunk, Document, Segment, Severity, Span
from pecia.pipeline import chunks_of
from pecia.protocols import Strategy
from pecia.testing.documents import documents

Make = Callable[..., Strategy]


def check_strategy(make: Make, *, tokenizers: Sequence[str] = ("cl100k_base", "estimate")) -> None:
    """Runs the suite; AssertionError says which promise is broken on which document.

    `make` takes max_tokens, target_tokens, overlap_tokens and tokenizer as keywords. Documents are text, Markdown and pages in
    Latin, Vietnamese (composed or not), Chinese and emoji, with mixed line ends, lists, tables and code.
    """
    for tokenizer in tokenizers:
        _keeps_every_law(make, tokenizer)
    _gives_segments_in_order(make)
    _writes_valid_records(make)


def _keeps_every_law(make: Make, tokenizer: str) -> None:
    @given(document=documents(), sizes=st.tuples(st.integers(16, 90), st.integers(1, 100), st.integers(0, 50)))
    def law(document: Document, sizes: tuple[int, int, int]) -> None:
        ceiling, target, overlap = sizes
        options = {
            "max_tokens": ceiling,
            "target_tokens": max(1, ceiling * target // 100),
            "overlap_tokens": ceiling * overlap // 100,
        }
        strategy = make(tokenizer=tokenizer, **options)
        chunks, segments = _cut(strategy, document)
        left_out = [segment for segment in segments if segment.left_out_reason]
        broken = [finding for finding in check(document, chunks, strategy.rules, left_out) if finding.severity is Severity.ERROR]
        assert not broken, broken[:3]
        again = make(tokenizer=tokenizer, **options)
        assert again.options_hash == strategy.options_hash, "the same options have two hashes"
        assert [chunk.to_line() for chunk in _cut(again, document)[0]] == [chunk.to_line() for chunk in chunks], "two runs differ"

    law()


def _cut(strategy: Strategy, document: Document) -> tuple[list[Chunk], list[Segment]]:
    """The chunks, those that other strategies cut for it included, and the segments."""
    segments = list(strategy.segment(document))
    return list(chunks_of(document, strategy, segments, strategy.name)), segments


def _gives_segments_in_order(make: Make) -> None:
    @given(document=documents())
    def law(document: Document) -> None:
        segments = list(make(max_tokens=60).segment(document))
        spans = {segment.id: segment.span for segment in segments}
        assert len(spans) == len(segments), "two segments share an id"
        starts = [segment.span.start for segment in segments]
        assert starts == sorted(starts), "segments are not in the order of the document"
        for segment in segments:
            assert segment.parent is None or spans[segment.parent].contains(segment.span), f"{segment.id} leaves its parent"
        held = "".join(_visible(document.text, span) for span in _merged(list(spans.values())))
        assert held == "".join(document.text.split()), "segments do not hold every visible character"

    law()


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _visible(text: str, span: Span) -> str:
    return "".join(span.of(text).split())


def _writes_valid_records(make: Make) -> None:
    @given(document=documents())
    def law(document: Document) -> None:
        strategy = make(max_tokens=40)
        declared: tuple[Attribute, ...] = strategy.attributes
        for chunk in _cut(strategy, document)[0]:
            assert Chunk.from_record(json.loads(chunk.to_line()), declared) == chunk, "a record does not survive JSON"
            assert set(chunk.attributes) <= {attribute.name for attribute in declared}, "an attribute is not declared"

    law()
