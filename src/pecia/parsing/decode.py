"""Bytes to characters, never with a replacement."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pecia.errors import EncodingError
from pecia.model import Finding, Severity
from pecia.parsing import encodings

# Code, severity and text of each finding; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "ENC101": (
        Severity.WARNING,
        """The file is Unicode text.

Why: another encoding is inferred from how the text reads; nothing in the file declares it.
Example: a file of 2003 with byte 0xf6 for ö, read as cp1252.""",
    ),
    "ENC102": (
        Severity.WARNING,
        """Only one encoding gives text that reads like language.

Why: where two fit, the characters outside ASCII may be wrong; saved as UTF-8 the file says what it means.
Example: the two bytes 0x6e 0xe9, which are `né` in cp1252 and `nộ` in TCVN3.""",
    ),
    "ENC103": (
        Severity.WARNING,
        """The text was not read in a wrong encoding before it was saved.

Why: neither a search nor a quote finds the word that was meant; pecia does not repair it, since a quote must stand in the file.
Example: `cafÃ©`, which was UTF-8 for `café`, or `ViÖt` for `Việt`.""",
    ),
    "ENC104": (
        Severity.WARNING,
        """The text does not need a font of the TCVN3 (ABC) family to be read.

Why: such files hold Vietnamese as bytes of other letters; headings in a font of capitals come out in small letters.
Example: the bytes of `ViÖt Nam`, read as `Việt Nam`.""",
    ),
}

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
# In a legacy encoding these mark binary data; escape (colours in logs) and 0x1a (the end of a DOS file) do not.
_BINARY = bytes((*range(0x09), *range(0x0E, 0x1A), *range(0x1C, 0x20), 0x7F))
_HIGH = re.compile(rb"[\x80-\xff]")
# A legacy encoding is chosen by 32 windows of 2 KB, spread over the file: 64 KB rate in 0.1 s whatever its size.
_WINDOWS, _WINDOW, _REACH = 32, 2048, 512
# Two readings that differ in rating by less than this are in doubt. Over 660 texts of 20 characters in nine languages every
# wrong choice was within 0.08; from 80 characters on the right one was ahead by 0.11 and more.
_DOUBT = 0.1
_UTF8_AS_CP1252 = {bytes((code,)).decode("cp1252", "ignore") or chr(code): code for code in range(0x80, 0xC0)}
_TAIL = "[" + re.escape("".join(_UTF8_AS_CP1252)) + "]"
# Two bytes of UTF-8 for Latin letters and marks, three for Vietnamese, punctuation and ideographs; or the two that begin
# most Vietnamese letters, the third lost.
_MOJIBAKE = re.compile(f"[ÂÃÄÅÆ]{_TAIL}|[á-é]{_TAIL}{{2}}|á[º»](?=[a-zà-ỹ])")
_MEANT = re.compile(
    "[\xa1-\u017f\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9\u2010-\u2044\u20ac\u2122\u3001-\u30ff\u4e00-\u9fff\uff01-\uff5e]"
)
_QUOTES = frozenset("“”‘’»›–—… ")


@dataclass(frozen=True, slots=True)
class Decoded:
    """`encoding` is the name of the Python codec that read it, or `tcvn3`. The findings name lines of the text."""

    text: str
    encoding: str
    findings: tuple[Finding, ...] = ()


def decode(data: bytes) -> Decoded:
    """The characters of a text file, without the byte order mark, and what is doubtful about them.

    Unicode where the bytes are, else the one of `encodings.ENCODINGS` in which all bytes have a meaning and the text reads best.
    EncodingError names the first byte that does not fit. A file with NUL characters is taken for binary, and so is one
    with other control characters that is not Unicode: no text format that pecia reads has them.
    """
    encoding, body = _unicode(data)
    findings: tuple[Finding, ...] = ()
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        at = len(data) - len(body) + error.start
        fault = f"byte {data[at]:#04x} at offset {at}"
        if encoding != "utf-8" or len(body) < len(data):
            raise EncodingError(f"not {encoding} text: {fault} does not fit") from error
        text, encoding, findings = _legacy(data, fault)
    if "\0" in text:
        raise EncodingError(f"not text: NUL at character {text.index(chr(0))}")
    fonts = _font(data) if encoding == "utf-8" and not text.isascii() else ()
    return Decoded(text, encoding, (*findings, *_mojibake(text), *fonts))


def _unicode(data: bytes) -> tuple[str, bytes]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, data[len(mark) :]
    sample = data[:_SAMPLE]
    # UTF-32 without a mark: of four bytes the highest is zero, and the next, the plane, mostly too. Planes from 4 on hold no
    # text, and a line end of UTF-16 (10) stands where one of them would.
    if len(data) % 4 == 0 and len(data) >= 16:
        for encoding, highest, plane in (("utf-32-le", 3, 2), ("utf-32-be", 0, 1)):
            planes = sample[plane::4]
            if any(sample[highest::4]) or max(planes) > 3 or planes.count(0) * 2 < len(planes):
                continue
            if not _CONTROL.search(sample.decode(encoding, "replace")):
                return encoding, data
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    # UTF-16 without a mark: Latin text has a zero in nearly every other byte, Chinese text at its spaces and line ends.
    # Text has no control characters; binary data that is zero at every other place has.
    if len(data) % 2 == 0 and max(even, odd) >= max(4, len(sample) // 80) and min(even, odd) == 0:
        encoding = "utf-16-be" if even else "utf-16-le"
        if not _CONTROL.search(sample[: len(sample) // 2 * 2].decode(encoding, "replace")):
            return encoding, data
    return "utf-8", data


def _legacy(data: bytes, fault: str) -> tuple[str, str, tuple[Finding, ...]]:
    """Text, encoding and findings of bytes that are not Unicode."""
    if len(kept := data.translate(None, _BINARY)) != len(data):
        control = re.search(b"[" + re.escape(_BINARY) + b"]", data)
        raise EncodingError(
            f"not text: {len(data) - len(kept)} control characters, the first at byte {control.start() if control else 0}"
        )
    read = list(encodings.ratings(tuple(_samples(data))))
    fitting = sorted((item for item in read if item[1] >= item[0].least), key=lambda item: -item[1])
    refused = ""
    for number, (encoding, rating, sample) in enumerate(fitting):
        try:
            text = encoding.read(data)
        except UnicodeDecodeError as error:
            refused = refused or f"; nor is it {encoding.name} text: byte {data[error.start]:#04x} at offset {error.start}"
            continue
        rule = "ENC104" if encoding.name == "tcvn3" else "ENC101"
        findings = [Finding(rule, Severity.WARNING, f"read as {encoding.name}: {fault} is not UTF-8")]
        for other, its_rating, its_sample in fitting[number + 1 :]:
            if rating - its_rating < _DOUBT and its_sample != sample:
                difference = _first_difference(sample, its_sample)
                message = f"both {encoding.name} and {other.name} fit; read as {encoding.name}: {difference}"
                findings.append(Finding("ENC102", Severity.WARNING, message))
                break
        return text, encoding.name, tuple(findings)
    names = ", ".join(encoding.name for encoding in encodings.ENCODINGS)
    raise EncodingError(f"not utf-8 text: {fault} does not fit{refused}; in none of {names} does it read like language")


def _first_difference(one: str, two: str) -> str:
    """The first word in which two readings of the same bytes differ, as the first has it and as the second has it."""
    pairs = ((left, right) for left, right in zip(one.split(), two.split(), strict=False) if left != right)
    left, right = next(pairs, (one[:20], two[:20]))
    return f"{left[:20]!r}, not {right[:20]!r}"


def _samples(data: bytes) -> Iterator[bytes]:
    """Windows that hold bytes outside ASCII. They begin behind a line end or space where one is near: no character of an
    encoding with several bytes has either inside it."""
    end = 0
    for start in range(0, len(data), max(1, len(data) // _WINDOWS)):
        match = _HIGH.search(data, max(start, end))
        if match is None:
            return
        at = match.start()
        low = max(end, at - _REACH)
        begin = max(data.rfind(b"\n", low, at), data.rfind(b" ", low, at)) + 1
        if not begin:
            # A byte behind three of ASCII begins a character; else the window may begin in the middle of one.
            if at - max(start, end) < 4 and low:
                continue
            begin = low if low == 0 else at
        end = begin + _WINDOW
        yield data[begin:end]


def _mojibake(text: str) -> Iterator[Finding]:
    """ENC103 where the text holds what UTF-8 looks like in cp1252, or TCVN3 in Unicode's Latin letters."""
    if text.isascii():
        return
    found = [match for match in islice(_MOJIBAKE.finditer(text), 10_000) if _meant(match[0])]
    # A capital before a closing quote (`CÔTÉ»`, „Ä“) looks like one such character; alone it says nothing.
    if found and (len(found) > 1 or found[0][0][-1] not in _QUOTES) and any(match[0][-1] not in _QUOTES for match in found):
        at = found[0].start()
        more = f", and {len(found) - 1} more like it" if len(found) > 1 else ""
        yield Finding(
            "ENC103",
            Severity.WARNING,
            f"line {text.count(chr(10), 0, at) + 1}: {text[max(0, at - 10) : at + 10]!r} looks like UTF-8 read as cp1252 "
            f"({found[0][0]!r} for {_meant(found[0][0])!r}{more})",
        )


