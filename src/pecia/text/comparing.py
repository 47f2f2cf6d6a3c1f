"""What two texts have in common, whatever their white space, their width of letters and their line ends."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from pecia.model import Span

SHORTEST = 6  # characters, white space aside, of words that tell a place
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def numbers(text: str) -> set[str]:
    """The numbers of a text, without what parts thousands: 26,000 is 26000."""
    return {match[0].replace(",", "") for match in _NUMBER.finditer(unicodedata.normalize("NFKC", text))}


def letters(text: str) -> Counter[str]:
    """How often each letter and digit stands in a text."""
    return Counter(char for char in unicodedata.normalize("NFKC", text) if char.isalnum())


def places(text: str, span: Span, words: str) -> list[Span]:
    """Where words stand in a span, letter for letter but for white space; none for words that are too short to tell a place."""
    wanted = "".join(words.split())
    if len(wanted) < SHORTEST:
        return []
    offsets = [at for at in range(span.start, span.end) if not text[at].isspace()]
    squashed = "".join(text[at] for at in offsets)
    found, at = [], squashed.find(wanted)
    while at >= 0:
        found.append(Span(offsets[at], offsets[at + len(wanted) - 1] + 1))
        at = squashed.find(wanted, at + len(wanted))
    return found
