"""The files that paths on the command line stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pecia.cli.output import errors, escape
from pecia.errors import DocumentError, UnsupportedError
from pecia.parsing.isolation import sniff


def files_of(paths: Iterable[Path]) -> Iterator[Path]:
    """The files given, and those of folders that some parser reads, sorted, without hidden ones."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for file in sorted(item for item in path.rglob("*") if item.is_file()):
            if any(part.startswith(".") for part in file.relative_to(path).parts):
                continue
            try:
                sniff(file)
            except UnsupportedError as error:
                errors.print(f"[dim]left alone: {escape(str(error))}[/]")
                continue
            except DocumentError:
                pass  # too large, not to be opened: it is listed as a failure, and the others are read
            yield file
