"""YAML files: one block an entity, with its pointer and lines."""

from __future__ import annotations

from collections.abc import Iterator

from pecia.model import Document, Source
from pecia.parsing.decode import decode
from pecia.parsing.entities import blocks
from pecia.parsing.media import YAML
from pecia.parsing.text import visible
from pecia.protocols import ParseOptions
from pecia.text.normalise import normalise


def parse_yaml(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document: the text as it is decoded. BrokenError with the line for what is not YAML."""
    yield structured(data, source, YAML)


def structured(data: bytes, source: Source, media_type: str) -> Document:
    """The document of a file that is a tree: its text, and its entities as blocks."""
    decoded = decode(data)
    text, alignment = normalise(decoded.text)
    return Document(
        source.sha256,
        source,
        text,
        blocks=tuple(blocks(text, media_type)),
        alignment=alignment,
        source_size=visible(decoded.text),
        findings=decoded.findings,
    )
