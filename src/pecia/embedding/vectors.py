"""Rows of numbers as vectors of length 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def unit(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Each row at length 1; ValueError for one that is not finite or has no direction."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise ValueError("a vector that is not finite, or zero")
    made: npt.NDArray[np.float32] = rows / lengths
    return made
