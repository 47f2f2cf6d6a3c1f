"""Checks of conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pecia.checking.laws import Law, registering
from pecia.model import Chunk, ChunkKind, Document, Segment, Severity

_RULES: list[Law] = []
_rule = registering(_RULES)


@_rule("CHT102", Severity.WARNING)
def no_messages(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, None, None]]:
    """A document that was to be cut by messages and has none is named.

    Why: its text is cut as it stands, which looks like success; who said it is not known.
    Example: an export of a kind that pecia does not read, or a file of another kind among the exports.
    """
    asked = any(chunk.requested_strategy == "conversation" for chunk in chunks)
    if asked and not any(chunk.chunk_kind is ChunkKind.MESSAGE for chunk in chunks):
        yield "no message was found; the text is cut as it stands", None, None


RULES = tuple(_RULES)
