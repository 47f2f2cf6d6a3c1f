"""What the entities of a YAML or JSON file are, and where; the same for a parser that makes blocks of them and a strategy
that reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pecia.model import Block, BlockKind, LineRange, Pointer, Span
from pecia.parsing.json.scan import value, values
from pecia.parsing.media import JSON
from pecia.parsing.nodes import Entry, Kind, Node, pointer_step
from pecia.parsing.yaml.compose import documents

# Keys of which one stands in a thing with a name or id of its own; a mapping without them that holds lists is a container.
# They are compared without case and without the prefix of a vocabulary (`dct:title`).
_IDENTITY = frozenset(
    """id @id _id hc_id ghcid uri qid identifier isil isil_code
    name names label labels title preferred_label preflabel""".split()  # noqa: SIM905 - as a list it would take 17 lines
)
# Levels that are looked at to tell containers from entities: document, list, entity, its keys.
_SHALLOW = 4


@dataclass(frozen=True, slots=True)
class Entity:
    """`document` counts the documents of a YAML stream or the lines of JSON Lines, `pointer` leads from its root to the entity.
    `start` and `end` hold the dash of a list item, or the key of a value that stands beside lists of entities."""

    document: int
    pointer: str
    start: int
    end: int
    node: Node

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


def entities(text: str, media_type: str) -> Iterator[Entity]:
    """The entities in the order of the file, each with all that it holds."""
    for entity in _found(text, media_type):
        if media_type == JSON:
            whole = value(text, entity.node.start)
            yield Entity(entity.document, entity.pointer, entity.start, entity.end, whole)
        else:
            yield entity


def blocks(text: str, media_type: str) -> Iterator[Block]:
    """One block of kind `entity` for each, and one of kind `code` for what holds them together: brackets, keys, comments."""
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

    for entity in _found(text, media_type):
        if not entity.span:
            continue
        yield from gap(entity.start)
        yield Block(f"e{number}", BlockKind.ENTITY, entity.span, places=(Pointer(entity.pointer, *lines(entity.span)),))
        at, number = entity.end, number + 1
    yield from gap(len(text))


def _found(text: str, media_type: str) -> Iterator[Entity]:
    roots = values(text, _SHALLOW) if media_type == JSON else documents(text)
    for number, root in enumerate(roots):
        if root.end > root.start:
            yield from _entities(root, number)


def _entities(root: Node, number: int) -> Iterator[Entity]:
    if root.kind is Kind.SEQUENCE and _is_container(root):
        yield from _members(root, number, "")
    elif root.kind is Kind.MAPPING and _holds_entities(root):
        for entry in root.entries or ():
            step = pointer_step(entry.key)
            if entry.key.startswith("@") and entry.key != "@graph":
                continue  # the context of JSON-LD is no entity
            if _is_container(entry.node) and not entry.elsewhere:
                yield from _members(entry.node, number, step)
            else:
                yield Entity(number, step, entry.start, entry.end, _alone(entry))
    else:
        yield Entity(number, "", root.start, root.end, root)


def _members(node: Node, number: int, pointer: str) -> Iterator[Entity]:
    for entry in node.entries or ():
        start = entry.start if node.kind is Kind.SEQUENCE else entry.node.start
        end = entry.end
        if node.kind is Kind.MAPPING and entry.elsewhere:
            start = entry.start
        yield Entity(number, pointer + pointer_step(entry.key), start, end, entry.node)


def _alone(entry: Entry) -> Node:
    """A value beside lists of entities, as a mapping of its own."""
    return Node(Kind.MAPPING, entry.start, entry.end, entries=(entry,))


def _holds_entities(root: Node) -> bool:
    if root.get("@graph"):
        return True
    return not _names_itself(root) and any(_is_container(entry.node) for entry in root.entries or ())


def _is_container(node: Node) -> bool:
    """True for a list with a mapping in it, and for a mapping of nothing but mappings that each name themselves."""
    held = [entry.node for entry in node.entries or ()]
    if node.kind is Kind.SEQUENCE:
        return any(item.kind is Kind.MAPPING for item in held)
    return node.kind is Kind.MAPPING and bool(held) and all(item.kind is Kind.MAPPING and _names_itself(item) for item in held)


def _names_itself(node: Node) -> bool:
    return any(key.rpartition(":")[2].casefold() in _IDENTITY for key in node.names())
