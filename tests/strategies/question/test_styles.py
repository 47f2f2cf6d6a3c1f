"""Each style by small papers, and what only looks like a question."""

from dataclasses import replace
from pathlib import Path

import pytest

from pecia import pipeline
from pecia.model import Box, ChunkKind, LeftOut, Line
from pecia.strategies.question.marks import fold, style_of
from pecia.strategies.question.outline import is_container
from pecia.strategies.question.reading import read
from tests.strategies.question.papers import cutting, document, ids, pair, pairs, reading

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("colon", ["：", "︰", "﹕", ":", " ：", "： "])
@pytest.mark.parametrize("shape", ["{}A1{}", "{} A1{}", "{}　Ａ １{}", "【{}A1】{}", "{} A 1{}\n"])
def test_a_chinese_marker_in_every_form(colon: str, shape: str) -> None:
    for asks, answers in ("問答", "问答"):
        text = f"{shape.format(asks, colon)}何時完成？\n{shape.format(answers, colon)}明年。\n"
        assert pairs(text) == [("A1", "何時完成？", "明年。")]


def test_a_chinese_answer_without_a_marker_is_told_by_the_question_mark() -> None:
    assert pairs("問 A1：何時完成？費用為何？明年完成。\n五億元。\n") == [("A1", "何時完成？費用為何？", "明年完成。 五億元。")]
    assert pairs("問：何時？\n答：明年。\n問：費用？\n答：五億元。\n") == [("1", "何時？", "明年。"), ("2", "費用？", "五億元。")]


@pytest.mark.parametrize("mark", ["Q1 ", "Q1. ", "Q1: ", "Q.1 ", "Q 1) ", "Question 1: ", "**Q1:** ", "QUESTION 1 – "])
@pytest.mark.parametrize("answer", ["", "A1: ", "A1 ", "Answer: ", "REPLY: "])
def test_an_english_marker_in_every_form(mark: str, answer: str) -> None:
    text = f"{mark}How many are there?\n\n{answer}There are five.\n"
    found = pairs(text, markdown="*" in mark)
    assert found == [("Q1", "How many are there?", "There are five.")]


@pytest.mark.parametrize(
    ("mark", "answer"),
    [("(1) Question: ", "(1) Reply: "), ("1. Question: ", "Reply: "), ("1) Q: ", "1) A: "), ("1、問題：", "1、答覆：")],
)
def test_a_number_before_the_word_for_question(mark: str, answer: str) -> None:
    found = pairs(f"{mark}How many are there?\n\n{answer}There are five.\n")
    assert found == [("1" if "問" in mark else "Q1", "How many are there?", "There are five.")]


def test_an_english_question_ends_where_its_form_says() -> None:
    assert pairs("Q1 Some asked for a move. Will you agree? Is it fair?\nYes. Is that all? No.\n") == [
        ("Q1", "Some asked for a move. Will you agree? Is it fair?", "Yes. Is that all? No.")
    ]
    asked = "Q1 Please state:\n(a) whether it is so; and\n(b) if so, why?\n(a) Yes.\n(b) Because.\n"
    assert pairs(asked) == [("Q1", "Please state: (a) whether it is so; and (b) if so, why?", "(a) Yes. (b) Because.")]
    made, one = pair("Q1: Please set out the rates.\n\nThe rates are below.\n")
    assert one.question.of(made.text) == "Please set out the rates."
    assert one.confidence < 0.9


def test_a_section_of_others_needs_no_word_for_question() -> None:
    text = "問 A1：何時？\n答 A1：明年。\n\nOthers\n\nO1 廢料如何處理？運走。\n\nO2 會否影響交通？\n\n不會。\n"
    found = reading(text).pairs
    assert ids(found) == ["A1", "O1", "O2"]
    assert [one.index for one in found] == [0, 1, 2]
    assert [one.qa_style for one in found[1:]] == ["chinese_implicit"] * 2
    assert found[1].topic == "Others"
    assert pairs("問 A1：何時？\n答 A1：明年。\n\n其他\n\n廢料如何處理？\n\n運走。\n")[1:] == [("O1", "廢料如何處理？", "運走。")]


def test_pairs_without_markers_come_after_the_others_in_the_count() -> None:
    found = reading("Others\n\nO1 廢料如何處理？\n\n運走。\n\n備用問答\n\n問 A1：何時？\n答 A1：明年。\n").pairs
    assert [(one.id, one.index) for one in found] == [("O1", 1), ("A1", 0)]


