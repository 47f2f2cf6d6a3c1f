"""A page as grey pixels, turned so that its text stands upright, by pdfium itself: the picture is resampled only once."""

from __future__ import annotations

from ctypes import byref
from math import cos, floor, radians, sin

import numpy as np
import pypdfium2
import pypdfium2.raw as raw

from pecia.parsing.ocr.lines import Pixels, Placing
from pecia.parsing.pdf.frame import Frame

MOST_PIXELS = 16_000_000  # an A4 page at 300 dpi has 8.7 million; larger sheets are drawn coarser
LONGEST_SIDE = 16_384  # pixels: an A0 sheet at 300 dpi has 14,043; a strip a point wide and a mile long is drawn coarser too


def pixels(page: pypdfium2.PdfPage, frame: Frame, dpi: float, turns: int = 0, skew: float = 0.0) -> tuple[Pixels, Placing]:
    """The page so laid down, annotations included, on white."""
    width, height = frame.width, frame.height
    scale = min(dpi / 72, (MOST_PIXELS / max(1.0, width * height)) ** 0.5, LONGEST_SIDE / max(1.0, width, height))
    columns, rows = (height, width) if turns % 2 else (width, height)
    columns, rows = max(1, round(columns * scale)), max(1, round(rows * scale))
    canvas: Pixels = np.full((rows, columns), 255, dtype=np.uint8)
    bitmap = raw.FPDFBitmap_CreateEx(columns, rows, raw.FPDFBitmap_Gray, canvas.ctypes.data, columns)
    try:
        a, b, c, d = _rotation(90.0 * turns - skew, scale)
        # pdfium lays the page out on whole points before the matrix is applied
        across, down = page.get_size()
        x, y = width / max(1, floor(across)), height / max(1, floor(down))
        e = columns / 2 - (a * width + c * height) / 2
        f = rows / 2 - (b * width + d * height) / 2
        matrix, clip = raw.FS_MATRIX(a * x, b * x, c * y, d * y, e, f), raw.FS_RECTF(0, 0, columns, rows)
        raw.FPDF_RenderPageBitmapWithMatrix(bitmap, page.raw, byref(matrix), byref(clip), raw.FPDF_ANNOT)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return canvas, Placing(turns % 4, skew, scale)


def _rotation(degrees: float, scale: float) -> tuple[float, float, float, float]:
    """a, b, c, d that turn clockwise, y downwards."""
    angle = radians(degrees)
    return scale * cos(angle), scale * sin(angle), -scale * sin(angle), scale * cos(angle)
