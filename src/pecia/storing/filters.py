"""The filter language: `key=value`, `key^=prefix`, `key!=value`, `key>=value`, `key<=value`.

Several conditions must all hold. In a mapping the operator stands at the end of the key (`{"page_number>=": 3}`), `=`
may be left out, and a list as value means any of it. On a list attribute a condition holds where any item fits. A chunk
without the attribute fits no condition but `!=`, which is the contrary of `=`. Strings compare by code point.
`source_page_range=3` asks whether the chunk touches physical page 3 (counted from 0), `>=3` whether it touches that
page or a later one; `printed_page_range` is the same for folios, where one such as `xii` fits only as first or last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pecia.errors import FilterError
from pecia.model import CORE, Attribute, Chunk

Where = Mapping[str, Any] | Sequence[str]
Scalar = str | int | float
RANGES = ("source_page_range", "printed_page_range")
# Long or nested; whoever wants words of the text asks a query.
UNFILTERABLE = frozenset({"text", "source_text", "answer_text", "locators", "attachments"})

_CONDITION = re.compile(r"\s*(\w+)\s*(\^=|!=|>=|<=|=)(.*)", re.DOTALL)
_KEY = re.compile(r"\s*(\w+)\s*(\^=|!=|>=|<=|=|)\s*")
_OPERATORS = {
    "str": ("=", "!=", "^=", ">=", "<="),
    "str[]": ("=", "!=", "^="),
    "int": ("=", "!=", ">=", "<="),
    "float": ("=", "!=", ">=", "<="),
    "bool": ("=", "!="),
    "range": ("=", "!=", ">=", "<="),
}
_TRUTH = {"true": 1, "false": 0, "1": 1, "0": 0}


@dataclass(frozen=True, slots=True)
class Condition:
    """`operator` is one of those above. `values` has one item, or several of which any may fit (`!=`: none); truth
    values are 1 and 0."""

    attribute: Attribute
    operator: str
    values: tuple[Scalar, ...]


def conditions(where: Where | None, declared: Iterable[Attribute]) -> tuple[Condition, ...]:
    """What a `where` asks for; FilterError says what is wrong and what there is."""
    known = {attribute.name: attribute for attribute in (*CORE, *declared) if _kind(attribute)}
    return tuple(_condition(known, *item) for item in _items(where or ()))


def _items(where: Where) -> Iterator[tuple[str, str, Any]]:
    if isinstance(where, str):
        raise FilterError(f"a filter is a mapping or a list of conditions, not the text {where!r}")
    if isinstance(where, Mapping):
        for key, value in where.items():
            match = _KEY.fullmatch(key)
            if not match:
                raise FilterError(f"{key!r} is not the name of an attribute with one of = != ^= >= <= behind it")
            yield match[1], match[2] or "=", value
        return
    for text in where:
        match = _CONDITION.fullmatch(text)
        if not match:
            raise FilterError(f"{text!r} is not a condition; write key=value, key!=value, key^=prefix, key>=value or key<=value")
        yield match[1], match[2], match[3].strip()


def _kind(attribute: Attribute) -> str:
    if attribute.name in RANGES:
        return "range"
    return "" if attribute.name in UNFILTERABLE or attribute.type in {"object", "object[]", "int[]"} else attribute.type


def _condition(known: Mapping[str, Attribute], name: str, operator: str, value: Any) -> Condition:
    attribute = known.get(name)
    if attribute is None:
        raise FilterError(f"no attribute to filter on is called {name!r}; there are {', '.join(sorted(known))}")
    kind = _kind(attribute)
    if operator not in _OPERATORS[kind]:
        raise FilterError(f"{name} is {attribute.type} and takes {' '.join(_OPERATORS[kind])}, not {operator}")
    several = isinstance(value, list | tuple | set | frozenset)
    if several and operator not in ("=", "!="):
        raise FilterError(f"{name}{operator} takes one value, not {value!r}")
    return Condition(attribute, operator, tuple(_value(attribute, kind, item) for item in (value if several else (value,))))


def _value(attribute: Attribute, kind: str, value: Any) -> Scalar:
    """The value in the type of the attribute; numbers and truth values may be written as text."""
    made: Scalar | None = None
    if kind in ("str", "str[]"):
        made = value if isinstance(value, str) and _encodable(value) else None
    elif kind == "bool":
        made = int(value) if isinstance(value, bool) else _TRUTH.get(str(value).lower())
    elif not isinstance(value, bool):
        made = _number(value, whole=kind != "float")
        if made is None and attribute.name == "printed_page_range" and isinstance(value, str) and _encodable(value):
            made = value
    if made is None:
        raise FilterError(f"{attribute.name} is {attribute.type}; {value!r} is not a value of that kind")
    return made


def _number(value: Any, *, whole: bool) -> int | float | None:
    try:
        number = int(str(value)) if whole else float(value)
    except (ValueError, TypeError, OverflowError):
        return None
    # SQLite's whole numbers have 64 bits; NaN fits nothing.
    return number if number == number and (not whole or -(1 << 63) <= number < 1 << 63) else None


def _encodable(value: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in value)


_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda held, value: held == value,
    "!=": lambda held, value: held == value,
    "^=": lambda held, value: held.startswith(value),
    ">=": lambda held, value: held >= value,
    "<=": lambda held, value: held <= value,
}


def matches(condition: Condition, record: Mapping[str, Any]) -> bool:
    """True where a chunk's record fits the condition; the meaning that the store's SQL must agree with."""
    held = record.get(condition.attribute.name)
    if condition.attribute.name in RANGES:
        found = held is not None and any(_touches(held, condition.operator, value) for value in condition.values)
    else:
        items = held if isinstance(held, list) else [] if held is None else [held]
        found = any(_TESTS[condition.operator](item, value) for item in items for value in condition.values)
    return found != (condition.operator == "!=")


def fits(chunk: Chunk, wanted: Sequence[Condition]) -> bool:
    """True where a chunk fits all conditions."""
    if not wanted:
        return True
    record = chunk.to_record()
    return all(matches(condition, record) for condition in wanted)


def _touches(held: Sequence[Any], operator: str, value: Scalar) -> bool:
    first, last = held
    numbers = isinstance(first, int) and isinstance(last, int) and isinstance(value, int)
    if operator in ("=", "!="):
        return value in (first, last) or (numbers and first <= value <= last)
    end = last if operator == ">=" else first
    return type(end) is type(value) and _TESTS[operator](end, value)
