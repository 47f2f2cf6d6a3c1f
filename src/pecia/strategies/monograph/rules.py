"""Gates on the chunks of a formulary: MONO1xx the chunks, MONO2xx the labels and doses in them, MONO3xx the book itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pecia.checking.laws import Law
from pecia.model import Chunk, Document, Finding, Segment, Severity, Span
from pecia.protocols import Rule
from pecia.strategies.monograph import book_rules, chunk_rules, label_rules
from pecia.strategies.monograph.anatomy import Anatomy

Read = Callable[[Document], Anatomy]
Found = Iterator[tuple[str, Chunk | None, Span | None]]
Check = Callable[[Anatomy, Sequence[Chunk]], Found]

_GATES: tuple[tuple[str, Severity, Check], ...] = (
    ("MONO101", Severity.WARNING, chunk_rules.not_unique),
    ("MONO102", Severity.ERROR, chunk_rules.furniture),
    ("MONO103", Severity.ERROR, chunk_rules.parted_word),
    ("MONO104", Severity.WARNING, chunk_rules.unprintable),
    ("MONO105", Severity.WARNING, chunk_rules.duplicate_section),
    ("MONO106", Severity.WARNING, chunk_rules.holes),
    ("MONO107", Severity.ERROR, chunk_rules.no_head),
    ("MONO201", Severity.ERROR, label_rules.ends_on_label),
    ("MONO202", Severity.ERROR, label_rules.dose_without_chain),
    ("MONO203", Severity.ERROR, label_rules.parted_dose),
    ("MONO301", Severity.WARNING, book_rules.unknown_heading),
    ("MONO302", Severity.WARNING, book_rules.misspelt_heading),
    ("MONO303", Severity.WARNING, book_rules.missing_section),
    ("MONO304", Severity.WARNING, book_rules.repeated_section),
    ("MONO305", Severity.WARNING, book_rules.malformed_code),
    ("MONO306", Severity.WARNING, book_rules.no_printed_page),
)


@dataclass(frozen=True)
class Gate:
    """A rule bound to the vocabularies of a strategy. The document is read once for all gates of a run."""

    code: str
    severity: Severity
    check: Check
    reader: _Reader
    __doc__: str | None

    def __call__(self, document: Document, chunks: Sequence[Chunk], left_out: Sequence[Segment]) -> Iterator[Finding]:
        own = [chunk for chunk in chunks if chunk.attributes.get("drug_id") and chunk.span.end <= len(document.text)]
        if own:
            yield from Law(self.code, self.severity, lambda *_: self.check(self.reader(document), own), self.__doc__)(
                document, own, left_out
            )


class _Reader:
    """Reads a document where it is another one than the last."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._last: tuple[Document, Anatomy] | None = None

    def __call__(self, document: Document) -> Anatomy:
        if self._last is None or self._last[0] is not document:
            self._last = document, self._read(document)
        return self._last[1]


def rules_for(read: Read) -> tuple[Rule, ...]:
    """The gates, reading documents with `read`."""
    reader = _Reader(read)
    return tuple(Gate(code, severity, check, reader, check.__doc__) for code, severity, check in _GATES)
