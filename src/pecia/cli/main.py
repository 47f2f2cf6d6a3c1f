"""The command `pecia`: one file for each group of commands, one exit code for each class of error."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from pecia import __version__
from pecia.cli import about, answers, cutting
from pecia.cli.library import commands as library_commands
from pecia.cli.serve import serve
from pecia.cli.show import show
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
    answers.ingest, answers.embed, answers.search, answers.cite, answers.export,
    survey, show, serve, about.strategies, about.settings, about.explain,
):  # fmt: skip
    app.command()(command)
app.add_typer(library_commands, name="library")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"pecia {__version__}")
        raise typer.Exit


_INTERRUPTED = 130  # what shells give for Ctrl-C


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs the command line; an error of pecia or of the disk is one line on standard error and its exit code."""
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here a full disk can still be told
    except PeciaError as error:
        _end(error.exit_code, " ".join(str(error).split()))
    except SystemExit as stop:  # Typer ends so, without a word, after Ctrl-C and where the reader of a pipe went away
        if isinstance(stop.__context__, BrokenPipeError):
            _end(0)
        if stop.code == _INTERRUPTED:
            _end(_INTERRUPTED, "interrupted")
        raise
    except BrokenPipeError:
        _end(0)
    except OSError as error:
        _end(PeciaError.exit_code, f"{error.filename or 'standard output'}: {error.strerror or error}")
    except KeyboardInterrupt:
        _end(_INTERRUPTED, "interrupted")


def _end(code: int, line: str = "") -> NoReturn:
    if line:
        sys.stderr.write(f"pecia: {line}\n")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still in the buffer cannot fail once more
    sys.exit(code)
