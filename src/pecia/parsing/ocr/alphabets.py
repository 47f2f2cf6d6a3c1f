"""What fonts from before Unicode show for the characters of cp1252, and what UTF-8 read as cp1252 was."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import product

from pecia.parsing import encodings

_TONES = dict(zip("ùøûõï", "\u0301\u0300\u0309\u0303\u0323", strict=True))
_ROOF = dict(zip("âáàåãä", ("", "\u0301", "\u0300", "\u0309", "\u0303", "\u0323"), strict=True))
_BREVE = dict(zip("êéèúüë", ("", "\u0301", "\u0300", "\u0309", "\u0303", "\u0323"), strict=True))
_ALONE = {"ñ": "đ", "ö": "ư", "ô": "ơ", "æ": "ỉ", "ó": "ĩ", "ò": "ị", "î": "ỵ", "í": "í", "ì": "ì"}
# What pdfium says for bytes of WinAnsi that Unicode has under two numbers.
TWINS = {"\u03bc": "\xb5", "\u2219": "\xb7", "\u02c9": "\xaf", "\u0110": "\xd0", "\u2215": "/"}
BYTES = {bytes((code,)).decode("cp1252", "ignore") or chr(code): code for code in range(0x80, 0x100)}
_TAIL = "".join(char for char, code in BYTES.items() if code < 0xC0)
UTF8 = re.compile(f"[\xc2-\xdf][{re.escape(_TAIL)}]|[\xe0-\xef][{re.escape(_TAIL)}]{{2}}|[\xf0-\xf4][{re.escape(_TAIL)}]{{3}}")

_LETTER = re.compile(r"[^\W\d_]")


@cache
def _tcvn3() -> dict[str, str]:
    """What a .Vn font shows for the characters of cp1252."""
    (encoding,) = (item for item in encodings.ENCODINGS if item.name == "tcvn3")
    table = dict[str, str]()
    for char, code in BYTES.items():
        try:
            table[char] = encoding.read(bytes((code,)))
        except UnicodeDecodeError:
            continue
    return table


@cache
def _vni() -> dict[str, str]:
    """What a VNI font shows for one character or two."""
    table = dict(_ALONE)
    for letter in "aeouyôö":
        for mark, tone in _TONES.items():
            table[letter + mark] = unicodedata.normalize("NFC", _ALONE.get(letter, letter) + tone)
    for letters, marks, sign in (("aeo", _ROOF, "\u0302"), ("a", _BREVE, "\u0306")):
        for letter, (mark, tone) in product(letters, marks.items()):
            table[letter + mark] = unicodedata.normalize("NFC", letter + sign + tone)
    upper = {old.upper(): new.upper() for old, new in table.items()}
    title = {old[0].upper() + old[1:]: new.upper() for old, new in table.items() if len(old) > 1}
    return {**title, **upper, **table}


_VNI_LETTER = re.compile("|".join(sorted(map(re.escape, _vni()), key=len, reverse=True)))


def from_tcvn3(text: str) -> str:
    """The text that a .Vn font shows, one character for each."""
    table = _tcvn3()
    plain = "".join(TWINS.get(char, char) for char in text)
    return "".join(table.get(char, char) for char in _with_horns(plain, table))


def from_vni(text: str) -> str:
    """The text that a VNI font shows; a letter with its mark, two characters in the file, becomes one."""
    return _VNI_LETTER.sub(lambda match: _vni()[match[0]], text)


def decoded(sequence: str) -> str:
    """The character that the sequence was in UTF-8, or "" where it was none."""
    try:
        return bytes(BYTES[char] for char in sequence).decode("utf-8")
    except UnicodeError:
        return ""


def _with_horns(text: str, table: dict[str, str]) -> str:
    """The text with U+00AD (ư) for each hyphen that is one: WinAnsi draws byte 0xAD as a hyphen, and a PDF reader says so.
    A hyphen stays where the word is none with the letter in its place."""
    if "-" not in text:
        return text
    parts = []
    for word in re.split(r"(\s+)", text):
        parts.append(_horned(word, table) if "-" in word and _LETTER.search(word) and word.count("-") <= 4 else word)
    return "".join(parts)


def _horned(word: str, table: dict[str, str]) -> str:
    split = word.split("-")
    for glue in sorted(product(("\xad", "-"), repeat=len(split) - 1), key=lambda item: item.count("-")):
        made = split[0] + "".join(sign + part for sign, part in zip(glue, split[1:], strict=True))
        shown = "".join(table.get(char, char) for char in made)
        if all(encodings.is_syllable(part) for part in re.findall(r"[^\W\d_]+", shown)):
            return made
    return word
