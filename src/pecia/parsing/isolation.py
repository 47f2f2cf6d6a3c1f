"""Runs parsers in a child process with limits of time and memory; a crash there is an error here."""

from __future__ import annotations

import atexit
import json
import os
import pickle
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pecia.errors import BrokenError, DocumentError, LimitError
from pecia.model import Document
from pecia.parsing.child import BROKEN_OFF, END, LENGTH
from pecia.parsing.media import HEAD, MARKDOWN, TEXT, media_type, shown
from pecia.protocols import ParseOptions
from pecia.settings import settings

# A child serves many files; it is replaced after this many, so that what a native library leaks stays small.
FILES_PER_CHILD = 200


def sniff(path: Path) -> str:
    """The media type of a file; DocumentError where it cannot be read or is larger than the settings allow."""
    name = shown(path)
    place = path.parent / name
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise DocumentError(f"{place} is a folder")
        if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for, a device never ends
            raise DocumentError(f"{place} is not a regular file")
        if status.st_size > settings().max_file_bytes:
            limit = settings().max_file_bytes
            raise LimitError(f"{name} has {status.st_size:,} bytes; the limit is {limit:,} (PECIA_MAX_FILE_BYTES)")
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise DocumentError(f"{place}: {error.strerror}") from error
    except ValueError as error:  # a name with NUL
        raise DocumentError(f"{place}: {error}") from error
    media = media_type(name, head)
    if not head and media not in {TEXT, MARKDOWN}:  # an empty text is one
        raise BrokenError(f"{name} is empty")
    return media


_NOT_FOR_PARSERS = "LLM_API_KEY"  # what reads files of strangers has no use for it


class _BrokenOffError(Exception):
    """The child could not finish an answer."""


class _Pieces:
    """A file for `pickle.load`: what the child sends, out of its pieces. EOFError where the child has died, LimitError where
    `seconds` have been waited in all: who takes a document at a time from a container may be long over each."""

    def __init__(self, pipe: int, seconds: float) -> None:
        self._pipe, self._seconds = pipe, seconds
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)
        self._left = 0  # of the piece

    def read(self, size: int) -> bytes:
        data = bytearray(size)
        self.readinto(data)
        return bytes(data)

    def readline(self) -> bytes:
        raise NotImplementedError  # must be there, but only the oldest pickles have lines

    def readinto(self, buffer: bytearray | memoryview) -> int:
        view = memoryview(buffer)
        while view:
            if not self._left:
                self._left = self._length()
            size = self._fill(view[: self._left])
            self._left -= size
            view = view[size:]
        return len(buffer)

    def _length(self) -> int:
        head = bytearray(LENGTH.size)
        view = memoryview(head)
        while view:
            view = view[self._fill(view) :]
        (length,) = LENGTH.unpack(head)
        if length == BROKEN_OFF:
            raise _BrokenOffError
        return int(length)

    def _fill(self, view: memoryview) -> int:
        began = time.monotonic()
        ready = self._poll.poll(1000 * max(0.0, self._seconds))
        self._seconds -= time.monotonic() - began
        if not ready:
            raise LimitError(f"took longer than {settings().parse_seconds} s (PECIA_PARSE_SECONDS)")
        size = os.readv(self._pipe, [view])
        if not size:
            raise EOFError
        return size


class ParserProcess:
    """One child, started when first needed and again after it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = -1
        self._served = 0

    def parse(self, path: Path, media: str, parser: str, options: ParseOptions) -> Iterator[Document]:
        """The documents of a file, as they arrive. `parser` is `module:function`."""
        request = {
            "path": str(path.resolve()),
            "uri": path.resolve().as_uri(),
            "media_type": media,
            "parser": parser,
            "screenshots": str(options.screenshots.resolve()) if options.screenshots else None,
            "picture": str(options.picture.resolve()) if options.picture else None,
            "ocr": options.ocr,
            "ocr_language": options.ocr_language,
            "dpi": options.dpi,
            "told": options.told is not None,
            "marks": [(mark.page, mark.bbox.to_list()) for mark in options.marks],
        }
        finished = False
        try:
            self._ask(json.dumps(request).encode() + b"\n")
            pieces = _Pieces(self._pipe, settings().parse_seconds)
            while (answer := self._answer(pieces)) is not END:
                if isinstance(answer, BaseException):
                    self._answer(pieces)
                    finished = True
                    raise answer
                if isinstance(answer, tuple):
                    if options.told:
                        options.told(*answer)
                    continue
                yield answer
            finished = True
        finally:
            if not finished:  # the consumer stopped, or the child is in an unknown state
                self.stop()

    def _ask(self, request: bytes) -> None:
        if self._served >= FILES_PER_CHILD:
            self.stop()
        if self._process is None or self._process.poll() is not None:
            self._start()
        self._served += 1
        assert self._process
        assert self._process.stdin
        try:
            self._process.stdin.write(request)
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise BrokenError("the parser process could not be started") from error

    def _start(self) -> None:
        self.stop()
        self._pipe, child_end = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pecia.parsing.child", *map(str, (child_end, settings().parse_memory_bytes, os.getpid()))],
            env={name: value for name, value in os.environ.items() if name != _NOT_FOR_PARSERS},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(child_end,),
            # Ctrl-C goes to the process group of a terminal. A session of its own would keep it away too, but Linux shares the
            # processor among sessions before it looks at `nice`.
            process_group=0,
        )
        os.close(child_end)
        self._served = 0

    def _answer(self, pieces: _Pieces) -> Any:
        while True:
            try:
                return pickle.load(pieces)
            except EOFError as error:
                raise BrokenError(self._death()) from error
            except _BrokenOffError:  # another answer follows, which says why
                continue

    def _death(self) -> str:
        assert self._process
        code = self._process.wait()
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        return f"its parser {how}"

    def stop(self) -> None:
        """Ends the child; the next file starts a new one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdin:
                self._process.stdin.close()
            os.close(self._pipe)
            self._process = None


PARSER_PROCESS = ParserProcess()
atexit.register(PARSER_PROCESS.stop)
