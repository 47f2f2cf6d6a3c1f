"""Encodings from before Unicode, and how well a text read in one of them looks like language.

A rating is the share, from 0 to 1, of what is not ASCII that looks right: words shaped as western European words, syllables
that Vietnamese can have, ideographs in the frequencies of running text. What decides is data (`encodings.toml`).
"""

from __future__ import annotations

import codecs
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

_OPENING = "«»„“”‘’‚‹›¿¡§€£©°–—…•·"
_CLOSING = "«»“”‘’‹›®™©°ªº¹²³€£–—…·"
_SIGNS = "±×÷½¼¾¬¶†‡‰¥¢"
_NOT_LETTERS = re.compile(r"[\s!-@\[-`{-~]+")
_INSIDE = re.compile("[’–—·\u00ad]")
_MICRO = re.compile("µ(?:[glmsMLVAW]|mol|mm)?")
_PILED = re.compile(r"[^\x00-\x7f]{2,}")
# Letters beside which another one outside ASCII is usual (ção, niñ o, Icelandic), and letters that never are a word alone.
_NEIGHBOURLY = frozenset("çñßðþ")
_UMLAUTS = frozenset("äöüß")
# An accented capital after a small letter (`ViÖt`), an accented small one before capitals (`CéNG`).
_HUMPS = re.compile("[a-zß-öø-ÿœšž][À-ÖØ-ÞŒŠŽŸ]|[ß-öø-ÿ][A-Z]{2}")
# Letters where western Europe does not have them, but a reading of cp1250 (Czech, Polish, Romanian) or cp1254 (Turkish) does.
_MISPLACED = re.compile("[ìù](?!$)|ñ(?![aeiouáéíóúü])|ã(?![oeis]|$)|(?<!^)þ|^ð|ý")
_NEVER_ALONE = frozenset("ëýþÿðãõñçüîûïâß")
_TONES = re.compile("[\u0300\u0301\u0303\u0309\u0323]")
_STOP_TONES = frozenset("\u0301\u0323")
# One or two ideographs amid small Latin letters: an accented letter of another encoding, with the letter behind it.
_LONELY = re.compile(r"(?<=[a-z])[^\x00-\x7f]{1,2}(?=[a-z])")
# Frequent characters count in full, the rest of the first level of a character set by this much: it holds 99 % of
# running text in its own encoding and nearly all names, but also a third of what a wrong reading gives.
_FIRST_LEVEL = 0.5


@dataclass(frozen=True, slots=True)
class Encoding:
    """`least` is the rating below which a text is not in this encoding; own readings rate 0.2 above it and more."""

    name: str
    rate: Callable[[str], float]
    least: float

    def read(self, data: bytes, *, final: bool = True) -> str:
        """The characters of the bytes; UnicodeDecodeError where one does not fit. An end in mid-character is let pass
        where it is not `final`."""
        if self.name == "tcvn3":
            return codecs.charmap_decode(data, "strict", _tcvn3())[0]
        return codecs.getincrementaldecoder(self.name)("strict").decode(data, final)


