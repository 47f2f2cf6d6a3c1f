"""Titles, sections, labels, tables and codes of small books."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pecia.checking.engine import check
from pecia.errors import OptionError
from pecia.model import Chunk
from pecia.strategies.monograph.codes import codes_in
from pecia.strategies.monograph.loading import SHIPPED, load
from pecia.strategies.monograph.strategy import MonographStrategy, Options
from pecia.strategies.monograph.views import monographs
from pecia.strategies.monograph.vocabulary import slug
from tests.strategies.monograph.books import cut, document, prose

BOOK = """MỤC LỤC

BENZARIN ........ 3

CHUYÊN LUẬN THUỐC

INSULIN TÁC DỤNG
KÉO DÀI (NGƯỜI)

Tên chung quốc tế: Insulin dài. Mã ATC: A10.AE.04; A10 AE 05. Loại thuốc: Hormon.

Dạng thuốc và hàm lượng: Lọ 10 ml, 100 đvqt/ml.

CHỈ ĐỊNH
Đái tháo đường.

Liều lượng, cách dùng
Người lớn: Tiêm 10 đvqt.

LƯU Ý RIÊNG

Không pha loãng.

Tương kị
Không trộn.

INSULIN TÁC DỤNG
KÉO DÀI (LỢN)

Đây là lời dẫn.

Tên chung quốc tế: Insulin lợn.
Mã ATC: Chưa có.
Loại thuốc: Hormon.

PHỤ LỤC 1
Bảng tra thể trọng.
"""


def by_drug(chunks: list[Chunk]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for chunk in chunks:
        if "drug_id" in chunk.attributes:
            found.setdefault(chunk.attributes["drug_id"], []).append(chunk.attributes["section_key"])
    return found


def test_titles_sections_and_what_is_no_monograph() -> None:
    chunks, segments, _ = cut(document(BOOK))
    assert by_drug(chunks) == {
        "insulin_tac_dung_keo_dai_nguoi": [
            "ten_chung_quoc_te", "ma_atc", "loai_thuoc", "dang_thuoc_va_ham_luong", "chi_dinh", "lieu_luong_va_cach_dung",
            "tuong_ky",
        ],
        "insulin_tac_dung_keo_dai_lon": ["preamble", "ten_chung_quoc_te", "ma_atc", "loai_thuoc"],
    }  # fmt: skip
    outside = [segment for segment in segments if segment.delegate]
    assert {segment.delegate for segment in outside} == {"heading"}
    text = document(BOOK).text
    assert "MỤC LỤC" in outside[0].span.of(text)
    assert "Bảng tra" in outside[-1].span.of(text)


def test_attributes_and_ids() -> None:
    chunks, _, _ = cut(document(BOOK))
    first, other = prose(chunks, "ma_atc")
    assert first.chunk_id == "insulin_tac_dung_keo_dai_nguoi__ma_atc__0"
    assert first.attributes["drug_name"] == "INSULIN TÁC DỤNG KÉO DÀI (NGƯỜI)"
    assert first.attributes["atc_codes"] == ["A10AE04", "A10AE05"]
    assert (other.attributes["atc_codes"], other.attributes["atc_stated_absent"]) == ([], True)
    assert first.text.startswith("INSULIN TÁC DỤNG KÉO DÀI (NGƯỜI)\nMã ATC\n")
    assert first.headings == ("INSULIN TÁC DỤNG KÉO DÀI (NGƯỜI)", "Mã ATC")


def test_an_unknown_heading_stays_in_the_running_section_and_ends_its_labels() -> None:
    chunks, _, _ = cut(document(BOOK))
    (dose,) = prose(chunks, "lieu_luong_va_cach_dung")
    assert "Không pha loãng." in dose.source_text


def test_a_label_is_no_heading_although_its_words_are_one() -> None:
    lines = "Phụ nữ mang thai:\nTuần 1: 1 mg.\nThận trọng: không quá 2 mg."
    text = DOSES.replace("Liều lượng", "Thời kỳ mang thai: Không dùng.\n\nThận trọng\n\nSuy gan.\n\nLiều lượng").format(lines)
    chunks, _, _ = cut(document(text))
    assert by_drug(chunks)["benzarin"][2:] == ["thoi_ky_mang_thai", "than_trong", "lieu_luong_va_cach_dung"]
    assert "Tuần 1" in prose(chunks, "lieu_luong_va_cach_dung")[0].source_text


def test_headings_amid_a_paragraph() -> None:
    text = DOSES.replace(
        "Kháng sinh.", "Kháng sinh. Chỉ định: Nhiễm khuẩn. Xem mục thận trọng: cần theo dõi. Chống chỉ định: Dị ứng."
    )
    chunks, _, _ = cut(document(text.format("Người lớn: 1 mg. Thận trọng: ở người già.")))
    assert by_drug(chunks)["benzarin"][1:] == ["loai_thuoc", "chi_dinh", "chong_chi_dinh", "lieu_luong_va_cach_dung"]


def test_equal_titles_get_their_own_ids() -> None:
    drug = "BENZARIN\n\nTên chung quốc tế: Benzarin. Loại thuốc: Kháng sinh.\n\n"
    assert list(by_drug(cut(document(drug + drug))[0])) == ["benzarin", "benzarin_2"]
    assert slug("Đalvorin – Ổn định (tiêm)") == "dalvorin_on_dinh_tiem"


def test_a_word_of_the_vocabulary_in_a_general_chapter_makes_no_monograph() -> None:
    chapter = "KÊ ĐƠN THUỐC\n\nThận trọng\n\nCân nhắc.\n\nTương tác thuốc\n\nNên tránh.\n"
    assert by_drug(cut(document(chapter))[0]) == {}
    assert MonographStrategy().detect(document(chapter)).score == 0
    assert MonographStrategy().detect(document(BOOK)).score > 0.8


DOSES = """BENZARIN

