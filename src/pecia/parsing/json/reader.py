"""JSON files: what kind of JSON it is decides who reads it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator

from pecia.model import Document, Source
from pecia.parsing.media import JSON
from pecia.parsing.yaml.reader import structured
from pecia.protocols import ParseOptions

Sniff = Callable[[bytes], bool]
# The first that knows the file by its first bytes reads it.
KINDS: tuple[tuple[Sniff, str], ...] = ((lambda head: True, "pecia.parsing.json.reader:parse_entities"),)
HEAD = 65_536


def parse_json(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """The documents of a JSON file, by the reader that knows its kind."""
    path = next(path for sniff, path in KINDS if sniff(data[:HEAD]))
    module, _, function = path.partition(":")
    yield from getattr(importlib.import_module(module), function)(data, source, options)


def parse_entities(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document: the text as it is decoded, one block an entity. BrokenError with line and column for what is not JSON."""
    yield structured(data, source, JSON)
