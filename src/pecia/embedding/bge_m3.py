"""BAAI/bge-m3 from a folder with its weights: a vector for each text, and a weight for each of its tokens.

onnxruntime and tokenizers, and not FlagEmbedding, which computes the same with torch and transformers: 70 MB to install
against some 5 GB. The folder holds what the model's page on the Hugging Face hub offers: `onnx/model.onnx` with the files beside
it, `onnx/tokenizer.json`, and `sparse_linear.pt` for the weights of tokens.
"""

from __future__ import annotations

import hashlib
import pickle
import zipfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pecia.embedding.vectors import unit
from pecia.errors import MissingExtraError, OptionError
from pecia.settings import settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_EXTRA = "bge-m3"
_HASHED = 64 << 20  # bytes of the graph that go into the name; the weights of the published one lie beside it
_MOST_WEIGHTS = 1 << 20  # bytes of sparse_linear.pt, which has 3 KB
# The dimension types of the two kinds of number that torch stores such weights in.
_STORED = {"HalfStorage": "<f2", "FloatStorage": "<f4"}


class BgeM3Embedder:
    """1,024 dimensions, 8,192 tokens (Chen et al., M3-Embedding, 2024). The prefixes suit heritage institutions; the model itself
    wants none, and other ones may be given.

    OptionError where the folder (`PECIA_BGE_M3_FOLDER` where none is given) is not named or holds no weights: nothing is ever
    downloaded. MissingExtraError where onnxruntime or tokenizers is not installed. Texts are read one by one, since those that
    stand together would be filled up to the longest.
    """

    window = 8192

    def __init__(
        self,
        folder: str | Path = "",
        *,
        query_prefix: str = "Represent this heritage institution query: ",
        passage_prefix: str = "Represent this heritage institution text: ",
    ) -> None:
        self.query_prefix, self.passage_prefix = query_prefix, passage_prefix
        self._folder = _weights_folder(folder or settings().bge_m3_folder)
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError(str(error.name), _EXTRA, "the embedder bge-m3") from error
        graph = self._folder / "onnx" / "model.onnx"
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            self._session: Any = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
            self._tokenizer: Any = Tokenizer.from_file(str(self._folder / "onnx" / "tokenizer.json"))
        except Exception as error:  # the libraries raise nothing narrower
            raise OptionError(f"bge-m3: {self._folder} cannot be read: {' '.join(str(error).split())[:200]}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._inputs = {item.name for item in self._session.get_inputs()}
        # One vector for each token, by whatever name it was exported: (texts, tokens, dimension).
        tokens = [item for item in self._session.get_outputs() if len(item.shape) == 3]
        if not tokens or not isinstance(tokens[0].shape[2], int):
            raise OptionError(f"bge-m3: {graph} gives no vector for each token")
        self._output, self.dimension = tokens[0].name, int(tokens[0].shape[2])
        with graph.open("rb") as file:
            version = hashlib.sha256(file.read(_HASHED)).hexdigest()[:8]
        self.name = f"bge-m3 (onnx {version}, {query_prefix!r} {passage_prefix!r})"

    def count(self, text: str, *, query: bool = False) -> int:
        return len(self._encoded(text, query=query).ids)

    def passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        import numpy as np

        made = np.empty((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            made[at] = self._dense(text, query=False)
        return made

    def query(self, text: str) -> npt.NDArray[np.float32]:
        return self._dense(text, query=True)

    def lexical(self, text: str, *, query: bool = False) -> dict[int, float]:
        """The weight of each token of a text, by its number in the vocabulary: the largest where it stands several times.

        How much two texts share is the sum over their common tokens of the products of the weights.
        """
        weight, bias = self._linear
        ids, hidden = self._hidden(text, query=query)
        special = {number for number in map(self._tokenizer.token_to_id, ("<s>", "<pad>", "</s>", "<unk>")) if number is not None}
        found: dict[int, float] = {}
        for number, value in zip(ids, (hidden @ weight + bias).tolist(), strict=True):
            if value > max(0.0, found.get(number, 0.0)) and number not in special:
                found[number] = value
        return found

    def _encoded(self, text: str, *, query: bool) -> Any:
        return self._tokenizer.encode((self.query_prefix if query else self.passage_prefix) + text)

    def _dense(self, text: str, *, query: bool) -> npt.NDArray[np.float32]:
        return cast("npt.NDArray[np.float32]", unit(self._hidden(text, query=query)[1][:1])[0])

    def _hidden(self, text: str, *, query: bool) -> tuple[list[int], npt.NDArray[np.float32]]:
        """The tokens that are read, and the vector of each; that of the first is the text's."""
        import numpy as np

        ids = self._encoded(text, query=query).ids
        if len(ids) > self.window:
            ids = [*ids[: self.window - 1], ids[-1]]  # the last token ends every text
        given = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": [0] * len(ids)}
        feed = {name: np.array([values], np.int64) for name, values in given.items() if name in self._inputs}
        hidden = self._session.run([self._output], feed)[0][0]
        return ids, hidden.astype(np.float32)

    @cached_property
    def _linear(self) -> tuple[npt.NDArray[np.float32], float]:
        """The layer that weighs tokens."""
        path = self._folder / "sparse_linear.pt"
        try:
            held = _tensors(path)
            weight, bias = held["weight"].reshape(-1), held["bias"].reshape(-1)
        except (OSError, KeyError, ValueError, TypeError, AttributeError, zipfile.BadZipFile, pickle.UnpicklingError) as error:
            raise OptionError(f"bge-m3: the weights of tokens cannot be read from {path}: {type(error).__name__}") from error
        if len(weight) != self.dimension or len(bias) != 1:
            raise OptionError(f"bge-m3: {path} is not of this model")
        return weight, float(bias[0])


def _weights_folder(given: str | Path) -> Path:
    wanted = "the folder of the model's weights, with onnx/model.onnx and onnx/tokenizer.json"
    if not given:
        raise OptionError(f"the embedder bge-m3 needs {wanted}: set PECIA_BGE_M3_FOLDER. Nothing is downloaded")
    folder = Path(given)
    for name in ("model.onnx", "tokenizer.json"):
        if not (folder / "onnx" / name).is_file():
            raise OptionError(f"the embedder bge-m3 needs {wanted}; {folder} has no onnx/{name}. Nothing is downloaded")
    return folder


def _tensors(path: Path) -> Mapping[str, npt.NDArray[np.float32]]:
    """The tensors of a file of torch, by name, without torch: no code in it is run."""
    import numpy as np

    with zipfile.ZipFile(path) as archive:
        names = {name.partition("/")[2]: archive.getinfo(name) for name in archive.namelist()}
        if sum(item.file_size for item in names.values()) > _MOST_WEIGHTS:
            raise ValueError("too large")

        class Reader(pickle.Unpickler):
            def find_class(self, module: str, name: str) -> Any:
                if (module, name) == ("collections", "OrderedDict"):
                    return dict
                if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
                    return lambda storage, offset, size, *_: storage[offset : offset + int(np.prod(size))].reshape(size)
                if module == "torch" and name in _STORED:
                    return _STORED[name]
                raise pickle.UnpicklingError(f"{module}.{name}")

            def persistent_load(self, told: Any) -> Any:
                _, kind, key, *_ = told
                return np.frombuffer(archive.read(names[f"data/{key}"]), kind).astype(np.float32)

        with archive.open(names["data.pkl"]) as file:
            held = Reader(file).load()
    if not isinstance(held, dict):
        raise TypeError("no tensors")
    return held
