"""Chat exports of every shape: one document a conversation, its text with pointers that resolve, an account that balances."""

import io
import json
from typing import Any

import pytest

from pecia.errors import BrokenError, DocumentError
from pecia.model import Document, Pointer, Source
from pecia.parsing.json.reader import parse_json
from pecia.protocols import ParseOptions
from pecia.testing.parsers import check_parser


def read(value: Any) -> list[Document]:
    """The documents of an export, of which the laws that hold for all have been checked."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    source = Source("file:///chat.json", "chat.json", "application/json", "0" * 64)
    documents = list(parse_json(data, source, ParseOptions()))
    assert [one.to_json() for one in parse_json(io.BytesIO(data), source, ParseOptions())] == [one.to_json() for one in documents]
    for document in documents:
        assert document.ledger().missing == 0
        for block in document.blocks:
            (place,) = block.places
            assert isinstance(place, Pointer)
            if not isinstance(value, bytes):
                held = json.dumps(resolved(value, place.pointer), ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"')
                assert block.span.of(document.text) in held
    return documents


def resolved(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def said(document: Document, kind: str) -> list[str]:
    return [item.text for item in document.furniture if item.kind == kind]


CLAUDE = [
    {
        "uuid": "c1",
        "name": "Old maps",
        "created_at": "2024-01-01T08:00:00Z",
        "chat_messages": [
            {
                "uuid": "m0",
                "text": "Where?",
                "content": [{"type": "text", "text": "Where?"}],
                "sender": "human",
                "created_at": "t0",
            },
            {
                "uuid": "m1",
                "text": "",
                "sender": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hmm"},
                    {"type": "text", "text": 'In the archive.\n\nOr "there".'},
                    {"type": "tool_use", "input": {"q": "x"}},
                ],
                "attachments": [{"extracted_content": "pasted"}],
            },
            {"uuid": "m2", "text": "", "content": [], "sender": "human"},
        ],
    },
    {"uuid": "c2", "name": "", "chat_messages": [{"uuid": "m3", "text": "Only text", "sender": "human"}]},
]


def test_the_export_of_claude() -> None:
    one, two = read(CLAUDE)
    assert (one.id, two.id) == ("0" * 64 + "#/0", "0" * 64 + "#/1")
    assert one.text == 'Where?\n\nIn the archive.\n\nOr "there".'
    assert [block.places[0].pointer for block in one.blocks if isinstance(block.places[0], Pointer)] == [
        "/0/chat_messages/0", "/0/chat_messages/1", "/0/chat_messages/1",
    ]  # fmt: skip
    assert (said(one, "sender"), said(one, "message"), said(one, "title")) == (["human", "assistant"], ["0", "1"], ["Old maps"])
    assert {item.reason for item in one.dropped} == {"attachments", "thinking", "other values"}
    assert (two.text, said(two, "title")) == ("Only text", [])


def node(name: str, parent: str | None, children: list[str], text: str = "", role: str = "user", **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text, {"content_type": "image_asset_pointer"}]}
    message = {"id": f"id-{name}", "author": {"role": role}, "create_time": 1700000000.5, "content": content, **more}
    return {"id": name, "parent": parent, "children": children, "message": message if text else None}


def test_the_export_of_chatgpt_follows_the_current_branch() -> None:
    mapping = {
        "root": node("root", None, ["a/b"]),
        "a/b": node("a/b", "root", ["old", "tool"], "Which one?"),
        "thought": {**node("thought", "tool", ["new"]), "message": {"content": {"content_type": "thoughts", "parts": ["hm"]}}},
        "old": node("old", "a/b", [], "Discarded.", "assistant"),
        "tool": node("tool", "a/b", ["thought"], "search(...)", "assistant", recipient="browser"),
        "new": node("new", "thought", [], "The second.", "assistant"),
    }
    (document,) = read([{"title": "T", "conversation_id": "x", "create_time": 1.5, "current_node": "new", "mapping": mapping}])
    assert document.text == "Which one?\n\nThe second."
    assert document.blocks[0].places == (Pointer("/0/mapping/a~1b/message"),)
    assert said(document, "message_time") == ["2023-11-14T22:13:20.500000Z"] * 2
    assert said(document, "message_uuid") == ["id-a/b", "id-new"]
    assert {item.reason for item in document.dropped} >= {"other branches", "tools"}
    (lost,) = read([{"title": "T", "mapping": mapping}])
    assert lost.text.endswith("The second."), "without a current node the last child is taken each time"
    mapping["root"]["parent"], mapping["new"]["children"] = "new", ["root"]
    assert read([{"title": "T", "current_node": "new", "mapping": mapping}])[0].text == document.text


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text", "text": "Yes"}]}], ["Hi\n\nYes"]),
        ({"messages": [{"role": "user", "content": "Hi"}]}, ["Hi"]),
        ([{"messages": [{"role": "user", "content": "Hi"}]}, {"messages": [{"role": "user", "content": "Ho"}]}], ["Hi", "Ho"]),
        ({"conversations": [{"conversation": {"title": "T"}, "responses": [{"sender": "human", "message": "Hi"}]}]}, ["Hi"]),
        ({"uuid": "c", "chat_messages": [{"sender": "human", "text": "Hi"}]}, ["Hi"]),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Ho"}]}]}, ["Hi\n\nHo"]),
        ({"data": [{"role": "user", "content": [{"type": "text", "text": {"value": "Hi", "annotations": []}}]}]}, ["Hi"]),
        ({"history": [{"role": "user", "content": "Hi"}]}, ["Hi"]),
        ([{"id": "a", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Ho"}]}], ["Hi\n\nHo"]),
        (
            {
                "messages": [
                    {"id": 1, "date": "2024-03-01T10:00:00", "from": "Anna", "text": ["See ", {"type": "link", "text": "a.nl"}]}
                ]
            },
            ["See a.nl"],
        ),
    ],
)
def test_other_shapes(value: Any, texts: list[str]) -> None:
    assert [document.text for document in read(value)] == texts


def test_the_export_of_slack_says_who_and_when() -> None:
    (document,) = read([
        {"type": "message", "user": "U1", "text": "Hi", "ts": "1512085950.5", "client_msg_id": "m1"},
        {"type": "message", "user": "U2", "user_profile": {"real_name": "Anna"}, "text": "Ho", "ts": "none"},
    ])  # fmt: skip
    assert document.text == "Hi\n\nHo"
    assert (said(document, "sender"), said(document, "message_uuid")) == (["U1", "Anna"], ["m1"])
    assert said(document, "message_time") == ["2017-11-30T23:52:30.500000Z"]


def test_what_a_tool_or_a_program_wrote_is_left_out_with_the_reason() -> None:
    (slack,) = read([
        {"user": "U1", "text": "<@U1> has joined the channel", "subtype": "channel_join", "ts": "1.0"},
        {"username": "bot", "text": "Done", "ts": "2.0"},
    ])  # fmt: skip
    assert (slack.text, said(slack, "sender"), {item.reason for item in slack.dropped}) == (
        "Done", ["bot"], {"system messages", "other values"},
    )  # fmt: skip
    (openai,) = read({
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image_url", "image_url": {"url": "u"}}]},
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "content": "42 rows"},
            None,
            {"role": "assistant", "content": "Ho", "metadata": {"a": "b"}},
        ]
    })  # fmt: skip
    assert openai.text == "Hi\n\nHo"
    assert [block.places[0] for block in openai.blocks] == [Pointer("/messages/0"), Pointer("/messages/4")]
    assert said(openai, "sender") == ["user", "assistant"]


def test_times_and_ids_that_are_numbers() -> None:
    seconds, thousandths = {"created_at": 1700000000, "id": 7}, {"timestamp": 1700000000000}
    (document,) = read([{"role": "user", "content": "Hi", **more} for more in (seconds, thousandths, {"created_at": True})])
    assert said(document, "message_time") == ["2023-11-14T22:13:20Z"] * 2
    assert said(document, "message_uuid") == ["7"]


def test_exports_of_gemini() -> None:
    activities = [
        {
            "header": "Gemini Apps",
            "title": "Prompted Where are the maps?",
            "time": "2024-03-01T10:00:00Z",
            "products": ["Gemini Apps"],
            "safeHtmlItem": [
                {"html": "<p>In the <b>archive</b> &amp; the <i>library</i>.</p>\n<ul><li>one</li><li>two</li></ul>"}
            ],
        },
        {"header": "Gemini Apps", "title": "Used a feature", "time": "2024-03-02T10:00:00Z", "products": ["Gemini Apps"]},
    ]
    data = json.dumps(activities).encode()
    one, other = read(data)
    assert one.text == "Prompted Where are the maps?\n\nIn the archive & the library.\n\none\n\ntwo"
    assert {block.places[0] for block in one.blocks} == {Pointer("/0/title"), Pointer("/0/safeHtmlItem")}
    assert (said(one, "sender"), said(one, "message_time")) == (["Gemini Apps"], ["2024-03-01T10:00:00Z"] * 2)
    assert {item.reason for item in one.dropped} == {"markup", "other values"}
    assert (other.text, other.id) == ("", "0" * 64 + "#/1")
    studio = {"chunkedPrompt": {"chunks": [{"text": "Hi", "role": "user"}, {"text": "Hm", "role": "model", "isThought": True}]}}
    assert [(one.text, {item.reason for item in one.dropped}) for one in read(studio)] == [("Hi", {"thinking"})]


def test_a_list_of_other_things_is_no_chat() -> None:
    for value in (
        [{"from": 1, "text": "a"}],
        [{"user": "x", "text": "a"}],
        {"role": "admin", "content": "x"},
        {"data": [{"author": "x", "text": "a"}]},
    ):
        data = json.dumps(value).encode()
        source = Source("file:///list.json", "list.json", "application/json", "0" * 64)
        assert [document.text for document in parse_json(data, source, ParseOptions())] == [data.decode()]


def test_json_lines_hold_a_conversation_or_a_message_each() -> None:
    lines = [{"messages": [{"role": "user", "content": "Hi"}]}, {"messages": [{"role": "user", "content": "Ho"}]}]
    one, two = read("\n".join(map(json.dumps, lines)).encode())
    assert (one.text, one.id, two.text, two.id) == ("Hi", "0" * 64 + "#/0", "Ho", "0" * 64 + "#/1")
    assert two.blocks[0].places == (Pointer("/1/messages/0"),)
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    (whole,) = read("\n".join(map(json.dumps, messages)).encode())
    assert (whole.text, whole.id) == ("Hi\n\nHo", "0" * 64)
    assert [block.places for block in whole.blocks] == [(Pointer("/0"),), (Pointer("/1"),)]


def test_markdown_in_messages_keeps_its_blocks() -> None:
    text = "Fees:\n\n| who | fee |\n| --- | --- |\n| all | 4 |\n\n```\na\n\nb\n```\n\n- one\n- two"
    (document,) = read([{"role": "assistant", "content": text}])
    assert [block.kind.value for block in document.blocks] == ["message", "table", "code", "list_item", "list_item"]
    assert document.tables[0].cells == (("who", "fee"), ("all", "4"))


def test_characters_that_are_none_and_composed_ones() -> None:
    (document,) = read(b'[{"role":"user","content":"a\\u0000b e\\u0301"}]')
    assert document.text == "a\ufffdb é"
    assert [finding.rule for finding in document.findings] == ["CHT101"]


def test_encodings_of_json() -> None:
    text = json.dumps([{"role": "user", "content": "musée"}], ensure_ascii=False)
    for data in (text.encode("utf-8-sig"), text.encode("utf-16")):
        assert [document.text for document in read(data)] == ["musée"]
    text = json.dumps(
        [{"messages": [{"role": "user", "content": word}]} for word in ("Un musée à Genève", "une fête")], ensure_ascii=False
    )
    one, two = read(text.encode("cp1252"))
    assert (one.text, two.text) == ("Un musée à Genève", "une fête")
    assert ([finding.rule for finding in one.findings], two.findings) == (["ENC101"], ())


def test_a_file_cut_short_gives_what_came_before_and_an_error() -> None:
    data = json.dumps(CLAUDE).encode()
    source = Source("file:///chat.json", "chat.json", "application/json", "0" * 64)
    documents = parse_json(data[: data.index(b"Only")], source, ParseOptions())
    assert next(documents).text.startswith("Where?")
    with pytest.raises(BrokenError):
        next(documents)


@pytest.mark.parametrize("data", [b"{", b"nonsense", b"[" * 100_000])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentError) as error:
        read(data)
    assert isinstance(error.value, BrokenError) or "nested" in str(error.value)


@pytest.mark.parametrize("data", [b"", b'{"a": 1}', b"[]", b'{"mapping": {"a": 1}}'])
def test_what_is_no_export_is_read_as_things(data: bytes) -> None:
    (document,) = read(data)
    assert document.text == data.decode()


def test_the_parser_keeps_its_promises_on_damaged_files() -> None:
    check_parser(parse_json, [json.dumps(CLAUDE).encode()], damaged=100)
