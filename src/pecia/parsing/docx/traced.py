"""Text with the way back to the source, while it is put together."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from pecia.model.alignment import Run
from pecia.text.normalise import normalise

ADDED = -1
_CELL = re.compile(r"\s+|\||[^\s|]+")
Piece = tuple[str, int]


@dataclass(slots=True)
class Traced:
    """Pieces of text, each with the source offset of its first character, or ADDED."""

    pieces: list[Piece] = field(default_factory=list)

    def take(self, text: str, origin: int) -> None:
        """Text as it stands in the source at `origin`."""
        if text:
            self.pieces.append((text, origin))

    def add(self, text: str) -> None:
        """Text that the source shows but does not hold."""
        self.take(text, ADDED)

    def extend(self, other: Traced) -> None:
        self.pieces += other.pieces

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)

    def __bool__(self) -> bool:
        return any(not text.isspace() for text, _ in self.pieces)

    def stripped(self) -> Traced:
        """Without white space at either end."""
        pieces = list(self.pieces)
        while pieces and not (text := pieces[0][0].lstrip()):
            pieces.pop(0)
        if pieces:
            pieces[0] = _shifted(pieces[0], len(pieces[0][0]) - len(text))
        while pieces and not (text := pieces[-1][0].rstrip()):
            pieces.pop()
        if pieces:
            pieces[-1] = (text, pieces[-1][1])
        return Traced(pieces)

    def folded(self) -> Traced:
        """As a cell of a pipe table: what `pecia.text.tables.pipe_row` makes of it, with the way back."""
        made = Traced()
        space: Piece | None = None
        for text, origin in self.pieces:
            for match in _CELL.finditer(text):
                if match[0].isspace():
                    space = space or (" ", origin if origin == ADDED else origin + match.start())
                    continue
                if space and made.pieces:
                    made.pieces.append(space)
                space = None
                if match[0] == "|":
                    made.add("\\")
                made.take(*_shifted((match[0], origin), 0 if origin == ADDED else match.start(), cut=False))
        return made

    @property
    def source_size(self) -> int:
        """Visible characters that came from the source."""
        return sum(len(text) - sum(map(str.isspace, text)) for text, origin in self.pieces if origin != ADDED)

    def composed(self) -> tuple[str, list[Run], int]:
        """The text in NFC, its runs (offsets from 0), and how many source characters went into another one whose
        source is elsewhere: an accent in a run of its own behind a deleted one."""
        text = self.text
        if unicodedata.is_normalized("NFC", text):
            return text, list(_runs(self.pieces)), 0
        origins = [ADDED if origin == ADDED else origin + at for text, origin in self.pieces for at in range(len(text))]
        made, alignment = normalise(text)
        runs: list[Run] = []
        lost = 0
        for start, end, first, last in alignment.runs():
            if end - start == last - first:
                runs += [(start + a, start + b, c, d) for a, b, c, d in _stretches(origins[first:last])]
                continue
            from_source = [origin for origin in origins[first:last] if origin != ADDED]
            if len(from_source) == last - first == from_source[-1] - from_source[0] + 1:
                runs.append((start, end, from_source[0], from_source[-1] + 1))
            elif from_source:
                runs.append((start, start + 1, from_source[0], from_source[0] + 1))
                lost += len(from_source) - 1
        return made, runs, lost


def joined(items: Iterable[Traced], glue: str) -> Traced:
    """One text of several, with `glue` added between them."""
    made = Traced()
    for item in items:
        if made.pieces:
            made.add(glue)
        made.extend(item)
    return made


def _shifted(piece: Piece, by: int, *, cut: bool = True) -> Piece:
    text, origin = piece
    return text[by:] if cut else text, origin if origin == ADDED else origin + by


def _runs(pieces: Iterable[Piece]) -> Iterator[Run]:
    at = 0
    for text, origin in pieces:
        if origin != ADDED:
            yield at, at + len(text), origin, origin + len(text)
        at += len(text)


def _stretches(origins: list[int]) -> Iterator[Run]:
    """Runs of consecutive source offsets."""
    numbered = enumerate(origins)
    for key, group in groupby(numbered, key=lambda item: None if item[1] == ADDED else item[1] - item[0]):
        if key is not None:
            held = list(group)
            yield held[0][0], held[-1][0] + 1, held[0][1], held[-1][1] + 1
