"""A conversation to segments: one for each message; short ones are left out, or joined to their neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pecia.model import Block, Document, LeftOut, Segment, Span
from pecia.parsing.chat.said import is_pointer, pointer_of, said_of
from pecia.segmenting.tiling import tiled

# Below this many characters a message says nothing by itself ("Thanks.", "Can you say more?").
SHORT = 100


@dataclass(frozen=True, slots=True)
class Message:
    """A message with its place and what the export says of it."""

    pointer: str
    index: int
    span: Span
    sender: str | None = None
    uuid: str | None = None
    created_at: str | None = None

    def attributes(self) -> dict[str, Any]:
        return {
            "message_index": self.index,
            "message_uuid": self.uuid,
            "sender": self.sender,
            "created_at": self.created_at,
            "json_pointer": self.pointer if is_pointer(self.pointer) else None,
        }


def told(document: Document) -> dict[str, str]:
    """What the export says of the whole conversation: `conversation_id`, `title`, `created_at`."""
    return {item.kind: item.text for item in document.furniture if item.kind in {"conversation_id", "title", "created_at"}}


def messages(document: Document) -> Iterator[Message]:
    """The messages in the order of the text; none in a document that is no conversation."""
    said = said_of(document)
    for pointer, blocks in groupby(document.blocks, key=lambda block: pointer_of(block.places)):
        held: list[Block] = list(blocks)
        if pointer in said:
            of = said[pointer]
            span = Span(held[0].span.start, held[-1].span.end)
            yield Message(pointer, int(of["message"]), span, of.get("sender"), of.get("message_uuid"), of.get("message_time"))


def segments(document: Document, *, join_short: bool) -> Iterator[Segment]:
    """A segment for each message, or for each run of messages that are joined; the text itself where it holds none."""
    if made := list(_segments(document, join_short=join_short)):
        yield from tiled(made, len(document.text))


def _segments(document: Document, *, join_short: bool) -> Iterator[Segment]:
    found = list(messages(document))
    title = told(document).get("title", "")
    if not found:
        if document.text.strip():
            yield Segment("document", "document", document.source.name, Span(0, len(document.text)))
        return
    if not join_short:
        for message in found:
            short = LeftOut.SHORT_MESSAGE if len(message.span) < SHORT else None
            yield _segment([message], message, title, short)
        return
    run: list[Message] = []
    for message in found:
        run.append(message)
        if len(message.span) >= SHORT:
            yield _segment(run, message, title, None)
            run = []
    if run:  # short turns at the end are a segment of their own
        yield _segment(run, run[-1], title, None)


def _segment(run: Sequence[Message], main: Message, title: str, reason: LeftOut | None) -> Segment:
    """The message, or several that are joined; of those the long one, which stands last, says what the segment is."""
    name = f"m{main.index}" if len(run) == 1 else f"m{run[0].index}-{main.index}"
    span = Span(run[0].span.start, run[-1].span.end)
    headings = (title,) if title else ()
    said = main.sender or f"message {main.index}"
    return Segment(name, "message", said, span, headings, attributes=main.attributes(), left_out_reason=reason)
