"""Words of a question that stand in quotation marks: chunks that hold them just so count double."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from pecia.model import Chunk

# Each opening sign with what closes it; apostrophes quote nothing, they stand in words.
_QUOTED = re.compile(r"“([^“”]+)”|\"([^\"]+)\"|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』")
# Chunks that are looked through at least, best first. One that holds the words in their order holds all of them in one
# sentence, which the ranking counts, so it is among them.
POOL = 50
# What holding the words is worth: more than the order in which other chunks stand among the first.
FACTOR = 2.0

Found = tuple[Any, ...]


def quoted(question: str) -> tuple[str, ...]:
    """The quoted words of a question, each as `_folded` has it."""
    found = (_folded(next(filter(None, match.groups()))) for match in _QUOTED.finditer(question))
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))


def favouring(question: str, search: Callable[[int], Sequence[Found]]) -> Callable[[int], Sequence[Found]]:
    """The same search for k best rows (chunk, score, and what else it gives), in which the score of a chunk is doubled for
    each quoted part of the question that its source holds; case, white space and marks at its ends aside."""
    phrases = quoted(question)
    if not phrases:
        return search

    def favoured(k: int) -> Sequence[Found]:
        rows = [(row[0], row[1] * FACTOR ** _held(row[0], phrases), *row[2:]) for row in search(max(k, POOL))]
        return sorted(rows, key=lambda row: (row[0].has_quarantined_content, -row[1]))[:k]

    return favoured


def _held(chunk: Chunk, phrases: Sequence[str]) -> int:
    source = _folded(chunk.source_text)
    return sum(phrase in source for phrase in phrases)


def _folded(text: str) -> str:
    """Without case and white space, which lines of other widths change, and without punctuation at the ends."""
    folded = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.strip("".join(sign for sign in set(folded) if unicodedata.category(sign)[0] == "P"))
