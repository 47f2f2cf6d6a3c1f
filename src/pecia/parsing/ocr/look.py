"""Whether something is printed on a page that has little text or none: for that it must be looked at."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pypdfium2.raw as raw

from pecia.parsing.ocr.layers import FEW, Layer, garbled
from pecia.parsing.ocr.lines import Pixels
from pecia.parsing.ocr.raster import pixels
from pecia.parsing.ocr.straight import ink
from pecia.parsing.pdf.frame import Frame
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs

LOOK = 50  # dpi at which a page is looked at
BLANK = 0.0006  # of the page: less ink is dust
PAPER = 165  # grey of the paper of a printed page, at least; photographs are darker
PRINTED = 0.01, 0.3  # of the page: ink of a printed one outside its own words


def by_look(page: pypdfium2.PdfPage, frame: Frame, glyphs: PageGlyphs, fonts: Fonts) -> Layer:
    """What the text of a page is good for, with few characters on a picture or none at all."""
    words = list(glyphs.words())
    size = sum(word.end - word.start for word in words)
    if size >= FEW and garbled(glyphs, fonts, words):
        return Layer.GARBLED
    if size and _hidden(page):
        return Layer.TEXT
    image, placing = pixels(page, frame, LOOK)
    dark = ink(image)
    if not size:
        return Layer.BARE if dark.mean() > BLANK else Layer.BLANK
    for word in words:
        if not word.turns:
            scale = placing.scale
            dark[int(word.y0 * scale) : int(word.y1 * scale) + 1, int(word.x0 * scale) : int(word.x1 * scale) + 1] = False
    return Layer.STAMPED if _printed(image, float(dark.mean())) else Layer.TEXT


def _printed(image: Pixels, share: float) -> bool:
    return float(np.median(image)) >= PAPER and PRINTED[0] <= share <= PRINTED[1]


def _hidden(page: pypdfium2.PdfPage) -> bool:
    """Whether text is there that is not drawn: what a scanner's own OCR leaves."""
    for item in range(min(raw.FPDFPage_CountObjects(page.raw), 2000)):
        handle = raw.FPDFPage_GetObject(page.raw, item)
        if raw.FPDFPageObj_GetType(handle) == raw.FPDF_PAGEOBJ_TEXT:
            return bool(raw.FPDFTextObj_GetTextRenderMode(handle) == raw.FPDF_TEXTRENDERMODE_INVISIBLE)
    return False