HANSARD = """Regulation of Cards

1. MR CHAN KIN-POR (in Chinese): President, cards fail. Will the Government inform this Council:

(a) whether it knows; and

(b) if so, of the plan?

SECRETARY FOR SECURITY (in Chinese): President, our reply is:

(a) and (b) Yes.

PRESIDENT (in Cantonese): Mr CHAN, your supplementary.

MR CHAN KIN-POR (in Cantonese): When will it start?

SECRETARY FOR SECURITY (in Cantonese): In May.

Housing

2. MS EMILY LAU: How many flats?

SECRETARY FOR HOUSING: 500 flats.
"""


def test_a_hearing_is_cut_by_numbered_questions_and_what_speakers_ask_in_between() -> None:
    found = reading(HANSARD).pairs
    assert ids(found) == ["1", "1-1", "2"]
    assert {one.qa_style for one in found} == {"hearing"}
    assert found[0].parts == ("(a) whether it knows; and", "(b) if so, of the plan?")
    assert [one.topic for one in found] == ["Regulation of Cards", "Regulation of Cards", "Housing"]
    assert found[0].extra["asker"] == "MR CHAN KIN-POR"
    assert found[2].extra["speaker"] == "SECRETARY FOR HOUSING"
    assert found[0].answer.of(HANSARD).endswith("(a) and (b) Yes.")


def test_a_chinese_hearing() -> None:
    text = (
        "1. 陳健波議員：主席，政府可否告知本會：\n(一) 數目；\n(二) 原因；及\n(三) 措施？\n"
        "財經事務及庫務局局長：主席，\n(一) 5宗。\n(二)及(三) 沒有。\n"
    )
    made, one = pair(text)
    assert one.parts == ("(一) 數目；", "(二) 原因；及", "(三) 措施？")
    assert one.answer.of(made.text) == "主席，\n(一) 5宗。\n(二)及(三) 沒有。"


def test_transcripts_and_interviews() -> None:
    assert pairs("Q. Where?\n\nA. At home.\n\nQ. Alone?\n\nA. Yes, Q. said so.\n") == [
        ("Q1", "Where?", "At home."), ("Q2", "Alone?", "Yes, Q. said so."),
    ]  # fmt: skip
    talk = (
        "Anna: How did you start?\n\n"
        "Ben: By chance. Why not?\n\nAnna: And then?\n\n"
        "Ben: Oslo.\n\nAnna: What is next?\n\nBen: A book.\n"
    )
    assert [one[1] for one in pairs(talk)] == ["How did you start?", "And then?", "What is next?"]


def test_an_agenda_asks_and_names_who_is_to_reply() -> None:
    text = "1. Hon Starry LEE to ask: (Translation)\nWhat is the plan?\nPublic Officer to reply:Secretary for Education\n"
    text += "2. Hon James TIEN to ask:\nWhy?\nPublic Officer to reply:Secretary for Security\n"
    found = reading(text).pairs
    assert ids(found) == ["1", "2"]
    assert found[0].extra["asker"] == "Hon Starry LEE"
    assert not found[0].answer
    assert found[0].extra["speaker"] == "Secretary for Education"


def test_a_reply_form_is_a_pair_and_a_follow_up_form_another() -> None:
    form = (
        "Reply Serial No.\nCONTROLLING OFFICER'S REPLY\n"
        "{}DEVB(W)001\nHead: (33) Works\n"
        "Subhead (No. & title): -\nProgramme: (3) Land\n"
    )
    form += "Controlling Officer: Director\nQuestion:\nWhat is the cost?\nAsked by: Hon CHAN\n"
    form += "Reply:\nFive.\nQuestion: quoted.\n- End -\n"
    found = reading(form.format("") + form.format("S-")).pairs
    assert ids(found) == ["DEVB(W)001", "S-DEVB(W)001"]
    record = cutting(form.format("SV-")).chunks[0].attributes
    assert {name: record[name] for name in ("reply_serial", "head", "programme", "controlling_officer", "asker")} == {
        "reply_serial": "SV-DEVB(W)001", "head": "(33) Works", "programme": "(3) Land", "controlling_officer": "Director",
        "asker": "Hon CHAN",
    }  # fmt: skip
    assert record["answer_text"] == "Five.\nQuestion: quoted."
    assert record["qa_style"] == "reply_form"


def test_titles_of_a_faq_ask() -> None:
    text = "# Help\n\n## How do I install it?\n\nUse pip.\n\n## Is it free?\n\nYes.\n\n## Licence\n\nApache.\n"
    assert pairs(text, markdown=True) == [("Q1", "How do I install it?", "Use pip."), ("Q2", "Is it free?", "Yes.")]


def test_a_new_style_is_a_table_and_no_code() -> None:
    table = {"name": "french", "qa_style": "english", "question": ["Question", "Q"], "answer": ["Réponse", "R"],
             "id": "Q{number}", "numbered": "may", "closers": ":"}  # fmt: skip
    found = read(document("Q1 : Combien ?\nRéponse : Cinq.\n"), [style_of(table)]).pairs
    assert ids(found) == ["Q1"]
    assert found[0].marked


