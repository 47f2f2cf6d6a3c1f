"""JSON to nodes. What need not be looked into is skipped by the decoder of the standard library, which is 20 times as fast."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder

from pecia.errors import BrokenError, LimitError
from pecia.parsing.nodes import MAX_DEPTH, Entry, Kind, Node
from pecia.parsing.quoted import quoted

_SPACE = re.compile(r"[ \t\n\r]*")
_BETWEEN = re.compile(r"(?:[ \t]*,(?=[ \t\r]*(?:\n|\Z)))?[ \t\n\r]*")
_WORD = re.compile(r"-?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|Infinity)|NaN|true|false|null")
# Numbers stay as they are written: 1e999 and a number of 5,000 digits are no fault of a text.
_STRICT = False  # line ends and tabs may stand in strings as they are
_DECODER = JSONDecoder(strict=_STRICT, parse_float=str, parse_int=str)
_skip, _string = _DECODER.raw_decode, _DECODER.parse_string  # type: ignore[attr-defined]
_SURROGATE = re.compile("[\ud800-\udfff]")


def values(text: str, depth: int = MAX_DEPTH) -> Iterator[Node]:
    """The values of a text one after the other: one of JSON, several of JSON Lines, which may have commas behind them as the
    lines of a dump of Wikidata have. Below `depth` levels they are skipped.

    BrokenError with line and column for what is not JSON, LimitError for deep nesting.
    """
    at = _SPACE.match(text, 0).end()  # type: ignore[union-attr]
    while at < len(text):
        node = value(text, at, depth)
        yield node
        at = _BETWEEN.match(text, node.end).end()  # type: ignore[union-attr]
        if at < len(text) and "\n" not in text[node.end : at]:
            raise _broken(JSONDecodeError("something stands behind the value", text, at))


def value(text: str, at: int, depth: int = MAX_DEPTH) -> Node:
    """The value that begins at an offset."""
    try:
        return _value(text, at, depth)
    except JSONDecodeError as error:
        raise _broken(error) from error
    except StopIteration as error:  # what the decoder says where it finds no value
        raise _broken(JSONDecodeError("a value is missing", text, error.value)) from error
    except RecursionError as error:
        raise LimitError("it is nested too deeply") from error


def _broken(error: JSONDecodeError) -> BrokenError:
    return BrokenError(f"not JSON: line {error.lineno}, column {error.colno}: {quoted(error.msg)}")


def _value(text: str, at: int, depth: int) -> Node:
    first = text[at : at + 1]
    if first == '"':
        held, end = _string(text, at + 1, _STRICT)
        return Node(Kind.SCALAR, at, end, _SURROGATE.sub("\ufffd", held) if not held.isascii() else held)
    if first in ("{", "["):
        kind = Kind.MAPPING if first == "{" else Kind.SEQUENCE
        if depth <= 0:
            return Node(kind, at, _skip(text, at)[1], entries=None)
        return _collection(text, at, kind, depth - 1)
    match = _WORD.match(text, at)
    if match is None:
        raise JSONDecodeError("a value is missing", text, at)
    return Node(Kind.SCALAR, at, match.end(), "" if match[0] == "null" else match[0])


def _collection(text: str, start: int, kind: Kind, depth: int) -> Node:
    space = _SPACE.match
    mapping, close = kind is Kind.MAPPING, "}" if kind is Kind.MAPPING else "]"
    entries: list[Entry] = []
    at = space(text, start + 1).end()  # type: ignore[union-attr]
    if text[at : at + 1] == close:
        return Node(kind, start, at + 1)
    while True:
        begin, key = at, str(len(entries))
        if mapping:
            if text[at : at + 1] != '"':
                raise JSONDecodeError("a name in double quotes is missing", text, at)
            key, at = _string(text, at + 1, _STRICT)
            key = _SURROGATE.sub("\ufffd", key)
            at = space(text, at).end()  # type: ignore[union-attr]
            if text[at : at + 1] != ":":
                raise JSONDecodeError("a colon is missing", text, at)
            at = space(text, at + 1).end()  # type: ignore[union-attr]
        node = _value(text, at, depth)
        entries.append(Entry(key, begin, node.end, node))
        at = space(text, node.end).end()  # type: ignore[union-attr]
        mark = text[at : at + 1]
        if mark == close:
            return Node(kind, start, at + 1, entries=tuple(entries))
        if mark != ",":
            raise JSONDecodeError(f"a comma or {close} is missing", text, at)
        at = space(text, at + 1).end()  # type: ignore[union-attr]
