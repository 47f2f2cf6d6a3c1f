"""JSON files of things: one block an entity, with its pointer and lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pecia.model import Document, Source
from pecia.parsing.media import JSON
from pecia.parsing.yaml.reader import structured
from pecia.protocols import ParseOptions


def parse_json(data: bytes | BinaryIO, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document: the text as it is decoded. BrokenError with line and column for what is not JSON."""
    yield structured(data if isinstance(data, bytes) else data.read(), source, JSON)
