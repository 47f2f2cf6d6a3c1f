"""Laws of search terms first, examples of each language second."""

from __future__ import annotations

import sqlite3
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia.text.analysis import FTS5_TOKENIZE, query_terms, terms

LETTERS = (
    "aăâbcdđeêghiklmnoôơpqrstuưvxyAĂÂĐÊÔƠƯàáảãạằắẳẵặầấẩẫậèéẻẽẹềếểễệìíỉĩịòóỏõọồốổỗộờớởỡợùúủũụừứửữựỳýỷỹỵỲÝ"
    "的一是不了人在有我這这綫线藥药量劑剂かなカナ한국ไทยäöüßéèçñøæ0123456789 \n\t.,;:-_/()'’。，、（）"
)
alphabet_text = st.text(alphabet=LETTERS, max_size=60)
WORDS = """
Liều dùng hoà hòa lý của và trẻ em the of Vitamin A studies co-operate and/or L'été
J01C A04 J01CA04 4.2.1 1.000 3,5ml FHB(FE)012 藥物的
"""
words = st.sampled_from(WORDS.split())
phrases = st.lists(words, max_size=12).map(" ".join)
any_text = st.one_of(st.text(max_size=60), alphabet_text, phrases)


@given(any_text)
def test_composed_and_decomposed_text_have_the_same_terms(text: str) -> None:
    assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@given(any_text)
def test_case_makes_no_difference(text: str) -> None:
    assert terms(text.casefold()) == terms(text)


@given(st.one_of(alphabet_text, phrases))
def test_upper_case_makes_no_difference_where_it_can_be_undone(text: str) -> None:
    assert terms(text.upper()) == terms(text)


@given(st.text(alphabet=st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=60))
def test_full_width_is_half_width(text: str) -> None:
    full_width = "".join(chr(ord(character) + 0xFEE0) for character in text)
    assert terms(full_width) == terms(text)


@given(any_text)
def test_a_question_has_terms_of_its_passage_each_once(text: str) -> None:
    asked, held = query_terms(text), terms(text)
    assert set(asked) <= set(held)
    assert len(asked) == len(set(asked))
    assert bool(asked) == bool(held)


@given(any_text)
def test_a_question_without_accents_finds_the_accented_passage(text: str) -> None:
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not "\u0300" <= c <= "\u036f")
    bare = unicodedata.normalize("NFC", bare.translate(str.maketrans("đĐ", "dD")))
    found = set(terms(text))
    assert not (asked := query_terms(bare)) or found & set(asked)


@given(any_text)
def test_terms_are_bounded(text: str) -> None:
    """Six a character at most, and only for a lone code such as `a1 a1`; prose has 0.2 (en), 0.5 (vi), 1.4 (zh)."""
    found = terms(text)
    assert len(found) <= 6 * len(unicodedata.normalize("NFKC", text))
    assert all(0 < len(term) <= 160 for term in found)


@given(any_text)
def test_analysis_is_deterministic(text: str) -> None:
    assert terms(text) == terms(text)


def fts5_tokens(texts: list[str]) -> list[list[str]]:
    """The tokens FTS5 makes of each text."""
    database = sqlite3.connect(":memory:")
    database.execute(f'CREATE VIRTUAL TABLE passages USING fts5(terms, tokenize="{FTS5_TOKENIZE}")')
    database.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(passages, instance)")
    database.executemany("INSERT INTO passages(rowid, terms) VALUES (?, ?)", enumerate(texts))
    tokens: list[list[str]] = [[] for _ in texts]
    for row, token in database.execute("SELECT doc, term FROM vocabulary ORDER BY doc, offset"):
        tokens[row].append(token)
    database.close()
    return tokens


@given(any_text)
def test_each_term_is_one_fts5_token(text: str) -> None:
    found = terms(text)
    assert " ".join(found).split() == found
    assert fts5_tokens([" ".join(found)]) == [found]


def test_every_letter_digit_and_mark_gives_terms_that_fts5_keeps() -> None:
    characters = [c for c in map(chr, range(0x110000)) if unicodedata.category(c)[0] in "LMN"]
    blocks = [terms(" ".join(f"{c} x{c}y" for c in characters[at : at + 4096])) for at in range(0, len(characters), 4096)]
    assert sum(map(len, blocks)) > 2 * 130_000
    assert fts5_tokens([" ".join(block) for block in blocks]) == blocks


