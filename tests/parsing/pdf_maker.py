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

    def rule(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.6) -> None:
        self.canvas.setLineWidth(width)
        self.canvas.line(x0, self.height - y0, x1, self.height - y1)

    def cells(
        self, xs: Sequence[float], y: float, rows: Sequence[Sequence[str]], step: float = 16, size: float = 9, head: int = 1
    ) -> list[float]:
        """Rows of cells, the text 4 points inside; lines of a cell are parted with a line end. The first `head` rows are
        bold. Gives where rulings would stand, from the top one to the last."""
        ys = [y]
        for number, row in enumerate(rows):
            font = "Times-Bold" if number < head else "Times-Roman"
            high = max(text.count("\n") for text in row)
            for x, text in zip(xs, row, strict=False):
                for line, part in enumerate(text.split("\n")):
                    if part:
                        self.text(x + 4, ys[-1] + 11 + 10 * line, part, size, font)
            ys.append(ys[-1] + step + 10 * high)
        return ys

    def ruled(self, xs: Sequence[float], y: float, rows: Sequence[Sequence[str]], step: float = 16, head: int = 1) -> list[float]:
        """Cells with all their lines."""
        ys = self.cells(xs, y, rows, step, head=head)
        for level in ys:
            self.rule(xs[0], level, xs[-1], level)
        for upright in xs:
            self.rule(upright, ys[0], upright, ys[-1])
        return ys

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


def typed(font: str, lines: Sequence[bytes], stem: int = 80) -> bytes:
    """One page of bytes under WinAnsi in a font of that name and width of stems, which the file does not bring along."""
    shown = b" ".join(b"(" + b"".join(b"\\%03o" % code for code in line) + b") Tj T*" for line in lines)
    stream = b"BT /F1 12 Tf 72 760 Td 16 TL " + shown + b" ET"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /TrueType /BaseFont /%s /Encoding /WinAnsiEncoding /FontDescriptor 6 0 R >>" % font.encode(),
        b"<< /Type /FontDescriptor /FontName /%s /Flags 32 /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700"
        b" /FontBBox [0 -200 1000 900] /StemV %d >>" % (font.encode(), stem),
    )
    made, offsets = b"%PDF-1.4\n", list[int]()
    for number, item in enumerate(objects, 1):
        offsets.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(made))
    return made + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer
