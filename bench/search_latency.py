"""Latency of `Library.search`, citation included, and the rate of `Library.add`.

    python bench/search_latency.py FOLDER TEXT... [--chunks 100000] [--questions 100]

FOLDER is where the library is made; one that is there already is used as it stands. Each text file is cut into Markdown
documents of about 20,000 characters with a heading every 2,000 (40 different ones) and chunks of at most 60 tokens; when
the texts are used up they are taken again with the words of each line in another order, so that rare terms stay rare.
Questions are up to 14 words in a row of a text that is searched (8 to 20 characters in Chinese), in equal shares. `same`
compares the hits with those of an exhaustive search; `complete` is the share of plans that looked at every chunk with a term.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pecia import plugins
from pecia.library import Library
from pecia.model import Chunk, Document, Query, Source
from pecia.parsing.markdown import parse_markdown
from pecia.pipeline import cut
from pecia.protocols import ParseOptions
from pecia.retrieving.bm25 import Ranking, best
from pecia.storing.sqlite import SqliteStore

HEADINGS = 40


def documents(texts: list[str], shuffler: random.Random) -> Iterator[Document]:
    number = 0
    for turn in range(100):
        for start in range(0, max(map(len, texts)), 20_000):
            for text in texts:
                if not (piece := text[start : start + 20_000]):
                    continue
                parts = []
                for at in range(0, len(piece), 2_000):
                    lines = piece[at : at + 2_000].splitlines()
                    if turn:
                        lines = [" ".join(shuffler.sample(words := line.split(), len(words))) for line in lines]
                    parts.append(f"# Part {shuffler.randrange(HEADINGS)}\n\n" + "\n".join(lines))
                data = "\n\n".join(parts).encode()
                digest = hashlib.sha256(data).hexdigest()
                source = Source(f"memory:{number}.md", f"{number}.md", "text/markdown", digest)
                number += 1
                yield from parse_markdown(data, source, ParseOptions())


def build(folder: Path, texts: list[str], wanted: int) -> None:
    chunks = 0
    spent = 0.0
    batch: list[tuple[Document, tuple[Chunk, ...]]] = []
    with Library(folder, keep_originals=False) as library:
        for document in documents(texts, random.Random(7)):
            made = cut(document, "heading", max_tokens=60, target_tokens=50, overlap_tokens=0)
            batch.append((document, made.chunks))
            chunks += len(made.chunks)
            if len(batch) == 50 or chunks >= wanted:
                begun = time.perf_counter()
                for item, held in batch:
                    library.add(item, held, strategy=made.strategy)
                spent += time.perf_counter() - begun
                batch = []
            if chunks >= wanted:
                break
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"added {chunks} chunks in {spent:.1f} s: {chunks / spent:.0f} chunks/s; {size / chunks:.0f} bytes a chunk on disk")


def questions(text: str, count: int, picker: random.Random) -> Iterator[str]:
    spaced = text.count(" ") > len(text) / 50
    while count:
        at = picker.randrange(len(text) - 300)
        words = text[at : at + 300].split()[1 : picker.randint(6, 15)]
        asked = " ".join(words) if spaced else text[at : at + picker.randint(8, 20)]
        if asked.strip():
            count -= 1
            yield asked


def spread(times: list[float]) -> str:
    ordered = sorted(times)
    high = ordered[int(0.95 * len(ordered))]
    return f"median {statistics.median(ordered):6.1f} ms   p95 {high:6.1f} ms   max {ordered[-1]:6.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=100, help="of each text")
    given = parser.parse_args()
    texts = [path.read_text(encoding="utf-8") for path in given.texts]
    if not given.folder.exists():
        build(given.folder, texts, given.chunks)
    begun = time.perf_counter()
    library = Library(given.folder, create=False)
    print(f"opened in {(time.perf_counter() - begun) * 1000:.1f} ms")
    some = library.documents()[17]
    filters: dict[str, dict[str, Any] | None] = {
        "no filter": None,
        "headings=Part 7 (1 of 40)": {"headings": "Part 7"},
        "headings^=Part 3 (11 of 40)": {"headings^=": "Part 3"},
        "est_tokens>=40 (most)": {"est_tokens>=": 40},
        "start_char<=60 (few)": {"start_char<=": 60},
        "document_id (one)": {"document_id": some.document_id},
    }
    everything = [
        (path.stem, q)
        for path, text in zip(given.texts, texts, strict=True)
        for q in questions(text, given.questions, random.Random(3))
    ]
    for name, where in filters.items():
        times: dict[str, list[float]] = {}
        for language, asked in everything:
            begun = time.perf_counter()
            library.search(asked, k=10, where=where)
            times.setdefault(language, []).append((time.perf_counter() - begun) * 1000)
        print(f"\n{name:28} {spread([one for held in times.values() for one in held])}")
        for language, held in times.items():
            print(f"  {language:26} {spread(held)}")
    library.close()
    # An exhaustive search takes a second or two: one question in ten, and two filters.
    compare(given.folder, [asked for _, asked in everything[::10]], dict(list(filters.items())[:3]))


def compare(folder: Path, asked: list[str], filters: dict[str, dict[str, Any] | None]) -> None:
    plans: list[Ranking] = []

    def planned(*given: Any) -> Ranking:
        plans.append(best(*given))
        return plans[-1]

    def whole(*given: Any) -> Ranking:
        return best(*given, exhaustive=True)

    print()
    attributes = plugins.attributes()
    with (
        SqliteStore(folder, attributes=attributes, ranker=planned) as ours,
        SqliteStore(folder, attributes=attributes, ranker=whole) as yardstick,
    ):
        for name, where in filters.items():
            plans.clear()
            same, first, total = 0.0, 0, 0
            for text in asked:
                query = Query(text, 10, where or {})
                got = [(chunk.chunk_id, score) for chunk, score, _ in ours.search(query)]
                right = [(chunk.chunk_id, score) for chunk, score, _ in yardstick.search(query)]
                same += (
                    len({score for _, score in got} & {score for _, score in right}) / len({s for _, s in right}) if right else 1
                )
                first += got[:1] == right[:1]
                total += 1
            complete = sum(plan.complete for plan in plans) / len(plans)
            print(f"{name:28} same {same / total:.4f}   same first {first / total:.4f}   complete {complete:.3f}")


if __name__ == "__main__":
    main()
