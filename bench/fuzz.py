"""Feeds damaged files to a parser and keeps what breaks it, minimised, as a seed of tests/test_seeds.py.

    python -m bench.fuzz --parser docx --seconds 3600 [--engine mutate|hypothesis|atheris] [--start FOLDER ...] [--save FOLDER]

Every file goes straight to the parser function, in this process; the documents that come out are cut by three strategies and
checked. A fault is: an exception that is no DocumentError, a broken promise or law, more than 10 s of CPU, more memory than
--memory, the end of the process. Files are damaged along their own structure: elements of XML, parts of a package with the XML in
them, streams of a PDF, lines of a text; then, sometimes, byte by byte.

`mutate` keeps files that show something new (another error, other kinds of blocks) and goes on from them. `hypothesis` draws
the same damage, and texts of its own. `atheris` (pip install atheris; not in the lock, it has no wheels for every platform)
goes on from files that reach new lines of the parser. --start gives folders with files to begin with, besides the seeds.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import importlib
import itertools
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from bench.damage import Damage, damage_for

ROOT = Path(__file__).parents[1]
SLOW, HUNG = 10, 30  # seconds of CPU: an exception after the first, the end of the process after the second (native code)
POOL, LARGEST = 3000, 60_000  # files to go on from, bytes of one
Trial = Callable[[bytes], Any]


class Slow(BaseException):
    """One file took too long; no `except Exception` of a parser may swallow it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--parser", required=True, help="text, markdown, html, xml, docx, pdf: the last word of its module's name"
    )
    parser.add_argument("--seconds", type=float, default=3600, help="of CPU")
    parser.add_argument("--engine", choices=("mutate", "hypothesis", "atheris"), default="mutate")
    parser.add_argument("--start", type=Path, nargs="*", default=[], help="folders of files to begin with")
    parser.add_argument("--save", type=Path, default=ROOT / "tests" / "seeds", help="where faults go")
    parser.add_argument("--pool", type=Path, help="a folder for files that showed something new, to go on from another time")
    parser.add_argument("--memory", type=int, default=1024, help="MiB that one file may take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)  # set for the worker that does it
    options = parser.parse_args()
    return work(options) if options.work else supervise(options)


def supervise(options: argparse.Namespace) -> int:
    """Starts workers until the time is used up: a worker that a file ended is followed by another."""
    spent, runs, executed, faults = 0.0, 0, 0, set[str]()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "found").mkdir()
        if options.pool:
            options.pool.mkdir(parents=True, exist_ok=True)
            (place / "pool").symlink_to(options.pool.resolve())
        else:
            (place / "pool").mkdir()
        while spent < options.seconds and runs < 500:
            runs += 1
            arguments = [*sys.argv[1:], "--work", folder, "--seconds", str(options.seconds - spent), "--seed"]
            call = [sys.executable, "-m", "bench.fuzz", *arguments, str(options.seed + 1000 * runs)]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            code = subprocess.run(call, cwd=ROOT, check=False).returncode
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            stats = json.loads((place / "stats.json").read_text()) if (place / "stats.json").exists() else {}
            executed += stats.get("executed", 0)
            (place / "stats.json").unlink(missing_ok=True)
            if code in {-signal.SIGKILL, -signal.SIGTERM}:
                say("the worker was killed from outside, perhaps for want of memory; no file is blamed for it")
            elif code and (place / "current").exists():
                data = (place / "current").read_bytes()
                note(place, "hang" if code == -signal.SIGPROF else f"ended with {code}", data, "")
            faults |= _keep(options, place, faults)
            say(f"{options.parser}: {executed:,} files in {spent:,.0f} s of CPU, {len(faults)} faults; {stats}")
            if runs > 3 and not executed:
                return 2
    return 1 if faults else 0


def _keep(options: argparse.Namespace, place: Path, known: set[str]) -> set[str]:
    """Minimises what is new and saves it."""
    found = set()
    for path in sorted((place / "found").glob("*.txt")):
        name = path.read_text("utf-8").partition("\n")[0]
        if name in known:
            continue
        found.add(name)
        target = options.save / options.parser / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')[:60]}-{path.stem[:6]}"
        target.parent.mkdir(parents=True, exist_ok=True)
        data = path.with_suffix(".bin").read_bytes()
        target.write_bytes(data)
        target.write_bytes(minimised(data, name, options))
        say(f"FAULT {options.parser}: {path.read_text('utf-8')}  saved as {target.name}, {target.stat().st_size} bytes")
    return found


