"""Small PDFs for the tests, made with reportlab's canvas; positions in points from the top left of the page."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence

from reportlab.pdfgen.canvas import Canvas

from pecia.model import Document, Source
from pecia.parsing.pdf.reader import parse_pdf

WIDTH, HEIGHT = 400.0, 600.0
FILLER = ("the", "tide", "went", "out", "over", "the", "flat", "sand", "and", "came", "back", "before", "dark")


class Paper:
    """A canvas that counts from the top."""

    def __init__(self, width: float = WIDTH, height: float = HEIGHT, encrypt: str | None = None) -> None:
        self._buffer = io.BytesIO()
        self.height = height
        self.canvas = Canvas(self._buffer, pagesize=(width, height), invariant=1, encrypt=encrypt)

    def text(self, x: float, y: float, text: str, size: float = 10, font: str = "Times-Roman", mode: int = 0) -> None:
        piece = self.canvas.beginText(x, self.height - y)
        piece.setFont(font, size)
        piece.setTextRenderMode(mode)
        piece.textOut(text)
        self.canvas.drawText(piece)

    def lines(self, x: float, y: float, lines: Sequence[str], size: float = 10, leading: float = 12, width: float = 0) -> float:
        """Lines one below the other, all but the last stretched to `width` where one is given; the next y."""
        for number, line in enumerate(lines):
            space = 0.0
            if width and number < len(lines) - 1 and " " in line:
                space = (width - self.canvas.stringWidth(line, "Times-Roman", size)) / line.count(" ")
            piece = self.canvas.beginText(x, self.height - y)
            piece.setFont("Times-Roman", size)
            piece.setWordSpace(space)
            piece.textOut(line)
            self.canvas.drawText(piece)
            y += leading
        return y

    def page(self) -> None:
        self.canvas.showPage()

    def bytes(self) -> bytes:
        self.canvas.save()
        return self._buffer.getvalue()


def prose(first: str, count: int, width: float, size: float = 10) -> list[str]:
    """`count` full lines and a short last one; the first line begins with `first`, so that paragraphs differ."""
    canvas = Canvas(io.BytesIO())
    lines, line, at = list[str](), first, 0
    while len(lines) < count:
        word = FILLER[at % len(FILLER)]
        at += 1
        if canvas.stringWidth(f"{line} {word}", "Times-Roman", size) > width:
            lines.append(line)
            line = word
        else:
            line += " " + word
    return [*lines, "at last."]


def source_of(data: bytes, name: str = "made.pdf") -> Source:
    return Source(name, name, "application/pdf", hashlib.sha256(data).hexdigest())


def parsed(data: bytes) -> Document:
    return parse_pdf(data, source_of(data))
