"""The one place for defaults that are not a strategy's own. Each can be set by PECIA_ + its name in capitals."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from functools import cache
from typing import Self

from pecia.errors import OptionError


@dataclass(frozen=True, slots=True)
class Settings:
    """Sizes in bytes, times in seconds."""

    tokenizer: str = "cl100k_base"
    # A 2,000-page scan with images is about 400 MB; a file above the limit is refused before it is read.
    max_file_bytes: int = 1 << 30
    # 2,000 pages at the slowest rate measured (40 pages/s) take 50 s; ten times that means that something is wrong.
    parse_seconds: int = 600
    # Address space of a parser's child process. pdfium with a 2,000-page document stays below 1 GiB.
    parse_memory_bytes: int = 4 << 30
    # What becomes of pages without usable text, where the extra `ocr` is installed: auto (read), off, force (every page).
    ocr: str = "auto"
    # What the service cuts along where a request does not say.
    default_chunking_strategy: str = "token"
    # A book of 2,000 pages is the largest known here; the service refuses more than twice that.
    max_pages: int = 5000
    # Of one request to the service: files, and bytes of all of them together.
    upload_files: int = 50
    upload_bytes: int = 1 << 30
    # Files that may wait in the service's queue; more are refused until it is shorter.
    queue_files: int = 2000
    # Time for one file from its first page to its last finding; a book of 2,000 pages takes 90 s, a scan of 200 as long.
    cut_seconds: int = 1800
    # Time for a preview, for which somebody waits.
    preview_seconds: int = 120
    # The service answers other machines only to those who have this key; 16 characters at least.
    serve_key: str = ""

    @classmethod
    def from_environment(cls) -> Self:
        """The defaults with what PECIA_… variables say; OptionError where one is not a whole number above 0."""
        given: dict[str, str | int] = {}
        for item in fields(cls):
            value = os.environ.get(name := f"PECIA_{item.name.upper()}")
            if value is None:
                continue
            if item.type == "str":
                given[item.name] = value
            elif value.isascii() and value.isdigit() and int(value) > 0:
                given[item.name] = int(value)
            else:
                raise OptionError(f"{name} is {value!r}; a whole number above 0 is needed")
        return cls(**given)  # type: ignore[arg-type]


# Never shown, printed or logged.
SECRETS = frozenset({"serve_key"})


@cache
def settings() -> Settings:
    """The settings of this process, read from the environment once."""
    return Settings.from_environment()