def test_fts5_finds_what_was_asked() -> None:
    database = sqlite3.connect(":memory:")
    database.execute(f'CREATE VIRTUAL TABLE passages USING fts5(terms, tokenize="{FTS5_TOKENIZE}")')
    database.execute("INSERT INTO passages VALUES (?)", [" ".join(terms("Liều dùng amoxicilin cho trẻ em"))])
    for question in ("liều", "lieu", "LIỀU DÙNG", "trẻ em", "tre em", "Amoxicilin?"):
        match = " OR ".join(f'"{term}"' for term in query_terms(question))
        assert database.execute("SELECT rowid FROM passages WHERE passages MATCH ?", [match]).fetchall() == [(1,)], question
    database.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Hoà tan", ["hoa", "hoà", "tan", "hoa_tan"], id="vi: both forms and the pair"),
        pytest.param("hòa tan", ["hoa", "hoà", "tan", "hoa_tan"], id="vi: older place of the tone"),
        pytest.param("Kỹ, kĩ", ["ki", "kĩ", "ki", "kĩ"], id="vi: y and i, no pair over a comma"),
        pytest.param("Đội Panthers", ["doi", "đôị", "panther", "doi_panthers"], id="vi: a syllable pairs with a name"),
        pytest.param("藥物的A", ["藥", "物", "的", "藥物", "物的", "a"], id="zh: characters and pairs"),
        pytest.param("之的", ["之", "的"], id="zh: no pair of two function characters"),
        pytest.param("The studies' doses", ["the", "study", "dose"], id="en: plurals"),
        pytest.param("gas process famous series", ["gas", "process", "famous", "sery"], id="en: other words in s"),
        pytest.param("co-operate", ["co", "operate", "cooperate"], id="en: hyphen"),
        pytest.param("and/or", ["and", "or"], id="en: no whole of a choice"),
        pytest.param("Straße, l'œuvre", ["strasse", "l", "oeuvre", "œuvre"], id="de, fr: letters that fold to two"),
        pytest.param("J01CA04", ["j01ca04"], id="code"),
        pytest.param("J01C A04", ["j01c", "a04", "j01ca04"], id="code in two parts"),
        pytest.param("the Table 2", ["the", "table", "2", "table_2"], id="a number is one with the word before it"),
        pytest.param("of 19 hours", ["of", "19", "hour", "19_hours"], id="a number and a function word are two"),
        pytest.param("見表2", ["見", "表", "見表", "2", "表_2"], id="zh: a number is one with the character before it"),
        pytest.param("Table 2. 3 cases", ["table", "2", "table_2", "3", "case", "3_cases"], id="no pair over a full stop"),
        pytest.param("FHB(FE)012", ["fhb", "fe", "012", "fhbfe012"], id="code with brackets"),
        pytest.param("4.2.1", ["4", "2", "1", "4_2_1"], id="section number"),
        pytest.param("1.000 mg", ["1", "000", "1000", "mg"], id="thousands"),
        pytest.param("3,5ml", ["3", "5", "3_5", "ml"], id="decimal with unit"),
        pytest.param("500mg", ["500mg", "500", "mg"], id="unit without space"),
        pytest.param("ＡＢＣ１２", ["abc12"], id="full width"),
        pytest.param("Arz\u00adnei", ["arznei"], id="soft hyphen"),
        pytest.param("b" * 64 + "\u0301", ["b" * 64], id="a cut before an accent"),
        pytest.param("हिन्दी", ["हिन्दी"], id="hi: vowel signs stay in the word"),
        pytest.param("ไทย", ["ไ", "ท", "ย", "ไท", "ทย"], id="th: as Han"),
        pytest.param(" \n—!", [], id="nothing"),
    ],
)
def test_terms_of(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("liều của trẻ", ["liêù", "lieu_cua", "trẻ", "cua_tre"], id="vi: bare forms only in pairs"),
        pytest.param("má", ["ma", "má"], id="vi: a lone syllable keeps its bare form"),
        pytest.param("lieu cua tre", ["lieu", "lieu_cua", "tre", "cua_tre"], id="vi: without accents"),
        pytest.param("What is the dose?", ["dose"], id="en: function words dropped"),
        pytest.param("what is this", ["what", "is", "thi"], id="en: nothing but function words"),
        pytest.param("vitamin A", ["vitamin", "a", "vitamin_a"], id="a letter that is a name stays"),
        pytest.param("藥物的量", ["藥", "物", "量", "藥物", "物的", "的量"], id="zh: function characters in pairs only"),
        pytest.param("的", ["的"], id="zh: a lone character"),
        pytest.param("ไทย", ["ไท", "ทย"], id="th: letters are not asked alone"),
        pytest.param("musée", ["musee", "musée"], id="fr: both forms"),
    ],
)
def test_query_terms_of(question: str, expected: list[str]) -> None:
    assert query_terms(question) == expected


def test_an_accented_question_prefers_the_exact_syllable() -> None:
    asked = set(query_terms("mã số"))
    assert len(asked & set(terms("mã số"))) > len(asked & set(terms("má số"))) > 0


@pytest.mark.parametrize("unit", ["a", "a-", "1,", "1.", "1", "ab\u0301", "x(", "\n", "\n ", "a1 "])
def test_odd_text_takes_linear_time(unit: str) -> None:
    """About 0.1 s each; a pattern that goes back over its tracks took 35 s for one of them."""
    started = time.process_time()
    terms(unit * 100_000)
    assert time.process_time() - started < 5


def test_the_mark_of_a_note_does_not_lengthen_the_word_before_it():
    assert "dose" in terms("the dose\u00b9 is")
    assert "500" in terms("500\u00b2 mg")
    assert "m2" in terms("g/m\u00b2")
