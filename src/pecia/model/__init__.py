"""Values that all layers share; the standard library only."""

from pecia.model.alignment import Alignment
from pecia.model.chunk import CORE, SCHEMA_VERSION, Attribute, Chunk, ChunkKind, chunk_ids, record_faults
from pecia.model.citation import Boost, Citation, Hit, Query, described
from pecia.model.document import (
    OCR_FONT,
    Block,
    BlockKind,
    Coded,
    Document,
    Dropped,
    Furniture,
    Ledger,
    Location,
    Page,
    Source,
    folio,
    text_hash,
    visible,
)
from pecia.model.embedded import Embedded, Progress
from pecia.model.figure import Figure
from pecia.model.finding import Failure, Finding, Severity
from pecia.model.lines import Columns, Line, Lines
from pecia.model.locators import Box, Cell, LineRange, Locator, PageBox, Paragraph, Pointer, XPath, locator_from_json
from pecia.model.rows import Rows
from pecia.model.segment import LeftOut, Segment
from pecia.model.span import SourceSpan, Span
from pecia.model.table import Table

__all__ = [
    "CORE",
    "OCR_FONT",
    "SCHEMA_VERSION",
    "Alignment",
    "Attribute",
    "Block",
    "BlockKind",
    "Boost",
    "Box",
    "Cell",
    "Chunk",
    "ChunkKind",
    "Citation",
    "Coded",
    "Columns",
    "Document",
    "Dropped",
    "Embedded",
    "Failure",
    "Figure",
    "Finding",
    "Furniture",
    "Hit",
    "Ledger",
    "LeftOut",
    "Line",
    "LineRange",
    "Lines",
    "Location",
    "Locator",
    "Page",
    "PageBox",
    "Paragraph",
    "Pointer",
    "Progress",
    "Query",
    "Rows",
    "Segment",
    "Severity",
    "Source",
    "SourceSpan",
    "Span",
    "Table",
    "XPath",
    "chunk_ids",
    "described",
    "folio",
    "locator_from_json",
    "record_faults",
    "text_hash",
    "visible",
]
