"""What the entities of a YAML or JSON file are, and where; the same for a parser that makes blocks of them and a strategy
that reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pecia.model import Block, BlockKind, LineRange, Pointer, Span
from pecia.parsing.json.scan import value, values
from pecia.parsing.media import JSON
from pecia.parsing.nodes import Entry, Kind, Node, pointer_step
from pecia.parsing.yaml.compose import documents

# Keys of which one stands in a thing with a name or id of its own; a mapping without them that holds lists is a container.
# They are compared without case and without the prefix of a vocabulary (`dct:title`).
_IDENTITY = frozenset(
    """id @id _id hc_id ghcid ghcid_current uri qid identifier isil isil_code custodian_type institution_type
    name names label labels title preferred_label preflabel custodian_name original_name emic_name official_name
    """.split()  # noqa: SIM905 - as a list it would take 23 lines
)
# A key that is no name of a slot but an identifier: `NL-UtHUA`, `hc:1`, `Q42`.
_IDENTIFIER = re.compile(r"(?=.*[A-Z\d:/-])\S+")
# A scalar beside lists of entities that says how many there are or what they are, and nothing that anybody looks for.
_PLAIN = re.compile(r"\S{0,40}")
# Levels that are looked at to tell containers from entities: document, list, entity, its keys.
_SHALLOW = 4


@dataclass(frozen=True, slots=True)
class Entity:
    """`document` counts the documents of a YAML stream or the lines of JSON Lines, `pointer` leads from its root to the entity.
    `start` and `end` hold the dash of a list item, the key of an entity on a line of its own, or that of a value that stands
    beside lists of entities. `key` is what an entity is called by where a mapping holds it."""

    document: int
    pointer: str
    start: int
    end: int
    node: Node
    key: str = ""

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


def entities(text: str, media_type: str) -> Iterator[Entity]:
    """The entities in the order of the file, each with all that it holds."""
    for entity in _found(text, media_type):
        if media_type == JSON:
            yield replace(entity, node=_whole(text, entity.node))
        else:
            yield entity


def _whole(text: str, node: Node) -> Node:
    """A node of JSON with what was skipped in it."""
    if node.kind is Kind.MAPPING and node.entries and node.entries[0].start == node.start:  # a value with its key
        entry = node.entries[0]
        return _alone(replace(entry, node=value(text, entry.node.start)))
    return value(text, node.start)


def blocks(text: str, media_type: str, repeated: list[tuple[int, str]] | None = None) -> Iterator[Block]:
    """One block of kind `entity` for each, and one of kind `code` for what holds them together: brackets, keys, comments.
    `repeated` takes the places of keys of YAML that stand in their mapping already."""
    line, counted, at, number = 1, 0, 0, 0

    def lines(span: Span) -> tuple[int, int]:
        nonlocal line, counted
        line += text.count("\n", counted, span.start)
        counted = span.start
        return line, line + text.count("\n", span.start, span.end)

    def gap(end: int) -> Iterator[Block]:
        span = Span(at, end).trimmed(text)
        if span:
            yield Block(f"g{number}", BlockKind.CODE, span, places=(LineRange(*lines(span)),))

    for entity in _found(text, media_type, repeated):
        if not entity.span:
            continue
        yield from gap(entity.start)
        yield Block(f"e{number}", BlockKind.ENTITY, entity.span, places=(Pointer(entity.pointer, *lines(entity.span)),))
        at, number = entity.end, number + 1
    yield from gap(len(text))


def _found(text: str, media_type: str, repeated: list[tuple[int, str]] | None = None) -> Iterator[Entity]:
    roots = values(text, _SHALLOW) if media_type == JSON else documents(text, repeated)
    for number, root in enumerate(roots):
        if root.end > root.start:
            yield from _entities(text, root, number)


def _entities(text: str, root: Node, number: int) -> Iterator[Entity]:
    if _is_container(root) or _is_keyed(root):
        yield from _members(text, root, number, "")
    elif root.kind is Kind.MAPPING and _holds_entities(root):
        yield from _parts(text, root, number, "")
    else:
        yield Entity(number, "", root.start, root.end, root)


def _parts(text: str, root: Node, number: int, above: str) -> Iterator[Entity]:
    """The members of the lists that a mapping holds, and what stands beside them; of a mapping in it that does nothing but hold
    lists, the same."""
    for entry in root.entries or ():
        step, node = above + pointer_step(entry.key), entry.node
        if entry.key.startswith("@") and entry.key != "@graph":
            continue  # the context of JSON-LD is no entity
        if not entry.elsewhere and (_is_container(node) or _is_keyed(node)):
            yield from _members(text, node, number, step)
        elif not entry.elsewhere and not above and _wraps(node):
            yield from _parts(text, node, number, step)
        elif node.kind is not Kind.SCALAR or not _PLAIN.fullmatch(node.text):
            yield Entity(number, step, entry.start, entry.end, _alone(entry))


def _members(text: str, node: Node, number: int, pointer: str) -> Iterator[Entity]:
    for entry in node.entries or ():
        start, key = entry.start, ""
        if node.kind is Kind.MAPPING:
            key = entry.key
            if not entry.elsewhere and "\n" not in text[entry.start : entry.node.start]:
                start = entry.node.start
        yield Entity(number, pointer + pointer_step(entry.key), start, entry.end, entry.node, key)


def _alone(entry: Entry) -> Node:
    """A value beside lists of entities, as a mapping of its own."""
    return Node(Kind.MAPPING, entry.start, entry.end, entries=(entry,))


def _holds_entities(root: Node) -> bool:
    if root.get("@graph"):
        return True
    held = [entry.node for entry in root.entries or ()]
    return not _names_itself(root) and any(_is_container(node) or _is_keyed(node) or _wraps(node) for node in held)


def _is_keyed(node: Node) -> bool:
    """True for a mapping from identifiers to mappings that have a key in common."""
    held = [entry.node for entry in node.entries or ()]
    if node.kind is not Kind.MAPPING or len(held) < 2 or not all(item.kind is Kind.MAPPING for item in held):
        return False
    return all(map(_IDENTIFIER.fullmatch, node.names())) and bool(set.intersection(*(set(item.names()) for item in held)))


def _wraps(node: Node) -> bool:
    """True for a mapping that does nothing but hold lists of entities: `{"data": {"items": [...], "total": 2}}`, and the rows
    that an endpoint of SPARQL gives."""
    if node.kind is not Kind.MAPPING or _names_itself(node):
        return False
    held = [entry for entry in node.entries or () if entry.node.kind is not Kind.SCALAR or not _PLAIN.fullmatch(entry.node.text)]
    return bool(held) and all(_is_container(entry.node) and (entry.key == "bindings" or _all_named(entry.node)) for entry in held)


def _all_named(node: Node) -> bool:
    return all(_names_itself(entry.node) for entry in node.entries or ())


def _is_container(node: Node) -> bool:
    """True for a list with a mapping in it, and for a mapping of nothing but mappings that each name themselves."""
    held = [entry.node for entry in node.entries or ()]
    if node.kind is Kind.SEQUENCE:
        return any(item.kind is Kind.MAPPING for item in held)
    return node.kind is Kind.MAPPING and bool(held) and all(item.kind is Kind.MAPPING and _names_itself(item) for item in held)


def _names_itself(node: Node) -> bool:
    return any(key.rpartition(":")[2].casefold() in _IDENTITY for key in node.names())
