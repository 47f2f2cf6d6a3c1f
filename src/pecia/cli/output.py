"""What commands write: lines on standard output or into a file, progress and the summary on standard error."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from rich import markup
from rich.console import Console

from pecia.errors import UsageError
from pecia.model import Chunk, Document, Failure, Finding, Severity
from pecia.vision import endpoint, left_for_a_model, unsettled

# Text of documents is shown as it stands: `:bug:` in it is no emoji.
errors = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
plain = Console(highlight=False, soft_wrap=True, emoji=False)
# Control characters that a terminal would obey, shown by their signs in Unicode.
_SIGNS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: 0x2421}


def escape(text: str) -> str:
    """Text of a document, or a name, to be printed between our own markup."""
    return markup.escape(text.translate(_SIGNS).encode("utf-8", "backslashreplace").decode())


@contextlib.contextmanager
def writer(path: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that takes its name only when all of it is written; a device or pipe is written to."""
    if path is None:
        yield sys.stdout
        return
    if path.exists() and not path.is_file():
        try:
            with path.open("w", encoding="utf-8", newline="\n") as file:
                yield file
        except IsADirectoryError as error:
            raise UsageError(f"{path} is a folder") from error
        return
    try:
        descriptor, name = tempfile.mkstemp(dir=Path(os.path.realpath(path)).parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)  # mkstemp makes files that only their owner reads
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def working(name: str) -> Iterator[None]:
    """A sign of life on standard error where that is a terminal: a long PDF takes a minute, and so does a model for a page."""
    if not errors.is_terminal:
        yield
        return
    log = logging.getLogger("pecia.llm")
    with errors.status(f"reading {escape(name)}") as status:
        shows = _Shows(lambda said: status.update(f"reading {escape(name)}: {escape(said)}"))
        level = log.level
        log.addHandler(shows)
        log.setLevel(logging.INFO)
        try:
            yield
        finally:
            log.removeHandler(shows)
            log.setLevel(level)


class _Shows(logging.Handler):
    """Hands each message on."""

    def __init__(self, show: Callable[[str], None]) -> None:
        super().__init__()
        self._show = show

    def emit(self, record: logging.LogRecord) -> None:
        self._show(record.getMessage())


@dataclass
class Tally:
    """What a run did; printed at its end, and the exit code that follows from it."""

    documents: int = 0
    chunks: int = 0
    tokens: int = 0
    over: int = 0
    oversized: int = 0
    tokenizers: set[str] = field(default_factory=set)
    findings: Counter[Severity] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    left: list[tuple[int, list[int]]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def add(self, chunks: Iterable[Chunk], findings: Iterable[Finding] = (), source: str = "") -> None:
        """Counts one document with its chunks, and shows its findings, with the name of the source where there are several."""
        self.documents += 1
        self.count(chunks)
        show_findings(findings, self.findings, source=source)

    def count(self, chunks: Iterable[Chunk]) -> None:
        """Counts chunks, of a document that is counted already."""
        for chunk in chunks:
            self.chunks += 1
            self.tokens += chunk.est_tokens
            self.over += chunk.est_tokens > chunk.max_tokens
            self.oversized += chunk.oversized
            self.tokenizers.add(chunk.tokenizer)

    def leave(self, document: Document) -> None:
        """Counts the tables of a document that a model should look at, where none is there to do so."""
        if endpoint() is None:
            items = unsettled(document)
            self.left.append((len(items), sorted({item.page for item in items if item.page is not None})))

    def fail(self, failure: Failure) -> None:
        self.failures.append(failure)
        self._show(failure)

    def _show(self, failure: Failure) -> None:
        page = f", page {failure.page + 1}" if failure.page is not None else ""
        errors.print(f"[red]failed[/] {escape(failure.source)} ({failure.stage}{page}): {escape(failure.error)}")

    def close(self) -> int:
        """Prints the failures, which other lines may have pushed out of sight, and the summary; 3 where a document failed,
        1 where a finding is an error, else 0."""
        parts = [
            counted(self.documents, "document"),
            counted(self.chunks, "chunk"),
            f"{self.tokens:,} tokens ({', '.join(sorted(self.tokenizers)) or 'none counted'})",
            f"{self.over} over the ceiling",
            f"{self.oversized} oversized",
            counted(sum(self.findings.values()), "finding") + self._severities(),
            f"{time.monotonic() - self.started:.1f} s",
        ]
        if self.failures:
            parts.insert(1, counted(len(self.failures), "failure"))
        if self.documents + len(self.failures) > 1:
            for failure in self.failures:
                self._show(failure)
        if left := left_for_a_model(self.left):
            parts.append(left)
        errors.print(" · ".join(parts))
        return 3 if self.failures else 1 if self.findings[Severity.ERROR] else 0

    def _severities(self) -> str:
        shown = [f"{self.findings[severity]} {severity.value}" for severity in Severity if self.findings[severity]]
        return f" ({', '.join(shown)})" if shown else ""


def show_findings(findings: Iterable[Finding], counts: Counter[Severity], *, most: int = 20, source: str = "") -> None:
    """Prints the first findings of each rule and says how many more there are."""
    seen: Counter[str] = Counter()
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}
    for finding in findings:
        counts[finding.severity] += 1
        seen[finding.rule] += 1
        if seen[finding.rule] <= most:
            where = "".join(f" {escape(part)}" for part in (source, finding.chunk_id) if part)
            errors.print(
                f"[{colours[finding.severity]}]{finding.severity.value}[/] {finding.rule}{where}: {escape(finding.message)}"
            )
    for rule, count in seen.items():
        if count > most:
            errors.print(f"[dim]… and {count - most} more of {rule}[/]")


def report(findings: Iterable[Finding], *, as_json: bool) -> Counter[Severity]:
    """Shows findings to a person, or writes them one a line for a program; how many there are of each severity."""
    counts: Counter[Severity] = Counter()
    if not as_json:
        show_findings(findings, counts)
        return counts
    for finding in findings:
        counts[finding.severity] += 1
        sys.stdout.write(json.dumps(finding.to_json(), ensure_ascii=False) + "\n")
    return counts


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
