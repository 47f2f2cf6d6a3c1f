"""Two writers, readers beside a writer, full disks, folders that cannot be written: the library stays whole, and what
went wrong is one clear line and an exit code."""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import pecia.library
from pecia.errors import LibraryError
from pecia.library import Library
from pecia.storing import connection
from pecia.testing.stores import document_of, line_chunks

PARTS = 12
ENVIRONMENT = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
LIMITED = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)\n"
    "from pecia.cli.main import main; main()"
)


def write_files(folder: Path, count: int, first: int = 0, parts: int = PARTS) -> None:
    """Files of `parts` headings with a page of words each, so that each is cut into as many chunks."""
    folder.mkdir(exist_ok=True)
    for number in range(first, first + count):
        body = f"fox {number} runs over the field. " * 60
        (folder / f"{number:03}.md").write_text("".join(f"# Part {part}\n\n{body}\n\n" for part in range(parts)), "utf-8")


def call(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "pecia", *map(str, arguments)]


def run(*arguments: str | Path, limit: int = 0, **more: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LIMITED, str(limit), *map(str, arguments)] if limit else call(*arguments)
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT, "timeout": 60, **more}
    return subprocess.run(command, encoding="utf-8", check=False, **options)  # type: ignore[call-overload, no-any-return]


def ingest(folder: Path, library: Path, *more: str) -> list[str | Path]:
    return ["ingest", folder, "--library", library, "--strategy", "heading", "--tokenizer", "estimate", "--jobs", "1", *more]


def clear_line(error: str) -> str:
    """The one line that says what is wrong."""
    assert "Traceback" not in error
    lines = [line for line in error.splitlines() if line.startswith("pecia: ")]
    assert len(lines) == 1, error
    return lines[0]


def names(library: Path, *, killed: bool = False) -> set[str]:
    """The files of a library, which is whole: nothing to find, each document with all of its chunks. What was killed may
    leave a copy that it had begun."""
    with Library(library, create=False) as held:
        assert not [finding for finding in held.verify() if finding.rule != "LB007" or not killed]
        documents = held.documents()
        assert all(item.cuttings[0].chunks == PARTS for item in documents)
        return {name for item in documents for _, name in item.sources}


# Two that write


def test_two_ingests_at_once_lose_nothing(tmp_path: Path) -> None:
    write_files(tmp_path / "a", 12)
    write_files(tmp_path / "b", 12, first=6)  # half of them the same bytes, in another place
    with (
        subprocess.Popen(call(*ingest(tmp_path / "a", tmp_path / "l")), stderr=subprocess.PIPE, text=True) as one,
        subprocess.Popen(call(*ingest(tmp_path / "b", tmp_path / "l")), stderr=subprocess.PIPE, text=True) as two,
    ):
        told = one.communicate(timeout=60)[1], two.communicate(timeout=60)[1]
    held = names(tmp_path / "l")
    for process, error, first in ((one, told[0], 0), (two, told[1], 6)):
        if process.returncode == 0:
            assert held >= {f"{number:03}.md" for number in range(first, first + 12)}
        else:
            assert process.returncode == 2
            clear_line(error)
    assert {one.returncode, two.returncode} & {0}


def test_a_writer_that_waits_too_long_is_refused_and_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = document_of(["a fox"], "memory:1"), document_of(["a whale"], "memory:2")
    with Library(tmp_path) as one:
        one.add(first, line_chunks(first))
        monkeypatch.setattr(connection, "_WAIT_MS", 20)
        with Library(tmp_path) as two, one._store.writing():
            with pytest.raises(LibraryError, match="another process has been writing"):
                two.add(second, line_chunks(second), original=second.text.encode())
            assert len(two.search("fox")) == 1
        assert len(one.documents()) == 1
        assert not list(one.verify())


def test_an_original_that_goes_between_a_look_and_the_lock_is_kept_anew(tmp_path: Path) -> None:
    document = document_of(["a fox"])
    data, chunks = document.text.encode(), line_chunks(document)
    how: dict[str, Any] = {"strategy": "token", "options_hash": "0", "options": {}}
    with Library(tmp_path) as one, Library(tmp_path) as two:
        one.add(document, chunks, original=data)
        prepared = two._originals.prepare(document.source, data), two._originals.prepare(document.source, None)
        one.delete(document.id)
        with pytest.raises(LibraryError, match="deleted while it was added"):
            two._store.put(document, chunks, original=prepared[1], **how)
        assert not two.documents()
        two._store.put(document, chunks, original=prepared[0], **how)
        assert not list(two.verify())
        assert two.original(chunks[0].chunk_id).read_bytes() == data


