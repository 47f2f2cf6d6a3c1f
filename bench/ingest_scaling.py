"""Time, processor time and memory of `pecia ingest` with one process and with several, over the same files.

    python -m bench.ingest_scaling FOLDER [--files 120] [--jobs 2] [--repeats 3] [--seed 1]

Takes files of accepted types below FOLDER at random and ingests them into a fresh library, with one job and with several in
turn, so that what else runs on the machine disturbs both. `CPU` is user and system time of all processes, parsers included:
on a busy machine it says what the wall clock cannot. `memory` is the peak of the process that writes. The ratio is the median
of those of the pairs. Linux only: orphans are taken over, so that the time of each is counted, and /proc is read.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pecia.errors import DocumentError
from pecia.parsing.isolation import sniff

PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Run:
    """Seconds and megabytes of one ingest."""

    wall: float
    cpu: float
    memory: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=120)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    files = sorted(path for path in options.folder.rglob("*") if path.is_file() and _accepted(path))
    chosen = sorted(random.Random(options.seed).sample(files, min(options.files, len(files))))
    size = sum(path.stat().st_size for path in chosen) / 1e6
    print(f"{len(chosen)} files, {size:.1f} MB, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    runs: dict[int, list[Run]] = {1: [], options.jobs: []}
    for repeat in range(options.repeats):
        for jobs in (1, options.jobs) if repeat % 2 == 0 else (options.jobs, 1):
            runs[jobs].append(_ingest(chosen, jobs))
    print("| jobs | wall, s | CPU, s | memory, MB |\n| ---: | ---: | ---: | ---: |")
    for jobs, found in runs.items():
        cells = (statistics.median(getattr(run, name) for run in found) for name in ("wall", "cpu", "memory"))
        print("| {} | {:.1f} | {:.1f} | {:.0f} |".format(jobs, *cells))
    for name in ("wall", "cpu"):
        ratios = sorted(getattr(one, name) / getattr(more, name) for one, more in zip(runs[1], runs[options.jobs], strict=True))
        print(f"{name}: {statistics.median(ratios):.2f} times as much with one job ({ratios[0]:.2f} to {ratios[-1]:.2f})")


def _accepted(path: Path) -> bool:
    try:
        sniff(path)
    except DocumentError:
        return False
    return True


def _ingest(files: list[Path], jobs: int) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        before, started, peak = _used(), time.perf_counter(), 0
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "pecia",
                "ingest",
                *map(str, files),
                "--strategy",
                "auto",
                "--library",
                folder,
                "--jobs",
                str(jobs),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None:
            peak = max(peak, _peak(process.pid))
            time.sleep(0.02)
        wall = time.perf_counter() - started
        if process.returncode not in (0, 3):  # 3: a file of the folder is broken
            raise SystemExit(f"ingest ended with {process.returncode}")
        with suppress(ChildProcessError):  # parsers that outlived their worker for a moment
            while True:
                os.waitpid(-1, 0)
        return Run(wall, _used() - before, peak / 1024)


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _peak(process: int) -> int:
    """The largest resident size so far, in KB."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text("ascii", "replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


if __name__ == "__main__":
    main()
