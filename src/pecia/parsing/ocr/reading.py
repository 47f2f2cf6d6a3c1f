"""A page given to an engine the right way up."""

from __future__ import annotations

import pypdfium2

from pecia.parsing.ocr import raster, straight
from pecia.parsing.ocr.adapter import ReadPage
from pecia.parsing.ocr.lines import LEAST, Reader, TextLine, confidence, text_of
from pecia.parsing.pdf.glyphs import PageGlyphs

LOOK = 100  # dpi at which the angle of a page is measured
SURE, SPECKS = 0.75, 20  # confidence of a page with fewer characters than this, to be more than a figure in a photograph
UPRIGHT = 0.8  # confidence of a page that stands the right way up; upside down 0.3 to 0.6


def upright(shown: pypdfium2.PdfPage, own: PageGlyphs, reader: Reader) -> ReadPage:
    """The page, read the way up in which the engine is surest of it: as it lies first, then turned."""
    image, _ = raster.pixels(shown, own.frame, LOOK)
    skew, sideways = straight.skew_of(image)
    best: ReadPage | None = None
    for turns in (1, 3, 0) if sideways else (0, 2, 1, 3):
        angle = skew if bool(turns % 2) == sideways else 0.0
        read = _read_at(shown, own, reader, turns, angle)
        if best is None or read.confidence * len(text_of(read.lines)) > best.confidence * len(text_of(best.lines)):
            best = read
        if read.confidence >= UPRIGHT or (not read.lines and not read.left_out):
            break
    assert best is not None
    return best


def _read_at(shown: pypdfium2.PdfPage, own: PageGlyphs, reader: Reader, turns: int, skew: float) -> ReadPage:
    image, placing = raster.pixels(shown, own.frame, reader.dpi, turns, skew)
    every = reader(image)
    lines: list[TextLine] = [line for line in every if line.confidence >= LEAST]
    if confidence(lines) < SURE and len(text_of(lines)) < SPECKS:
        lines = []
    return ReadPage(own.index, lines, placing, reader.name, confidence(lines), len(every) - len(lines))
