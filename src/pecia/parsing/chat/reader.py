"""A chat export to documents: the text of the messages, each with its pointer; who said it and when stand beside the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from pecia.model import (
    Alignment,
    Block,
    BlockKind,
    Document,
    Dropped,
    Finding,
    Furniture,
    Pointer,
    Severity,
    Source,
    Span,
    Table,
    visible,
)
from pecia.model.alignment import Run
from pecia.parsing.chat.markup import plain
from pecia.parsing.chat.shapes import WHOLE, Conversation, Said, Turn, conversation_of, conversations_at, escape
from pecia.parsing.json_stream import LINES, AsUtf8, Shape, values
from pecia.parsing.markdown import marked_up
from pecia.protocols import ParseOptions
from pecia.text.normalise import normalise
from pecia.text.paragraphs import paragraphs

# Code, severity and text of each finding; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "CHT101": (
        Severity.WARNING,
        """Every character of a message is one.

Why: NUL and halves of surrogate pairs, which JSON can hold, are no text; U+FFFD stands in for each.
Example: an emoji that an export cut in two.""",
    ),
}
_NO_CHARACTERS = re.compile("[\0\ud800-\udfff]")
# Only what may hold a fence, a table, a list, a heading or a quote is read as Markdown: the reader takes ten times as long.
_MARKED = re.compile(r"^[ \t]{0,3}(?:```|~~~|\||#{1,6} |> |[-*+] |\d{1,3}[.)] )|^[ \t|:-]+$|^    ", re.MULTILINE)
# By a part of its pointer, what a value is that is no message text.
_REASONS = (
    ("attachments", "attachments"),
    ("files", "attachments"),
    ("thinking", "thinking"),
    ("thoughts", "thinking"),
    ("tool", "tools"),
)


def parse_chat(
    file: BinaryIO | AsUtf8, source: Source, options: ParseOptions, shape: Shape, findings: tuple[Finding, ...] = ()
) -> Iterator[Document]:
    """One document for each conversation, in the order of the file and as it is read; memory holds one at a time. The first one
    has the `findings` of the file."""
    place = conversations_at(shape)
    by_line = LINES in shape
    held = values(file, "" if place in {WHOLE, ""} else str(place))
    if by_line and place == WHOLE:
        held, by_line = iter([list(held)]), False
    alone = place in {WHOLE, ""} and not by_line
    above = "/conversations" if place == "conversations.item" else ""
    for number, value in enumerate(held):
        pointer = "" if alone else f"{above}/{number}"
        if conversation := conversation_of(value, pointer):
            document = _document(conversation, value, pointer, source, member=not alone)
            yield replace(document, findings=(*findings, *document.findings)) if findings else document
            findings = ()


def _document(conversation: Conversation, value: Any, pointer: str, source: Source, *, member: bool) -> Document:
    made = _Made()
    for turn in conversation.turns:
        made.add(turn)
    used = {part.pointer for turn in conversation.turns for part in turn.parts}
    furniture = list(_furniture(conversation))
    used |= {place.pointer for item in furniture if item.size for place in item.locators if isinstance(place, Pointer)}
    total, dropped = 0, Counter[str]({"markup": made.tags})
    for place, text in _strings(value, pointer):
        size = visible(text)
        total += size
        if place not in used:
            dropped[_reason(place, conversation.apart)] += size
    findings: tuple[Finding, ...] = ()
    if made.replaced:
        said = f"{made.replaced} character{'s' * (made.replaced != 1)} that are none, the first in {made.first_replaced}"
        findings = (Finding("CHT101", Severity.WARNING, said),)
    return Document(
        f"{source.sha256}#{pointer}" if member else source.sha256,
        source,
        "".join(made.texts),
        blocks=tuple(made.blocks),
        furniture=tuple(furniture),
        tables=tuple(made.tables),
        alignment=Alignment.of(made.runs),
        source_size=total,
        dropped=tuple(Dropped(reason, size) for reason, size in sorted(dropped.items()) if size),
        findings=findings,
    )


def _normal(raw: str) -> tuple[str, Iterable[Run]]:
    text, alignment = normalise(raw)
    return text, alignment.runs()


class _Made:
    """The text of a conversation as it grows."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.blocks: list[Block] = []
        self.tables: list[Table] = []
        self.runs: list[Run] = []
        self.replaced, self.first_replaced = 0, ""
        self.tags = 0  # visible characters of HTML tags
        self._length = self._source = 0

    def add(self, turn: Turn) -> None:
        """Adds the parts of a message, with an empty line before each that begins one."""
        for part in turn.parts:
            if not part.text.strip():
                continue
            raw, number = _NO_CHARACTERS.subn("\ufffd", part.text)
            if number:
                self.replaced, self.first_replaced = self.replaced + number, self.first_replaced or part.pointer
            text, runs, tags = plain(raw) if part.markup else (*_normal(raw), 0)
            self.tags += tags
            if self.texts and not part.follows:
                self.texts.append("\n\n")
                self._length += 2
            for start, end, low, high in runs:
                self.runs.append((self._length + start, self._length + end, self._source + low, self._source + high))
            self._blocks(text, turn.pointer)
            self.texts.append(text)
            self._length += len(text)
            self._source += len(raw)

    def _blocks(self, text: str, pointer: str) -> None:
        places = (Pointer(pointer),)
        base = self._length
        if not _MARKED.search(text):
            for part in paragraphs(text):
                span = Span(base + part.start, base + part.end)
                self.blocks.append(Block(f"b{len(self.blocks)}", BlockKind.MESSAGE, span, places=places))
            return
        for kind, span, level, cells in marked_up(text):
            moved = Span(base + span.start, base + span.end)
            shown = BlockKind.MESSAGE if kind is BlockKind.PARAGRAPH else kind
            self.blocks.append(Block(f"b{len(self.blocks)}", shown, moved, level, places=places))
            if kind is BlockKind.TABLE:
                self.tables.append(Table(f"t{len(self.tables)}", cells, 1, "", moved, places))


