"""library list, verify, delete, rebuild, backup."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid

from pecia.cli import options as opt
from pecia.cli.output import counted, errors, escape, plain, report
from pecia.library import Library
from pecia.model import Severity

SHORTEST = 8  # digits of a document id; 16^8 ids make a chance match in a library of 10,000 unlikely (0.2 %)
commands = typer.Typer(help="Look after a library: what it holds, whether it is sound, copies of it.", no_args_is_help=True)


@commands.command("list")
def list_(library: opt.LibraryFolder, as_json: opt.AsJson = False) -> None:
    """List the documents with their cuttings."""
    with Library(library, create=False) as held:
        documents = held.documents()
    if as_json:
        typer.echo(json.dumps([asdict(document) for document in documents], ensure_ascii=False))
        return
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("document", "source", "cuttings"):
        grid.add_column(column, overflow="fold")
    for document in documents:
        cuttings = ", ".join(f"{cutting.strategy} ({counted(cutting.chunks, 'chunk')})" for cutting in document.cuttings)
        names = escape(", ".join(name for _, name in document.sources))
        grid.add_row(document.document_id[:12], names, cuttings)
    plain.print(grid, soft_wrap=False)
    errors.print(f"{len(documents):,} documents")


@commands.command()
def verify(library: opt.LibraryFolder, as_json: opt.AsJson = False) -> None:
    """Prove every chunk and every kept file. Exit 1 where something is damaged."""
    with Library(library, create=False) as held:
        findings = list(held.verify())
        chunks = sum(cutting.chunks for document in held.documents() for cutting in document.cuttings)
    counts = report(findings, as_json=as_json)
    found = counted(sum(counts.values()), "finding")
    errors.print(f"{counted(chunks, 'chunk')} verified · {found}, {counts[Severity.ERROR]} of them errors")
    if any(finding.rule == "LB004" for finding in findings):
        errors.print("what is searched can be made again: pecia library rebuild")
    raise typer.Exit(1 if counts[Severity.ERROR] else 0)


@commands.command()
def delete(
    target: Annotated[
        str, typer.Argument(help="A document id (8 digits are enough), or the uri of a source.", show_default=False)
    ],
    library: opt.LibraryFolder,
) -> None:
    """Remove a document, or a source and the documents that no other source has, with all that hangs on it."""
    with Library(library, create=False) as held:
        known = [document.document_id for document in held.documents() if document.document_id.startswith(target)]
        whole = known[0] if len(known) == 1 and len(target) >= SHORTEST else target
        errors.print(f"{counted(held.delete(whole), 'chunk')} removed")


@commands.command()
def rebuild(library: opt.LibraryFolder) -> None:
    """Make what is searched anew from the stored chunks."""
    with Library(library, create=False) as held:
        errors.print(f"{counted(held.rebuild(), 'chunk')} indexed")


@commands.command()
def backup(
    target: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder for the copy.", show_default=False)],
    library: opt.LibraryFolder,
) -> None:
    """Copy a library as it is at one moment, while others may read and write it."""
    with Library(library, create=False) as held:
        held.backup(target)
    with Library(target, create=False) as copy:
        errors.print(f"{len(copy.documents()):,} documents copied to {escape(str(target))}")
