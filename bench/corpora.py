"""Parses every file of an accepted type, cuts it with every strategy, proves the laws, and writes a table of what became of it.

    python -m bench.corpora FOLDER... [-o TABLE.md] [--details FILE.jsonl] [--seconds 300]

No file is passed over: each is in the table of its folder and type, among the failures with the reason, or among those that no
parser reads. A parser runs in its child process, and cutting under an alarm, so that a crash or a hang is a failure too.
`--details` has one line a file, to look for the largest losses. Exit 1 where a law is broken, a character is lost or a strategy
fails; a file that cannot be read is in the table and changes nothing.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from pecia import pipeline, plugins
from pecia.errors import DocumentError, UnsupportedError
from pecia.model import Document, Severity
from pecia.parsing.isolation import sniff


@dataclass
class Row:
    """What became of a file, or of all files of a folder and type."""

    files: int = 0
    documents: int = 0
    pages: int = 0
    source: int = 0
    text: int = 0
    furniture: int = 0
    missing: int = 0
    parse_seconds: float = 0.0
    cut_seconds: float = 0.0
    chunks: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    errors: int = 0

    def add(self, other: Row) -> None:
        for name, value in vars(other).items():
            if isinstance(value, Counter):
                getattr(self, name).update(value)
            else:
                setattr(self, name, getattr(self, name) + value)


class TooSlowError(Exception):
    pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--details", type=Path)
    parser.add_argument("--seconds", type=int, default=300, help="for cutting one document with one strategy")
    options = parser.parse_args()
    rows, refused = defaultdict[tuple[str, str], Row](Row), defaultdict[tuple[str, str], Row](Row)
    failures, broken = list[tuple[str, str, str]](), False
    details = options.details.open("w", encoding="utf-8") if options.details else None
    for name, group, path in _files(options.folders):
        suffix = path.suffix.lower() or "none"
        try:
            sniff(path)
        except UnsupportedError as error:
            refused[suffix, str(error).removeprefix(path.name).lstrip(": ")].files += 1
            continue
        except DocumentError as error:
            failures.append((name, "open", str(error).replace(f"{path}: ", "")))
            continue
        row, found = _one(path, options.seconds)
        rows[group, suffix].add(row)
        failures += [(name, stage, reason) for stage, reason in found]
        broken |= bool(row.errors or row.missing or any(stage != "parse" for stage, _ in found))
        if details:
            details.write(json.dumps({"file": name, "failures": found, **vars(row)}, ensure_ascii=False) + "\n")
            details.flush()
    text = "\n".join(_table(rows, refused, failures))
    if options.output:
        options.output.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)
    return 1 if broken else 0


def _files(folders: Iterable[Path]) -> Iterator[tuple[str, str, Path]]:
    """(path below the folder given, the first folder of it, file) of every file."""
    for folder in folders:
        for path in sorted(item for item in folder.rglob("*") if item.is_file()):
            below = path.relative_to(folder)
            yield below.as_posix(), below.parts[0] if len(below.parts) > 1 else folder.name, path


def _one(path: Path, seconds: int) -> tuple[Row, list[tuple[str, str]]]:
    """The row of one file, and (stage, reason) of what failed on it."""
    row, failures = Row(files=1), list[tuple[str, str]]()
    try:
        started = time.perf_counter()
        documents = list(pipeline.parse_all(path))
        row.parse_seconds = time.perf_counter() - started
    except DocumentError as error:
        return row, [(error.stage, str(error))]
    for document in documents:
        _count(row, document)
        rules = {finding.rule for finding in document.findings}
        for strategy in plugins.strategy_names():
            try:
                with _at_most(seconds):
                    started = time.perf_counter()
                    cutting = pipeline.cut(document, strategy)
                    findings = list(cutting.findings())
                    row.cut_seconds += time.perf_counter() - started
            except Exception as error:  # whatever it is, it belongs into the table
                failures.append((strategy, f"{type(error).__name__}: {error}"))
                continue
            row.chunks[strategy] += len(cutting.chunks)
            row.errors += sum(finding.severity is Severity.ERROR for finding in findings)
            rules |= {finding.rule for finding in findings}
            for segment in cutting.left_out:
                row.left_out[f"{strategy}: {segment.left_out_reason}"] += len(segment.span)
        row.findings.update(rules)
    return row, failures


def _count(row: Row, document: Document) -> None:
    ledger = document.ledger()
    row.documents += 1
    row.pages += len(document.pages)
    row.source += ledger.total
    row.text += ledger.body + ledger.cells
    row.furniture += ledger.furniture
    row.missing += abs(ledger.missing)
    for item in ledger.dropped:
        row.dropped[item.reason] += item.size


@contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    def stop(_: int, __: FrameType | None) -> None:
        raise TooSlowError(f"longer than {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def _table(
    rows: dict[tuple[str, str], Row], refused: dict[tuple[str, str], Row], failures: list[tuple[str, str, str]]
) -> Iterator[str]:
    total = Row()
    yield _line("folder", "type", "files", "documents", "pages", "characters", "furniture", "dropped", "lost", "s", "chunks")
    yield _line("---", "---", *["---:"] * 9)
    for (group, suffix), row in [*sorted(rows.items()), (("all", ""), total)]:
        if row is not total:
            total.add(row)
        sizes = (row.files, row.documents, row.pages, row.source, row.furniture, row.dropped.total(), row.missing)
        seconds = f"{row.parse_seconds + row.cut_seconds:.1f}"
        yield _line(group, suffix, *(f"{size:,}" for size in sizes), seconds, f"{row.chunks.total():,}")
    for title, name, head in (
        ("Dropped, with the reason", "dropped", ("type", "reason", "characters")),
        ("Left out by a strategy, with the reason", "left_out", ("type", "strategy: reason", "characters")),
        ("Documents with findings", "findings", ("type", "rule", "documents")),
    ):
        found = Counter[tuple[str, str]]()
        for (_, suffix), row in rows.items():
            for reason, size in getattr(row, name).items():
                found[suffix, reason] += size
        yield from _section(title, head, [(*key, f"{size:,}") for key, size in sorted(found.items())])
    yield from _section("Failures", ("file", "stage", "reason"), failures)
    left = sorted(refused.items(), key=lambda item: (-item[1].files, item[0]))
    yield from _section("No parser yet", ("type", "reason", "files"), [(*key, f"{row.files:,}") for key, row in left])


def _section(title: str, head: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"\n## {title}\n"
    if not lines:
        yield "None."
        return
    yield _line(*head)
    yield _line(*["---:" if name in ("characters", "documents", "files") else "---" for name in head])
    yield from (_line(*line) for line in lines)


def _line(*cells: str) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main())
