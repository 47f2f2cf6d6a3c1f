"""JSON of any size, read as events: the paths that a file begins with, and the values at one path, one at a time.

ijson's own paths grow with the depth and cost its square; the depth is bounded here before a path is made.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, BinaryIO

import ijson

from pecia.errors import BrokenError, LimitError
from pecia.parsing.quoted import quoted

Shape = frozenset[str]
ITEM = "item"  # the part of a path that stands for an element of an array
LINES = "\n"  # stands among the paths of a file that holds several values, as JSON Lines do
_DEEPEST = 200
# Looked at for the shape of a file, and the depth of its paths: what holds the data comes before the data.
_EVENTS, _SHAPED = 5_000, 6
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_OPENING, _CLOSING = {"start_map", "start_array"}, {"end_map", "end_array"}


class AsUtf8:
    """A file in UTF-16, or with a byte order mark, as the UTF-8 that readers of JSON take."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file, self._decoder = file, codecs.getincrementaldecoder(encoding)()

    def read(self, size: int = -1) -> bytes:
        while True:
            data = self._file.read(size)
            made = self._decoder.decode(data, final=not data).encode()
            if made or not data:
                return made


def rewound(file: BinaryIO, begin: int) -> BinaryIO | AsUtf8:
    """The file from `begin` on, as UTF-8."""
    file.seek(begin)
    head = file.read(4)
    file.seek(begin)
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    return AsUtf8(file, encoding) if encoding else file


def shape_of(file: BinaryIO | AsUtf8) -> Shape:
    """The paths of the first values of a file (`item.chat_messages.item.sender`); BrokenError where it does not begin as JSON."""
    found: set[str] = set()
    path: list[str] = []
    try:
        for number, (event, value) in enumerate(ijson.basic_parse(file, multiple_values=True)):
            if number and not path:
                found.add(LINES)
            if event == "map_key":
                path[-1] = value
                continue
            if event in _CLOSING:
                path.pop()
                continue
            if len(path) <= _SHAPED:
                found.add(".".join(path))
            if event in _OPENING:
                _open(path, event)
            if number >= _EVENTS:
                break
    except (ijson.JSONError, ValueError) as error:
        if not found:
            raise BrokenError(f"not JSON: {quoted(error)}") from error
    return frozenset(found)


def values(file: BinaryIO | AsUtf8, place: str) -> Iterator[Any]:
    """The values at a path, in the order of the file; memory holds one at a time. Those of the file itself ("") may be several.
    BrokenError where the file breaks off."""
    wanted = place.split(".") if place else []
    path: list[str] = []
    open_: list[Any] = []
    keys: list[str] = []
    try:
        for event, value in ijson.basic_parse(file, use_float=True, multiple_values=not place):
            if event == "map_key":
                (keys if open_ else path)[-1] = value
            elif event in _CLOSING:
                if not open_:
                    path.pop()
                    continue
                keys.pop()
                made = open_.pop()
                if not open_:
                    yield made
            else:
                made = {} if event == "start_map" else [] if event == "start_array" else value
                if open_:
                    if isinstance(open_[-1], list):
                        open_[-1].append(made)
                    else:
                        open_[-1][keys[-1]] = made
                    if event in _OPENING:
                        open_.append(made)
                        _open(keys, event)
                elif path == wanted:
                    if event in _OPENING:
                        open_.append(made)
                        _open(keys, event)
                    else:
                        yield made
                elif event in _OPENING:
                    _open(path, event)
    except (ijson.JSONError, ValueError) as error:
        raise BrokenError(f"not JSON: {quoted(error)}") from error


def _open(path: list[str], event: str) -> None:
    if len(path) >= _DEEPEST:
        raise LimitError(f"JSON nested more than {_DEEPEST} deep")
    path.append(ITEM if event == "start_array" else "")
