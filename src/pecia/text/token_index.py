"""One pass of a tokenizer over a text, kept so that any piece of it can be counted by binary search.

Counts of byte-pair encodings add up only where a cut leaves the pretokens on both sides as they were. Two facts make
that cheap to know. A cut at the end of a pretoken whose last character is not white space (or is the last newline of
its run) changes nothing. Inside a pretoken, a cut at a token end changes nothing as long as both parts are pretokens by
themselves: no merge ever crossed that point, so the merges of each part happen as before. Every other piece is counted
again by itself, so a count is always exact.
"""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt


class Adds(Protocol):
    def __call__(self, text: str, offset: int, *, token_end: bool) -> bool: ...


Ids = npt.NDArray[np.uint32]

# Characters a block. Byte-pair encoders slow down on runs above about 100 KB without a break (1 MB/s against 14), and
# per-block arrays stay in the cache; 32 K to 256 K made no difference in MB/s on English text.
BLOCK = 1 << 16
# How far back from the end of a block a harmless place to cut is looked for before the cut is forced.
LOOK_BACK = 1 << 12
# White space as the pretokenizer's \s sees it; str.isspace() also holds for \x1c..\x1f.
WHITE = frozenset("\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}


# After a newline anything else is visible; \x1c..\x1f are white space to Python and not to the tokenizer: left alone.
_BLANK = WHITE | frozenset("\x1c\x1d\x1e\x1f")


def additive(text: str, offset: int, *, token_end: bool) -> bool:
    """True where counts of the cl100k pretokenizer add up when the text is cut at `offset`."""
    if offset in (0, len(text)):
        return True
    before, after = text[offset - 1], text[offset]
    if before in WHITE:
        return before == "\n" and (after not in _BLANK or _indents(text, offset))
    left, right = unicodedata.category(before), unicodedata.category(after)
    if left == "Cn" or (right == "Cn" and after not in WHITE):
        return False  # assigned, perhaps, in the Unicode version of the tokenizer
    left, right = left[0], right[0]
    if after in WHITE:
        return after not in "\r\n" or left in "LN"
    if left in "LN":
        return right != left
    if right == "L":
        return token_end and before != "'"
    return right == "N"


def _indents(text: str, offset: int) -> bool:
    """True where the white space at `offset` (none, or an indent of up to 32 characters) leads to something visible
    on the same line, so that the newline before it is the last one of its run."""
    run = text[offset : offset + 33]
    visible = run.lstrip()
    return bool(visible) and not {"\n", "\r"} & set(run[: len(run) - len(visible)]) and visible[0] not in "\x1c\x1d\x1e\x1f"


class Shapes:
    """What ends of tokens are made from, by token id: how many characters begin in a token (UTF-8 bytes that are not
    continuations), and whether it begins inside a character."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        """`tokens[id]` are the bytes of a token; an id that is not in use has none."""
        begins = np.append((np.frombuffer(b"".join(tokens), np.uint8) & 0xC0) != 0x80, True)
        starts = np.append(0, np.cumsum([len(token) for token in tokens]))
        self._characters = np.diff(np.append(0, np.cumsum(begins))[starts]).astype(np.uint8)
        self._inside = ~begins[starts[:-1]]

    def keys(self, ids: Ids, start: int) -> Ids:
        """The keys of the tokens of a block that begins at the character `start`."""
        places = ids.astype(np.intp)  # once; indexing would do it twice
        keys = np.cumsum(self._characters.take(places), dtype=np.uint32)
        keys += np.uint32(start)
        keys *= np.uint32(2)
        keys[:-1] -= self._inside.take(places[1:])
        return keys


class PrefixIndex:
    """Token ends of one text as sorted keys: twice the offset for an end between characters, odd for one inside a
    character. Four bytes a token, about one byte a character of English text.

    The text is encoded block by block, as far as it is asked about.
    """

    __slots__ = ("_adds", "_count", "_keys", "_known", "_last", "_parts", "_seams", "_text")

    def __init__(
        self,
        text: str,
        encode: Callable[[str], Ids],
        shapes: Shapes,
        count: Callable[[str], int],
        adds: Adds = additive,
    ) -> None:
        def keys(block: tuple[int, int, bool]) -> tuple[int, bool, bytes]:
            start, end, forced = block
            return end, forced, shapes.keys(encode(text[start:end]), start).tobytes()

        self._text, self._count, self._adds = text, count, adds
        self._keys, self._known = array("I"), 0
        self._last = (0, 0)
        self._seams: list[int] = []
        self._parts = map(keys, _blocks(text))

    def _read(self) -> bool:
        """Takes in the next block; False where there is none."""
        part = next(self._parts, None)
        if part is None:
            return False
        self._known, forced, keys = part
        self._keys.frombytes(keys)
        if forced:
            self._seams.append(self._known)
        return True

    def _before(self, offset: int) -> int:
        """Number of tokens that end at or before `offset`."""
        at, number = self._last  # a packer asks three times about the place where a chunk begins
        if at == offset:
            return number
        while self._known < offset:
            self._read()
        number = bisect_right(self._keys, 2 * offset)
        self._last = offset, number
        return number

    def count(self, start: int, end: int, before: str = "") -> int:
        if before:
            joined = before + self._text[start : min(end, start + 64)]
            if not self._adds(joined, len(before), token_end=False):
                return self._count(before + self._text[start:end])
            return self._count(before) + self.count(start, end)
        if start >= end:
            return 0
        low, high = self._before(start), self._before(end)
        if self._clean(start, low) and self._clean(end, high) and not self._seam_inside(start, end):
            return high - low
        return self._count(self._text[start:end])

    def _clean(self, offset: int, before: int) -> bool:
        token_end = before > 0 and self._keys[before - 1] == 2 * offset
        return self._adds(self._text, offset, token_end=token_end)

    def _seam_inside(self, start: int, end: int) -> bool:
        at = bisect_right(self._seams, start)
        return at < len(self._seams) and self._seams[at] < end

    def furthest(self, start: int, end: int, budget: int) -> int:
        if budget <= 0:
            return start
        last = self._before(start) + budget
        while last > len(self._keys):
            if not self._read():
                return end
        return min(end, max(start, self._keys[last - 1] // 2))

    def nearest(self, start: int, end: int, budget: int) -> int:
        first = self._before(end) - budget
        if first <= 0:
            return start
        return max(start, min(end, (self._keys[first - 1] + 1) // 2))


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each block, and whether its end had to be forced."""
    start = 0
    while start < len(text):
        end, forced = _block_end(text, start)
        yield start, end, forced
        start = end


def _block_end(text: str, start: int) -> tuple[int, bool]:
    """Where a block that begins at `start` ends, and whether the cut had to be forced there."""
    end = start + BLOCK
    if end >= len(text):
        return len(text), False
    for offset in range(end, max(start, end - LOOK_BACK), -1):
        if text[offset] in WHITE and additive(text, offset, token_end=False):
            return offset, False
    newline = text.rfind("\n", start + 1, end)
    while newline > start:
        if additive(text, newline + 1, token_end=False):
            return newline + 1, False
        newline = text.rfind("\n", max(start + 1, end - LOOK_BACK), newline)
    return end, True