def _font(data: bytes) -> Iterator[Finding]:
    """ENC103 where Unicode text holds the letters that a .Vn font shows as Vietnamese."""
    lines = b"\n".join(_samples(data)).decode("utf-8", "ignore").split("\n")
    # Lines of other alphabets would leave their ASCII behind, which fits everything.
    raw = [kept for line in lines if not (kept := line.encode("cp1252", "ignore")).isascii() and len(kept) == len(line)]
    read = {encoding.name: rating for encoding, rating, _ in encodings.ratings((b"\n".join(raw),))}
    if len(raw) > 1 and read.get("tcvn3", 0.0) > 0.9 and read.get("cp1252", 0.0) < 0.7:
        yield Finding("ENC103", Severity.WARNING, f"{raw[0].decode('cp1252')[:40]!r} looks like TCVN3 that was read as cp1252")


def _meant(characters: str) -> str:
    """What the bytes behind the characters are in UTF-8, or "" where that is not a usual letter or mark."""
    try:
        raw = b"".join(
            bytes((_UTF8_AS_CP1252[item],)) if item in _UTF8_AS_CP1252 else item.encode("cp1252") for item in characters
        )
        made = raw.decode("utf-8")
    except UnicodeError:
        return "…" if characters in {"áº", "á»"} else ""
    return made if _MEANT.fullmatch(made) else ""
