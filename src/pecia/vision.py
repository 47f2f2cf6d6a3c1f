"""Tables that geometry cannot settle, read by a model from pictures of their pages, and compared with what stands there.

The text of a document is what its parser made of it and stays so: a reading stands beside the text, as Markdown in the
`attachments` of the chunks that hold the table. Without an endpoint nothing here runs, and `unsettled` says what was left.
"""

from __future__ import annotations

import atexit
import logging
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pecia import plugins
from pecia.errors import DocumentError, ModelError, OptionError
from pecia.llm.client import Client, configured
from pecia.model import OCR_FONT, Box, Chunk, Document, Finding, PageBox, Rows, Severity, Span, Table
from pecia.parsing.isolation import ParserProcess, sniff
from pecia.pipeline import Cutting
from pecia.protocols import ParseOptions
from pecia.settings import settings
from pecia.storing.originals import sha256_of
from pecia.text.comparing import letters, numbers
from pecia.text.tables import rows_as_text, to_markdown

if TYPE_CHECKING:
    from pecia.llm.client import Reply
    from pecia.llm.forms import TableReading, TablesOnPage

# Of its own: the other one is in the middle of a file while that file's documents are looked at.
_PICTURES = ParserProcess()
atexit.register(_PICTURES.stop)
DPI = 300  # what models of documents are trained on: a figure of 8 points is then 33 pixels high
ALIKE = 0.5  # share of characters that a reading and the text of its table have in common, at least
_log = logging.getLogger("pecia.llm")
_ON_PICTURE = """The picture is one page of a document. Read every table on it: the cells row by row as printed, nothing added, \
nothing left out, nothing translated or computed. A cell that spans several columns or rows is repeated in each. Leave a cell \
empty where nothing is printed. `header_rows` is the number of rows that head the columns; `caption` is the title printed with \
the table, or empty. A page without a table has an empty list."""
_IN_TEXT = """The lines below are a table whose columns were lost. Give it back: the cells row by row as they stand there, \
nothing added, nothing left out. `header_rows` is the number of rows that head the columns; `caption` is empty.\n\n"""

CODES: dict[str, tuple[Severity, str]] = {
    "TAB101": (
        Severity.WARNING,
        """A table that geometry cannot settle was shown to the model that the settings name, and there was no reply of use.

Why: the table stands as its lines, as if no model were there.
Example: an endpoint that is down, or a reply that is no JSON.""",
    ),
    "TAB102": (
        Severity.INFO,
        """Tables are read from the file, not by a model.

Why: what a model read was compared with the page, but where two figures are exchanged nothing tells.
Example: the Markdown in the attachments of a chunk from a scan.""",
    ),
    "TAB201": (
        Severity.WARNING,
        """Every number that a model read in a table stands on its page.

Why: a number that was made up looks like any other. The reading is not kept, and the table is quarantined.
Example: 26,500 in the reply, 26,000 on the page.""",
    ),
    "TAB202": (
        Severity.WARNING,
        """Every number of a table is in what a model read of it.

Why: a row that was left out is not missed by who reads the rest. The reading is not kept.
Example: a table of nine rows of which eight came back.""",
    ),
}


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A table that a model should look at, or its part on one page: the id of its attachments, where it stands in the text, on
    which page (None where there are none)."""

    id: str
    span: Span
    page: int | None


def unsettled(document: Document) -> list[Unsettled]:
    """Quarantined tables, and on pages that were read by OCR, or in formats without pages, also rows that stand as lines; of
    OCR's pages every table, since its cells are a guess. Of a table file nothing: its rows are read by their delimiter."""
    if isinstance(document.blocks, Rows):
        return []
    found: list[Unsettled] = []
    guessed = {line.page for block in document.blocks for line in block.lines if line.font == OCR_FONT}
    for table in document.tables:
        pages = sorted({place.page for place in table.locators if isinstance(place, PageBox)})
        if table.quarantined or not guessed.isdisjoint(pages):
            parts = [(page, table.span.intersect(document.pages[page].span)) for page in pages]
            found += [Unsettled(table.id, part, page) for page, part in parts if part]
            found += [Unsettled(table.id, table.span, None)] if not pages else []
    for index, span in _places_of_rows(document, guessed):
        rows = rows_as_text(document.text, span)
        found += [Unsettled(f"rows-{run.start}", run, index) for run in rows if not document.tables_of(run)]
    return sorted(found, key=lambda item: item.span.start)


