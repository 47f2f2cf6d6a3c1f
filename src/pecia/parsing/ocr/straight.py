"""How askew a page image is, by the profile of its rows: text that lies level leaves empty rows between its lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pecia.parsing.ocr.lines import Pixels

WIDEST = 7.0  # degrees; a sheet that a feeder drew in askew is below 3
COARSE, FINE = 0.5, 0.05  # degrees
LONGEST = 900  # pixels of the longer side that the angle is measured at: 0.05 degrees are 0.8 of them
TILE = 24  # pixels; the paper may be darker at the fold
DARKER = 0.72  # of the paper around it: ink
FEWEST = 150  # dark pixels that say something
CLEARER = 1.15  # times the sharpness of the level page, for a page to be turned at all
SIDEWAYS = 1.6  # times the sharpness of the rows that the columns must have


def ink(image: Pixels) -> NDArray[np.bool_]:
    """Where the image is clearly darker than the paper around; light text on dark paper is turned over."""
    if not image.size:
        return np.zeros(image.shape, dtype=np.bool_)
    grey = 255 - image if float(np.median(image[::4, ::4])) < 100 else image
    rows, columns = -(-grey.shape[0] // TILE), -(-grey.shape[1] // TILE)
    padded = np.pad(grey, ((0, rows * TILE - grey.shape[0]), (0, columns * TILE - grey.shape[1])), mode="edge")
    tiles = padded.reshape(rows, TILE, columns, TILE).swapaxes(1, 2).reshape(rows, columns, TILE * TILE)
    # In bytes throughout: as floats a sheet of 16 million pixels took 1.2 GB.
    at = TILE * TILE * 85 // 100
    paper = np.maximum(np.partition(tiles, at, axis=2)[:, :, at], 0.6 * float(np.percentile(grey[::4, ::4], 75)))
    limit = np.ceil(paper * DARKER).astype(np.uint8)
    spread = np.repeat(np.repeat(limit, TILE, axis=0), TILE, axis=1)[: grey.shape[0], : grey.shape[1]]
    dark: NDArray[np.bool_] = grey < spread
    return dark


def shrunk(image: Pixels, longest: int) -> Pixels:
    """The image in means of blocks, its longer side not above `longest` pixels."""
    step = -(-max(image.shape) // longest) if image.size else 1
    if step <= 1:
        return image
    height, width = image.shape[0] // step * step, image.shape[1] // step * step
    blocks = image[:height, :width].reshape(height // step, step, width // step, step)
    means: Pixels = blocks.mean(axis=(1, 3)).astype(np.uint8)
    return means


def skew_of(image: Pixels) -> tuple[float, bool]:
    """Degrees by which the lines of the image fall to the right, and whether they run up and down the image instead.

    0 where no angle makes the rows of the image clearly sharper than they are.
    """
    dark = ink(shrunk(image, LONGEST))
    ys, xs = (axis.astype(np.float64) for axis in np.nonzero(dark))
    if len(ys) < FEWEST or dark.mean() > 0.5:
        return 0.0, False
    level, sharp = _best(xs, ys)
    upright, other = _best(-ys, xs)
    return (upright, True) if other > SIDEWAYS * sharp else (level, False)


def _best(xs: NDArray[np.float64], ys: NDArray[np.float64]) -> tuple[float, float]:
    """The angle at which the rows are sharpest, and how sharp."""
    first = _sharpness(xs, ys, 0.0)
    coarse = max(np.arange(-WIDEST, WIDEST + COARSE / 2, COARSE), key=lambda angle: (_sharpness(xs, ys, angle), -abs(angle)))
    near = np.arange(coarse - COARSE, coarse + COARSE + FINE / 2, FINE)
    best = float(max(near, key=lambda angle: (_sharpness(xs, ys, angle), -abs(angle))))
    sharp = _sharpness(xs, ys, best)
    return (best, sharp) if sharp > CLEARER * first else (0.0, first)


def _sharpness(xs: NDArray[np.float64], ys: NDArray[np.float64], degrees: float) -> float:
    """How much neighbouring rows differ, once the points are turned back by the angle."""
    angle = np.deg2rad(degrees)
    turned = ys * np.cos(angle) - xs * np.sin(angle)
    rows = np.bincount((turned - turned.min()).astype(np.int64))
    return float((np.diff(rows.astype(np.float64)) ** 2).sum())
