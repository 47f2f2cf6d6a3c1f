"""Speed of cutting beside other chunkers: `make bench TEXTS=FOLDER`, or `bench/speed.py FOLDER --peers PYTHON`.

FOLDER holds UTF-8 texts, `NAME.txt`. Every run is a fresh process that reads a text, then takes the time of its first
call on it (several chunkers remember what they counted, so a second call flatters them). Runs of all subjects are
interleaved, so that a machine that slows down slows all of them; what counts are the ratios. All cut at 800 cl100k
tokens, without overlap. pecia is timed from the document to the last record object; a peer, from its text to its chunks.

`--make` writes texts into FOLDER and stops: 1 MB each of made-up prose in Latin letters and in Han, and 5 MB without
spaces, without punctuation, and of Han without punctuation. Made-up words repeat less than real ones, which slows every
tokenizer that remembers words. `--growth NAME` repeats one text to 1, 4 and 16 MB and reports seconds and memory per megabyte.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

CEILING = 800
LARGE = 2_000_000  # bytes; on larger texts only pecia runs, once: peers take up to a minute on 5 MB without spaces
HERE = Path(__file__).resolve()
OURS = [f"{strategy} {way}" for way in ("gigatoken", "tiktoken") for strategy in ("token", "heading", "page")]
PEERS = ["chonkie", "langchain", "semchunk"]
ALONE = ["counting gigatoken", "counting tiktoken"]


def main() -> int:
    options = _options()
    if options.one:
        print(json.dumps(_one(options.one, options.folder)))
        return 0
    if options.make:
        _make(options.folder)
    elif options.growth:
        _growth(options)
    else:
        named = [options.folder / f"{name}.txt" for name in options.names]
        for text in named or sorted(options.folder.glob("*.txt"), key=lambda path: path.stat().st_size):
            _table(options, text)
    return 0


def _table(options: argparse.Namespace, text: Path) -> None:
    large = text.stat().st_size >= LARGE
    subjects = [*(PEERS if options.peers and not large else []), *OURS, *ALONE]
    repeats = 1 if large else options.repeats
    runs = _interleaved(subjects, text, repeats, options.peers)
    print(f"\n{text.stem}: {text.stat().st_size / 1e6:.2f} MB, {repeats} runs each, interleaved")
    print(f"{'':20} {'MB/s':>7} {'× chonkie':>10} {'chunks':>8}")
    for subject in subjects:
        speeds = [run["mb"] / run["seconds"] for run in runs[subject]]
        times = [a["seconds"] / b["seconds"] for a, b in zip(runs.get("chonkie", []), runs[subject], strict=False)]
        ratio = f"{statistics.median(times):10.2f}" if times else " " * 10
        chunks = f"{runs[subject][0]['chunks']:8}" if subject not in ALONE else ""
        print(f"{subject:20} {statistics.median(speeds):7.1f} {ratio} {chunks}".rstrip(), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of texts; with --one the file itself")
    parser.add_argument("--names", nargs="*", default=[], help="texts of the folder, without .txt")
    parser.add_argument("--peers", help="the Python that has bench/requirements.txt installed")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--growth", metavar="NAME")
    parser.add_argument("--one", metavar="SUBJECT", help="one run in this process, as JSON")
    return parser.parse_args()


def _interleaved(subjects: list[str], text: Path, repeats: int, peers: str) -> dict[str, list[dict]]:
    runs = defaultdict(list)
    for _ in range(repeats):
        for subject in subjects:
            runs[subject].append(_fresh(subject, text, peers if subject in PEERS else sys.executable))
    return runs


def _fresh(subject: str, text: Path, python: str) -> dict:
    done = subprocess.run([python, str(HERE), str(text), "--one", subject], check=True, capture_output=True, text=True)
    run: dict = json.loads(done.stdout)
    return run


def _growth(options: argparse.Namespace) -> None:
    unit = (options.folder / f"{options.growth}.txt").read_text(encoding="utf-8")
    print(f"\n{options.growth} repeated: milliseconds per MB, and bytes of memory per byte of text")
    with tempfile.TemporaryDirectory() as folder:
        for subject in ("token gigatoken", "token tiktoken"):
            for size in (1, 4, 16):
                path = Path(folder) / f"{size}.txt"
                path.write_text((unit * (1 + size * 1_000_000 // len(unit.encode())))[: size * len(unit)], encoding="utf-8")
                runs = [_fresh(subject, path, sys.executable) for _ in range(options.repeats)]
                spent = statistics.median(run["seconds"] / run["mb"] for run in runs)
                memory = statistics.median(run["growth"] / run["mb"] / 1e6 for run in runs)
                print(f"{subject:20} {runs[0]['mb']:6.1f} MB {1000 * spent:8.1f} {memory:8.2f}")


def _make(folder: Path) -> None:
    """Prose that is not prose, and texts that leave a chunker nothing to hold on to."""
    chance = random.Random(7)
    latin = ["".join(chance.choices("abcdefghiklmnopqrstuvwy", k=chance.randint(2, 9))) for _ in range(5000)]
    han = [chr(chance.randint(0x4E00, 0x6FFF)) for _ in range(3000)]
    texts = {
        "latin_prose": (1_000_000, _prose(chance, latin, " ", ", ", ". ")),
        "han_prose": (1_000_000, _prose(chance, han, "", "，", "。")),
        "no_spaces": (5_000_000, "".join(chance.choices(latin, k=900_000))),
        "no_punctuation": (5_000_000, " ".join(chance.choices(latin, k=800_000))),
        "han_no_punctuation": (5_000_000, "".join(chance.choices(han, k=1_666_000))),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, (size, text) in texts.items():
        (folder / f"{name}.txt").write_bytes(text.encode()[:size].decode(errors="ignore").encode())


def _prose(chance: random.Random, words: list[str], space: str, comma: str, stop: str) -> str:
    def sentence() -> str:
        clauses = (space.join(chance.choices(words, k=chance.randint(4, 12))) for _ in range(chance.randint(1, 4)))
        return comma.join(clauses).capitalize() + stop

    return "\n\n".join("".join(sentence() for _ in range(chance.randint(2, 9))) for _ in range(3000))


def _one(subject: str, path: Path) -> dict:
    from time import perf_counter

    data = path.read_bytes()
    run = PEER[subject]() if subject in PEER else _ours(subject, data)
    text = data.decode()
    before = _peak_reset()
    start = perf_counter()
    chunks = run(text)
    seconds = perf_counter() - start
    return {"seconds": seconds, "mb": len(data) / 1e6, "chunks": chunks, "growth": _status("VmHWM") - before}


def _ours(subject: str, data: bytes) -> Callable[[str], int]:
    import hashlib

    from pecia import plugins
    from pecia.model import Source
    from pecia.parsing.text import parse_text
    from pecia.protocols import ParseOptions
    from pecia.text import tokens

    name, way = subject.split()
    source = Source("text", "text", "text/plain", hashlib.sha256(data).hexdigest())
    document = next(parse_text(data, source, ParseOptions()))
    # Last, as the peers do: a vocabulary of 100,000 entries just built is still in the processor's caches.
    counter = tokens.Cl100k(fast=way == "gigatoken")
    if name == "counting":
        # More tokens than characters: Chinese has them.
        return lambda text: counter.index(text).furthest(0, len(text), 4 * len(text))
    by_name = tokens.tokenizer
    tokens.tokenizer = lambda asked=tokens.CL100K: counter if asked == tokens.CL100K else by_name(asked)  # type: ignore[assignment]
    strategy = plugins.strategy(name, max_tokens=CEILING, overlap_tokens=0)
    return lambda text: sum(1 for _ in strategy.chunk(document, strategy.segment(document)))


def _tiktoken():
    """cl100k_base as tiktoken itself builds it, its special tokens included, from pecia's vocabulary and pattern: no download."""
    import base64

    import tiktoken

    sys.path.insert(0, str(HERE.parents[1] / "src"))  # the Python of the peers has no pecia
    from pecia.text.tokens import CL100K, CL100K_PATTERN, cl100k_vocabulary

    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, cl100k_vocabulary().splitlines())}
    special = {"<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259}
    special |= {"<|fim_suffix|>": 100260, "<|endofprompt|>": 100276}
    return tiktoken.Encoding(CL100K, pat_str=CL100K_PATTERN, mergeable_ranks=ranks, special_tokens=special)


def _chonkie():
    from chonkie import RecursiveChunker  # type: ignore[import-not-found]
    from chonkie.tokenizer import AutoTokenizer  # type: ignore[import-not-found]

    chunker = RecursiveChunker(tokenizer=AutoTokenizer(_tiktoken()), chunk_size=CEILING)
    return lambda text: len(chunker.chunk(text))


def _langchain():
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # type: ignore[import-not-found]

    encoding = _tiktoken()
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=CEILING, chunk_overlap=0, length_function=lambda text: len(encoding.encode(text, disallowed_special=()))
    )
    return lambda text: len(splitter.split_text(text))


def _semchunk():
    import semchunk  # type: ignore[import-not-found]

    encoding = _tiktoken()
    chunker = semchunk.chunkerify(lambda text: len(encoding.encode(text, disallowed_special=())), CEILING)
    return lambda text: len(chunker(text))


PEER = {"chonkie": _chonkie, "langchain": _langchain, "semchunk": _semchunk}


def _status(field: str) -> int:
    """Bytes of a line of /proc/self/status; 0 where there is none."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(field + ":")), 0)


def _peak_reset() -> int:
    """Sets the peak of this process back to what it holds, and gives that."""
    import gc

    gc.collect()
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return 0
    return _status("VmRSS")


if __name__ == "__main__":
    raise SystemExit(main())
