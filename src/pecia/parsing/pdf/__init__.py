"""PDF, first version: text of the body in reading order, furniture and folios, every line with its box."""

from __future__ import annotations

from collections.abc import Iterator

from pecia.model import Document, Source
from pecia.parsing.pdf.reader import parse_pdf
from pecia.protocols import ParseOptions


def parse(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """The one document of a PDF."""
    yield parse_pdf(data, source, screenshots=options.screenshots)
