"""JSON says nothing about what it holds: the first structures of a file do, and the parser for it reads on."""

from __future__ import annotations

import codecs
import importlib
import io
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

from pecia.errors import BrokenError, LimitError, UnsupportedError
from pecia.model import Document, Source
from pecia.parsing.chat.shapes import is_chat
from pecia.parsing.quoted import quoted
from pecia.protocols import ParseOptions

Shape = frozenset[str]
# What says that a file is of a kind, by the paths that its first structures have (`item.chat_messages.item.sender`; `item` is an
# element of an array), and the parser: `parse(file, source, options, shape)`, the file open at its first character, as UTF-8. The
# first that says so reads it.
KINDS: tuple[tuple[Callable[[Shape], bool], str], ...] = ((is_chat, "pecia.parsing.chat.reader:parse_chat"),)
# Looked at of a file: a conversation has its keys before its first message.
_EVENTS = 5_000
_DEEPEST = 200
_BOMS = ((codecs.BOM_UTF8, ""), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def parse_json(data: bytes | BinaryIO, source: Source, options: ParseOptions) -> Iterator[Document]:
    """The documents of a JSON file, one after the other as they are read; UnsupportedError where it is of no kind that is known."""
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    start = _start(file)
    shape = shape_of(start())
    for fits, path in KINDS:
        if fits(shape):
            module, _, function = path.partition(":")
            yield from getattr(importlib.import_module(module), function)(start(), source, options, shape)
            return
    raise UnsupportedError("JSON that is no chat export")


parse_json.streams = True  # type: ignore[attr-defined]


def _start(file: BinaryIO) -> Callable[[], BinaryIO]:
    """Gives the file from its first character on, as UTF-8."""
    begin = file.tell()
    head = file.read(4)
    mark, encoding = next(((mark, name) for mark, name in _BOMS if head.startswith(mark)), (b"", ""))

    def start() -> BinaryIO:
        file.seek(begin if encoding else begin + len(mark))
        return cast(BinaryIO, codecs.EncodedFile(file, "utf-8", encoding)) if encoding else file

    return start


def shape_of(file: BinaryIO) -> Shape:
    """The paths of the first structures of a file; BrokenError where it does not begin as JSON."""
    import ijson

    found: set[str] = set()
    try:
        for number, (path, _, _) in enumerate(ijson.parse(file)):
            found.add(path)
            if path.count(".") > _DEEPEST:
                raise LimitError("JSON nested more than 200 deep")
            if number >= _EVENTS:
                break
    except (ijson.JSONError, ValueError) as error:
        if not found:
            raise BrokenError(f"not JSON: {quoted(error)}") from error
    return frozenset(found)
