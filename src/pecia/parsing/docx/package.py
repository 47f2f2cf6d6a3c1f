"""The zip package: parts read within limits; nothing outside of it is ever fetched."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from lxml import etree
from lxml.etree import _Element as Element

from pecia.errors import BrokenError, EncryptedError, LimitError, UnsupportedError
from pecia.parsing.quoted import quoted

ENTRIES = 20_000  # a report of 600 pictures has about 700
TOTAL_BYTES = 512 << 20  # of all entries, unpacked
PART_BYTES = 128 << 20  # of one XML part; a novel of 300,000 words has 5 MiB
# Word's own parts shrink 10 to 40 times, a table of equal rows 100; a bomb 1,000. Small parts harm nobody.
RATIO, SMALL = 300, 4 << 20
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_NUMBERS = re.compile(r"(\d{1,9})")


class Package:
    """An open package. Raises EncryptedError, UnsupportedError, LimitError or BrokenError, each with what was seen."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_OLE):
            if _ENCRYPTED in data:
                raise EncryptedError("it is protected by a password; save a copy without one")
            raise UnsupportedError("it is an old Office file under a new name; save it as DOCX")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise BrokenError(f"it is not a whole zip package: {quoted(error)}") from error
        self._check()
        self._names = {item.filename.lower().lstrip("/"): item for item in self._zip.infolist()}
        self.main = self._main()

    def _check(self) -> None:
        entries = self._zip.infolist()
        if len(entries) > ENTRIES:
            raise LimitError(f"the package has {len(entries):,} entries; the limit is {ENTRIES:,}")
        if (total := sum(item.file_size for item in entries)) > TOTAL_BYTES:
            raise LimitError(f"the package unpacks to {total:,} bytes; the limit is {TOTAL_BYTES:,}")

    def _main(self) -> str:
        found = [target for kind, target in self._relationships("") if kind == "officeDocument"]
        name = found[0] if found else "word/document.xml"
        if name.lower() not in self._names:
            raise BrokenError(f"the package has no main document ({quoted(name)})")
        return name

    def related(self, part: str, kind: str) -> list[str]:
        """Parts that `part` refers to by this kind of relationship and that are there, by name; 10 after 9."""
        found = {target for other, target in self._relationships(part) if other == kind and target.lower() in self._names}
        # Every second piece is a number; `isdigit` would take `²` for one.
        return sorted(found, key=lambda name: [int(piece) if at % 2 else piece for at, piece in enumerate(_NUMBERS.split(name))])

    def _relationships(self, part: str) -> Iterator[tuple[str, str]]:
        """(last word of the type, part name) of the internal relationships of a part, the package itself being ""."""
        folder, file = posixpath.split(part)
        name = posixpath.join(folder, "_rels", f"{file}.rels")
        if name.lower() not in self._names:
            return
        for item in self.root(name):
            if item.get("TargetMode") == "External" or not item.get("Target"):
                continue
            try:
                path = unquote(urlsplit(str(item.get("Target"))).path)
            except ValueError:  # a host that is none, as in `//[`
                continue
            target = posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/")
            yield str(item.get("Type") or "").rpartition("/")[2], target

    def raw(self, part: str) -> bytes:
        """The bytes of a part, unpacked."""
        entry = self._names[part.lower()]
        if entry.flag_bits & 1:
            raise EncryptedError("the zip package is protected by a password")
        if entry.file_size > PART_BYTES:
            raise LimitError(f"{quoted(part)} unpacks to {entry.file_size:,} bytes; the limit is {PART_BYTES:,}")
        if entry.file_size > SMALL and entry.file_size > RATIO * max(1, entry.compress_size):
            raise LimitError(f"{quoted(part)} is packed more than {RATIO} times, as in a zip bomb")
        try:
            return self._zip.read(entry)  # reads no more than the size that the entry states
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
            raise BrokenError(f"{quoted(part)} cannot be unpacked: {quoted(error)}") from error

    def root(self, part: str) -> Element:
        """The root element of a part."""
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
        )
        try:
            root: Element = etree.fromstring(self.raw(part), parser)
        except etree.XMLSyntaxError as error:
            kind = LimitError if "depth" in str(error) or "too long" in str(error) or "huge" in str(error) else BrokenError
            raise kind(f"{quoted(part)} is not XML that can be read: {quoted(error)}") from error
        if root.getroottree().docinfo.doctype:
            raise BrokenError(f"{quoted(part)} declares a document type; no Word file has one, attacks do")
        return root