def _furniture(conversation: Conversation) -> Iterator[Furniture]:
    """What the export says about the conversation and its messages; where a message stands is told by pointers."""
    told: list[tuple[str, Said | None]] = [
        ("conversation_id", conversation.id),
        ("title", conversation.title),
        ("created_at", conversation.created_at),
    ]
    for turn in conversation.turns:
        if any(part.text.strip() for part in turn.parts):
            told += (
                ("message", Said(str(turn.index), turn.pointer)),
                ("sender", turn.sender),
                ("message_uuid", turn.uuid),
                ("message_time", turn.created_at),
            )
    number = 0
    for kind, said in told:
        if said is not None:
            text = _NO_CHARACTERS.sub("\ufffd", " ".join(said.text.split()))
            size = visible(said.text) if said.string and kind != "message" else 0
            yield Furniture(f"f{number}", kind, text, (Pointer(said.pointer),), size)
            number += 1


def _strings(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Every string of a value with its pointer, in no particular order."""
    waiting = [(value, pointer)]
    while waiting:
        item, place = waiting.pop()
        if isinstance(item, str):
            yield place, item
        elif isinstance(item, Mapping):
            waiting += [(inner, f"{place}/{escape(key)}") for key, inner in item.items()]
        elif isinstance(item, list):
            waiting += [(inner, f"{place}/{number}") for number, inner in enumerate(item)]


def _reason(pointer: str, apart: Mapping[str, str]) -> str:
    """Why the string at a pointer is not in the text."""
    at = pointer.find("/", 1) if apart else -1
    while at >= 0:
        if reason := apart.get(pointer[:at]):
            return reason
        at = pointer.find("/", at + 1)
    return next((reason for word, reason in _REASONS if word in pointer), "other values")
