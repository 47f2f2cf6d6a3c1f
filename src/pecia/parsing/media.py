"""What kind of file it is, by its first bytes and its name."""

from __future__ import annotations

import os
from pathlib import PurePath

from pecia.errors import UnsupportedError

PDF, MARKDOWN, TEXT = "application/pdf", "text/markdown", "text/plain"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XML = "application/xml"
CSV, TSV, HTML = "text/csv", "text/tab-separated-values", "text/html"
JSON, YAML = "application/json", "application/yaml"
READS = "pecia reads PDF, DOCX, HTML, XML, CSV, YAML, JSON, Markdown and plain text"
_DOCX_SUFFIXES = frozenset({".docx", ".docm", ".dotx", ".dotm"})
_SUFFIXES = {
    **dict.fromkeys((".xml", ".nxml", ".tei", ".ead", ".spl"), XML),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".shtml", ".mht", ".mhtml"), HTML),
    **dict.fromkeys((".md", ".markdown", ".mkd"), MARKDOWN),
    **dict.fromkeys((".csv",), CSV),
    **dict.fromkeys((".json", ".jsonld", ".geojson", ".jsonl", ".ndjson"), JSON),
    **dict.fromkeys((".yaml", ".yml"), YAML),
    **dict.fromkeys((".tsv", ".tab"), TSV),
    **dict.fromkeys((".txt", ".text", ".log", ""), TEXT),
}
# The PDF header may stand behind up to 1,024 bytes of something else (ISO 32000, implementation note 13).
HEAD = 1024
_MAGIC = (
    (b"PK\x03\x04", "a zip container (XLSX, EPUB…)"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"\x7fELF", "a program"),
)


def shown(path: PurePath) -> str:
    """The name of a file as text: bytes of it that are not UTF-8, and what cannot be printed, stand as escapes."""
    name = os.fsencode(path.name or str(path)).decode("utf-8", "backslashreplace")
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in name)


def media_type(name: str, head: bytes) -> str:
    """The media type by content where that is certain, else by the suffix; UnsupportedError says what was seen."""
    if b"%PDF-" in head[:HEAD]:
        return PDF
    suffix = PurePath(name).suffix.lower()
    if suffix in _DOCX_SUFFIXES:
        return DOCX  # the parser says in what way it is broken or encrypted
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise UnsupportedError(f"{name} is {what}; {READS}")
    if suffix == ".pdf":
        return PDF  # the parser says in what way it is broken
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    raise UnsupportedError(f"{name}: no parser reads {suffix} files; {READS}")
