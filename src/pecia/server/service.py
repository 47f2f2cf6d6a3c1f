"""The parts of a running service, and the ingester that it keeps alive."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from ipaddress import ip_address
from pathlib import Path

from pecia.errors import OptionError
from pecia.library import Library
from pecia.server.jobs import Queue
from pecia.server.pictures import Pictures
from pecia.server.preview import Previewer
from pecia.server.searching import Searchers
from pecia.server.shelf import Shelf

LEAST_KEY = 16
_STOP_SECONDS = 10
_AGAIN_SECONDS = 0.5  # before an ingester that ended is started anew


class Service:
    """Everything that answers need. Opened once; `close` ends the processes.

    With `ingest` false nothing is taken from the queue: whoever runs several servers over one library needs that once.
    """

    def __init__(self, folder: Path, *, jobs: int | None = None, ingest: bool = True) -> None:
        self.folder = folder
        with Library(folder):  # a folder of something else is refused before anything is written there
            self.queue = Queue(folder)
        self.shelf, self.search = Shelf(folder, self.queue), Searchers(folder)
        self.pictures, self.preview = Pictures(), Previewer()
        self._jobs = jobs or max(1, (os.cpu_count() or 1) - 1)
        self._closing = threading.Event()
        self._ingester: subprocess.Popen[bytes] | None = None
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        if ingest:
            self._keeper.start()

    def _keep(self) -> None:
        """Starts the ingester, and again where it ended."""
        while not self._closing.is_set():
            command = [sys.executable, "-m", "pecia.server.ingester", str(self.folder), str(os.getpid()), str(self._jobs)]
            # Away from Ctrl-C, yet in the session of the searchers: among sessions `nice` counts for nothing on Linux.
            self._ingester = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
            while not self._closing.is_set() and self._ingester.poll() is None:
                self._closing.wait(_AGAIN_SECONDS)
            self._closing.wait(_AGAIN_SECONDS)

    @property
    def ingester(self) -> int | None:
        """The process id of the ingester, where one runs."""
        return self._ingester.pid if self._ingester and self._ingester.poll() is None else None

    def close(self) -> None:
        self._closing.set()
        if self._keeper.is_alive():
            self._keeper.join()
        if self._ingester and self._ingester.poll() is None:
            self._ingester.terminate()  # it puts back what it has in work
            try:
                self._ingester.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._ingester.kill()
                self._ingester.wait()
        self.preview.close()
        self.pictures.close()
        self.search.close()
        self.shelf.close()


def key_of(host: str, key: str) -> str:
    """The key that is asked for: none on a loopback address where none is set. OptionError where one must be set."""
    if key and len(key) < LEAST_KEY:
        raise OptionError(f"PECIA_SERVE_KEY has {len(key)} characters; at least {LEAST_KEY} are needed")
    if not key and not is_loopback(host):
        raise OptionError(f"{host} can be reached by other machines: set PECIA_SERVE_KEY, or serve on 127.0.0.1")
    return key


def is_loopback(host: str) -> bool:
    """True for an address, or its name, that leads to this machine alone."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
