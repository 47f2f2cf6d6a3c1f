"""The files that documents came from, beside the database, each under the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pecia.errors import DocumentError, LibraryError
from pecia.model import Source

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Prepared:
    """A copy on the disk of the library that has its last name only after `settle`; None: the file is there already."""

    name: str
    _temporary: Path | None
    _final: Path
    _again: Callable[[], Prepared | None]

    def settle(self) -> str:
        """Gives the copy its name, which comes back; afterwards it survives a power cut. Under the lock for writing."""
        if self._temporary is not None:
            os.replace(self._temporary, self._final)
            _sync_folder(self._final.parent)
        elif not self._final.is_file():  # another process deleted its last document since
            if (anew := self._again()) is None:
                raise LibraryError(f"{self.name} was deleted while it was added; add it with its file")
            return anew.settle()
        return self.name

    def discard(self) -> bool:
        """Removes a copy that has no name yet; True where it has one."""
        if self._temporary is None:
            return False
        settled = not self._temporary.exists()
        self._temporary.unlink(missing_ok=True)
        return settled


class Originals:
    """`<first two digits>/<sha256><suffix>` below a folder; the suffix is that of the first name it came under."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, name: str) -> Path:
        return self._folder / name

    def find(self, sha256: str) -> Path | None:
        """The stored file of that hash, by its name alone."""
        return next(iter(sorted((self._folder / sha256[:2]).glob(f"{sha256}*"))), None)

    def prepare(self, source: Source, original: Path | bytes | None) -> Prepared | None:
        """A copy of the given file or bytes, else of the local file that the source names; None where it names none.

        DocumentError where the file cannot be read, or its bytes are not those that were parsed; LibraryError where the
        copy cannot be written.
        """

        def again() -> Prepared | None:
            return self.prepare(source, original)

        if held := self.find(source.sha256):
            return Prepared(f"{source.sha256[:2]}/{held.name}", None, held, again)
        data = local_file(source.uri) if original is None else original
        if data is None:
            return None
        suffix = _SUFFIX.search(source.name)
        name = f"{source.sha256[:2]}/{source.sha256}{suffix[0].lower() if suffix else ''}"
        final = self._folder / name
        copy: Path | None = None
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=final.parent)
            copy = Path(temporary)
            with os.fdopen(descriptor, "wb") as file:
                digest = hashlib.sha256()
                for block in _given(data, source.name):
                    digest.update(block)
                    file.write(block)
                file.flush()
                os.fsync(file.fileno())
            if digest.hexdigest() != source.sha256:
                raise DocumentError(f"{source.name} has changed since it was parsed; parse it again", stage="store")
        except BaseException as error:
            if copy:
                copy.unlink(missing_ok=True)
            if isinstance(error, OSError):  # of the library, since `_given` answers for the file
                raise LibraryError(f"{self._folder.parent}: {source.name} cannot be kept: {error.strerror}") from error
            raise
        return Prepared(name, copy, final, again)

    def remove(self, sha256: str) -> None:
        while (held := self.find(sha256)) is not None:
            held.unlink()

    def names(self) -> Iterator[str]:
        """All files there are, copies that were never finished included."""
        for file in sorted(self._folder.glob("*/*")) + sorted(self._folder.glob("*/.*.part")):
            yield f"{file.parent.name}/{file.name}"


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    for block in _blocks(path):
        digest.update(block)
    return digest.hexdigest()


def local_file(uri: str) -> Path | None:
    """The path that a uri names, where it names a file of this machine; a bare path is one too."""
    parts = urlsplit(uri)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return Path(unquote(parts.path))
    return Path(uri) if not parts.scheme and uri and Path(uri).is_file() else None


def _given(original: Path | bytes, name: str) -> Iterator[bytes]:
    """The blocks of a file that somebody gave; DocumentError where it cannot be read."""
    try:
        yield from _blocks(original)
    except OSError as error:
        raise DocumentError(f"{name} cannot be read: {error.strerror}", stage="store") from error


def _blocks(original: Path | bytes) -> Iterator[bytes]:
    if isinstance(original, bytes):
        yield original
        return
    with original.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # a folder cannot be opened there
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
