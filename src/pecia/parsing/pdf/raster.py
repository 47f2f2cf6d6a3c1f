"""A page as a PNG file."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
import pypdfium2.raw as raw

from pecia.model import Box

DPI = 144
MOST_PIXELS = 40_000_000  # a page of 14,400 points would need 2.5 GB at 144 dpi; beyond this the scale goes down
FRAME = bytes((200, 60, 0))
TINT = bytes(value * 2 // 5 for value in range(256))


def screenshot(page: pypdfium2.PdfPage, path: Path, marks: Sequence[Box] = (), unit: float = 1.0, *, dpi: int = DPI) -> None:
    """Writes the page as shown at `dpi`, coarser where it would be larger than 40 million pixels, with the marked boxes
    (in points times `unit`) tinted and framed."""
    width, height = page.get_size()
    scale = min(dpi / 72, (MOST_PIXELS / max(1.0, width * height)) ** 0.5)
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
