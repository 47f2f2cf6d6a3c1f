"""A passage as the statements that it makes: what a search compares with a question one by one."""

from __future__ import annotations

from pecia.text.analysis import terms
from pecia.text.sentences import sentence_ends


def statements(text: str) -> list[str]:
    """The sentences of a text, in order; a pipe table is one with the sentence before it, which as a rule is its caption,
    since a row says nothing without its header. White space that stands alone is left out."""
    found: list[str] = []
    start = 0
    for end in (*sentence_ends(text), len(text)):
        piece = text[start:end]
        start = max(start, end)
        if found and piece.lstrip().startswith("|"):
            found[-1] += piece
        elif piece.strip():
            found.append(piece)
    return found


def statement_terms(text: str) -> list[list[str]]:
    """The search terms of each statement that has any."""
    return [held for held in map(terms, statements(text)) if held]
