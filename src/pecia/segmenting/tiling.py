"""Segments made to tile a text: white space between two of them belongs to the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pecia.model import Segment, Span


def tiled(segments: Sequence[Segment], size: int) -> Iterator[Segment]:
    """Segments without children, in order, each up to where the next one begins; the first from the start of a text of `size`
    characters, the last to its end."""
    starts = [segment.span.start if at else 0 for at, segment in enumerate(segments)]
    for segment, (start, end) in zip(segments, pairwise([*starts, size]), strict=True):
        yield replace(segment, span=Span(start, end))
