"""What every embedder promises, as a suite that others can run on theirs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pecia.protocols import Embedder

# A question, the passage that answers it, one that does not.
_PAIRS = (
    (
        "What dose of paracetamol may an adult take?",
        "Adults: 500 mg of paracetamol every six hours.",
        "The ferry leaves at nine.",
    ),
    ("Liều paracetamol cho người lớn?", "Người lớn: uống 500 mg paracetamol mỗi 6 giờ.", "Tàu rời bến lúc chín giờ."),
    ("渡輪何時開出？", "渡輪每天早上九時從碼頭開出。", "成人每六小時服五百毫克。"),
)
_ODD = ("", " ", "\n\n", "a\0b", "e\u0301", "👩\u200d🔬 500 mg", "字" * 3000, "\u202eabc")


def check_embedder(make: Callable[[], Embedder]) -> None:
    """Runs the suite; AssertionError says which promise is broken by which text. `make` gives a new embedder each time."""
    embedder = make()
    assert embedder.name.strip(), "it has no name"
    assert min(embedder.dimension, embedder.window) > 0, "dimension and window are not stated"
    _shapes(embedder)
    _order_and_company(embedder)
    _windows(embedder)
    _meaning(embedder)
    again = make()
    assert again.name == embedder.name, "two of a kind have two names"
    texts = [passage for _, passage, _ in _PAIRS]
    assert np.allclose(again.passages(texts), embedder.passages(texts), atol=1e-4), "two of a kind give two vectors"


def _shapes(embedder: Embedder) -> None:
    assert embedder.passages([]).shape == (0, embedder.dimension), "no passages give no (0, dimension) matrix"
    made = embedder.passages(_ODD)
    assert made.shape == (len(_ODD), embedder.dimension), f"{len(_ODD)} passages give {made.shape}"
    assert made.dtype == np.float32, f"vectors are {made.dtype}, not float32"
    for text, vector in zip(_ODD, made, strict=True):
        assert np.isfinite(vector).all(), f"{text[:12]!r}: the vector is not finite"
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-3, f"{text[:12]!r}: the vector is {np.linalg.norm(vector)} long, not 1"
    asked = embedder.query("dose")
    assert asked.shape == (embedder.dimension,), f"a query gives {asked.shape}"
    assert abs(float(np.linalg.norm(asked)) - 1) < 1e-3, "a query's vector is not of length 1"


def _order_and_company(embedder: Embedder) -> None:
    """A vector is that of its text, whatever stands beside it and in whatever order."""
    texts = [text for pair in _PAIRS for text in pair] * 4
    together = embedder.passages(texts)
    assert np.allclose(embedder.passages(texts[::-1])[::-1], together, atol=1e-3), "the order of passages changes their vectors"
    alone = np.vstack([embedder.passages([text]) for text in texts[:9]])
    assert np.allclose(alone, together[:9], atol=1e-3), "passages that stand beside it change a vector"


def _windows(embedder: Embedder) -> None:
    for prefix in (embedder.query_prefix, embedder.passage_prefix):
        assert isinstance(prefix, str), "prefixes are not stated"
    long = "dose " * (2 * embedder.window)
    assert embedder.count(long) > embedder.window, "what does not fit the window is not counted"
    assert embedder.count("dose") <= embedder.count("dose dose dose"), "more text counts less"
    bare = embedder.count("dose", query=True)
    assert not embedder.query_prefix or bare > 1, "the prefix is not counted"


def _meaning(embedder: Embedder) -> None:
    for question, right, wrong in _PAIRS:
        asked = embedder.query(question)
        near, far = embedder.passages([right, wrong]) @ asked
        assert near > far, f"{question!r} is nearer to {wrong!r} than to {right!r}"
