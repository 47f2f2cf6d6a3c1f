"""Plain text: verbatim apart from NFC and line ends; paragraphs at empty lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pecia.model import Block, BlockKind, Document, Source, Span
from pecia.parsing.decode import decode
from pecia.protocols import ParseOptions
from pecia.text.normalise import normalise

# A paragraph: lines with something on them, up to the next line that has nothing.
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")


def parse_text(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document of paragraph blocks."""
    decoded = decode(data)
    text, alignment = normalise(decoded.text)
    blocks = tuple(
        Block(f"b{number}", BlockKind.PARAGRAPH, Span(match.start(), match.end()).trimmed(text))
        for number, match in enumerate(_PARAGRAPH.finditer(text))
    )
    size = visible(decoded.text)
    yield Document(source.sha256, source, text, blocks=blocks, alignment=alignment, source_size=size, findings=decoded.findings)


def visible(text: str) -> int:
    """Number of characters that are not white space."""
    return sum(map(len, text.split()))
