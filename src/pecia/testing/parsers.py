"""What every parser promises, as a suite that others can run on theirs."""

from __future__ import annotations

import hashlib
import random
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from pecia.errors import DocumentError
from pecia.model import Document, Source
from pecia.protocols import ParseOptions

Parse = Callable[[bytes, Source, ParseOptions], Iterator[Document]]


def check_parser(parse: Parse, samples: Iterable[bytes], *, damaged: int = 40, seed: int = 1) -> None:
    """Runs the suite over sample files; AssertionError says which promise is broken by which sample.

    Each sample must parse, twice to the same document. `damaged` variants of each (cut short, bytes changed, removed or
    doubled) must give documents that keep their promises, or a DocumentError; any other exception is a fault.
    """
    picker = random.Random(seed)
    for number, sample in enumerate(samples):
        found = _documents(parse, sample)
        assert found, f"sample {number} gives no document"
        for document in found:
            _check(document, f"sample {number}")
        assert [one.to_json() for one in found] == [one.to_json() for one in _documents(parse, sample)], (
            f"sample {number} differs"
        )
        for _ in range(damaged):
            data = _damage(sample, picker)
            try:
                broken = _documents(parse, data)
            except DocumentError:
                continue
            for document in broken:
                _check(document, f"a damaged sample {number}", balanced=False)


def _documents(parse: Parse, data: bytes) -> list[Document]:
    source = Source("file:///sample", "sample", "application/octet-stream", hashlib.sha256(data).hexdigest())
    return list(parse(data, source, ParseOptions()))


def _check(document: Document, name: str, *, balanced: bool = True) -> None:
    assert unicodedata.is_normalized("NFC", document.text), f"{name}: the text is not NFC"
    assert "\r" not in document.text, f"{name}: the text has other line ends than \\n"
    held = "".join("".join(block.span.of(document.text).split()) for block in document.blocks)
    assert held == "".join(document.text.split()), f"{name}: visible text stands in no block"
    for block in document.blocks:
        assert block.span.trimmed(document.text), f"{name}: block {block.id} holds nothing"
        place = document.locate(block.span)
        assert place.locators, f"{name}: block {block.id} has no place in the source"
        assert bool(place.pages) == bool(document.pages), f"{name}: block {block.id} stands on no page"
    missing = document.ledger().missing
    assert missing == 0 or (not balanced and missing > 0), f"{name}: {missing} source characters are not accounted for"


def _damage(sample: bytes, picker: random.Random) -> bytes:
    data = bytearray(sample)
    at = picker.randrange(len(data) + 1)
    how = picker.randrange(4)
    if how == 0:
        return bytes(data[:at])
    if how == 1:
        for _ in range(picker.randint(1, 8)):
            if data:
                data[picker.randrange(len(data))] ^= 1 << picker.randrange(8)
        return bytes(data)
    end = min(len(data), at + picker.randint(1, 200))
    return bytes(data[:at] + data[end:]) if how == 2 else bytes(data[:end] + data[at:])
