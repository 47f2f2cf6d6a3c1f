"""The queue: what was uploaded and what became of it, in a SQLite file beside the library.

The server adds, the ingester takes; each sees what the other writes, and both may be killed at any moment. A job is
acknowledged when its row is on the disk. A file that was in work when its process ended is taken again, three times at most.
"""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

DATABASE = "service.sqlite"
ATTEMPTS = 3
KEPT_JOBS = 1000  # finished ones beyond these are forgotten
_WAIT_SECONDS = 30
_ENDED = f"the process that cut it ended {ATTEMPTS} times"


class State(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINISHED = frozenset({State.DONE, State.FAILED, State.CANCELLED})

_TABLES = (
    """CREATE TABLE IF NOT EXISTS job (
        id TEXT PRIMARY KEY, strategy TEXT NOT NULL, options TEXT NOT NULL, created REAL NOT NULL,
        cancelled INTEGER NOT NULL DEFAULT 0) STRICT""",
    """CREATE TABLE IF NOT EXISTS file (
        id INTEGER PRIMARY KEY, job TEXT NOT NULL REFERENCES job ON DELETE CASCADE, place INTEGER NOT NULL,
        name TEXT NOT NULL, sha256 TEXT NOT NULL,
        bytes INTEGER NOT NULL, state TEXT NOT NULL, stage TEXT NOT NULL DEFAULT '', page INTEGER NOT NULL DEFAULT 0,
        pages INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
        reason TEXT NOT NULL DEFAULT '', documents TEXT NOT NULL DEFAULT '[]', changed INTEGER NOT NULL DEFAULT 0) STRICT""",
    "CREATE INDEX IF NOT EXISTS file_job ON file (job)",
    "CREATE INDEX IF NOT EXISTS file_state ON file (state, id)",
    """CREATE TABLE IF NOT EXISTS note (
        entry TEXT PRIMARY KEY, uploaded REAL, pages INTEGER NOT NULL, findings INTEGER,
        list TEXT NOT NULL DEFAULT '[]') STRICT, WITHOUT ROWID""",
)


@dataclass(frozen=True, slots=True)
class FileState:
    """One file of a job. `stage` is parse, chunk, check or store; `page` of `pages` are parsed. `documents` are the keys of
    the entries that came of it, `changed` whether the library did; `error` is one line, `reason` why auto chose as it did."""

    id: int
    name: str
    bytes: int
    state: State
    stage: str
    page: int
    pages: int
    error: str
    reason: str
    documents: tuple[str, ...]
    changed: bool


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    strategy: str
    options: Mapping[str, Any]
    created: float
    files: tuple[FileState, ...]

    @property
    def state(self) -> State:
        """Done only where every file is; failed where one failed and none is left."""
        states = {file.state for file in self.files}
        if State.RUNNING in states or (State.QUEUED in states and states & FINISHED):
            return State.RUNNING
        return next(state for state in (State.QUEUED, State.FAILED, State.CANCELLED, State.DONE) if state in states)


@dataclass(frozen=True, slots=True)
class Task:
    """A file to cut, as the ingester takes it."""

    id: int
    job: str
    name: str
    path: Path
    sha256: str
    strategy: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Note:
    """What the service knows of an entry beyond the library: seconds since 1970 of the upload, pages, the number of findings,
    None where nobody counted, and the first of them."""

    uploaded: float | None
    pages: int
    findings: int | None = None
    first: Sequence[Mapping[str, Any]] = ()


class Queue:
    """The queue of a library's folder. May be used by several threads and processes; each call is one transaction."""

    def __init__(self, folder: Path) -> None:
        self.uploads = folder / "uploads"
        self._path = folder / DATABASE
        with self._open() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            for table in _TABLES:
                connection.execute(table)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self._path, timeout=_WAIT_SECONDS, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")  # what was acknowledged survives a power cut
            connection.execute("PRAGMA foreign_keys = ON")
            yield connection
        finally:
            connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    # The server's side

    def path_of(self, job: str, place: int, name: str) -> Path:
        """Where a file of a job waits; `place` counts from 0."""
        return self.uploads / job / str(place) / name

    def add(self, job: str, strategy: str, options: Mapping[str, Any], files: Iterable[tuple[str, str, int]]) -> None:
        """Acknowledges a job of (name, sha256, bytes), which wait at `path_of` already."""
        with self._writing() as connection:
            values = (job, strategy, json.dumps(dict(options)), time.time())
            connection.execute("INSERT INTO job (id, strategy, options, created) VALUES (?, ?, ?, ?)", values)
            connection.executemany(
                "INSERT INTO file (job, place, name, sha256, bytes, state) VALUES (?, ?, ?, ?, ?, ?)",
                [(job, place, *file, State.QUEUED) for place, file in enumerate(files)],
            )
            connection.execute(
                """DELETE FROM job WHERE id NOT IN (SELECT job FROM file WHERE state IN (?, ?))
                   AND id NOT IN (SELECT id FROM job ORDER BY created DESC LIMIT ?)""",
                (State.QUEUED, State.RUNNING, KEPT_JOBS),
            )

    def waiting(self) -> int:
        """Files that are not finished."""
        with self._open() as connection:
            query = "SELECT count(*) FROM file WHERE state IN (?, ?)"
            return int(connection.execute(query, (State.QUEUED, State.RUNNING)).fetchone()[0])

    def job(self, job: str) -> Job | None:
        with self._open() as connection:
            return self._job(connection, job)

    def jobs(self, *, limit: int = 50) -> list[Job]:
        """The latest first."""
        with self._open() as connection:
            rows = connection.execute("SELECT id FROM job ORDER BY created DESC LIMIT ?", (limit,)).fetchall()
            return [found for (job,) in rows if (found := self._job(connection, job))]

    def cancel(self, job: str) -> None:
        """What waits is cancelled now, what is in work as soon as the ingester sees it; what is done stays."""
        with self._writing() as connection:
            connection.execute("UPDATE job SET cancelled = 1 WHERE id = ?", (job,))
            connection.execute("UPDATE file SET state = ? WHERE job = ? AND state = ?", (State.CANCELLED, job, State.QUEUED))

    def clear(self, job: str) -> None:
        """Removes the uploads of a job that is finished, or that nothing knows."""
        found = self.job(job)
        if found is None or found.state in FINISHED:
            shutil.rmtree(self.uploads / job, ignore_errors=True)

    def _job(self, connection: sqlite3.Connection, job: str) -> Job | None:
        row = connection.execute("SELECT strategy, options, created FROM job WHERE id = ?", (job,)).fetchone()
        if row is None:
            return None
        columns = "id, name, bytes, state, stage, page, pages, error, reason, documents, changed"
        files = connection.execute(f"SELECT {columns} FROM file WHERE job = ? ORDER BY id", (job,))
        states = tuple(
            FileState(key, name, size, State(state), stage, page, pages, error, why, tuple(json.loads(made)), bool(changed))
            for key, name, size, state, stage, page, pages, error, why, made, changed in files
        )
        return Job(job, row[0], json.loads(row[1]), row[2], states)

    # The ingester's side

    def recover(self) -> None:
        """Puts back what a killed ingester left in work."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE file SET state = ?, error = ? WHERE state = ? AND attempts >= ?",
                (State.FAILED, _ENDED, State.RUNNING, ATTEMPTS),
            )
            connection.execute("UPDATE file SET state = ?, stage = '' WHERE state = ?", (State.QUEUED, State.RUNNING))
            connection.execute(
                "UPDATE file SET state = ? WHERE state = ? AND job IN (SELECT id FROM job WHERE cancelled)",
                (State.CANCELLED, State.QUEUED),
            )

    def take(self) -> Task | None:
        """The next file, now in work; None where none waits."""
        with self._writing() as connection:
            row = connection.execute(
                """UPDATE file SET state = ?, attempts = attempts + 1
                   WHERE id = (SELECT id FROM file WHERE state = ? ORDER BY id LIMIT 1) RETURNING id, job, place, name, sha256""",
                (State.RUNNING, State.QUEUED),
            ).fetchone()
            if row is None:
                return None
            job = connection.execute("SELECT strategy, options FROM job WHERE id = ?", row[1:2]).fetchone()
        path = self.path_of(row[1], row[2], row[3])
        return Task(row[0], row[1], row[3], path, row[4], job[0], json.loads(job[1]))

    def put_back(self, file: int, *, attempt: bool) -> bool:
        """Has a file taken again; False, and the file failed, where that was its last attempt. Without `attempt` this one
        does not count."""
        with self._writing() as connection:
            (attempts,) = connection.execute(
                "UPDATE file SET stage = '', page = 0, attempts = attempts - ? WHERE id = ? RETURNING attempts",
                (not attempt, file),
            ).fetchone()
            left = bool(attempts < ATTEMPTS)
            connection.execute(
                "UPDATE file SET state = ?, error = ? WHERE id = ?",
                (State.QUEUED, "", file) if left else (State.FAILED, _ENDED, file),
            )
            return left

    def tell(self, file: int, stage: str, page: int = 0, pages: int = 0) -> None:
        with self._writing() as connection:
            connection.execute(
                "UPDATE file SET stage = ?, page = max(page, ?), pages = max(pages, ?) WHERE id = ?", (stage, page, pages, file)
            )

    def cancelled(self, job: str) -> bool:
        with self._open() as connection:
            row = connection.execute("SELECT cancelled FROM job WHERE id = ?", (job,)).fetchone()
            return row is None or bool(row[0])

    def finish(
        self,
        file: int,
        state: State,
        *,
        error: str = "",
        reason: str = "",
        notes: Mapping[str, Note] | None = None,
        changed: bool = False,
    ) -> None:
        """The last word on a file, with what is to be known of each entry that came of it."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE file SET state = ?, error = ?, reason = ?, documents = ?, changed = ? WHERE id = ?",
                (state, error, reason, json.dumps(list(notes or ())), changed, file),
            )
            for entry, note in (notes or {}).items():
                self._note(connection, entry, note)

    # What the service knows of entries

    def note(self, notes: Mapping[str, Note]) -> None:
        with self._writing() as connection:
            for entry, note in notes.items():
                self._note(connection, entry, note)

    def _note(self, connection: sqlite3.Connection, entry: str, note: Note) -> None:
        first = json.dumps(list(note.first), ensure_ascii=False)
        connection.execute(
            """INSERT INTO note VALUES (?, ?, ?, ?, ?) ON CONFLICT (entry) DO UPDATE
               SET uploaded = coalesce(uploaded, excluded.uploaded), pages = excluded.pages,
                   findings = coalesce(excluded.findings, findings),
                   list = CASE WHEN excluded.findings IS NULL THEN list ELSE excluded.list END""",
            (entry, note.uploaded, note.pages, note.findings, first),
        )

    def notes(self, entries: Iterable[str]) -> dict[str, Note]:
        """The notes there are, without their findings."""
        with self._open() as connection:
            found = {}
            for entry in entries:
                row = connection.execute("SELECT uploaded, pages, findings FROM note WHERE entry = ?", (entry,)).fetchone()
                if row:
                    found[entry] = Note(*row)
            return found

    def findings(self, entry: str) -> list[dict[str, Any]]:
        """The first findings of an entry, as JSON objects."""
        with self._open() as connection:
            row = connection.execute("SELECT list FROM note WHERE entry = ?", (entry,)).fetchone()
            return list(json.loads(row[0])) if row else []

    def forget(self, entry: str) -> None:
        with self._writing() as connection:
            connection.execute("DELETE FROM note WHERE entry = ?", (entry,))


def new_job_id() -> str:
    """16 hex digits that nobody guesses."""
    return secrets.token_hex(8)
