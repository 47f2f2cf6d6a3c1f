"""strategies, settings, explain."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from pecia import plugins
from pecia.cli import options as opt
from pecia.cli.output import escape, plain
from pecia.errors import UnknownNameError
from pecia.settings import in_force


def strategies(as_json: opt.AsJson = False) -> None:
    """List the strategies with their options and defaults."""
    described = [_describe(name) for name in plugins.strategy_names()]
    if as_json:
        typer.echo(json.dumps(described, ensure_ascii=False))
        return
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("strategy", "options and defaults", "adds to the record"):
        grid.add_column(column, overflow="fold")
    for item in described:
        shown = ", ".join(f"{name} {value!r}" for name, value in item["options"].items())
        grid.add_row(item["name"], shown, ", ".join(attribute["name"] for attribute in item["attributes"]) or "nothing")
    grid.add_row("auto", "", "the strategy that suits the document best, with its reason")
    plain.print(grid, soft_wrap=False)


def _describe(name: str) -> dict[str, Any]:
    strategy = plugins.strategy(name)
    defaults = plugins.options_class(name)()
    return {
        "name": name,
        "options": {item.name: getattr(defaults, item.name) for item in fields(defaults)},
        "attributes": [{"name": item.name, "type": item.type, "meaning": item.meaning} for item in strategy.attributes],
        "rules": [rule.code for rule in strategy.rules],
    }


def settings(as_json: opt.AsJson = False) -> None:
    """Show the settings in force and where each has its value from; a secret is never shown."""
    held = list(in_force())
    if as_json:
        typer.echo(json.dumps([{"name": name, "value": value, "from": origin} for name, value, origin in held]))
        return
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("setting", "value", "from"):
        grid.add_column(column, overflow="fold")
    for name, value, origin in held:
        grid.add_row(name, escape(value), origin)
    plain.print(grid, soft_wrap=False)


def explain(code: Annotated[str, typer.Argument(help="The code of a rule, such as LAW101.", show_default=False)]) -> None:
    """Say what a rule checks, why it matters, and give an example."""
    known = plugins.codes()
    if code.upper() not in known:
        raise UnknownNameError("rule", code, known)
    severity, text = known[code.upper()]
    typer.echo(f"{code.upper()} ({severity.value})\n\n{text}")
