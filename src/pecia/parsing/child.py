"""The child process: reads requests on standard input, writes pickled documents to the descriptor it is given.

A native parser that crashes, hangs or eats memory takes this process with it and nothing else.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pickle
import resource
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from pecia.errors import BrokenError, DocumentError, InvariantError, LimitError, PeciaError
from pecia.model import Box, PageBox, Source
from pecia.parsing.media import shown
from pecia.protocols import ParseOptions

LENGTH = struct.Struct("!Q")
END = b""
_WATCH_SECONDS = 0.5
_TELL_SECONDS = 0.2


def serve(out: BinaryIO) -> None:
    """Answers one request after the other: a message for each document or one for the error, then an empty one."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            for document in _documents(request, out):
                _send(out, pickle.dumps(document, pickle.HIGHEST_PROTOCOL))
        except PeciaError as error:
            _send(out, pickle.dumps(_as_document_error(error)))
        except MemoryError:
            _send(out, pickle.dumps(LimitError("it needs more memory than a parser is given")))
        except RecursionError:
            _send(out, pickle.dumps(LimitError("it is nested too deeply")))
        except Exception as error:  # a fault of a parser must be a Failure of its document, whatever it is
            _send(out, pickle.dumps(BrokenError(f"its parser failed: {type(error).__name__}: {str(error)[:200]}")))
        _send(out, END)


def _as_document_error(error: PeciaError) -> PeciaError:
    return BrokenError(f"its parser failed: {error}") if isinstance(error, InvariantError) else error


def _documents(request: dict[str, Any], out: BinaryIO) -> Any:
    path = Path(request["path"])
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror}") from error
    source = Source(request["uri"], shown(path), request["media_type"], hashlib.sha256(data).hexdigest())
    module, function = request["parser"].split(":")
    parser = getattr(importlib.import_module(module), function)
    screenshots, picture = (Path(request[name]) if request[name] else None for name in ("screenshots", "picture"))
    marks = tuple(PageBox(page, Box(*box)) for page, box in request["marks"])
    told = _teller(out) if request["told"] else None
    return parser(
        data,
        source,
        ParseOptions(screenshots, picture, marks, ocr=request["ocr"], ocr_language=request["ocr_language"], told=told),
    )


def _teller(out: BinaryIO) -> Callable[[int, int], None]:
    """Sends (pages read, pages) at most five times a second."""
    last = time.monotonic()

    def told(page: int, pages: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TELL_SECONDS:
            last = time.monotonic()
            _send(out, pickle.dumps((page, pages)))

    return told


def _send(out: BinaryIO, message: bytes) -> None:
    out.write(LENGTH.pack(len(message)) + message)
    out.flush()


def end_with_parent(parent: int) -> None:
    """Ends this process soon after the one that started it, which may have been killed before this one came to its first
    line or while a file is read here."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    descriptor, memory, parent = map(int, sys.argv[1:4])
    end_with_parent(parent)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(descriptor, "wb") as out:
        serve(out)


if __name__ == "__main__":
    main()
