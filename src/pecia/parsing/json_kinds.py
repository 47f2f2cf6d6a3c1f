"""JSON says nothing about what it holds: the first structures of a file do, and the parser for it reads on."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

from pecia.errors import UnsupportedError
from pecia.model import Document, Source
from pecia.parsing.chat.shapes import is_chat
from pecia.parsing.json_stream import Shape, rewound, shape_of
from pecia.protocols import ParseOptions

# What says by the shape of a file that it is of a kind, and the parser: `parse(file, source, options, shape)`, the file from its
# first character on, as UTF-8 (`json_stream.values` reads it). The first that says so reads it.
KINDS: tuple[tuple[Callable[[Shape], bool], str], ...] = ((is_chat, "pecia.parsing.chat.reader:parse_chat"),)


def parse_json(data: bytes | BinaryIO, source: Source, options: ParseOptions) -> Iterator[Document]:
    """The documents of a JSON file, one after the other as they are read; UnsupportedError where it is of no known kind."""
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    begin = file.tell()
    shape = shape_of(rewound(file, begin))
    for fits, path in KINDS:
        if fits(shape):
            module, _, function = path.partition(":")
            yield from getattr(importlib.import_module(module), function)(rewound(file, begin), source, options, shape)
            return
    raise UnsupportedError("JSON that is no chat export")


parse_json.streams = True  # type: ignore[attr-defined]
