"""Files of known entities: registers (CSV), instances (YAML, JSON, JSON Lines), Wikidata. Only what names an entity is read."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pecia.errors import OptionError
from pecia.heritage.concepts import data, letter_of
from pecia.heritage.custodians import TYPES, parse_ghcid
from pecia.heritage.identity import QID
from pecia.text.folding import folded

_KEY = re.compile(r"[^\W_]+")
_CAPITALS = re.compile(r"[^\W\d_]{2,8}\d{0,2}\Z")
# A header stands within so many lines; what stands before it is a title or a remark.
_PREAMBLE = 20
_DEEPEST = 40


@dataclass(slots=True)
class Record:
    """What one record says of its entity."""

    names: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    acronyms: list[str] = field(default_factory=list)
    type: str | None = None
    settlement: str | None = None
    country: str | None = None
    region: str | None = None
    website: str | None = None
    identifiers: dict[str, str] = field(default_factory=dict)


@cache
def _fields() -> dict[str, str]:
    return {key: name for name, keys in data()["keys"].items() for key in keys.split()}


def _field(key: object) -> str | None:
    return _fields().get("".join(_KEY.findall(folded(str(key)))))


def read_records(path: Path, content: bytes) -> Iterator[Record]:
    """The records of a file; OptionError for one that is none of the formats, or in which nothing has a name."""
    suffix = path.suffix.lower()
    try:
        if suffix in {".yaml", ".yml"}:
            found = list(_from_tree(_yaml(content)))
        elif suffix == ".jsonl":
            found = list(_from_tree([json.loads(line) for line in _text(content).splitlines() if line.strip()]))
        elif suffix in {".json", ".jsonld"}:
            found = list(_from_tree(json.loads(_text(content))))
        elif suffix in {".csv", ".tsv", ".txt", ".tab"}:
            found = list(_from_rows(_text(content)))
        else:
            raise OptionError(f"entities: {path.name} is no CSV, YAML, JSON or JSON Lines file")
    except (ValueError, RecursionError, csv.Error) as error:
        raise OptionError(f"entities: {path.name} cannot be read: {str(error)[:200]}") from error
    if not found:
        raise OptionError(f"entities: nothing in {path.name} has a name")
    yield from found


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252")


def _yaml(content: bytes) -> list[Any]:
    import yaml

    try:
        return list(yaml.load_all(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


def _from_rows(text: str) -> Iterator[Record]:
    lines = text.splitlines(keepends=True)
    found = next(((at, mark) for at, line in enumerate(lines[:_PREAMBLE]) if (mark := _delimiter(line))), None)
    if found is None:
        return
    for row in csv.DictReader(io.StringIO("".join(lines[found[0] :]), newline=""), delimiter=found[1]):
        record = Record()
        for key, value in row.items():
            if key and isinstance(value, str) and value.strip() and (name := _field(key)):
                _take(record, name, value)
        if record.names:
            yield record


def _delimiter(line: str) -> str | None:
    """What parts the cells of a header in which something is a name; None for a line that is no such header."""
    mark = max(",;\t", key=line.count)
    return mark if "name" in map(_field, next(csv.reader([line], delimiter=mark), [])) else None


def _from_tree(tree: Any) -> Iterator[Record]:
    """A record for each outermost mapping that has a name; anchors that lead to one node are read once."""
    waiting, seen = [(tree, 0)], set[int]()
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST or (isinstance(node, (dict, list)) and id(node) in seen):
            continue
        if isinstance(node, Mapping):
            seen.add(id(node))
            record = _record(node)
            if record.names:
                yield record
            else:
                waiting += [(item, depth + 1) for item in reversed(list(node.values()))]
        elif isinstance(node, list):
            seen.add(id(node))
            waiting += [(item, depth + 1) for item in reversed(node)]


def _record(node: Mapping[Any, Any]) -> Record:
    record = Record()
    for key, value in node.items():
        name = _field(key)
        if name == "name" and record.names and not isinstance(value, str):
            name = "alias"
        if name:
            for text in _strings(value):
                _take(record, name, text)
        elif isinstance(value, Mapping):
            _inner(record, value)
        elif isinstance(value, list) and any(word in str(key).lower() for word in ("identifier", "place", "location", "address")):
            for item in value:
                if isinstance(item, Mapping):
                    _inner(record, item)
    return record


def _inner(record: Record, node: Mapping[Any, Any]) -> None:
    """Place and identifiers that stand one level down; claims of Wikidata too."""
    scheme = next((str(value) for key, value in node.items() if "scheme" in str(key).lower() or key == "propertyID"), None)
    value = next((str(item) for key, item in node.items() if str(key).lower().endswith("value")), None)
    if scheme and value and (name := _field(scheme)):
        _take(record, name, value)
    for key, item in node.items():
        name = _field(key)
        if name and name not in {"name", "alias", "acronym", "description", "type", "hc_id"}:
            for text in _strings(item)[:1]:
                _take(record, name, text)


def _strings(value: Any) -> list[str]:
    """The strings of a value: of a list, of a map of languages, of the statements of Wikidata."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, (int, float)):
        return [str(value)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, Mapping):
        for key in ("value", "@value", "text", "mainsnak", "datavalue"):
            if key in value:
                return _strings(value[key])
        return [text for item in value.values() for text in _strings(item)]
    return []


def _take(record: Record, name: str, value: str) -> None:
    text = " ".join(value.split())
    if not text:
        return
    if name == "name":
        (record.aliases if record.names else record.names).append(text)
    elif name in {"alias", "acronym"}:
        for part in re.split(r"\s*[;|]\s*", text):
            is_short = name == "acronym" or is_acronym(part)
            (record.acronyms if is_short else record.aliases).append(part)
    elif name == "type":
        record.type = (text.upper() if len(text) == 1 and text.upper() in TYPES else letter_of(text)) or record.type
    elif name == "description":
        record.identifiers.setdefault("description", text)
    elif name in {"settlement", "country", "region", "website"}:
        if getattr(record, name) is None:
            setattr(record, name, text)
    else:
        _identify(record, name, text)


def _identify(record: Record, scheme: str, text: str) -> None:
    if scheme == "hc_id" and (match := QID.fullmatch(text)):
        scheme, text = "wikidata", match[1]
    elif scheme == "hc_id" and "://" not in text:
        return  # the running number of a record
    elif scheme == "ghcid" and (parts := parse_ghcid(text)):
        record.country, record.region = record.country or parts.country, record.region or parts.region
        record.type = parts.type if parts.type in TYPES else record.type
        record.acronyms.append(parts.abbreviation)
    record.identifiers.setdefault(scheme, text)


def is_acronym(text: str) -> bool:
    """True for a few capitals."""
    return bool(_CAPITALS.match(text)) and text == text.upper() and text != text.lower()


def contents(paths: Sequence[str]) -> Iterator[tuple[Path, bytes]]:
    """The bytes of each file; OptionError for one that cannot be read."""
    for name in paths:
        path = Path(name)
        try:
            yield path, path.read_bytes()
        except OSError as error:
            raise OptionError(f"entities: {path}: {error.strerror}") from error