@pytest.mark.parametrize(
    "text",
    [
        "A Q&A session was held. Q&A: none.\n\nThe Q1 results fell.\n",
        "Q1 2024 revenue rose. Why? Because.\n\nQ2 2024 fell. Why?\n",
        "1. Is this a list?\n2. Another item?\n3. A third?\n",
        "“Q1: is it so?” was asked, and 「問 A1：為何？」 too.\n",
        "Figures\n\nB1 123 456\n\nB2 789 012\n",
        "問題在於費用。答案是明年。問了三次。\n",
        "| Q1: x? | 1 |\n| --- | --- |\n| A1: y | 2 |\n",
        "DATES: by May.\n\nACTION: Notice.\n\nSUMMARY: What is it? A rule.\n",
    ],
)
def test_what_only_looks_like_a_question_is_none(text: str) -> None:
    assert not reading(text).pairs
    assert not reading(text, markdown=True).pairs
    cut = cutting(text)
    assert {chunk.strategy for chunk in cut.chunks} <= {"heading", "token"}
    assert {chunk.requested_strategy for chunk in cut.chunks} == {"question"}


def test_what_an_answer_quotes_stays_in_it() -> None:
    text = (
        "Q1 How many?\nFive. The reply to\n"
        "Q2 also applies here.\n「問 A2：為何？」 was asked.\n"
        "> Q9: quoted?\n\nQ2 Why?\nBecause. Is that all?\n"
    )
    assert [one[0] for one in pairs(text)] == ["Q1", "Q2"]
    assert pairs("問 A1：何時？\n答 A1：明年。他問：「夠嗎？」\n問：這是引述。\n\n問 A2：為何？\n答 A2：因為。\n")[0][2].endswith(
        "引述。"
    )


def test_contents_and_lists_of_questions_are_no_pairs() -> None:
    listed = "Q1 How many?\nQ2 How long?\nQ3 Who?\n\n"
    asked = "Q1 How many?\nFive.\n\nQ2 How long?\nTen days.\n\nQ3 Who?\nAll.\n"
    contents = "Contents\nPurpose ........ L-1\nQ1-Q3 Land ........ L-2\n\n"
    cut = cutting(contents + "Purpose\n\n" + listed + "Replies\n\n" + asked)
    assert [chunk.attributes["question_id"] for chunk in cut.chunks if chunk.chunk_kind is ChunkKind.PAIR] == ["Q1", "Q2", "Q3"]
    assert [part.left_out_reason for part in cut.left_out] == [LeftOut.CONTENTS]


def test_topics_and_titles_that_hold_questions() -> None:
    text = (
        "備用問答\n\n(A) 排水\n\n問 A1：何時？\n答 A1：明年。\n\n答覆安排\n\n"
        "問 A2：為何？\n答 A2：因為下雨\n\n問 A3：誰？\n答 A3：渠務組。\n\n"
        "Annex A\n\n表。\n"
    )
    found = reading(text).pairs
    assert [one.topic for one in found] == ["(A) 排水", "答覆安排", "答覆安排"]
    assert found[2].answer.of(text) == "渠務組。"
    titles = ("備用問答", "II. Questions for Written Replies", "Q & A", "Questions about land", "The of")
    assert [is_container(title) for title in titles] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_lettered_questions_behind_the_marked_ones_need_no_title_and_have_no_topic() -> None:
    text = "(B) 排水\n問 B1：何時？\n答 B1：明年。\n\nO2 會否影響歷史建築？\n\n不會。\n\nO3 會否設立平台？會在五月開通。\n"
    found = reading(text).pairs
    assert [(one.id, one.qa_style, one.topic) for one in found] == [
        ("B1", "chinese", "(B) 排水"), ("O2", "chinese_implicit", None), ("O3", "chinese_implicit", None),
    ]  # fmt: skip
    assert found[0].answer.of(text) == "明年。"
    assert len(reading(text.replace("O2", "D2").replace("O3", "D3")).pairs) == 1
    assert len(reading("問 B1：何時？\n答 B1：明年。\nO2 減少百分之五。\nO3 增加。\n").pairs) == 1


def test_the_letter_that_ocr_took_for_a_nought_is_given_back_only_where_it_did() -> None:
    text = "問 B1：何時？\n\n答 B1：明年。\n\n02會否影響歷史建築？\n\n不會。\n"
    made = document(text)
    assert [one.id for one in read(made).pairs] == ["B1"]
    lines = [Line(block.span, 0, Box(0, 0, 9, 9), "ocr") for block in made.blocks]
    scan = replace(made, blocks=tuple(replace(block, lines=(line,)) for block, line in zip(made.blocks, lines, strict=True)))
    assert [one.id for one in read(scan).pairs] == ["B1", "O2"]
    numbered = replace(scan, text=text.replace("02會", "02. "))
    assert [one.id for one in read(numbered).pairs] == ["B1"]


