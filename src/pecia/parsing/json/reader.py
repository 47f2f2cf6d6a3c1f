"""JSON says nothing about what it holds; the first structures of a file do. A chat export is one document a conversation, read
as a stream; any other file is one document, with a block for each entity, its pointer and its lines."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

from pecia.errors import BrokenError
from pecia.model import Document, Source
from pecia.parsing.chat.shapes import is_chat
from pecia.parsing.json_stream import rewound, shape_of
from pecia.parsing.media import JSON
from pecia.protocols import ParseOptions


def parse_json(data: bytes | BinaryIO, source: Source, options: ParseOptions) -> Iterator[Document]:
    """The documents of a JSON file, as they are read. BrokenError with line and column for what is not JSON."""
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    begin = file.tell()
    try:
        shape = shape_of(rewound(file, begin))
    except BrokenError:  # which says no line
        shape = frozenset()
    if is_chat(shape):
        from pecia.parsing.chat.reader import parse_chat

        yield from parse_chat(rewound(file, begin), source, options, shape)
    else:
        from pecia.parsing.yaml.reader import structured

        file.seek(begin)
        yield structured(file.read(), source, JSON)


parse_json.streams = True  # type: ignore[attr-defined]
