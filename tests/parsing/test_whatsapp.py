"""The text export of WhatsApp: messages with sender, time and lines; what the program wrote is left out with the reason."""

import pytest

from pecia import pipeline, plugins
from pecia.model import Document, LineRange, Source
from pecia.parsing.text import parse_text
from pecia.protocols import ParseOptions

LONG = "The letters of the old harbour are kept in the tower, and whoever wants to read them may ask for the key at the gate."
ANDROID = f"""12/03/2024, 14:04 - Messages are end-to-end encrypted.
12/03/2024, 14:05 - Anna: {LONG}
Second line: with a colon

After an empty line, cafe\u0301.
12/03/2024, 14:06 - Ben Smit: Thanks
12/03/2024, 14:07 - Anna added Cor
13/03/2024, 9:07 - Anna: {LONG}
"""
IOS = f"\u200e[12.03.24, 14:05:11] Anna: {LONG}\r\nmore\r\n[12.03.24, 2:06:12\u202fPM] Ben: \u200eimage omitted\r\n"


def read(text: str) -> Document:
    source = Source("file:///chat.txt", "chat.txt", "text/plain", "0" * 64)
    (document,) = parse_text(text.encode(), source, ParseOptions())
    assert document.ledger().missing == 0
    return document


def said(document: Document, kind: str) -> list[str]:
    return [item.text for item in document.furniture if item.kind == kind]


def test_messages_have_sender_time_and_lines() -> None:
    document = read(ANDROID)
    first = f"{LONG}\nSecond line: with a colon\n\nAfter an empty line, café."
    assert document.text == f"{first}\n\nThanks\n\n{LONG}"
    assert said(document, "sender") == ["Anna", "Ben Smit", "Anna"]
    assert said(document, "message_time") == ["12/03/2024, 14:05", "12/03/2024, 14:06", "13/03/2024, 9:07"]
    assert [block.places for block in document.blocks] == [(LineRange(*at),) for at in ((2, 5), (2, 5), (6, 6), (8, 8))]
    assert {item.reason for item in document.dropped} == {"system messages", "marks of the format"}
    cutting = pipeline.cut(document, plugins.choose(document)[0])
    assert not list(cutting.findings())
    one, two = cutting.chunks
    assert (one.strategy, one.source_text.strip(), one.attributes["sender"]) == ("conversation", first, "Anna")
    assert (two.attributes["created_at"], two.attributes["json_pointer"]) == ("13/03/2024, 9:07", None)
    assert [place.to_json() for place in two.locators] == [LineRange(8, 8).to_json()]
    assert [item.left_out_reason for item in cutting.left_out] == ["short_message"]


def test_the_export_of_a_telephone_with_brackets() -> None:
    document = read(IOS)
    assert document.text == f"{LONG}\nmore"
    assert said(document, "sender") == ["Anna"]
    assert {item.reason for item in document.dropped} == {"system messages", "marks of the format"}


@pytest.mark.parametrize(
    "text",
    [
        "[2024-03-12 14:05:11] INFO: started\n[2024-03-12 14:05:12] INFO: ready\n",
        "12/03/2024, 14:05 - Anna: one line alone\n",
        "Minutes\n12/03/2024, 14:05 - Anna: a\n12/03/2024, 14:06 - Ben: b\n",
    ],
)
def test_other_texts_with_dates_stay_texts(text: str) -> None:
    assert read(text).text == text