def _places_of_rows(document: Document, guessed: Collection[int]) -> list[tuple[int | None, Span]]:
    if not document.pages:
        return [(None, Span(0, len(document.text)))]
    return [(index, document.pages[index].span) for index in sorted(guessed)]


def endpoint() -> Client | None:
    """The model that looks at tables; None where the settings name none or forbid it."""
    held = settings()
    return configured(cached=held.qa_cache_vision_results) if held.qa_vision_enabled else None


def read_tables(cutting: Cutting, file: str | Path | None = None, client: Client | None = None) -> Cutting:
    """The cutting with what a model read of its unsettled tables beside the chunks that hold them; the same cutting where
    there is none, or no endpoint.

    `file` is needed where the document has pages. Text, spans and ids stay as they are. What went wrong is a finding of the
    cutting; OptionError where an endpoint is set without a model, DocumentError where `file` is not the one that was parsed.
    """
    client = client or endpoint()
    left = unsettled(cutting.document) if client else []
    if client is None or not left:
        return cutting
    if any(item.page is not None for item in left):
        if file is None:
            raise OptionError(f"{cutting.document.source.name} has pages; reading its tables needs the file")
        if sha256_of(Path(file)) != cutting.document.source.sha256:
            raise DocumentError(f"{file} is not the file that was parsed", stage="read tables")
    chunks, findings, tokens, read = cutting.chunks, list[Finding](), [0, 0], list[Unsettled]()
    for (page, _), group in groupby(left, key=lambda item: (item.page, item.page is None and item.id)):
        items = list(group)
        try:
            reply = _asked(client, cutting.document, page, items, file)
        except (ModelError, DocumentError) as error:
            findings.append(_finding("TAB101", f"{_place(items)}: {error.message}", items[0].span))
            continue
        tokens = [tokens[0] + reply.tokens_in, tokens[1] + reply.tokens_out]
        for item, reading in _matched(cutting.document, items, reply.value.tables):
            note, said = _compared(cutting.document, item, reading)
            if said:
                findings.append(said)
            else:
                read.append(item)
            chunks = tuple(_noted(cutting.document, chunk, item, note, client.model) for chunk in chunks)
    if read:
        message = f"{_place(read)}: read by {client.model}, {tokens[0]:,} tokens in, {tokens[1]:,} out"
        findings.insert(0, _finding("TAB102", message))
    return replace(cutting, chunks=chunks, noted=(*cutting.noted, *findings))


def _asked(
    client: Client, document: Document, page: int | None, items: Sequence[Unsettled], file: str | Path | None
) -> Reply[TablesOnPage]:
    """The reply for one page, or for one table of a format without pages."""
    from pecia.llm.forms import TablesOnPage as Form

    if page is None:
        return client.ask(_IN_TEXT + items[0].span.of(document.text), Form)
    _log.info("PDF page %d is shown to %s", page + 1, client.model)
    return client.ask(_ON_PICTURE, Form, image=_picture(Path(file or ""), page))


def _picture(file: Path, page: int) -> bytes:
    """A page as PNG at 300 dpi."""
    media = sniff(file)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.png"
        options = ParseOptions(picture=path, marks=(PageBox(page, Box(0, 0, 0, 0)),), dpi=DPI)
        list(_PICTURES.parse(file, media, plugins.picture_path(media), options))
        return path.read_bytes()


def _matched(
    document: Document, items: Sequence[Unsettled], tables: Sequence[TableReading]
) -> Iterator[tuple[Unsettled, TableReading | None]]:
    """Each table with the reading that is most like it; one reading for one table."""
    left = list(tables)
    for item in items:
        own = letters(item.span.of(document.text))
        best = max(left, key=lambda table: _share(own, table), default=None)
        if best is not None and (item.page is None or _share(own, best) >= ALIKE):
            left.remove(best)
            yield item, best
        else:
            yield item, None


