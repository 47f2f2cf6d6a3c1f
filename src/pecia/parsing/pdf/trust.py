"""Why a table cannot be trusted: garbled text, cells that do not keep to the grid, characters that would be lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs, Word
from pecia.parsing.pdf.rows import rows_of
from pecia.parsing.pdf.sketch import Sketch

RAGGED = "cells do not keep to the grid: {} words stand across its lines"
OVERLAP = "{} words of the table are printed over one another"
GARBLED = "garbled text: {} of {} words have characters that no writing puts together"

FEWEST_GARBLED, SHARE_GARBLED = 3, 0.12  # words, and share of the words with a letter
OVER = 0.3  # of the size: so far one word may reach into the next one

# What the private code tables of older Vietnamese, Greek and Cyrillic fonts put in the place of letters, besides letters.
# Not the raised figures, the marks of notes, quotes and registered names that words really have.
_INSIDE = "¡¢£¤¥¦§¨©ª«¬®¯±´µ¶¸»¼½¾¿\u2212\u00ad"
_SIGNS = "¡¢£¤¥¦§¨©ª«¬®¯±´µ¶·¸»¼½¾¿"
_AFTER = "¡¤¦¨¬¯´¸¼½¾¿"
_SIGN_IN_WORD = re.compile(rf"[^\W\d_][{_INSIDE}][^\W\d_]|[{_SIGNS}]{{2}}|[^\W\d_][{_AFTER}]")
_CAPITAL_INSIDE = re.compile(r"[a-zà-ÿ\u0111][À-ÖØ-Þ\u0110](?![A-ZÀ-ÖØ-Þ])|[A-ZÀ-ÖØ-Þ][a-z]+[À-ÖØ-Þ]")
_BROKEN = re.compile("[\x00-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")
# Bullets, ticks and arrows of symbol fonts, alone in a cell: their meaning is in their shape.
_SYMBOL = re.compile("[\uf000-\uf0ff]{1,2}")


def reason_of(sketch: Sketch) -> str:
    """Why the cells cannot be trusted, in words; empty where they can."""
    words = list(sketch.words())
    texts = [unicodedata.normalize("NFC", sketch.page.text(word)) for word in words]
    bad, counted = sum(map(is_garbled, texts)), len(texts)
    reasons = [sketch.reason] if sketch.reason else []
    if bad >= FEWEST_GARBLED and bad > SHARE_GARBLED * counted:
        reasons.append(GARBLED.format(bad, counted))
    over = _overprinted(words, sketch.page, sketch.fonts)
    if over >= max(2, 0.05 * len(words)):
        reasons.append(OVERLAP.format(over))
    return "; ".join(reasons)


def is_garbled(text: str) -> bool:
    """A word that is no word in any writing: letters from the code table of another font, private or broken characters."""
    if _BROKEN.search(text):
        return not _SYMBOL.fullmatch(text)
    if text.isascii():
        return False
    return bool(_SIGN_IN_WORD.search(text) or _CAPITAL_INSIDE.search(text))


def _overprinted(words: Sequence[Word], page: PageGlyphs, fonts: Fonts) -> int:
    """Words that the next one on their line begins before they end."""
    count = 0
    for turns in {word.turns for word in words}:
        for row in rows_of([word for word in words if word.turns == turns], page, fonts):
            held = sorted(row.words, key=lambda word: word.x0)
            count += sum(after.x0 < before.x1 - OVER * row.size for before, after in pairwise(held))
    return count
