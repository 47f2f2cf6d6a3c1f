"""Conversations: a message is a chunk, a long one is cut at its paragraphs, a short one left out or joined."""

import json
from pathlib import Path
from typing import Any

import pytest

from pecia import pipeline, plugins
from pecia.errors import OptionError
from pecia.model import Document, Source
from pecia.parsing.json.reader import parse_json
from pecia.protocols import ParseOptions

PARAGRAPH = "Paragraph {} tells how the papers of the house were kept, moved and read again. "
LONG = "\n\n".join(PARAGRAPH.format(number) * 5 for number in range(14))
QUESTION = "Which house keeps the papers of the old harbour, and may anyone read them there without a letter, or a card?"
TALK: dict[str, Any] = {
    "uuid": "c1",
    "name": "Old papers",
    "chat_messages": [
        {"uuid": "m0", "sender": "human", "text": "Thanks."},
        {"uuid": "m1", "sender": "human", "text": QUESTION},
        {"uuid": "m2", "sender": "assistant", "text": LONG, "created_at": "2024-05-01T10:00:00Z"},
        {"uuid": "m3", "sender": "human", "text": "Good."},
    ],
}  # fmt: skip


def document(talk: Any = TALK) -> Document:
    data = json.dumps([talk]).encode()
    source = Source("file:///chat.json", "chat.json", "application/json", "0" * 64)
    return next(iter(parse_json(data, source, ParseOptions())))


def cut(talk: Any = TALK, **options: Any) -> pipeline.Cutting:
    cutting = pipeline.cut(document(talk), "conversation", **options)
    assert not list(cutting.findings())
    return cutting


def test_messages_are_chunks_and_short_ones_are_left_out() -> None:
    cutting = cut()
    names = ("message_index", "message_uuid", "sender", "json_pointer", "conversation_id", "data_tier")
    found = {tuple(chunk.attributes[name] for name in names) for chunk in cutting.chunks}
    assert found == {
        (1, "m1", "human", "/0/chat_messages/1", "c1", "TIER_4_INFERRED"),
        (2, "m2", "assistant", "/0/chat_messages/2", "c1", "TIER_4_INFERRED"),
    }
    assert [item.left_out_reason for item in cutting.left_out] == ["short_message"] * 2
    assert {chunk.chunk_kind for chunk in cutting.chunks} == {"message"}
    assert {chunk.attributes["language"] for chunk in cutting.chunks} == {"en"}


def test_a_long_message_is_cut_at_paragraphs_and_shows_title_and_sender() -> None:
    cutting = cut(overlap_tokens=0)
    parts = [chunk for chunk in cutting.chunks if chunk.attributes["message_index"] == 2]
    assert len(parts) > 1
    assert all(chunk.text.startswith("Old papers\nassistant\nParagraph") for chunk in parts)
    assert all(chunk.source_text.rstrip().endswith("again.") for chunk in parts)
    assert parts[0].attributes["created_at"] == "2024-05-01T10:00:00Z"


def test_a_message_that_just_fits_is_not_cut_for_its_title() -> None:
    talk = {**TALK, "name": "A title of many words " * 8, "chat_messages": [TALK["chat_messages"][1]]}
    (chunk,) = cut(talk, max_tokens=40).chunks
    assert chunk.context_labels == ()
    assert chunk.headings == (("A title of many words " * 8).strip(),)


def test_short_turns_can_be_joined_to_the_long_one_that_follows() -> None:
    cutting = cut(join_short=True)
    assert not cutting.left_out
    first = cutting.chunks[0]
    assert first.source_text.startswith("Thanks.\n\nWhich house")
    assert first.attributes["message_uuid"] == "m1"
    assert cutting.chunks[-1].source_text == "Good."
    with pytest.raises(OptionError, match="join_short"):
        plugins.strategy("conversation", join_short="yes")


def test_entities_are_known_over_the_whole_conversation(tmp_path: Path) -> None:
    (tmp_path / "known.csv").write_text("name,type\nHarbour Archive Leeds,A\n")
    said = "and nobody has asked for more than that in all the years since the fire of 1899 in the old street."
    talk = {
        "uuid": "c",
        "chat_messages": [
            {"sender": "human", "text": "Harbour Archive Leeds"},
            {"sender": "assistant", "text": f"The archive has 40 maps, {said}"},
        ],
    }
    (chunk,) = cut(talk, entities=[tmp_path / "known.csv"]).chunks
    assert chunk.attributes["mentioned_entities"] == ["Harbour Archive Leeds"]
    assert chunk.attributes["entity_types"] == ["A"]
    (mention,) = chunk.attributes["mentions"]
    assert document(talk).text[mention["start"] : mention["end"]] == "The archive"


def test_conversations_are_detected() -> None:
    assert plugins.choose(document())[0] == "conversation"