def _share(own: Counter[str], table: TableReading) -> float:
    read = letters(" ".join(cell for row in table.cells for cell in row))
    return (own & read).total() / max(1, own.total(), read.total())


def _compared(document: Document, item: Unsettled, reading: TableReading | None) -> tuple[Mapping[str, Any], Finding | None]:
    """What the attachment of a table says from now on, and what is wrong with the reading."""
    if reading is None or not any(map(any, reading.cells)):
        return {}, _finding("TAB101", f"{_place([item])}: the model found no such table", item.span)
    read = numbers(" ".join(cell for row in reading.cells for cell in row))
    if alien := sorted(read - numbers(_printed(document, item))):
        return {"quarantined": True}, _finding(
            "TAB201", f"{_place([item])}: {_listed(alien)} in the reading, not on the page", item.span
        )
    if lost := sorted(numbers(item.span.of(document.text)) - read):
        return {}, _finding("TAB202", f"{_place([item])}: {_listed(lost)} on the page, not in the reading", item.span)
    cells = tuple(map(tuple, reading.cells))
    made = Table(item.id, cells, min(reading.header_rows, len(cells)), reading.caption, item.span)
    return {"markdown": to_markdown(made)}, None


def _printed(document: Document, item: Unsettled) -> str:
    """All that stands on the page of a table; in formats without pages, in its lines."""
    if item.page is None:
        return item.span.of(document.text)
    page = document.pages[item.page]
    own = [furniture.text for furniture in document.furniture if any(_on(place, page.index) for place in furniture.locators)]
    return "\n".join((page.span.of(document.text), item.span.of(document.text), *own))


def _on(place: object, page: int) -> bool:
    return isinstance(place, PageBox) and place.page == page


def _noted(document: Document, chunk: Chunk, item: Unsettled, note: Mapping[str, Any], model: str) -> Chunk:
    """The chunk with a note in the attachment of a table, if it holds the table."""
    if not note or not chunk.span.overlaps(item.span) or chunk.document_id != document.id:
        return chunk
    more = {**note, "read_by": model}
    own = [entry.get("block_id") == item.id and entry.get("physical_page") == item.page for entry in chunk.attachments]
    held = [{**entry, **more} if is_own else entry for entry, is_own in zip(chunk.attachments, own, strict=True)]
    if not any(own):
        boxes = [place.bbox for place in document.locate(item.span).locators if isinstance(place, PageBox)]
        held.append(
            {
                "block_id": item.id,
                "kind": "table",
                "physical_page": item.page,
                "bbox": Box.around(boxes).to_list() if boxes else None,
                "printed_page": None if item.page is None else document.pages[item.page].label,
                "quarantined": False,
                **more,
            }
        )
    doubted = chunk.has_quarantined_content or bool(note.get("quarantined"))
    return replace(chunk, attachments=tuple(held), has_quarantined_content=doubted)


def left_for_a_model(documents: Iterable[tuple[int, Sequence[int]]]) -> str:
    """The words for what no model looked at: (tables, pages) of each document that has any; empty where there is nothing."""
    found = [item for item in documents if item[0]]
    count = sum(tables for tables, _ in found)
    if not count:
        return ""
    where = f"in {len(found)} documents" if len(found) > 1 else _pages(found[0][1])
    what = "set LLM_BASE_URL" if not settings().llm_base_url else "QA_VISION_ENABLED is false"
    return f"{count:,} table{'s' * (count > 1)}{where and ' '}{where} left for a vision model: {what}"


def _place(items: Sequence[Unsettled]) -> str:
    pages = _pages(sorted({item.page for item in items if item.page is not None}))
    return f"{len(items)} table{'s' * (len(items) > 1)}{pages and ' '}{pages}"


def _pages(indexes: Sequence[int]) -> str:
    numbers = ", ".join(str(index + 1) for index in indexes)
    return f"on PDF page{'s' * (len(indexes) > 1)} {numbers}" if indexes else ""


def _listed(numbers: Sequence[str]) -> str:
    return ", ".join(numbers[:5]) + (f" and {len(numbers) - 5} more" if len(numbers) > 5 else "")


def _finding(code: str, message: str, span: Span | None = None) -> Finding:
    return Finding(code, CODES[code][0], message, span=span)
