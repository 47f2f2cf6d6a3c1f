"""survey: how long the sections of documents are, so that budgets are chosen from measurements."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, NoReturn
from xml.sax.saxutils import escape

import typer
from rich.table import Table as Grid

from pecia import pipeline, plugins
from pecia.batch import failed
from pecia.cli import options as opt
from pecia.cli import unknown
from pecia.cli.files import files_of
from pecia.cli.output import Tally, plain, writer
from pecia.cli.output import escape as printable
from pecia.errors import DocumentError, UsageError
from pecia.model import Document
from pecia.protocols import KnowsHeadings
from pecia.text.tokens import index_of

# Keys that say what a segment is and not which one; there the title tells sections apart.
_GENERIC = {"section", "sections", "document"}


_DEFAULT = "heading"


@dataclass(frozen=True, slots=True)
class Row:
    """Token counts of all sections of one key or heading; `over` is the share above the ceiling."""

    section: str
    count: int
    min: int
    median: int
    p90: int
    max: int
    over: float


def survey(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Files, and folders of files.", readable=False, show_default=False)
    ],
    strategy: Annotated[str, opt.ANY_STRATEGY] = _DEFAULT,
    ceiling: Annotated[
        int | None, typer.Option(metavar="N", help="Ceiling to hold sections against.", show_default="the strategy's")
    ] = None,
    tokenizer: opt.Tokenizer = None,
    top: Annotated[int, typer.Option(metavar="N", help="Rows to show, largest sections first; 0 for all.")] = 40,
    option: opt.Others = None,
    unknown_headings: Annotated[
        bool, typer.Option("--unknown-headings", help="Instead list headings that match no key of a vocabulary.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Also draw the table.")] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Measure the sections of documents: how many tokens each kind of section has, and which are over a ceiling."""
    given = opt.strategy_options(ceiling, 1, 0, tokenizer, option)  # a target of 1 token joins no sections
    if unknown_headings:
        if plot:
            raise UsageError("--plot draws sizes, and --unknown-headings measures none")
        _unknown(paths, unknown.knowing("" if strategy == _DEFAULT else strategy, given), top, as_json=as_json)
    used = plugins.strategy(strategy, **given)
    limit = used.options.max_tokens
    if plot and plot.suffix != ".svg":
        raise UsageError(f"{plot}: a plot is a picture in SVG; name it .svg")
    tally, counts = Tally(), defaultdict[str, list[int]](list)
    for file in files_of(paths):
        try:
            for document in pipeline.parse_all(file):
                tally.add((), document.findings, file.name)
                _measure(document, strategy, given, counts)
        except DocumentError as error:
            tally.fail(failed(file, error))
    rows = summarise(counts, limit)
    if as_json:
        typer.echo(
            json.dumps({"strategy": strategy, "ceiling": limit, "sections": [asdict(row) for row in rows]}, ensure_ascii=False)
        )
    else:
        _print(rows[: top or None], len(rows), limit)
    if plot:
        with writer(plot) as out:
            out.write(draw(rows[: top or None], limit))
    raise typer.Exit(3 if tally.failures else 0)


def _unknown(paths: Sequence[Path], used: KnowsHeadings, top: int, *, as_json: bool) -> NoReturn:
    tally, found = Tally(), dict[str, list[unknown.Place]]()
    for file in files_of(paths):
        try:
            for document in pipeline.parse_all(file):
                for heading, place in unknown.places(document, used):
                    found.setdefault(heading, []).append(place)
        except DocumentError as error:
            tally.fail(failed(file, error))
    unknown.show(found, top, as_json=as_json)
    raise typer.Exit(3 if tally.failures else 0)


def _measure(document: Document, strategy: str, given: Mapping[str, object], counts: dict[str, list[int]]) -> None:
    used = plugins.strategy(strategy, **given)
    index = index_of(used.options.tokenizer, document.text)
    for segment in used.segment(document):
        if not segment.left_out_reason:
            name = segment.title if segment.key in _GENERIC and segment.title else segment.key
            counts[name].append(index.count(segment.span.start, segment.span.end))


def summarise(counts: Mapping[str, Sequence[int]], ceiling: int) -> list[Row]:
    """A row for each section, the one with the largest part first, then by name."""
    rows = []
    for section, tokens in counts.items():
        ordered = sorted(tokens)
        last = len(ordered) - 1
        over = sum(count > ceiling for count in ordered) / len(ordered)
        rows.append(
            Row(section, len(ordered), ordered[0], ordered[last // 2], ordered[-(-9 * last // 10)], ordered[last], round(over, 4))
        )
    return sorted(rows, key=lambda row: (-row.max, row.section))


def _print(rows: Iterable[Row], total: int, ceiling: int) -> None:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("section", overflow="ellipsis", no_wrap=True, max_width=36)
    for column in ("count", "min", "median", "p90", "max", f"> {ceiling}"):
        grid.add_column(column, justify="right")
    shown = 0
    for row in rows:
        shown += 1
        numbers = (row.count, row.min, row.median, row.p90, row.max)
        grid.add_row(printable(row.section), *(f"{number:,}" for number in numbers), f"{row.over:.0%}")
    plain.print(grid, soft_wrap=False)
    if shown < total:
        plain.print(f"[dim]… and {total - shown} more sections (--top 0)[/]")


_LEGEND = "bar: min to max · | median · ● 90th percentile"
_LEFT, _WIDTH, _STEP = 260, 900, 22  # pixels: room for names, the whole picture, a row


def draw(rows: Sequence[Row], ceiling: int) -> str:
    """An SVG picture: a bar from min to max for each section, median and 90th percentile marked, the ceiling as a line.

    Text stays text, so that a viewer shows any script with its own fonts.
    """
    scale = (_WIDTH - _LEFT - 20) / max([ceiling, *(row.max for row in rows)])
    height = _STEP * (len(rows) + 2)
    line = _LEFT + ceiling * scale
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for at, row in enumerate(rows):
        y = _STEP * (at + 1)
        colour = "#e0a39b" if row.max > ceiling else "#b8c4d0"
        low, middle, high, end = (_LEFT + value * scale for value in (row.min, row.median, row.p90, row.max))
        name = row.section if len(row.section) <= 34 else f"{row.section[:33]}…"
        parts += [
            f"<g><title>{escape(row.section)}: {row.count}, {row.min}–{row.max}, median {row.median}, p90 {row.p90}</title>",
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{low:.1f}" y="{y - 5}" width="{max(2.0, end - low):.1f}" height="10" fill="{colour}"/>',
            f'<rect x="{middle - 1:.1f}" y="{y - 7}" width="2" height="14" fill="#1f3a5f"/>',
            f'<circle cx="{high:.1f}" cy="{y}" r="3" fill="#1f3a5f"/></g>',
        ]
    foot = _STEP * (len(rows) + 1) + 4
    parts += [
        f'<line x1="{line:.1f}" y1="6" x2="{line:.1f}" y2="{foot - 16}" stroke="#b3261e"/>',
        f'<text x="{line:.1f}" y="{foot}" text-anchor="middle" fill="#b3261e">{ceiling}</text>',
        f'<text x="{_LEFT - 8}" y="{foot}" text-anchor="end">tokens</text>',
        f'<text x="{_WIDTH - 8}" y="{foot}" text-anchor="end" fill="#555">{_LEGEND}</text></svg>',
    ]
    return "\n".join(parts) + "\n"
