"""Chunk records as JSON Lines, to chunks; and the text that they were cut from, put together again and proven.

Nothing here reads a document: what a record does not say is not guessed.
"""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pecia import plugins
from pecia.errors import RecordError, UsageError
from pecia.model import Chunk, Document, Finding, Severity, Source, text_hash

CODES: dict[str, tuple[Severity, str]] = {
    "REC101": (
        Severity.WARNING,
        """A record from a paged source says which printed page its chunk stands on.

Why: a reader of the paper book finds the place by the folio. null is right only where no folio is printed.
Example: records that another program made without reading the page labels.""",
    ),
}
# Of the core; an empty one of these is no value. A chunk of white space is no chunk.
_NEEDED = ("chunk_id", "document_id", "source_name", "text_hash", "strategy", "segment_id", "text", "source_text", "tokenizer")
_ON_PAGES = ("source_page_range",)


def lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of a JSON Lines file; UsageError for a file that is not one."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    record = json.loads(line)
                    if not isinstance(record, dict):
                        raise UsageError(f"{path}, line {number}: not a JSON object")
                    yield number, record
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # not JSON, not UTF-8, a number of 5,000 digits, 1,000 brackets
        raise UsageError(f"{path} is not JSON Lines: {str(error)[:200]}") from error


def read(path: Path) -> list[Chunk]:
    """The chunks of a file of records; RecordError names every fault with its line, and then there are none.

    Beyond the schema, what the core needs and what the strategy of a chunk declares as required must have a value: 0 and false
    are values; null, empty strings and empty lists are none.
    """
    held = list(lines(path))
    paged = {record.get("document_id") for _, record in held if _present(record.get("source_page_range"))}
    declared = plugins.attributes()
    found, faults, ids = list[Chunk](), list[str](), dict[Any, int]()
    for number, record in held:
        missing = list(_missing(record, on_pages=record.get("document_id") in paged))
        faults += [f"line {number}: {name} has no value" for name in missing]
        key = (record.get("document_id"), str(record.get("chunk_id")))
        if key in ids:
            faults.append(f"line {number}: chunk_id {key[1]} stands on line {ids[key]} already")
        ids.setdefault(key, number)
        try:
            found.append(Chunk.from_record(record, declared))
        except RecordError as error:
            said = tuple(f"{name} is " for name in missing)
            faults += [f"line {number}: {fault}" for fault in error.faults if not fault.startswith(said or ("\0",))]
    if not held:
        raise RecordError([f"{path.name} holds no record"])
    if faults:
        raise RecordError(faults)
    return found


def _missing(record: Mapping[str, Any], *, on_pages: bool) -> Iterator[str]:
    """What must have a value and has none."""
    required = plugins.required().get(str(record.get("strategy")), ())
    needed = [*_NEEDED, *(item.name for item in required if item.required == "always")]
    if on_pages:
        needed += [*_ON_PAGES, *(item.name for item in required if item.required == "on pages")]
    for name in needed:
        value = record.get(name)
        if not _present(value) or (isinstance(value, str) and not value.strip()):
            yield name


def _present(value: object) -> bool:
    return value is not None and value not in ("", [], {})


def findings(chunks: Sequence[Chunk]) -> Iterator[Finding]:
    """What a reader should know of records that are sound."""
    for chunk in chunks:
        if chunk.page_range is not None and chunk.printed_range is None:
            yield Finding("REC101", Severity.WARNING, "no printed page is given", chunk.chunk_id, chunk.span)


def document_of(chunks: Sequence[Chunk]) -> Document:
    """The document that all these chunks are of, its text put together from their source texts.

    A hole of white space is taken for line ends. The text then has the hash that the records bear, which proves it to the
    letter; RecordError names the holes, or the chunks that contradict each other, where it has not. Pages and blocks are
    unknown: a citation of a part of a chunk names the pages and places of the chunk.
    """
    first = chunks[0]
    pieces, end, holes = list[str](), 0, list[tuple[int, int]]()
    for chunk in sorted(chunks, key=lambda chunk: (chunk.span.start, -chunk.span.end)):
        if chunk.span.start > end:
            holes.append((end, chunk.span.start))
            pieces.append("\n" * (chunk.span.start - end))
            end = chunk.span.start
        if chunk.span.end > end:
            pieces.append(chunk.source_text[end - chunk.span.start :])
            end = chunk.span.end
    text = "".join(pieces)
    if text_hash(text) != first.text_hash:
        for chunk in chunks:
            if chunk.text_hash != first.text_hash or text[chunk.span.start : chunk.span.end] != chunk.source_text:
                raise RecordError([f"chunk {chunk.chunk_id} contradicts other chunks of {chunk.source_name}"])
        shown = ", ".join(f"{start}..{stop}" for start, stop in holes[:5]) + (" …" if len(holes) > 5 else "")
        what = f"characters {shown} stand in no chunk" if holes else f"they end at {end}, and more follows"
        raise RecordError(
            [f"the records do not hold the whole text of {first.source_name} ({what}); name the file with --source"]
        )
    sha256 = first.document_id.partition("#")[0]
    media_type = mimetypes.guess_type(first.source_name)[0] or "application/octet-stream"
    return Document(first.document_id, Source(f"urn:sha256:{sha256}", first.source_name, media_type, sha256), text)
