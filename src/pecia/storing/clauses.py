"""Conditions as SQL over the derived tables. Values are always bound, never written into a statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pecia.model import SCHEMA_VERSION
from pecia.storing.filters import Condition, Scalar, matches

# What stands in `entry` itself. All other filterable attributes are facets.
COLUMNS = frozenset(
    {"strategy", "requested_strategy", "chunk_kind", "tokenizer", "oversized", "has_quarantined_content"}
    | {"start_char", "end_char", "part_index", "part_count", "est_tokens", "max_tokens", "overlap_tokens"}
)
# What stands with the cutting, the reading, the document or its sources: one look at the few cuttings that there are.
_READINGS = "SELECT c.id FROM cutting c JOIN reading r ON r.id = c.reading"
_CUTTINGS = {
    "document_id": f"{_READINGS} JOIN document d ON d.id = r.document WHERE {{}}",
    "text_hash": f"{_READINGS} WHERE {{}}",
    "source_name": f"{_READINGS} JOIN source s ON s.document = r.document WHERE {{}}",
}
_RANGE_COLUMNS = {"source_page_range": ("first_page", "last_page"), "printed_page_range": ("first_printed", "last_printed")}


@dataclass(frozen=True, slots=True)
class Sql:
    text: str
    values: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """`facets`: conditions that select chunks by a facet, each alone. `entry`: all others, on columns of `entry e`."""

    facets: tuple[tuple[Sql, bool], ...]  # a query of value ids, and whether the chunk must have none of them
    entry: tuple[Sql, ...]

    def __bool__(self) -> bool:
        return bool(self.facets or self.entry)

    def test(self, row: str) -> Sql:
        """An expression that is true for the chunk with the id `row`, a column of a table that is not called e or f."""
        parts: list[str] = []
        values: list[Scalar] = []
        for ids, absent in self.facets:
            # The + keeps SQLite from seeking once for each value id: a chunk has few facets, a prefix may have many ids.
            parts.append(
                f"{'NOT ' if absent else ''}EXISTS (SELECT 1 FROM facet f WHERE f.chunk = {row} AND +f.value_id IN ({ids.text}))"
            )
            values += ids.values
        if self.entry:
            columns = " AND ".join(f"({item.text})" for item in self.entry)
            parts.append(f"EXISTS (SELECT 1 FROM entry e WHERE e.chunk = {row} AND {columns})")
            values += [value for item in self.entry for value in item.values]
        return Sql(" AND ".join(parts) or "1", tuple(values))


def clause(conditions: Sequence[Condition], *, quarantined: bool | None = None) -> Clause:
    """All conditions at once; `quarantined` admits only chunks that are, or only those that are not."""
    facets: list[tuple[Sql, bool]] = []
    entry: list[Sql] = []
    for condition in conditions:
        name, contrary = condition.attribute.name, condition.operator == "!="
        if name == "schema_version":
            entry.append(Sql("1" if matches(condition, {name: SCHEMA_VERSION}) else "0"))
        elif name == "chunk_id":
            inner = _comparison("k.chunk_id", condition)
            entry.append(Sql(f"e.chunk {_not(contrary)}IN (SELECT k.id FROM chunk k WHERE {inner.text})", inner.values))
        elif name in _CUTTINGS:
            column = {"document_id": "d.document_id", "text_hash": "r.text_hash", "source_name": "s.name"}[name]
            inner = _comparison(column, condition)
            entry.append(Sql(f"e.cutting {_not(contrary)}IN ({_CUTTINGS[name].format(inner.text)})", inner.values))
        elif name in _RANGE_COLUMNS:
            inner = _touches(*_RANGE_COLUMNS[name], condition)
            entry.append(Sql(f"coalesce({inner.text}, 0) = {int(not contrary)}", inner.values))
        elif name in COLUMNS:
            inner = _comparison(f"e.{name}", condition)
            entry.append(Sql(f"{_not(contrary)}({inner.text})", inner.values))
        else:
            inner = _comparison("v.value", condition)
            ids = Sql(f"SELECT v.id FROM facet_value v WHERE v.key = ? AND ({inner.text})", (name, *inner.values))
            facets.append((ids, contrary))
    if quarantined is True:
        entry.append(Sql("e.has_quarantined_content"))
    elif quarantined is False:
        entry.append(Sql("NOT e.has_quarantined_content"))
    return Clause(tuple(facets), tuple(entry))


def _not(contrary: bool) -> str:
    return "NOT " if contrary else ""


def _comparison(column: str, condition: Condition) -> Sql:
    """The condition on a column that is not null, with `!=` taken as `=`: the caller turns it round."""
    if condition.operator in ("=", "!="):
        return Sql(f"{column} IN ({', '.join('?' * len(condition.values))})", condition.values)
    value = condition.values[0]
    if condition.operator == "^=":
        end = _after_prefix(str(value))
        return Sql(f"{column} >= ?", (value,)) if end is None else Sql(f"{column} >= ? AND {column} < ?", (value, end))
    return Sql(f"{column} {condition.operator} ?", (value,))


def _after_prefix(prefix: str) -> str | None:
    """The first string behind all that begin with the prefix, in the order of code points, which is that of UTF-8
    bytes; LIKE and GLOB would read % * ? [ in it as patterns. None where there is no string behind."""
    kept = prefix.rstrip("\U0010ffff")
    if not kept:
        return None
    code = ord(kept[-1]) + 1
    return kept[:-1] + chr(0xE000 if code == 0xD800 else code)


def _touches(first: str, last: str, condition: Condition) -> Sql:
    parts: list[str] = []
    values: list[Scalar] = []
    for value in condition.values:
        kind = "integer" if isinstance(value, int) else "text"
        if condition.operator in ("=", "!="):
            parts.append(f"{first} = ? OR {last} = ?")
            values += [value, value]
            if kind == "integer":
                parts.append(f"typeof({first}) = 'integer' AND typeof({last}) = 'integer' AND ? BETWEEN {first} AND {last}")
                values.append(value)
        else:
            end = last if condition.operator == ">=" else first
            parts.append(f"typeof({end}) = '{kind}' AND {end} {condition.operator} ?")
            values.append(value)
    return Sql("(" + (" OR ".join(parts) or "0") + ")", tuple(values))
