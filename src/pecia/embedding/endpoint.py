"""A model at any endpoint that speaks the OpenAI protocol: its route `embeddings`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pecia.embedding.vectors import unit
from pecia.errors import ModelError, OptionError
from pecia.llm.route import Route
from pecia.settings import settings
from pecia.text.tokens import tokenizer as tokenizer_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BATCH = 32  # texts a request; servers that take more gain little from it, some take no more
_AROUND = 2  # tokens that a model puts around a text


class EndpointEmbedder:
    """The model `EMBED_MODEL_NAME` of `EMBED_BASE_URL`; what is not given is taken from the settings.

    `tokenizer` is a name or the path of a `tokenizer.json`: the protocol has no route that counts, so `count` is exact only with
    the tokenizer of the model itself. What is beyond the window is not sent. OptionError where no endpoint or no model is named,
    ModelError where it gives no vectors; neither ever holds the key.
    """

    def __init__(
        self,
        base_url: str = "",
        model: str = "",
        *,
        key: str | None = None,
        tokenizer: str = "",
        window: int = 0,
        query_prefix: str | None = None,
        passage_prefix: str | None = None,
        seconds: float = 0,
        pause: float = 0.5,
    ) -> None:
        held = settings()
        base_url, model = base_url or held.embed_base_url, model or held.embed_model_name
        for value, name in ((base_url, "EMBED_BASE_URL"), (model, "EMBED_MODEL_NAME")):
            if not value:
                raise OptionError(f"the embedder endpoint needs {name}")
        self._model, self._tokenizer = model, tokenizer_of(tokenizer or held.embed_tokenizer)
        self.window = window or held.embed_window
        self.query_prefix = held.embed_query_prefix if query_prefix is None else query_prefix
        self.passage_prefix = held.embed_passage_prefix if passage_prefix is None else passage_prefix
        self.name = f"{model} (endpoint, {self.query_prefix!r} {self.passage_prefix!r})"
        for prefix in (self.query_prefix, self.passage_prefix):
            if self._tokenizer.count(prefix) + _AROUND >= self.window:
                raise OptionError(f"the prefix {prefix!r} leaves no room in a window of {self.window} tokens (EMBED_WINDOW)")
        key = held.secret("embed_api_key") if key is None else key
        url = f"{base_url.rstrip('/')}/embeddings"
        self._route = Route(url, key, seconds=seconds or held.llm_seconds, pause=pause, purpose="the embedder endpoint")

    @cached_property
    def dimension(self) -> int:
        """As the model gives it, which is asked for one vector."""
        return int(self._vectors(["dimension"], None).shape[1])

    def count(self, text: str, *, query: bool = False) -> int:
        return self._tokenizer.count(self._with_prefix(text, query=query)) + _AROUND

    def passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        import numpy as np

        made = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [self._read(text, query=False) for text in texts[start : start + _BATCH]]
            made[start : start + _BATCH] = self._vectors(batch, self.dimension)
        return made

    def query(self, text: str) -> npt.NDArray[np.float32]:
        made: npt.NDArray[np.float32] = self._vectors([self._read(text, query=True)], None)[0]
        return made

    def _with_prefix(self, text: str, *, query: bool) -> str:
        # Servers refuse an empty text, and read one up to its first NUL.
        return (self.query_prefix if query else self.passage_prefix) + (text.replace("\0", " ") or " ")

    def _read(self, text: str, *, query: bool) -> str:
        """What of a text, behind its prefix, the model reads."""
        whole = self._with_prefix(text, query=query)
        room = self.window - _AROUND
        if self._tokenizer.count(whole) <= room:
            return whole
        end = self._tokenizer.index(whole).furthest(0, len(whole), room)
        while end > 1 and self._tokenizer.count(whole[:end]) > room:  # a piece may count a little more than it did in the whole
            end -= max(1, end // 100)
        return whole[:end]

    def _vectors(self, texts: list[str], dimension: int | None) -> npt.NDArray[np.float32]:
        """A row of length 1 for each text."""
        import numpy as np

        request = {"model": self._model, "input": texts, "encoding_format": "float"}
        try:
            rows = _rows(self._route.post(request, time.monotonic() + self._route.seconds), len(texts))
            made = np.array(rows, np.float32)
            if made.ndim != 2 or not made.shape[1] or (dimension or made.shape[1]) != made.shape[1]:
                raise ValueError("vectors of several dimensions")
            return unit(made)
        except ModelError as error:
            raise ModelError(f"{self._model}: {error.message}", final=error.final) from None
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{self._model}: what the endpoint sent holds no vector for each text") from error


def _rows(answer: Mapping[str, Any], wanted: int) -> list[Any]:
    """The vectors in the order of the texts: what an item is of, its index says."""
    rows = {int(item["index"]): item["embedding"] for item in answer["data"]}
    if sorted(rows) != list(range(wanted)):
        raise ValueError("not one for each text")
    return [rows[number] for number in range(wanted)]
