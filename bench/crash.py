"""Kills a process that writes a library, again and again, and looks at what is left.

    crash.py [--kills 100] [--seed 1]

The writer adds, changes and deletes documents and rebuilds the index, and says on a pipe what was acknowledged. It is ended by
SIGKILL at a random moment. Then the library must open, verify() must find no error, and every document must be as it was
acknowledged last, or as the one step that was under way would leave it.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pecia.library import Library
from pecia.model import Severity

WRITER = """
import json, random, sys
from pathlib import Path
from pecia import pipeline
from pecia.library import Library
from pecia.parsing.markdown import parse_markdown
from pecia.testing.documents import parsed

folder, seed = Path(sys.argv[1]), int(sys.argv[2])
picker = random.Random(seed)
def say(*step):
    sys.stdout.write(json.dumps(step) + "\\n"); sys.stdout.flush()
with Library(folder, keep_originals=False) as library:
    say("open")
    while True:
        name, version = f"{picker.randrange(6)}.md", picker.randrange(1000)
        step = picker.choice(["put", "put", "put", "delete", "rebuild"])
        say("start", step, name, version)
        if step == "put":
            more = "More of them. " * 8
            text = "".join(f"## Part {n}\\n\\nWords {version} of {name}, part {n}. {more}\\n\\n" for n in range(60))
            document = parsed(text.encode(), name, parse_markdown)
            cutting = pipeline.cut(document, "heading", max_tokens=60)
            library.add(document, cutting.chunks, strategy=cutting.strategy)
        elif step == "delete":
            uri = f"file:///{name}"
            if any(uri == found for held in library.documents() for found, _ in held.sources):
                library.delete(uri)
        else:
            library.rebuild()
        say("done", step, name, version)
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    picker = random.Random(options.seed)
    faults, acknowledged, state = 0, 0, dict[str, int | None]()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "library"
        for kill in range(options.kills):
            lines = _write_and_kill(folder, options.seed * 10_000 + kill, picker.uniform(0.0, 1.2))
            under_way: tuple[str, str, int] | None = None
            for what, *step in map(json.loads, lines):
                if what == "start":
                    under_way = (step[0], step[1], step[2])
                elif what == "done":
                    acknowledged += 1
                    _apply(state, step[0], step[1], step[2])
                    under_way = None
            faults += _look(folder, state, under_way)
    print(f"{options.kills} kills, {acknowledged} acknowledged steps, {faults} faults")
    return 1 if faults or not acknowledged else 0


def _write_and_kill(folder: Path, seed: int, seconds: float) -> list[str]:
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(seed)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout
    first = writer.stdout.readline()
    time.sleep(seconds)
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read()
    writer.wait()
    return [line for line in (first + rest).split("\n") if line.endswith("]")]


def _apply(state: dict[str, int | None], step: str, name: str, version: int) -> None:
    if step == "put":
        state[name] = version
    elif step == "delete":
        state[name] = None


def _look(folder: Path, state: dict[str, int | None], under_way: tuple[str, str, int] | None) -> int:
    """The number of faults; what the library holds becomes the state."""
    with Library(folder, keep_originals=False) as library:
        found = [finding for finding in library.verify() if finding.severity is Severity.ERROR]
        held = {}
        for chunk in library.export():
            held[chunk.source_name] = int(chunk.source_text.split("Words ")[1].split(" ")[0])
    after = dict(state)
    if under_way:
        _apply(after, *under_way)
    faults = len(found)
    for name in {*state, *after, *held}:
        if held.get(name) not in (state.get(name), after.get(name)):
            print(f"{name}: {held.get(name)}, acknowledged {state.get(name)}, under way {under_way}", file=sys.stderr)
            faults += 1
        state[name] = held.get(name)
    for finding in found:
        print(finding, file=sys.stderr)
    return faults


if __name__ == "__main__":
    sys.exit(main())
