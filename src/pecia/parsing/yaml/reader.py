"""YAML files: one block an entity, with its pointer and lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pecia.model import Document, Finding, Severity, Source, Span, visible
from pecia.parsing.decode import decode
from pecia.parsing.entities import blocks
from pecia.parsing.media import YAML
from pecia.parsing.quoted import quoted
from pecia.protocols import ParseOptions
from pecia.text.normalise import normalise

# Findings that are told one by one; the last says how many more there are.
_TOLD = 20
# Code, severity and text of each finding; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "YML101": (
        Severity.WARNING,
        """No key stands twice in a mapping.

Why: one reader keeps the first value, another the last; pecia reads the first that says something.
Example: `preferred_label: Museum A`, and five lines below `preferred_label: Museum B`.""",
    ),
}


def parse_yaml(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document: the text as it is decoded. BrokenError with the line for what is not YAML."""
    yield structured(data, source, YAML)


def structured(data: bytes, source: Source, media_type: str) -> Document:
    """The document of a file that is a tree: its text, and its entities as blocks."""
    decoded = decode(data)
    text, alignment = normalise(decoded.text)
    repeated = list[tuple[int, str]]()
    held = tuple(blocks(text, media_type, repeated))
    return Document(
        source.sha256,
        source,
        text,
        blocks=held,
        alignment=alignment,
        source_size=visible(decoded.text),
        findings=(*decoded.findings, *_repeated(text, sorted(repeated))),
    )


def _repeated(text: str, found: Sequence[tuple[int, str]]) -> Iterator[Finding]:
    for number, (at, key) in enumerate(found[:_TOLD]):
        more = f"; and {len(found) - _TOLD} more" if number + 1 == _TOLD < len(found) else ""
        line = text.count("\n", 0, at) + 1
        yield Finding(
            "YML101", CODES["YML101"][0], f"line {line}: {quoted(key)} stands twice in one mapping{more}", span=Span(at, at)
        )
