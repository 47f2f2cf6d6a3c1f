"""The shapes in which exports hold conversations, each read into the same turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pecia.parsing.json_stream import LINES

# Keys that hold the messages of a conversation.
_HOLDERS = (
    "chat_messages",
    "mapping",
    "messages",
    "responses",
    "history",
    "conversations",
    "contents",
    "chunkedPrompt.chunks",
    "data",
)
# Where the conversations of a file stand: in an array, alone, in an object of several.
_PLACES = ("item", "", "conversations.item")
_TEXTUAL = {"text", "input_text", "output_text"}
# Kinds of content of ChatGPT that are not said to anyone.
_NO_MESSAGES = {"thoughts", "reasoning_recap", "code", "execution_output", "user_editable_context", "model_editable_context",
                "tether_browsing_display", "tether_quote", "system_error"}  # fmt: skip
_TIMES = {"created_at", "create_time", "createdAt", "createTime", "timestamp", "date", "time"}
_MILLISECONDS = 1e11  # in seconds this is the year 5138
WHOLE = "-"  # the whole file is one list of messages
# Keys that a message has, by who wrote the export. Those that other lists have too need a time beside them.
_SENDERS, _TEXTS = ("sender", "role", "author"), ("content", "text", "message", "parts")
_MESSAGES = (
    *((sender, text) for sender in _SENDERS for text in _TEXTS),
    ("from", "value"),
    *(("from", "text", time) for time in ("date", "ts", "timestamp", "created_at")),
    *(("user", "text", time) for time in ("ts", "timestamp")),
    *(("username", "text", time) for time in ("ts", "timestamp")),
)
_ACTIVITY = ("header", "title", "time", "products", "safeHtmlItem")  # of Google Takeout: a question with its answer
# Who says what no one reads, and kinds of Slack messages that its program writes.
_NOT_SAID = {"tool": "tools", "function": "tools", "tool_result": "tools", "function_response": "tools"}
_BY_PROGRAM = ("channel_", "group_", "bot_add", "bot_remove", "pinned_item", "unpinned_item", "reminder_add")


@dataclass(slots=True)
class Said:
    """A value with the JSON pointer to it. A time that was counted in seconds is written out, and no `string` of the file; what
    `follows` goes on in the paragraph of the part before it. `markup` is HTML."""

    text: str
    pointer: str
    string: bool = True
    follows: bool = False
    markup: bool = False


@dataclass(slots=True)
class Turn:
    """A message: its number in the conversation, its place, and what it says, in parts."""

    index: int
    pointer: str
    sender: Said | None
    uuid: Said | None
    created_at: Said | None
    parts: list[Said]


@dataclass(slots=True)
class Conversation:
    id: Said | None
    title: Said | None
    created_at: Said | None
    turns: list[Turn]
    # Pointers to what holds no text of the conversation, with what it is.
    apart: dict[str, str] = field(default_factory=dict)


def is_chat(shape: frozenset[str]) -> bool:
    """True for the paths of a chat export."""
    return conversations_at(shape) is not None


def conversations_at(shape: frozenset[str]) -> str | None:
    """The path of the conversations of a file, as ijson writes it; WHOLE, or None where it holds none."""
    for place in _PLACES:
        prefix = f"{place}." if place else ""
        for holder in _HOLDERS:
            inner = f"{prefix}{holder}"
            if inner not in shape:
                continue
            if holder == "mapping" and (f"{prefix}current_node" in shape or any(".message" in path for path in shape)):
                return place
            if holder == "data" and f"{inner}.item.role" not in shape:  # lists of other things have authors and texts too
                continue
            if holder == "chat_messages" or _are_messages(shape, f"{inner}.item."):
                return place
    if all(f"item.{key}" in shape for key in _ACTIVITY):
        return "item"
    if _are_messages(shape, "item.") or (LINES in shape and _are_messages(shape, "")):
        return WHOLE
    return None


def _are_messages(shape: frozenset[str], prefix: str) -> bool:
    return f"{prefix}response" in shape or any(all(f"{prefix}{key}" in shape for key in keys) for keys in _MESSAGES)


def conversation_of(value: Any, pointer: str) -> Conversation | None:
    """The conversation that a value is; None for what is none."""
    if isinstance(value, list):
        made = Conversation(None, None, None, [])
        made.turns = list(_messages(value, pointer, made.apart))
        return made
    if not isinstance(value, Mapping):
        return None
    if "header" in value and "title" in value and "products" in value:
        return _activity(value, pointer)
    told = value.get("conversation") if isinstance(value.get("conversation"), Mapping) else value
    above = f"{pointer}/conversation" if told is not value else pointer
    made = Conversation(
        _said(told, above, "uuid", "conversation_id", "id", "conversationId"),
        _said(told, above, "name", "title"),
        _said(told, above, "created_at", "create_time", "createTime"),
        [],
    )
    if isinstance(value.get("mapping"), Mapping):
        made.turns = list(_branch(value, pointer, made.apart))
        return made
    for holder in _HOLDERS:
        held: Any = value
        for key in holder.split("."):
            held = held.get(key) if isinstance(held, Mapping) else None
        if isinstance(held, list):
            made.turns = list(_messages(held, f"{pointer}/{holder.replace('.', '/')}", made.apart))
            return made
    return None


def escape(key: str) -> str:
    """A key as a part of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def _said(value: Any, pointer: str, *names: str) -> Said | None:
    """The first of these values that is there; a time in seconds, or in thousandths of them, as ISO 8601."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found.strip() and name != "ts":
            return Said(found, f"{pointer}/{name}")
        if isinstance(found, int) and not isinstance(found, bool) and name.endswith("id"):
            return Said(str(found), f"{pointer}/{name}", string=False)
        if name == "ts" or (isinstance(found, (int, float)) and not isinstance(found, bool) and name in _TIMES):
            try:
                seconds = float(found)
                seconds = seconds / 1000 if seconds > _MILLISECONDS else seconds
                time = datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
                return Said(time, f"{pointer}/{name}", string=False)
            except (TypeError, ValueError, OverflowError, OSError):
                continue
    return None


def _messages(messages: list[Any], pointer: str, apart: dict[str, str]) -> Iterator[Turn]:
    """The messages in their order; what a tool or a program wrote is apart."""
    for index, item in enumerate(messages):
        place, message = f"{pointer}/{index}", item
        if isinstance(item, Mapping) and isinstance(item.get("response"), Mapping):
            place, message = f"{place}/response", item["response"]
        if not isinstance(message, Mapping):
            continue
        turn = _turn(index, message, place)
        reason = _NOT_SAID.get(turn.sender.text.lower()) if turn.sender else None
        if str(message.get("subtype", "")).startswith(_BY_PROGRAM):
            reason = "system messages"
        if message.get("isThought") is True:
            reason = "thinking"
        if reason:
            apart[place] = reason
        else:
            yield turn


def _activity(value: Mapping[str, Any], pointer: str) -> Conversation:
    """A question and its answer; an activity that is no question has no answer, and no messages."""
    time, answers = _said(value, pointer, "time"), value.get("safeHtmlItem")
    made = Conversation(None, None, time, [])
    if isinstance(value["title"], str) and isinstance(answers, list):
        written = Said(time.text, time.pointer, string=False) if time else None  # as it is counted once
        held = [(f"{pointer}/safeHtmlItem/{number}/html", item) for number, item in enumerate(answers)]
        parts = [Said(item["html"], place, markup=True) for place, item in held if isinstance(item, Mapping) and "html" in item]
        answer = f"{pointer}/safeHtmlItem"
        made.turns = [
            Turn(0, f"{pointer}/title", None, None, written, [Said(value["title"], f"{pointer}/title")]),
            Turn(
                1, answer, _said(value, pointer, "header"), None, written, [part for part in parts if isinstance(part.text, str)]
            ),
        ]
    return made


def _turn(index: int, message: Mapping[str, Any], pointer: str) -> Turn:
    known = ((key, message.get(key)) for key in ("author", "user_profile"))
    names = (_said(one, f"{pointer}/{key}", "role", "real_name", "name") for key, one in known if isinstance(one, Mapping))
    return Turn(
        index,
        pointer,
        next(filter(None, names), None) or _said(message, pointer, "sender", "role", "author", "from", "user", "username"),
        _said(message, pointer, "uuid", "id", "message_id", "client_msg_id"),
        _said(message, pointer, "created_at", "create_time", "createdAt", "timestamp", "date", "ts"),
        list(_parts(message, pointer)),
    )


def _parts(message: Mapping[str, Any], pointer: str) -> Iterator[Said]:
    """The parts of the content that are text; where there are none, the text itself."""
    found = list(_content(message.get("content"), f"{pointer}/content"))
    if not any(part.text.strip() for part in found):
        name = next((name for name in ("text", "message", "value", "parts") if isinstance(message.get(name), (str, list))), None)
        read = _content if name == "parts" else _runs
        found = list(read(message[name], f"{pointer}/{name}")) if name else []
    yield from found


def _runs(text: Any, pointer: str) -> Iterator[Said]:
    """A text, or the runs that one was parted into at links and names."""
    if isinstance(text, str):
        yield Said(text, pointer)
        return
    for number, part in enumerate(text):
        if isinstance(part, str):
            yield Said(part, f"{pointer}/{number}", follows=number > 0)
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield Said(part["text"], f"{pointer}/{number}/text", follows=number > 0)


def _content(content: Any, pointer: str) -> Iterator[Said]:
    if isinstance(content, str):
        yield Said(content, pointer)
    elif isinstance(content, list):
        for number, part in enumerate(content):
            if isinstance(part, str):
                yield Said(part, f"{pointer}/{number}")
            elif isinstance(part, Mapping) and part.get("type", "text") in _TEXTUAL and part.get("thought") is not True:
                text, place = part.get("text"), f"{pointer}/{number}/text"
                if isinstance(text, Mapping):  # of a thread of OpenAI
                    text, place = text.get("value"), f"{place}/value"
                if isinstance(text, str):
                    yield Said(text, place)
    elif isinstance(content, Mapping) and content.get("content_type") not in _NO_MESSAGES:
        parts = content.get("parts")
        if isinstance(parts, list):
            yield from _content(parts, f"{pointer}/parts")
        elif isinstance(content.get("text"), str):
            yield Said(content["text"], f"{pointer}/text")


def _branch(value: Mapping[str, Any], pointer: str, apart: dict[str, str]) -> Iterator[Turn]:
    """The messages from the root of the tree to the current node; those of other branches are apart."""
    mapping = value["mapping"]
    node, path, seen = value.get("current_node"), list[str](), set[str]()
    if node not in mapping:
        node = _last_leaf(mapping)
    while isinstance(node, str) and node in mapping and node not in seen:
        seen.add(node)
        path.append(node)
        node = mapping[node].get("parent") if isinstance(mapping[node], Mapping) else None
    apart |= {f"{pointer}/mapping/{escape(str(key))}": "other branches" for key in mapping if key not in seen}
    index = 0
    for key in reversed(path):
        message = mapping[key].get("message") if isinstance(mapping[key], Mapping) else None
        if not isinstance(message, Mapping):
            continue
        place = f"{pointer}/mapping/{escape(key)}/message"
        turn = _turn(index, message, place)
        metadata = message.get("metadata")
        hidden = isinstance(metadata, Mapping) and metadata.get("is_visually_hidden_from_conversation") is True
        to_tool = message.get("recipient", "all") not in {"all", None}
        if hidden or to_tool or (turn.sender and turn.sender.text in {"tool", "system"}):
            apart[place] = "hidden messages" if hidden else "tools"
        else:
            yield turn
            index += 1


def _last_leaf(mapping: Mapping[str, Any]) -> str | None:
    """The end of the branch that takes the last child each time, where no node is said to be the current one."""
    node = next((key for key, item in mapping.items() if isinstance(item, Mapping) and item.get("parent") not in mapping), None)
    seen: set[str] = set()
    while node is not None and node not in seen:
        seen.add(node)
        children = mapping[node].get("children") if isinstance(mapping[node], Mapping) else None
        known = [child for child in children if isinstance(child, str) and child in mapping] if isinstance(children, list) else []
        if not known:
            return node
        node = known[-1]
    return node
