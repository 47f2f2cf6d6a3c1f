"""Runs rules over a document and its chunks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence

from pecia.checking.laws import LAWS
from pecia.model import Chunk, Document, Finding, Segment, Severity
from pecia.protocols import Rule


def check(
    document: Document, chunks: Iterable[Chunk], rules: Sequence[Rule] = (), left_out: Sequence[Segment] = ()
) -> Iterator[Finding]:
    """What the laws and the given rules find, in the order of the rules; nothing where all is well."""
    held = list(chunks)
    yield from document.findings
    for rule in _all(rules):
        yield from rule(document, held, left_out)


def _all(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    return (*LAWS, *rules)


def explained(rules: Sequence[Rule] = ()) -> dict[str, tuple[Severity, str]]:
    """Severity and text of the laws and the given rules, by code."""
    return {rule.code: (rule.severity, inspect.cleandoc(rule.__doc__ or "")) for rule in _all(rules)}