def test_a_row_of_figures_before_a_question_is_no_topic() -> None:
    found = reading("問 A1：何時？\n答 A1：見下表。\n預計年期 65.0 30.1 方案甲較佳\n問 A2：交通？\n答 A2：巴士。\n").pairs
    assert [one.topic for one in found] == [None, None]


def test_a_short_line_after_a_question_is_its_answer_and_no_topic() -> None:
    assert pairs("Q1 How many?\n605\nQ2 Who pays?\nThe Government\nQ3 When?\nSoon.\n")[:2] == [
        ("Q1", "How many?", "605"), ("Q2", "Who pays?", "The Government"),
    ]  # fmt: skip


def test_a_heading_inside_an_answer_stays_where_it_is_deeper() -> None:
    text = "# Paper\n\n## Land\n\nQ1: How big?\n\nA1: 5 ha.\n\n### Detail\n\nMore.\n\n## Annex\n\nText.\n"
    assert pairs(text, markdown=True) == [("Q1", "How big?", "5 ha. ### Detail More.")]


def test_folding_keeps_every_offset() -> None:
    text = "問　Ａ１︰ﬁ\u00a0é"
    assert len(fold(text)) == len(text)
    assert fold(text).startswith("問 A1:")


def test_the_paper_of_the_examples_is_cut_into_its_pairs() -> None:
    cut = pipeline.cut(pipeline.parse(EXAMPLES / "supplementary-paper.pdf"), "auto")
    assert cut.strategy.name == "question"
    assert cut.reason


def test_a_chinese_answer_marker_in_mid_line_needs_no_question_mark_before_it() -> None:
    ((_, question, answer),) = pairs("問 F15︰請說明新區的排水安排為何答 F15︰工程會在明年完成，見答 F3：一節。\n")
    assert (question, answer) == ("請說明新區的排水安排為何", "工程會在明年完成，見答 F3：一節。")


ENGLISH = """1. Hon Ann LEE to ask:

Will the Government inform this Council of the cost?

Public Officer to reply: Secretary for Works

2. Hon Bo CHAN to ask:

What is done (see Part IV of the plan)?

Public Officer to reply: Secretary for Health

"""
CHINESE = """1. 李安議員問：

政府可否告知本會，費用為何？

負責答覆的政府官員：發展局局長

2. 陳波議員問：

有何措施？

負責答覆的政府官員：教育局局長

"""
MOTIONS = "III. Bills\n\nFirst reading\n\nHarbour Bill\n\nIV. Motions\n\nSecretary for Health to move:\n\nThat it be so.\n"
AGENDAS = (
    ("I. Papers\n\nA report\n\nII. Written questions\n\n", ENGLISH, MOTIONS, ["Secretary for Works", "Secretary for Health"]),
    ("一、文件\n\n年報\n\n二、質詢\n\n", CHINESE, "三、法案\n\n海港條例草案：發展局局長\n", ["發展局局長", "教育局局長"]),
)


@pytest.mark.parametrize(("before", "asked", "after", "officers"), AGENDAS)
def test_the_next_part_of_an_agenda_ends_its_last_question(before: str, asked: str, after: str, officers: list[str]) -> None:
    made = document(before + asked + after)
    found = read(made).pairs
    assert [pair.extra["speaker"] for pair in found] == officers
    assert not any(pair.answer.of(made.text).strip() for pair in found)
    assert made.text[: found[-1].span.end].strip() == (before + asked).strip()


def test_a_numbered_list_in_an_answer_is_no_part_of_an_agenda() -> None:
    text = "一、問題\n\n問 A1：如何改善？\n\n答 A1：有三點。\n\n一、增加人手\n\n二、增撥資源\n\n三、設立熱線\n"
    _, found = pair(text)
    assert found.span.end == len(text.strip())


def test_names_in_bold_that_ask_and_answer_in_turn_are_speakers() -> None:
    text = "# Talk\n\n" + "".join(
        f"**Ann Lee:** Why is line {n} closed?\n\n**Bo Chan:** It is worn.\n\nMore.\n\n" for n in range(3)
    )
    assert pairs(text, markdown=True)[1][1:] == ("Why is line 1 closed?", "It is worn. More.")


def test_a_section_without_markers_begins_right_behind_a_table() -> None:
    text = (
        "问 N1：何时？\n\n答 N1：如下。\n\n| 年份 | 宗数 |\n| --- | --- |\n| 2027 | 194 |\n\n其他\n\nO1 费用多少？\n\n五亿元。\n"
    )
    assert [item[2].endswith("其他") for item in pairs(text)] == [False, False]
