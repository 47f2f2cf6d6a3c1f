"""On random monographs: the laws hold, every section is found, no dose is without its labels, no chunk ends on one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from pecia.checking.engine import check
from pecia.model import Severity
from tests.strategies.monograph.books import Made, books, cut, document, in_order, prose, shown_before


@given(made=books(), ceiling=st.integers(200, 500), overlap=st.integers(0, 20))
def test_every_promise_holds(made: Made, ceiling: int, overlap: int) -> None:
    parsed = document(made.text, markdown=made.markdown)
    chunks, segments, strategy = cut(
        parsed, max_tokens=ceiling, target_tokens=ceiling * 4 // 5, overlap_tokens=ceiling * overlap // 100
    )

    broken = [finding for finding in check(parsed, chunks, strategy.rules) if finding.severity is Severity.ERROR]
    assert not broken, broken[:3]
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)

    found = {(segment.parent, segment.key) for segment in segments if segment.parent and "__block__" not in segment.id}
    assert found == set(made.sections)

    for drug, sentence, labels in made.doses:
        holding = [chunk for chunk in prose(chunks, "lieu_luong_va_cach_dung", drug) if sentence in chunk.source_text]
        assert holding, f"{sentence!r} is whole in no chunk"
        for chunk in holding:
            assert in_order(labels, shown_before(chunk, sentence)), (labels, chunk.context_labels, chunk.source_text)

    for drug, names in made.lists:
        texts = [chunk.source_text for chunk in prose(chunks, "tuong_tac_thuoc", drug)]
        assert all(any(re.search(rf"\b{name}\b", text) for text in texts) for name in names)