Tên chung quốc tế: Benzarin. Loại thuốc: Kháng sinh.

Liều lượng và cách dùng

{}
"""


def chains(lines: str, *sentences: str) -> list[list[str]]:
    """For each sentence the labels that govern it."""
    made = document(DOSES.format(lines))
    strategy = MonographStrategy(Options())
    anatomy = strategy._anatomy(made)
    entry = anatomy.entries[0]
    governors = anatomy.governors(entry, entry.parts[-1])
    return [[label.text for label in governors.chain(made.text.index(sentence))] for sentence in sentences]


def test_levels_by_kind() -> None:
    lines = (
        "Điều trị nội trú:\nNgười lớn: 1 mg.\nSuy thận:\nClcr dưới 10 ml/phút: 2 mg.\nSuy gan: 3 mg.\nDự phòng:\nTrẻ em: 4 mg."
    )
    assert chains(lines, "1 mg", "2 mg", "3 mg", "4 mg") == [
        ["Điều trị nội trú:", "Người lớn:"],
        ["Điều trị nội trú:", "Suy thận:", "Clcr dưới 10 ml/phút:"],
        ["Điều trị nội trú:", "Suy gan:"],
        ["Dự phòng:", "Trẻ em:"],
    ]


def test_levels_by_place_and_by_what_follows() -> None:
    lines = "Đường tiêm:\nNgười lớn: 1 mg.\nTrẻ em: 2 mg.\nCơn hen lạ:\nNgười lớn:\nLoại một:\n3 mg.\nLoại hai:\n4 mg."
    assert chains(lines, "1 mg", "2 mg", "3 mg", "4 mg") == [
        ["Đường tiêm:", "Người lớn:"],
        ["Đường tiêm:", "Trẻ em:"],
        ["Cơn hen lạ:", "Người lớn:", "Loại một:"],
        ["Cơn hen lạ:", "Người lớn:", "Loại hai:"],
    ]


def test_labels_amid_a_paragraph_and_what_is_none() -> None:
    lines = "Người lớn: Tăng dần. Bước 1: 1 mg. Bước 2: 2 mg.\nTốc độ như sau: 3 mg.\nTrẻ em: 4 mg với các chất: đường, muối."
    assert chains(lines, "1 mg", "2 mg", "4 mg", "muối") == [
        ["Người lớn:", "Bước 1:"],
        ["Người lớn:", "Bước 2:"],
        ["Trẻ em:"],
        ["Trẻ em:"],
    ]


def test_a_class_monograph_carries_its_sub_compound() -> None:
    dose = "Uống 25 mg/kg/24 giờ, chia làm 3 lần, tối đa 1 g/24 giờ. " * 4
    text = DOSES.replace("Benzarin.", "Sắt A; Sắt B.").format(f"Sắt A:\nNgười lớn: {dose}\nSắt B:\nNgười lớn: {dose}")
    chunks, _, _ = cut(document(text), max_tokens=150, target_tokens=120, overlap_tokens=0)
    found = [(chunk.attributes["sub_compound"], chunk.context_labels[2:]) for chunk in prose(chunks, "lieu_luong_va_cach_dung")]
    assert {name for name, _ in found} <= {None, "Sắt A", "Sắt B"}
    assert all("Sắt A:" in labels or not labels for name, labels in found if name == "Sắt A")
    assert ("Sắt B", ("Sắt B:", "Người lớn:")) in found


def test_a_dose_is_never_cut_but_oversized() -> None:
    dose = "Uống 5 mg " + "rồi 7 mg một lúc, " * 60 + "sau đó 10 mg."
    made = document(DOSES.format(f"Người lớn: Bắt đầu ngay.\nTrẻ em: {dose}"))
    chunks, _, strategy = cut(made, max_tokens=200, target_tokens=150)
    assert [finding.rule for finding in check(made, chunks, strategy.rules)] == ["LAW304"]
    (whole,) = [chunk for chunk in chunks if "10 mg" in chunk.source_text]
    assert whole.oversized
    assert dose in whole.source_text


def test_a_long_list_loses_no_name_and_is_cut_after_commas() -> None:
    names = [f"thuoc{number}in" for number in range(300)]
    text = DOSES.format("Người lớn: 5 mg.\n\nTương tác thuốc\n\nThay đổi khi dùng với: " + ", ".join(names) + ".")
    chunks, _, _ = cut(document(text), max_tokens=200, target_tokens=150, overlap_tokens=20)
    parts = prose(chunks, "tuong_tac_thuoc")
    assert len(parts) > 3
    assert all(part.source_text.rstrip().endswith((",", ".")) for part in parts)
    assert all(any(f"{name}," in part.source_text or f"{name}." in part.source_text for part in parts) for name in names)


TABLE = """## BENZARIN

