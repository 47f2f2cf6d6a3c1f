"""Page pictures made small enough to travel inside one file: fewer colours, and fewer pixels where that is not enough."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[Any]

HEAD = b"\x89PNG\r\n\x1a\n"
PLAIN_RGB = (8, 2, 0, 0, 0)  # depth, colour, and nothing else out of the ordinary
MOST_COLOURS = 256


def compact(png: bytes, most: int) -> bytes:
    """The picture as 16 greys, or 256 colours where it has any, in at most `most` bytes if two thirds or half of its
    pixels each way, or at last greys alone, get it there. What is not an RGB picture with unfiltered rows comes back as
    it is."""
    pixels = _pixels(png)
    if pixels is None:
        return png
    best = _written(pixels)
    for smaller in (_two_thirds, _half, _grey_half):
        if len(best) <= most or min(pixels.shape[:2]) < 3:
            break
        best = _written(smaller(pixels))
    return best


def crop(png: bytes, shares: tuple[float, float, float, float]) -> bytes | None:
    """A part of the picture in its own colours: left, top, right and bottom as shares of its width and height, at least a
    pixel each way. None where the picture is of another form."""
    pixels = _pixels(png)
    if pixels is None:
        return None
    height, width = pixels.shape[:2]
    left, top = min(width - 1, int(shares[0] * width)), min(height - 1, int(shares[1] * height))
    right, bottom = max(left + 1, math.ceil(shares[2] * width)), max(top + 1, math.ceil(shares[3] * height))
    part = pixels[top:bottom, left:right]
    return _png(part.shape[1], part.shape[0], part.reshape(part.shape[0], -1), depth=8, colour=2)


def _pixels(png: bytes) -> Pixels | None:
    """Rows of RGB, or None where the picture is of another form."""
    parts = list(_parts(png)) if png.startswith(HEAD) else []
    if not parts or parts[0][0] != b"IHDR":
        return None
    width, height, *form = struct.unpack(">IIBBBBB", parts[0][1])
    if tuple(form) != PLAIN_RGB:
        return None
    data = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    rows = np.frombuffer(data, np.uint8).reshape(height, 1 + 3 * width)
    return None if rows[:, 0].any() else rows[:, 1:].reshape(height, width, 3)


def _parts(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(HEAD)
    while at + 8 <= len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        yield kind, png[at + 8 : at + 8 + size]
        at += size + 12


def _two_thirds(pixels: Pixels) -> Pixels:
    """Each three pixels become two, on both axes."""
    for axis in (0, 1):
        moved = np.moveaxis(pixels, axis, 0)
        moved = moved[: len(moved) // 3 * 3].astype(np.uint16)
        first, middle, last = moved[0::3], moved[1::3], moved[2::3]
        made = np.stack(((2 * first + middle) // 3, (middle + 2 * last) // 3), 1).reshape(-1, *moved.shape[1:])
        pixels = np.moveaxis(made.astype(np.uint8), 0, axis)
    return pixels


def _half(pixels: Pixels) -> Pixels:
    height, width = pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2
    even = pixels[:height, :width].astype(np.uint16)
    return ((even[0::2, 0::2] + even[1::2, 0::2] + even[0::2, 1::2] + even[1::2, 1::2]) // 4).astype(np.uint8)


def _grey_half(pixels: Pixels) -> Pixels:
    grey = _half(pixels).mean(axis=2, keepdims=True)
    return np.repeat(grey.astype(np.uint8), 3, axis=2)


def _written(pixels: Pixels) -> bytes:
    """A PNG of 16 greys, or with a palette."""
    levels = ((pixels.astype(np.uint16) * 15 + 127) // 255).astype(np.uint16)
    bins = levels[..., 0] << 8 | levels[..., 1] << 4 | levels[..., 2]
    counts = np.bincount(bins.ravel(), minlength=4096)
    used = np.flatnonzero(counts)
    channels = np.stack((used >> 8, used >> 4 & 15, used & 15), 1)
    height, width = bins.shape
    if (np.ptp(channels, axis=1) <= 1).all():
        grey = levels[..., 1].astype(np.uint8)
        if width % 2:
            grey = np.pad(grey, ((0, 0), (0, 1)))
        return _png(width, height, grey[:, 0::2] << 4 | grey[:, 1::2], depth=4, colour=0)
    kept = np.sort(used[np.argsort(-counts[used], kind="stable")[:MOST_COLOURS]])
    palette = np.stack((kept >> 8, kept >> 4 & 15, kept & 15), 1)
    distance = ((channels[:, None].astype(np.int32) - palette[None]) ** 2).sum(2)
    table = np.zeros(4096, np.uint8)
    table[used] = distance.argmin(1)
    return _png(width, height, table[bins], depth=8, colour=3, palette=(palette * 17).astype(np.uint8).tobytes())


def _png(width: int, height: int, rows: Pixels, *, depth: int, colour: int, palette: bytes = b"") -> bytes:
    unfiltered = np.pad(rows, ((0, 0), (1, 0))).tobytes()
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))]
    parts += [(b"PLTE", palette)] if palette else []
    parts += [(b"IDAT", zlib.compress(unfiltered, 9)), (b"IEND", b"")]
    framed = (struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts)
    return HEAD + b"".join(framed)
