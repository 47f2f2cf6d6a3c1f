"""Every seam of pecia. What fits one of these can replace what is in the box; there is nothing to inherit from.

A stage is a callable from values to an iterator of values and keeps no document in `self`. Options are bound when a
strategy is built; the operand is passed to the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pecia.model import (
    Attribute,
    Boost,
    Chunk,
    Citation,
    Document,
    Embedded,
    Finding,
    Location,
    PageBox,
    Progress,
    Query,
    Segment,
    Severity,
    Source,
    Span,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from pecia.heritage.gazetteer import Gazetteer


class TokenIndex(Protocol):
    """The token counts of one text, made in one pass."""

    def count(self, start: int, end: int, before: str = "") -> int:
        """Exact number of tokens of `before` + text[start:end], as if that were counted alone."""
        ...

    def furthest(self, start: int, end: int, budget: int) -> int:
        """The largest offset in [start, end] up to which at most `budget` tokens stand; always a character end."""
        ...

    def nearest(self, start: int, end: int, budget: int) -> int:
        """The smallest offset in [start, end] from which to `end` at most `budget` tokens stand."""
        ...


class Tokenizer(Protocol):
    """`name` goes into every record. The same text has the same count in every process."""

    name: str

    def count(self, text: str) -> int: ...

    def index(self, text: str) -> TokenIndex: ...


class Parser(Protocol):
    """Bytes to documents: one, or one for each member of a container. Raises DocumentError, never anything else."""

    def __call__(self, data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]: ...


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """`screenshots`: a folder that page images are written to; formats without pages pay no heed to it.
    `picture` and `marks`: a file for a picture of the marked pages, for those that draw one instead of parsing, at `dpi`
    pixels an inch; a mark without area names its page and tints nothing.
    `ocr`: `auto` reads pages without usable text where an engine is installed, `off` never, `force` every page; in
    `ocr_language`, `auto`, `zh`, `en` or `vi`. `told` hears how many pages are read, and of how many."""

    screenshots: Path | None = None
    picture: Path | None = None
    marks: tuple[PageBox, ...] = ()
    dpi: int = 144
    ocr: str = "auto"
    ocr_language: str = "auto"
    told: Callable[[int, int], None] | None = None


@dataclass(frozen=True, slots=True)
class Detection:
    """How well a strategy suits a document, from 0 to 1, and why, in words a person can check."""

    score: float
    reason: str


class Rule(Protocol):
    """A check with a code. Its docstring says what it checks, why it matters, and gives an example."""

    __doc__: str | None

    @property
    def code(self) -> str: ...

    @property
    def severity(self) -> Severity: ...

    def __call__(self, document: Document, chunks: Sequence[Chunk], left_out: Sequence[Segment]) -> Iterator[Finding]: ...


class Sizes(Protocol):
    """The options that every strategy has: sizes in tokens, and what counts them."""

    @property
    def max_tokens(self) -> int: ...

    @property
    def target_tokens(self) -> int: ...

    @property
    def overlap_tokens(self) -> int: ...

    @property
    def tokenizer(self) -> str: ...


class Strategy(Protocol):
    """Cuts documents along one kind of unit. `options_hash` is the same for the same options in every process."""

    @property
    def name(self) -> str: ...

    @property
    def attributes(self) -> tuple[Attribute, ...]: ...

    @property
    def rules(self) -> tuple[Rule, ...]: ...

    @property
    def options(self) -> Sizes: ...

    @property
    def options_hash(self) -> str: ...

    def detect(self, document: Document) -> Detection: ...

    def segment(self, document: Document) -> Iterator[Segment]:
        """Parts in document order; those left out carry a reason. Put together they hold every visible character."""
        ...

    def chunk(self, document: Document, segments: Iterable[Segment]) -> Iterator[Chunk]: ...


class Holdings(Protocol):
    """What there is to search, by the attributes of its chunks: read from an index, never from the chunks themselves."""

    def values(self, name: str) -> Sequence[str]:
        """The values of a string attribute, each once, in order."""
        ...

    def beside(self, name: str, value: str, other: str) -> Sequence[str]:
        """The values of `other` in the chunks whose attribute `name` has, or lists, the value."""
        ...

    def stands(self, term: str) -> bool:
        """Whether any chunk holds the term, one of those that `pecia.text.analysis.terms` gives."""
        ...


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a question was taken to ask for: `boosts` for what fits, `also` as words to look for besides those of the
    question, and in `reasons` what was understood by which words, for a person to judge."""

    boosts: tuple[Boost, ...] = ()
    also: str = ""
    reasons: tuple[str, ...] = ()


@runtime_checkable
class Understands(Protocol):
    """A strategy that knows what questions about its documents ask for; most have no `understand`."""

    def understand(self, query: str, held: Holdings) -> Understanding:
        """Empty where the question says nothing that the strategy knows, or nothing is held that it cut."""
        ...


Link = Callable[[Span, Mapping[str, Any]], dict[str, Any]]
"""The span and the attributes of a chunk to the attributes with the entities that it names."""


