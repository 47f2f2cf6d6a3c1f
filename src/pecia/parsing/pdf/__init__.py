"""PDF, first version: text of the body in reading order, furniture and folios, every line with its box."""

from __future__ import annotations

from collections.abc import Iterator

from pecia.errors import LimitError
from pecia.model import Box, Document, Source
from pecia.parsing.pdf import native
from pecia.parsing.pdf.raster import screenshot
from pecia.parsing.pdf.reader import parse_pdf
from pecia.parsing.pdf.unit import user_unit
from pecia.protocols import ParseOptions
from pecia.settings import settings


def parse(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """The one document of a PDF."""
    from pecia.parsing.ocr.scans import Scans  # which knows the pages of this package

    scans = Scans(options.ocr, options.ocr_language)
    yield parse_pdf(data, source, screenshots=options.screenshots, scans=scans, told=options.told)


def probe(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """No document: EncryptedError, BrokenError or, above the limit of pages, LimitError where it could not be parsed."""
    with native.opened(data) as pdf:
        if (pages := len(pdf)) > (most := settings().max_pages):
            raise LimitError(f"it has {pages:,} pages; the limit is {most:,} (PECIA_MAX_PAGES)")
    return iter(())


def excerpt(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """No document: writes the pages that `options.marks` stand on, in order, to the PDF `options.picture`."""
    pages = sorted({mark.page for mark in options.marks})
    with native.opened(data) as pdf, native.fresh() as made:
        made.import_pages(pdf, pages)
        if options.picture is not None:
            made.save(str(options.picture))
    return iter(())


def picture(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """No document: writes the pages that `options.marks` stand on as PNG, the marks tinted; the first under the name
    `options.picture`, each further one with its page number in the name."""
    marks: dict[int, list[Box]] = {}
    for mark in options.marks:
        marks.setdefault(mark.page, []).append(mark.bbox)
    path = options.picture
    with native.opened(data) as pdf:
        for number, boxes in sorted(marks.items()):
            if path is not None:
                own = path if number == min(marks) else path.with_name(f"{path.stem}-p{number + 1}{path.suffix}")
                drawn = [box for box in boxes if box.width and box.height]
                screenshot(pdf[number], own, drawn, user_unit(data), dpi=options.dpi)
    return iter(())
