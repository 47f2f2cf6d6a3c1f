"""show: a document as one HTML page to look at."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pecia import pipeline, plugins
from pecia.cli import options as opt
from pecia.cli.cutting import read_chunks
from pecia.cli.output import errors, working, writer
from pecia.errors import DocumentError, UsageError
from pecia.model import Box, Chunk, Document, Finding, Page, PageBox, Segment, Severity
from pecia.parsing.isolation import PARSER_PROCESS
from pecia.protocols import ParseOptions

MOST_PAGES = 50  # where no pages are asked for; with their pictures they stay under 20 MB
PICTURE_BYTES = 14_000_000  # for all pictures together, before base64 adds a third
LEAST_BYTES = 60_000  # for one: half of the pixels of a full page of text need about this
_NOTHING = Box(-9, -9, -9, -9)  # a mark that no page shows

Shown = tuple[Sequence[Chunk] | None, Sequence[Segment], Sequence[Finding]]


def show(
    file: opt.File,
    output: opt.Output = None,
    pages: Annotated[
        str | None,
        typer.Option(metavar="3-5,9", help="Only these, counted from 1 in the file.", show_default=f"the first {MOST_PAGES}"),
    ] = None,
    chunks: Annotated[Path | None, typer.Option(metavar="FILE", help="Colour by the chunks that `pecia chunk` wrote.")] = None,
    strategy: Annotated[
        str | None, typer.Option("--strategy", "-s", metavar="NAME", help="Cut now, and colour by these chunks.")
    ] = None,
    max_tokens: opt.MaxTokens = None,
    target_tokens: opt.TargetTokens = None,
    overlap_tokens: opt.OverlapTokens = None,
    tokenizer: opt.Tokenizer = None,
    option: opt.Others = None,
) -> None:
    """Draw a file as one HTML page: pictures with numbered blocks, the text beside, chunks in colour; opens offline."""
    from pecia.showing.render import render

    given = opt.strategy_options(max_tokens, target_tokens, overlap_tokens, tokenizer, option)
    _refuse(output, chunks, strategy, given)
    ranges = None if pages is None else ranges_of(pages)
    records = None if chunks is None else _records(chunks)
    with working(file.name):
        document = pipeline.parse(file)
        indexes = _indexes(document, ranges)
        held, left_out, findings = _shown(document, records, strategy, given)
    with tempfile.TemporaryDirectory(prefix="pecia-show-") as folder:
        picture = _painter(file, document, Path(folder) / "page.png", len(indexes))
        parts = render(document, pages=indexes, picture=picture, chunks=held, left_out=left_out, findings=findings)
        with working(file.name), writer(output) as out:
            out.writelines(parts)
    _say(document, indexes, ranges, output)
    raise typer.Exit(1 if any(finding.severity is Severity.ERROR for finding in findings) else 0)


def _refuse(output: Path | None, chunks: Path | None, strategy: str | None, given: dict[str, object]) -> None:
    """UsageError for what cannot be meant, before anything is read."""
    if chunks and strategy:
        raise UsageError("--chunks shows chunks that are cut, --strategy cuts anew; give one of the two")
    if given and not strategy:
        raise UsageError(f"{', '.join(sorted(given))}: sizes and options are for a --strategy, which is not given")
    if strategy and strategy != plugins.AUTO:
        plugins.strategy(strategy, **given)
    if output is None and sys.stdout.isatty():
        raise UsageError("a page is nothing for a terminal; name a file: -o page.html")


def ranges_of(text: str) -> list[range]:
    """The page numbers that `3-5,9` means, as ranges; UsageError where it cannot be read."""
    found = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not all(number.isascii() and number.isdigit() for number in (first, last if dash else first)):
            raise UsageError(f"--pages {text!r}: {part!r} is not a page or a range of pages, as in 3-5,9")
        span = range(int(first), int(last if dash else first) + 1)
        if not span or span[0] < 1:
            raise UsageError(f"--pages {text!r}: {part!r} holds no page; pages count from 1")
        found.append(span)
    return found


def _indexes(document: Document, ranges: list[range] | None) -> list[int]:
    """Which pages to show, from 0, in order."""
    total = len(document.pages)
    if ranges is None:
        return list(range(min(total, MOST_PAGES)))
    if not total:
        raise UsageError(f"{document.source.name} has no pages; leave --pages out")
    if (last := max(span[-1] for span in ranges)) > total:
        raise UsageError(f"{document.source.name} has {total} pages; there is no page {last}")
    return sorted({number - 1 for span in ranges for number in span})


def _records(path: Path) -> list[Chunk]:
    found, broken = read_chunks(path)
    if broken:
        raise UsageError(f"{path}: {broken[0].message}")
    return found


def _shown(document: Document, records: list[Chunk] | None, strategy: str | None, given: dict[str, object]) -> Shown:
    """Chunks, what was left out, and findings. Records say nothing of what was left out, so LAW101, which asks for it, is
    not asked there; the page shows text that is in no chunk."""
    if strategy:
        cutting = pipeline.cut(document, strategy, **given)
        if cutting.reason:
            errors.print(f"auto: {cutting.strategy.name}, because {cutting.reason}")
        return cutting.chunks, cutting.left_out, tuple(cutting.findings())
    if records is None:
        return None, (), document.findings
    rules = {rule.code: rule for name in {chunk.strategy for chunk in records} for rule in plugins.strategy(name).rules}
    findings = pipeline.check(document, records, tuple(rules.values()))
    return records, (), [finding for finding in findings if finding.rule != "LAW101"]


def _painter(file: Path, document: Document, path: Path, pages: int) -> Callable[[Page], bytes | None]:
    """What gives the picture of a page, drawn in the parser's process; None, with a line that says so, where it cannot."""
    most = max(LEAST_BYTES, PICTURE_BYTES // max(1, pages))

    def picture(page: Page) -> bytes | None:
        from pecia.showing.pictures import compact

        wish = ParseOptions(picture=path, marks=(PageBox(page.index, _NOTHING),))
        media = document.source.media_type
        try:
            list(PARSER_PROCESS.parse(file, media, plugins.picture_path(media), wish))
            return compact(path.read_bytes(), most)
        except (DocumentError, OSError) as error:
            errors.print(f"no picture of page {page.number}: {error}", markup=False)
            return None

    return picture


def _say(document: Document, indexes: Sequence[int], ranges: list[range] | None, output: Path | None) -> None:
    total = len(document.pages)
    size = f" · {output.stat().st_size / 1e6:.1f} MB in {output}" if output else ""
    shown = f"{len(indexes)} of {total} pages" if total else f"{len(document.blocks)} blocks"
    errors.print(f"{document.source.name}: {shown}{size}", markup=False)
    if ranges is None and total > MOST_PAGES:
        errors.print(f"the first {MOST_PAGES} of {total} pages are shown; --pages {MOST_PAGES + 1}-{total} shows the others")
