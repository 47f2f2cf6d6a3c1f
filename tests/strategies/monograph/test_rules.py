"""For every gate a planted fault: on good chunks it is silent, on the fault it speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pecia.checking.engine import check
from pecia.model import Chunk, Document, Furniture, Page, Span
from pecia.strategies.monograph.strategy import MonographStrategy
from tests.strategies.monograph.books import cut, document, prose

LONG = "Không dùng cho người quá mẫn với thuốc hoặc với một thành phần của chế phẩm. " * 4
BOOK = f"""BENZARIN

Tên chung quốc tế: Benzarin. Mã ATC: J01CA04. Loại thuốc: Kháng sinh.

Chống chỉ định
{LONG}

Liều lượng và cách dùng
Điều trị ngoại trú:
Người lớn: Uống 500 mg mỗi 8 giờ. Tối đa 3 g/24 giờ, chia làm 3 lần, trong 5 ngày.
Trẻ em: Uống 25 mg/kg/24 giờ, chia làm 3 lần. Tối đa 1 g/24 giờ.
Suy thận:
Clcr dưới 10 ml/phút: Giảm 50% liều và dùng 250 mg mỗi 24 giờ.

CORTAVEN

Tên chung quốc tế: Cortaven. Mã ATC: Chưa có. Loại thuốc: Hormon.

