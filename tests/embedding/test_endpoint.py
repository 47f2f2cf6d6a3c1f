"""The embedder `endpoint` against a real local server: the suite of all embedders, the protocol, faults, and that the key is told
nowhere; and against llama.cpp with random weights."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pecia.embedding.endpoint import EndpointEmbedder
from pecia.errors import LibraryError, ModelError, OptionError
from pecia.library import Library
from pecia.testing.embedders import check_embedder
from pecia.testing.stores import document_of, line_chunks
from tests.llm.endpoint import Endpoint, Said, endpoint
from tests.test_embedders import Hashed

pytest.importorskip("httpx2")
KEY = "sk-never-shown-1618033988"


def vectors(asked, *, times=3.0, turn=True):
    """What a server answers: vectors of any length, in any order."""
    made = [
        {"index": at, "object": "embedding", "embedding": (times * Hashed().query(text)).tolist()}
        for at, text in enumerate(asked["input"])
    ]
    return Said(body=json.dumps({"data": made[::-1] if turn else made, "model": asked["model"]}).encode())


def embedder(server: Endpoint, **given: Any) -> EndpointEmbedder:
    return EndpointEmbedder(server.url, "tiny", **{"key": KEY, "pause": 0.01, **given})


def test_the_suite_of_all_embedders() -> None:
    with endpoint() as server:
        server.answer = vectors
        check_embedder(lambda: embedder(server, window=400))


def test_what_is_sent_is_the_protocol() -> None:
    with endpoint() as server:
        server.answer = vectors
        made = embedder(server, query_prefix="query: ", passage_prefix="passage: ")
        made.query("dose")
        made.passages(["a", "b"])
    assert server.headers[0]["path"] == "/v1/embeddings"
    assert {item["Authorization"] for item in server.headers} == {f"Bearer {KEY}"}
    assert server.requests[0] == {"model": "tiny", "input": ["query: dose"], "encoding_format": "float"}
    assert server.requests[-1]["input"] == ["passage: a", "passage: b"]
    assert "'query: ' 'passage: '" in made.name
    assert made.name != embedder(server, query_prefix="query: ").name


def test_texts_go_in_batches_and_none_is_longer_than_the_window() -> None:
    with endpoint() as server:
        server.answer = vectors
        made = embedder(server, window=16, passage_prefix="passage: ")
        rows = made.passages([f"text {number} " + "字" * number for number in range(70)])
    assert rows.shape == (70, Hashed.dimension)
    sent = [item["input"] for item in server.requests[1:]]
    assert [len(texts) for texts in sent] == [32, 32, 6]
    assert all(made._tokenizer.count(text) <= 14 and text.startswith("passage: ") for texts in sent for text in texts)


def test_what_the_model_calls_for_is_missing() -> None:
    with pytest.raises(OptionError, match="EMBED_BASE_URL"):
        EndpointEmbedder()
    with pytest.raises(OptionError, match="EMBED_MODEL_NAME"):
        EndpointEmbedder("http://localhost:1/v1")
    with pytest.raises(OptionError, match=r"no room.*EMBED_WINDOW"):
        EndpointEmbedder("http://localhost:1/v1", "tiny", window=4, query_prefix="Represent this question: ")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{}", "no vector"),
        (b'{"data": []}', "no vector"),
        (b'{"data": [{"index": 1, "embedding": [1]}]}', "no vector"),
        (b'{"data": [{"index": 0, "embedding": [0, 0]}]}', "no vector"),
        (b'{"data": [{"index": 0, "embedding": [1e999, 1]}]}', "no vector"),
        (b'{"data": [{"index": 0, "embedding": ["x"]}]}', "no vector"),
        (b'{"data": [{"index": 0, "embedding": 1}]}', "no vector"),
        (b"[]", "no JSON object"),
        (b"<html>", "no JSON"),
    ],
)
def test_an_answer_without_a_vector_for_each_text_is_said(body: bytes, words: str) -> None:
    with endpoint(Said(body=body)) as server, pytest.raises(ModelError, match=f"tiny: .*{words}"):
        embedder(server).query("x")


def test_passing_faults_are_tried_again_and_lasting_ones_said_without_the_key() -> None:
    left = [Said(status=503), Said(status=429, headers={"Retry-After": "0"})]
    with endpoint() as server:
        server.answer = lambda asked: left.pop() if left else vectors(asked)
        assert embedder(server).query("x").shape == (Hashed.dimension,)
        server.says(Said(status=401, body=json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode()))
        made = embedder(server)
        with pytest.raises(ModelError) as caught:
            made.query("x")
        count = len(server.requests)
        with pytest.raises(ModelError, match="401"):
            made.query("x")
    assert len(server.requests) == count  # nothing else will fare better, so it is not asked
    told = f"{caught.value} {caught.value!r} {pickle.dumps(caught.value)!r} {made.__dict__['_route']!r} {made.name}"
    assert KEY not in told
    assert "401" in told


def test_a_library_keeps_them_under_the_name_with_its_prefixes(tmp_path: Path) -> None:
    document = document_of(["adults take two doses", "the ferry leaves at nine " * 40])
    with endpoint() as server:
        server.answer = vectors
        made = embedder(server, window=48, passage_prefix="text: ")
        with Library(tmp_path, keep_originals=False, embedder=made) as library:
            library.add(document, line_chunks(document))
            states = list(library.embed(made))
            assert [state.finding.rule for state in states if state.finding] == ["EM001"]
            assert max(tokens for (tokens,) in library._store._connection.execute("SELECT tokens FROM point")) <= 48
            assert {hit.retriever for hit in library.search("doses")} == {"hybrid"}
            assert library.search("ferry leaves", mode="dense", k=1)[0].chunk.part_index == 1
            server.answer = lambda asked: Said(body=b'{"data": [{"index": 0, "embedding": [1, 2]}]}')
            with pytest.raises(LibraryError, match="embed anew"):
                library.search("doses", mode="dense")
            with pytest.raises(LibraryError, match="another model"):
                list(library.embed(embedder(server, window=48, passage_prefix="text: ")))
            server.says(Said(status=404))
            assert {hit.retriever for hit in library.search("doses")} == {"bm25"}  # out of reach, so by words
            with pytest.raises(ModelError, match="404"):
                library.search("doses", mode="hybrid")
        with Library(tmp_path, embedder=embedder(server, window=48, passage_prefix="other: ")) as library:
            assert {hit.retriever for hit in library.search("doses")} == {"bm25"}


def test_llama_cpp_answers(tmp_path: Path) -> None:
    llama = pytest.importorskip("tests.llm.test_llama")
    with llama.serving(tmp_path, embedding=True) as url:
        made = EndpointEmbedder(url, "tiny", key="", window=128)
        assert made.dimension == llama.WIDTH
        texts = ["adults take two tablets", "", "字" * 300, "the ferry"]
        rows = made.passages(texts)
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
        assert np.allclose(rows[::-1], made.passages(texts[::-1]), atol=1e-3)
        assert rows[0] @ made.query("adults take two tablets") > 0.999
