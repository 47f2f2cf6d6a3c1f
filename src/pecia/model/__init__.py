"""Values that all layers share; the standard library only."""

from pecia.model.alignment import Alignment
from pecia.model.chunk import CORE, SCHEMA_VERSION, Attribute, Chunk, ChunkKind, chunk_id, record_faults
from pecia.model.citation import Citation, Hit, Query, described
from pecia.model.document import (
    Block,
    BlockKind,
    Document,
    Dropped,
    Furniture,
    Ledger,
    Line,
    Location,
    Page,
    Source,
    folio,
    text_hash,
)
from pecia.model.finding import Failure, Finding, Severity
from pecia.model.locators import Box, Cell, LineRange, Locator, PageBox, Paragraph, Pointer, XPath, locator_from_json
from pecia.model.rows import Rows
from pecia.model.segment import LeftOut, Segment
from pecia.model.span import SourceSpan, Span
from pecia.model.table import Table

__all__ = [
    "CORE",
    "SCHEMA_VERSION",
    "Alignment",
    "Attribute",
    "Block",
    "BlockKind",
    "Box",
    "Cell",
    "Chunk",
    "ChunkKind",
    "Citation",
    "Document",
    "Dropped",
    "Failure",
    "Finding",
    "Furniture",
    "Hit",
    "Ledger",
    "LeftOut",
    "Line",
    "LineRange",
    "Location",
    "Locator",
    "Page",
    "PageBox",
    "Paragraph",
    "Pointer",
    "Query",
    "Rows",
    "Segment",
    "Severity",
    "Source",
    "SourceSpan",
    "Span",
    "Table",
    "XPath",
    "chunk_id",
    "described",
    "folio",
    "locator_from_json",
    "record_faults",
    "text_hash",
]
