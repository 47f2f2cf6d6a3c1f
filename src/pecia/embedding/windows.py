"""A text as windows that an embedder reads whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pecia.model import Span
from pecia.text.sentences import sentence_ends


def windows(text: str, fits: Callable[[str], bool]) -> list[Span]:
    """The text as it is where it fits; else runs of whole sentences that fit, put together the text. A sentence that does not
    fit is halved at white space, or where there is none, until its parts do or are one character."""
    if fits(text):
        return [Span(0, len(text))]
    pieces = [piece for sentence in _sentences(text) for piece in _halved(text, sentence, fits)]
    found = [pieces[0]]
    for piece in pieces[1:]:
        joined = Span(found[-1].start, piece.end)
        if fits(joined.of(text)):
            found[-1] = joined
        else:
            found.append(piece)
    return found


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for end in (*sentence_ends(text), len(text)):
        if end > start:
            yield Span(start, end)
            start = end


def _halved(text: str, span: Span, fits: Callable[[str], bool]) -> Iterator[Span]:
    if len(span) < 2 or fits(span.of(text)):
        yield span
        return
    middle = span.start + len(span) // 2
    at = text.rfind(" ", span.start, middle) + 1 or text.find(" ", middle, span.end - 1) + 1 or middle
    if not span.start < at < span.end:
        at = middle
    yield from _halved(text, Span(span.start, at), fits)
    yield from _halved(text, Span(at, span.end), fits)
