"""survey --unknown-headings: headings that a vocabulary does not know, so that it can be completed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import typer
from rich.table import Table as Grid

from pecia import plugins
from pecia.cli.output import escape, plain
from pecia.errors import UsageError
from pecia.model import Document, folio
from pecia.protocols import KnowsHeadings

_PAGES = 6  # so many fit beside a heading at 80 columns


@dataclass(frozen=True, slots=True)
class Place:
    """Where an unknown heading stands: physical page from 0 and folio, or None without pages; the section that it stays in."""

    source_name: str
    page: int | None
    printed: int | str | None
    section_key: str
    start_char: int


def knowing(strategy: str, given: dict[str, Any]) -> KnowsHeadings:
    """The strategy of that name, else the first that has a vocabulary of headings where `strategy` is empty."""
    for name in (strategy,) if strategy else plugins.strategy_names():
        if hasattr(plugins.strategy(name), "unknown_headings"):
            made = plugins.strategy(name, **given)
            assert isinstance(made, KnowsHeadings)
            return made
    raise UsageError(f"strategy {strategy} has no vocabulary of headings")


def places(document: Document, used: KnowsHeadings) -> Iterable[tuple[str, Place]]:
    """(heading, place) of each unknown heading of a document, in order."""
    for key, span in used.unknown_headings(document):
        pages = document.pages_of(span)
        label = pages[0].label if pages else None
        printed = folio(label) if label is not None else None
        yield (
            " ".join(span.of(document.text).strip("#*_ \t\n").split()),
            Place(document.source.name, pages[0].index if pages else None, printed, key, span.start),
        )


def show(found: dict[str, list[Place]], top: int, *, as_json: bool) -> None:
    """The headings, most frequent first: a table for a person, all places for a program."""
    rows = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    if as_json:
        made = [{"heading": name, "count": len(held), "places": [asdict(place) for place in held]} for name, held in rows]
        typer.echo(json.dumps({"unknown_headings": made}, ensure_ascii=False))
        return
    if not rows:
        plain.print("every heading is in the vocabulary")
        return
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("heading", overflow="fold", max_width=36)
    grid.add_column("count", justify="right")
    grid.add_column("stays in", overflow="fold", max_width=28)
    grid.add_column("PDF pages" if any(place.page is not None for place in rows[0][1]) else "", overflow="fold")
    for name, held in rows[: top or None]:
        keys = ", ".join(dict.fromkeys(place.section_key for place in held))
        grid.add_row(escape(name), f"{len(held):,}", escape(keys), _pages(held))
    plain.print(grid, soft_wrap=False)
    if top and len(rows) > top:
        plain.print(f"[dim]… and {len(rows) - top} more headings (--top 0)[/]")


def _pages(held: Sequence[Place]) -> str:
    numbers = sorted({place.page + 1 for place in held if place.page is not None})
    return ", ".join(map(str, numbers[:_PAGES])) + (" …" if len(numbers) > _PAGES else "")
