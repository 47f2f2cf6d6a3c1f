"""The client against a real local server: exact replies, faults, slowness, replies of the wrong form, and what is kept."""

import base64
import json
import logging
import pickle
import socket
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from pecia.errors import ModelError
from pecia.llm.client import Client
from pecia.llm.replies import Replies
from pecia.llm.route import TRIES
from tests.llm.endpoint import Said, endpoint

KEY = "sk-never-shown-2718281828"
GOOD = {"right": True, "words": "東堤"}


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    right: bool
    words: str


VALUE = Form(right=True, words="東堤")


def test_what_is_sent_is_the_protocol_and_what_comes_back_is_the_form() -> None:
    with endpoint(Said(GOOD)) as server:
        reply = Client(server.url + "/", "tiny", key=KEY).ask("Is it right?", Form, image=b"\x89PNG")
    assert (reply.value, reply.model, reply.tokens_in, reply.tokens_out) == (VALUE, "tiny", 11, 5)
    sent = server.requests[0]
    assert server.headers[0]["path"] == "/v1/chat/completions"
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert (sent["model"], sent["temperature"]) == ("tiny", 0)
    schema = sent["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["additionalProperties"] is False
    assert sorted(schema["schema"]["required"]) == ["right", "words"]
    text, image = sent["messages"][1]["content"]
    assert text == {"type": "text", "text": "Is it right?"}
    assert base64.b64decode(image["image_url"]["url"].removeprefix("data:image/png;base64,")) == b"\x89PNG"


@pytest.mark.parametrize(
    "fault", [Said(status=429, headers={"Retry-After": "0"}), Said(status=500), Said(status=503, body=b"no")]
)
def test_a_passing_fault_is_tried_again(fault: Said) -> None:
    with endpoint(fault, fault, Said(GOOD)) as server:
        assert Client(server.url, "tiny", pause=0.01).ask("?", Form).value == VALUE
    assert len(server.requests) == 3


def test_a_lasting_fault_ends_and_names_the_status() -> None:
    with (
        endpoint(Said(status=500, body=b'{"error": {"message": "out of memory"}}')) as server,
        pytest.raises(ModelError) as caught,
    ):
        Client(server.url, "tiny", pause=0.01).ask("?", Form)
    assert str(caught.value) == "tiny: status 500: out of memory"
    assert len(server.requests) == TRIES


def test_a_server_that_asks_us_to_wait_longer_than_the_time_is_not_waited_for() -> None:
    with endpoint(Said(status=429, headers={"Retry-After": "60"})) as server, pytest.raises(ModelError, match="status 429"):
        Client(server.url, "tiny", seconds=1).ask("?", Form)
    assert len(server.requests) == 1


@pytest.mark.parametrize("slow", [Said(GOOD, wait=2), Said(GOOD, drip=0.05)])
def test_slowness_ends_at_the_limit(slow: Said) -> None:
    with endpoint(slow) as server, pytest.raises(ModelError, match=r"no reply within 0\.3 s \(LLM_SECONDS\)") as caught:
        Client(server.url, "tiny", seconds=0.3).ask("?", Form)
    assert not caught.value.final


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Said(body=b"<html>"), "is no JSON"),
        (Said(body=b"[" * 100_000), "is no JSON"),
        (Said(body=b"[]"), "is no JSON object"),
        (Said(body=b'{"choices": []}'), "holds no message"),
        (Said(body=b'{"choices": [{"message": {"content": null}}]}'), "holds no text"),
        (Said(body=b'{"choices": [{"message": {"content": "{"}, "finish_reason": "length"}]}'), "was cut short"),
        (Said("yes, it is right"), "has not the form asked for: Invalid JSON"),
        (Said({"right": "yes", "words": ""}), "form asked for: right: Input should be a valid boolean"),
        (Said({"right": True}), "form asked for: words: Field required"),
        (Said({**GOOD, "more": 1}), "form asked for: more: Extra inputs are not permitted"),
    ],
)
def test_a_reply_of_the_wrong_form_is_an_error_and_is_not_kept(said: Said, why: str, tmp_path: Path) -> None:
    with endpoint(said) as server, pytest.raises(ModelError, match=why):
        Client(server.url, "tiny", replies=Replies(tmp_path)).ask("?", Form)
    assert not list(tmp_path.rglob("*.json"))


