"""A hit gives back the whole segment that it is a part of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pecia.citing.whole import whole
from pecia.errors import CitationError
from pecia.library import Library
from tests.strategies.monograph.books import Made, books, cut, document


@settings(max_examples=30)
@given(books(), st.integers(120, 300), st.integers(0, 40))
def test_every_section_comes_back_as_it_stands(made: Made, ceiling: int, overlap: int) -> None:
    read = document(made.text, markdown=made.markdown)
    chunks, segments, _ = cut(read, max_tokens=ceiling, target_tokens=ceiling - 20, overlap_tokens=overlap)
    spans = {segment.id: segment.span for segment in segments}
    for chunk in chunks:
        segment = whole(chunk, chunks, read.source.uri, read.text, read.text_hash)
        assert segment.quote == spans[chunk.segment_id].of(read.text).strip()


def test_a_library_gives_the_section_with_its_table_and_says_what_is_quarantined(tmp_path: Path) -> None:
    book = "## BENZARIN\n\nTên chung quốc tế: Benzarin.\n\nMã ATC: J01CA04.\n\n### Liều lượng và cách dùng\n\nTheo Bảng 1.\n\n"
    book += "Bảng 1. Liều\n\n| Cân nặng | Liều |\n| --- | --- |\n| 10 kg | 5 mg |\n\nSau đó 7 mg.\n\n### Tương kỵ\n\nKhông rõ.\n"
    read = document(book, markdown=True)
    chunks, _, strategy = cut(read)
    flagged = [replace(chunk, has_quarantined_content=chunk.chunk_kind == "block_descriptor") for chunk in chunks]
    with Library(tmp_path / "library", keep_originals=False) as library:
        library.add(read, flagged, strategy=strategy)
        smaller, _, other = cut(read, max_tokens=100, target_tokens=90, overlap_tokens=10)
        library.add(read, smaller, strategy=other)
        hit = next(hit for hit in library.search("liều benzarin sau đó 7 mg") if hit.chunk.max_tokens == 800)
        segment = library.hydrate(hit)
    assert segment.quote == book[book.index("### Liều lượng") : book.index("### Tương kỵ")].strip()
    assert segment.quarantined
    assert segment.headings == ("BENZARIN", "Liều lượng và cách dùng")


def test_a_part_that_no_longer_stands_is_no_part() -> None:
    read = document("BENZARIN\n\nMã ATC: J01CA04.\n\nChỉ định\n\nĐau.\n\nTương kỵ\n\nKhông.\n")
    chunks, _, _ = cut(read)
    changed = read.text.replace("Đau", "Sốt")
    with pytest.raises(CitationError):
        whole(chunks[1], chunks, read.source.uri, changed, read.text_hash)
