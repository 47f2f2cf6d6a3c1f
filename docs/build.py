"""Writes the reference pages from the code; with --check only compares and fails where a page is behind.

What is generated cannot fall behind: commands with their help, strategies with options and attributes, the record, the
rules, the errors.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from pathlib import Path

os.environ.update(COLUMNS="80", NO_COLOR="1", TERM="dumb")

import typer.main
from typer.testing import CliRunner

from pecia import errors, plugins
from pecia.cli.main import app
from pecia.model import CORE, LeftOut

HERE = Path(__file__).parent / "reference"
NOTE = "<!-- written by docs/build.py; change the code and run `make docs` -->\n\n"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def commands() -> str:
    runner, names = CliRunner(), list[str]()
    for name, command in sorted(typer.main.get_command(app).commands.items()):  # type: ignore[attr-defined]
        names += [name, *(f"{name} {inner}" for inner in sorted(getattr(command, "commands", ())))]
    pages = ["# Commands\n\nExit codes: 0 clean, 1 findings, 2 wrong use, 3 a document failed.\n"]
    for name in ("", *names):
        shown = runner.invoke(app, [*name.split(), "--help"], prog_name="pecia", env={"COLUMNS": "80"}).output
        shown = "\n".join(line.rstrip() for line in shown.strip().splitlines())
        pages.append(f"## pecia {name}".rstrip() + f"\n\n```text\n{shown}\n```\n")
    return "\n".join(pages)


def strategies() -> str:
    pages = ["# Strategies\n\nEach is named for the unit that it cuts along. `auto` takes the one whose `detect` is surest.\n"]
    for name in plugins.strategy_names():
        made, options = plugins.strategy(name), plugins.options_class(name)
        pages.append(f"## {name}\n\n{inspect.getdoc(inspect.getmodule(type(made)))}\n")
        pages.append(f"{inspect.getdoc(options)}\n")
        values = [(f"`{key}`", f"`{getattr(made.options, key)!r}`") for key in options.__dataclass_fields__]  # type: ignore[attr-defined]
        pages.append(table(("option", "default"), values))
        if made.attributes:
            rows = [(f"`{item.name}`", f"`{item.type}`", item.meaning) for item in made.attributes]
            pages.append(table(("attribute", "type", "meaning"), rows))
    return "\n".join(pages)


def record() -> str:
    rows = [(f"`{item.name}`", f"`{item.type}`", item.meaning) for item in CORE]
    reasons = ", ".join(f"`{reason.value}`" for reason in LeftOut)
    return (
        "# The chunk record, schema version 4\n\nOne flat JSON object a line. What a strategy adds stands beside these fields "
        "(see [strategies](strategies.md)); a field that nothing declares is an error.\n\n"
        + table(("field", "type", "meaning"), rows)
        + f"\nReasons for which a part may be left out of the chunks: {reasons}.\n"
    )


def rules() -> str:
    pages = ["# Rules\n\n`pecia explain CODE` prints these. Severity `error` makes `pecia check` exit with 1.\n"]
    for code, (severity, text) in plugins.codes().items():
        pages.append(f"## {code} ({severity.value})\n\n{text}\n")
    return "\n".join(pages)


def error_tree() -> str:
    return f"# Errors\n\n```text\n{inspect.getdoc(errors)}\n```\n"


PAGES = {"commands.md": commands, "strategies.md": strategies, "record.md": record, "rules.md": rules, "errors.md": error_tree}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check, behind = parser.parse_args().check, []
    for name, page in PAGES.items():
        path, text = HERE / name, NOTE + page()
        if check and (not path.exists() or path.read_text("utf-8") != text):
            behind.append(name)
        elif not check:
            path.write_text(text, "utf-8")
    if behind:
        print(f"docs/reference is behind the code: {', '.join(behind)}; run `make docs`", file=sys.stderr)
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
