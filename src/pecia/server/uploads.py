"""Uploads: counted, measured, named safely, and refused in one line before anything is kept."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pecia import plugins
from pecia.errors import DocumentError, LimitError, UsageError
from pecia.parsing.isolation import ParserProcess, sniff
from pecia.protocols import ParseOptions
from pecia.settings import settings

NAME_BYTES = 120  # file systems take 255; what is longer tells nobody more
_BLOCK = 1 << 20
_RESERVED = re.compile(r'[<>:"|?*]')


@dataclass(frozen=True, slots=True)
class Upload:
    """A file on our disk under its safe name."""

    name: str
    path: Path
    sha256: str
    bytes: int
    media_type: str


def safe_name(given: str | None) -> str:
    """The last part of a name, without characters that do not show, turn the writing round or mean something to a system; at
    most 120 bytes, its suffix kept."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", given or ""))[-1]
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn"}
    shown = "".join(" " if c.isspace() else c for c in last if c.isspace() or unicodedata.category(c) not in hidden)
    name = " ".join(_RESERVED.sub("_", shown).split()).lstrip(". ")
    stem, dot, suffix = name.rpartition(".")
    if not dot or len(suffix) > 10:
        stem, suffix = name, ""
    room = NAME_BYTES - len(suffix.encode()) - 1
    stem = stem.encode()[:room].decode("utf-8", "ignore").rstrip(". ") or "document"
    return f"{stem}.{suffix}" if suffix else stem


def receive(
    files: Sequence[tuple[str | None, BinaryIO]], path_of: Callable[[int, str], Path], parser: ParserProcess
) -> list[Upload]:
    """Writes the files where `path_of(place, name)` says, so that they survive a power cut, and looks at each.

    UsageError where there is none; LimitError, UnsupportedError, EncryptedError or BrokenError, with the name, for the first
    that cannot be taken. Whoever calls removes what was written then.
    """
    if not files:
        raise UsageError("no file was sent; they belong into the field `files`")
    if len(files) > (most := settings().upload_files):
        raise LimitError(f"{len(files)} files were sent; the limit is {most} (PECIA_UPLOAD_FILES)")
    return [_receive(name, data, place, path_of, parser) for place, (name, data) in enumerate(files)]


def _receive(given: str | None, data: BinaryIO, place: int, path_of: Callable[[int, str], Path], parser: ParserProcess) -> Upload:
    name = safe_name(given)
    path = path_of(place, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with path.open("wb") as file:
        while block := data.read(_BLOCK):
            size += len(block)
            if size > (most := settings().max_file_bytes):
                raise LimitError(f"{name} is larger than {most:,} bytes (PECIA_MAX_FILE_BYTES)")
            digest.update(block)
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    with _named(name):
        media_type = sniff(path)
        if media_type in plugins.PROBES:
            list(parser.parse(path, media_type, plugins.PROBES[media_type], ParseOptions()))
    return Upload(name, path, digest.hexdigest(), size, media_type)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """The errors of a file begin with its name."""
    try:
        yield
    except DocumentError as error:
        message = error.message if error.message.startswith(name) else f"{name}: {error.message}"
        raise type(error)(message, stage=error.stage, page=error.page) from error


def drop(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