@runtime_checkable
class Links(Protocol):
    """A strategy whose chunks say which entities they name; most do not look."""

    def link(self, document: Document, known: Gazetteer) -> Link:
        """For the chunks of a document, where these entities are known. What it says follows from the two alone: linked again,
        a chunk forgets what it said before."""
        ...


@runtime_checkable
class HasSurfaces(Protocol):
    """A strategy whose chunks are found by several texts, as a pair by its question alone; most chunks have their `text`."""

    def surfaces(self, chunk: Chunk) -> Mapping[str, str]:
        """Each text under its name, none of them blank. Each has vectors of its own, and the likest of them counts."""
        ...


@runtime_checkable
class KnowsHeadings(Protocol):
    """A strategy that knows sections by a vocabulary of headings; most have none."""

    def unknown_headings(self, document: Document) -> Iterator[tuple[str, Span]]:
        """Headings that are in no vocabulary, in order, each with the key of the section that it stays in."""
        ...


class Boundaries(Protocol):
    """Where a packer may cut, by how good a place is.

    Each call gives (offset, rank) pairs in (start, end], from the last to the first where nothing else is said; a larger rank
    is a better place.
    """

    def blocks(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Ends of paragraphs, list items, sections."""
        ...

    def sentences(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Ends of sentences, of rows in a table."""
        ...

    def sentences_forwards(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The same from the first to the last."""
        ...

    def weak(self, start: int, end: int, least: int = 0) -> Iterator[tuple[int, int]]:
        """Ends of clauses and words, and places that are only better than none; from the rank `least` on."""
        ...

    def context(self, offset: int) -> tuple[str, ...]:
        """Labels that govern the text at `offset` and must be carried into a chunk that begins there."""
        ...


class Embedder(Protocol):
    """Texts to vectors of length 1. `name` tells model, version and prefixes: vectors under two names never meet.

    `window` is the number of tokens that the model reads, prefix included; the rest of a longer text is not in its vector,
    so whoever embeds asks `count` first and says what was cut.
    """

    name: str
    window: int
    query_prefix: str
    passage_prefix: str

    @property
    def dimension(self) -> int:
        """May have to ask the model."""
        ...

    def count(self, text: str, *, query: bool = False) -> int:
        """Tokens of prefix and text by the model's own tokenizer, beyond the window too."""
        ...

    def passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row for each text, in order: (len(texts), dimension)."""
        ...

    def query(self, text: str) -> npt.NDArray[np.float32]:
        """(dimension,)"""
        ...


Windows = Callable[[str, Callable[[str], bool]], list[Span]]
"""A text, and what says whether a text fits, to the windows that fit; put together they are the text."""

Surfaces = Callable[[Chunk], Mapping[str, str]]
"""A chunk to the texts by which it is found, by name; most chunks have one, their `text`, under the name ""."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question as an embedder sees it; only vectors under the same name are compared with it."""

    embedder: str
    vector: npt.NDArray[np.float32]


class Store(Protocol):
    """Keeps documents, chunks and vectors; the conformance suite stands in `pecia.testing`.

    One `put` is one transaction: a reader sees all of it or nothing, and putting the same thing twice changes nothing.
    """

    def put(
        self, document: Document, chunks: Sequence[Chunk], *, strategy: str, options_hash: str, options: Mapping[str, Any]
    ) -> bool:
        """Stores a document with its chunks in the place of what the same uri, strategy and options gave before;
        True where anything changed."""
        ...

    def delete(self, document_id: str) -> int:
        """Removes a document with all that hangs on it; the number of chunks that went."""
        ...

    def search(self, query: Query, meaning: Meaning | None = None) -> Iterator[tuple[Chunk, float, str]]:
        """Chunks, scores and source uris, best first: by terms; with `meaning` by vectors alone where the mode of the query is
        `dense`, else by both."""
        ...

    def embed(self, embedder: Embedder, plugin: str, windows: Windows, surfaces: Surfaces) -> Iterator[Progress]:
        """Gives every chunk that has none its vectors, one for each window of each of its surfaces. A reader finds those of a
        whole document or none; what was made before an interruption is not made again, nor is the same text."""
        ...

    def embedders(self) -> list[Embedded]:
        """Those that anything was embedded with, the latest first."""
        ...

    def chunks(self, where: Mapping[str, Any] | Sequence[str] | None = None) -> Iterator[Chunk]: ...

    def text(self, document_id: str) -> str:
        """The stored text of a document."""
        ...

    def close(self) -> None: ...


class Citer(Protocol):
    """A chunk to its citation, or a span inside it that `locate` finds the place of. `text` is the stored text and
    `text_hash` its hash, computed from it. Raises CitationError where the quote does not stand there."""

    def __call__(
        self,
        chunk: Chunk,
        uri: str,
        text: str,
        text_hash: str,
        *,
        span: Span | None = None,
        locate: Callable[[Span], Location] | None = None,
    ) -> Citation: ...
