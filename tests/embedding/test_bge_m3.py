"""The embedder `bge-m3` on a model of its shape that the test makes: an embedding of tokens whose first stands for all of them.
What it says of real weights is not tested: they are no part of any package."""

import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from pecia import plugins
from pecia.cli.main import app
from pecia.embedding.bge_m3 import BgeM3Embedder
from pecia.errors import OptionError
from pecia.settings import settings
from pecia.testing.embedders import _PAIRS, check_embedder

onnx = pytest.importorskip("onnx")
tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("onnxruntime")
WIDTH = 512
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


class Storage:
    """Pickled as torch does a tensor: by name alone, with its numbers in a file of their own."""

    def __init__(self, key: str, size: int) -> None:
        self.key, self.size = key, size


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        return ("storage", HalfStorage, value.key, "cpu", value.size) if isinstance(value, Storage) else None


HalfStorage = type("HalfStorage", (), {"__module__": "torch"})


def rebuild(*_):
    raise AssertionError("no code of the file is run")


rebuild.__module__, rebuild.__qualname__ = "torch._utils", "_rebuild_tensor_v2"


class Tensor:
    def __init__(self, key: str, *size: int) -> None:
        self.key, self.size = key, size

    def __reduce__(self):
        return rebuild, (Storage(self.key, int(np.prod(self.size))), 0, self.size, (1,), False, {})


