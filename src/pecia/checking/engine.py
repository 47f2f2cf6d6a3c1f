"""Runs rules over a document and its chunks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence

from pecia.checking.laws import LAWS
from pecia.errors import UnknownNameError
from pecia.model import Chunk, Document, Finding, Segment
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


def explain(code: str, rules: Sequence[Rule] = ()) -> str:
    """The code, severity and docstring of a rule; UnknownNameError lists the codes there are."""
    known = {rule.code: rule for rule in _all(rules)}
    if code.upper() not in known:
        raise UnknownNameError("rule", code, known)
    rule = known[code.upper()]
    return f"{rule.code} ({rule.severity.value})\n\n{inspect.cleandoc(rule.__doc__ or '')}\n"
