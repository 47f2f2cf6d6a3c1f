"""The line on one screen: parse, segment, chunk, check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any

from pecia import plugins
from pecia.checking.engine import check as check_chunks
from pecia.checking.engine import check_part
from pecia.errors import DocumentError
from pecia.model import Box, Chunk, Citation, Document, Finding, PageBox, Segment, Span
from pecia.parsing.isolation import PARSER_PROCESS, sniff
from pecia.parsing.media import shown
from pecia.protocols import ParseOptions, Rule, Sizes, Strategy
from pecia.settings import settings


def parse_all(
    path: str | Path,
    *,
    screenshots: str | Path | None = None,
    ocr: str | None = None,
    ocr_language: str = "auto",
    told: Callable[[int, int], None] | None = None,
) -> Iterator[Document]:
    """The documents of a file, as they are parsed: one, or one for each member of a container.

    `screenshots` is a folder for pictures of pages; `ocr` (auto, off, force; PECIA_OCR where not given) and `ocr_language`
    (auto, zh, en, vi) say what becomes of pages without usable text. `told` hears now and then how many pages are read, and
    of how many. Raises DocumentError for a file that cannot be read.
    """
    file = Path(path)
    media = sniff(file)
    options = ParseOptions(
        Path(screenshots) if screenshots else None, ocr=ocr or settings().ocr, ocr_language=ocr_language, told=told
    )
    try:
        yield from PARSER_PROCESS.parse(file, media, plugins.parser_path(media), options)
    except DocumentError as error:  # a parser sees bytes and no name
        raise type(error)(f"{shown(file)}: {error.message}", stage=error.stage, page=error.page) from error


def parse(
    path: str | Path, *, screenshots: str | Path | None = None, ocr: str | None = None, ocr_language: str = "auto"
) -> Document:
    """The one document of a file; DocumentError where the file is a container of several."""
    documents = list(parse_all(path, screenshots=screenshots, ocr=ocr, ocr_language=ocr_language))
    if len(documents) != 1:
        raise DocumentError(f"{path} holds {len(documents)} documents; use parse_all")
    return documents[0]


def picture(file: Path, citation: Citation, path: Path) -> None:
    """Writes the cited pages of a file as PNG, the cited regions tinted; further pages get their number in the name."""
    media = sniff(file)
    marks = tuple(region for region in citation.regions if isinstance(region, PageBox))
    list(PARSER_PROCESS.parse(file, media, plugins.picture_path(media), ParseOptions(picture=path, marks=marks)))


def excerpt(file: Path, pages: Sequence[int], path: Path) -> None:
    """Writes a file of the same kind with these pages alone, counted from 0; UnsupportedError for formats without pages."""
    media = sniff(file)
    marks = tuple(PageBox(page, Box(0, 0, 0, 0)) for page in pages)
    list(PARSER_PROCESS.parse(file, media, plugins.excerpt_path(media), ParseOptions(picture=path, marks=marks)))


def strategy(name: str, **options: Any) -> Strategy:
    """The strategy of that name; OptionError for options that it does not have or that are impossible."""
    return plugins.strategy(name, **options)


def check(
    document: Document, chunks: Iterable[Chunk], rules: Sequence[Rule] = (), *, left_out: Sequence[Segment] = ()
) -> Iterator[Finding]:
    """What the laws and the given rules find in chunks of a document."""
    return check_chunks(document, chunks, rules, left_out)


@dataclass(frozen=True, slots=True)
class Cutting:
    """What became of one document: its chunks, what was left out, by which strategy and why that one; what a model noted; what
    each chunk is found by, where that is made already. Of a document that is cut in parts, `part` is the stretch that this
    one is of, and `before` the last chunk of the one before."""

    document: Document
    strategy: Strategy
    reason: str
    chunks: tuple[Chunk, ...]
    left_out: tuple[Segment, ...]
    noted: tuple[Finding, ...] = ()
    terms: tuple[str, ...] = ()
    part: Span | None = None
    before: Chunk | None = None

    def findings(self) -> Iterator[Finding]:
        rules = self.strategy.rules
        if self.part is None:
            yield from check_chunks(self.document, self.chunks, rules, self.left_out)
        else:
            yield from check_part(self.document, self.chunks, rules, self.left_out, self.part, self.before)
        yield from self.noted


def cut(document: Document, name: str, **options: Any) -> Cutting:
    """Segments and chunks a document with the strategy of that name; `auto` takes the one that suits it best."""
    used, reason = _chosen(document, name, options)
    return _cutting(document, name, used, reason, list(used.segment(document)))


def _cutting(
    document: Document,
    name: str,
    used: Strategy,
    reason: str,
    segments: Sequence[Segment],
    part: Span | None = None,
    before: Chunk | None = None,
) -> Cutting:
    chunks = tuple(chunks_of(document, used, segments, name))
    left_out = tuple(item for item in segments if item.left_out_reason)
    return Cutting(document, used, reason, chunks, left_out, part=part, before=before)


# Segments of a document that is cut in parts: with 5,000 rows memory holds 20 MB of chunks, with a million it would be 4 GB, and
# half the time went to looking for garbage among them.
_PART = 5_000


def cut_in_parts(document: Document, name: str, *, at_once: int = _PART, **options: Any) -> Iterator[Cutting]:
    """What `cut` gives, one stretch of `at_once` segments after the other where its strategy cuts each segment by itself (it says
    `streams`), so that memory need not hold all chunks at once; else in one."""
    used, reason = _chosen(document, name, options)
    if not getattr(used, "streams", False):
        yield _cutting(document, name, used, reason, list(used.segment(document)))
        return
    found = used.segment(document)
    segments, before, start = list(islice(found, at_once)), None, 0
    while True:
        following = list(islice(found, at_once))
        end = segments[-1].span.end if following else len(document.text)
        made = _cutting(document, name, used, reason, segments, Span(start, end), before)
        yield made
        if not following:
            return
        segments, before, start, reason = following, made.chunks[-1] if made.chunks else before, end, ""


def _chosen(document: Document, name: str, options: Mapping[str, Any]) -> tuple[Strategy, str]:
    """The strategy of that name, and why it is the one where that is for the document to say."""
    if name != plugins.AUTO:
        return plugins.strategy(name, **options), ""
    chosen, detection = plugins.choose(document)
    return plugins.strategy(chosen, **options), detection.reason


def chunks_of(document: Document, used: Strategy, segments: Sequence[Segment], requested: str) -> Iterator[Chunk]:
    """The chunks of segments in the order of the document; a delegated segment is cut by its delegate."""
    runs: dict[str | None, list[Segment]] = {}
    for segment in segments:
        if not segment.left_out_reason:
            runs.setdefault(segment.delegate, []).append(segment)
    # One call for each strategy, however often they alternate: each call reads the document.
    made = [(_delegate(name, used.options) if name else used).chunk(document, run) for name, run in runs.items()]
    for chunk in merge(*made, key=lambda chunk: chunk.span.start):
        yield chunk if requested == chunk.requested_strategy else replace(chunk, requested_strategy=requested)


def _delegate(name: str, asked: Sizes) -> Strategy:
    """A strategy that stands in for another: its own sizes, but none above what was asked for, and the same tokenizer."""
    own: Sizes = plugins.options_class(name)()
    ceiling = min(own.max_tokens, asked.max_tokens)
    return plugins.strategy(
        name,
        max_tokens=ceiling,
        target_tokens=min(own.target_tokens, asked.target_tokens, ceiling),
        overlap_tokens=min(own.overlap_tokens, asked.overlap_tokens, ceiling // 2),
        tokenizer=asked.tokenizer,
    )
