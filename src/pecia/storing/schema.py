"""The tables of a library. Truth migrates step by step; what is derived is dropped and made again."""

from __future__ import annotations

from pecia.text.analysis import ANALYSIS_VERSION, FTS5_TOKENIZE

APPLICATION_ID = 0x70656369  # "peci" in the header of the file, so that no other SQLite file is taken for a library

# Step n takes a library of format n to n + 1; a step is never edited once released, another one follows it.
# document: the bytes. source: where they were found (several may hold the same bytes). reading: one parse of them; two
# versions of a parser give two texts, and a chunk belongs to one. cutting: one reading under one strategy and options.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        """CREATE TABLE document (
            id INTEGER PRIMARY KEY, document_id TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
            media_type TEXT NOT NULL, original TEXT) STRICT""",
        "CREATE INDEX document_sha256 ON document (sha256)",
        """CREATE TABLE source (
            uri TEXT NOT NULL, pointer TEXT NOT NULL, name TEXT NOT NULL, tier TEXT,
            document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE, PRIMARY KEY (uri, pointer)
        ) STRICT, WITHOUT ROWID""",
        "CREATE INDEX source_document ON source (document, uri)",
        """CREATE TABLE reading (
            id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
            text_hash TEXT NOT NULL, structure BLOB NOT NULL, text TEXT NOT NULL, UNIQUE (document, text_hash)) STRICT""",
        """CREATE TABLE layout (
            reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE, position INTEGER NOT NULL,
            start_char INTEGER NOT NULL, end_char INTEGER NOT NULL, blocks BLOB NOT NULL,
            PRIMARY KEY (reading, position)) STRICT""",
        """CREATE TABLE cutting (
            id INTEGER PRIMARY KEY, reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE,
            strategy TEXT NOT NULL, options_hash TEXT NOT NULL, options TEXT NOT NULL,
            digest TEXT NOT NULL, UNIQUE (reading, strategy, options_hash)) STRICT""",
        """CREATE TABLE chunk (
            id INTEGER PRIMARY KEY, cutting INTEGER NOT NULL REFERENCES cutting ON DELETE CASCADE,
            position INTEGER NOT NULL CHECK (position >= 0), chunk_id TEXT NOT NULL,
            start_char INTEGER NOT NULL CHECK (start_char >= 0), end_char INTEGER NOT NULL CHECK (end_char >= start_char),
            record TEXT NOT NULL,
            UNIQUE (cutting, position), UNIQUE (chunk_id, cutting)) STRICT""",
    ),
    (
        # Vectors are truth too: hours go into making them. chunks: how many have theirs. state: another one after each change.
        """CREATE TABLE embedder (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, plugin TEXT NOT NULL,
            dimension INTEGER NOT NULL CHECK (dimension > 0), chunks INTEGER NOT NULL, state TEXT NOT NULL) STRICT""",
        """CREATE TABLE vector (
            id INTEGER PRIMARY KEY, embedder INTEGER NOT NULL REFERENCES embedder ON DELETE CASCADE,
            content TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE (embedder, content)) STRICT""",
        """CREATE TABLE point (
            chunk INTEGER NOT NULL REFERENCES chunk ON DELETE CASCADE, embedder INTEGER NOT NULL REFERENCES embedder,
            surface INTEGER NOT NULL, start_char INTEGER NOT NULL, end_char INTEGER NOT NULL, tokens INTEGER NOT NULL,
            vector INTEGER NOT NULL REFERENCES vector, PRIMARY KEY (chunk, embedder, surface)) STRICT, WITHOUT ROWID""",
        "CREATE INDEX point_vector ON point (vector)",
    ),
    (
        # A chunk may be found by several texts: name tells which one start_char and end_char are in; "" is the chunk's own. Pairs
        # lose their points, so that the next embed gives them those of question and answer too; it finds the other vectors.
        "ALTER TABLE point ADD COLUMN name TEXT NOT NULL DEFAULT ''",
        """UPDATE embedder SET state = lower(hex(randomblob(8))), chunks = chunks - (SELECT count(DISTINCT p.chunk) FROM point p
            JOIN chunk k ON k.id = p.chunk WHERE p.embedder = embedder.id AND json_extract(k.record, '$.chunk_kind') = 'pair')""",
        "DELETE FROM point WHERE chunk IN (SELECT id FROM chunk WHERE json_extract(record, '$.chunk_kind') = 'pair')",
    ),
    # Which entities of the library were known when the chunks of a cutting were last linked; empty: none.
    ("ALTER TABLE cutting ADD COLUMN linked TEXT NOT NULL DEFAULT ''",),
)
FORMAT = len(MIGRATIONS)

DERIVED_VERSION = f"3.{ANALYSIS_VERSION}"
"""Changes with the tables below, with what `indexing` writes into them and with the analysis of text. A library that
holds another is rebuilt when it is opened."""

# entry stays narrow (about 90 bytes): a filter on pages or sizes reads all of it, 9 MB at 100,000 chunks. The terms stand
# apart for that reason; FTS5 reads them as its content, and a candidate is scored by counting in them.
DERIVED: tuple[str, ...] = (
    """CREATE TABLE entry (
        chunk INTEGER PRIMARY KEY, cutting INTEGER NOT NULL, length INTEGER NOT NULL,
        strategy TEXT NOT NULL, requested_strategy TEXT NOT NULL, chunk_kind TEXT NOT NULL, tokenizer TEXT NOT NULL,
        start_char INTEGER NOT NULL, end_char INTEGER NOT NULL, first_page INTEGER, last_page INTEGER,
        first_printed ANY, last_printed ANY, part_index INTEGER NOT NULL, part_count INTEGER NOT NULL,
        est_tokens INTEGER NOT NULL, max_tokens INTEGER NOT NULL, overlap_tokens INTEGER NOT NULL,
        oversized INTEGER NOT NULL, has_quarantined_content INTEGER NOT NULL) STRICT""",
    "CREATE INDEX entry_cutting ON entry (cutting)",
    "CREATE INDEX entry_quarantined ON entry (chunk) WHERE has_quarantined_content",
    "CREATE TABLE analysed (chunk INTEGER PRIMARY KEY, terms TEXT NOT NULL) STRICT",
    f"""CREATE VIRTUAL TABLE word USING fts5 (terms, content='analysed', content_rowid='chunk', tokenize="{FTS5_TOKENIZE}")""",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab (word, 'row')",
    "CREATE VIRTUAL TABLE occurrence USING fts5vocab (word, 'instance')",
    "CREATE TABLE facet_value (id INTEGER PRIMARY KEY, key TEXT NOT NULL, value ANY NOT NULL, UNIQUE (key, value)) STRICT",
    "CREATE TABLE facet (chunk INTEGER NOT NULL, value_id INTEGER NOT NULL, PRIMARY KEY (chunk, value_id)) STRICT, WITHOUT ROWID",
    "CREATE INDEX facet_chunk ON facet (value_id, chunk)",
    # removal: another one after each; while it stays, a chunk keeps its number and its length.
    """CREATE TABLE total (
        chunks INTEGER NOT NULL, length INTEGER NOT NULL, quarantined INTEGER NOT NULL, removal TEXT NOT NULL) STRICT""",
    "INSERT INTO total VALUES (0, 0, 0, lower(hex(randomblob(8))))",
)
DERIVED_TABLES = ("vocabulary", "occurrence", "word", "entry", "analysed", "facet", "facet_value", "total")