Liều lượng và cách dùng
Người lớn: Uống 5 mg.
"""


def codes(made: Document, chunks: Sequence[Chunk], strategy: MonographStrategy) -> set[str]:
    return {finding.rule for finding in check(made, chunks, strategy.rules)}


def altered(chunks: Sequence[Chunk], old: Chunk, new: Chunk) -> list[Chunk]:
    return [new if chunk is old else chunk for chunk in chunks]


def with_span(made: Document, chunk: Chunk, start: int, end: int) -> Chunk:
    text = made.text[start:end]
    head = "".join(f"{label}\n" for label in chunk.context_labels)
    return replace(chunk, span=Span(start, end), source_text=text, text=head + text)


def test_good_chunks_are_silent() -> None:
    made = document(BOOK)
    for ceiling in (800, 90):
        chunks, _, strategy = cut(made, max_tokens=ceiling, target_tokens=ceiling * 3 // 4, overlap_tokens=0)
        assert codes(made, chunks, strategy) == set()


def test_the_same_text_twice() -> None:
    made = document(BOOK)
    chunks, _, strategy = cut(made)
    again = [*chunks, replace(prose(chunks, "chong_chi_dinh")[0], chunk_id="another")]
    assert "MONO101" in codes(made, again, strategy)


def test_a_running_head_in_a_section() -> None:
    made = document(BOOK.replace("Suy thận:\n", "Benzarin\nSuy thận:\n"))
    made = replace(made, furniture=(Furniture("f0", "header", "Benzarin", (), 8),))
    chunks, _, strategy = cut(made)
    assert "MONO102" in codes(made, chunks, strategy)


@pytest.mark.parametrize("inside", ["Uống 500 mg mỗi 8 giờ", "25 mg/kg"])
def test_a_word_that_is_parted(inside: str) -> None:
    made = document(BOOK)
    chunks, _, strategy = cut(made)
    old = prose(chunks, "lieu_luong_va_cach_dung", "benzarin")[0]
    end = made.text.index(inside) + 1
    assert "MONO103" in codes(made, altered(chunks, old, with_span(made, old, old.span.start, end)), strategy)


def test_a_character_that_cannot_be_read() -> None:
    made = document(BOOK.replace("Clcr dưới", "Clcr \ue0a3"))
    chunks, _, strategy = cut(made)
    assert "MONO104" in codes(made, chunks, strategy)


def test_a_section_that_two_drugs_share() -> None:
    made = document(BOOK + f"\nChống chỉ định\n{LONG}\n")
    chunks, _, strategy = cut(made)
    assert "MONO105" in codes(made, chunks, strategy)


def test_a_page_without_a_chunk() -> None:
    made = document(BOOK)
    at = made.text.index("Trẻ em")
    pages = (Page(0, "1", 100, 100, Span(0, at)), Page(1, "2", 100, 100, Span(at, len(made.text))))
    made = replace(made, pages=pages)
    chunks, _, strategy = cut(made)
    assert "MONO106" not in codes(made, chunks, strategy)
    left = [chunk for chunk in chunks if chunk.span.end <= at]
    assert "MONO106" in codes(made, left, strategy)


def test_a_chunk_that_does_not_name_its_drug() -> None:
    made = document(BOOK)
    chunks, _, strategy = cut(made)
    old = chunks[-1]
    bare = replace(
        old, context_labels=old.context_labels[1:], text="".join(f"{x}\n" for x in old.context_labels[1:]) + old.source_text
    )
    assert "MONO107" in codes(made, altered(chunks, old, bare), strategy)


@pytest.mark.parametrize("label", ["Điều trị ngoại trú:", "Suy thận:", "Clcr dưới 10 ml/phút:", "Liều lượng và cách dùng"])
def test_a_part_that_ends_on_a_label(label: str) -> None:
    made = document(BOOK)
    chunks, _, strategy = cut(made)
    old = prose(chunks, "lieu_luong_va_cach_dung", "benzarin")[0]
    end = made.text.index(label) + len(label)
    assert "MONO201" in codes(made, altered(chunks, old, with_span(made, old, old.span.start, end)), strategy)


def test_a_dose_without_its_chain() -> None:
    made = document(BOOK)
    chunks, _, strategy = cut(made, max_tokens=90, target_tokens=70, overlap_tokens=0)
    old = next(chunk for chunk in chunks if "Trẻ em: Uống" in chunk.source_text and "Điều trị ngoại trú:" in chunk.context_labels)
    labels = tuple(label for label in old.context_labels if label != "Điều trị ngoại trú:")
    bare = replace(old, context_labels=labels, text="".join(f"{label}\n" for label in labels) + old.source_text)
    assert "MONO202" in codes(made, altered(chunks, old, replace(bare, max_tokens=800)), strategy)


def test_a_dose_that_is_cut() -> None:
    made = document(BOOK)
    chunks, _, strategy = cut(made)
    old = prose(chunks, "lieu_luong_va_cach_dung", "benzarin")[0]
    end = made.text.index("Tối đa 3 g/24 giờ,") + len("Tối đa 3 g/24 giờ,")
    assert "MONO203" in codes(made, altered(chunks, old, with_span(made, old, old.span.start, end)), strategy)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Suy thận:\n", "\nĐIỀU KHÔNG AI BIẾT\n\n", "MONO301"),
        ("Mã ATC: J01CA04", "Mã ACT: J01CA04", "MONO302"),
        ("\nCORTAVEN", "\nChống chỉ định\nLại một lần nữa.\n\nCORTAVEN", "MONO304"),
        ("J01CA04", "J0ICA04", "MONO305"),
    ],
)
def test_a_fault_of_the_book(old: str, new: str, code: str) -> None:
    made = document(BOOK.replace(old, new, 1))
    chunks, _, strategy = cut(made)
    assert code in codes(made, chunks, strategy)


def test_a_section_that_nearly_all_have() -> None:
    drugs = "\n\n".join(
        f"THUOC{letter}\n\nTên chung quốc tế: Thuoc. Loại thuốc: Kháng sinh {letter}."
        + ("" if letter == "C" else f"\n\nChỉ định\n\nNhiễm khuẩn {letter}.")
        for letter in "ABCDEFGHIKL"
    )
    made = document(drugs)
    chunks, _, strategy = cut(made)
    assert "MONO303" in codes(made, chunks, strategy)


def test_a_page_without_a_folio() -> None:
    made = document(BOOK)
    at = made.text.index("CORTAVEN")
    pages = (Page(0, "1", 100, 100, Span(0, at)), Page(1, None, 100, 100, Span(at, len(made.text))))
    made = replace(made, pages=pages)
    chunks, _, strategy = cut(made)
    assert "MONO306" in codes(made, chunks, strategy)


def test_a_chunk_over_the_ceiling() -> None:
    made = document(BOOK)
    chunks, _, strategy = cut(made)
    assert "LAW301" in codes(made, [replace(chunk, max_tokens=20) for chunk in chunks], strategy)


def test_every_gate_is_tested() -> None:
    named = {line for rule in MonographStrategy().rules for line in [rule.code]}
    text = __import__("pathlib").Path(__file__).read_text("utf-8")
    assert all(f'"{code}"' in text for code in named)
