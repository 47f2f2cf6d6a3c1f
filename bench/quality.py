"""Retrieval quality of a strategy on public question sets, by the library's own search.

    quality.py BENCHMARKS [--strategy token] [--max-tokens 200] [--target-tokens N] [--k 5] [--only NAME ...]
    quality.py BENCHMARKS --floors bench/floors.json [--lower]

BENCHMARKS holds `chunking_evaluation` (472 questions with exact excerpts over five texts) and `xquad` (paragraphs of 48
articles in Vietnamese and Chinese). Prints per set:
  intact    share of the excerpts that lie whole in one chunk
  IoU       characters shared by the first k chunks and the excerpts, over the characters of either; mean over questions
  R@k       share of the questions whose excerpts lie whole in the first k chunks
  over      chunks over the ceiling by a count of their text
Chunks of all texts of a set are in one library. With --floors the figures are held against the lowest accepted ones, and the
corpus against its hash; a drop or another corpus is exit code 1. --lower writes the figures as the new floors.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pecia.library import Library
from pecia.model import Document, Source, Span
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.text import parse_text
from pecia.pipeline import cut
from pecia.protocols import ParseOptions
from pecia.text.tokens import tokenizer


def nfc(text: str) -> str:
    """As the parser gives it: NFC, without a byte order mark in front."""
    return unicodedata.normalize("NFC", text).removeprefix("\ufeff")


@dataclass(frozen=True)
class Question:
    text: str
    document: str
    excerpts: tuple[Span, ...]


def document_of(name: str, data: bytes, media: str) -> Document:
    source = Source(name, name, media, hashlib.sha256(data).hexdigest())
    parser = parse_markdown if media == "text/markdown" else parse_text
    return next(parser(data, source, ParseOptions()))


def chunking_evaluation(folder: Path) -> tuple[dict[str, Document], list[Question]]:
    home = folder / "chunking_evaluation" / "chunking_evaluation" / "evaluation_framework" / "general_evaluation_data"
    files = sorted((home / "corpora").glob("*.md"))
    documents = {file.stem: document_of(file.name, file.read_bytes(), "text/markdown") for file in files}
    questions = []
    for row in csv.DictReader((home / "questions_df.csv").open(encoding="utf-8", newline="")):
        found = json.loads(row["references"])
        spans = tuple(Span(item["start_index"], item["end_index"]) for item in found)
        questions.append(Question(row["question"], row["corpus_id"], spans))
    return documents, questions


def xquad(folder: Path, language: str) -> tuple[dict[str, Document], list[Question]]:
    """Each article is a document of its paragraphs."""
    documents: dict[str, Document] = {}
    questions = []
    for article in json.loads((folder / "xquad" / f"xquad.{language}.json").read_text("utf-8"))["data"]:
        text, name = "", article["title"] if "title" in article else str(len(documents))
        for paragraph in article["paragraphs"]:
            start = len(text)
            text += nfc(paragraph["context"]) + "\n\n"
            for item in paragraph["qas"]:
                answer = item["answers"][0]
                at = start + len(nfc(paragraph["context"][: answer["answer_start"]]))
                questions.append(Question(item["question"], name, (Span(at, at + len(nfc(answer["text"]))),)))
        documents[name] = document_of(name, text.encode(), "text/plain")
        if documents[name].text != text:
            sys.exit(f"{name}: normalising moved the answers")
    return documents, questions


def measure(documents: dict[str, Document], questions: list[Question], k: int, strategy: str, options: dict) -> dict:
    cuttings = {name: cut(document, strategy, **options) for name, document in documents.items()}
    names = {document.id: name for name, document in documents.items()}
    count = tokenizer("cl100k_base").count
    intact = total = found = 0
    ious = []
    with tempfile.TemporaryDirectory() as folder, Library(Path(folder) / "library", keep_originals=False) as library:
        for cutting in cuttings.values():
            library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
        for question in questions:
            hits = [hit.chunk for hit in library.search(question.text, k=k)]
            own = [chunk.span for chunk in hits if names[chunk.document_id] == question.document]
            for excerpt in question.excerpts:
                total += 1
                intact += any(chunk.span.contains(excerpt) for chunk in cuttings[question.document].chunks)
            found += all(any(span.contains(excerpt) for span in own) for excerpt in question.excerpts)
            ious.append(iou(own, sum(len(chunk.span) for chunk in hits), question.excerpts))
    chunks = [chunk for cutting in cuttings.values() for chunk in cutting.chunks]
    return {
        "chunks": len(chunks),
        "intact": round(intact / total, 4),
        "IoU": round(sum(ious) / len(ious), 4),
        f"R@{k}": round(found / len(questions), 4),
        "over": sum(count(chunk.text) > chunk.max_tokens for chunk in chunks),
    }


def iou(own: list[Span], retrieved: int, excerpts: tuple[Span, ...]) -> float:
    wanted = set().union(*(range(span.start, span.end) for span in excerpts))
    held = set().union(*(range(span.start, span.end) for span in own))
    return len(wanted & held) / (retrieved + len(wanted - held))


def sets(folder: Path) -> Iterator[tuple[str, dict[str, Document], list[Question]]]:
    yield ("chunking_evaluation", *chunking_evaluation(folder))
    for language in ("vi", "zh"):
        yield (f"xquad.{language}", *xquad(folder, language))


def corpus_hash(documents: dict[str, Document], questions: list[Question]) -> str:
    """16 hex digits over all texts and questions of a set."""
    texts = json.dumps([sorted((name, document.text_hash) for name, document in documents.items()), [q.text for q in questions]])
    return hashlib.sha256(texts.encode()).hexdigest()[:16]


def below_floor(name: str, corpus: str, figures: dict, floors: dict) -> list[str]:
    """What is wrong with the figures of a set, one sentence each."""
    held = floors[name]
    if held["corpus"] != corpus:
        return [f"{name}: the corpus is {corpus}, the floors are of {held['corpus']}; measure and write them anew with --lower"]
    faults = [
        f"{name}: {metric} is {figures[metric]}, the floor is {floor}"
        for metric, floor in held["floors"].items()
        if figures[metric] < floor
    ]
    return faults + [f"{name}: {figures['over']} chunks over the ceiling"] * (figures["over"] > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--strategy", default="token")
    parser.add_argument("--max-tokens", type=int, default=200)
    parser.add_argument("--target-tokens", type=int)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--floors", type=Path)
    parser.add_argument("--lower", action="store_true", help="write the figures as the new floors")
    options = parser.parse_args()
    sizes = {"max_tokens": options.max_tokens, "overlap_tokens": 0}
    if options.target_tokens:
        sizes["target_tokens"] = options.target_tokens
    floors, faults = {}, []
    if options.floors and options.floors.exists():
        floors = json.loads(options.floors.read_text("utf-8"))
    for name, documents, questions in sets(options.folder):
        if options.only and name not in options.only:
            continue
        figures = measure(documents, questions, options.k, options.strategy, sizes)
        print(json.dumps({"set": name, **figures}), flush=True)
        corpus = corpus_hash(documents, questions)
        if options.lower:
            metrics = ("intact", "IoU", "R@5") if name == "chunking_evaluation" else ("R@5",)
            floors[name] = {"corpus": corpus, "floors": {metric: figures[metric] for metric in metrics}}
        elif options.floors:
            faults += below_floor(name, corpus, figures, floors)
    if options.lower:
        options.floors.write_text(json.dumps(floors, indent=1) + "\n", "utf-8")
    print(*faults, sep="\n", file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