def write_linear(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """sparse_linear.pt with a weight of 1 for the last number and 0 for all others."""
    import io
    import sys
    import types

    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    torch.HalfStorage, utils._rebuild_tensor_v2 = HalfStorage, rebuild  # type: ignore[attr-defined]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "torch", torch)
        patch.setitem(sys.modules, "torch._utils", utils)
        held = io.BytesIO()
        Pickler(held, protocol=2).dump({"weight": Tensor("0", 1, WIDTH), "bias": Tensor("1", 1)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("sparse_linear/data.pkl", held.getvalue())
        archive.writestr("sparse_linear/data/0", np.eye(WIDTH, dtype="<f2")[-1].tobytes())
        archive.writestr("sparse_linear/data/1", np.array([-0.25], "<f2").tobytes())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As the model's page offers it; the last number of a token's vector is its own weight, 1 for every third token."""
    (tmp_path / "onnx").mkdir()
    trained = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>", byte_fallback=False))
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=900,
        special_tokens=SPECIAL,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    trained.train_from_iterator([text for pair in _PAIRS for text in pair] * 3, trainer)
    trained.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    trained.enable_truncation(32)  # as the published one may have it
    trained.enable_padding(length=32)
    trained.save(str(tmp_path / "onnx" / "tokenizer.json"))
    table = np.random.default_rng(1).standard_normal((trained.get_vocab_size(), WIDTH)).astype(np.float32)
    table[:4] = 0
    table[:, -1] = np.where(np.arange(len(table)) % 3 == 0, 1, -0.5)
    table[3, 0] = 0.01  # nothing but special tokens has a direction too
    table[2, 0] = 0.01
    helper = onnx.helper
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["each"]),
            helper.make_node("ReduceMean", ["each"], ["mean"], axes=[1], keepdims=1),
            helper.make_node("Slice", ["each", "one", "end", "axis"], ["rest"]),
            helper.make_node("Concat", ["mean", "rest"], ["token_embeddings"], axis=1),
            helper.make_node("Cast", ["attention_mask"], ["unused"], to=1),
        ],
        "tiny",
        [helper.make_tensor_value_info(name, 7, ["batch", "length"]) for name in ("input_ids", "attention_mask")],
        [
            helper.make_tensor_value_info("sentence_embedding", 1, ["batch", WIDTH]),
            helper.make_tensor_value_info("token_embeddings", 1, ["batch", "length", WIDTH]),
        ][1:],
        [
            onnx.numpy_helper.from_array(table, "table"),
            *(onnx.numpy_helper.from_array(np.array([value], np.int64), name)
              for name, value in (("one", 1), ("end", 1 << 30), ("axis", 1))),
        ],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(tmp_path / "onnx" / "model.onnx"))
    write_linear(tmp_path / "sparse_linear.pt", monkeypatch)
    return tmp_path


def test_the_suite_of_all_embedders(folder: Path) -> None:
    check_embedder(lambda: BgeM3Embedder(folder, query_prefix="", passage_prefix=""))


def test_the_prefixes_are_those_of_heritage_and_part_of_the_name(folder: Path) -> None:
    made = BgeM3Embedder(folder)
    assert made.query_prefix == "Represent this heritage institution query: "
    assert made.passage_prefix == "Represent this heritage institution text: "
    bare = BgeM3Embedder(folder, query_prefix="", passage_prefix="")
    assert made.count("dose") > bare.count("dose") == bare.count("dose", query=True)
    assert made.name != bare.name
    assert made.query_prefix in made.name
    assert not np.allclose(made.query("dose"), made.passages(["dose"])[0])
    assert (made.window, bare.dimension) == (8192, WIDTH)


def test_tokens_have_weights(folder: Path) -> None:
    made = BgeM3Embedder(folder, query_prefix="", passage_prefix="")
    text = "Adults: 500 mg of paracetamol every six hours. " * 2
    ids = made._tokenizer.encode(text).ids
    held = made.lexical(text)
    assert held == {number: 0.75 for number in ids if number % 3 == 0 and number > 3}
    assert held
    shared = sum(held[number] * made.lexical("paracetamol").get(number, 0) for number in held)
    apart = sum(held[number] * made.lexical("渡輪").get(number, 0) for number in held)
    assert shared >= apart == 0


class _NarrowEmbedder(BgeM3Embedder):
    window = 8


def test_a_text_beyond_the_window_is_cut_and_ends_as_texts_do(folder: Path) -> None:
    made = _NarrowEmbedder(folder, query_prefix="", passage_prefix="")
    ids, hidden = made._hidden("dose " * 20, query=False)
    assert (len(ids), ids[0], ids[-1], len(hidden)) == (8, 0, 2, 8)
    assert made.count("dose " * 20) > 20


def test_missing_weights_are_named_and_nothing_is_downloaded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PECIA_BGE_M3_FOLDER", raising=False)
    settings.cache_clear()
    with pytest.raises(OptionError, match=r"PECIA_BGE_M3_FOLDER.*Nothing is downloaded"):
        plugins.embedder("bge-m3")
    (folder / "onnx" / "model.onnx").rename(folder / "elsewhere")
    with pytest.raises(OptionError, match=r"has no onnx/model\.onnx"):
        BgeM3Embedder(folder)
    (folder / "onnx" / "model.onnx").write_bytes(b"no model")
    with pytest.raises(OptionError, match="cannot be read"):
        BgeM3Embedder(folder)
    run = CliRunner().invoke(app, ["embed", "-l", str(tmp_path / "library"), "--embedder", "bge-m3"])
    assert run.exit_code != 0


def test_the_folder_of_the_settings_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PECIA_BGE_M3_FOLDER", str(folder))
    settings.cache_clear()
    try:
        assert plugins.embedder("bge-m3").dimension == WIDTH
    finally:
        settings.cache_clear()


class Evil:
    def __reduce__(self):
        return os.system, ("true",)


@pytest.mark.parametrize("held", [b"no pickle", pickle.dumps(Evil()), pickle.dumps({"weight": 1}), pickle.dumps([])])
def test_weights_of_tokens_that_are_none_are_refused_without_running_code(folder: Path, held: bytes) -> None:
    with zipfile.ZipFile(folder / "sparse_linear.pt", "w") as archive:
        archive.writestr("sparse_linear/data.pkl", held)
    with pytest.raises(OptionError, match="weights of tokens"):
        BgeM3Embedder(folder).lexical("dose")
    (folder / "sparse_linear.pt").write_bytes(b"no archive")
    with pytest.raises(OptionError, match="weights of tokens"):
        BgeM3Embedder(folder).lexical("dose")
