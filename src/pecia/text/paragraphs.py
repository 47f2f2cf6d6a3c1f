"""Paragraphs of plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pecia.model import Span

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")


def paragraphs(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Lines with something on them, up to the next line that has nothing; without the white space behind."""
    for match in _PARAGRAPH.finditer(text, start, len(text) if end is None else end):
        yield Span(match.start(), match.start() + len(match[0].rstrip()))
