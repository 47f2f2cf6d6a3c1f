"""Every error that pecia raises on purpose.

    PeciaError
    ├── UsageError                 exit 2  the call was wrong
    │   ├── OptionError                    an option is impossible, or two options clash
    │   ├── UnknownNameError               no plug-in of that name; the known ones are listed
    │   ├── FilterError                    a `where` that cannot be read
    │   ├── QueryError                     a blank query, k below 1
    │   └── MissingExtraError              an optional dependency is not installed
    ├── InvariantError             exit 2  a value that must not exist was about to be built
    │   └── SpanError
    ├── RecordError                exit 2  a chunk record that breaks the schema; every fault with its line
    ├── DocumentError              exit 3  a document failed; carries stage and page
    │   ├── UnsupportedError               no parser reads this kind of file
    │   ├── EncryptedError                 a password would be needed
    │   ├── BrokenError                    truncated, malformed, or its parser crashed
    │   ├── EncodingError                  bytes that are not text in any accepted encoding
    │   └── LimitError                     larger, slower or hungrier than the limits allow
    ├── LibraryError               exit 2  the library folder cannot be used as asked
    │   ├── NotHeldError                   it has nothing of that id, key or page
    │   └── LibraryFormatError             not a library, or written by a newer pecia
    ├── ModelError                 exit 2  a model gave no reply of the form asked for
    └── CitationError              exit 1  a quote no longer stands in its source

Catch by class, never by message. `exit_code` is what the command line returns for the class.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class PeciaError(Exception):
    """The root of the tree."""

    exit_code = 2


class UsageError(PeciaError):
    """The call was wrong; nothing was read or changed."""


class OptionError(UsageError):
    """An option that is impossible by itself or beside another one."""


class UnknownNameError(UsageError):
    """A name that no plug-in bears."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        super().__init__(f"no {kind} is called {name!r}; known: {', '.join(self.known) or 'none'}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.kind, self.name, self.known)


class FilterError(UsageError):
    """A `where` expression that cannot be read, or names an attribute that nothing declares."""


class QueryError(UsageError):
    """A query that cannot have an answer."""


class MissingExtraError(UsageError):
    """An optional dependency is absent; the message names the extra that installs it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package, self.extra, self.purpose = package, extra, purpose
        super().__init__(f"{purpose} needs the package {package}: pip install 'pecia[{extra}]'")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.package, self.extra, self.purpose)


class InvariantError(PeciaError):
    """A value that would break a promise of its type."""


class SpanError(InvariantError):
    """A span that runs backwards, starts below zero or leaves its text."""


class RecordError(PeciaError):
    """A chunk record that the schema does not admit."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        shown = "; ".join(self.faults[:5])
        super().__init__(shown if len(self.faults) <= 5 else f"{shown}; and {len(self.faults) - 5} more")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.faults,)


class DocumentError(PeciaError):
    """A document that could not be carried through a stage."""

    exit_code = 3

    def __init__(self, message: str, *, stage: str = "parse", page: int | None = None) -> None:
        self.message, self.stage, self.page = message, stage, page
        super().__init__(message if page is None else f"page {page + 1}: {message}")

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _document_error, (type(self), self.message, self.stage, self.page)


def _document_error(kind: type[DocumentError], message: str, stage: str, page: int | None) -> DocumentError:
    """Unpickles one: errors cross from the parser's child process to the caller."""
    return kind(message, stage=stage, page=page)


class UnsupportedError(DocumentError):
    """No parser reads this kind of file."""


class EncryptedError(DocumentError):
    """The file opens only with a password."""


class BrokenError(DocumentError):
    """The file is truncated or malformed, or its parser crashed on it."""


class EncodingError(DocumentError):
    """The bytes are not text in any encoding that the parser accepts."""


class LimitError(DocumentError):
    """The file is larger, slower or hungrier than the settings allow."""


class LibraryError(PeciaError):
    """The library folder cannot be used as asked."""


class NotHeldError(LibraryError):
    """The library holds nothing of that id or key, or the document has no such page."""


class LibraryFormatError(LibraryError):
    """The folder holds no library, or one that this version cannot read."""


class ModelError(PeciaError):
    """A model gave no reply, or none of the form asked for. `final` is true where no other question would fare better."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        self.message, self.final = message, final
        super().__init__(message)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _model_error, (self.message, self.final)


def _model_error(message: str, final: bool) -> ModelError:
    """Unpickles one: errors cross from worker processes."""
    return ModelError(message, final=final)


class CitationError(PeciaError):
    """A quote that no longer stands at its place in the stored source."""

    exit_code = 1
