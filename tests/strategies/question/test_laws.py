"""The pairs of a paper are found whatever its style, format and size of chunks, and the laws hold on all of them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia.model import ChunkKind, Document, Severity
from pecia.pipeline import cut
from pecia.strategies.question.reading import read
from tests.strategies.question.papers import FORMATS, Paper, papers


def squash(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_the_pairs_of_a_paper_are_the_same_in_every_format(make: Callable[[Paper], Document]) -> None:
    @given(paper=papers())
    def law(paper: Paper) -> None:
        document = make(paper)
        found = read(document).pairs
        assert [pair.id for pair in found] == [asked.id for asked in paper.pairs]
        assert [pair.index for pair in found] == list(range(len(found)))
        for pair, asked in zip(found, paper.pairs, strict=True):
            assert squash(pair.question.of(document.text)) == squash(asked.question)
            assert squash(pair.answer.of(document.text)) == squash("".join(asked.answer))
            assert (pair.topic or "") == asked.topic

    law()


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_every_law_and_rule_holds_on_them(make: Callable[[Paper], Document]) -> None:
    @given(paper=papers(), ceiling=st.integers(16, 300), keep=st.booleans(), children=st.booleans())
    def law(paper: Paper, ceiling: int, keep: bool, children: bool) -> None:
        document = make(paper)
        options = {"include_internal_refs": keep, "followup_chunks": children}
        cutting = cut(document, "question", max_tokens=ceiling, overlap_tokens=ceiling // 10, **options)
        broken = [finding for finding in cutting.findings() if finding.severity is Severity.ERROR]
        assert not broken, broken[:3]
        again = cut(document, "question", max_tokens=ceiling, overlap_tokens=ceiling // 10, **options)
        assert [chunk.to_line() for chunk in again.chunks] == [chunk.to_line() for chunk in cutting.chunks]
        kinds = {chunk.chunk_kind for chunk in cutting.chunks if chunk.strategy == "question"}
        assert ChunkKind.PAIR in kinds
        assert kinds <= ({ChunkKind.PAIR, ChunkKind.FOLLOWUP} if children else {ChunkKind.PAIR})

    law()
