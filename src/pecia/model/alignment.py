"""The way back from document text to the source."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from pecia.errors import InvariantError
from pecia.model.span import SourceSpan, Span

Run = tuple[int, int, int, int]  # document start, document end, source start, source end


@dataclass(frozen=True, slots=True)
class Alignment:
    """Runs in document order; what lies between two runs was added by the parser (a joining space, table pipes).

    A run whose two sides are equally long maps character for character, any other run maps as a whole (composed
    accents, `\\r\\n`). Four packed columns, 32 bytes a run: a 2,000-page PDF has about 10^5 runs.
    """

    starts: array[int] = field(default_factory=lambda: array("Q"))
    ends: array[int] = field(default_factory=lambda: array("Q"))
    source_starts: array[int] = field(default_factory=lambda: array("Q"))
    source_ends: array[int] = field(default_factory=lambda: array("Q"))

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Self:
        """Runs in rising document order; neighbours that continue each other character for character are joined."""
        made = cls()
        for start, end, source_start, source_end in runs:
            if (made.ends and start < made.ends[-1]) or end < start or source_end < source_start:
                raise InvariantError(f"alignment run {start}..{end} does not follow the one before it")
            if made._continues(start, end, source_start, source_end):
                made.ends[-1], made.source_ends[-1] = end, source_end
            else:
                for column, value in zip(
                    (made.starts, made.ends, made.source_starts, made.source_ends),
                    (start, end, source_start, source_end),
                    strict=True,
                ):
                    column.append(value)
        return made

    @classmethod
    def identity(cls, length: int) -> Self:
        return cls.of([(0, length, 0, length)] if length else [])

    def _continues(self, start: int, end: int, source_start: int, source_end: int) -> bool:
        return (
            bool(self.ends)
            and self.ends[-1] == start
            and self.source_ends[-1] == source_start
            and end - start == source_end - source_start
            and self.ends[-1] - self.starts[-1] == self.source_ends[-1] - self.source_starts[-1]
        )

    def to_source(self, span: Span) -> tuple[SourceSpan, ...]:
        """The source ranges that a span of the document came from, in document order; empty for added characters."""
        found = []
        index = max(0, bisect_right(self.starts, span.start) - 1)
        while index < len(self.starts) and self.starts[index] < span.end:
            start, end = max(span.start, self.starts[index]), min(span.end, self.ends[index])
            if start < end:
                found.append(self._source(index, start, end))
            index += 1
        return tuple(found)

    def _source(self, index: int, start: int, end: int) -> SourceSpan:
        low, high = self.source_starts[index], self.source_ends[index]
        if self.ends[index] - self.starts[index] != high - low:
            return SourceSpan(low, high)
        return SourceSpan(low + start - self.starts[index], low + end - self.starts[index])

    def to_document(self, span: SourceSpan) -> tuple[Span, ...]:
        """The spans of the document that hold these source characters. Linear in the number of runs: a PDF's
        glyph order is not its reading order, so the source side is not sorted."""
        found = []
        for index, (low, high) in enumerate(zip(self.source_starts, self.source_ends, strict=True)):
            start, end = max(low, span.start), min(high, span.end)
            if start < end:
                first, last = self.starts[index], self.ends[index]
                if last - first == high - low:
                    first, last = first + start - low, first + end - low
                found.append(Span(first, last))
        return tuple(found)

    def runs(self) -> Iterable[Run]:
        return zip(self.starts, self.ends, self.source_starts, self.source_ends, strict=True)
