"""Opening a library's database: pragmas, format, migration, and transactions that report in our errors."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from pecia.errors import LibraryError, LibraryFormatError
from pecia.storing.schema import APPLICATION_ID, FORMAT, MIGRATIONS

DATABASE = "library.sqlite"
# A writer waits for another one at most this long. The longest transaction is a rebuild: 25 s for 100,000 chunks.
_WAIT_MS = 60_000


# What SQLite says in three words, with the way out.
_CLEARER = {
    sqlite3.SQLITE_BUSY: f"another process has been writing to it for {_WAIT_MS // 1000} s; try again when it is done",
    sqlite3.SQLITE_FULL: "the disk is full; nothing of this step was kept",
}


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """What SQLite or the disk raises as a LibraryError that names the library."""
    try:
        yield
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        raise LibraryError(f"{path}: {named}{error.strerror or error}") from error
    except UnicodeEncodeError as error:  # an id or filter with lone surrogates: bytes of a command line that are not UTF-8
        raise LibraryError(f"{path} holds nothing called {error.object!r}") from error
    except sqlite3.OperationalError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code of an extended one
        raise LibraryError(f"{path}: {_CLEARER.get(code, error)}") from error
    except sqlite3.IntegrityError as error:
        raise LibraryError(f"{path}: the change breaks a constraint of the library: {error}") from error
    except sqlite3.DatabaseError as error:
        raise LibraryFormatError(f"{path}: {error}; try pecia library verify, or restore the library from a copy") from error


def connect(folder: Path, *, create: bool, migrations: Sequence[Sequence[str]] = MIGRATIONS) -> tuple[sqlite3.Connection, bool]:
    """The open database of a library folder, and whether it can be written.

    A folder that is missing or empty becomes a library where `create` is set. LibraryFormatError, with nothing written,
    for a folder that holds something else or a library of a newer format.
    """
    path = folder / DATABASE
    with guarded(folder):
        if not path.exists():
            if not create:
                raise LibraryFormatError(f"{folder} holds no library")
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise LibraryFormatError(f"{folder} is not empty and holds no library; name a new folder or an empty one")
        if path.exists():
            _recognise(path, create=create)
        else:
            folder.mkdir(parents=True, exist_ok=True)
        connection, writable = open_database(path)
        try:
            _migrate(connection, folder, migrations, writable=writable)
        except BaseException:
            connection.close()
            raise
        return connection, writable


def _recognise(path: Path, *, create: bool) -> None:
    """LibraryFormatError for a file that is not ours, by the 100 bytes of its header, before SQLite touches it."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        if create and all(item.name.startswith(DATABASE) for item in path.parent.iterdir()):
            return  # made by a process that was killed before its first commit
        raise LibraryFormatError(f"{path} is empty; restore the library from a copy")
    ours = header.startswith(b"SQLite format 3\0") and int.from_bytes(header[68:72], "big") in (APPLICATION_ID, 0)
    if not ours:
        raise LibraryFormatError(f"{path} is not a library of pecia")


def open_database(path: Path) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether it can write: else it only reads, or takes the file as unchanging, since WAL wants files
    beside the database, which a folder that cannot be written does not allow. Takes no lock on a library that is there."""
    wal, shared = (path.with_name(f"{path.name}-{part}") for part in ("wal", "shm"))
    writable = os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    late = wal.exists() and wal.stat().st_size > 0
    if late and not writable and not shared.exists():
        raise LibraryError(
            f"{path.parent} cannot be written, and its last changes stand in {wal.name} alone; open a copy of the folder"
        )
    # With the two files there it is read beside a writer; without, nobody is writing.
    way = "mode=rwc" if writable else f"mode=ro{'' if late or shared.exists() else '&immutable=1'}"
    # Threads share the connection under the lock of the store.
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{way}", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
        if writable and connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            connection.execute("PRAGMA journal_mode = WAL")
        # FULL: what `add` has acknowledged survives a power cut; NORMAL would lose the last commits in WAL mode.
        for pragma in ("synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF", "cache_size = -65536"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA mmap_size = 1073741824")
    except BaseException:
        connection.close()
        raise
    return connection, writable


def stamp(folder: Path) -> tuple[int, ...]:
    """Changes where anyone has written since, or begins to; for a library that was opened as unchanging."""
    held = (folder / DATABASE).stat()
    return held.st_ino, held.st_size, held.st_mtime_ns, (folder / f"{DATABASE}-shm").exists()


def _migrate(connection: sqlite3.Connection, folder: Path, migrations: Sequence[Sequence[str]], *, writable: bool) -> None:
    newest = len(migrations)
    held = _format(connection)
    if held > newest:
        raise LibraryFormatError(f"{folder} has format {held}; this pecia reads up to {newest}: upgrade pecia")
    if held == newest:
        return
    if not writable:
        raise LibraryFormatError(f"{folder} has format {held} and must be migrated to {newest}, but it cannot be written")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in migrations[_format(connection) :]:  # asked again: another process may have been first
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # Ctrl-C may come when COMMIT is done; a full disk ends a transaction by itself
            connection.execute("ROLLBACK")
        raise


def _format(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


__all__ = ["DATABASE", "FORMAT", "connect", "guarded", "open_database", "stamp"]