def work(options: argparse.Namespace) -> int:
    """One worker: runs the engine until its time is over."""
    place: Path = options.work
    if options.engine == "atheris":
        atheris = importlib.import_module("atheris")
        with atheris.instrument_imports(include=["pecia.parsing"]):
            trial = trial_of(options.parser)
    else:
        trial = trial_of(options.parser)
    starts = list(_starts(options))
    runner = Runner(place, trial, options, damage_for(options.parser, starts), starts)
    {"mutate": _mutate, "hypothesis": _hypothesis, "atheris": _atheris}[options.engine](runner)
    runner.write()
    return 0


def trial_of(parser: str) -> Trial:
    from tests.test_seeds import parsers, trial

    media, parse = parsers()[parser]
    return lambda data: trial(media, parse, data)


def _starts(options: argparse.Namespace) -> Iterator[bytes]:
    """The files to begin with: seeds, files of the folders that this parser reads, files that showed something new."""
    from tests.test_seeds import SEEDS, parsers

    from pecia.errors import PeciaError
    from pecia.parsing.media import HEAD, media_type

    media = parsers()[options.parser][0]
    yield b""
    yield from (path.read_bytes() for path in sorted((SEEDS / options.parser).glob("*")))
    yield from (path.read_bytes() for path in sorted((options.work / "pool").glob("*")))
    for path in sorted(item for folder in options.start for item in folder.rglob("*") if item.is_file()):
        if path.stat().st_size <= LARGEST:
            data = path.read_bytes()
            try:
                fits = media_type(path.name, data[:HEAD]) == media
            except PeciaError:
                continue
            if fits:
                yield data


