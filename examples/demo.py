"""`make demo`: ingests the examples, asks questions in three languages, shows each answer with its citation, and checks it.

Runs the commands that a person would type, and prints them.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARY = "demo-library"
DOCUMENTS = sorted(
    f"examples/{path.name}" for path in HERE.iterdir() if path.suffix in {".pdf", ".txt"} or path.name == "archive-guide.md"
)


def pecia(*arguments: str, show: bool = True) -> str:
    """Runs the command; its output is shown, and returned where it is JSON for this script."""
    if show:
        print(f"\n$ pecia {shlex.join(arguments)}", flush=True)
    call = [sys.executable, "-m", "pecia", *arguments]
    done = subprocess.run(call, cwd=ROOT, check=True, text=True, encoding="utf-8", stdout=None if show else subprocess.PIPE)
    return done.stdout or ""


def main() -> None:
    shutil.rmtree(ROOT / LIBRARY, ignore_errors=True)
    print("1. Real documents are cut along their own structure, checked against the laws, and kept in a library.")
    pecia("ingest", *DOCUMENTS, "--strategy", "auto", "--max-tokens", "300", "--library", LIBRARY)
    print(
        "\n2. Questions are answered with citations: both page numbers, and a quote that was compared with its source just now."
    )
    questions = [json.loads(line) for line in (HERE / "questions.jsonl").read_text("utf-8").splitlines()]
    asked = {question["lang"]: question for question in reversed(questions)}.values()
    for question in asked:
        pecia("search", question["question"], "--library", LIBRARY, "-k", "2")
    print("\n3. A quote is shown on its page, under its box.")
    question = next(item for item in questions if item["physical_page"] is not None)
    hits = json.loads(pecia("search", question["question"], "--library", LIBRARY, "--json", "-k", "5", show=False))
    words = "".join(question["quote"].split())
    hit = next(hit for hit in hits if words in "".join(hit["source_text"].split()))
    pecia("cite", hit["chunk_id"], "--library", LIBRARY, "--find", question["question"], "--image", f"{LIBRARY}/cited-page.png")
    print("\n4. Every chunk can be proved against the file again, by anyone.")
    first = DOCUMENTS[0]
    pecia("chunk", first, "--strategy", "heading", "-o", f"{LIBRARY}/chunks.jsonl")
    pecia("check", f"{LIBRARY}/chunks.jsonl", "--source", first)
    print(f"\nThe library stands in {LIBRARY}/; the cited page is {LIBRARY}/cited-page.png.")


if __name__ == "__main__":
    main()
