"""The codes of what is found about scanned pages and about text layers."""

from __future__ import annotations

from pecia.model import Finding, Severity

# Code, severity and text of each finding; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "OCR101": (
        Severity.WARNING,
        """Every page on which something is printed has text that can be used, or was read by OCR.

Why: what is on the page is in no chunk and no search finds it, although the file was taken in without an error.
Example: a paper that was scanned, parsed where the extra `ocr` is not installed.""",
    ),
    "OCR102": (
        Severity.INFO,
        """The text of every page is that of the file, not what an engine made of a picture.

Why: a quote from such a page stands in the document as it was read; the page may say otherwise in a letter.
Example: `内` for `內` on a page that was scanned at 100 dpi.""",
    ),
    "OCR103": (
        Severity.WARNING,
        """The engine is sure of what it read.

Why: below a confidence of 0.85 every second line has a fault; look at the page before you rely on it.
Example: the third carbon copy of a letter of 1961.""",
    ),
    "OCR201": (
        Severity.WARNING,
        """The characters of a text layer are those that are seen on the page.

Why: a font without a table of its characters gives signs that look right in a viewer and are others in the file.
Example: a page that shows `Annual report` and whose text is `\\ue041\\ue06e\\ue06e\\ue075`.""",
    ),
    "OCR202": (
        Severity.WARNING,
        """Text is set in fonts of Unicode.

Why: the letters of a font of the TCVN3 (ABC) or VNI family were given back by table, and so was UTF-8 that had been read
as cp1252; what is quoted is what the page shows, not what the file holds.
Example: `ViÖt Nam` in .VnTime, taken in as `Việt Nam`.""",
    ),
    "OCR203": (
        Severity.WARNING,
        """No text looks like letters of an older encoding.

Why: neither a search nor a quote finds the word that was meant; it is not certain enough to be changed.
Example: `cafÃ©` amid other accented letters, or `ViÖt` in a font with a plain name.""",
    ),
}


def finding(code: str, message: str) -> Finding:
    return Finding(code, CODES[code][0], message)
