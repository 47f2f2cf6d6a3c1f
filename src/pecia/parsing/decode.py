"""Bytes to characters, never with a replacement."""

from __future__ import annotations

import codecs
import re

from pecia.errors import EncodingError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def decode(data: bytes) -> str:
    """The characters of UTF-8, UTF-16 or UTF-32 text, without the byte order mark.

    EncodingError names the first byte that does not fit. A file with NUL characters is taken for binary: no text
    format that pecia reads has them.
    """
    encoding, body = _encoding(data)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        at = len(data) - len(body) + error.start
        raise EncodingError(f"not {encoding} text: byte {data[at]:#04x} at offset {at} does not fit") from error
    if "\0" in text:
        raise EncodingError(f"not text: NUL at character {text.index(chr(0))}")
    return text


def _encoding(data: bytes) -> tuple[str, bytes]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, data[len(mark) :]
    sample = data[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    # UTF-16 without a mark: Latin text has a zero in nearly every other byte, Chinese text at its spaces and line ends.
    # Text has no control characters; binary data that is zero at every other place has.
    if len(data) % 2 == 0 and max(even, odd) >= max(4, len(sample) // 80) and min(even, odd) == 0:
        encoding = "utf-16-be" if even else "utf-16-le"
        if not _CONTROL.search(sample[: len(sample) // 2 * 2].decode(encoding, "replace")):
            return encoding, data
    return "utf-8", data
