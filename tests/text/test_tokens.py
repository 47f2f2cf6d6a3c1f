"""Counts of pieces are exact, whatever the cut."""

import gzip
import unicodedata
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia.errors import InvariantError, MissingExtraError, OptionError, UnknownNameError
from pecia.testing.documents import prose
from pecia.text import token_index, tokens
from pecia.text.tokens import Cl100k, tokenizer

TIKTOKEN = Cl100k(fast=False)
NAMES = ["cl100k_base", "estimate"]


def adversarial() -> st.SearchStrategy[str]:
    parts = st.sampled_from(
        [
            " ",
            "\n",
            "\r\n",
            "\n\n  ",
            "'s",
            "'stuff",
            "12345",
            "。",
            "。」",
            "，",
            "…",
            "é",
            "e\u0301",
            "a",
            "A1",
            "\u3000",
            "\x1c",
            "­",
        ]
    )
    return st.lists(st.one_of(parts, st.characters(codec="utf-8")), max_size=60).map("".join)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.one_of(prose(60), adversarial()), data=st.data())
def test_the_count_of_a_piece_is_the_count_of_its_text(name: str, text: str, data: st.DataObject) -> None:
    counter = tokenizer(name)
    index = counter.index(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    before = data.draw(st.sampled_from(["", "Label\n", "Nhãn:\n\n"]))
    assert index.count(start, end) == counter.count(text[start:end])
    assert index.count(start, end, before) == counter.count(before + text[start:end])


@given(text=st.one_of(prose(60), adversarial()))
def test_every_cut_that_is_called_additive_adds_up(text: str) -> None:
    index = TIKTOKEN.index(text)
    whole = TIKTOKEN.count(text)
    for offset in range(len(text) + 1):
        before = index._before(offset)  # type: ignore[attr-defined]
        if index._clean(offset, before):  # type: ignore[attr-defined]
            assert TIKTOKEN.count(text[:offset]) + TIKTOKEN.count(text[offset:]) == whole, (text[:offset], text[offset:])


@given(text=st.one_of(prose(60), adversarial()))
def test_gigatoken_and_tiktoken_count_the_same(text: str) -> None:
    try:
        fast = tokenizer("cl100k_base")
    except MissingExtraError:
        pytest.skip("gigatoken is not installed")
    assert fast.count(text) == TIKTOKEN.count(text)


@pytest.mark.parametrize("unit", ["a", "。", "你好", "dXI3Ag5F", "\n", " ", "é"])
def test_blocks_and_their_seams_change_no_count(unit: str) -> None:
    text = unit * (3 * token_index.BLOCK // len(unit))
    index = TIKTOKEN.index(text)
    for start, end in (
        (0, 500),
        (token_index.BLOCK - 100, token_index.BLOCK + 100),
        (2 * token_index.BLOCK - 7, 2 * token_index.BLOCK + 90),
    ):
        assert index.count(start, end) == TIKTOKEN.count(text[start:end])


@pytest.mark.parametrize("name", NAMES)
@given(text=prose(60), data=st.data())
def test_furthest_and_nearest_stay_in_the_piece_and_near_the_budget(name: str, text: str, data: st.DataObject) -> None:
    index = tokenizer(name).index(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    budget = data.draw(st.integers(0, 80))
    assert start <= index.furthest(start, end, budget) <= end
    assert start <= index.nearest(start, end, budget) <= end
    if index.count(start, end) <= budget - 8:
        assert index.furthest(start, end, budget) == end


def test_a_special_token_is_text() -> None:
    assert TIKTOKEN.count("<|endoftext|>") > 1


def test_known_counts() -> None:
    assert [TIKTOKEN.count(text) for text in ("", "lack of", " lack of", "hello world", "答覆編號")] == [0, 3, 2, 2, 8]


def test_a_damaged_vocabulary_is_refused(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = resources.files("pecia.text").joinpath("cl100k_base.tiktoken.gz").read_bytes()
    assert tokens.cl100k_vocabulary() == gzip.decompress(packed)
    monkeypatch.setattr(tokens, "CL100K_SHA256", "0" * 64)
    with pytest.raises(InvariantError, match="damaged"):
        tokens.cl100k_vocabulary()


def test_unknown_and_absent_tokenizers_are_named() -> None:
    with pytest.raises(UnknownNameError, match="cl100k_base, estimate"):
        tokenizer("cl50k")
    with pytest.raises((OptionError, MissingExtraError), match=r"nowhere\.json"):
        tokenizer("nowhere.json")


@pytest.mark.parametrize(
    "text",
    [
        "The committee met on Monday and agreed to the plan. " * 30,
        "本局會在三個月內檢討有關安排，並向委員會匯報。" * 30,
        unicodedata.normalize("NFC", "Người lớn: uống 500 mg, mỗi ngày hai lần. ") * 30,
    ],
)
def test_the_estimate_is_near(text: str) -> None:
    assert tokenizer("estimate").count(text) == pytest.approx(TIKTOKEN.count(text), rel=0.25)


def test_a_tokenizer_file_counts_every_piece_by_itself(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="?"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        ["Liều dùng cho người lớn. " * 9], tokenizers.trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet)
    )
    made.save(str(tmp_path / "made.json"))
    counter = tokenizer(str(tmp_path / "made.json"))
    text = "Liều dùng: 500 mg. Người lớn, 你好。"
    index = counter.index(text)
    assert counter.name == "made.json"
    for start in range(0, len(text), 3):
        assert index.count(start, len(text), "A\n") == counter.count("A\n" + text[start:])
        assert index.count(start, index.furthest(start, len(text), 4)) <= 6
        assert start <= index.nearest(start, len(text), 4) <= len(text)
