"""Files that once broke a parser, and strange ones that never did: each gives documents that keep the laws, or one clear error.

`bench/fuzz.py` searches for more of them with the same `trial`, and writes them minimised into `seeds/` under the parser's name.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from pecia import pipeline, plugins
from pecia.errors import DocumentError
from pecia.model import Document, Severity, Source
from pecia.parsing.media import CSV, DOCX, JSON, PDF, YAML
from pecia.protocols import ParseOptions

Parse = Callable[[bytes, Source, ParseOptions], Iterator[Document]]
SEEDS = Path(__file__).parent / "seeds"
SECONDS = 10.0  # for one seed; the largest has 30 KB
BYTES = 300_000  # of all seeds
# Small ceilings make many borders out of a small file.
CUTTINGS: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("token", {"max_tokens": 40, "target_tokens": 30, "overlap_tokens": 8}),
    ("heading", {"max_tokens": 60, "target_tokens": 40, "overlap_tokens": 0}),
    ("page", {"max_tokens": 60, "target_tokens": 40, "overlap_tokens": 10}),
)
RECORDS = {CSV: "registry", JSON: "entity", YAML: "entity"}
SMALL: Mapping[str, int] = {"max_tokens": 60, "target_tokens": 60, "overlap_tokens": 0}


def parsers() -> dict[str, tuple[str, Parse]]:
    """Short name to media type and function of every parser in the registry; the short name is that of its module or package."""
    found = {}
    for media, path in plugins.PARSERS.items():
        module, _, function = path.partition(":")
        found[module.split(".")[2]] = (media, getattr(importlib.import_module(module), function))
    return found


def trial(media: str, parse: Parse, data: bytes) -> list[Document] | DocumentError:
    """What a parser makes of these bytes: documents that keep the laws, or its error. Whatever else is raised is a fault."""
    source = Source("file:///seed", "seed", media, hashlib.sha256(data).hexdigest())
    try:
        documents = list(parse(data, source, ParseOptions()))
    except DocumentError as error:
        _is_clear(str(error))
        return error
    for document in documents:
        _keeps_its_promises(document)
        for name, options in CUTTINGS:
            _keeps_the_laws(document, name, options)
        if media in RECORDS:
            _keeps_the_laws(document, RECORDS[media], SMALL)
    return documents


def _is_clear(message: str) -> None:
    message.encode()
    assert message.isprintable(), f"error: it is more than one line or has control characters: {message!r:.300}"
    assert message.strip(), "error: it says nothing"
    assert len(message) < 500, f"error: it is too long to read: {message[:600]}"


def _keeps_its_promises(document: Document) -> None:
    json.dumps(document.to_json(), ensure_ascii=False, allow_nan=False).encode()
    assert unicodedata.is_normalized("NFC", document.text), "text: not NFC"
    assert "\r" not in document.text, "text: other line ends than \\n"
    assert "\0" not in document.text, "text: NUL"
    held = "".join("".join(block.span.of(document.text).split()) for block in document.blocks)
    assert held == "".join(document.text.split()), "blocks: visible text stands in none of them, or twice"
    for block in document.blocks:
        assert block.span.trimmed(document.text), "blocks: one holds nothing"
        place = document.locate(block.span)
        assert place.locators, "places: a block has none"
        assert bool(place.pages) == bool(document.pages), "places: a block stands on no page"
    missing = document.ledger().missing
    assert missing == 0 or (missing > 0 and _is_lossy(document)), f"ledger: {missing} characters are not accounted for"


def _is_lossy(document: Document) -> bool:
    """A DOCX or PDF that is no valid one may hold text where no reader looks; LAW103 says how much."""
    return document.source.media_type in {DOCX, PDF}


def _keeps_the_laws(document: Document, name: str, options: Mapping[str, int]) -> None:
    cutting = pipeline.cut(document, name, **options)
    for chunk in cutting.chunks:
        chunk.to_line().encode()
    for finding in cutting.findings():
        if finding.rule == "LAW103" and _is_lossy(document):
            continue
        assert finding.severity is not Severity.ERROR, f"{finding.rule} ({name}): {finding.message}"


@pytest.mark.parametrize("path", sorted(SEEDS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_seed_gives_documents_that_keep_the_laws_or_one_clear_error(path: Path) -> None:
    media, parse = parsers()[path.parent.name]
    started = time.process_time()
    trial(media, parse, path.read_bytes())
    assert time.process_time() - started < SECONDS


LONG: Mapping[str, tuple[str, str]] = {
    "comments": ("xml", "<a>" + "x<!--c-->" * 20_000 + "</a>"),
    "instructions": ("xml", "<a>" + "<?p q?>" * 20_000 + "</a>"),
    "entities": ("xml", "<!DOCTYPE a [<!ENTITY e 'x'>]><a>" + "y&e;" * 20_000 + "</a>"),
    "cells": ("xml", "<table><tr>" + "<td>x</td>" * 20_000 + "</tr></table>"),
    "marks": ("xml", "<a>e" + "<i>\u0301</i>" * 20_000 + "</a>"),
    "breaks": ("html", "<p>" + "x<br>" * 20_000),
    "boxes": ("html", "<p>x<div>y</div>" * 10_000),
    "open-inline": ("html", "<b>x" * 2_000 + "<p>y" * 10_000),
    "headings-unclosed": ("html", "<h2>x<div>y" * 900),
    "tables": ("html", "<table><tr><td>x" * 600),
    "names": ("html", "<div class='nav footer'>" * 1_900 + "x" + "</div>" * 1_900),
    "remarks": ("html", "x<!--c-->" * 20_000),
    "messages": ("json", "[" + ",".join('{"role":"user","content":"x\\n\\n|"}' for _ in range(20_000)) + "]"),
    "branches": (
        "json",
        '{"current_node":"0","mapping":{'
        + ",".join(f'"{n}":{{"parent":"{n + 1}","message":{{"content":{{"parts":["x"]}}}}}}' for n in range(10_000))
        + "}}",
    ),
    "quotes": ("markdown", ("> " * 200 + "x\n") * 500),
    "brackets": ("markdown", "[" * 200_000),
    "white-space": ("text", " \t\n" * 100_000),
    "open quotes": ("csv", "a,b\n" + '"x,y\n' * 20_000),
    "lone quotes": ("csv", "a,b\n" + 'x,"y\n' * 20_001),
    "doubled quotes": ("csv", 'a,b\n"' + '""' * 100_000),
    "columns": ("csv", "a," * 50_000 + "\n" + "b," * 50_000),
    "delimiters": ("csv", "," * 200_000),
    "lists": ("json", "[" + ",".join(["[]"] * 50_000) + "]"),
    "strings": ("json", '["' + "\\u00e9" * 50_000 + '"]'),
    "aliases": ("yaml", "- &a x\n" + "- *a\n" * 20_000),
    "dashes": ("yaml", "-\n" * 20_000),
    "folded": ("yaml", "a: >\n" + "  x\n\n" * 20_000),
}


@pytest.mark.parametrize("name", LONG)
def test_long_files_take_no_time_by_the_square(name: str) -> None:
    """CPU time, with a hundred times what each takes: by the square they took half a minute."""
    media, parse = parsers()[LONG[name][0]]
    data = LONG[name][1].encode()
    started = time.process_time()
    (document,) = parse(data, Source("file:///long", "long", media, hashlib.sha256(data).hexdigest()), ParseOptions())
    assert time.process_time() - started < SECONDS
    assert document.ledger().missing == 0


def test_seeds_stay_few_and_small() -> None:
    assert sum(path.stat().st_size for path in SEEDS.glob("*/*")) < BYTES
