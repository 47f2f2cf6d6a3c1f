"""Which engine reads a page: RapidOCR for Chinese and English, Tesseract for Vietnamese."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from pecia.parsing import encodings
from pecia.parsing.ocr import rapid, tesseract
from pecia.parsing.ocr.lines import Reader

LANGUAGES = ("auto", "zh", "en", "vi")
VIETNAMESE = "vie+eng"
ENOUGH = 60  # letters that tell a language
HAN = 0.15  # of the letters: Chinese, whatever else is there
SYLLABLES = 0.8  # rating as Vietnamese of a text layer or of what Tesseract read
HORNED = 0.012  # of the letters, that are written in Vietnamese only; RapidOCR loses the others
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_HORNED = re.compile("[đĐơƠưƯăĂ\u1ea0-\u1ef9]")
PYTHON = 'pip install "pecia[ocr]"'


def language_of(text: str) -> str:
    """`zh`, `vi`, `en` for any other language of Latin letters, or "" where the text is too short to tell."""
    letters = [char for char in unicodedata.normalize("NFC", text) if char.isalpha()]
    han = len(_HAN.findall(text))
    if han >= 20 and han > HAN * len(letters):
        return "zh"
    if len(letters) < ENOUGH:
        return ""
    horned = len(_HORNED.findall("".join(letters)))
    return "vi" if horned > HORNED * len(letters) else "en"


def well_read(text: str) -> bool:
    """Whether text that was read as Vietnamese is Vietnamese."""
    return language_of(text) == "vi" and encodings.vietnamese(text) >= SYLLABLES


@dataclass(slots=True)
class Engines:
    """The engines that are installed, each made when it is first needed. `language` as asked for, or `auto`.

    With `auto` a page is first given to the engine that read the page before it or that suits the pages with a text layer.
    What comes back tells its language: Vietnamese that RapidOCR read lacks most of its accents and is read again by
    Tesseract; what Tesseract read as Vietnamese and is none is read again by RapidOCR. Where Tesseract with `vie` is not
    installed, Vietnamese pages are not read at all: without its accents a word is another word.
    """

    language: str = "auto"
    _made: dict[str, Reader] = field(default_factory=dict)

    def reader(self, language: str) -> Reader | None:
        """The engine for a language, or None where it is not installed."""
        name = "vi" if language == "vi" else "zh"
        if name not in self._made:
            if name == "vi":
                if not {"vie", "eng"} <= tesseract.languages():
                    return None
                self._made[name] = tesseract.TesseractReader(VIETNAMESE)
            elif rapid.models() is None:
                return None
            else:
                self._made[name] = rapid.RapidReader()
        return self._made[name]

    def installed(self) -> bool:
        """Whether any page can be read as asked for: the extra is there, or Tesseract and Vietnamese was asked for."""
        return self.reader("vi") is not None if self.language == "vi" else rapid.models() is not None


def advice(languages: Sequence[str]) -> str:
    """How to install what reads pages of these languages; "" stands for one that is not known."""
    parts = []
    if any(language != "vi" for language in languages):
        parts.append(PYTHON)
    if "vi" in languages:
        parts.append(f"for Vietnamese apt-get install {tesseract.PACKAGES['vie']}")
    elif "" in languages:
        parts.append(f"for Vietnamese also apt-get install {tesseract.PACKAGES['vie']}")
    return "; ".join(parts)