@cache
def _data() -> dict[str, Any]:
    with resources.files(__package__).joinpath("encodings.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def _tcvn3() -> str:
    """The character of every byte; U+FFFE where there is none, which the codec refuses."""
    table = [chr(code) for code in range(128)] + ["\ufffe"] * 128
    for first, characters in _data()["tcvn3"].items():
        table[int(first, 16) : int(first, 16) + len(characters)] = characters
    return "".join(table)


def western(text: str) -> float:
    """How many of the words with a letter or mark outside ASCII have the shape of western European words."""
    found = [_is_western(token) for token in _NOT_LETTERS.split(text) if not token.isascii()]
    return sum(found) / len(found) if found else 0.0


def _is_western(token: str) -> bool:
    core = token.lstrip(_OPENING).rstrip(_CLOSING)
    if not core.strip(_SIGNS):
        return len(token) <= 4
    if _MICRO.fullmatch(core):
        return True
    return all(_is_word(part) for part in _INSIDE.split(core) if part)


def _is_word(part: str) -> bool:
    if part.isascii():
        return True
    if not part.isalpha() or (len(part) == 1 and part in _NEVER_ALONE):
        return False
    lower = part.lower()
    if _HUMPS.search(part) or _MISPLACED.search(lower):
        return False
    return all(
        _UMLAUTS.issuperset(piled) or (len(piled) == 2 and (piled[0] == piled[1] or not _NEIGHBOURLY.isdisjoint(piled)))
        for piled in _PILED.findall(lower)
    )


@cache
def _syllable() -> re.Pattern[str]:
    onsets, rimes, stopped = (
        "|".join(sorted(_data()["syllable"][name].split(), key=len, reverse=True)) for name in ("onsets", "open", "stopped")
    )
    return re.compile(f"(?:{onsets})?(?:(?:{rimes})|(?P<stopped>{stopped}))")


def vietnamese(text: str) -> float:
    """How many words are syllables that Vietnamese can have. Those with marks count three times: Vietnamese text has
    foreign words in it, but they are ASCII."""
    good = total = 0
    for token in _NOT_LETTERS.split(unicodedata.normalize("NFC", text)):
        word = token.lstrip(_OPENING).rstrip(_CLOSING)
        if word:
            weight = 1 if word.isascii() else 3
            total += weight
            good += weight * is_syllable(word)
    return good / total if total else 0.0


@cache
def _single() -> frozenset[str]:
    return frozenset(_data()["syllable"]["single"].split())


def is_syllable(word: str) -> bool:
    """True for a written Vietnamese syllable in NFC, whatever its case; True also for a single ASCII letter."""
    lower = word.lower()
    if len(lower) == 1:
        return lower.isascii() or lower in _single()
    # The tone is taken off, the marks that make ă, â, ê, ô, ơ, ư stay.
    marked = unicodedata.normalize("NFD", lower)
    tones = _TONES.findall(marked)
    if len(tones) > 1:
        return False
    match = _syllable().fullmatch(unicodedata.normalize("NFC", _TONES.sub("", marked)))
    if match is None:
        return False
    return not match["stopped"] or not _STOP_TONES.isdisjoint(tones)


def _ideographs(character_set: str, frequent: str, first: int, last: int, trails: tuple[int, ...]) -> Callable[[str], float]:
    """The rating for a character set whose first level has the lead bytes from `first` to `last`."""

    @cache
    def weights() -> dict[str, float]:
        level = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in trails)
        made = dict.fromkeys("".join(pair.decode(character_set, "ignore") for pair in level), _FIRST_LEVEL)
        made.update(dict.fromkeys("".join(_data()["frequent"][frequent].split()), 1.0))
        made.update(dict.fromkeys(map(chr, range(0x3041, 0x3094)), 1.0))  # hiragana, of which a third of Japanese is
        made.update(dict.fromkeys(map(chr, range(0x30A1, 0x30F7)), 0.7))
        return made

    def rate(text: str) -> float:
        found = [weights().get(character, 0.0) for character in _LONELY.sub("\uffff", text) if character > "\x7f"]
        return sum(found) / len(found) if found else 0.0

    return rate


_HIGH = tuple(range(0xA1, 0xFF))
_BIG5 = _ideographs("big5", "chinese", 0xA4, 0xC6, (*range(0x40, 0x7F), *_HIGH))
_GB = _ideographs("gb2312", "chinese", 0xB0, 0xD7, _HIGH)
_JIS = _ideographs("euc_jp", "japanese", 0xB0, 0xCF, _HIGH)
_KS = _ideographs("euc_kr", "korean", 0xB0, 0xC8, _HIGH)
# In the order of preference where two read the same text or rate it alike.
ENCODINGS = (
    Encoding("cp1252", western, 0.8),
    Encoding("tcvn3", vietnamese, 0.8),
    Encoding("cp1258", vietnamese, 0.8),
    Encoding("cp950", _BIG5, 0.45),
    Encoding("big5hkscs", _BIG5, 0.45),
    Encoding("gb18030", _GB, 0.45),
    Encoding("cp932", _JIS, 0.45),
    Encoding("euc_jp", _JIS, 0.45),
    Encoding("cp949", _KS, 0.45),
)


def ratings(samples: tuple[bytes, ...]) -> Iterator[tuple[Encoding, float, str]]:
    """Encodings that read all samples, with the rating and what was read; those that cannot read one are left out."""
    for encoding in ENCODINGS:
        try:
            text = "\n".join(encoding.read(piece, final=False) for piece in samples)
        except UnicodeDecodeError:
            continue
        yield encoding, encoding.rate(text), unicodedata.normalize("NFC", text)
