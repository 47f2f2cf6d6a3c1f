"""What can be chosen: strategies with their options as JSON Schema, made from the classes that refuse wrong ones, and modes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import Field, fields
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from pecia import plugins
from pecia.errors import OptionError, UnknownNameError
from pecia.model.citation import MODES
from pecia.settings import settings

__all__ = ["BY_VECTORS", "COMMAND_LINE", "MODES", "chosen", "default_strategy", "names", "schema", "strategies"]
_FILES = (".json", ".toml")


def default_strategy() -> str:
    return settings().default_chunking_strategy


def names() -> tuple[str, ...]:
    """Every strategy that can be asked for."""
    return (*plugins.strategy_names(), plugins.AUTO)


@cache
def strategies() -> tuple[dict[str, Any], ...]:
    """Each strategy as the API and the forms show it."""
    return (*(_described(name) for name in plugins.strategy_names()), _auto())


def _described(name: str) -> dict[str, Any]:
    made = plugins.strategy(name)
    module = inspect.getdoc(inspect.getmodule(type(made))) or name
    return {
        "name": name,
        "summary": module.partition("\n")[0].removeprefix(f"Strategy `{name}`: "),
        "default": name == default_strategy(),
        "options": schema(name),
        "attributes": [{"name": item.name, "type": item.type, "meaning": item.meaning} for item in made.attributes],
        "rules": [rule.code for rule in made.rules],
    }


def _auto() -> dict[str, Any]:
    return {
        "name": plugins.AUTO,
        "summary": "The strategy whose detect is surest of the document, with its reason.",
        "default": default_strategy() == plugins.AUTO,
        "options": schema(plugins.AUTO),
        "attributes": [],
        "rules": [],
    }


# What a form can ask for. Options that name files are for the command line alone, since the service reads no files that a
# request names.
_PLAIN = {"integer", "number", "string", "boolean"}
COMMAND_LINE = "x-command-line"
BY_VECTORS = ("dense", "hybrid")


@cache
def schema(name: str) -> dict[str, Any]:
    """JSON Schema of the options; of `auto` those that every strategy has, whose defaults are the chosen one's."""
    if name == plugins.AUTO:
        shared = set.intersection(
            *({item.name for item in fields(plugins.options_class(one))} for one in plugins.strategy_names())
        )
        whole = schema(plugins.strategy_names()[0])
        properties = {key: {k: v for k, v in value.items() if k != "default"} for key, value in whole["properties"].items()}
        return {
            **whole,
            COMMAND_LINE: [],
            "description": "Sizes; where one is not given, the chosen strategy's default holds.",
            "properties": {key: value for key, value in properties.items() if key in shared},
        }
    options = plugins.options_class(name)
    made, defaults = TypeAdapter(options).json_schema()["properties"], options()
    given = [item for item in fields(options) if item.init]
    described = {item.name: _option(item, made[item.name], getattr(defaults, item.name)) for item in given}
    return {
        "type": "object",
        "description": inspect.cleandoc(options.__doc__ or ""),
        "properties": {key: value for key, value in described.items() if value},
        "additionalProperties": False,
        COMMAND_LINE: [key for key, value in described.items() if not value],
    }


def _option(item: Field[Any], made: Mapping[str, Any], default: Any) -> dict[str, Any]:
    """The schema of one option; empty where only the command line has it."""
    holds = item.metadata.get("holds")
    if holds == "pairs":
        about = "`name=value`, one a line or parted by semicolons"
        return {"type": "string", "format": "pairs", "description": about, "default": ""}
    if holds == "files" or made.get("type") not in _PLAIN:
        return {}
    names = item.metadata.get("names")
    return {**made, "default": default, **({"enum": list(dict.fromkeys((default, *names)))} if names else {})}


def chosen(strategy: str | None, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The strategy and its options in their types, proven possible. Text is read as what the option is; an empty text is
    none. UnknownNameError and OptionError list what there is."""
    name = strategy or default_strategy()
    if name not in names():
        raise UnknownNameError("strategy", name, names())
    model = name if name != plugins.AUTO else plugins.strategy_names()[0]
    known, absent = schema(name)["properties"], schema(name)[COMMAND_LINE]
    if closed := sorted(given.keys() & set(absent)):
        raise OptionError(f"{', '.join(closed)} of strategy {name} names files, and so is for the command line alone")
    if unknown := sorted(given.keys() - known.keys()):
        raise OptionError(f"strategy {name} has no option {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    options_class = plugins.options_class(model)
    hints, held = get_type_hints(options_class), {item.name: item for item in fields(options_class)}
    options = {key: _value(held[key], hints[key], value) for key, value in given.items() if value not in ("", None)}
    for each in plugins.strategy_names() if name == plugins.AUTO else (name,):
        plugins.strategy(each, **options)
    return name, options


def _value(option: Field[Any], kind: Any, value: Any) -> Any:
    name, holds, known = option.name, option.metadata.get("holds"), option.metadata.get("names")
    if holds == "pairs":
        return _pairs(name, str(value))
    path = isinstance(value, str) and len(value) > 1 and (set(value) & set("/\\") or value.lower().endswith(_FILES))
    if path and holds != "text":
        raise OptionError(f"{name} is {value!r:.80}; the service reads no files that a request names")
    if known and value not in known:
        raise UnknownNameError(name, str(value)[:80], known)
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise OptionError(f"{name} is {value!r:.80}; {error.errors()[0]['msg'].lower()}") from error


def _pairs(name: str, text: str) -> list[tuple[str, str]]:
    """The pairs of a text; a path cannot be one of them."""
    lines = [part.rpartition("=") for line in text.splitlines() for part in line.split(";") if part.strip()]
    if wrong := [value for _, equals, value in lines if not equals]:
        raise OptionError(f"{name}: {wrong[0].strip()!r:.80} is no pair; name=value is needed, one a line")
    return [(before.strip(), after.strip()) for before, _, after in lines]
