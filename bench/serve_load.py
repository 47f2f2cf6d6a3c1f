"""The service under load: searchers while files are ingested, and the first page of a large library.

    python bench/serve_load.py LIBRARY            a copy of LIBRARY is served; its own words are asked
    python bench/serve_load.py LIBRARY --documents 10000   the first page over that many small documents

Each searcher asks a question of its own words every `--every` seconds, as a person does who reads what comes back; with 0 all
ask without a pause, which measures throughput. Latency is what the client sees, HTTP and JSON included.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

import pecia
from pecia.library import Library

WORDS = (2, 6)  # of a question, or twice as many letters of a script without spaces


def questions(folder: Path, count: int, seed: int = 7) -> list[str]:
    """Runs of words of stored chunks, so that each question has answers."""
    draw = random.Random(seed)
    connection = sqlite3.connect(f"file:{folder / 'library.sqlite'}?mode=ro", uri=True)
    (last,) = connection.execute("SELECT max(id) FROM chunk").fetchone()
    found: list[str] = []
    while len(found) < count:
        row = connection.execute("SELECT record FROM chunk WHERE id = ?", (draw.randint(1, last),)).fetchone()
        text = json.loads(row[0])["source_text"] if row else ""
        size = draw.randint(*WORDS)
        words = text.split()
        if len(words) > 20:
            start = draw.randrange(len(words) - size)
            found.append(" ".join(words[start : start + size]))
        elif len(text) > 40:
            start = draw.randrange(len(text) - 2 * size)
            found.append(text[start : start + 2 * size].strip() or "x")
    connection.close()
    return found


class Served:
    """`pecia serve` over a folder, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "pecia", "serve", "-l", str(folder), "--port", "0", "-j", "1"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "400"})
        assert self._process.stderr
        line = self._process.stderr.readline()
        self.port = int(re.findall(r":(\d+)/", line)[0])
        threading.Thread(target=lambda: list(self._process.stderr or ()), daemon=True).start()
        while True:
            try:
                self.ask("GET", "/api/v1/health")
                return
            except OSError:
                time.sleep(0.1)

    def ask(self, verb: str, path: str, body: bytes = b"", **headers: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(verb, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        assert answer.status < 300, data[:300]
        return data

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()


async def searcher(port: int, asked: list[str], every: float, until: float, took: list[float], number: int) -> None:
    """One connection that asks until the time is over."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    draw = random.Random(number)
    await asyncio.sleep(draw.random() * every)
    while (start := time.monotonic()) < until:
        body = json.dumps({"query": draw.choice(asked), "k": 10}).encode()
        head = f"POST /api/v1/search HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        await reader.readexactly(int(re.findall(r"content-length: (\d+)", lines)[0]))
        assert " 200 " in lines.splitlines()[0], lines
        took.append(time.monotonic() - start)
        await asyncio.sleep(max(0.0, every - (time.monotonic() - start)))
    writer.close()


def multipart(files: list[tuple[str, bytes]]) -> tuple[bytes, str]:
    part = b'--b\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n'
    return b"".join(part % (name.encode(), data) for name, data in files) + b"--b--\r\n", "multipart/form-data; boundary=b"


def made(number: int, parts: int) -> bytes:
    draw = random.Random(number)
    words = ["harbour", "ledger", "tide", "pump", "clerk", "boom", "quay", "survey", "winter", "timber", "salt", "rope"]
    sections = (f"## Part {part}\n\n" + " ".join(draw.choices(words, k=120)) + ".\n" for part in range(parts))
    return (f"# File {number}\n\n" + "\n".join(sections)).encode()


def load(served: Served, folder: Path, searchers: int, seconds: float, every: float, files: int) -> dict[str, Any]:
    asked, took = questions(folder, 2000), list[float]()
    for number in range(5):
        served.ask("POST", "/api/v1/search", json.dumps({"query": asked[number]}).encode(), content_type="application/json")
    for start in range(0, files, 25):
        body, kind = multipart([(f"load-{number}.md", made(number, 30)) for number in range(start, min(files, start + 25))])
        served.ask("POST", "/api/v1/ingest?strategy=heading", body, content_type=kind)

    async def all_of_them() -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(searcher(served.port, asked, every, until, took, number) for number in range(searchers)))

    asyncio.run(all_of_them())
    jobs = json.loads(served.ask("GET", "/api/v1/jobs?limit=200"))["jobs"]
    states = [file["state"] for job in jobs for file in job["files"]]
    took.sort()
    return {
        "searchers": searchers,
        "answers": len(took),
        "a second": round(len(took) / seconds, 1),
        "median ms": round(1000 * median(took), 1),
        "p95 ms": round(1000 * took[int(0.95 * len(took))], 1),
        "largest ms": round(1000 * took[-1], 1),
        "files ingested meanwhile": states.count("done"),
        "still queued": states.count("queued") + states.count("running"),
    }


def first_page(folder: Path, documents: int) -> dict[str, Any]:
    """Median of the first page, of its second, and of the API's list, over a library of that many documents."""
    with Library(folder, keep_originals=False) as library, tempfile.TemporaryDirectory() as place:
        for number in range(documents):
            file = Path(place) / f"small-{number}.md"
            file.write_text(f"# Small {number}\n\nA short note about item {number}.\n", "utf-8")
            cutting = pecia.cut(pecia.parse(file), "heading")
            library.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
    served = Served(folder)
    figures: dict[str, Any] = {"documents": documents}
    for name, path in {
        "first page": "/documents",
        "search page": "/search?query=note+about+item+77",
        "list of the API": "/api/v1/documents",
    }.items():
        times = []
        for _ in range(12):
            start = time.monotonic()
            served.ask("GET", path)
            times.append(1000 * (time.monotonic() - start))
        figures |= {f"{name} first ms": round(times[0], 1), f"{name} median ms": round(median(times), 1)}
    served.end()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--searchers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--documents", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pecia-load-") as place:
        folder = Path(place) / "library"
        if given.documents:
            print(json.dumps(first_page(folder, given.documents)))
            return
        shutil.copytree(given.library, folder)
        served = Served(folder)
        try:
            print(json.dumps(load(served, folder, given.searchers, given.seconds, given.every, given.files)))
        finally:
            served.end()


if __name__ == "__main__":
    main()
