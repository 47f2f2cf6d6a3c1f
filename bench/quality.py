"""Retrieval quality of a strategy on public question sets, by BM25 over the analysed text of chunks.

    quality.py BENCHMARKS [--strategy token] [--max-tokens 200] [--target-tokens N] [--k 5] [--only NAME ...]

BENCHMARKS holds `chunking_evaluation` (472 questions with exact excerpts over five texts) and `xquad` (paragraphs of 48
articles in Vietnamese and Chinese). Prints per set:
  intact    share of the excerpts that lie whole in one chunk
  IoU       characters shared by the first k chunks and the excerpts, over the characters of either; mean over questions
  R@k       share of the questions whose answer lies whole in one of the first k chunks
Chunks of all texts of a set are ranked together.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import bm25s

from pecia.model import Chunk, Document, Source, Span
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.text import parse_text
from pecia.pipeline import cut
from pecia.protocols import ParseOptions
from pecia.text.analysis import query_terms, terms


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
    chunks: list[tuple[str, Chunk]] = [
        (name, chunk) for name, document in documents.items() for chunk in cut(document, strategy, **options).chunks
    ]
    ranker = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    corpus = [terms(chunk.text) for _, chunk in chunks]
    ranker.index(corpus, show_progress=False)
    intact = total = found = 0
    ious = []
    for question in questions:
        query = [term for term in query_terms(question.text) if term in ranker.vocab_dict]
        top, _ = ranker.retrieve([query or [""]], k=k, show_progress=False)
        hits = [chunks[index] for index in top[0]]
        own = [chunk.span for name, chunk in hits if name == question.document]
        for excerpt in question.excerpts:
            total += 1
            intact += any(chunk.span.contains(excerpt) for name, chunk in chunks if name == question.document)
        found += all(any(span.contains(excerpt) for span in own) for excerpt in question.excerpts)
        ious.append(iou(own, sum(len(chunk.span) for _, chunk in hits), question.excerpts))
    return {
        "chunks": len(chunks),
        "intact": round(intact / total, 4),
        "IoU": round(sum(ious) / len(ious), 4),
        f"R@{k}": round(found / len(questions), 4),
        "over": sum(chunk.est_tokens > chunk.max_tokens for _, chunk in chunks),
    }


def iou(own: list[Span], retrieved: int, excerpts: tuple[Span, ...]) -> float:
    wanted = set().union(*(range(span.start, span.end) for span in excerpts))
    held = set().union(*(range(span.start, span.end) for span in own))
    return len(wanted & held) / (retrieved + len(wanted - held))


def sets(folder: Path) -> Iterator[tuple[str, dict[str, Document], list[Question]]]:
    yield ("chunking_evaluation", *chunking_evaluation(folder))
    for language in ("vi", "zh"):
        yield (f"xquad.{language}", *xquad(folder, language))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--strategy", default="token")
    parser.add_argument("--max-tokens", type=int, default=200)
    parser.add_argument("--target-tokens", type=int)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    sizes = {"max_tokens": options.max_tokens, "overlap_tokens": 0}
    if options.target_tokens:
        sizes["target_tokens"] = options.target_tokens
    for name, documents, questions in sets(options.folder):
        if not options.only or name in options.only:
            print(json.dumps({"set": name, **measure(documents, questions, options.k, options.strategy, sizes)}))


if __name__ == "__main__":
    main()
