"""The sentences of a chunk that are shown for a query."""

import pytest

from pecia.citing.passage import best_passage


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        (
            "Adults: 10 mg. Children: 5 mg in the morning. Keep it dry.",
            "children mg",
            "Children: 5 mg in the morning.",
        ),
        ("Storage is cool.\n\nAdults: Take two tablets.\n\nThe end.", "tablets", "Adults: Take two tablets."),
        ("No term of it stands here.", "whale", "No term of it stands here."),
        ("Người lớn: uống 2 viên. Trẻ em: không dùng.", "tre em", "Trẻ em: không dùng."),
    ],
)
def test_a_passage_is_whole_sentences_with_their_labels(text: str, query: str, shown: str) -> None:
    assert best_passage(text, query, most=60).of(text) == shown


def test_a_long_text_is_shown_in_part() -> None:
    text = "Words that say nothing at all. " * 50 + "The whale came at noon. " + "More words that say nothing. " * 50
    assert "whale came" in best_passage(text, "When did the whale come?").of(text)
    assert len(best_passage(text, "whale")) <= 300
