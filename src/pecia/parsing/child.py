"""The child process: reads requests on standard input, writes pickled documents to the descriptor it is given, in pieces
with the length before each.

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
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from pecia.errors import BrokenError, DocumentError, InvariantError, LimitError, PeciaError
from pecia.model import Box, Document, PageBox, Source
from pecia.parsing.media import shown
from pecia.protocols import ParseOptions

LENGTH = struct.Struct("!Q")
BROKEN_OFF = (1 << 64) - 1  # in the place of a length: the answer so far is void
END = None
_WATCH_SECONDS = 0.5
_TELL_SECONDS = 0.2


class _Pieces:
    """A file for `pickle.dump`: a document of 2,000 pages goes out while it is pickled, and is never held as one message."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, data: bytes) -> int:
        self._out.write(LENGTH.pack(len(data)))
        return self._out.write(data)


def serve(out: BinaryIO) -> None:
    """Answers one request after the other: each document or the error, then None."""
    for line in sys.stdin.buffer:
        try:
            for document in _documents(json.loads(line), out):
                _send(out, document)
                del document  # or it is held until the next file is read
        except PeciaError as error:
            _send(out, _as_document_error(error))
        except MemoryError:
            _send(out, LimitError("it needs more memory than a parser is given"))
        except RecursionError:
            _send(out, LimitError("it is nested too deeply"))
        except Exception as error:  # a fault of a parser must be a Failure of its document, whatever it is
            _send(out, BrokenError(f"its parser failed: {type(error).__name__}: {str(error)[:200]}"))
        _send(out, END)


def _as_document_error(error: PeciaError) -> PeciaError:
    return BrokenError(f"its parser failed: {error}") if isinstance(error, InvariantError) else error


def _documents(request: dict[str, Any], out: BinaryIO) -> Iterator[Document]:
    path = Path(request["path"])
    module, function = request["parser"].split(":")
    parser = getattr(importlib.import_module(module), function)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            # A container may be larger than memory; its parser takes the open file.
            data = file if getattr(parser, "streams", False) else file.read()
        except OSError as error:
            raise DocumentError(f"cannot be read: {error.strerror}") from error
        source = Source(request["uri"], shown(path), request["media_type"], digest)
        yield from parser(data, source, _options(request, out))


def _options(request: dict[str, Any], out: BinaryIO) -> ParseOptions:
    screenshots, picture = (Path(request[name]) if request[name] else None for name in ("screenshots", "picture"))
    marks = tuple(PageBox(page, Box(*box)) for page, box in request["marks"])
    return ParseOptions(
        screenshots,
        picture,
        marks,
        request["dpi"],
        ocr=request["ocr"],
        ocr_language=request["ocr_language"],
        told=_teller(out) if request["told"] else None,
    )


def _teller(out: BinaryIO) -> Callable[[int, int], None]:
    """Sends (pages read, pages) at most five times a second."""
    last = time.monotonic()

    def told(page: int, pages: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TELL_SECONDS:
            last = time.monotonic()
            _send(out, (page, pages))

    return told


def _send(out: BinaryIO, answer: object) -> None:
    try:
        pickle.dump(answer, _Pieces(out), pickle.HIGHEST_PROTOCOL)
    except BaseException:
        out.write(LENGTH.pack(BROKEN_OFF))
        raise
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
