"""Where a section may be cut: never after a label or inside a dose, and with the labels that govern a place as its context."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from pecia.chunking.boundaries import DocumentBoundaries, Rank
from pecia.model import Document, Span
from pecia.strategies.monograph.labels import Governors
from pecia.strategies.monograph.vocabulary import Vocabulary
from pecia.text.sentences import sentence_ends

# A sentence of at least so many commas or semicolons with less than a dose for each few of them is a list of names.
_LIST_MARKS = 6
_ITEM = 80  # characters of an item of a list that are looked at
_VISIBLE = re.compile(r"\S")
_MARKS = re.compile(r"[,;](?=\s)")


class SectionBoundaries:
    """The boundaries of a document, seen by one section.

    The end of a label, a subheading or the heading is no place at all. Inside a sentence, places are only better than none, so
    that no chunk begins or ends there while a sentence fits; a sentence over the target that lists names may be cut after its
    commas.
    """

    def __init__(self, document: Document, inner: DocumentBoundaries, vocabulary: Vocabulary) -> None:
        self._text, self._inner, self._vocabulary = document.text, inner, vocabulary
        self._governors = Governors((), ())
        self._heading = Span(0, 0)
        self._lists: Sequence[Span] = ()

    def of(self, governors: Governors, heading: Span, lists: Sequence[Span]) -> SectionBoundaries:
        """The same document, seen by another section; `lists` are its sentences that may be cut at commas."""
        self._governors, self._heading, self._lists = governors, heading, lists
        return self

    def blocks(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        for offset, rank in self._inner.blocks(start, end):
            if not self._holds(offset):
                yield offset, self._rank(offset, rank)

    def _rank(self, offset: int, rank: int) -> int:
        """The end of what a sub-compound governs is as good as the end of a section."""
        chain = self._governors.chain(offset)
        begins = self._governors.begins_at(offset, self._text)
        opens = begins is not None and (begins.name is not None or begins.kind == "subheading")
        return Rank.SECTION if opens else min(rank, Rank.BLOCK) if chain else rank

    def sentences(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return (place for place in self._inner.sentences(start, end) if not self._holds(place[0]))

    def sentences_forwards(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return (place for place in self._inner.sentences_forwards(start, end) if not self._holds(place[0]))

    def weak(self, start: int, end: int, least: int = 0) -> Iterator[tuple[int, int]]:
        for offset, rank in self._inner.weak(start, end):
            found = self._weak(offset, rank)
            if found >= least:
                yield offset, found

    def _weak(self, offset: int, rank: int) -> int:
        if self._holds(offset) or self._governors.inside(offset):
            return Rank.HEADER
        if rank == Rank.CLAUSE and self._in_list(offset) and not self._beside_dose(offset):
            return rank
        # Order among themselves, below all that an overlap or a chunk begins at by choice.
        return {Rank.STOP: Rank.HELD, Rank.CLAUSE: Rank.HELD, Rank.WORD: Rank.CELL}.get(Rank(rank), Rank.HEADER)

    def _beside_dose(self, offset: int) -> bool:
        """Whether the item of a list on either side of a comma states a dose."""
        before = self._text.rfind(",", max(0, offset - _ITEM), offset - 1)
        after = self._text.find(",", offset, offset + _ITEM)
        low = max(0, offset - _ITEM) if before < 0 else before
        return bool(self._vocabulary.dose.search(self._text, low, offset + _ITEM if after < 0 else after))

    def _in_list(self, offset: int) -> bool:
        at = bisect_right(self._lists, offset, key=lambda span: span.start) - 1
        return at >= 0 and offset < self._lists[at].end

    def _holds(self, offset: int) -> bool:
        """True where a chunk must not end: the text up to there ends on a label or on the heading."""
        if self._governors.ends_at(offset, self._text) is not None:
            return True
        return bool(self._heading) and self._heading.end <= offset and not self._text[self._heading.end : offset].strip()

    def context(self, offset: int) -> tuple[str, ...]:
        visible = _VISIBLE.search(self._text, offset)
        offset = visible.start() if visible else offset
        labels = tuple(label.text for label in self._governors.chain(offset))
        return (*labels, *self._inner.context(offset))


def sentences_to_cut(text: str, span: Span, longer: int, vocabulary: Vocabulary) -> tuple[list[Span], list[Span]]:
    """(lists, doses) of a section: the sentences of more than `longer` characters that may be cut after a comma, and the
    sentences that state a dose and may not be cut anywhere."""
    lists, doses = [], []
    start = span.start
    for end in (*sentence_ends(text, span.start, span.end), span.end):
        if end <= start:
            continue
        piece = Span(start, end)
        words = piece.of(text)
        stated = len(vocabulary.dose.findall(words))
        marks = len(_MARKS.findall(words))
        if marks >= _LIST_MARKS and len(piece) > longer and stated * 4 <= marks:
            lists.append(piece)
        elif stated:
            doses.append(piece)
        start = end
    return lists, doses
