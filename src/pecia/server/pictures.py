"""Pages as pictures and as files of their own, drawn in a child process with limits, the last ones kept in memory."""

from __future__ import annotations

import queue
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pecia import plugins
from pecia.model import Box, PageBox
from pecia.parsing.isolation import ParserProcess
from pecia.protocols import ParseOptions

PROCESSES = 2
KEPT_BYTES = 64 << 20  # a page at 144 dpi has 0.1 to 1 MB
_NOTHING = Box(-9, -9, -9, -9)  # a mark that no page shows


class Pictures:
    def __init__(self) -> None:
        self._free: queue.SimpleQueue[ParserProcess] = queue.SimpleQueue()
        self._processes = [ParserProcess() for _ in range(PROCESSES)]
        for process in self._processes:
            self._free.put(process)
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    def close(self) -> None:
        for process in self._processes:
            process.stop()

    def page(self, file: Path, media_type: str, sha256: str, page: int) -> bytes:
        """The PNG of a page, counted from 0; UnsupportedError for formats without pages."""
        key = (sha256, page)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = self._drawn(file, media_type, plugins.picture_path(media_type), [PageBox(page, _NOTHING)])
        with self._lock:
            self._kept[key] = made
            while sum(map(len, self._kept.values())) > KEPT_BYTES:
                self._kept.popitem(last=False)
        return made

    def excerpt(self, file: Path, media_type: str, pages: Sequence[int]) -> bytes:
        """A file with these pages alone."""
        return self._drawn(file, media_type, plugins.excerpt_path(media_type), [PageBox(page, _NOTHING) for page in pages])

    def _drawn(self, file: Path, media_type: str, drawer: str, marks: Sequence[PageBox]) -> bytes:
        with self.process() as process, tempfile.TemporaryDirectory(prefix="pecia-page-") as folder:
            path = Path(folder) / "drawn"
            list(process.parse(file, media_type, drawer, ParseOptions(picture=path, marks=tuple(marks))))
            return path.read_bytes()

    @contextmanager
    def process(self) -> Iterator[ParserProcess]:
        """One of the children, for this thread alone."""
        held = self._free.get()
        try:
            yield held
        finally:
            self._free.put(held)
