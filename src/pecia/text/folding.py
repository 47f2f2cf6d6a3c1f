"""Text without case and accents, character for character, so that an offset in one is an offset in the other."""

from __future__ import annotations

import unicodedata

_ALIKE = {**dict.fromkeys("’‘ʼ`´", "'"), **dict.fromkeys("‐‑‒–—", "-"), **dict.fromkeys("“”„«»", '"')}


class _Table(dict[int, str]):
    """What each character becomes, found when it is first met. One that would become two stays as it is, in small."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character.isspace():
            made = " "
        else:
            plain = "".join(mark for mark in unicodedata.normalize("NFD", character) if unicodedata.category(mark) != "Mn")
            made = _ALIKE.get(character) or plain.casefold()
            made = made if len(made) == 1 else character.lower()
            made = made if len(made) == 1 else character
        self[code] = made
        return made


_TABLE = _Table()


def folded(text: str) -> str:
    """As long as the text: small letters without accents, one kind of quotation mark and hyphen, spaces for all white space."""
    return text.translate(_TABLE)