# Readers beside a writer


def test_readers_during_an_ingest_see_whole_documents(tmp_path: Path) -> None:
    write_files(tmp_path / "a", 24)
    library = tmp_path / "l"
    Library(library).close()
    looks = set()
    with subprocess.Popen(call(*ingest(tmp_path / "a", library)), stderr=subprocess.PIPE, text=True) as writer:
        with Library(library, create=False) as lasting:
            while writer.poll() is None:
                with Library(library, create=False) as fresh:
                    for reader in (lasting, fresh):
                        held = reader.documents()
                        assert all(item.cuttings[0].chunks == PARTS for item in held)
                        hits = reader.search("fox field", k=400)  # each cited, which compares it with the text and the file
                        assert len(hits) % PARTS == 0
                        assert len(hits) >= len(held) * PARTS
                        looks.add(len(held))
            assert len(lasting.documents()) == 24
        assert writer.wait() == 0
    assert len(looks) > 2, "nothing was read while it was written"


def test_a_document_that_goes_while_it_is_read_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = document_of(["a fox"])
    with Library(tmp_path / "l") as reader, Library(tmp_path / "l") as writer:

        def add() -> None:
            writer.add(document, line_chunks(document), original=document.text.encode())

        add()
        with reader._store.snapshot():
            writer.delete(document.id)
            assert [hit.citation.quote for hit in reader.search("fox")] == ["a fox"]
        assert not reader.search("fox")

        def damage(held: sqlite3.Connection) -> Iterator[object]:
            held.execute("SELECT 1 FROM document").fetchone()  # from here on the state that is read is fixed
            writer.delete(document.id)
            yield from ()

        add()
        with monkeypatch.context() as patch:
            patch.setattr(pecia.library, "damage", damage)
            assert not list(reader.verify())

        def damage_and_more(held: sqlite3.Connection) -> Iterator[object]:
            held.execute("SELECT 1 FROM document").fetchone()
            add()
            yield from ()

        with monkeypatch.context() as patch:
            patch.setattr(pecia.library, "damage", damage_and_more)
            assert not list(reader.verify())

        def copy(source: Path, target: Path) -> None:
            if writer.documents():
                writer.delete(document.id)
            real(source, target)

        real = shutil.copy2
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "copy2", copy)
            reader.backup(tmp_path / "copy")
    with Library(tmp_path / "copy", create=False) as copied:
        assert not copied.documents()
        assert not list(copied.verify())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "l"]


# A full disk


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def stored(error: str) -> int:
    found = re.search(r"^(\d+) new or changed", error, re.MULTILINE)
    assert found, error
    return int(found[1])


def test_a_file_that_may_not_grow_ends_the_run_and_not_the_library(tmp_path: Path) -> None:
    write_files(tmp_path / "a", 12)
    done = run(*ingest(tmp_path / "a", tmp_path / "l"), limit=900_000)
    assert done.returncode == 2, done.stderr
    assert str(tmp_path / "l") in clear_line(done.stderr)
    assert 0 < stored(done.stderr) == len(names(tmp_path / "l")) < 12
    again = run(*ingest(tmp_path / "a", tmp_path / "l"))
    assert again.returncode == 0, again.stderr
    assert len(names(tmp_path / "l")) == 12


def test_an_original_that_finds_no_room_ends_the_run(tmp_path: Path) -> None:
    write_files(tmp_path / "a", 1, parts=400)
    Library(tmp_path / "l").close()
    limit = (tmp_path / "a" / "000.md").stat().st_size // 2
    done = run(*ingest(tmp_path / "a", tmp_path / "l"), limit=limit)
    assert (done.returncode, stored(done.stderr)) == (2, 0)
    assert "cannot be kept" in clear_line(done.stderr)
    assert not names(tmp_path / "l")