def test_a_reply_in_a_fence_is_read() -> None:
    with endpoint(Said(f"```json\n{json.dumps(GOOD)}\n```")) as server:
        assert Client(server.url, "tiny").ask("?", Form).value == VALUE


def test_a_kept_reply_is_the_same_without_the_endpoint(tmp_path: Path) -> None:
    with endpoint(Said(GOOD)) as server:
        first = Client(server.url, "tiny", key=KEY, replies=Replies(tmp_path)).ask("?", Form)
    again = Client("http://127.0.0.1:9/v1", "tiny", replies=Replies(tmp_path)).ask("?", Form)
    assert first == again
    (kept,) = tmp_path.rglob("*.json")
    kept.write_text("{")
    with endpoint(Said({"right": False, "words": ""})) as server:
        asked = Client(server.url, "tiny", replies=Replies(tmp_path))
        assert asked.ask("?", Form).value.right is False
        assert asked.ask("?", Form).value.right is False
        for prompt, model, image in (("??", "tiny", None), ("?", "other", None), ("?", "tiny", b"a"), ("?", "tiny", b"b")):
            Client(server.url, model, replies=Replies(tmp_path)).ask(prompt, Form, image=image)
    assert len(server.requests) == 5


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with endpoint(Said(GOOD)) as server:
        assert Client(server.url, "tiny", replies=Replies(tmp_path / "file")).ask("?", Form).value == VALUE


def test_an_endpoint_that_is_not_there_or_refuses_us_is_asked_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        gone = Client(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", "tiny", pause=0.01)
        for _ in range(2):
            with pytest.raises(ModelError, match=r"no connection to http://127.* \(ConnectError\)") as caught:
                gone.ask("?", Form)
    assert caught.value.final
    assert pickle.loads(pickle.dumps(caught.value)).final
    with endpoint(Said(status=401, body=b'{"error": {"message": "bad key"}}')) as server:
        refused = Client(server.url, "tiny")
        for prompt in "ab":
            with pytest.raises(ModelError, match="status 401: bad key"):
                refused.ask(prompt, Form)
    assert len(server.requests) == 1


def test_a_reply_that_repeats_the_key_is_read_and_kept_without_it(tmp_path: Path) -> None:
    with endpoint(Said({**GOOD, "words": f"your key is {KEY}"})) as server:
        Client(server.url, "tiny", key=KEY, replies=Replies(tmp_path)).ask("?", Form)
    assert not any(KEY in path.read_text() for path in tmp_path.rglob("*.json"))


def test_the_key_is_in_no_log_error_or_reply(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    with endpoint(
        Said(GOOD), Said(status=401, body=echo), Said(GOOD, headers={"Location": "http://127.0.0.1:9/"}, status=307)
    ) as server:
        client = Client(server.url, "tiny", key=KEY, replies=Replies(tmp_path))
        client.ask("?", Form)
        with pytest.raises(ModelError) as caught:
            client.ask("??", Form)
        with pytest.raises(ModelError, match="status 307"):
            Client(server.url, "tiny", key=KEY).ask("?", Form)
    told = [repr(client), repr(caught.value), caplog.text, *(path.read_text() for path in tmp_path.rglob("*.json"))]
    assert "tiny replied in" in caplog.text
    assert "Incorrect API key provided: ********" in str(caught.value)
    assert not any(KEY in text for text in told)
    assert not any(server.url[7:] in path.read_text() for path in tmp_path.rglob("*.json"))
