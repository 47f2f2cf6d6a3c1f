"""Text without case and accents: character for character, so that an offset in one is an offset in the other, or as words to
compare."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
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


def words_of(text: str) -> tuple[str, ...]:
    """The words of a name, as names are compared: without case, accents, marks, and forms that only look different."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(_WORD.findall("".join(mark for mark in plain if not unicodedata.combining(mark))))
