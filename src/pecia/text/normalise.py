"""NFC and line ends, once and for all, with the way back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from pecia.model.alignment import Alignment, Run

_LINE_END = re.compile(r"\r\n?")
_WORD = re.compile(r"\S+|\s+")


def normalise(text: str) -> tuple[str, Alignment]:
    """The text in NFC with `\\n` line ends, and its alignment with the characters it was given."""
    composed = unicodedata.is_normalized("NFC", text)
    if composed and "\r" not in text:
        return text, Alignment.identity(len(text))
    if composed:  # pieces and runs of a file of a million lines would take 600 MB
        return text.replace("\r\n", "\n").replace("\r", "\n"), Alignment.of(_runs(text, None))
    parts: list[str] = []
    alignment = Alignment.of(_runs(text, parts))
    return "".join(parts), alignment


def _runs(text: str, parts: list[str] | None) -> Iterator[Run]:
    """The runs of a text in order; `parts` takes the normalised pieces."""
    at = 0
    for piece, start, end in _pieces(text):
        if parts is not None:
            parts.append(piece)
        yield at, at + len(piece), start, end
        at += len(piece)


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """(normalised piece, source start, source end) in order; as coarse as the changes allow."""
    start = 0
    for match in _LINE_END.finditer(text):
        yield from _composed(text, start, match.start())
        yield "\n", match.start(), match.end()
        start = match.end()
    yield from _composed(text, start, len(text))


def _composed(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    line = text[start:end]
    if unicodedata.is_normalized("NFC", line):
        if line:
            yield line, start, end
        return
    for match in _WORD.finditer(text, start, end):
        word = match[0]
        if unicodedata.is_normalized("NFC", word):
            yield word, match.start(), match.end()
            continue
        clusters = list(_clusters(word))
        made = [unicodedata.normalize("NFC", cluster) for cluster in clusters]
        if "".join(made) != unicodedata.normalize("NFC", word):  # a composition across clusters: the word as a whole
            clusters, made = [word], [unicodedata.normalize("NFC", word)]
        at = match.start()
        for cluster, composed in zip(clusters, made, strict=True):
            yield composed, at, at + len(cluster)
            at += len(cluster)


def _clusters(word: str) -> Iterator[str]:
    """A character with the marks, or the Hangul vowels and finals, that may compose with it."""
    start = 0
    for offset in range(1, len(word)):
        character = word[offset]
        if not (unicodedata.combining(character) or "\u1161" <= character <= "\u11ff"):
            yield word[start:offset]
            start = offset
    yield word[start:]
