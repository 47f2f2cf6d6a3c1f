"""What questions about drugs are understood to ask for, and that it finds the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from pecia.library import Library
from pecia.model import Boost, Query
from pecia.ranking import rank
from pecia.strategies.monograph.asking import understand
from pecia.strategies.monograph.loading import load
from pecia.strategies.monograph.strategy import MonographStrategy
from pecia.strategies.monograph.vocabulary import slug
from tests.strategies.monograph.asked import DRUGS, QUESTIONS, Asked, book
from tests.strategies.monograph.books import cut, document


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    made = document(book())
    chunks, _, strategy = cut(made)
    with Library(tmp_path_factory.mktemp("asked") / "library", keep_originals=False) as library:
        library.add(made, chunks, strategy=strategy)
        yield library


def place(library: Library, asked: Asked) -> int | None:
    """The rank of the first hit that answers."""
    for hit in library.search(asked.question, k=10):
        found = hit.chunk.attributes
        right = (found.get("drug_id"), found.get("section_key")) == (slug(DRUGS[asked.drug][0]), asked.key)
        if right and asked.quote in hit.chunk.source_text:
            return hit.rank
    return None


def test_questions_in_many_words_find_their_section(held: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured: .93 at 1 and 1.0 at 5; without understanding .39 and .67."""
    places = [place(held, asked) for asked in QUESTIONS]
    assert sum(found == 1 for found in places) / len(places) >= 0.9
    assert sum(found is not None and found <= 5 for found in places) / len(places) >= 0.98
    monkeypatch.setattr(MonographStrategy, "understand", lambda self, query, held: understand(query, held, (), ()))
    assert sum(place(held, asked) == 1 for asked in QUESTIONS) / len(QUESTIONS) < 0.5


def understood(library: Library, question: str) -> tuple[set[str], set[str]]:
    """The section keys and drug names that are boosted."""
    wanted: dict[str, set[str]] = {}
    for boost in library.understand(question).boosts:
        for name, values in boost.where.items():
            wanted.setdefault(name, set()).update(values)
    return wanted.get("section_key", set()), wanted.get("drug_name", set())


@pytest.mark.parametrize(
    ("question", "sections", "drugs"),
    [
        ("trẻ em esotidin liều", {"lieu_luong_va_cach_dung"}, {"ESOTIDIN"}),
        ("ESOTIDIN: quá liều?", {"qua_lieu_va_xu_tri"}, {"ESOTIDIN"}),  # no dose, although the word stands there
        ("thai tru esotidin", {"duoc_ly_va_co_che_tac_dung"}, {"ESOTIDIN"}),  # excreted, without accents
        ("đào thải của esotidin khi có thai", {"duoc_ly_va_co_che_tac_dung", "thoi_ky_mang_thai"}, {"ESOTIDIN"}),
        ("Carvisonol", set(), {"CARVISONOL"}),
        ("carvisokol", set(), {"CARVISOLOL", "CARVISONOL"}),  # as near to both: both are shown
        ("carvis", set(), set()),  # begins two names
        ("dextamin clorid", set(), {"DEXTAMIN CLORID"}),
        ("vitamin k", set(), {"VITAMIN K VÀ CÁC CHẤT CÙNG LOẠI"}),
        ("Ketodol, Rifenol", set(), {"KETORIFEN"}),
        ("c07ag7", set(), set()),
        ("C07AG", set(), {"CARVISOLOL", "CARVISONOL"}),
        ("Thuốc kháng histamin", set(), set()),  # a word that chunks hold is not taken for a misspelt name
        ("esotidin với flumezol dùng chung", {"tuong_tac_thuoc"}, {"ESOTIDIN", "FLUMEZOL"}),
        ("thời tiết hôm nay", set(), set()),
    ],
)
def test_what_is_understood(held: Library, question: str, sections: set[str], drugs: set[str]) -> None:
    assert understood(held, question) == (sections, drugs)


def test_a_question_in_words_that_stand_in_no_chunk_is_answered(held: Library) -> None:
    (hit, *_) = held.search("bà bầu", where={"drug_id": "esotidin"})
    assert hit.chunk.attributes["section_key"] == "thoi_ky_mang_thai"


def test_a_boost_is_no_filter_and_filters_hold(held: Library) -> None:
    sections = {hit.chunk.attributes["section_key"] for hit in held.search("liều carvisolol", k=100)}
    assert len(sections) > 5
    wanted = {"section_key": "than_trong"}
    hits = held.search("liều carvisolol", where=wanted)
    assert hits
    assert {hit.chunk.attributes["section_key"] for hit in hits} == {"than_trong"}


def test_the_best_after_boosting_are_found_however_low_they_stand_without(held: Library) -> None:
    boosts = (Boost({"section_key": ["tuong_ky"]}, 3.0), Boost({"drug_name": ["SULFATRIN", "HEPALOSIN"]}, 2.0))
    text = "giảm hấp thu khi dùng với heparin"
    everything = list(held._store.search(Query(text, 10_000)))

    def factor(attributes: Mapping[str, object]) -> float:
        return (3 if attributes["section_key"] == "tuong_ky" else 1) * (
            2 if attributes["drug_name"] in ("SULFATRIN", "HEPALOSIN") else 1
        )

    best = sorted((-score * factor(chunk.attributes) for chunk, score, _ in everything))[:7]
    found = [-score for _, score, _ in held._store.search(Query(text, 7, boosts=boosts))]
    assert found == pytest.approx(best)


def test_chunks_at_hand_are_ranked_like_those_of_a_library(held: Library) -> None:
    made = document(book())
    chunks, _, _ = cut(made)
    for asked in QUESTIONS[::9]:
        ours = [(hit.chunk.chunk_id, round(hit.score, 6)) for hit in held.search(asked.question, k=5)]
        assert [(hit.chunk.chunk_id, round(hit.score, 6)) for hit in rank(chunks, made, asked.question, k=5)] == ours


@pytest.mark.parametrize(
    ("name", "question", "keys"),
    [
        ("smpc", "Can I take it while breastfeeding?", {"fertility_pregnancy_and_lactation"}),
        ("smpc", "what if someone took too many tablets", {"overdose"}),
        ("smpc", "How should it be stored, and how long after opening?", {"special_precautions_for_storage", "shelf_life"}),
        ("smpc", "is it safe to drive", {"effects_on_ability_to_drive_and_use_machines"}),
        ("smpc", "does it interact with grapefruit", {"interaction"}),
        ("spl", "pregnant women", {"pregnancy", "pregnancy_or_breast_feeding"}),  # prescription labels and others
        ("spl", "maximum daily dose", {"dosage_and_administration"}),
        ("spl", "half-life and protein binding", {"pharmacokinetics"}),
    ],
)
def test_sections_of_the_english_vocabularies(name: str, question: str, keys: set[str]) -> None:
    vocabulary = load(name)

    class Held:
        def values(self, name: str) -> list[str]:
            return []

        def beside(self, name: str, value: str, other: str) -> list[str]:
            return []

        def stands(self, term: str) -> bool:
            return True

    (boost,) = understand(question, Held(), [vocabulary], [entry.key for entry in vocabulary.entries]).boosts
    assert set(boost.where["section_key"]) == keys
