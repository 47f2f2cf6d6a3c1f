"""Runs rules over a document and its chunks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence

from pecia.checking.laws import LAWS
from pecia.model import Chunk, Document, Finding, LeftOut, Segment, Severity, Span
from pecia.protocols import Rule


def check(
    document: Document, chunks: Iterable[Chunk], rules: Sequence[Rule] = (), left_out: Sequence[Segment] = ()
) -> Iterator[Finding]:
    """What the laws and the given rules find, in the order of the rules; nothing where all is well."""
    held = list(chunks)
    yield from document.findings
    for rule in _all(rules):
        yield from rule(document, held, left_out)


def check_part(
    document: Document,
    chunks: Sequence[Chunk],
    rules: Sequence[Rule],
    left_out: Sequence[Segment],
    part: Span,
    before: Chunk | None,
) -> Iterator[Finding]:
    """What `check` finds where a document is checked one stretch after the other: `part` is the stretch that these chunks and
    segments are of, `before` the last chunk of the one before. What tells of the whole document is told with the first."""
    rest = [Segment("rest", "rest", "", span, left_out_reason=LeftOut.MARKUP)
            for span in (Span(0, part.start), Span(part.end, len(document.text)))]  # fmt: skip
    held = [before, *chunks] if before else chunks
    if not part.start:
        yield from document.findings
    for rule in _all(rules):
        if not part.start or not getattr(rule, "of_document", False):
            found = rule(document, held, (*left_out, *rest))
            yield from (finding for finding in found if before is None or finding.chunk_id != before.chunk_id)


def _all(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    return (*LAWS, *rules)


def explained(rules: Sequence[Rule] = ()) -> dict[str, tuple[Severity, str]]:
    """Severity and text of the laws and the given rules, by code."""
    return {rule.code: (rule.severity, inspect.cleandoc(rule.__doc__ or "")) for rule in _all(rules)}
