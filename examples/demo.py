"""`make demo`: ingests the examples, asks in four languages, shows each answer with its citation, and checks it.

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
DOCUMENTS = sorted(f"examples/{path.name}" for path in HERE.glob("[a-z]*") if path.suffix != ".py")
# A question, and the exact words that answer it, white space aside.
QUESTIONS = (
    ("lieu kevralol cho nguoi suy than nang", "Clcr dưới 15 ml/phút: không quá 25 mg, cách 48 giờ một lần."),
    ("東堤海濱長廊的南段何時開放？", "南段（由魚市場至燈塔廣場，約800米）將於今年7月1日率先開放"),
    (
        "How long did it take to close Tanner's Creek with a boom in the spill exercise?",
        "The first boom was across the mouth of Tanner’s Creek 41 minutes after the alarm; the plan allows 45.",
    ),
    ("Wanneer is het Sluismuseum op zaterdag open?", "| Zaterdag | 11.00 tot 17.00 | gesloten |"),
)


def pecia(*arguments: str, show: bool = True) -> str:
    """Runs the command; its output is shown, and returned where it is JSON for this script."""
    if show:
        print(f"\n$ pecia {shlex.join(arguments)}", flush=True)
    call = [sys.executable, "-m", "pecia", *arguments]
    done = subprocess.run(call, cwd=ROOT, check=True, text=True, encoding="utf-8", stdout=None if show else subprocess.PIPE)
    return done.stdout or ""


def answer(question: str, words: str) -> str:
    """The id of the first of two hits that holds the words; the demo fails where none does."""
    hits = json.loads(pecia("search", question, "--library", LIBRARY, "--json", "-k", "2", show=False))
    found = [hit["chunk_id"] for hit in hits if "".join(words.split()) in "".join(hit["source_text"].split())]
    if not found:
        sys.exit(f"no hit for {question!r} holds {words!r}")
    return str(found[0])


def main() -> None:
    shutil.rmtree(ROOT / LIBRARY, ignore_errors=True)
    print("1. Documents of many kinds are cut along their own structure, checked against the laws, and kept in a library.")
    pecia("ingest", *DOCUMENTS, "--strategy", "auto", "--library", LIBRARY)
    print("\n2. Questions are answered with citations: the place, and a quote that was compared with its source just now.")
    for question, words in QUESTIONS:
        pecia("search", question, "--library", LIBRARY, "-k", "2")
        answer(question, words)
    print("\n3. A quote is shown on its page, under its box.")
    question, words = QUESTIONS[0]
    image = f"{LIBRARY}/cited-page.png"
    pecia("cite", answer(question, words), "--library", LIBRARY, "--find", question, "--image", image)
    print("\n4. One museum stands in a register, a file of entities and a saved page: the most trusted is kept.")
    pecia("export", "--library", LIBRARY, "--canonical", "--where", "isil_code=NL-OwdSMO", "-o", f"{LIBRARY}/museum.jsonl")
    (record,) = map(json.loads, (ROOT / LIBRARY / "museum.jsonl").read_text("utf-8").splitlines())
    print(f"{record['source_name']}, line {record['line_start']}; also in", flush=True)
    for other in record["also_in"]:
        print(f"  {other['source_name']}: {other['reason']}", flush=True)
    print("\n5. Every chunk can be proved against the file again, by anyone.")
    first = DOCUMENTS[0]
    pecia("chunk", first, "--strategy", "heading", "-o", f"{LIBRARY}/chunks.jsonl")
    pecia("check", f"{LIBRARY}/chunks.jsonl", "--source", first)
    print(f"\nThe library stands in {LIBRARY}/; the cited page is {image}.")


if __name__ == "__main__":
    main()
