"""Papers built from pairs in every style, with what they hold: for tests that must know the answer beforehand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from pecia.model import Document
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.text import parse_text
from pecia.pipeline import Cutting, cut
from pecia.strategies.question.reading import Pair, Reading, read
from pecia.testing.documents import paged, parsed


@dataclass(frozen=True)
class Asked:
    """One pair of a paper: its id, its topic where it is the first of one, question and paragraphs of the answer."""

    id: str
    question: str
    answer: tuple[str, ...]
    topic: str = ""


@dataclass(frozen=True)
class Paper:
    style: str
    pairs: tuple[Asked, ...]
    paragraphs: tuple[str, ...] = field(default=())

    def text(self) -> str:
        return "\n\n".join(self.paragraphs) + "\n"


def document(text: str, *, markdown: bool = False) -> Document:
    return parsed(text.encode(), "paper.md" if markdown else "paper.txt", parse_markdown if markdown else parse_text)


def pairs(text: str, *, markdown: bool = False) -> list[tuple[str, str, str]]:
    """(id, question, answer) of the pairs in a text, white space folded."""
    made = document(text, markdown=markdown)
    return [(pair.id, folded(pair.question.of(made.text)), folded(pair.answer.of(made.text))) for pair in read(made).pairs]


def pair(text: str, *, markdown: bool = False) -> tuple[Document, Pair]:
    """The only pair of a text."""
    made = document(text, markdown=markdown)
    found = read(made).pairs
    assert len(found) == 1, [one.id for one in found]
    return made, found[0]


def reading(text: str, *, markdown: bool = False) -> Reading:
    return read(document(text, markdown=markdown))


def cutting(text: str, *, markdown: bool = False, **options: Any) -> Cutting:
    return cut(document(text, markdown=markdown), "question", **options)


def codes(cut_: Cutting) -> list[str]:
    """The codes of what the rules find, those of the parser aside."""
    return [finding.rule for finding in cut_.findings() if not finding.rule.startswith("ENC")]


def folded(text: str) -> str:
    return " ".join(text.split())


_HAN = ["新區", "排水", "工程", "將於", "明年", "完成", "居民", "交通", "費用", "約為", "五億元", "會否", "安排", "數據", "檢討"]
_LATIN = [
    "the",
    "land",
    "rate",
    "of",
    "each",
    "plot",
    "is",
    "paid",
    "by",
    "a",
    "panel",
    "after",
    "survey",
    "and",
    "notice",
    "with",
    "reasons",
    "given",
    "in",
    "writing",
]
_COLONS = [":", "：", "︰", "﹕", " ：", "： "]


def _han(least: int, most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(_HAN), min_size=least, max_size=most).map("".join)


def _latin(least: int, most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(_LATIN), min_size=least, max_size=most).map(lambda words: " ".join(words).capitalize())


def _paragraphs(sentence: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.lists(sentence, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4).map(tuple)


_BRACKETED = st.tuples(st.sampled_from(["如被追問{}：{}。", "如追問{}？{}。", "內部參考：{}，{}。"]), _han(2, 4), _han(2, 6)).map(
    lambda parts: f"[{parts[0].format(*parts[1:])}]"
)
_HAN_ANSWERS = st.tuples(_paragraphs(_han(3, 12).map(lambda text: f"{text}。")), st.lists(_BRACKETED, max_size=2)).map(
    lambda parts: (*parts[0], *parts[1])
)
_LATIN_ANSWERS = _paragraphs(_latin(4, 14).map(lambda text: f"{text}."))
_HAN_QUESTIONS = _han(3, 10).map(lambda text: f"{text}為何？")
_LATIN_QUESTIONS = _latin(4, 10).map(lambda text: f"How is {text.lower()}?")
_WIDE = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ０１２３４５６７８９"
)


@st.composite
def chinese(draw: st.DrawFn) -> Paper:
    """Topics with letters, each with pairs; every form of marker; a section without markers at the end of some."""
    letters = draw(st.lists(st.sampled_from("ABCDEFGHJKLMN"), min_size=1, max_size=3, unique=True))
    paragraphs, held = ["發言要點", "1. 多謝主席。"], list[Asked]()
    titled = draw(st.booleans())
    for letter in sorted(letters):
        topic = f"({letter}) {draw(_han(2, 3))}" if titled else ""
        paragraphs += [topic] if topic else []
        for number in range(1, draw(st.integers(1, 3)) + 1):
            name = f"{letter}{number}"
            asked = Asked(name, draw(_HAN_QUESTIONS), draw(_HAN_ANSWERS), topic)
            question, answer = draw(st.sampled_from([("問", "答"), ("问", "答")]))
            gap = draw(st.sampled_from(["", " ", "　"]))
            shown = name.translate(_WIDE) if draw(st.booleans()) else name
            colon, break_ = draw(st.sampled_from(_COLONS)), draw(st.sampled_from(["", " ", "\n"]))
            paragraphs.append(f"{question}{gap}{shown}{colon}{break_}{asked.question}")
            first, *rest = asked.answer
            paragraphs += [f"{answer}{gap}{shown}{colon}{break_}{first}", *rest]
            held.append(asked)
    if draw(st.booleans()):
        paragraphs.append("Others")
        for number in range(1, draw(st.integers(1, 3)) + 1):
            asked = Asked(f"O{number}", draw(_HAN_QUESTIONS), draw(_HAN_ANSWERS), "Others")
            paragraphs += [f"{asked.id} {asked.question}", *asked.answer]
            held.append(asked)
    return Paper("chinese", tuple(held), tuple(paragraphs))


@st.composite
def english(draw: st.DrawFn) -> Paper:
    """Numbered questions with and without a marker for the answer, some under topic lines."""
    marker = draw(st.sampled_from(["", "", "A{}: ", "Answer: ", "Reply: "]))
    sign = draw(st.sampled_from(["Q{} ", "Q{}. ", "Q{}: ", "Question {}: "]))
    paragraphs, held, topic = ["Purpose", "This paper sets out the plan."], list[Asked](), ""
    for number in range(1, draw(st.integers(1, 6)) + 1):
        if draw(st.booleans()):
            topic = draw(_latin(2, 4))
            paragraphs.append(topic)
        asked = Asked(f"Q{number}", draw(_LATIN_QUESTIONS), draw(_LATIN_ANSWERS), topic)
        first, *rest = asked.answer
        paragraphs += [sign.format(number) + asked.question, marker.format(number) + first, *rest]
        held.append(asked)
    return Paper("english", tuple(held), tuple(paragraphs))


@st.composite
def hearing(draw: st.DrawFn) -> Paper:
    """Numbered questions of members, answered by an officer."""
    paragraphs, held = list[str](), list[Asked]()
    for number in range(1, draw(st.integers(2, 5)) + 1):
        asked = Asked(str(number), draw(_LATIN_QUESTIONS), draw(_LATIN_ANSWERS))
        first, *rest = asked.answer
        language = draw(st.sampled_from(["", " (in Cantonese)"]))
        paragraphs.append(f"{number}. {draw(st.sampled_from(['MR', 'MS']))} CHAN KIN-POR{language}: {asked.question}")
        paragraphs += [f"SECRETARY FOR DEVELOPMENT{language}: {first}", *rest]
        held.append(asked)
    return Paper("hearing", tuple(held), tuple(paragraphs))


@st.composite
def forms(draw: st.DrawFn) -> Paper:
    """Reply forms, in English or in Chinese, some of them follow-ups."""
    paragraphs, held = list[str](), list[Asked]()
    for number in range(1, draw(st.integers(1, 4)) + 1):
        serial = draw(st.sampled_from(["", "S-", "SV-"])) + f"DEVB(W){number:03}"
        if draw(st.booleans()):
            asked = Asked(serial, draw(_LATIN_QUESTIONS), draw(_LATIN_ANSWERS))
            paragraphs += ["Reply Serial No.", "CONTROLLING OFFICER'S REPLY", serial, "Head: (33) Works", "Programme: (3) Land"]
            paragraphs += ["Controlling Officer: Director", f"Question: {asked.question}", "Asked by: Hon CHAN", "Reply:"]
            paragraphs += [*asked.answer, "- End -"]
        else:
            asked = Asked(serial, draw(_HAN_QUESTIONS), draw(_HAN_ANSWERS))
            paragraphs += ["答覆編號", "管制人員的答覆", serial, "總目：(33) 工程", "綱領：(3) 土地", "管制人員：署長"]
            paragraphs += [f"問題：{asked.question}", "提問人：陳議員", "答覆：", *asked.answer, "- 完 -"]
        held.append(asked)
    return Paper("reply_form", tuple(held), tuple(paragraphs))


def papers() -> st.SearchStrategy[Paper]:
    return st.one_of(chinese(), english(), hearing(), forms())


def as_text(paper: Paper) -> Document:
    return document(paper.text())


def as_lines(paper: Paper) -> Document:
    """One paragraph a line and no empty lines, as many programs save text."""
    return document("\n".join(paper.paragraphs) + "\n")


def as_markdown(paper: Paper) -> Document:
    return document(paper.text(), markdown=True)


def as_pages(paper: Paper) -> Document:
    made = paged([" ".join(paragraph.split()) for paragraph in paper.paragraphs], 7)
    assert made.source.sha256 == hashlib.sha256(made.text.encode()).hexdigest()
    return made


FORMATS: tuple[Callable[[Paper], Document], ...] = (as_text, as_lines, as_markdown, as_pages)


def ids(found: Iterable[Pair]) -> list[str]:
    return [one.id for one in found]
