"""What is wrong inside a library's database, as findings."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from pecia.model import Finding, Severity, Span, text_hash

# Code, severity and text of each kind of damage; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "LB001": (
        Severity.ERROR,
        """The stored text of a document still has the hash that it was stored with.

Why: every quote is compared with this text.
Example: a row of the database that was edited by hand.""",
    ),
    "LB002": (
        Severity.ERROR,
        """Every stored chunk stands at its place in the stored text.

Why: a hit would be cited from where it does not stand.
Example: a record whose source_text was corrected.""",
    ),
    "LB003": (
        Severity.ERROR,
        """Every record agrees with the row that it is found by.

Why: a filter or an id would lead to another chunk.
Example: a record with the text_hash of another parse.""",
    ),
    "LB004": (
        Severity.ERROR,
        """What is searched holds every chunk, and nothing else.

Why: a chunk outside the index is never found.
Example: an emptied table of the index; `Library.rebuild` fills it.""",
    ),
    "LB005": (
        Severity.ERROR,
        """The file that a document came from is where it was kept.

Why: without it no page can be shown or parsed again.
Example: a folder of originals that was moved away.""",
    ),
    "LB006": (
        Severity.ERROR,
        """A kept file still has the bytes that were added.

Why: a citation would open another edition.
Example: a PDF that was overwritten in place.""",
    ),
    "LB007": (
        Severity.INFO,
        """Every kept file belongs to a document.

Why: what belongs to none takes room.
Example: an add that was interrupted before its transaction.""",
    ),
    "LB008": (
        Severity.ERROR,
        """Every vector is of the text of its chunk, whole and of length 1.

Why: a chunk would be found by what it does not say.
Example: a row of the database that was edited by hand; delete the document and add it again.""",
    ),
    "LB009": (
        Severity.ERROR,
        """The file of vectors that is searched holds those of the database.

Why: a search would compare with others.
Example: a file of another library copied into the folder; `Library.rebuild` removes it, and the next search writes it anew.""",
    ),
    "EM001": (
        Severity.INFO,
        """The text of a chunk fits the window of the embedder, with the prefix and what stands before it.

Why: what is beyond the window is not in the vector, so such a text is embedded in several windows, each with a vector.
Example: a chunk of 800 tokens and a model that reads 512; a smaller ceiling gives one vector for each chunk.""",
    ),
}


def damage(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Texts against their hashes (LB001), chunks against texts (LB002), records against their rows (LB003), and the
    index against the chunks (LB004); one text in memory at a time."""
    for reading, document_id, recorded in connection.execute(
        "SELECT r.id, d.document_id, r.text_hash FROM reading r JOIN document d ON d.id = r.document ORDER BY r.id"
    ).fetchall():
        text = connection.execute("SELECT text FROM reading WHERE id = ?", (reading,)).fetchone()[0]
        if (found := text_hash(text)) != recorded:
            yield Finding("LB001", Severity.ERROR, f"the text of {document_id:.12} has the hash {found}, not {recorded}")
        rows = connection.execute(
            """SELECT k.chunk_id, k.start_char, k.end_char, k.record ->> 'source_text', k.record ->> 'text_hash',
                      k.record ->> 'chunk_id', k.record ->> 'start_char', k.record ->> 'end_char', k.record ->> 'document_id'
               FROM chunk k JOIN cutting c ON c.id = k.cutting WHERE c.reading = ? ORDER BY k.id""",
            (reading,),
        )
        for chunk_id, start, end, source_text, claimed, *record in rows:
            span = Span(start, end)
            if text[start:end] != source_text:
                yield Finding("LB002", Severity.ERROR, "source_text does not stand at its place", chunk_id, span)
            if claimed != recorded or record != [chunk_id, start, end, document_id]:
                yield Finding("LB003", Severity.ERROR, "the record is not that of its row", chunk_id, span)
    yield from _index(connection)


def _index(connection: sqlite3.Connection) -> Iterator[Finding]:
    chunks = connection.execute("SELECT count(*) FROM chunk").fetchone()[0]
    for name, query in (
        ("entries", "SELECT count(*) FROM entry e JOIN chunk k ON k.id = e.chunk AND k.cutting = e.cutting"),
        ("lists of terms", "SELECT count(*) FROM analysed a JOIN chunk k ON k.id = a.chunk"),
        ("rows in FTS5", "SELECT count(*) FROM word_docsize"),
        ("in the total", "SELECT chunks FROM total"),
    ):
        found = connection.execute(query).fetchone()[0]
        if found != chunks:
            yield Finding("LB004", Severity.ERROR, f"{chunks} chunks, but {found} {name}; rebuild the library")
