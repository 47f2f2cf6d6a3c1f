"""Which chunks of a library say the same, and which of them stands for the others.

Two things are found. Texts that are equal, whatever they are. And records of one entity: rows of registers, entities of YAML,
JSON and Wikidata, the sections of a web page that say what an institution is. Of each group the highest tier stays, of one tier
what comes first by source and place. What merely mentions an entity is no record of it and stays.

Nothing depends on the order in which chunks come: identifiers that are unique join first; then a number that branches may share,
the address of a site, and a name with its place, each only where those that it would join may be one: they differ in no
identifier and in no type, and two rows of registers that only have numbers of different registers agree in their type; then a web
page by its title, where all that bear the name are in one place. What may be one of several that may not be one stays apart.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pecia.heritage.attributes import TIERS
from pecia.heritage.concepts import only_letter_of
from pecia.heritage.custodians import compared
from pecia.heritage.identity import SHARED, UNIQUE, identifiers, site_of
from pecia.model import Chunk, ChunkKind

_RANKS = {name: rank for rank, name in enumerate(sorted(set(TIERS.values())))}
_DIGITS = re.compile(r"(\d+)")
# Each is compared with each.
_NAMESAKES = 200
Order = tuple[int, str, tuple[Any, ...], int]


@dataclass(slots=True)
class _Unit:
    """What stays or goes as a whole: the parts of one segment, or all that one page says of its institution."""

    order: Order
    first: Mapping[str, Any]
    content: bytes
    record: bool
    page: bool = False
    register: bool = False
    name: str = ""
    place: str = ""
    type: str = ""
    keys: tuple[str, ...] = ()


@dataclass(slots=True)
class _Group:
    """Records of one entity, as far as known: its units, its identifiers by scheme, its types, whether a register has it."""

    units: list[int]
    held: dict[str, set[str]]
    types: set[str]
    register: bool

    def may_be(self, other: _Group) -> bool:
        """True where nothing speaks against the two being one."""
        common = [self.held[scheme] & other.held[scheme] for scheme in self.held.keys() & other.held.keys() if scheme != "site"]
        if not all(common) or (self.types and other.types and self.types.isdisjoint(other.types)):
            return False
        numbered = self.register and other.register and self.held.keys() - {"site"} and other.held.keys() - {"site"}
        return bool(common or not numbered or self.types & other.types or not (self.types or other.types))

    def take(self, other: _Group) -> None:
        self.units += other.units
        self.types |= other.types
        self.register |= other.register
        for scheme, values in other.held.items():
            self.held.setdefault(scheme, set()).update(values)


class Duplicates:
    """Is shown all chunks with the uris of their sources, then says of each what becomes of it, in the same order."""

    def __init__(self) -> None:
        self._units: list[_Unit] = []
        self._of_chunk = array("L")
        self._pages: dict[tuple[Any, ...], int] = {}
        self._last: tuple[Any, ...] = ()

    def show(self, chunk: Chunk, uri: str) -> None:
        """Chunks come as a store gives them: those of a document together, in order."""
        kept = chunk.attributes
        page = kept.get("source_type") == "website" and kept.get("section_type") == "about"
        key = (chunk.document_id, chunk.text_hash, chunk.requested_strategy, chunk.max_tokens, "" if page else chunk.segment_id)
        number = self._pages.get(key) if page else None
        if number is None and not page and chunk.part_index and key == self._last:
            number = len(self._units) - 1
        content = _content(chunk)
        if number is None:
            number = len(self._units)
            self._units.append(_unit(chunk, uri, content, page=page))
            if page:
                self._pages[key] = number
        else:
            unit = self._units[number]
            unit.content = hashlib.sha256(unit.content + content).digest()
        self._last = key
        self._of_chunk.append(number)

    def settle(self) -> Callable[[Iterable[Chunk]], Iterator[Chunk]]:
        """What takes the same chunks once more and gives those that stay; the first part of one that stands for others says
        for which, in `also_in`."""
        stays: dict[int, list[Mapping[str, Any]]] = {}
        lost = set[int]()
        for group, why in self._groups():
            best = min(group, key=lambda number: self._units[number].order)
            for number in sorted(group, key=lambda number: self._units[number].order):
                if number != best and number not in lost:
                    lost.add(number)
                    stays.setdefault(best, []).append(self._loss(number, best, why))

        def kept(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
            told = set[int]()
            for number, chunk in zip(self._of_chunk, chunks, strict=True):
                if number in lost:
                    continue
                if number in stays and number not in told:
                    told.add(number)
                    yield replace(chunk, attributes={**chunk.attributes, "also_in": stays[number]})
                else:
                    yield chunk

        return kept

    def _loss(self, number: int, best: int, why: Callable[[_Unit, _Unit], str]) -> Mapping[str, Any]:
        loser, winner = self._units[number], self._units[best]
        tiers = (loser.first["data_tier"], winner.first["data_tier"])
        rank = f"{tiers[0]} is below {tiers[1]}" if loser.order[0] != winner.order[0] else "it comes later"
        return {**loser.first, "reason": f"{why(loser, winner)}; {rank}"}

    def _groups(self) -> Iterator[tuple[list[int], Callable[[_Unit, _Unit], str]]]:
        """(numbers of units, why two of them say the same): records of one entity, then other texts that are equal."""
        for group in self._entities():
            if len(group.units) > 1:
                yield group.units, _link
        equal: dict[bytes, list[int]] = {}
        for number, unit in enumerate(self._units):
            if not unit.record:
                equal.setdefault(unit.content, []).append(number)
        yield from ((group, _same_text) for group in equal.values() if len(group) > 1)

    def _entities(self) -> list[_Group]:
        records = [number for number, unit in enumerate(self._units) if unit.record]
        groups = {number: self._group(number) for number in records}
        root = {number: number for number in records}

        def find(number: int) -> int:
            while root[number] != number:
                root[number] = root[root[number]]
                number = root[number]
            return number

        def join(numbers: Iterable[int], *, sure: bool) -> None:
            found = sorted({find(number) for number in numbers})
            for one in [found] if sure else _one(found, groups):
                for other in one[1:]:
                    groups[one[0]].take(groups.pop(other))
                    root[other] = one[0]

        for wanted, sure in ((_sure_keys, True), (_likely_keys, False)):
            held: dict[str, list[int]] = {}
            for number in records:
                for key in wanted(self._units[number]):
                    held.setdefault(key, []).append(number)
            for key in sorted(held):
                join(held[key], sure=sure)
        for numbers in self._named_as_pages(records):
            join(numbers, sure=False)
        return list(groups.values())

    def _group(self, number: int) -> _Group:
        unit = self._units[number]
        held: dict[str, set[str]] = {}
        for key in unit.keys:
            scheme, _, value = key.partition(":")
            held.setdefault(scheme, set()).add(value)
        return _Group([number], held, {unit.type} if unit.type else set(), unit.register)

    def _named_as_pages(self, records: Sequence[int]) -> Iterator[list[int]]:
        """Records that bear the title of a web page, where no two of them are in different places."""
        titles = {self._units[number].name for number in records if self._units[number].page and self._units[number].name}
        named: dict[str, list[int]] = {}
        for number in records:
            if self._units[number].name in titles:
                named.setdefault(self._units[number].name, []).append(number)
        for name in sorted(named):
            if len({self._units[number].place for number in named[name]} - {""}) <= 1:
                yield named[name]


def _content(chunk: Chunk) -> bytes:
    # A message is what was said, whatever the conversation is called; of all else the context is a part.
    text = chunk.source_text if chunk.chunk_kind is ChunkKind.MESSAGE else chunk.text
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _unit(chunk: Chunk, uri: str, content: bytes, *, page: bool) -> _Unit:
    kept = chunk.attributes
    pointer = chunk.document_id.partition("#")[2]
    tier = kept.get("data_tier")
    order = (_RANKS.get(tier or "", len(_RANKS)), uri, _natural(pointer), chunk.span.start)
    first = {
        "chunk_id": chunk.chunk_id,
        "document_id": chunk.document_id,
        "source_name": chunk.source_name,
        "data_tier": tier,
        "start_char": chunk.span.start,
        "end_char": chunk.span.end,
    }
    record = page or (chunk.chunk_kind is ChunkKind.RECORD and "source_type" in kept)
    if not record:
        return _Unit(order, first, content, record=False)
    name = (chunk.headings[0] if chunk.headings else "") if page else kept.get("preferred_label") or ""
    keys = [*(kept.get("identifiers") or ()), *identifiers("ghcid", kept.get("ghcid") or "")]
    if page and (site := site_of(kept.get("source_url") or "")):
        keys.append(f"site:{site}")
    return _Unit(
        order, first, content, record=True, page=page,
        register=kept["source_type"] == "csv_registry", name=compared(name), place=compared(kept.get("settlement") or ""),
        type=kept.get("custodian_type") or only_letter_of(name) or "", keys=tuple(dict.fromkeys(keys)),
    )  # fmt: skip


def _natural(pointer: str) -> tuple[Any, ...]:
    """A pointer by which /2 comes before /10."""
    parts = _DIGITS.split(pointer)
    return tuple(int(part) if number % 2 else part for number, part in enumerate(parts))


def _sure_keys(unit: _Unit) -> Iterator[str]:
    yield from (key for key in unit.keys if key.partition(":")[0] in UNIQUE)
    yield f"text:{unit.content.hex()}"


def _likely_keys(unit: _Unit) -> Iterator[str]:
    yield from (key for key in unit.keys if key.partition(":")[0] in SHARED)
    if unit.name and unit.place:
        yield f"name:{unit.name}\0{unit.place}"


def _one(found: Sequence[int], groups: Mapping[int, _Group]) -> Iterator[list[int]]:
    """Those of some groups that are one: each may be every other of them, and none of them may be any other group. A name that
    more bear than are worth comparing joins nothing."""
    if not 1 < len(found) <= _NAMESAKES:
        return
    friends = {one: frozenset(other for other in found if other == one or groups[one].may_be(groups[other])) for one in found}
    for circle in sorted(set(friends.values()), key=min):
        if all(friends[one] == circle for one in circle):
            yield sorted(circle)


def _same_text(loser: _Unit, winner: _Unit) -> str:
    return "same text"


def _link(loser: _Unit, winner: _Unit) -> str:
    """What joins two records, in words."""
    shared = [key for key in loser.keys if key in winner.keys]
    if shared:
        return f"same {shared[0]}"
    if loser.content == winner.content:
        return "same text"
    if loser.name and loser.name == winner.name:
        return "same name and place" if loser.place and loser.place == winner.place else "same name"
    return "same entity by way of another record"
