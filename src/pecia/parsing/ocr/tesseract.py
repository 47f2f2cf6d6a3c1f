"""Tesseract, the program: Vietnamese, and what else its installed languages allow. Text with places comes back as hOCR."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from pecia.parsing.ocr.lines import Piece, Pixels, ReadingError, TextLine

SECONDS = 120  # for one page; usual are 2 to 6
THREADS = "1"  # with two it takes seven times the processor time, most of it waiting in a loop
PACKAGES = {"vie": "tesseract-ocr tesseract-ocr-vie", "chi_tra": "tesseract-ocr tesseract-ocr-chi-tra"}  # of Debian and Ubuntu
_BOX = re.compile(r"bbox (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_NUMBERS = {name: re.compile(rf"{name} (-?[\d.]+)(?: (-?[\d.]+))?") for name in ("baseline", "x_size", "x_wconf")}
SIZE = 1.0  # of `x_size`, which reaches from the foot of a p to the top of a d


@cache
def languages() -> frozenset[str]:
    """The languages that the installed Tesseract reads; empty where there is none."""
    program = shutil.which("tesseract")
    if program is None:
        return frozenset()
    try:
        found = subprocess.run([program, "--list-langs"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(line.strip() for line in found.stdout.splitlines()[1:])


class TesseractReader:
    """`language` as Tesseract names it: `vie+eng`."""

    dpi = 300

    def __init__(self, language: str) -> None:
        self._language = language
        self.name = f"Tesseract {language}"

    def __call__(self, image: Pixels) -> list[TextLine]:
        height, width = image.shape
        command = ["tesseract", "stdin", "stdout", "-l", self._language, "--psm", "3", "--dpi", str(self.dpi)]
        command += ["-c", "tessedit_create_hocr=1", "-c", "hocr_font_info=0"]
        data = f"P5 {width} {height} 255\n".encode() + image.tobytes()
        try:
            with subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "OMP_THREAD_LIMIT": THREADS},
            ) as process:
                _limit(process.pid)
                try:
                    output, _ = process.communicate(data, timeout=SECONDS)
                except subprocess.TimeoutExpired as error:
                    process.kill()
                    raise ReadingError(f"Tesseract took longer than {SECONDS} s") from error
        except OSError as error:
            raise ReadingError(f"Tesseract cannot be run: {error.strerror}") from error
        if process.returncode:
            raise ReadingError(f"Tesseract ended with code {process.returncode}")
        return list(_lines(output))


def _limit(process: int) -> None:
    """Processor time for the program: should this process be ended, that one ends soon after."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        limits: Any = resource
        limits.prlimit(process, limits.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))  # Linux only


def _lines(hocr: bytes) -> Iterator[TextLine]:
    from lxml import etree

    try:
        root = etree.fromstring(hocr, etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        raise ReadingError("Tesseract gave what is no hOCR") from error
    for item in root.iter("{*}span"):
        if item.get("class") in ("ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"):
            line = _line(item)
            if line is not None:
                yield line


def _line(item: Any) -> TextLine | None:
    title = item.get("title", "")
    box = _BOX.search(title)
    size = _NUMBERS["x_size"].search(title)
    pieces, sure, total = list[Piece](), 0.0, 0
    tops, feet = list[float](), list[float]()
    for word in item.iter("{*}span"):
        if word.get("class") != "ocrx_word":
            continue
        own = _BOX.search(word.get("title", ""))
        mark = _NUMBERS["x_wconf"].search(word.get("title", ""))
        text = unicodedata.normalize("NFC", "".join("".join(word.itertext()).split()))
        if own is None or not text:
            continue
        pieces.append(Piece(text, float(own[1]), float(own[3])))
        tops.append(float(own[2]))
        feet.append(float(own[4]))
        sure += len(text) * (float(mark[1]) if mark else 0.0)
        total += len(text)
    if box is None or size is None or not pieces:
        return None
    pieces.sort(key=lambda piece: piece.x0)
    slope = _NUMBERS["baseline"].search(title)
    drop = float(slope[2] or 0) + float(slope[1]) * (float(box[3]) - float(box[1])) / 2 if slope else 0.0
    return TextLine(tuple(pieces), min(tops), max(feet), float(box[4]) + drop, SIZE * float(size[1]), sure / total / 100)
