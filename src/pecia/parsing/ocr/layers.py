"""Whether the text of a page can be used: none, of another page's making, or signs that no language is written with."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from enum import StrEnum

from pecia.model import Box
from pecia.parsing import encodings
from pecia.parsing.pdf.frame import Frame
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs, Word

FEW, ENOUGH = 20, 120  # characters: below, nothing can be said of them; enough to judge whether words are words
SAMPLE = 150  # words that are judged, spread over the page
STAMP = 200  # characters on a page that a picture covers: a stamp, a heading; more is a layer
SIGNLESS = 0.3  # of the characters without a meaning: the layer has none
WORDLESS = 0.25  # of the letters in words that could be words: fewer are no language…
SOME, POOR = 0.05, 0.6  # …and so are fewer than these, where a twentieth of the characters has no meaning
VOWELS = 0.2  # …or so few letters are vowels: in European languages they are 0.35 and more
PICTURE = 0.85  # of the page, that one picture covers
AGREEING = 0.7  # of the characters that the layer and OCR have in common: the layer was right after all

_EDGES = re.compile(r"^[^\w]+|[^\w]+$")
_VOWELS = re.compile(r"[aeiouyàâäáãåæèéêëìíîïòóôõöøùúûüýÿœăāąęėēěğıįīőōůűūơưạ-ỹ]", re.IGNORECASE)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff\u0300-\u036f'’\-\u2010\u00ad]+")
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f]")
_CASED = re.compile(r"[^a-zß-ÿ]+|.?[^A-ZÀ-Þ]+|[^\W\d_]+[-'’].*")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


class Layer(StrEnum):
    """`bare`: no text, and something is printed; `garbled`: text that does not mean what is seen; `stamped`: a picture of
    a printed page, and on it a few words of text."""

    TEXT = "text"
    BLANK = "blank"
    BARE = "bare"
    GARBLED = "garbled"
    STAMPED = "stamped"


def by_text(frame: Frame, glyphs: PageGlyphs, fonts: Fonts, images: Sequence[Box]) -> Layer | None:
    """What the text of a page is good for; None where the page must be looked at."""
    size = sum(count for count, _, _ in glyphs.weights())
    covered = max((box.width * box.height for box in images), default=0.0) > PICTURE * frame.width * frame.height
    if size <= STAMP and (covered or not size):
        return None
    return Layer.GARBLED if size >= FEW and garbled(glyphs, fonts, list(glyphs.words())) else Layer.TEXT


def garbled(glyphs: PageGlyphs, fonts: Fonts, words: Sequence[Word]) -> bool:
    """Whether much of the page, or of what is set in some of its fonts, is garbled."""
    held: dict[str, list[str]] = defaultdict(list)
    for word in words[:: max(1, len(words) // SAMPLE)]:
        held[fonts[word.font].name].append(glyphs.text(word))
    total = sum(sum(map(len, texts)) for texts in held.values())
    bad = sum(size for texts in held.values() if (size := sum(map(len, texts))) >= FEW and _meaningless(texts))
    return bad > SIGNLESS * total or (len(held) > 1 and _meaningless([text for texts in held.values() for text in texts]))


def _meaningless(texts: Sequence[str]) -> bool:
    """Signs without a meaning, or words that are none; formulas, codes and figures are not."""
    size, without = sum(map(len, texts)), sum(map(_signless, texts))
    if without > SIGNLESS * size:
        return True
    good = total = vowels = 0
    for text in texts:
        weight, likely = _likely(text)
        total += weight
        good += weight if likely else 0
        vowels += len(_VOWELS.findall(text)) if weight else 0
    latin = len(_LATIN_LETTER.findall("".join(texts)))
    hard = 2 * latin > total and vowels < VOWELS * total
    least = POOR if without > SOME * size or hard else WORDLESS
    return (total >= ENOUGH and good < least * total) or _strange_han("".join(texts))


def _signless(text: str) -> int:
    """Characters of private use, replaced, unassigned or of control; the halves of pairs are none of them."""
    if text.isascii() and text.isprintable():
        return 0
    found = 0
    for at, char in enumerate(text):
        kind = unicodedata.category(char)
        pair = char == "\0" and at and text[at - 1] > "\uffff"
        found += (kind in ("Co", "Cn", "Cs", "Cc") or char == "\ufffd") and not pair
    return found


def _likely(text: str) -> tuple[int, bool]:
    """The number of letters of a word, 0 where it has too few to be judged, and whether it could be a word."""
    core = unicodedata.normalize("NFC", _EDGES.sub("", text))
    letters = sum(map(str.isalpha, core))
    if letters < 2 or 2 * letters < len(core):
        return 0, True
    if _LATIN.fullmatch(core) is None:
        # another script, alone in its word; or digits and letters mixed
        scripts = {unicodedata.name(char, "?").split()[0] for char in core if char.isalpha()}
        mixed = len(scripts) > 1 and not _HAN.search(core)
        return letters, not mixed and not ("LATIN" in scripts and any(map(str.isdigit, core)))
    plain = unicodedata.normalize("NFD", core)
    return letters, bool(_CASED.fullmatch(core)) and (letters < 3 or bool(_VOWELS.search(plain)))


def _strange_han(text: str) -> bool:
    """Ideographs that are hardly ever written, as a wrong table of characters gives them."""
    found = "".join(_HAN.findall(text))
    if len(found) < ENOUGH:
        return False
    rates = [encoding.rate(found) for encoding in encodings.ENCODINGS if encoding.name in ("cp950", "gb18030", "cp932", "cp949")]
    return max(rates) < 0.25


def agrees(layer: str, read: str) -> bool:
    """Whether two readings of a page have most characters in common, whatever their order."""
    one, two = (
        Counter(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum()) for text in (layer, read)
    )
    shared, least = (one & two).total(), max(1, min(one.total(), two.total()))
    return shared > AGREEING * least and 3 * min(one.total(), two.total()) > max(one.total(), two.total())
