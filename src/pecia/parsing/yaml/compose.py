"""YAML to nodes, by the events of libyaml. No tag makes an object; tags that ask for one are refused, and so is what grows
beyond measure by aliases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yaml import YAMLError, events
from yaml.cyaml import CParser

from pecia.errors import BrokenError, LimitError
from pecia.parsing.nodes import MAX_DEPTH, Entry, Kind, Node
from pecia.parsing.quoted import quoted

_CORE = re.compile(r"!|tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map|set|omap|pairs|timestamp|binary|merge|value)")
_OBJECT = re.compile(r"tag:yaml\.org,2002:|!{1,2}(?:python|ruby|perl|java|php|net|clj|hs)\b")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
# Aliases may repeat what the file holds this many times in sum, and small files as much as they like.
_REPEATED, _SMALL = 10, 100_000


@dataclass(slots=True)
class _Open:
    """A collection whose end is not reached. `size` counts the nodes in it, those of aliases included."""

    kind: Kind
    start: int
    flow: bool
    anchor: str | None
    entries: list[Entry] = field(default_factory=list)
    key: Entry | None = None
    size: int = 1


def documents(text: str, repeated: list[tuple[int, str]] | None = None) -> Iterator[Node]:
    """The root of each document of a stream; an empty scalar for one that holds nothing. `repeated` takes the place of each key
    that stands in its mapping already, as a reader of YAML may keep either value.

    BrokenError with the line for what is not YAML, for a tag that asks for an object and for an alias without its anchor;
    LimitError for deep nesting and for aliases that multiply.
    """
    parser = CParser(text)
    try:
        yield from _Composer(text, parser, [] if repeated is None else repeated).documents()
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or error
        raise BrokenError(f"not YAML: {place}{quoted(problem)}") from error
    finally:
        parser.dispose()


class _Composer:
    def __init__(self, text: str, parser: Any, repeated: list[tuple[int, str]]) -> None:
        self._text, self._parser, self._repeated = text, parser, repeated
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._nodes = 0

    def documents(self) -> Iterator[Node]:
        while True:
            event = self._parser.get_event()
            if isinstance(event, events.StreamEndEvent):
                return
            if isinstance(event, events.DocumentStartEvent):
                self._anchors.clear()
                yield self._document()

    def _document(self) -> Node:
        stack: list[_Open] = []
        root: Node | None = None
        while True:
            event = self._parser.get_event()
            if isinstance(event, events.DocumentEndEvent):
                return root or Node(Kind.SCALAR, event.start_mark.index, event.start_mark.index)
            begin = event.start_mark.index
            if isinstance(event, events.CollectionStartEvent):
                self._check_tag(event)
                if len(stack) >= MAX_DEPTH:
                    raise LimitError(f"line {event.start_mark.line + 1}: nested deeper than {MAX_DEPTH} levels")
                kind = Kind.MAPPING if isinstance(event, events.MappingStartEvent) else Kind.SEQUENCE
                stack.append(_Open(kind, begin, bool(event.flow_style), event.anchor))
                continue
            if isinstance(event, events.CollectionEndEvent):
                closed = stack.pop()
                node, size = self._closed(closed, event.end_mark.index), closed.size
                at, end = node.start, node.end
                anchor = closed.anchor
            elif isinstance(event, events.AliasEvent):
                if event.anchor not in self._anchors:
                    raise BrokenError(f"not YAML: line {event.start_mark.line + 1}: no finished anchor &{quoted(event.anchor)}")
                node, size = self._anchors[event.anchor]
                at, end, anchor = begin, event.end_mark.index, None
            else:
                self._check_tag(event)
                node, size, anchor = self._scalar(event), 1, event.anchor
                at, end = node.start, node.end
            self._count(size)
            if anchor:
                self._anchors[anchor] = node, size
            if stack:
                self._add(stack[-1], node, at, end, size)
            else:
                root = node

    def _scalar(self, event: Any) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        end = start + len(self._text[start:end].rstrip())  # a block scalar ends behind the empty lines that follow it
        text = "" if not event.style and event.value in _NULL else event.value
        return Node(Kind.SCALAR, start, end, text)

    def _closed(self, held: _Open, end: int) -> Node:
        # A block collection "ends" where the next token begins, behind comments.
        if not held.flow:
            end = max([held.start, *(entry.end for entry in held.entries)])
        if held.kind is Kind.MAPPING:
            seen = set[str]()
            for entry in held.entries:
                if entry.key in seen and entry.key != "<<":
                    self._repeated.append((entry.start, entry.key))
                seen.add(entry.key)
        entries = _merged(held.entries) if any(entry.key == "<<" for entry in held.entries) else held.entries
        return Node(held.kind, held.start, end, entries=tuple(entries))

    def _add(self, held: _Open, node: Node, start: int, end: int, size: int) -> None:
        held.size += size
        if held.kind is Kind.SEQUENCE:
            held.entries.append(Entry(str(len(held.entries)), start if held.flow else self._dash(start), end, node))
        elif held.key is None:
            key = node.text if node.kind is Kind.SCALAR else " ".join(self._text[node.start : node.end].split())
            held.key = Entry(key, start, end, node)
        else:
            held.entries.append(Entry(held.key.key, held.key.start, max(end, held.key.end), node))
            held.key = None

    def _dash(self, start: int) -> int:
        """Where the dash before an item stands, white space between them."""
        at = start
        while at and self._text[at - 1] in " \t\n":
            at -= 1
        return at - 1 if at and self._text[at - 1] == "-" else start

    def _count(self, size: int) -> None:
        self._nodes += 1
        if size > max(_SMALL, _REPEATED * self._nodes):
            raise LimitError(f"aliases make {size:,} values out of {self._nodes:,}")

    def _check_tag(self, event: Any) -> None:
        tag = event.tag
        if tag and not _CORE.fullmatch(tag) and _OBJECT.match(tag):
            shown = quoted(tag.replace("tag:yaml.org,2002:", "!!"))
            raise BrokenError(f"line {event.start_mark.line + 1}: the tag {shown} asks for an object; pecia makes none")


def _merged(entries: list[Entry]) -> Iterator[Entry]:
    """The entries with those that `<<` takes over from other mappings; what a mapping says itself goes before."""
    own = {entry.key for entry in entries}
    for entry in entries:
        if entry.key != "<<":
            yield entry
            continue
        node = entry.node
        sources = [node] if node.kind is Kind.MAPPING else [item.node for item in node.entries or ()]
        if any(source.kind is not Kind.MAPPING for source in sources) or not sources:
            yield entry  # a key that happens to be called so
            continue
        for source in sources:
            for taken in source.entries or ():
                if taken.key not in own:
                    own.add(taken.key)
                    yield Entry(taken.key, entry.start, entry.end, taken.node)
