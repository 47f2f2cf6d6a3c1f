"""Random documents of three kinds with exact truth, parsed and scored: a formulary, a legislature's paper, a paper.
And one file made longer, to see what a page costs.

Run `python bench/pdf_layout.py --latin DIR... --han FILE... [--seeds 0-59] [--kinds ...] [--keep DIR] [--explain N]`.
`--latin` names folders that hold the four faces of a family (`*-Regular.ttf`, `*-Bold.ttf` and so on), `--han` files with
Chinese glyphs. What a document looks like follows from its kind and seed alone, so that a miss can be looked at again.

Run `python -m bench.pdf_layout --book FILE.pdf [--pages 250 500 1000 2000]` for the cost of books that are the pages of FILE
again and again: processor time a page and the most memory that the parser's process held, and that of the one which asked.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import random
import resource
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pypdfium2
from bench.pdf_kinds import KINDS
from bench.pdf_printer import Family, Line, Made, families

from pecia import pipeline
from pecia.model import BlockKind, Document, PageBox, Source, Table
from pecia.parsing.isolation import PARSER_PROCESS
from pecia.parsing.pdf.reader import parse_pdf

METRICS = (
    "order",
    "kept",
    "leaks",
    "taken",
    "labels",
    "paragraphs",
    "headings",
    "hyphens",
    "tables",
    "cells",
    "captions",
    "extra",
    "ledger",
)


def made(kind: str, seed: int, latin: Sequence[Family], han: Sequence[Family]) -> Made:
    return KINDS[kind](random.Random(f"{kind}{seed}"), latin, han)


def squash(text: str) -> str:
    return "".join(unicodedata.normalize("NFC", text).split())


class Score:
    def __init__(self) -> None:
        self.hits, self.asked = Counter[str](), Counter[str]()
        self.misses: list[tuple[str, str]] = []

    def add(self, metric: str, value: bool, detail: str) -> None:
        self.asked[metric] += 1
        self.hits[metric] += value
        if not value:
            self.misses.append((metric, detail))

    def join(self, other: Score) -> None:
        self.hits += other.hits
        self.asked += other.asked

    def shares(self) -> dict[str, float]:
        return {metric: self.hits[metric] / self.asked[metric] for metric in METRICS if self.asked[metric]}


def scored(truth: Made, document: Document) -> Score:
    """How much of the truth the document holds; every metric counts what is right among what was asked."""
    score = Score()
    taken = defaultdict[int, list[str]](list)
    for item in document.furniture:
        taken[item.locators[0].page].append(squash(item.text))  # type: ignore[union-attr]
    paragraphs: dict[int, list[Line]] = defaultdict(list)
    for page, made_page in zip(document.pages, truth.pages, strict=True):
        text = squash(page.span.of(document.text))
        body = [line for line in made_page.lines if not line.furniture and line.text]
        joined = "".join(taken[page.index])
        score.add("labels", page.label == made_page.label, f"p{page.index} {page.label!r} for {made_page.label!r}")
        for line in body:
            paragraphs[id(line.block)].append(line)
            key = squash(line.text)[: -1 if line.soft else None]
            score.add("kept", key in text, f"p{page.index} {line.text[:70]!r}")
            score.add("taken", len(key) < 5 or key not in joined, f"p{page.index} {line.text[:70]!r}")
        drawn = [line for line in made_page.lines if not line.furniture]
        for a, b in pairwise(drawn):
            if not (a.text and b.text):  # what is written in a figure stands between
                continue
            key = squash(a.text)[: -1 if a.soft else None] + squash(b.text)[: -1 if b.soft else None]
            kept = squash(a.text) + squash(b.text)  # a note between the parts of a word keeps its hyphen
            score.add("order", key in text or (a.soft and kept in text), f"p{page.index} {a.text[:40]!r} + {b.text[:40]!r}")
            if a.soft and a.block is b.block:
                word = a.text.split()[-1][:-1] + b.text.split()[0]
                score.add("hyphens", squash(word)[: -1 if b.soft else None] in text, f"p{page.index} {word!r}")
        for line in made_page.lines:
            if line.furniture:
                score.add("leaks", squash(line.text) in taken[page.index], f"p{page.index} {line.text!r}")
    _scored_blocks(score, paragraphs, document)
    _scored_tables(score, truth, document)
    score.add("ledger", document.ledger().missing == 0, str(document.ledger()))
    return score


def _scored_tables(score: Score, truth: Made, document: Document) -> None:
    """A table is right where its cells are; one that is found has most of its cells in a table of the document."""
    pool = [(table, Counter(squash(cell) for row in table.cells for cell in row if cell)) for table in document.tables]
    for grid in truth.grids:
        own = Counter(squash(cell) for row in grid.cells for cell in row if cell)
        best = max(pool, key=lambda item: (item[1] & own).total() / max(1, (item[1] | own).total()), default=None)
        where = f"{grid.style} {len(grid.cells)}x{len(grid.cells[0])} spans {grid.spans} {grid.caption[:30]!r}"
        if best is None or 3 * (best[1] & own).total() < own.total():
            score.add("tables", value=False, detail=f"missed {where}")
            continue
        pool.remove(best)
        table = best[0]
        score.add("tables", value=True, detail="")
        expected = tuple(tuple(map(squash, row)) for row in grid.cells)
        found = tuple(tuple(map(squash, row)) for row in table.cells)
        first = next((f"{a} for {b}" for a, b in zip(found, expected, strict=False) if a != b), "")
        score.add("cells", found == expected, f"{where} p{_page_of(table)} {len(found)} rows {first[:150]}")
        score.add("captions", squash(table.caption) == squash(grid.caption), f"{where}: {table.caption[:30]!r}")
    rest = [(_page_of(table), table.cells[:2], table.quarantine_reason) for table, _ in pool]
    score.add("extra", not pool, f"{rest}"[:200])


def _page_of(table: Table) -> int:
    return next((place.page for place in table.locators if isinstance(place, PageBox)), -1)


def _scored_blocks(score: Score, paragraphs: dict[int, list[Line]], document: Document) -> None:
    texts = {block.id: squash(block.span.of(document.text)) for block in document.blocks}
    chained = Counter(texts.values())
    heads = {block.continues_on for block in document.blocks}
    following = {block.id: block.continues_on for block in document.blocks}
    for block in document.blocks:
        if block.id not in heads:
            whole, at = texts[block.id], following[block.id]
            while at:
                whole, at = whole.removesuffix("-") + texts[at], following[at]
                chained[whole] += 1
    headings = Counter(squash(block.span.of(document.text)) for block in document.blocks if block.kind is BlockKind.HEADING)
    expected = Counter[str]()
    for lines in paragraphs.values():
        made_block = lines[0].block
        text = "".join(squash(line.text)[: -1 if line.soft else None] for line in lines)
        where = f"{made_block.kind}: {lines[0].text[:50]!r}"
        if made_block.kind == "heading":
            expected[text] += 1
        elif made_block.kind in ("para", "note", "caption"):
            score.add("paragraphs", chained[text] > 0, where)
    for text, count in (expected | headings).items():
        score.add(
            "headings",
            expected[text] == headings[text],
            f"{'missed' if expected[text] > headings[text] else 'false'} {text[:60]} ×{count}",
        )


def book(file: Path, pages: int, to: Path) -> Path:
    """A file of so many pages, those of `file` again and again."""
    one, made_of = pypdfium2.PdfDocument(file), pypdfium2.PdfDocument.new()
    while len(made_of) < pages:
        made_of.import_pages(one, pages=list(range(min(len(one), pages - len(made_of)))))
    path = to / f"{pages}.pdf"
    made_of.save(path)
    return path


def costs(path: Path) -> tuple[float, float, int, int]:
    """Of one file in fresh processes: seconds of processor time of the parser and of its parent, and the MB that each held."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_costs, (path,))


