"""RapidOCR: Chinese of both scripts and English. The models (PP-OCRv6 small, Apache-2.0) are in its wheel, 31 MB.

Measured on scanned pages of Traditional Chinese at 150 dpi: PP-OCRv6 small brings back 99 % of the characters, PP-OCRv4
mobile (`rapidocr-onnxruntime`) 91 to 92 %.
"""

from __future__ import annotations

import importlib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pecia.errors import MissingExtraError
from pecia.parsing.ocr.lines import Piece, Pixels, ReadingError, TextLine

DETECTOR, RECOGNISER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
MOST_SIDE = 4000  # pixels; RapidOCR shrinks to 2,000 where it is not told otherwise, and small type with it
# Pixels of the longer side that lines are looked for at; they are read at full size. A4 at 1280 has 110 dpi: nothing is lost,
# not of type of 8 points either, and the page takes half the time and three quarters of the memory that it does at 200 dpi.
SIDE, LARGE = 1280, 2560
THREADS = 1  # a second one spins while it waits: 30 % more processor time, and no gain where several files are read at once
BASE, SIZE = 0.33, 0.8  # of the height of a box that RapidOCR draws: baseline below its middle, size of the type
ASCENT, DESCENT = 0.92, 0.26  # of the size: how far ink reaches from the baseline
SPACE, WIDE = 0.3, 1.5  # of the size: between words, and where it is more than a space
LEAST_INK = 2  # pixels of a column that is not a speck
_FULL = str.maketrans("?!,:;", "？！，：；")


def models() -> Path | None:
    """The folder of the models, or None where RapidOCR or they are not installed. Nothing is imported."""
    if find_spec("onnxruntime") is None or (spec := find_spec("rapidocr")) is None or not spec.origin:
        return None
    folder = Path(spec.origin).parent / "models"
    return folder if all((folder / name).is_file() for name in (DETECTOR, RECOGNISER)) else None


class RapidReader:
    """The engine, loaded at the first page. Both models are named as files, so that none is ever fetched."""

    name = "RapidOCR"
    dpi = 200

    def __init__(self) -> None:
        folder = models()
        if folder is None:
            raise MissingExtraError("rapidocr", "ocr", "reading scanned pages")
        self._folder = folder
        self._engines: dict[int, Any] = {}

    def _engine(self, side: int) -> Any:
        if side not in self._engines:
            rapidocr: Any = importlib.import_module("rapidocr")
            self._engines[side] = rapidocr.RapidOCR(
                params={
                    "Global.log_level": "critical",
                    "Global.max_side_len": MOST_SIDE,
                    "Global.use_cls": False,
                    "Global.text_score": 0.0,
                    "Global.return_word_box": True,
                    "EngineConfig.onnxruntime.intra_op_num_threads": THREADS,
                    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                    "Det.model_path": str(self._folder / DETECTOR),
                    "Det.limit_type": "max",
                    "Det.limit_side_len": side,
                    "Rec.model_path": str(self._folder / RECOGNISER),
                }
            )
        return self._engines[side]

    def __call__(self, image: Pixels) -> list[TextLine]:
        try:
            found = self._engine(SIDE if max(image.shape) <= 2 * SIDE else LARGE)(image)
        except Exception as error:  # onnxruntime and OpenCV have trees of their own
            raise ReadingError(f"RapidOCR failed: {type(error).__name__}") from error
        if found.boxes is None or found.txts is None:
            return []
        from pecia.parsing.ocr.straight import ink

        dark = ink(image)
        words = found.word_results or ((),) * len(found.txts)
        lines = zip(found.boxes, found.txts, found.scores, words, strict=True)
        return [line for item in lines if (line := _line(*item, dark)) is not None]


