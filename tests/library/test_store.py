"""The embedded store: conformance, transactions, format, damage."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pecia.errors import CitationError, LibraryError, LibraryFormatError, RecordError
from pecia.library import Library
from pecia.retrieving.bm25 import best
from pecia.retrieving.dense import Likeness
from pecia.storing import connection as opening
from pecia.storing.connection import DATABASE, connect
from pecia.storing.schema import DERIVED_TABLES, FORMAT, MIGRATIONS
from pecia.storing.sqlite import SqliteStore
from pecia.testing.stores import check_store, check_vectors, document_of, line_chunks
from tests.bounded import bounded

ROOT = Path(__file__).parents[2]


def test_conformance(tmp_path):
    check_store(lambda: SqliteStore(tmp_path / "library", attributes=(), ranker=best))


def test_conformance_with_vectors(tmp_path):
    check_vectors(lambda: SqliteStore(tmp_path / "library", attributes=(), ranker=best, likeness=Likeness))


def counts(folder):
    connection = sqlite3.connect(folder / DATABASE)
    tables = (
        "document",
        "source",
        "reading",
        "layout",
        "cutting",
        "chunk",
        "entry",
        "analysed",
        "facet",
        "facet_value",
        "word_docsize",
    )
    found = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    found["terms"] = connection.execute("SELECT count(*) FROM vocabulary").fetchone()[0]
    found["total"] = connection.execute("SELECT chunks + length + quarantined FROM total").fetchone()[0]
    connection.close()
    return found


def test_delete_leaves_no_row_anywhere(tmp_path):
    document = document_of(["a fox", "two foxes", "會議"])
    with Library(tmp_path) as library:
        library.add(document, line_chunks(document))
        assert all(value for name, value in counts(tmp_path).items() if name != "layout")
        assert library.delete(document.source.uri) == 3
        assert not any(counts(tmp_path).values())
        with pytest.raises(LibraryError):
            library.delete("memory:nothing")


def test_adding_the_same_writes_nothing(tmp_path):
    document = document_of(["a fox", "two foxes"])
    with Library(tmp_path) as library:
        assert library.add(document, line_chunks(document))
        before = library._store._connection.total_changes
        assert not library.add(document, line_chunks(document))
        assert library._store._connection.total_changes == before


def test_a_reader_sees_whole_documents_only(tmp_path):
    old, new = document_of(["old fox"] * 50), document_of(["new fox"] * 70)
    with Library(tmp_path) as writer, Library(tmp_path) as reader:
        writer.add(old, line_chunks(old))
        with writer._store.writing():
            writer.add(new, line_chunks(new))
            assert {hit.chunk.document_id for hit in reader.search("fox", k=100)} == {old.id}
            assert len(list(reader.export())) == 50
        assert {hit.chunk.document_id for hit in reader.search("fox", k=100)} == {new.id}


def test_a_failed_transaction_leaves_the_library_as_it_was(tmp_path):
    old, new = document_of(["old fox"]), document_of(["new fox"])
    with Library(tmp_path) as library:
        library.add(old, line_chunks(old))
        before = counts(tmp_path)

        def fail():
            with library._store.writing():
                library.add(new, line_chunks(new))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert counts(tmp_path) == before
        assert [hit.chunk.document_id for hit in library.search("fox")] == [old.id]


def test_export_may_be_read_while_the_library_is_written(tmp_path):
    first, second = document_of(["one", "two"], "memory:a"), document_of(["three"], "memory:b")
    with Library(tmp_path) as library:
        library.add(first, line_chunks(first))
        exported = library.export()
        next(exported)
        library.add(second, line_chunks(second))
        assert len(list(exported)) == 1
        assert len(list(library.export())) == 3


def test_rebuild_gives_the_same_answers(tmp_path):
    document = document_of([f"fox {number % 7} whale {number % 3}" for number in range(60)])
    with Library(tmp_path) as library:
        library.add(document, line_chunks(document))
        before = library.search("fox 3 whale 1", k=30)
        assert library.rebuild() == 60
        assert library.search("fox 3 whale 1", k=30) == before
        assert not list(library.verify())


@pytest.mark.parametrize("damage", ["dropped", "version"])
def test_what_is_derived_is_made_again_on_opening(tmp_path, damage):
    document = document_of(["a fox"])
    with Library(tmp_path) as library:
        library.add(document, line_chunks(document))
        before = library.search("fox")
    connection = sqlite3.connect(tmp_path / DATABASE)
    if damage == "dropped":
        for table in DERIVED_TABLES:
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DELETE FROM meta WHERE key = 'derived_version'")
    else:
        connection.execute("UPDATE meta SET value = '0.0' WHERE key = 'derived_version'")
    connection.commit()
    connection.close()
    with Library(tmp_path) as library:
        assert library.search("fox") == before


def test_newer_format_is_refused_and_left_alone(tmp_path):
    Library(tmp_path).close()
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(LibraryFormatError, match="upgrade"):
        Library(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == before


def test_migration_goes_step_by_step_and_all_or_nothing(tmp_path):
    connect(tmp_path, create=True)[0].close()
    broken = (*MIGRATIONS, ("ALTER TABLE source ADD COLUMN seen TEXT", "CREATE TABLE chunk (id)"))
    with pytest.raises(LibraryError, match="already exists"):
        connect(tmp_path, create=False, migrations=broken)
    later = (*MIGRATIONS, ("ALTER TABLE source ADD COLUMN seen TEXT",), ("UPDATE source SET seen = 'never'",))
    connection, _ = connect(tmp_path, create=False, migrations=later)
    assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT + 2,)
    assert "seen" in [row[1] for row in connection.execute("PRAGMA table_info(source)")]
    connection.close()


def test_foreign_folders_and_files_are_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(LibraryFormatError, match="not empty"):
        Library(tmp_path)
    with pytest.raises(LibraryFormatError, match="no library"):
        Library(tmp_path / "absent", create=False)
    with pytest.raises(LibraryFormatError):
        Library(tmp_path / "thesis.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]
    for name, data in (("garbage", b"not a database at all"), ("cut", b"SQLite format 3\0")):
        (tmp_path / name).mkdir()
        (tmp_path / name / DATABASE).write_bytes(data)
        with pytest.raises(LibraryFormatError):
            Library(tmp_path / name)
    other = sqlite3.connect(tmp_path / "garbage" / "other.sqlite")
    other.execute("PRAGMA application_id = 7")
    other.execute("CREATE TABLE t (a)")
    other.close()
    os.replace(tmp_path / "garbage" / "other.sqlite", tmp_path / "garbage" / DATABASE)
    with pytest.raises(LibraryFormatError, match="not a library"):
        Library(tmp_path / "garbage")


def test_a_library_that_cannot_be_written_is_searched(tmp_path):
    document = document_of(["a fox"])
    with Library(tmp_path) as library:
        library.add(document, line_chunks(document))
    script = (
        "import sys, pecia.errors; from pecia.library import Library\n"
        "library = Library(sys.argv[1]); assert [hit.chunk.source_text for hit in library.search('fox')] == ['a fox\\n']\n"
        "assert len(list(library.export())) == 1\n"
        "try: library.rebuild()\n"
        "except pecia.errors.LibraryError as error: print(error)"
    )
    for file in (tmp_path, *tmp_path.iterdir()):
        file.chmod(0o555 if file.is_dir() else 0o444)
    done = subprocess.run(
        bounded("-c", script, str(tmp_path)),
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    tmp_path.chmod(0o755)
    assert "cannot be written" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE reading SET text = replace(text, '400', '900')", "LB001"),
        ("UPDATE chunk SET record = replace(record, '400', '900')", "LB002"),
        ("UPDATE chunk SET record = json_set(record, '$.chunk_id', 'other')", "LB003"),
        ("DELETE FROM analysed", "LB004"),
    ],
)
def test_tampering_is_named_by_verify_and_not_cited(tmp_path, statement, code):
    document = document_of(["the dose is 400 mg", "another line"])
    library = Library(tmp_path)
    library.add(document, line_chunks(document))
    assert library.search("dose")[0].citation.quote == "the dose is 400 mg"
    assert not list(library.verify())
    connection = sqlite3.connect(tmp_path / DATABASE)
    connection.execute(statement)
    connection.commit()
    connection.close()
    assert code in {finding.rule for finding in library.verify()}
    if code in ("LB001", "LB002"):
        with pytest.raises(CitationError):
            library.search("dose")
    library.close()


def test_chunks_of_another_text_are_refused(tmp_path):
    document = document_of(["a fox", "a whale"])
    chunks = line_chunks(document)
    with Library(tmp_path) as library:
        for wrong in (
            [replace(chunks[0], document_id="0" * 64)],
            [replace(chunks[0], source_text="a cat\n")],
            [replace(chunks[0], text_hash="0" * 16)],
            [chunks[0], chunks[0]],
        ):
            with pytest.raises(RecordError):
                library.add(document, wrong)
        assert not list(library.export())


KILLED = """
import sys
from pecia.library import Library
from pecia.testing.stores import document_of, line_chunks
library = Library(sys.argv[1])
print("ready", flush=True)
for number in range(10_000):
    document = document_of([f"fox {number} {line}" for line in range(40)], f"memory:{number}")
    library.add(document, line_chunks(document), original=document.text.encode())
    print(number, flush=True)