def test_a_full_disk_keeps_what_was_stored_and_answers(tmp_path: Path) -> None:
    write_files(tmp_path / "a", 24)
    disk = tmp_path / "disk"
    with small_disk(disk, "2m"):
        done = run(*ingest(tmp_path / "a", disk / "l", "--jobs", "2"))
        assert done.returncode == 2, done.stderr
        assert re.search("disk is full|No space left", clear_line(done.stderr))
        assert 0 < stored(done.stderr) == len(names(disk / "l")) < 24
        with (disk / "rest").open("wb", buffering=0) as rest, contextlib.suppress(OSError):
            while rest.write(bytes(4096)):
                pass
        assert "fox" in run("search", "fox", "--library", disk / "l", "-k", "1").stdout
        refused = run("library", "backup", disk / "copy", "--library", disk / "l")
        assert refused.returncode == 2
        assert "disk is full" in clear_line(refused.stderr)
        assert sorted(path.name for path in disk.iterdir()) == ["l", "rest"]
        (disk / "rest").unlink()
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        assert run(*ingest(tmp_path / "a", disk / "l")).returncode == 0
        assert len(names(disk / "l")) == 24


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full here")
def test_output_that_finds_no_room_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = run("strategies", stdout=full)
    assert done.returncode == 2
    assert "standard output: No space left" in clear_line(done.stderr)


def test_a_reader_of_a_pipe_may_go_and_a_pipe_stays_one(tmp_path: Path) -> None:
    document = document_of(["a fox"] * 2000)
    with Library(tmp_path / "l") as library:
        library.add(document, line_chunks(document))
    with subprocess.Popen(
        call("export", "-l", tmp_path / "l"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout
        assert writer.stderr
        writer.stdout.readline()
        writer.stdout.close()
        assert (writer.wait(30), writer.stderr.read()) == (0, "")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=pipe.read_bytes, daemon=True)
    reader.start()
    assert run("export", "-l", tmp_path / "l", "-o", pipe).returncode == 0
    assert pipe.is_fifo()


# A folder that cannot be written


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Permissions do not bind root, a mount does."""
    if os.geteuid():
        inside = [path for path in folder.rglob("*") if path.is_dir()]
        for path in (folder, *inside):
            path.chmod(0o555)
        try:
            yield
        finally:
            for path in (folder, *inside):
                path.chmod(0o755)
        return
    for options in (["--bind", str(folder), str(folder)], ["-o", "remount,bind,ro", str(folder)]):
        done = subprocess.run(["mount", *options], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"root cannot be kept from writing here: {done.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_folder_that_cannot_be_written_answers_and_refuses(tmp_path: Path) -> None:
    library = tmp_path / "outside" / "l"
    write_files(tmp_path / "a", 3)
    assert run(*ingest(tmp_path / "a", library)).returncode == 0
    write_files(tmp_path / "b", 1, first=9)
    with locked(tmp_path / "outside"):
        assert "fox" in run("search", "fox", "-l", library, "-k", "1").stdout
        assert "36 chunks verified · 0 findings" in run("library", "verify", "-l", library).stderr
        assert "0 new or changed, 3 as before" in run(*ingest(tmp_path / "a", library)).stderr
        for refused in (
            run(*ingest(tmp_path / "b", library)),
            run("library", "rebuild", "-l", library),
            run(*ingest(tmp_path / "b", tmp_path / "outside" / "new")),
            run("library", "backup", tmp_path / "outside" / "copy", "-l", library),
        ):
            assert refused.returncode == 2
            assert str(tmp_path / "outside") in clear_line(refused.stderr)
    assert names(library) == {"000.md", "001.md", "002.md"}


def test_a_reader_that_may_not_write_follows_a_writer_that_comes_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def add(library: Library, count: int) -> None:
        for number in range(count):
            document = document_of([f"fox {number} {line}" for line in range(40)], f"memory:{number}")
            library.add(document, line_chunks(document))

    with Library(tmp_path) as writer:
        add(writer, 2)
    assert [path.name for path in tmp_path.iterdir()] == [connection.DATABASE]
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        reader = Library(tmp_path)
    assert len(reader.search("fox", k=1000)) == 80
    with Library(tmp_path) as writer:
        add(writer, 30)
        with monkeypatch.context() as patch:
            patch.setattr(os, "access", lambda *_: False)
            assert len(reader.search("fox", k=2000)) == 1200
    reader.close()


def test_what_the_disk_refuses_is_an_error_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LibraryError, match="Not a directory"):
        Library(tmp_path / "file" / "l")


def test_changes_that_stand_beside_the_database_are_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = document_of(["a fox"])
    with Library(tmp_path / "l") as writer:
        writer.add(document, line_chunks(document))
        (tmp_path / "copy").mkdir()
        for name in (connection.DATABASE, f"{connection.DATABASE}-wal"):  # as a copy that leaves out what is shared memory
            shutil.copy2(tmp_path / "l" / name, tmp_path / "copy" / name)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(LibraryError, match="open a copy"):
        Library(tmp_path / "copy", create=False)
