"""Where a text must not be cut because a reader sees one character."""

from __future__ import annotations

import unicodedata

_TRAILING = frozenset("\u0e33\u0eb3")  # Thai and Lao am: a letter by category, a part of the syllable to a reader
_FIRST_FLAG, _LAST_FLAG = "\U0001f1e6", "\U0001f1ff"
_LONGEST_RUN = 4096  # flags in a row that are paired from their first letter; beyond that it is an attack


def joins(text: str, offset: int) -> bool:
    """True where the character at `offset` belongs to the one before it: a mark, a joiner, a variation selector."""
    if not 0 < offset < len(text):
        return False
    after, before = text[offset], text[offset - 1]
    if before == "\r" and after == "\n":
        return True
    if after in _TRAILING:
        return True
    if _FIRST_FLAG <= after <= _LAST_FLAG and _FIRST_FLAG <= before <= _LAST_FLAG:
        run = offset  # flags are pairs of letters: the second of a pair stands after an odd number of them
        while run and offset - run < _LONGEST_RUN and _FIRST_FLAG <= text[run - 1] <= _LAST_FLAG:
            run -= 1
        return (offset - run) % 2 == 1
    if before == "\u200d" or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    return not after.isascii() and (
        unicodedata.combining(after) != 0 or unicodedata.category(after) in {"Mn", "Me", "Mc"} or after == "\u200d"
    )
