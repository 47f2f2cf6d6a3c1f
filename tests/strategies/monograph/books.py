"""Small formularies of invented drugs, with what is true of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

from pecia.model import Chunk, Document, Segment, Source
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.text import parse_text
from pecia.pipeline import chunks_of
from pecia.protocols import ParseOptions
from pecia.strategies.monograph.strategy import MonographStrategy, Options


def document(text: str, *, markdown: bool = False) -> Document:
    """The text as the parser of its format gives it."""
    data = text.encode()
    name, parse = ("a.md", parse_markdown) if markdown else ("a.txt", parse_text)
    source = Source(name, name, "text/markdown" if markdown else "text/plain", hashlib.sha256(data).hexdigest())
    return next(iter(parse(data, source, ParseOptions())))


def cut(made: Document, **options: object) -> tuple[list[Chunk], list[Segment], MonographStrategy]:
    """Chunks, segments and the strategy with these options."""
    strategy = MonographStrategy(Options(**options))  # type: ignore[arg-type]
    segments = list(strategy.segment(made))
    return list(chunks_of(made, strategy, segments, strategy.name)), segments, strategy


def prose(chunks: list[Chunk], key: str, drug: str | None = None) -> list[Chunk]:
    """The prose chunks of a section."""
    return [
        chunk
        for chunk in chunks
        if chunk.chunk_kind == "prose"
        and chunk.attributes.get("section_key") == key
        and drug in (None, chunk.attributes["drug_id"])
    ]


@dataclass
class Made:
    """A book, its (drug_id, section_key) pairs, and each dose as (sentence, labels that govern it)."""

    text: str = ""
    markdown: bool = False
    sections: list[tuple[str, str]] = field(default_factory=list)
    doses: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    lists: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)


NAMES = ["BENZARIN", "BENZARIL", "CORTAVEN NATRI", "DOLPIRAN (TIÊM)", "DOLPIRAN (UỐNG)", "ĐALVORIN", "ÉTOPRIN", "VITAMIN K9"]
SLUGS = ["benzarin", "benzaril", "cortaven_natri", "dolpiran_tiem", "dolpiran_uong", "dalvorin", "etoprin", "vitamin_k9"]
SECTIONS = [
    ("chi_dinh", ("Chỉ định", "CHỈ ĐỊNH")),
    ("chong_chi_dinh", ("Chống chỉ định",)),
    ("than_trong", ("Thận trọng", "Thận trọng:")),
    ("thoi_ky_mang_thai", ("Thời kỳ mang thai", "Thời kì mang thai")),
    ("tac_dung_khong_mong_muon", ("Tác dụng không mong muốn (ADR)", "TÁC DỤNG KHÔNG MONG MUỐN")),
    ("lieu_luong_va_cach_dung", ("Liều lượng và cách dùng", "Cách dùng và liều lượng", "Liều lượng, cách dùng")),
    ("tuong_tac_thuoc", ("Tương tác thuốc",)),
    ("tuong_ky", ("Tương kỵ", "Tương kị", "TƯƠNG KỴ")),
    ("qua_lieu_va_xu_tri", ("Quá liều và cách xử trí", "Quá liều và xử trí")),
    ("thong_tin_quy_che", ("Thông tin qui chế", "Thông tin quy chế")),
]
TOPICS = ["Nhiễm khuẩn da:", "Cơn co giật ở trẻ nhỏ:", "Điều trị ngoại trú:", "Sau ghép tạng:", "Giảm đau sau mổ:"]
PEOPLE = ["Người lớn:", "Trẻ em từ 2 đến 12 tuổi:", "Trẻ sơ sinh:", "Người cao tuổi:", "Suy gan:"]
MEASURES = ["Clcr dưới 10 ml/phút:", "Clcr từ 10 đến 29 ml/phút:", "Clcr từ 30 đến 60 ml/phút:"]


@st.composite
def books(draw: st.DrawFn) -> Made:
    """Random monographs: fields on one line or several, sections in order, labels two and three deep, a list, a table."""
    made = Made(markdown=draw(st.booleans()))
    number = iter(range(1, 10_000))
    parts = ["LỜI NÓI ĐẦU\n\nCuốn sách này là hư cấu.\n" if not made.markdown else "# Lời nói đầu\n\nCuốn sách này là hư cấu.\n"]
    for at in draw(st.lists(st.sampled_from(range(len(NAMES))), min_size=1, max_size=4, unique=True)):
        parts.append(_monograph(draw, made, NAMES[at], SLUGS[at], number))
    made.text = "\n".join(parts)
    return made


def _monograph(draw: st.DrawFn, made: Made, name: str, drug: str, number: object) -> str:
    title, head = ("## {}\n", "### {}\n") if made.markdown else ("{}\n", "{}\n")
    blocks = [title.format(name)]
    fields = [("ten_chung_quoc_te", f"Tên chung quốc tế: {name.capitalize()}."), ("ma_atc", "Mã ATC: J01CA04.")]
    fields += [("loai_thuoc", "Loại thuốc: Thuốc hư cấu.")]
    blocks.append((" " if draw(st.booleans()) else "\n\n").join(text for _, text in fields) + "\n")
    made.sections += [(drug, key) for key, _ in fields]
    for key, forms in SECTIONS:
        if not draw(st.booleans()) and key != "lieu_luong_va_cach_dung":
            continue
        made.sections.append((drug, key))
        blocks.append(head.format(draw(st.sampled_from(forms))))
        if key == "lieu_luong_va_cach_dung":
            blocks += _doses(draw, made, drug, number)
        elif key == "tuong_tac_thuoc":
            names = tuple(f"{name[:3].lower()}{syllable}ol" for syllable in _SYLLABLES[: draw(st.integers(3, len(_SYLLABLES)))])
            made.lists.append((drug, names))
            blocks.append(f"Nồng độ thay đổi khi dùng với: {', '.join(names)}.\n")
        else:
            blocks.append(f"Câu thứ {next(number)} của mục này.\n")  # type: ignore[call-overload]
    return "\n".join(blocks)


_SYLLABLES = [
    f"{first}{second}"
    for first in ("ba", "ce", "di", "fo", "gu", "hy", "la", "me")
    for second in ("bra", "cre", "dri", "fro", "glu")
]


def _doses(draw: st.DrawFn, made: Made, drug: str, number: object) -> list[str]:
    blocks = []
    topics = draw(st.lists(st.sampled_from(TOPICS), max_size=3, unique=True)) or [""]
    for topic in topics:
        if topic:
            blocks.append(f"{topic}\n")
        above = (topic,) if topic else ()
        for person in draw(st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=4, unique=True)):
            blocks.append(f"{person} {_sentences(draw, made, drug, (*above, person), number)}\n")
        if draw(st.booleans()):
            blocks.append("Suy thận:\n")
            blocks += [
                f"{measure} {_sentences(draw, made, drug, (*above, 'Suy thận:', measure), number)}\n"
                for measure in draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=3, unique=True))
            ]
        if made.markdown and draw(st.integers(0, 3)) == 0:
            blocks.append("| Cân nặng | Liều |\n| --- | --- |\n| 10 kg | 5 mg |\n")
            blocks.append(f"{PEOPLE[0]} {_sentences(draw, made, drug, (*above, PEOPLE[0]), number)}\n")
    return blocks


def _sentences(draw: st.DrawFn, made: Made, drug: str, labels: tuple[str, ...], number: object) -> str:
    found = []
    for _ in range(draw(st.integers(1, 6))):
        dose = next(number)  # type: ignore[call-overload]
        found.append(f"Uống {dose},5 mg/kg/24 giờ, chia làm 3 lần, tối đa 0,{dose} g/24 giờ.")
        made.doses.append((drug, found[-1], labels))
    return " ".join(found)


def shown_before(chunk: Chunk, sentence: str) -> list[str]:
    """The labels that a chunk shows before a sentence in it, those of its own text included."""
    at = chunk.source_text.index(sentence)
    own = [label for label in (*TOPICS, *PEOPLE, *MEASURES, "Suy thận:") if label in chunk.source_text[:at]]
    own.sort(key=lambda label: chunk.source_text.rindex(label, 0, at))
    return [*chunk.context_labels, *own]


def in_order(wanted: tuple[str, ...], shown: list[str]) -> bool:
    """Whether all labels are shown, outermost first, the last of them nearest."""
    at = len(shown)
    for label in reversed(wanted):
        if label not in shown[:at]:
            return False
        at = max(number for number in range(at) if shown[number] == label)
    return True


Cut = Callable[..., tuple[list[Chunk], list[Segment], MonographStrategy]]
