"""The command `pecia`: one file for each group of commands, one exit code for each class of error."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from pecia import __version__
from pecia.cli import about, answers, cutting
from pecia.cli.library import commands as library_commands
from pecia.cli.survey import survey
from pecia.errors import PeciaError

app = typer.Typer(
    name="pecia",
    help="Cut documents along their own structure into pieces that can prove where they came from, and find them "
    "again with citations.\n\nExit codes: 0 clean, 1 findings, 2 wrong use, 3 a document failed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (
    cutting.parse, cutting.segment, cutting.chunk, cutting.check,
    answers.ingest, answers.search, answers.cite, answers.export,
    survey, about.strategies, about.explain,
):  # fmt: skip
    app.command()(command)
app.add_typer(library_commands, name="library")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"pecia {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs the command line; an error of pecia is one line on standard error and its exit code."""
    try:
        app()
    except PeciaError as error:
        sys.stderr.write(f"pecia: {' '.join(str(error).split())}\n")
        sys.exit(error.exit_code)
    except BrokenPipeError:  # the reader of a pipe went away; nothing is wrong
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.stderr.write("pecia: interrupted\n")
        sys.exit(130)
