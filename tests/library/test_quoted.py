"""Words in quotation marks: chunks that hold them in their order count double."""

from pathlib import Path

import pytest

from pecia.library import Library
from pecia.pipeline import cut
from pecia.ranking import rank
from pecia.retrieving.quoted import quoted
from pecia.testing.stores import document_of

LINES = [
    "The team kept a record of the boat that left. The team that left kept a record of the boat.",
    "A record of the team was kept in the boat. The boat kept its record while the team left the boat.",
    "署方已就升降機的維修加強巡查。維修升降機的承辦商須於兩小時內到場。",
    "升降機的承辦商須加強維修，署方會就維修巡查升降機。",
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("team record “team that left kept” boat", 0),
        ("team record “the boat kept its record while” boat", 1),
        ('team record "a RECORD of\n the team was kept." boat', 1),
        ("「維修升降機的承辦商」維修", 2),
        ("『承辦商須加強維修，』升降機", 3),
    ],
)
def test_what_holds_the_quoted_words_in_their_order_is_first(tmp_path: Path, question: str, first: int) -> None:
    documents = [document_of([line], f"memory:{number}.txt") for number, line in enumerate(LINES)]
    cuttings = [cut(document, "token") for document in documents]
    with Library(tmp_path / "library", keep_originals=False) as library:
        for cutting in cuttings:
            library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
        hits = library.search(question)
        alone = rank([chunk for cutting in cuttings for chunk in cutting.chunks], documents, question)
    plain = {
        hit.chunk.chunk_id: hit.score
        for hit in rank([c for cutting in cuttings for c in cutting.chunks], documents, unmarked(question))
    }
    assert hits[0].chunk.document_id == documents[first].id
    assert hits[0].score == pytest.approx(2 * plain[hits[0].chunk.chunk_id])
    assert [(hit.chunk.chunk_id, round(hit.score, 9)) for hit in hits] == [
        (hit.chunk.chunk_id, round(hit.score, 9)) for hit in alone
    ]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def unmarked(question: str) -> str:
    return "".join(" " if sign in '“”"「」『』' else sign for sign in question)


@pytest.mark.parametrize("question", ["the team's boat isn't 5' long", '“” “ ” "" 「。」', "an open “ quote", ""])
def test_nothing_is_quoted(question: str) -> None:
    assert quoted(question) == ()
