"""llama.cpp itself, with a model of 35,000 random weights that the test makes: what it says is noise in the form asked for."""

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict, Field

from pecia.errors import ModelError
from pecia.llm.client import Client

gguf = pytest.importorskip("gguf")
xllamacpp = pytest.importorskip("xllamacpp")
WIDTH, INNER, HEADS = 32, 64, 2


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    right: bool
    words: str = Field(max_length=8)


class Endless(BaseModel):
    model_config = ConfigDict(extra="forbid")

    words: str = Field(min_length=1500)


def weights(path: Path) -> None:
    """A model of one layer whose tokens are single bytes."""
    random = np.random.default_rng(7)
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *map(chr, range(33, 127)), "▁"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(8192)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token.encode() for token in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([2, 3, 3, *[6] * 256, *[1] * (len(tokens) - 259)])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template("{% for message in messages %}{{ message['content'] }}\n{% endfor %}")
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    shapes = {"token_embd": (len(tokens), WIDTH), "output": (len(tokens), WIDTH), "blk.0.ffn_down": (WIDTH, INNER)}
    shapes |= dict.fromkeys(("blk.0.ffn_gate", "blk.0.ffn_up"), (INNER, WIDTH))
    shapes |= {f"blk.0.attn_{name}": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", (random.standard_normal(shape) * 0.3).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@contextmanager
def serving(folder: Path, *, embedding: bool = False) -> Iterator[str]:
    """The address of a server with such weights."""
    path = folder / "tiny.gguf"
    weights(path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = xllamacpp.CommonParams()
    options.model.path = str(path)
    options.n_ctx, options.n_predict, options.n_parallel = 8192, 600, 1
    options.hostnames, options.port = ["127.0.0.1"], port
    options.warmup = options.fit_params = False
    options.cpuparams.n_threads, options.verbosity = 1, -1
    if embedding:
        options.embedding, options.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(options)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("llama")) as address:
        yield address


def test_a_real_server_replies_in_the_form(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "pecia.llm")
    first = Client(url, "tiny").ask("Is it right? 是否屬實？", Form)
    assert first.tokens_in > 100
    assert first.tokens_out > 10
    assert first.value == Client(url, "tiny").ask("Is it right? 是否屬實？", Form).value
    assert "tokens in" in caplog.text


def test_a_reply_that_never_ends_is_cut_short_and_said(url: str) -> None:
    with pytest.raises(ModelError, match=r"cut short|does not match"):
        Client(url, "tiny", pause=0.01).ask("Go on.", Endless)


def test_a_route_that_is_not_there_is_said(url: str) -> None:
    with pytest.raises(ModelError, match="status 404") as caught:
        Client(f"{url}/nowhere", "tiny").ask("?", Form)
    assert caught.value.final
