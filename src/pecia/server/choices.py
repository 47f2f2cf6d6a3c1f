"""What can be chosen: strategies with their options as JSON Schema, made from the classes that refuse wrong ones, and modes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from pecia import plugins
from pecia.errors import OptionError, UnknownNameError
from pecia.model.citation import MODES
from pecia.settings import settings

__all__ = ["MODES", "chosen", "default_strategy", "names", "schema", "strategies"]
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


# What a form can ask for; options that name files are none of them, since the service reads no files that a request names.
_PLAIN = {"integer", "number", "string", "boolean"}


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
            "description": "Sizes; where one is not given, the chosen strategy's default holds.",
            "properties": {key: value for key, value in properties.items() if key in shared},
        }
    options = plugins.options_class(name)
    made, defaults = TypeAdapter(options).json_schema(), options()
    return {
        "type": "object",
        "description": inspect.cleandoc(options.__doc__ or ""),
        "properties": {
            item.name: {**made["properties"][item.name], "default": getattr(defaults, item.name)}
            for item in fields(options)
            if item.init and made["properties"][item.name].get("type") in _PLAIN
        },
        "additionalProperties": False,
    }


def chosen(strategy: str | None, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The strategy and its options in their types, proven possible. Text is read as what the option is; an empty text is
    none. UnknownNameError and OptionError list what there is."""
    name = strategy or default_strategy()
    if name not in names():
        raise UnknownNameError("strategy", name, names())
    model = name if name != plugins.AUTO else plugins.strategy_names()[0]
    known = schema(name)["properties"]
    if unknown := sorted(given.keys() - known.keys()):
        raise OptionError(f"strategy {name} has no option {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    hints = get_type_hints(plugins.options_class(model))
    options = {key: _value(key, hints[key], value) for key, value in given.items() if value not in ("", None)}
    for each in plugins.strategy_names() if name == plugins.AUTO else (name,):
        plugins.strategy(each, **options)
    return name, options


def _value(name: str, kind: Any, value: Any) -> Any:
    if isinstance(value, str) and len(value) > 1 and (set(value) & set("/\\") or value.lower().endswith(_FILES)):
        raise OptionError(f"{name} is {value!r:.80}; the service reads no files that a request names")
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise OptionError(f"{name} is {value!r:.80}; {error.errors()[0]['msg'].lower()}") from error
