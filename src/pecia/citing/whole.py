"""The whole segment that a hit is a part of: its parts in order, what they repeat once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from pecia.citing.cite import cite
from pecia.model import Chunk, ChunkKind, Citation, Span

Found = TypeVar("Found")

SHOWN_WHOLE = frozenset({ChunkKind.PAIR, ChunkKind.FOLLOWUP})
"""Kinds of which a hit gives back the whole segment: half an answer misleads, and a follow-up needs what it follows."""


def each_once(search: Callable[[int], Sequence[Found]], unit: Callable[[Found], Hashable | None], k: int) -> list[Found]:
    """The k best of what a search finds, of each unit the best alone; what is of no unit (None) stays. `search` takes a number,
    and is asked for more where several of one unit took the places of others."""
    wanted = k
    while True:
        rows, kept, seen = search(wanted), list[Found](), set[Hashable]()
        for row in rows:
            if (key := unit(row)) is None or key not in seen:
                kept.append(row)
                seen.add(key)
        if len(kept) >= k or len(rows) < wanted:
            return kept[:k]
        wanted *= 2


def is_beside(chunk: Chunk, other: Chunk) -> bool:
    """Whether two chunks are of one cutting: of one text, by one strategy with the same sizes."""
    return all(
        getattr(chunk, name) == getattr(other, name)
        for name in ("document_id", "text_hash", "requested_strategy", "tokenizer", "max_tokens", "overlap_tokens")
    )


def whole(chunk: Chunk, cutting: Sequence[Chunk], uri: str, text: str, text_hash: str) -> Citation:
    """The citation of a chunk's whole segment, of a child that of the chunk it belongs to. `cutting` holds the chunks of its
    cutting, or at least those of that segment and the tables and formulas that stand among them, which belong to the quote in
    their places.

    A piece that neither of them is of is left out of the quote. CitationError where a part does not stand in the text.
    """
    own = next((other for other in cutting if other.chunk_id == chunk.parent_id), chunk)
    parts = [other for other in cutting if other.segment_id == own.segment_id] or [chunk]
    first, last = min(part.span.start for part in parts), max(part.span.end for part in parts)
    inside = Span(first, last)
    parts += [
        other
        for other in cutting
        if other.chunk_kind is ChunkKind.BLOCK_DESCRIPTOR and inside.contains(other.span) and other not in parts
    ]
    parts.sort(key=lambda part: (part.span.start, part.span.end))
    cited = [cite(part, uri, text, text_hash) for part in parts]
    runs: list[Span] = []
    for part in parts:
        if runs and not text[runs[-1].end : part.span.start].strip():
            runs[-1] = Span(runs[-1].start, max(runs[-1].end, part.span.end))
        else:
            runs.append(part.span)
    pages = [part.page_range for part in parts if part.page_range]
    printed = [part.printed_range for part in parts if part.page_range]
    known = [folios for folios in printed if folios]
    return Citation(
        uri=cited[0].uri,
        source_name=chunk.source_name,
        headings=chunk.headings,
        pages=(min(page for page, _ in pages), max(page for _, page in pages)) if pages else None,
        printed=(known[0][0], known[-1][1]) if known and len(known) == len(printed) else None,
        regions=tuple(dict.fromkeys(place for part in parts for place in part.locators)),
        quote="\n\n".join(run.of(text).strip() for run in runs),
        quarantined=any(part.has_quarantined_content for part in parts),
    )
