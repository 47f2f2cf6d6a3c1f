"""JSON says nothing about what it holds; the first structures of a file do. A chat export is one document a conversation, read
as a stream; any other file is one document, with a block for each entity, its pointer and its lines."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from pecia.errors import BrokenError, EncodingError
from pecia.model import Document, Finding, Source
from pecia.parsing.chat.shapes import is_chat
from pecia.parsing.decode import decode
from pecia.parsing.json_stream import AsUtf8, rewound, shape_of
from pecia.parsing.media import JSON
from pecia.protocols import ParseOptions


def parse_json(data: bytes | BinaryIO, source: Source, options: ParseOptions) -> Iterator[Document]:
    """The documents of a JSON file, as they are read. BrokenError with line and column for what is not JSON."""
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    begin = file.tell()
    read, start, findings = file, begin, tuple[Finding, ...]()
    if not _is_unicode(rewound(file, begin)):  # of a file in an older encoding all of it is read
        file.seek(begin)
        with suppress(EncodingError):  # which `structured` meets too
            decoded = decode(file.read())
            read, start, findings = io.BytesIO(decoded.text.encode()), 0, decoded.findings
    try:
        shape = shape_of(rewound(read, start))
    except BrokenError:  # which says no line
        shape = frozenset()
    if is_chat(shape):
        from pecia.parsing.chat.reader import parse_chat

        yield from parse_chat(rewound(read, start), source, options, shape, findings)
    else:
        from pecia.parsing.yaml.reader import structured

        file.seek(begin)
        yield structured(file.read(), source, JSON)


def _is_unicode(file: BinaryIO | AsUtf8) -> bool:
    """False where bytes are no UTF-8; half a second for 500 MB."""
    check = codecs.getincrementaldecoder("utf-8")()
    try:
        while data := file.read(1 << 20):
            check.decode(data)
        check.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


parse_json.streams = True  # type: ignore[attr-defined]
