"""SIGKILL of the server, the ingester and the worker in mid-ingest: nothing acknowledged is lost, nothing is half-written."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pecia.library import Library
from pecia.server.jobs import ATTEMPTS, Queue, State, new_job_id
from tests.server.serving import Server, until

PARTS = 60


def text(number: int) -> bytes:
    about = "Words number {0} about part {1} of the work. " * 12
    parts = "\n\n".join(f"## Part {part}\n\n{about.format(number, part)}" for part in range(PARTS))
    return f"# File {number}\n\n{parts}\n".encode()


def children(parent: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


def command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def ingester_of(server: Server) -> int | None:
    return next((child for child in children(server.process.pid) if "pecia.server.ingester" in command(child)), None)


def worker_of(server: Server) -> int | None:
    ingester = ingester_of(server)
    return next((child for child in children(ingester) if "spawn_main" in command(child)), None) if ingester else None


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "library")
    yield server
    server.stop()


def test_ten_kills_lose_nothing(own: Server) -> None:
    files = [(f"file-{number}.md", text(number)) for number in range(24)]
    acknowledged = [
        own.send(*files[start : start + 6], strategy="heading", max_tokens="200").json()["id"] for start in range(0, 24, 6)
    ]
    for kill in range(10):
        time.sleep(0.1 + 0.07 * kill)  # a different moment each time
        if kill % 5 == 4:
            own.kill()
            own.start()
            continue
        look = ingester_of if kill % 2 else worker_of
        os.kill(until(lambda look=look: look(own), 60), signal.SIGKILL)  # type: ignore[misc]
    states = [file["state"] for job in acknowledged for file in own.done(job, 240)["files"]]
    assert states.count("done") + states.count("failed") == len(files)
    # A file that was in work at three kills is told as failed; it is one of few, and sent again it is taken.
    again = own.ingest(*files, strategy="heading", max_tokens="200")
    assert [file["state"] for file in again["files"]] == ["done"] * len(files)
    assert states.count("failed") <= 3
    assert {item["source_name"] for item in own.documents()} == {name for name, _ in files}
    with Library(own.folder, create=False) as library:
        # A copy of a file whose adding was killed may be left, and is told.
        assert not [item for item in library.verify() if item.rule != "LB007"]
        assert len({item.document_id for item in library.documents()}) == len(files)
    until(lambda: not list((own.folder / "uploads").glob("*/*/*")), 30)


def test_two_hundred_files_wait_and_are_done_in_turn(own: Server) -> None:
    files = [
        (f"waits-{number}.md", f"# File {number}\n\nThe clerk of quay {number} keeps a ledger.\n".encode())
        for number in range(200)
    ]
    jobs = [own.send(*files[start : start + 50], strategy="token").json() for start in range(0, 200, 50)]
    assert sum(len(job["files"]) for job in jobs) == 200
    assert own.post("/search", json={"query": "ledger"}).status_code == 200  # asked while they wait
    states = [file["state"] for job in jobs for file in own.done(job["id"], 240)["files"]]
    assert states == ["done"] * 200
    listed = own.get("/documents", params={"limit": 200}).json()
    assert listed["total"] == 200
    assert [item["source_name"] for item in listed["documents"]] == [name for name, _ in reversed(files)]
    assert (
        own.post("/search", json={"query": "clerk of quay 137", "k": 1}).json()["hits"][0]["chunk"]["source_name"]
        == "waits-137.md"
    )


def test_a_search_outlives_its_process(own: Server) -> None:
    own.ingest(("file.md", text(1)), strategy="heading")
    for _ in range(3):
        for child in children(own.process.pid):
            if "spawn_main" in command(child):
                os.kill(child, signal.SIGKILL)
        for _ in range(4):
            assert own.post("/search", json={"query": "words about part 7"}).json()["hits"]
        assert own.send(("file.md", text(2)), to="/preview").json()["documents"][0]["chunk_count"]


def test_a_stopped_server_puts_back_what_it_has_in_work(tmp_path: Path) -> None:
    server = Server(tmp_path / "library")
    job = server.send(*[(f"{number}.md", text(number)) for number in range(8)], strategy="heading").json()["id"]
    until(lambda: server.get(f"/jobs/{job}").json()["state"] == "running", 60)
    server.stop()
    Path(server.log.name).unlink()
    server.start()
    assert server.done(job)["state"] == "done"
    server.stop()


def test_the_queue_gives_up_on_what_kills_its_process_each_time(tmp_path: Path) -> None:
    queue, job = Queue(tmp_path), new_job_id()
    queue.add(job, "token", {}, [("bad.md", "0" * 64, 3), ("good.md", "1" * 64, 3)])
    for attempt in range(ATTEMPTS):
        task = queue.take()
        assert task is not None
        assert task.name == "bad.md"
        if attempt % 2:
            queue.recover()  # its ingester ended
        else:
            queue.put_back(task.id, attempt=True)  # its worker ended
    task = queue.take()
    assert task is not None
    assert task.name == "good.md"
    queue.put_back(task.id, attempt=False)
    found = queue.job(job)
    assert found is not None
    assert [file.state for file in found.files] == [State.FAILED, State.QUEUED]
    assert "3 times" in found.files[0].error
    queue.cancel(job)
    assert queue.take() is None
