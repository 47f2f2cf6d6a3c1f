"""Codes of the anatomical therapeutic chemical classification (ATC), as printed and as they are written elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pecia.strategies.monograph.vocabulary import fold

# All five levels, J01CA04, with dots or spaces between them; or its first levels, J01CA, in one piece.
_CODE = re.compile(
    r"(?<!\w)(?:([A-Z])[ .]?(\d{2})[ .]?([A-Z])[ .]?([A-Z])[ .]?(\d{2})|([A-Z])(\d{2})([A-Z])([A-Z]?)"
    r"|([a-z])(\d{2})([a-z])([a-z])(\d{2}))(?!\w)"
)
# What was meant to be a code: a capital and a run of capitals and digits, with both among them.
_NEARLY = re.compile(r"(?<!\w)[A-Z][\dOIl]{1,3}[ .]?[A-Z0-9]{1,3}[ .]?[\dOIl]{0,3}(?!\w)")
_NEARLY_WHOLE = 5  # "B12" is a vitamin
_GROUPS = frozenset("ABCDGHJLMNPRSV")  # the anatomical main groups


@dataclass(frozen=True, slots=True)
class Codes:
    """`codes` normalised, in order, each once; `printed` as they stand; `malformed` what looks like a code and is none."""

    codes: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()
    stated_absent: bool = False


# In a section that holds more than its codes, a code stands this near behind the word ATC.
_NEAR, _SHORT = 80, 600


def codes_of_section(text: str, absent: tuple[str, ...]) -> Codes:
    """The codes of a section; of a long one, those behind the word ATC."""
    if len(text) <= _SHORT or "ATC" not in text:
        return codes_in(text, absent) if len(text) <= _SHORT else Codes()
    return codes_in("\n".join(text[match.end() : match.end() + _NEAR] for match in re.finditer(r"(?<!\w)ATC(?!\w)", text)), ())


def codes_in(text: str, absent: tuple[str, ...]) -> Codes:
    """The codes of a text; without one, whether it says in one of the words `absent` that there is none."""
    codes, malformed = dict[str, str](), list[str]()
    taken: list[tuple[int, int]] = []
    for start, end, code in _found(text):
        taken.append((start, end))
        codes.setdefault(code, text[start:end])
    for match in _NEARLY.finditer(text):
        apart = all(match.end() <= start or end <= match.start() for start, end in taken)
        size = sum(char.isalnum() for char in match[0])
        if apart and size >= _NEARLY_WHOLE and any(char.isdigit() for char in match[0]):
            malformed.append(match[0])
    words = fold(text)
    stated = not codes and any(phrase in words for phrase in absent)
    return Codes(tuple(codes), tuple(codes.values()), tuple(malformed), stated)


def _found(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _CODE.finditer(text):
        code = "".join(part.upper() for part in match.groups(default=""))
        if code[0] in _GROUPS:
            yield match.start(), match.end(), code