def _line(box: Any, text: str, score: float, words: Sequence[Any], dark: Any) -> TextLine | None:
    """A line from the corners of its box, which are well outside the ink, and the places of its characters."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    if not text:
        return None
    left, right = float(min(box[:, 0])), float(max(box[:, 0]))
    top, bottom = float(box[0][1] + box[1][1]) / 2, float(box[2][1] + box[3][1]) / 2
    if right - left < 1 or bottom - top < 1:
        return None
    left, right = _inked(dark, left, top, right, bottom)
    height = bottom - top
    size, base = SIZE * height, (top + bottom) / 2 + BASE * height
    edges = _edges(text, words, left, right)
    pieces = tuple(_closed(list(_pieces(_widened(text), edges)), size))
    return TextLine(pieces, base - ASCENT * size, base + DESCENT * size, base, size, float(score))


def _inked(dark: Any, left: float, top: float, right: float, bottom: float) -> tuple[float, float]:
    """The first and the last column of the box with more ink than a speck."""
    start, end = max(0, int(left)), int(right) + 1
    counts = dark[max(0, int(top)) : int(bottom) + 1, start:end].sum(axis=0)
    columns = (counts >= LEAST_INK).nonzero()[0]
    return (float(start + columns[0]), float(start + columns[-1] + 1)) if len(columns) else (left, right)


def _edges(text: str, words: Sequence[Any], left: float, right: float) -> list[float]:
    """The left edge of every character and, last, the right edge of the line: as the engine places its pieces; where
    those do not spell the line, as wide as the characters usually are."""
    edges = list[float]()
    at = 0
    for given, _, corners in words:
        x0, x1 = float(corners[0][0]), float(corners[1][0])
        word = "".join(unicodedata.normalize("NFC", str(given)).split())
        while at < len(text) and text[at] == " ":
            edges.append(edges[-1] if edges else left)
            at += 1
        if not word or not text.startswith(word, at):
            break
        edges.extend(x0 + (x1 - x0) * step / len(word) for step in range(len(word)))
        at += len(word)
    if at < len(text):
        widths = [1.0 if ord(char) > 0x2E7F else 0.5 for char in text]
        total = sum(widths)
        edges = [left + (right - left) * sum(widths[:step]) / total for step in range(len(text))]
    edges[0] = left
    bounds, high = list[float](), left
    for edge in edges:
        high = min(max(high, edge), right)
        bounds.append(high)
    return [*bounds, right]


def _pieces(text: str, edges: Sequence[float]) -> Iterator[Piece]:
    """Word by word; Han characters one by one, each at its own place."""
    start = 0
    for at in range(1, len(text) + 1):
        end = at == len(text)
        if end or text[at] == " " or text[at] > "\u2e7f" or text[at - 1] > "\u2e7f":
            if text[start:at].strip():
                glued = start > 0 and text[start - 1] != " "
                yield Piece(text[start:at], edges[start], max(edges[start], edges[at]), glued)
            start = at if end or text[at] != " " else at + 1


def _closed(pieces: list[Piece], size: float) -> list[Piece]:
    """The pieces with no more than a space between words: the engine knows the middle of a letter better than its edges,
    and words that end short of their last letter would leave the white strips between columns in every paragraph."""
    for at in range(1, len(pieces)):
        before, after = pieces[at - 1], pieces[at]
        more = (after.x0 - before.x1 - SPACE * size) / 2
        if more > 0 and after.x0 - before.x1 < WIDE * size:
            pieces[at - 1] = replace(before, x1=before.x1 + more)
            pieces[at] = replace(after, x0=after.x0 - more)
    return pieces


def _widened(text: str) -> str:
    """The line with marks of full width behind ideographs: by shape alone the engine cannot tell them from narrow ones."""
    chars = list(text)
    for at in range(1, len(text)):
        after = text[at + 1 : at + 2]
        if text[at] in "?!,:;" and "\u3400" <= text[at - 1] <= "\u9fff" and (not after or not after.isascii()):
            chars[at] = text[at].translate(_FULL)
    return "".join(chars)
