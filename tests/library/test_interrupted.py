"""An ingest that is stopped, processes that end: nobody is left behind, the library is whole, the next run goes on."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from pecia import batch, pipeline
from pecia.batch import Outcome, cut_file, cut_files
from pecia.library import Library
from tests.library.test_hardship import ENVIRONMENT, call, clear_line, ingest, names, run, stored, write_files


def below(process: int) -> set[int]:
    """The processes that one has started, and those that they have; ended ones that nobody has waited for are none."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    parents = {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}
    found, edge = set[int](), {process}
    while edge:
        edge = {pid for pid, parent in parents.items() if parent in edge}
        found |= edge
    return found


def alive(processes: set[int]) -> set[int]:
    listed = subprocess.run(["ps", "-A", "-o", "pid=,stat="], capture_output=True, text=True, check=True).stdout
    return {int(pid) for pid, state in map(str.split, listed.splitlines()) if not state.startswith("Z")} & processes


def until(test: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not test():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(("how", "code"), [("one", 130), ("group", 130), ("kill", -signal.SIGKILL)])
def test_an_ingest_that_is_stopped_leaves_nobody_behind_and_is_gone_on_with(tmp_path: Path, how: str, code: int) -> None:
    count, library = 161, tmp_path / "l"  # so many that the run cannot end before it is stopped
    write_files(tmp_path / "a", count)
    (tmp_path / "a" / "000.md").write_bytes(b"\0\1" * 50_000)  # the largest, which is cut first
    Library(library).close()
    command = call("ingest", tmp_path / "a", "-l", library, "-s", "heading", "--jobs", "2", "--tokenizer", "estimate")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, env=ENVIRONMENT) as writer:
        assert writer.stderr
        with Library(library, create=False) as reader:
            assert until(lambda: len(reader.documents()) > 10)
            started = below(writer.pid)
            assert len(started) >= 4, "two that cut, each with a parser"
            if how == "group":  # as a terminal does
                os.killpg(writer.pid, signal.SIGINT)
            else:
                writer.send_signal(signal.SIGINT if how == "one" else signal.SIGKILL)
        error = writer.stderr.read()
        assert writer.wait(20) == code, error
    assert until(lambda: not alive(started)), "a process was left behind"
    held = len(names(library, killed=how == "kill"))
    if how != "kill":
        assert error.endswith("pecia: interrupted\n")
        clear_line(error)
        assert stored(error) in (held, held - 1)  # Ctrl-C may come between a document and its count
        assert "1 failure" in error
    again = run(*ingest(tmp_path / "a", library, "--jobs", "2"))
    assert again.returncode == 3
    assert f"{count - 1 - held} new or changed, {held} as before" in again.stderr
    assert len(names(library, killed=how == "kill")) == count - 1


def test_a_parser_ends_with_the_process_that_asked_it() -> None:
    script = (
        "import os, subprocess, sys\n"
        "call = [sys.executable, '-m', 'pecia.parsing.child', '1', str(1 << 32), str(os.getpid())]\n"
        "print(subprocess.Popen(call, stdin=0, stdout=subprocess.DEVNULL).pid)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        parent.wait()  # the end of standard input does not come before the end of this block
        assert until(lambda: not alive({child}))


def test_failures_are_listed_at_the_end(tmp_path: Path) -> None:
    write_files(tmp_path / "a", 3)
    (tmp_path / "a" / "000.md").write_bytes(b"\0\1" * 50_000)
    done = run("ingest", tmp_path / "a", "--library", tmp_path / "l", "--strategy", "auto", "--tokenizer", "estimate")
    assert done.returncode == 3
    lines = [line.split()[0] for line in done.stderr.splitlines()]
    assert lines == ["failed", "001.md:", "002.md:", "failed", "2", "2"]


def serve_badly(pipe: Connection, *_: object) -> None:
    """In the place of a worker: what native code or the system may do to one."""
    with contextlib.suppress(EOFError):
        while True:
            _, (file, *_) = pipe.recv()
            if file.name == "half.md":  # ended while it answers
                os.write(pipe.fileno(), b"\0\0\xff\xff half")
            if file.name in ("half.md", "dies.md"):
                os._exit(9)
            time.sleep(100 if file.name == "slow.md" else 0)
            pipe.send(("answer", Outcome(file)))


def test_a_file_that_ends_its_process_is_one_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_serve", serve_badly)
    files = [Path(f"{name}.md") for name in ("a", "dies", "b", "half", "c", "d", "e")]
    found = list(cut_files(files, "heading", {}, jobs=2))
    assert [outcome.file for outcome in found] == files
    assert [outcome.file.stem for outcome in found if outcome.failure] == ["dies", "half"]
    assert {outcome.failure.error for outcome in found if outcome.failure} == {"the process that cut it ended"}
    assert not multiprocessing.active_children()


def test_a_process_that_ends_by_chance_costs_nothing(tmp_path: Path) -> None:
    write_files(tmp_path / "a", 10)
    files = sorted((tmp_path / "a").iterdir())
    outcomes = cut_files(files, "heading", {"tokenizer": "estimate"}, jobs=2)
    found = [next(outcomes)]
    for worker in multiprocessing.active_children():
        worker.kill()
    found += outcomes
    assert [(outcome.file, outcome.failure, len(outcome.cuttings)) for outcome in found] == [(file, None, 1) for file in files]


def test_a_reader_that_stops_does_not_wait_for_a_long_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_serve", serve_badly)
    outcomes = cut_files([Path("a.md"), Path("slow.md"), Path("b.md")], "heading", {}, jobs=2)
    assert next(outcomes).file == Path("a.md")
    started = time.monotonic()
    outcomes.close()
    assert time.monotonic() - started < 20
    assert not multiprocessing.active_children()


def test_what_a_strategy_cannot_cut_is_one_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by a strategy")

    write_files(tmp_path / "a", 1)
    monkeypatch.setattr(pipeline, "cut", cut)
    failure = cut_file(tmp_path / "a" / "000.md", "heading", {}).failure
    assert failure
    assert (failure.stage, failure.error) == ("chunk", "cutting it failed: ZeroDivisionError: by a strategy")
