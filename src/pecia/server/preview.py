"""What an upload would become: chunks, findings, and what each strategy's `detect` says, with nothing written."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pecia import pipeline, plugins
from pecia.batch import Told, Worker
from pecia.errors import BrokenError, LimitError
from pecia.model import Document
from pecia.settings import settings

MOST_CHUNKS = 200  # that are shown; all of them are counted
MOST_FINDINGS = 100
_HEAR_SECONDS = 0.2
_last: tuple[str, tuple[Document, ...]] | None = None  # in the worker process: the file that was parsed last


class Previewer:
    """One worker process, one preview at a time: whoever tries strategies on a file has it parsed once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: Worker | None = None

    def close(self) -> None:
        with self._lock:
            self._end()

    def __call__(self, path: Path, sha256: str, strategy: str, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        """One object for each document of the file; LimitError where it takes longer than the settings allow."""
        with self._lock:
            deadline = time.monotonic() + settings().preview_seconds
            if self._worker is None or not self._worker.process.is_alive():
                self._end()
                self._worker = Worker(memory=settings().parse_memory_bytes)
            try:
                self._worker.ask(preview_file, path, sha256, strategy, dict(options))
                while (answer := self._worker.hear(_HEAR_SECONDS)) is None:
                    if time.monotonic() > deadline:
                        self._end()
                        seconds = settings().preview_seconds
                        raise LimitError(
                            f"{path.name}: a preview takes longer than {seconds} s (PECIA_PREVIEW_SECONDS); ingest it"
                        )
            except (EOFError, OSError) as error:
                self._end()
                raise BrokenError(f"{path.name}: the process that cut it ended", stage="chunk") from error
            return list(answer)

    def _end(self) -> None:
        if self._worker:
            self._worker.end()
            self._worker = None


def preview_file(path: Path, sha256: str, strategy: str, options: Mapping[str, Any], told: Told) -> list[dict[str, Any]]:
    """In the worker process; DocumentError for a file that cannot be read."""
    global _last  # noqa: PLW0603  the process is ours alone, and parsing is what takes long
    key = f"{sha256} {path.name}"
    if _last is None or _last[0] != key:
        _last = None
        _last = (key, tuple(pipeline.parse_all(path)))
    return [_previewed(document, strategy, options) for document in _last[1]]


def _previewed(document: Document, strategy: str, options: Mapping[str, Any]) -> dict[str, Any]:
    cutting = pipeline.cut(document, strategy, **options)
    findings = list(cutting.findings())
    return {
        "source_name": document.source.name,
        "strategy": strategy,
        "cut_by": cutting.strategy.name,
        "reason": cutting.reason,
        "page_count": len(document.pages),
        "chunk_count": len(cutting.chunks),
        "chunks": [chunk.to_record() for chunk in cutting.chunks[:MOST_CHUNKS]],
        "finding_count": len(findings),
        "findings": [finding.to_json() for finding in findings[:MOST_FINDINGS]],
        "suggestions": suggestions(document),
    }


def suggestions(document: Document) -> Sequence[dict[str, Any]]:
    """What each strategy says of a document, the surest first."""
    found = plugins.detections(document)
    return [{"strategy": name, "score": round(item.score, 3), "reason": item.reason} for name, item in found]
