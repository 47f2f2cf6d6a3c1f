"""A parsed document to stored bytes and back, without its text.

The original is not read again for a narrower citation: a newer parser may give another text, and a thousand pages take
seconds. Blocks are kept in pieces of about 8,000 characters, so that locating a quote reads one or two of them.
Left edges of characters are kept to 0.01 point, which is what boxes are rounded to, as differences: about one byte a
character after compression, against four raw.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

from pecia.model import (
    Alignment,
    Block,
    BlockKind,
    Box,
    Coded,
    Document,
    Dropped,
    Figure,
    Finding,
    Furniture,
    Line,
    Page,
    Severity,
    Source,
    Span,
    Table,
    locator_from_json,
)  # fmt: skip

# Blocks that are packed together, in characters of their text: a passage unpacks one piece or two. A quarter of this packs 3 %
# worse.
_PIECE_CHARACTERS = 8_000
# Documents whose structure is kept unpacked.
_KEPT_BARE = 4


def _pack(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), 6)


def _unpack(data: bytes) -> Any:
    return json.loads(zlib.decompress(data))


def dump(document: Document) -> bytes:
    """All but text, source and blocks."""
    return _pack(
        {
            "pages": [
                [p.label, p.width, p.height, p.span.end, [b.to_list() for b in p.images], p.screenshot] for p in document.pages
            ],
            "furniture": [[f.id, f.kind, f.text, [place.to_json() for place in f.locators], f.size] for f in document.furniture],
            "tables": [table.to_json() for table in document.tables],
            "figures": [figure.to_json() for figure in document.figures],
            "alignment": [list(run) for run in document.alignment.runs()],
            "source_size": document.source_size,
            "dropped": [[item.reason, item.size] for item in document.dropped],
            "findings": [finding.to_json() for finding in document.findings],
        }
    )


def dump_blocks(document: Document) -> Iterator[tuple[int, int, bytes]]:
    """(start, end, bytes) of runs of blocks in document order."""
    run: list[Block] = []
    for block in document.blocks:
        if run and block.span.end - run[0].span.start > _PIECE_CHARACTERS:
            yield run[0].span.start, run[-1].span.end, _pack([_block(item) for item in run])
            run = []
        run.append(block)
    if run:
        yield run[0].span.start, run[-1].span.end, _pack([_block(item) for item in run])


def load(
    text: str, document_id: str, source: Source, structure: bytes, blocks: Iterable[bytes], near: Span | None = None
) -> Document:
    """The document that was dumped; with the blocks alone that `near` touches, where it is given."""
    return Document(
        document_id,
        source,
        text,
        blocks=tuple(
            _load_block(block)
            for piece in blocks
            for block in _unpack(piece)
            if near is None or (block[2] <= near.end and block[3] >= near.start)
        ),
        **_bare(structure),
    )


@lru_cache(_KEPT_BARE)
def _bare(structure: bytes) -> dict[str, Any]:
    """What was dumped, text, source and blocks aside. The passages of ten hits may all be of one book, of which this takes 40 ms
    for 60 pages."""
    held = _unpack(structure)
    ends = [0, *(page[3] for page in held["pages"])]
    return {
        "pages": tuple(
            Page(index, label, width, height, Span(start, end), tuple(Box(*box) for box in images), screenshot)
            for index, ((label, width, height, _, images, screenshot), (start, end)) in enumerate(
                zip(held["pages"], pairwise(ends), strict=True)
            )
        ),
        "furniture": tuple(
            Furniture(item_id, kind, item, tuple(map(locator_from_json, places)), size)
            for item_id, kind, item, places, size in held["furniture"]
        ),
        "tables": tuple(map(_load_table, held["tables"])),
        "figures": tuple(map(_load_figure, held.get("figures", ()))),
        "alignment": Alignment.of(held["alignment"]),
        "source_size": held["source_size"],
        "dropped": tuple(Dropped(reason, size) for reason, size in held["dropped"]),
        "findings": tuple(map(_load_finding, held["findings"])),
    }


def _block(block: Block) -> list[Any]:
    return [
        block.id, block.kind.value, block.span.start, block.span.end, block.level, block.continues_on,
        [_line(line) for line in block.lines], [place.to_json() for place in block.places],
        *([[[coded.code, coded.place] for coded in block.within]] if block.within else []),
    ]  # fmt: skip


def _line(line: Line) -> list[Any]:
    hundredths = [round(edge * 100) for edge in line.edges]
    edges = [after - before for before, after in pairwise([0, *hundredths])]
    return [line.span.start, line.span.end, line.page, *line.bbox.to_list(), line.font, line.size, edges]


def _load_block(item: list[Any]) -> Block:
    block_id, kind, start, end, level, continues_on, lines, places, *within = item
    return Block(
        block_id, BlockKind(kind), Span(start, end), level, continues_on,
        tuple(map(_load_line, lines)), tuple(map(locator_from_json, places)), tuple(Coded(*coded) for coded in within[0])
        if within else (),
    )  # fmt: skip


def _load_line(item: list[Any]) -> Line:
    start, end, page, x0, y0, x1, y1, font, size, edges = item
    return Line(Span(start, end), page, Box(x0, y0, x1, y1), font, size, array("f", [edge / 100 for edge in accumulate(edges)]))


def _load_table(item: dict[str, Any]) -> Table:
    return Table(
        item["id"], tuple(tuple(row) for row in item["cells"]), item["header_rows"], item["caption"],
        Span(item["start"], item["end"]), tuple(map(locator_from_json, item["locators"])),
        item["quarantined"], item["quarantine_reason"], Span(*item["mention"]) if item.get("mention") else None,
    )  # fmt: skip


def _load_figure(item: dict[str, Any]) -> Figure:
    return Figure(
        item["id"], item["caption"], Span(item["start"], item["end"]), tuple(map(locator_from_json, item["locators"])),
        Span(*item["mention"]) if item.get("mention") else None,
    )  # fmt: skip


def _load_finding(item: dict[str, Any]) -> Finding:
    span = None if item["start"] is None else Span(item["start"], item["end"])
    return Finding(item["rule"], Severity(item["severity"]), item["message"], item["chunk_id"], span)


def store(connection: sqlite3.Connection, key: int, document: Document, *, anew: bool) -> int:
    """The row of this reading of the document `key`, written where it is missing, and laid out again where it is to be `anew`."""
    row = connection.execute("SELECT id FROM reading WHERE document = ? AND text_hash = ?", (key, document.text_hash)).fetchone()
    if row and not anew:
        return int(row[0])
    if row:
        connection.execute("UPDATE reading SET structure = ? WHERE id = ?", (dump(document), row[0]))
        connection.execute("DELETE FROM layout WHERE reading = ?", row)
    else:
        row = connection.execute(
            "INSERT INTO reading (document, text_hash, structure, text) VALUES (?, ?, ?, ?) RETURNING id",
            (key, document.text_hash, dump(document), document.text),
        ).fetchone()
    pieces = enumerate(dump_blocks(document))
    connection.executemany("INSERT INTO layout VALUES (?, ?, ?, ?, ?)", ((row[0], number, *piece) for number, piece in pieces))
    return int(row[0])


def register(connection: sqlite3.Connection, document: Document, original: str | None) -> int:
    """The row of a document and its source, which are made or renewed."""
    source = document.source
    key = connection.execute(
        """INSERT INTO document (document_id, sha256, media_type, original) VALUES (?, ?, ?, ?) ON CONFLICT (document_id)
           DO UPDATE SET original = coalesce(excluded.original, original) RETURNING id""",
        (document.id, source.sha256, source.media_type, original),
    ).fetchone()[0]
    connection.execute(
        """INSERT INTO source VALUES (?, ?, ?, ?, ?) ON CONFLICT (uri, pointer)
           DO UPDATE SET name = excluded.name, tier = excluded.tier, document = excluded.document""",
        (source.uri, document.id[len(source.sha256) :], source.name, source.tier, key),
    )
    return int(key)
