"""What the document page shows at once: one page with the chunks on it, or a stretch of a source that has no pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

from pecia import plugins
from pecia.model import Box, Chunk, ChunkKind, PageBox, XPath, described
from pecia.server.marking import Part, header_in, parts, slots
from pecia.showing.colours import COLOURS
from pecia.showing.layout import regions_of
from pecia.storing.filters import UNFILTERABLE

STRETCH = 30  # chunks of a source without pages that stand on one sheet
LONGEST_VALUE = 160  # characters of an attribute's value that are shown
_TITLE = 90  # columns; a letter of Chinese, Japanese or Korean takes two


@dataclass(frozen=True, slots=True)
class Shown:
    """A chunk as the page shows it. `number` counts from 1 in the document; `regions` outline its lines on this page,
    `lines` are their boxes; `title` says what it is, as its strategy declares it; `labels` were added to it, apart from
    the header of a table that goes on, which stands over its rows in `body`; `slots` are the lines of a record."""

    chunk: Chunk
    number: int
    regions: tuple[Box, ...]
    lines: tuple[Box, ...]
    title: str
    labels: tuple[str, ...]
    slots: tuple[tuple[str, str], ...]
    body: tuple[Part, ...]
    attributes: tuple[tuple[str, str, str], ...]
    findings: tuple[Mapping[str, Any], ...]

    @property
    def colour(self) -> int:
        return (self.number - 1) % COLOURS

    @property
    def has_table(self) -> bool:
        return bool(self.chunk.attributes.get("has_table")) or any(item["kind"] == "table" for item in self.chunk.attachments)

    @property
    def has_formula(self) -> bool:
        return any(item["kind"] == "formula" for item in self.chunk.attachments)

    @property
    def place(self) -> str:
        """Lines, rows or paragraphs of a source without pages."""
        return place_of(self.chunk)


def shown(position: int, chunk: Chunk, findings: Sequence[Mapping[str, Any]], page: int | None = None) -> Shown:
    """A chunk for the list; with its boxes on `page`, counted from 0."""
    boxes = tuple(place.bbox for place in chunk.locators if isinstance(place, PageBox) and place.page == page)
    return Shown(
        chunk,
        position + 1,
        regions_of(boxes),
        boxes,
        title_of(chunk),
        tuple(label for label in chunk.context_labels if not header_in(label)),
        tuple(slots(chunk.text)) if chunk.chunk_kind is ChunkKind.RECORD else (),
        body_of(chunk),
        tuple(_attributes(chunk)),
        tuple(item for item in findings if item["chunk_id"] == chunk.chunk_id),
    )


def body_of(chunk: Chunk, text: str | None = None) -> tuple[Part, ...]:
    """The source text of a chunk, or a text that it begins, in paragraphs and tables."""
    headers = filter(None, map(header_in, chunk.context_labels))
    return tuple(parts(chunk.source_text if text is None else text, next(headers, ())))


def joined(chunks: Sequence[Chunk]) -> str:
    """The source text of the chunks of a segment, each character once where they overlap."""
    text, at = "", 0
    for chunk in chunks:
        text += chunk.source_text[max(0, at - chunk.span.start) :]
        at = max(at, chunk.span.end)
    return text


def title_of(chunk: Chunk) -> str:
    """The question of a pair with its number, else the innermost heading, else the first words."""
    question = chunk.attributes.get("question_text")
    if isinstance(question, str) and question.strip():
        number = chunk.attributes.get("question_id")
        return f"Q: {number} — {_short(question)}" if number else f"Q: {_short(question)}"
    if chunk.headings:
        return " › ".join(chunk.headings[-2:])
    return _short(chunk.source_text)


def place_of(chunk: Chunk) -> str:
    paths = [place.xpath for place in chunk.locators if isinstance(place, XPath)]
    return paths[0] if paths else described(chunk.locators)


def _short(text: str) -> str:
    line, room = " ".join(text.split()), _TITLE
    for at, letter in enumerate(line):
        room -= 2 if east_asian_width(letter) in "WF" else 1
        if room < 0:
            return f"{line[:at].rstrip()}…"
    return line


def _attributes(chunk: Chunk) -> list[tuple[str, str, str]]:
    """(name, value, meaning) of what the strategy declares and a line can show."""
    meanings = {item.name: item for item in plugins.attributes()}
    found = []
    for name, value in chunk.attributes.items():
        declared = meanings.get(name)
        if declared is None or name in UNFILTERABLE or declared.type == "object[]" or value in (None, "", [], False):
            continue
        shown = " › ".join(map(str, value)) if isinstance(value, list) else "✓" if value is True else str(value)
        if len(shown) <= LONGEST_VALUE:
            found.append((name, shown, declared.meaning))
    return found