Tên chung quốc tế: Benzarin. Loại thuốc: Kháng sinh.

### Liều lượng và cách dùng

Người lớn: 5 mg. Liều theo thể trọng ở Bảng 2.

### Tương tác thuốc

Không có.

**Bảng 2.** Liều

| Cân nặng | Liều |
| --- | --- |
{}

### Tương kỵ

Không trộn.
"""


def test_a_table_belongs_to_the_section_that_mentions_it() -> None:
    made = document(TABLE.format("| 10 kg | 5 mg |"), markdown=True)
    chunks, segments, _ = cut(made)
    (block,) = [chunk for chunk in chunks if chunk.chunk_kind == "block_descriptor"]
    table = made.tables[0]
    assert block.chunk_id == f"benzarin__{block.attributes['section_key']}__block__{table.id}"
    dose = prose(chunks, "lieu_luong_va_cach_dung")[0]
    (interaction,) = prose(chunks, "tuong_tac_thuoc")
    assert "| 10 kg" not in interaction.source_text
    assert block.attributes["section_key"] == "lieu_luong_va_cach_dung"
    assert block.source_text.startswith("**Bảng 2.**")
    assert [item["block_id"] for item in dose.attachments] == [table.id]
    assert not interaction.attachments
    (drug,) = monographs(segments)
    assert [item.table_id for item in drug.tables] == [table.id]


def test_a_long_table_is_cut_by_rows_under_its_header() -> None:
    rows = "\n".join(f"| {number} kg | {number},5 mg |" for number in range(200))
    chunks, _, _ = cut(document(TABLE.format(rows), markdown=True), max_tokens=200, target_tokens=150)
    blocks = [chunk for chunk in chunks if chunk.chunk_kind == "block_descriptor"]
    first = blocks[0].chunk_id
    assert [chunk.chunk_id for chunk in blocks[1:3]] == [f"{first}__1", f"{first}__2"]
    assert all("| Cân nặng | Liều |" in chunk.text for chunk in blocks)


def test_views_over_the_segments() -> None:
    made = document(BOOK)
    segments = cut(made)[1]
    json.dumps([segment.to_json() for segment in segments])
    human, pig = monographs(segments)
    assert human.atc_codes == ("A10AE04", "A10AE05")
    assert human.atc_printed == ("A10.AE.04", "A10 AE 05")
    assert pig.preamble == "Đây là lời dẫn."
    assert [section.key for section in human.sections][:2] == ["ten_chung_quoc_te", "ma_atc"]
    part = human.sections[4].parts[0]
    assert part.text == made.text[part.start : part.end]


@pytest.mark.parametrize(
    ("text", "codes", "malformed", "absent"),
    [
        ("J01CA04", ("J01CA04",), (), False),
        ("N02.AF.08, J01C A04; J01CA", ("N02AF08", "J01CA04", "J01CA"), (), False),
        ("Chưa có.", (), (), True),
        ("J0ICA04", (), ("J0ICA04",), False),
        ("Vitamin B12", (), (), False),
    ],
)
def test_codes(text: str, codes: tuple[str, ...], malformed: tuple[str, ...], absent: bool) -> None:
    found = codes_in(text, load("formulary").absent)
    assert (found.codes, found.malformed, found.stated_absent) == (codes, malformed, absent)


def test_the_exact_heading_is_preferred_and_folding_helps() -> None:
    vocabulary = load("formulary")
    for text, key in [
        ("Quá liều và cách xử trí", "qua_lieu_va_xu_tri"), ("THỜI KÌ MANG THAI", "thoi_ky_mang_thai"), ("tuong ki", "tuong_ky"),
        ("4. Thông  tin qui chế:", "thong_tin_quy_che"), ("Liều dùng , cách dùng", "lieu_luong_va_cach_dung"),
    ]:  # fmt: skip
        match = vocabulary.match(text)
        assert match
        assert match.entry.key == key
    assert len(vocabulary.entries) == 19
    assert vocabulary.match("Mã ACT").misspelt  # type: ignore[union-attr]
    assert not vocabulary.match("Chỉ định này")


def test_a_vocabulary_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'name="mine"\n[titles]\nstyle="capitals"\nopeners=["nom"]\n[[section]]\nkey="nom"\nheadings=["DCI"]\n'
        '[[section]]\nkey="dose"\nheadings=["Posologie"]\n',
        "utf-8",
    )
    chunks, _, _ = cut(document("BENZARINE\n\nDCI: benzarine.\n\nPosologie\n\n5 mg.\n"), vocabulary=str(file))
    assert by_drug(chunks) == {"benzarine": ["nom", "dose"]}
    for bad in ("nothing", str(tmp_path / "none.toml")):
        with pytest.raises(OptionError):
            Options(vocabulary=bad)
    file.write_text('name="mine"\n[titles]\nopeners=["name"]\n[[section]]\nkey="nom"\nheadings=["DCI"]\n', "utf-8")
    with pytest.raises(OptionError, match="'name' is the key of no section"):
        Options(vocabulary=str(file))


def test_two_products_of_product_information() -> None:
    entries = load("smpc").entries
    body = "\n\n".join(f"{entry.number} {entry.headings[0]}\n\nText of {entry.number}." for entry in entries[1:])
    text = "\n\n".join(f"1. NAME OF THE MEDICINAL PRODUCT\n\nZorvanta {size} mg tablets\n\n{body}" for size in (10, 20))
    chunks, _, _ = cut(document(text))
    keys = [entry.key for entry in entries]
    assert by_drug(chunks) == {"zorvanta_10_mg_tablets": keys, "zorvanta_20_mg_tablets": keys}


def test_a_label_of_the_fda() -> None:
    text = "# LABEL\n\n## 1 INDICATIONS AND USAGE\n\nPain.\n\n## 2 DOSAGE AND ADMINISTRATION\n\n### 2.1 Adults\n\n5 mg.\n\n"
    text += "## 4 CONTRAINDICATIONS\n\nNone.\n"
    chunks, _, strategy = cut(document(text, markdown=True))
    assert by_drug(chunks) == {"label": ["indications_and_usage", "dosage_and_administration", "contraindications"]}
    assert len(strategy.vocabularies) == len(SHIPPED)
    manual = "# Pump\n\n## Description\n\nA pump.\n\n## Warnings\n\nHot.\n\n## Storage\n\nDry.\n\n## References\n\nNone.\n"
    assert strategy.detect(document(manual, markdown=True)).score == 0


@pytest.mark.parametrize(("drugs", "parted"), [(5, True), (1, False)])
def test_sections_on_the_line_of_their_text_follow_the_order_that_the_book_has(drugs: int, parted: bool) -> None:
    """Overdose before incompatibilities, as the vocabulary has it not; one monograph is no order."""
    text = "\n\n".join(
        f"{name}\n\nTên chung quốc tế: {name.capitalize()}.\n\nMã ATC: N02BE01.\n\nChỉ định: Sốt và đau.\n\n"
        "Chống chỉ định: Suy gan nặng.\n\nQuá liều và xử trí: Rửa dạ dày.\n\nTương kỵ: Không trộn với dung dịch khác."
        for name in ("BENZARIN", "CORTAVEN", "DOLPIRAN", "ETOPRIN", "FALUREN")[:drugs]
    )
    found = by_drug(cut(document(text))[0])
    assert len(found) == drugs
    assert all(("tuong_ky" in keys) is parted and "qua_lieu_va_xu_tri" in keys for keys in found.values())
