"""The text export of WhatsApp: a line begins a message with its date, time and sender, other lines go on with it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from pecia.model import Alignment, Block, BlockKind, Document, Dropped, Furniture, LineRange, Source, Span, visible
from pecia.model.alignment import Run
from pecia.parsing.decode import Decoded
from pecia.text.normalise import normalise
from pecia.text.paragraphs import paragraphs

# "[12/03/2024, 14:05:11] Anna: …" (iOS) and "12/03/2024, 14:05 - Anna: …" (Android), day, month and year in any order. A line
# without a sender is of the program ("Anna added Ben"), and so is a text that begins with a mark of direction. Dates of logs have
# hyphens and begin with the year.
_HEAD = re.compile(
    r"^[\u200e\u200f\ufeff]?(?P<open>\[)?(?P<time>(?:\d{1,2}[./-]\d{1,2}[./-]\d{2}(?:\d\d)?|\d{4}/\d{1,2}/\d{1,2}),?[ ]"
    r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:[ \u00a0\u202f][AaPp]\.?[ ]?[Mm]\.?)?)(?(open)\]|[ ]-)[ ]"
    r"[\u200e\u200f]?(?:(?P<sender>[^:\n]{1,60}):[ ]?)?(?P<text>[^\r\n]*)",
    re.MULTILINE,
)
_LINE_END = re.compile(r"\r\n?|\n")
# Looked at to know an export; two messages are enough, since the first line must be one.
_HEAD_LINES, _LEAST = 4_000, 2


@dataclass(frozen=True, slots=True)
class _Message:
    sender: str
    time: str
    start: int
    end: int  # of its text, in the characters of the file


def is_whatsapp(text: str) -> bool:
    """True where the first line begins a message, and the text begins two or more that have a sender."""
    begin = text[:_HEAD_LINES]
    if not _HEAD.match(begin):
        return False
    return sum(match["sender"] is not None for match in _HEAD.finditer(begin)) >= _LEAST


def parse_whatsapp(decoded: Decoded, source: Source) -> Document:
    """One document, the text of the messages with an empty line between two."""
    raw, size = decoded.text, visible(decoded.text)
    starts = array("Q", [0, *(match.end() for match in _LINE_END.finditer(raw))])
    texts, runs, blocks, furniture = list[str](), list[Run](), list[Block](), list[Furniture]()
    length = system = told = said = 0
    for number, message in enumerate(_messages(raw)):
        text, alignment = normalise(raw[message.start : message.end])
        if not message.sender or text.startswith("\u200e"):
            system += visible(text)
            continue
        if not text.strip():
            continue
        if texts:
            texts.append("\n\n")
            length += 2
        runs += ((length + start, length + end, message.start + low, message.start + high)
                 for start, end, low, high in alignment.runs())  # fmt: skip
        lines = LineRange(bisect_right(starts, message.start), bisect_right(starts, message.end - 1))
        for part in paragraphs(text):
            span = Span(length + part.start, length + part.end)
            blocks.append(Block(f"b{len(blocks)}", BlockKind.MESSAGE, span, places=(lines,)))
        for kind, what in (("message", str(number)), ("sender", message.sender), ("message_time", message.time)):
            counted = visible(what) if kind != "message" else 0
            told += counted
            furniture.append(Furniture(f"f{len(furniture)}", kind, what, (lines,), counted))
        texts.append(text)
        length += len(text)
        said += visible(raw[message.start : message.end])
    rest = size - said - told - system
    dropped = [Dropped(reason, lost) for reason, lost in (("marks of the format", rest), ("system messages", system)) if lost]
    return Document(
        source.sha256,
        source,
        "".join(texts),
        blocks=tuple(blocks),
        furniture=tuple(furniture),
        alignment=Alignment.of(runs),
        source_size=size,
        dropped=tuple(dropped),
        findings=decoded.findings,
        line_starts=starts,
    )


def _messages(text: str) -> Iterator[_Message]:
    heads = list(_HEAD.finditer(text))
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        end = after.start() if after else len(text)
        start = head.start("text")
        yield _Message((head["sender"] or "").strip(), head["time"], start, start + len(text[start:end].rstrip()))
