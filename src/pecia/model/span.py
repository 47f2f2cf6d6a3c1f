"""Spans over a document's text and over its source; the type says which of the two a range is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pecia.errors import SpanError


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range [start, end) of code points in `Document.text`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise SpanError(f"span {self.start}..{self.end} runs backwards or starts below zero")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The characters that the span covers; SpanError where it leaves the text."""
        if self.end > len(text):
            raise SpanError(f"span {self.start}..{self.end} leaves a text of {len(text)} characters")
        return text[self.start : self.end]

    def overlaps(self, other: Self) -> bool:
        """True when the two share at least one character."""
        return max(self.start, other.start) < min(self.end, other.end)

    def contains(self, other: Self) -> bool:
        return self.start <= other.start and self.end >= other.end

    def intersect(self, other: Self) -> Self | None:
        """What the two share, or None where they share no character."""
        if not self.overlaps(other):
            return None
        return type(self)(max(self.start, other.start), min(self.end, other.end))

    def trimmed(self, text: str) -> Self:
        """The span without white space at its ends; empty, at its start, where there is nothing else."""
        start, end = self.start, self.end
        if start < end <= len(text) and not (text[start].isspace() or text[end - 1].isspace()):
            return self
        piece = self.of(text)
        kept = piece.lstrip()
        start = self.end - len(kept) if kept else self.start
        return type(self)(start, start + len(kept.rstrip()))


class SourceSpan(Span):
    """Half-open range in the source: characters of the decoded file, or glyphs of a PDF counted over all pages."""

    __slots__ = ()