class Runner:
    """Tries one file after the other and remembers what they showed."""

    def __init__(self, place: Path, trial: Trial, options: argparse.Namespace, damage: Damage, starts: list[bytes]) -> None:
        self.place, self.damage, self.pool, self.good = place, damage, starts, list[bytes]()
        self.random = random.Random(options.seed)
        self.begun, self.seconds, self.executed = time.process_time(), options.seconds, 0
        self._trial, self._shown, self._written = trial, dict[str, int](), time.monotonic()
        self._faults = {path.read_text("utf-8").partition("\n")[0] for path in (place / "found").glob("*.txt")}
        limit_memory(options.memory)
        signal.signal(signal.SIGVTALRM, _slow)

    def over(self) -> bool:
        return time.process_time() - self.begun > float(self.seconds)

    def run(self, data: bytes) -> str:
        """Tries one file; "" or the name of its fault."""
        self.executed += 1
        (self.place / "current").write_bytes(data)
        name, trace, shown = judged(self._trial, data)
        if name and name not in self._faults:
            self._faults.add(name)
            note(self.place, name, data, trace)
        if shown not in self._shown and len(self.pool) < POOL and len(data) <= LARGEST:
            if shown.startswith("1 "):
                self.good.append(data)
            self.pool.append(data)
            (self.place / "pool" / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
        self._shown[shown] = self._shown.get(shown, 0) + 1
        if time.monotonic() - self._written > 20:
            self.write()
        return name

    def write(self) -> None:
        self._written = time.monotonic()
        refused = sum(count for shown, count in self._shown.items() if shown.startswith("error"))
        stats = {"executed": self.executed, "refused": refused, "shapes": len(self._shown), "pool": len(self.pool)}
        (self.place / "stats.json").write_text(json.dumps(stats))


def judged(trial: Trial, data: bytes) -> tuple[str, str, str]:
    """(name of the fault or "", its trace, what the file showed) of one trial, in limited time."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOW)
    signal.setitimer(signal.ITIMER_PROF, HUNG)
    try:
        return "", "", _shape(trial(data))
    except (Exception, Slow) as error:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        name = _name(error)
        return name, "".join(traceback.format_exception(error))[-3000:], name
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _slow(*_: object) -> NoReturn:
    raise Slow


def _name(error: BaseException) -> str:
    """One name for one fault: what was raised, and the last function of pecia that it came through or the law it broke."""
    if isinstance(error, AssertionError) and ":" in str(error):
        return f"broken {str(error).partition(':')[0]}"
    frames = [item for item in traceback.extract_tb(error.__traceback__) if "pecia" in Path(item.filename).parts]
    place = f"{Path(frames[-1].filename).stem} {frames[-1].name}" if frames and not isinstance(error, Slow) else ""
    return f"{type(error).__name__} {place}".strip()


def _shape(result: Any) -> str:
    """What sets one outcome apart from another, coarsely: file after file of one shape teaches little."""
    if isinstance(result, Exception):
        return f"error {type(result).__name__} {re.sub(r'[0-9]+|[^a-zA-Z ]+', '', str(result))[:60]}"
    parts = []
    for document in result:
        kinds = sorted({block.kind.value for block in document.blocks})
        counts = (
            len(document.blocks),
            len(document.tables),
            len(document.furniture),
            len(document.pages),
            len(document.text) // 50,
        )
        reasons = sorted({item.reason for item in document.dropped} | {finding.rule for finding in document.findings})
        parts.append(f"{kinds} {[count.bit_length() for count in counts]} {reasons}")
    return f"{len(result)} {parts[:3]}"


def _mutate(runner: Runner) -> None:
    for data in list(runner.pool):
        runner.run(data)
    while not runner.over():
        picker = runner.random
        # Mostly from files that were read to the end, half of the time from the newest: what they show has been tried least.
        base = runner.good if runner.good and picker.random() < 0.85 else runner.pool
        recent = base[-100:] if picker.random() < 0.5 else base
        runner.run(runner.damage(picker, picker.choice(recent), runner.pool)[: 4 * LARGEST])


def _hypothesis(runner: Runner) -> None:
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st

    starts = tuple(runner.pool)
    for number in itertools.count(runner.random.randrange(1 << 30)):
        if runner.over():
            return

        @seed(number)
        @settings(
            max_examples=400,
            deadline=None,
            database=None,
            phases=[Phase.generate],  # a fault is kept and not raised; the supervisor makes it smaller
            suppress_health_check=list(HealthCheck),
        )
        @given(st.sampled_from(starts), st.randoms(use_true_random=False), st.text(max_size=40))
        def search(start: bytes, picker: random.Random, text: str) -> None:
            data = runner.damage(picker, start, [*starts[:50], text.encode("utf-8", "surrogatepass")])
            runner.run(data[:LARGEST])

        search()


def _atheris(runner: Runner) -> None:
    atheris = importlib.import_module("atheris")

    def try_one(data: bytes) -> None:
        runner.run(data)
        if runner.over():
            runner.write()
            os._exit(0)  # libFuzzer has no way to stop from within

    def mutator(data: bytes, largest: int, seed: int) -> bytes:
        picker = random.Random(seed)
        start = picker.choice(runner.pool) if picker.random() < 0.1 else data
        return runner.damage(picker, start, runner.pool)[:largest]

    corpus = runner.place / "corpus"
    corpus.mkdir(exist_ok=True)
    for data in runner.pool:
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    arguments = [
        sys.argv[0],
        str(corpus),
        f"-max_len={LARGEST}",
        "-rss_limit_mb=0",
        "-timeout=600",
        "-verbosity=0",
    ]
    atheris.Setup([*arguments, f"-artifact_prefix={runner.place}/"], try_one, custom_mutator=mutator)
    atheris.Fuzz()


def note(place: Path, name: str, data: bytes, trace: str) -> None:
    """Keeps a fault for the supervisor."""
    stem = hashlib.sha256(name.encode()).hexdigest()[:16]
    (place / "found" / f"{stem}.bin").write_bytes(data)
    (place / "found" / f"{stem}.txt").write_text(f"{name}\n{trace}", "utf-8")


def minimised(data: bytes, name: str, options: argparse.Namespace) -> bytes:
    """A smaller file with the same fault: parts are left out while the fault stays, for a minute at most."""
    trial, until = trial_of(options.parser), time.monotonic() + 60

    def same(candidate: bytes) -> bool:
        return time.monotonic() < until and fate(trial, candidate, options.memory) == name

    if not same(data):
        return data
    for smaller in damage_for(options.parser, [data]).smaller:
        data = smaller(data, same)
    return data


def fate(trial: Trial, data: bytes, memory: int) -> str:
    """The name of a file's fault, found in a child of its own, since it may end the process."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        limit_memory(memory)
        signal.signal(signal.SIGVTALRM, _slow)
        os.write(writing, judged(trial, data)[0].encode()[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        name = pipe.read().decode()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return name if not code else "hang" if code == -signal.SIGPROF else f"ended with {code}"


def limit_memory(mebibytes: int) -> None:
    """Address space: what is taken now and this much more. No core files, and no child that outlives its parent."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (mebibytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
