"""Answers: a hit and the citation that proves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pecia.errors import InvariantError, QueryError
from pecia.model.chunk import Chunk
from pecia.model.locators import LineRange, Locator, Paragraph, Pointer

MODES = ("auto", "bm25", "dense", "hybrid")


@dataclass(frozen=True, slots=True)
class Boost:
    """Chunks that fit `where` count `factor` times, which is 1 or more; the others stay, so that a wrong guess costs a rank
    and never an answer."""

    where: Mapping[str, Any]
    factor: float

    def __post_init__(self) -> None:
        if self.factor < 1:
            raise InvariantError(f"a boost of {self.factor} would push down what fits")


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked. `where` is a mapping of attributes to values, or filters as text. `mode`: by terms (`bm25`), by vectors
    (`dense`), by both (`hybrid`), or `auto`: hybrid where every chunk has its vectors, else bm25. What fits `boosts` counts
    more, all of them together. QueryError for a blank text, k below 1 or another mode."""

    text: str
    k: int = 10
    where: Mapping[str, Any] | Sequence[str] = ()
    mode: str = "auto"
    boosts: tuple[Boost, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise QueryError("the query is blank")
        if self.k < 1:
            raise QueryError(f"k is {self.k}; at least 1 hit must be asked for")
        if self.mode not in MODES:
            raise QueryError(f"mode is {self.mode!r}; it is one of {', '.join(MODES)}")


@dataclass(frozen=True, slots=True)
class Citation:
    """What a reader needs to find the quote: both page numbers, regions, the quote itself.

    `pages` are physical, counted from 0; `printed` are folios as printed; `uri` opens at the first page where the
    source has pages (`#page=`, counted from 1 as viewers do).
    """

    uri: str
    source_name: str
    headings: tuple[str, ...]
    pages: tuple[int, int] | None
    printed: tuple[int | str, int | str] | None
    regions: tuple[Locator, ...]
    quote: str
    quarantined: bool = False

    def place(self) -> str:
        """Pages, lines or paragraphs for a reader: `p. 142 (PDF page 171)`, `lines 3–9`, `paragraph 12`."""
        if self.pages is None:
            return described(self.regions)
        physical = _range(self.pages[0] + 1, self.pages[1] + 1)
        many = self.pages[0] != self.pages[1]
        if self.printed is None:
            return f"PDF page{'s' if many else ''} {physical}"
        printed = _range(*self.printed)
        return f"{'pp.' if self.printed[0] != self.printed[1] else 'p.'} {printed} (PDF page{'s' if many else ''} {physical})"

    def short_quote(self, most: int = 300) -> str:
        """The quote on one line, its middle left out where it is longer than `most` characters."""
        quote = " ".join(self.quote.split())
        return quote if len(quote) <= most else f"{quote[: most * 2 // 3].rstrip()} … {quote[-most // 3 :].lstrip()}"

    def __str__(self) -> str:
        parts = [*self.headings[-2:], self.source_name, self.place(), f"“{self.short_quote()}”"]
        return " · ".join(part for part in parts if part) + (" · QUARANTINED" if self.quarantined else "")

    def to_json(self) -> dict[str, Any]:
        return {
            "uri": self.uri,
            "source_name": self.source_name,
            "headings": list(self.headings),
            "source_page_range": list(self.pages) if self.pages else None,
            "printed_page_range": list(self.printed) if self.printed else None,
            "regions": [region.to_json() for region in self.regions],
            "quote": self.quote,
            "quarantined": self.quarantined,
        }


def described(places: Sequence[Locator]) -> str:
    """Places that are not pages, for a reader: lines of a file, or paragraphs of a body, counted from 1."""
    lines = [
        (place.line_start, place.line_end)
        for place in places
        if isinstance(place, LineRange | Pointer) and place.line_start is not None and place.line_end is not None
    ]
    if lines:
        span = _range(lines[0][0], lines[-1][1])
        return f"line{'s' * ('–' in span)} {span}"
    paragraphs = [place for place in places if isinstance(place, Paragraph)]
    if paragraphs:
        first, last = paragraphs[0].index, max(paragraphs[0].index, paragraphs[-1].index)
        span, page = _range(first + 1, last + 1), paragraphs[0].last_rendered_page
        about = "" if page is None else f" (about page {page + 1})"
        return f"paragraph{'s' * ('–' in span)} {span}{about}"
    return ""


def _range(first: int | str, last: int | str) -> str:
    return f"{first}" if first == last else f"{first}–{last}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that answers a query; `rank` counts from 1, `retriever` says what found it."""

    chunk: Chunk
    score: float
    rank: int
    retriever: str
    citation: Citation
