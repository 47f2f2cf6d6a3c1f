"""From the columns of a register to slots."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pecia.errors import OptionError

Pairs = tuple[tuple[str, str], ...]
_MARKS = re.compile(r"[\W_]+")
_FIGURE = re.compile(r"[\d\s.,'%€$£-]+")
_SLOT = re.compile(r"[a-z][a-z0-9_]*")
# Columns of a shipped mapping that must be there, the name among them, before the others are taken aside.
_FEWEST = 2
_NAME = "preferred_label"


@cache
def data() -> dict[str, dict[str, Any]]:
    """`registry.toml`."""
    with resources.files(__package__).joinpath("registry.toml").open("rb") as file:
        return tomllib.load(file)


def folded(name: str) -> str:
    """A name of a column as it is compared."""
    return _MARKS.sub(" ", name.casefold()).strip()


@cache
def _summary() -> re.Pattern[str]:
    words = "|".join(map(re.escape, data()["summary"]["words"]))
    return re.compile(rf"(?:{words})(?![\w-])")


def is_summary(cells: Sequence[str]) -> bool:
    """True for the filled cells of a row that begins with a word for a sum or a source, with nothing but figures behind it."""
    return bool(_summary().match(cells[0].casefold().lstrip("*©( "))) and all(_FIGURE.fullmatch(cell) for cell in cells[1:])


def read_pairs(given: object) -> Pairs:
    """(column, slot) pairs of a mapping as an option: a mapping, the path of a .toml file, or `Column=slot;Column=slot`.

    A file has its pairs in a table `columns`, or by themselves. OptionError where it is none of these.
    """
    if isinstance(given, tuple | list):
        given = dict(given)
    if isinstance(given, str) and given.strip():
        given = _from_file(Path(given)) if given.endswith(".toml") else _from_text(given)
    if not isinstance(given, Mapping):
        if given:
            raise OptionError(f"mapping is {given!r:.80}; a .toml file or Column=slot;Column=slot is needed")
        return ()
    pairs = tuple((str(column), str(slot)) for column, slot in given.items())
    if wrong := [slot for _, slot in pairs if not _SLOT.fullmatch(slot)]:
        raise OptionError(f"mapping: {wrong[0]!r} cannot be the name of a slot; small letters, digits and _ can")
    return pairs


def _from_file(path: Path) -> Mapping[str, Any]:
    try:
        held = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError(f"mapping {path} cannot be read: {str(error)[:120]}") from error
    columns: Mapping[str, Any] = held.get("columns", held)
    if not columns or not all(isinstance(slot, str) for slot in columns.values()):
        raise OptionError(f'mapping {path}: lines such as "Name of column" = "slot" are needed')
    return columns


def _from_text(text: str) -> Mapping[str, str]:
    pairs = [part.rpartition("=") for part in text.split(";") if part.strip()]
    if not all(equals for _, equals, _ in pairs):
        raise OptionError(f"mapping is {text!r:.80}; a .toml file or Column=slot;Column=slot is needed")
    return {column.strip(): slot.strip() for column, _, slot in pairs}


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns of a register are. `lines` are (label, column) in the order of the text, `slots` the column of each slot
    that is known, by mapping or by a plain name; a column may be of several."""

    lines: tuple[tuple[str, int], ...]
    slots: Mapping[str, int]
    mapped: bool
    registry_type: str | None


def columns_of(names: Sequence[str], own: Pairs) -> Columns | None:
    """How the columns of these names are read; None where an own mapping names none of them."""
    if own:
        found = _matched([(slot, [column]) for column, slot in own], names)
        return _mapped(names, found, None) if found else None
    found = _matched(list(data()["slots"].items()), names)
    if len(found) >= _FEWEST and any(slot == _NAME for slot, _ in found):
        return _mapped(names, found, _type(names))
    lines = tuple((name, number) for number, name in enumerate(names))
    return Columns(lines, _plain(names), mapped=False, registry_type=None)


def _matched(wanted: Sequence[tuple[str, Sequence[str]]], names: Sequence[str]) -> list[tuple[str, int]]:
    """(slot, column) in the order wanted; each column once."""
    found: list[tuple[str, int]] = []
    taken = set[int]()
    for slot, titles in wanted:
        for title in map(folded, titles):
            for number, name in enumerate(names):
                if number not in taken and folded(name) == title:
                    taken.add(number)
                    found.append((slot, number))
    return found


def _plain(names: Sequence[str]) -> dict[str, int]:
    return dict(reversed(_matched(list(data()["plain"].items()), names)))  # of two columns the first


def _mapped(names: Sequence[str], found: Sequence[tuple[str, int]], registry_type: str | None) -> Columns:
    slots = {**_plain(names), **dict(reversed(found))}
    return Columns(tuple(found), slots, mapped=True, registry_type=registry_type)


def _type(names: Sequence[str]) -> str:
    held = set(map(folded, names))
    return max(data()["types"].items(), key=lambda item: len(held.intersection(map(folded, item[1]))))[0]