def _costs(path: Path) -> tuple[float, float, int, int]:
    pipeline.parse(path)
    PARSER_PROCESS.stop()
    own, child = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return child.ru_utime + child.ru_stime, own.ru_utime + own.ru_stime, child.ru_maxrss >> 10, own.ru_maxrss >> 10


def grow(file: Path, sizes: Sequence[int]) -> None:
    print("| pages | ms a page | pages/s | parser, MB | parent, MB | ms a page in the parent |\n" + "| --- " * 6 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for pages in sizes:
            seconds, own, most, parent = costs(book(file, pages, Path(folder)))
            each = 1000 * seconds / pages
            print(f"| {pages:,} | {each:.1f} | {1000 / each:.0f} | {most} | {parent} | {1000 * own / pages:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latin", nargs="+")
    parser.add_argument("--book", type=Path)
    parser.add_argument("--pages", nargs="+", type=int, default=[250, 500, 1000, 2000])
    parser.add_argument("--han", nargs="+", default=[])
    parser.add_argument("--seeds", default="0-19")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--explain", type=int, default=0)
    options = parser.parse_args()
    if options.book:
        grow(options.book, options.pages)
        return
    if not options.latin:
        parser.error("--latin or --book is needed")
    latin, han = families(options.latin, options.han)
    first, _, last = options.seeds.partition("-")
    print(f"{'kind':12}" + "".join(f"{metric:>10}" for metric in METRICS) + "  pages/s")
    for kind in options.kinds:
        total, misses, pages, seconds = Score(), defaultdict[str, list[str]](list), 0, 0.0
        for seed in range(int(first), int(last or first) + 1):
            truth = made(kind, seed, latin, han or latin)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{kind}-{seed}.pdf").write_bytes(truth.data)
            source = Source(f"{kind}-{seed}", f"{kind}-{seed}", "application/pdf", hashlib.sha256(truth.data).hexdigest())
            start = time.perf_counter()
            document = parse_pdf(truth.data, source)
            seconds += time.perf_counter() - start
            pages += len(truth.pages)
            score = scored(truth, document)
            total.join(score)
            for metric, detail in score.misses:
                misses[metric].append(f"seed {seed:3} {detail}")
        shares = total.shares()
        print(f"{kind:12}" + "".join(f"{shares.get(metric, 1.0):10.4f}" for metric in METRICS) + f"{pages / seconds:9.1f}")
        for metric, details in misses.items() if options.explain else ():
            seeds = Counter(detail.split()[1] for detail in details)
            print(f"  {metric}: {len(details)} in seeds {dict(seeds.most_common(8))}")
            for detail in details[:: max(1, len(details) // options.explain)][: options.explain]:
                print("    ", detail)


if __name__ == "__main__":
    main()