"""


@pytest.mark.parametrize("delay", [0.01, 0.05, 0.13, 0.3])
def test_kill_leaves_whole_documents_and_all_that_was_acknowledged(tmp_path, delay):
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        acknowledged = [int(line) for line in process.stdout.read().split("\n")[:-1]]
    with Library(tmp_path, create=False) as library:
        held = library.documents()
        assert all(item.cuttings[0].chunks == 40 for item in held)
        assert {f"memory:{number}" for number in acknowledged} <= {uri for item in held for uri, _ in item.sources}
        assert not [finding for finding in library.verify() if finding.severity == "error"]


def test_two_opened_at_once_make_one_library(tmp_path):
    opening.connect(tmp_path, create=True)[0].close()
    first, second = Library(tmp_path), Library(tmp_path)
    one, two = document_of(["one fox"], "memory:1"), document_of(["two fox"], "memory:2")
    first.add(one, line_chunks(one))
    second.add(two, line_chunks(two))
    assert len(first.search("fox")) == len(second.search("fox")) == 2
    first.close()
    second.close()


def test_processes_that_create_and_add_at_once_lose_nothing(tmp_path):
    script = (
        "import sys; from pecia.library import Library; from pecia.testing.stores import document_of, line_chunks\n"
        "library = Library(sys.argv[1])\n"
        "for number in range(20):\n"
        "    document = document_of([f'fox {sys.argv[2]} {number}'], f'memory:{sys.argv[2]}.{number}')\n"
        "    library.add(document, line_chunks(document))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    processes = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "l"), str(n)], env=environment) for n in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    with Library(tmp_path / "l", create=False) as library:
        assert len(library.search("fox", k=100)) == 60
        assert not list(library.verify())


def test_threads_share_a_library(tmp_path):
    with Library(tmp_path) as library:

        def work(number):
            document = document_of([f"fox {number} {line}" for line in range(20)], f"memory:{number}")
            library.add(document, line_chunks(document))
            return len(library.search(f"fox {number}", k=5)), len(list(library.export({"source_name": str(number)})))

        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(work, range(30))) == [(5, 20)] * 30
        assert not list(library.verify())
