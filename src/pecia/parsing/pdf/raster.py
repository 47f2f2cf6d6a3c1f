"""Pictures: where raster images stand on a page, and the page itself as a PNG file."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from ctypes import byref, c_float
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as raw

from pecia.model import Box
from pecia.parsing.pdf.frame import Frame

DPI = 144
MOST_PIXELS = 40_000_000  # a page of 14,400 points would need 2.5 GB at 144 dpi; beyond this the scale goes down
WIDE, HIGH, BACKGROUND = 0.25, 20.0, 0.9
MOST_OBJECTS = 20_000  # drawings with more objects are not searched to their end
DEEPEST = 3  # forms within forms
FRAME = bytes((200, 60, 0))
TINT = bytes(value * 2 // 5 for value in range(256))

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def pictures(page: pypdfium2.PdfPage, frame: Frame) -> tuple[tuple[Box, ...], tuple[Box, ...]]:
    """The boxes of raster images, and those of large pictures of any kind; both as shown, clipped to the page.

    Large: a quarter of the page wide and 20 points high, and not the background of the page.
    """
    a, b, c, d, e, f = frame.matrix
    images, large = [], []
    for kind, (x0, y0, x1, y1) in _objects(page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, IDENTITY, DEEPEST):
        xs = sorted((a * x0 + c * y0 + e, a * x1 + c * y1 + e))
        ys = sorted((b * x0 + d * y0 + f, b * x1 + d * y1 + f))
        left, right = max(0.0, xs[0]), min(frame.width, xs[1])
        top, bottom = max(0.0, ys[0]), min(frame.height, ys[1])
        if right <= left or bottom <= top:
            continue
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(Box(left, top, right, bottom))
        if right - left >= WIDE * frame.width and HIGH <= bottom - top <= BACKGROUND * frame.height:
            large.append(Box(left, top, right, bottom))
    return tuple(images), tuple(large)


def _objects(
    owner: Any, count: Any, get: Any, matrix: Matrix, depth: int
) -> Iterator[tuple[int, tuple[float, float, float, float]]]:
    for index in range(min(count(owner), MOST_OBJECTS)):
        item = get(owner, index)
        kind = raw.FPDFPageObj_GetType(item)
        if kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING):
            edges = [c_float() for _ in range(4)]
            if raw.FPDFPageObj_GetBounds(item, *map(byref, edges)):
                left, bottom, right, top = (edge.value for edge in edges)
                yield kind, _moved((left, bottom, right, top), matrix)
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth:
            own = raw.FS_MATRIX()
            if raw.FPDFPageObj_GetMatrix(item, byref(own)):
                inner = _times((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
                yield from _objects(item, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, inner, depth - 1)


def _times(one: Matrix, two: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = two
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _moved(box: tuple[float, float, float, float], matrix: Matrix) -> tuple[float, float, float, float]:
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def screenshot(page: pypdfium2.PdfPage, path: Path, marks: Sequence[Box] = (), unit: float = 1.0) -> None:
    """Writes the page as shown at 144 dpi, coarser where it would be larger than 40 million pixels, with the marked boxes
    (in points times `unit`) tinted and framed."""
    width, height = page.get_size()
    scale = min(DPI / 72, (MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    bitmap = page.render(scale=scale, rev_byteorder=True, force_bitmap_format=raw.FPDFBitmap_BGR)
    try:
        pixels = bytearray(bitmap.buffer)
        for box in marks:
            _mark(pixels, bitmap.width, bitmap.height, bitmap.stride, box, scale / unit)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_png(bytes(pixels), bitmap.width, bitmap.height, bitmap.stride))
    finally:
        bitmap.close()


def _mark(pixels: bytearray, width: int, height: int, stride: int, box: Box, scale: float) -> None:
    """Takes most of the blue out of a box, so that the text under it stays readable on yellow, and draws its frame."""
    left, right = max(0, int(box.x0 * scale) - 2), min(width - 1, int(box.x1 * scale) + 2)
    top, bottom = max(0, int(box.y0 * scale) - 2), min(height - 1, int(box.y1 * scale) + 2)
    for row in range(top, bottom + 1):
        start, end = row * stride + 3 * left, row * stride + 3 * (right + 1)
        if row in (top, bottom):
            pixels[start:end] = FRAME * (right + 1 - left)
        else:
            pixels[start + 2 : end : 3] = pixels[start + 2 : end : 3].translate(TINT)
            pixels[start : start + 3] = pixels[end - 3 : end] = FRAME


def _png(pixels: bytes, width: int, height: int, stride: int) -> bytes:
    """Eight bits a channel, RGB, no filter."""
    rows = b"".join(b"\0" + pixels[at * stride : at * stride + 3 * width] for at in range(height))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows, 6)),
        (b"IEND", b""),
    )
    chunks = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
