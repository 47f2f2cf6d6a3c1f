"""Smaller pictures of pages are still those pages."""

import struct
import zlib

import numpy as np
import pytest

from pecia.showing.pictures import compact


def png(rows: np.ndarray, filtered: int = 0) -> bytes:
    """An RGB picture as the page pictures are written."""
    height, width, _ = rows.shape
    data = b"".join(bytes([filtered]) + row.tobytes() for row in rows.astype(np.uint8))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    framed = (struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


def rgb(data: bytes) -> np.ndarray:
    """Pixels of a picture in its own colours."""
    size, at = struct.unpack_from(">I", data, 33)[0], 41
    assert (data[12:16], data[25], data[37:41]) == (b"IHDR", 2, b"IDAT")
    width, height = struct.unpack_from(">II", data, 16)
    rows = np.frombuffer(zlib.decompress(data[at : at + size]), np.uint8).reshape(height, -1)
    return rows[:, 1:].reshape(height, width, 3)


def read(data: bytes) -> np.ndarray:
    """Pixels of a picture that `compact` wrote."""
    at, found = 8, dict[bytes, bytes]()
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + body)
        found[kind] = body
        at += size + 12
    width, height, depth, colour = struct.unpack_from(">IIBB", found[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(height, -1)[:, 1:]
    if (depth, colour) == (4, 0):
        grey = np.stack((rows >> 4, rows & 15), 2).reshape(height, -1)[:, :width] * 17
        return np.stack([grey] * 3, 2)
    assert (depth, colour) == (8, 3)
    return np.frombuffer(found[b"PLTE"], np.uint8).reshape(-1, 3)[rows]


@pytest.mark.parametrize("width", [6, 7])
def test_grey_pages_keep_their_greys(width: int) -> None:
    rows = np.repeat(np.linspace(0, 255, 9 * width).astype(np.uint8).reshape(9, width, 1), 3, 2)
    shown = read(compact(png(rows), 10**6))
    assert shown.shape == rows.shape
    assert np.abs(shown.astype(int) - rows).max() <= 9


def test_coloured_pages_keep_their_colours() -> None:
    rows = np.random.default_rng(1).choice(np.array([[255, 255, 255], [0, 0, 0], [200, 30, 30], [20, 60, 160]]), (40, 30))
    shown = read(compact(png(rows), 10**6))
    assert np.abs(shown.astype(int) - rows).max() <= 9


def test_pages_of_very_many_colours_stay_near() -> None:
    rows = np.random.default_rng(1).integers(0, 256, (60, 80, 3))
    shown = read(compact(png(rows), 10**6))
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) <= 256
    assert np.abs(shown.astype(int) - rows).mean() < 32


def test_a_picture_that_is_too_large_loses_pixels_and_not_its_shape() -> None:
    rows = np.random.default_rng(1).integers(0, 256, (300, 240, 3))
    whole, two_thirds, half, grey = (compact(png(rows), most) for most in (10**6, 40_000, 20_000, 10))
    assert [read(data).shape for data in (whole, two_thirds, half, grey)] == [
        (300, 240, 3), (200, 160, 3), (150, 120, 3), (150, 120, 3),
    ]  # fmt: skip
    assert len(whole) > 40_000 >= len(two_thirds) > 20_000 >= len(half) > len(grey)
    assert [data[25] for data in (half, grey)] == [3, 0]


def test_averages_are_kept() -> None:
    rows = np.zeros((60, 60, 3), np.uint8)
    rows[:, 30:] = 255
    for most in (10**6, 100, 1):
        shown = read(compact(png(rows), most)).astype(int)
        assert shown[:, : shown.shape[1] // 2].mean() < 12
        assert shown[:, -shown.shape[1] // 2 :].mean() > 243


def test_other_pictures_come_back_as_they_are() -> None:
    filtered = png(np.zeros((4, 4, 3)), filtered=1)
    grey = bytearray(png(np.zeros((4, 4, 3))))
    grey[25] = 0
    for data in (b"\xff\xd8 a JPEG", b"", filtered, bytes(grey)):
        assert compact(data, 1) == data
