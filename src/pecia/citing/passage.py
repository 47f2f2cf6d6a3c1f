"""The part of a chunk that answers a query best, to be shown and cited instead of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pecia.model import Chunk, Span
from pecia.text.analysis import query_terms, terms
from pecia.text.sentences import LEADS, sentence_ends
from pecia.text.statements import statement_terms

# Room for two sentences of a report or four lines at 80 columns.
MOST = 300


def best_passage(text: str, query: str, *, most: int = MOST) -> Span:
    """The run of whole sentences of at most `most` characters that holds most of the query's terms, rare ones counting
    more; the first such run where several tie, one sentence where even that is longer, all of it where it holds none, as when
    it was found by its meaning. Not empty unless `text` is blank."""
    asked = set(query_terms(query))
    everywhere = Counter(terms(text))
    sentences, start = [], 0
    for end in (*sentence_ends(text), len(text)):
        if text[max(0, end - 8) : end].rstrip()[-1:] in LEADS and end < len(text):
            continue  # what is quoted begins with its label, never after it
        if end > start and text[start:end].strip():
            sentences.append((Span(start, end), asked.intersection(terms(text[start:end]))))
        start = max(start, end)
    best, best_score = Span(0, len(text)), 0.0
    for first in range(len(sentences)):
        held: set[str] = set()
        for last in range(first, len(sentences)):
            span = Span(sentences[first][0].start, sentences[last][0].end)
            if last > first and len(span) > most:
                break
            held |= sentences[last][1]
            score = sum(1 / everywhere[term] for term in held) - len(span) / 1_000_000
            if score > best_score:
                best, best_score = span, score
    return best.trimmed(text)


def best_part(found: Chunk, parts: Sequence[Chunk], query: str) -> Chunk:
    """The part of a pair with the statement that answers best, the first in order of several; `found` where no word tells.

    Each part carries the question of its pair, so that only what does not stand in all of them tells one from another.
    """
    if len(parts) < 2:
        return found
    held = {part.chunk_id: [set(line) for line in statement_terms(part.text)] for part in parts}
    everywhere = set.intersection(*(set[str]().union(*lines) for lines in held.values()))
    telling = set(query_terms(query)) - everywhere

    def told(part: Chunk) -> tuple[int, int]:
        lines = [line & telling for line in held[part.chunk_id]]
        return max(map(len, lines), default=0), len(set[str]().union(*lines))

    best = max(sorted(parts, key=lambda part: part.part_index), key=told)
    return best if any(told(best)) else found
