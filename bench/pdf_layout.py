"""Random documents of three kinds with exact truth, parsed and scored: a formulary, a legislature's paper, a paper.

Run `python bench/pdf_layout.py --latin DIR... --han FILE... [--seeds 0-59] [--kinds ...] [--keep DIR] [--explain N]`.
`--latin` names folders that hold the four faces of a family (`*-Regular.ttf`, `*-Bold.ttf` and so on), `--han` files with
Chinese glyphs. What a document looks like follows from its kind and seed alone, so that a miss can be looked at again.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import random
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import getFont, registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from pecia.model import BlockKind, Document, Source
from pecia.parsing.pdf.reader import parse_pdf

VIETNAMESE = ["thuốc", "liều", "dùng", "người", "bệnh", "uống", "tiêm", "ngày", "giờ", "tuần", "gan", "thận", "tim", "phổi", "máu", "nặng", "nhẹ", "theo", "dõi", "nồng", "độ", "huyết", "tương", "giảm", "tăng", "nguy", "cơ", "khi", "điều", "trị", "với", "các", "trẻ", "em", "lớn", "tuổi", "cần", "ngừng", "ngay", "nếu", "xuất", "hiện", "phản", "ứng", "da", "tiêu", "hóa", "thần", "kinh", "chỉ", "định", "chống", "thai", "kỳ", "sữa", "mẹ"]
ENGLISH = ["the", "of", "a", "in", "on", "with", "for", "by", "from", "this", "that", "each", "every", "harbour", "timetable", "measurement", "instrument", "calibration", "observation", "vessel", "weather", "season", "record", "station", "night", "service", "report", "committee", "development", "reclamation", "compensation", "resident", "project", "estimate", "method", "result", "interval", "network", "schedule", "approximately", "infrastructure", "consultation", "department", "well-known", "long-term", "low-cost", "year", "month", "funding", "assessment", "drainage", "village", "operation", "maintenance", "equipment", "therefore", "however", "under", "about", "between"]
CHINESE = ["工程", "完成", "居民", "政府", "部門", "發展", "土地", "補償", "安置", "計劃", "每年", "開支", "預計", "有關", "設施", "道路", "排水", "公司", "委員會", "研究", "報告", "人口", "增加", "減少", "期間", "進行", "措施", "影響", "環境", "交通", "撥款", "項目", "維修", "檢討", "諮詢", "村民", "單位", "我們", "已經", "將會", "現時", "落實", "安排", "提供", "需要", "可行", "進度", "時間"]
METRICS = ("order", "kept", "leaks", "taken", "labels", "paragraphs", "headings", "hyphens", "ledger")


@dataclass
class Unit:
    """What a line does not break within. `space`: one stands before it, unless it begins a line."""

    text: str
    face: str = "r"
    space: bool = True


@dataclass
class Block:
    kind: str
    units: list[Unit]
    size: float
    leading: float
    before: float = 0.0
    left: float = 0.0
    first: float = 0.0
    align: str = "left"
    colour: tuple[float, float, float] = (0, 0, 0)
    cells: Sequence[float] = ()  # where the cells of a table row stand, as shares of the width
    height: float = 0.0  # of a figure
    keep: bool = False  # with the next block
    hyphenate: bool = False
    name: str = ""  # what running heads show from here on


@dataclass
class Line:
    """A line ready to be drawn. `pieces` are x, text and face; `block` tells its paragraph."""

    block: Block
    pieces: list[tuple[float, str, str, bool]]
    text: str
    soft: bool = False
    last: bool = True
    x: float = 0.0
    base: float = 0.0
    furniture: bool = False
    spread: float = 0.0


@dataclass
class Page:
    lines: list[Line] = field(default_factory=list)
    label: str | None = None
    names: list[str] = field(default_factory=list)
    empty: bool = False


@dataclass
class Made:
    data: bytes
    pages: list[Page]


class Family:
    """Faces by letter. Han families have one face; bold is stroked."""

    def __init__(self, name: str, faces: dict[str, str], han: str | None = None) -> None:
        self.name, self.faces, self.han = name, faces, han
        glyphs = getFont(faces["r"]).face.charToGlyph
        self.has_marks = all(ord(mark) in glyphs for mark in "\u0300\u0301\u0302\u0303\u0306\u0309\u031b\u0323")

    def font(self, face: str, text: str) -> str:
        if self.han is not None and any(char > "\u2e7f" or char in "“”—…" for char in text):
            return self.han
        return self.faces[face]

    def width(self, text: str, face: str, size: float) -> float:
        return float(sum(stringWidth(part, font, size) for font, part in self.parts(text, face)))

    def parts(self, text: str, face: str) -> Iterator[tuple[str, str]]:
        for font, chars in groupby(text, key=lambda char: self.font(face, char)):
            yield font, "".join(chars)


def families(folders: Sequence[str], han: Sequence[str]) -> tuple[list[Family], list[Family]]:
    suffixes = {"r": "Regular", "b": "Bold", "i": "Italic", "bi": "BoldItalic"}
    latin: list[Family] = []
    for folder in folders:
        for regular in sorted(Path(folder).glob("*-Regular.ttf")):
            stem = regular.name.removesuffix("-Regular.ttf")
            if not all((regular.parent / f"{stem}-{suffix}.ttf").exists() for suffix in suffixes.values()):
                continue
            for face, suffix in suffixes.items():
                registerFont(TTFont(f"{stem}-{face}", str(regular.parent / f"{stem}-{suffix}.ttf")))
            latin.append(Family(stem, {face: f"{stem}-{face}" for face in suffixes}))
    wide: list[Family] = []
    for number, file in enumerate(han):
        try:
            registerFont(TTFont(f"han{number}", file))
        except TTFError as error:
            sys.exit(f"{file}: {error}")
        wide += [Family(f"{family.name}+{number}", family.faces, f"han{number}") for family in latin]
    return latin, wide


class Printer:
    """Breaks blocks into lines, sets them in columns and draws them."""

    def __init__(self, rng: random.Random, family: Family, width: float, height: float) -> None:
        self.rng, self.family, self.width, self.height = rng, family, width, height
        self.draw = rng.choice(("line", "words", "gaps"))
        self.stream = rng.choice(("left", "right", "rows"))
        self.nfd = False
        self.pages: list[Page] = [Page()]

    def lines(self, block: Block, width: float) -> list[Line]:
        if block.kind == "figure" or block.cells:
            pieces = [(share * width, unit.text, unit.face, True) for share, unit in zip(block.cells, block.units, strict=False)]
            return [Line(block, pieces, " ".join(unit.text for unit in block.units))]
        found, held, units = [], [], list(block.units)
        used, soft = 0.0, False
        while units:
            unit = units.pop(0)
            room = width - block.left - (0 if found else block.first)
            gap = self.family.width(" ", unit.face, block.size) if unit.space and held else 0.0
            own = self.family.width(unit.text, unit.face, block.size)
            if held and used + gap + own > room:
                parts = self._hyphenated(unit, block, room - used - gap)
                if parts:
                    held.append(parts[0])
                    units.insert(0, parts[1])
                    soft = parts[0].text.endswith("-") and not unit.text.startswith(parts[0].text)
                else:
                    units.insert(0, unit)
                found.append(self._line(block, held, room, bool(found), last=False, soft=soft))
                held, used, soft = [], 0.0, False
                continue
            held.append(unit)
            used += gap + own
        if held:
            found.append(self._line(block, held, width - block.left - (0 if found else block.first), bool(found), last=True, soft=False))
        return found

    def _hyphenated(self, unit: Unit, block: Block, room: float) -> tuple[Unit, Unit] | None:
        if not block.hyphenate or len(unit.text) < 7 or not unit.text.replace("-", "").isalpha():
            return None
        at = unit.text.find("-") + 1
        cuts = [at] if at else [cut for cut in range(len(unit.text) - 3, 2, -1)]
        for cut in cuts:
            head = unit.text[:cut] + ("" if at else "-")
            if self.family.width(head, unit.face, block.size) <= room:
                return Unit(head, unit.face, unit.space), Unit(unit.text[cut:], unit.face, True)
        return None

    def _line(self, block: Block, units: list[Unit], room: float, further: bool, *, last: bool, soft: bool) -> Line:
        text = "".join((" " if unit.space and at else "") + unit.text for at, unit in enumerate(units))
        widths = [self.family.width(unit.text, unit.face, block.size) for unit in units]
        gaps = [self.family.width(" ", unit.face, block.size) if unit.space and at else 0.0 for at, unit in enumerate(units)]
        slack = room - sum(widths) - sum(gaps)
        x = block.left + (0 if further else block.first)
        spread = 0.0
        if block.align == "justify" and not last:
            spaces = sum(gap > 0 for gap in gaps)
            if spaces and not self.family.han:
                gaps = [gap + slack / spaces if gap else 0.0 for gap in gaps]
            elif len(units) > 1 and self.family.han:
                spread = slack / (len(units) - 1)
                gaps = [gap + (spread if at else 0.0) for at, gap in enumerate(gaps)]
        elif block.align in ("centre", "right"):
            x += slack / (2 if block.align == "centre" else 1)
        pieces = []
        for unit, gap, width in zip(units, gaps, widths, strict=True):
            x += gap
            pieces.append((x, unit.text, unit.face, unit.space))
            x += width
        return Line(block, pieces, text, soft, last, spread=spread)

    def put(self, line: Line, x: float, base: float, *, furniture: bool = False) -> None:
        line.x, line.base, line.furniture = x, base, furniture
        self.pages[-1].lines.append(line)

    def flow(self, blocks: Sequence[Block], columns: Callable[[int], Sequence[float]], width: float, top: float, bottom: float, y: float, *, balance: bool) -> float:
        """Sets the blocks in columns that begin at `y`, over as many pages as they need; where the last band ends."""
        lines = [(line, block.before if not at else 0.0) for block in blocks for at, line in enumerate(self.lines(block, width))]
        while lines:
            xs = columns(len(self.pages) - 1)
            room = bottom - y
            total = sum(gap + self._high(line) for line, gap in lines)
            if balance and len(xs) > 1 and total < 0.9 * len(xs) * room:
                room = next((part for part in (total / len(xs) + step for step in range(4, 2000, 6)) if self._fits(lines, part, len(xs))), room)
            low = y
            for x in xs:
                at = y
                lines, at = self._fill(lines, x, at, y + min(room, bottom - y), y)
                low = max(low, at)
            if not lines:
                return low
            self.pages.append(Page())
            y = top
        return y

    @staticmethod
    def _high(line: Line) -> float:
        return line.block.height or line.block.leading

    def _fits(self, lines: list[tuple[Line, float]], room: float, count: int) -> bool:
        rest = lines
        for _ in range(count):
            rest = rest[self._count(rest, room) :]
        return not rest

    def _count(self, lines: list[tuple[Line, float]], room: float) -> int:
        used = 0.0
        count = 0
        for line, gap in lines:
            used += (gap if count else 0.0) + self._high(line)
            if used > room:
                break
            count += 1
        while 0 < count < len(lines) and lines[count - 1][0].block.keep:
            count -= 1
        return max(1, count) if room > 100 else count

    def _fill(self, lines: list[tuple[Line, float]], x: float, y: float, bottom: float, top: float) -> tuple[list[tuple[Line, float]], float]:
        count = self._count(lines, bottom - y)
        for at, (line, gap) in enumerate(lines[:count]):
            y += (gap if at else 0.0) + self._high(line)
            if line.block.kind != "row" and line.block.name and line.block.name not in self.pages[-1].names:
                self.pages[-1].names.append(line.block.name)
            self.put(line, x, y - 0.25 * line.block.leading)
        return lines[count:], y

    def finish(self) -> Made:
        buffer = io.BytesIO()
        canvas = Canvas(buffer, pagesize=(self.width, self.height), invariant=1)
        for page in self.pages:
            lines = list(page.lines)
            if self.stream == "right":
                lines.sort(key=lambda line: -round(line.x / 50))
            elif self.stream == "rows":
                lines.sort(key=lambda line: (round(line.base), line.x))
            for line in lines:
                self._draw(canvas, line)
            canvas.showPage()
        canvas.save()
        return Made(buffer.getvalue(), self.pages)

    def _draw(self, canvas: Canvas, line: Line) -> None:
        block, y = line.block, self.height - line.base
        canvas.setFillColorRGB(*block.colour)
        if block.kind == "figure":
            self._figure(canvas, line)
            return
        if block.kind == "row" and block.colour == (0, 0, 0) and block.name != "plain":
            canvas.line(line.x, y - 0.35 * block.size, line.x + block.first, y - 0.35 * block.size)
        pieces = line.pieces
        if self.draw == "line" and not block.cells and not line.spread:
            runs = [list(run) for _, run in groupby(pieces, key=lambda piece: piece[2])]
            for run in runs:
                gaps = [b[0] - a[0] - self.family.width(a[1], a[2], block.size) for a, b in pairwise(run) if b[3]]
                plain = self.family.width(" ", run[0][2], block.size)
                extra = (sum(gaps) / len(gaps) - plain) if gaps and not line.spread else 0.0
                text = "".join((" " if piece[3] and at else "") + piece[1] for at, piece in enumerate(run))
                self._string(canvas, line.x + run[0][0], y, text, run[0][2], block.size, extra, line.spread)
            return
        for at, (x, text, face, _) in enumerate(pieces):
            tail = " " if self.draw != "gaps" and at + 1 < len(pieces) and pieces[at + 1][3] else ""
            self._string(canvas, line.x + x, y, text + tail, face, block.size, 0.0, 0.0)

    def _string(self, canvas: Canvas, x: float, y: float, text: str, face: str, size: float, space: float, spread: float) -> None:
        text = unicodedata.normalize("NFD", text) if self.nfd else text
        piece = canvas.beginText(x, y)
        piece.setWordSpace(space)
        piece.setCharSpace(spread)
        for font, part in self.family.parts(text, face):
            piece.setFont(font, size)
            piece.setTextRenderMode(2 if face == "b" and font == self.family.han else 0)
            piece.textOut(part)
        canvas.saveState()  # a text object leaves its mode and its spacing behind
        canvas.drawText(piece)
        canvas.restoreState()

    def _figure(self, canvas: Canvas, line: Line) -> None:
        block, width = line.block, line.block.first
        low = self.height - line.base
        canvas.setStrokeColorRGB(0.2, 0.2, 0.6)
        path = canvas.beginPath()
        path.moveTo(line.x + 30, low + block.height - 20)
        path.lineTo(line.x + 30, low + 15)
        path.lineTo(line.x + width - 10, low + 15)
        for step in range(12):
            path.lineTo(line.x + 30 + step * (width - 50) / 12, low + 20 + self.rng.random() * (block.height - 50))
        canvas.drawPath(path)
        canvas.setFont(self.family.faces["r"], 0.75 * block.size)
        for step in range(4):
            canvas.drawString(line.x + 30 + step * (width - 60) / 4, low + 4, str(10 * step))
            canvas.drawRightString(line.x + 26, low + 15 + step * (block.height - 45) / 4, str(5 * step))


class Writer:
    """Random text in one language."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng, self.language = rng, language
        self.words = {"vi": VIETNAMESE, "en": ENGLISH, "zh": CHINESE}[language]

    def sentence(self, low: int = 6, high: int = 18) -> list[Unit]:
        rng = self.rng
        count = rng.randint(low, high)
        if self.language == "zh":
            return self.han("".join(self._han(count)) + "。")
        words = [rng.choice(self.words) for _ in range(count)]
        for _ in range(count // 8):
            words[rng.randrange(1, count)] = f"{rng.randint(1, 900)}{rng.choice(('', '%', ',5'))}"
        if count > 9:
            words[rng.randrange(2, count - 2)] += ","
        words[0] = words[0][:1].upper() + words[0][1:]
        words[-1] += "."
        return [Unit(word) for word in words]

    def _han(self, count: int) -> Iterator[str]:
        for at in range(count):
            yield self.rng.choice(self.words)
            if self.rng.random() < 0.08:
                yield f"{self.rng.randint(2, 30000):,}"
            if at % 6 == 5 and at < count - 2:
                yield self.rng.choice("，，、；")

    @staticmethod
    def han(text: str, face: str = "r") -> list[Unit]:
        units: list[Unit] = []
        for char in text:
            latin = char.isascii() and not char.isspace()
            if (units and ((latin and units[-1].text[-1].isascii()) or char in "。，、；：？！）」』")) or (units and units[-1].text[-1] in "（「『"):
                units[-1].text += char
            elif not char.isspace():
                units.append(Unit(char, face, space=False))
        return units

    def prose(self, low: int, high: int) -> list[Unit]:
        return [unit for _ in range(self.rng.randint(low, high)) for unit in self.sentence()]

    def title(self, low: int = 1, high: int = 5) -> str:
        words = [self.rng.choice(self.words) for _ in range(self.rng.randint(low, high))]
        return "".join(words) if self.language == "zh" else " ".join(words).capitalize()

    def name(self) -> str:
        parts = ("a", "be", "ci", "dro", "fe", "gli", "lo", "mi", "no", "pra", "sta", "ti", "vo", "xa", "ze")
        return "".join(self.rng.choice(parts) for _ in range(self.rng.randint(2, 4))).capitalize() + self.rng.choice(("lin", "mycin", "pam", "zol"))


def plain(text: str, face: str = "r") -> list[Unit]:
    return [Unit(word, face) for word in text.split()]


def furnish(printer: Printer, text: str, size: float, x: float, base: float, face: str = "r", align: str = "left") -> None:
    width = printer.family.width(text, face, size)
    x -= {"left": 0.0, "centre": width / 2, "right": width}[align]
    page, block = printer.pages[-1], Block("furniture", plain(text, face), size, size * 1.2)
    line = Line(block, [], text)
    at = 0.0
    for word in text.split():
        line.pieces.append((at, word, face, True))
        at += printer.family.width(word + " ", face, size)
    line.x, line.base, line.furniture = x, base, True
    page.lines.append(line)


def roman(value: int) -> str:
    found = ""
    for number, letters in ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while value >= number:
            found, value = found + letters, value - number
    return found


def table(rng: random.Random, writer: Writer, size: float, leading: float, width: float, caption: str) -> list[Block]:
    """A caption and rows; a cell of two lines goes on in the row below it."""
    count = rng.randint(2, 5) if width > 250 else rng.randint(2, 3)
    shares = [at / count for at in range(count)]
    blocks = [Block("caption", _words(writer, caption, "b"), size, leading, before=leading * 0.6, keep=True)]
    kind, wraps = rng.choice(("", "plain")), rng.random() < 0.3
    for row in range(rng.randint(3, 9)):
        cells = [Unit(writer.name() if at == 0 else str(rng.randint(1, 999)), "b" if row == 0 else "r") for at in range(count)]
        blocks.append(Block("row", cells, size, leading, cells=shares, before=3.0, first=width, keep=True, name=kind))
        if wraps and row and rng.random() < 0.4:
            blocks[-1].name = "plain"
            blocks.append(Block("row", [Unit(writer.name())], size, leading, cells=shares[-1:], first=width, keep=True, name=kind))
    blocks[-1].keep = False
    return blocks


def formulary(rng: random.Random, latin: Sequence[Family], han: Sequence[Family]) -> Made:
    """Front matter on one column, then entries on two, with titles and tables across."""
    width, height = rng.choice(((420, 595), (453, 680), (516, 729), (595, 842)))
    printer, writer = Printer(rng, rng.choice(latin), width, height), Writer(rng, "vi")
    size = rng.choice((7.5, 8, 8.5, 9, 9.5, 10, 11)) if width > 450 else rng.choice((7.5, 8, 8.5, 9))
    leading, gutter = round(size * rng.uniform(1.12, 1.35), 1), rng.uniform(8, 30)
    inner, outer = rng.choice(((40, 40), (50, 34), (36, 56)))
    top, bottom = rng.choice((60, 72)), height - rng.choice((56, 70))
    measure = (width - inner - outer - gutter) / 2
    align, gap = rng.choice(("justify", "justify", "left")), rng.choice((0.0, 0.4, 0.8)) * leading
    indent = rng.choice((0.0, size, 1.5 * size)) if gap else rng.choice((size, 1.5 * size))
    grid, printer.nfd = rng.random() < 0.5, rng.random() < 0.25 and printer.family.has_marks
    colour = rng.choice(((0, 0, 0), (0.1, 0.2, 0.6)))
    mid, balance = rng.random() < 0.7, rng.random() < 0.5

    def left(page: int) -> float:
        return inner if page % 2 else outer

    def text(units: list[Unit], first: float = indent, hang: float = 0.0) -> Block:
        return Block("para", units, size, leading, before=gap, left=hang, first=first - hang, align=align)

    def entry() -> Iterator[list[Block]]:
        name = writer.name()
        yield [Block("heading", plain(" ".join([name] + [writer.name() for _ in range(long - 1)]).upper(), "b"), size * 1.3, leading * 1.5, before=leading, align=rng.choice(("centre", "left")), colour=colour, keep=True, name=name)]
        band: list[Block] = []
        off = 0.0 if grid else rng.uniform(0, 3)
        for _ in range(rng.randint(5, 10)):
            heading = writer.title(1, 6)
            if rng.random() < 0.8:
                up = heading.upper() if capitals else heading
                tone = colour if weight == "b" or capitals else (0.1, 0.2, 0.6)
                band.append(Block("heading", plain(up, weight), size * bigger, leading, before=leading * 0.6 + off, colour=tone, keep=True, name=name))
            else:
                band.append(text(plain(heading + ":", "b") + writer.prose(1, 3)))
            for _ in range(rng.randint(1, 4)):
                style = rng.random()
                units = writer.prose(1, 4)
                if style < 0.2:
                    units = plain(writer.title(1, 3) + ":", rng.choice(("i", "b", "bi"))) + units
                if style > 0.9:
                    band.append(text([Unit("•"), *units], 0.0, 1.2 * size))
                else:
                    band.append(text(units))
            if rng.random() < 0.06:
                band += table(rng, writer, size * 0.9, leading, measure, f"Bảng {rng.randint(1, 40)}. {writer.title(2, 4)}")
            if rng.random() < 0.12:
                yield band
                band = []
                yield table(rng, writer, size, leading, width - inner - outer, f"Bảng {rng.randint(1, 40)}. {writer.title(3, 7)}")
        if band:
            yield band

    capitals, bigger, weight = rng.random() < 0.3, rng.choice((1.0, 1.0, 1.1, 1.2)), rng.choice("bbbbbr")
    long = rng.choice((1, 1, 1, 5))
    front = rng.randint(0, 4)
    for at in range(front):
        blocks = [Block("heading", plain(writer.title().upper(), "b"), size * 1.4, leading * 1.6, align="centre", keep=True)]
        blocks += [text(writer.prose(3, 6)) for _ in range(rng.randint(2, 6))]
        printer.flow(blocks, lambda page: [left(page)], width - inner - outer, top, bottom, top, balance=False)
        printer.pages.append(Page())
    front = len(printer.pages) - 1
    y = float(top)
    for number in range(rng.randint(5, 8)):
        if rng.random() < 0.15 and number:
            printer.pages += [Page(empty=True), Page()]
            y = top
        for at, band in enumerate(entry()):
            if at == 0 and number and (not mid or y > bottom - 14 * leading):
                printer.pages.append(Page())
                y = top
            across = at == 0 or band[0].kind == "caption"
            if across and y + 14 * leading > bottom:
                printer.pages.append(Page())
                y = top
            y += leading * 0.8 if y > top else 0
            y = printer.flow(
                band, lambda page: [left(page)] if across else [left(page), left(page) + measure + gutter],
                width - inner - outer if across else measure, top, bottom, y, balance=balance or at == 0 or number % 2 == 0,
            )
    _formulary_furniture(rng, printer, front, inner, outer, size)
    return printer.finish()


def _formulary_furniture(rng: random.Random, printer: Printer, front: int, inner: float, outer: float, size: float) -> None:
    pages, width, height = printer.pages, printer.width, printer.height
    offset, style, small = rng.randint(1, 120), rng.choice(("head", "foot outer", "foot centre")), size * rng.choice((0.85, 0.95, 1.0))
    book, face = rng.choice(("Sổ tay dược", "Dược thư 4", "DTQ 2026")), rng.choice(("i", "r", "b"))
    printer.pages, blank, name = [], rng.random() < 0.3, ""
    for at, page in enumerate(pages):
        printer.pages.append(page)
        name = page.names[-1] if page.names and rng.random() < 0.5 else (page.names[0] if page.names else name)
        if page.empty and not blank:
            continue
        label = roman(at + 1) if at < front else str(at - front + offset)
        x0, x1 = (inner, width - outer) if at % 2 else (outer, width - inner)
        outside, inside = ((x0, "left"), (x1, "right")) if at % 2 else ((x1, "right"), (x0, "left"))
        page.label = label
        if not page.empty and at >= front:
            where = inside if style == "head" else outside
            furnish(printer, name, small, where[0], 36, face, where[1])
            if style != "head":
                furnish(printer, book, small, inside[0], 36, "r", inside[1])
        spot = (width / 2, "centre") if style == "foot centre" else outside
        furnish(printer, label, small, spot[0], 36 if style == "head" else height - 30, "r", spot[1])
    printer.pages = pages


def legislature(rng: random.Random, latin: Sequence[Family], han: Sequence[Family]) -> Made:
    """One column, questions and answers, two lines at the foot of each page."""
    chinese = rng.random() < 0.65
    printer, writer = Printer(rng, rng.choice(han if chinese else latin), 595, 842), Writer(rng, "zh" if chinese else "en")
    size = rng.choice((11, 12, 13, 14))
    leading, gap = size * rng.choice((1.25, 1.5, 1.9)), size * rng.choice((0.5, 0.9))
    margin, align = rng.choice((60, 74, 90)), rng.choice(("justify", "left"))
    width, low = 595 - 2 * margin, rng.choice((760, 740))
    hang = rng.choice((0.0, 2 * size))
    blocks = [Block("heading", _words(writer, writer.title(4, 8), "b"), size * 1.3, leading * 1.3, align="centre", keep=True)]

    def text(units: list[Unit], left: float = 0.0, first: float = 0.0) -> Block:
        return Block("para", units, size, leading, before=gap, left=left, first=first, align=align)

    for number in range(1, rng.choice((2, 4, 8, 16, 30)) + 1):
        if rng.random() < 0.25:
            topic = f"({chr(64 + min(26, number))})" + writer.title(2, 6)
            blocks.append(Block("heading", _words(writer, topic, "b"), size, leading, before=gap, keep=True))
        marks = ("問", "答") if chinese else ("Q", "A")
        question = [Unit(f"{marks[0]}{number}：" if chinese else f"Q{number}:", "b"), *writer.prose(1, 2)]
        blocks.append(text(question, hang, -hang))
        answer = writer.prose(1, 4)
        blocks.append(text([Unit(f"{marks[1]}：" if chinese else "A:", "b"), *answer], hang, -hang))
        blocks += [text(writer.prose(1, 4), hang) for _ in range(rng.randint(0, 3))]
        if rng.random() < 0.2:
            blocks += [text([Unit(f"({chr(97 + at)})"), *writer.prose(1, 2)], 2 * size, -2 * size) for at in range(3)]
        if rng.random() < 0.2:
            follow = "（" + "".join(unit.text for unit in writer.sentence())[:-1] + "）" if chinese else ""
            blocks.append(text(_words(writer, follow or f"(Follow-up: {writer.title(6, 9)})", "r"), hang))
        if rng.random() < 0.15:
            blocks += table(rng, writer, size, leading, width, f"表{number}：{writer.title(2, 4)}" if chinese else f"Table {number}: {writer.title()}")
    printer.flow(blocks, lambda page: [margin], width, 72, low, 72, balance=False)
    letter, offset = rng.choice("ABEKLM"), rng.choice((1, 1, 12))
    day, spot = rng.choice(("2025-04-02", "14 March 2025", "2026年3月5日" if chinese else "5.3.2026")), rng.choice(("left", "centre", "right"))
    x, foot, small = {"left": margin, "centre": 297, "right": 595 - margin}[spot], rng.choice((784, 800)), rng.choice((9, 10, size))
    pages, printer.pages = printer.pages, []
    swap = rng.random() < 0.3
    for at, page in enumerate(pages):
        printer.pages.append(page)
        page.label = f"{letter}-{at + offset}"
        for step, line in enumerate((day, page.label) if swap else (page.label, day)):
            furnish(printer, line, small, x, foot + 14 * step, "r", spot)
    return printer.finish()


def _words(writer: Writer, text: str, face: str) -> list[Unit]:
    return writer.han(text, face) if writer.language == "zh" else plain(text, face)


def paper(rng: random.Random, latin: Sequence[Family], han: Sequence[Family]) -> Made:
    """Title and abstract across, numbered headings, notes, figures, formulas and references."""
    width, height = rng.choice(((595, 842), (612, 792)))
    printer, writer = Printer(rng, rng.choice(latin), width, height), Writer(rng, "en")
    two = rng.random() < 0.6
    size = rng.choice((8.5, 9, 9.5, 10)) if two else rng.choice((10, 11, 12))
    leading, gutter, margin = size * rng.uniform(1.12, 1.4), rng.uniform(12, 30), rng.choice((48, 60, 72))
    measure = (width - 2 * margin - gutter) / 2 if two else width - 2 * margin
    align, gap = rng.choice(("justify", "justify", "left")), rng.choice((0.0, 0.5)) * leading
    indent, hyphens = (rng.choice((0.0, size)) if gap else size), rng.random() < 0.7
    top, bottom = rng.choice((64, 76)), height - rng.choice((66, 80))

    def columns(page: int) -> list[float]:
        return [margin, margin + measure + gutter] if two else [margin]

    def text(units: list[Unit], first: float = indent, hang: float = 0.0, at: float = size) -> Block:
        return Block("para", units, at, leading * at / size, gap, hang, first - hang, align, hyphenate=hyphens)

    head = [Block("heading", plain(writer.title(4, 9), "b"), size * 1.7, size * 2.2, align="centre")]
    head.append(Block("para", plain(f"{writer.name()} {writer.name()} and {writer.name()}"), size, leading, before=8, align="centre"))
    head.append(Block("para", [*plain("Abstract.", "b"), *writer.prose(3, 6)], size, leading, before=8, left=0, align=align, hyphenate=hyphens))
    y = printer.flow(head, lambda page: [margin], width - 2 * margin, top, bottom, top, balance=False) + 2 * leading
    body: list[Block] = []
    caps = rng.random() < 0.2
    for number in range(1, rng.randint(4, 8)):
        title = f"{number}{rng.choice(('', '.'))} {writer.title()}"
        body.append(Block("heading", plain(title.upper() if caps else title, "b"), size * rng.choice((1.0, 1.2)), leading * 1.2, before=leading, keep=True))
        for part in range(rng.randint(1, 3)):
            if part and rng.random() < 0.6:
                body.append(Block("heading", plain(f"{number}.{part} {writer.title()}", "b"), size, leading, before=leading * 0.8, keep=True))
            body += [text(writer.prose(2, 6)) for _ in range(rng.randint(1, 4))]
            chance = rng.random()
            if chance < 0.25:
                body.append(Block("equation", plain(f"y = {rng.randint(2, 9)}x + b ({number})", "i"), size, leading * 1.6, before=4, align="centre"))
            elif chance < 0.45:
                body.append(Block("figure", [], size, leading, before=10, height=rng.uniform(90, 160), first=measure, keep=True))
                caption = f"Figure {number}{part}. {writer.title(4, 14)}."
                body.append(Block("caption", plain(caption, "i"), size * 0.9, leading * 0.9, before=4))
            elif chance < 0.6:
                body += table(rng, writer, size * 0.9, leading, measure, f"Table {number}{part}. {writer.title(2, 5)}.")
    body.append(Block("heading", plain("References", "b"), size * 1.1, leading * 1.2, before=leading, keep=True))
    for number in range(1, rng.randint(6, 20)):
        body.append(text([Unit(f"[{number}]"), *writer.prose(1, 2)], 0.0, 1.8 * size, size * 0.95))
    whole = width - 2 * margin

    def across() -> list[Block]:
        if rng.random() < 0.5:
            return table(rng, writer, size * 0.9, leading, whole, f"Table {rng.randint(70, 99)}. {writer.title(2, 12)}.")
        text = f"Figure {rng.randint(70, 99)}. {writer.title(4, 24)}."
        return [
            Block("figure", [], size, leading, before=10, height=rng.uniform(110, 190), first=whole, keep=True),
            Block("caption", plain(text, "i"), size * 0.9, leading * 0.9, before=4),
        ]

    floats = [across() for _ in range(rng.randint(0, 2))] if two else []
    for part, at in ((0, len(body) // 3), (1, 2 * len(body) // 3))[: len(floats)]:
        piece = body[len(body) // 3 if part else 0 : at]
        y = printer.flow(piece, columns, measure, top, bottom, y, balance=True)
        if y + 260 > bottom:
            printer.pages.append(Page())
            y = top
        y = printer.flow(floats[part], lambda page: [margin], whole, top, bottom, y + leading, balance=False) + leading
    rest = body[(0, len(body) // 3, 2 * len(body) // 3)[len(floats)] :]
    printer.flow(rest, columns, measure, top, bottom, y, balance=rng.random() < 0.5)
    if rng.random() < 0.3:
        printer.pages.insert(rng.randrange(1, len(printer.pages) + 1), Page(empty=True))
    _notes(rng, printer, writer, size, bottom, measure)
    style = rng.choice(("{n}", "Page {n} of {m}", "– {n} –", "roman", "- {n} -"))
    title, first = writer.title(3, 6), rng.choice((1, 1, 1, 233))
    pages, printer.pages = printer.pages, []
    outer, at_head, heads = rng.random() < 0.4, rng.random() < 0.25, rng.random() < 0.6
    for at, page in enumerate(pages):
        printer.pages.append(page)
        if page.empty:
            continue
        label = roman(at + 1) if style == "roman" else str(at + first)
        page.label = label
        shown = label if style == "roman" else style.format(n=label, m=len(pages) + first - 1)
        x, side = ((margin, "left") if at % 2 else (width - margin, "right")) if outer else (width / 2, "centre")
        furnish(printer, shown, size * 0.9, x, 34 if at_head else height - 36, "r", side)
        if heads and at and not at_head:
            furnish(printer, title if at % 2 else "A. Name and B. Other", size * 0.85, margin if at % 2 else width - margin, 34, "i", "left" if at % 2 else "right")
    return printer.finish()


def _notes(rng: random.Random, printer: Printer, writer: Writer, size: float, bottom: float, measure: float) -> None:
    """Footnotes in place of what stood lowest in the first column of some pages: their lines go to no other page."""
    for page in printer.pages:
        lines = [line for line in page.lines if line.base > bottom - 30 and line.x == min(other.x for other in page.lines)]
        if lines or not page.lines or rng.random() < 0.4:
            continue
        x = min(line.x for line in page.lines)
        note = Block("note", [Unit(rng.choice("¹²³*†")), *writer.sentence(4, 12)], size * 0.8, size)
        for at, line in enumerate(printer.lines(note, measure)):
            line.x, line.base = x, bottom + (at - 1) * size
            page.lines.append(line)


KINDS = {"formulary": formulary, "legislature": legislature, "paper": paper}


def made(kind: str, seed: int, latin: Sequence[Family], han: Sequence[Family]) -> Made:
    return KINDS[kind](random.Random(f"{kind}{seed}"), latin, han)


def squash(text: str) -> str:
    return "".join(unicodedata.normalize("NFC", text).split())


class Score:
    def __init__(self) -> None:
        self.hits, self.asked = Counter[str](), Counter[str]()
        self.misses: list[tuple[str, str]] = []

    def add(self, metric: str, value: bool, detail: str) -> None:
        self.asked[metric] += 1
        self.hits[metric] += value
        if not value:
            self.misses.append((metric, detail))

    def join(self, other: Score) -> None:
        self.hits += other.hits
        self.asked += other.asked

    def shares(self) -> dict[str, float]:
        return {metric: self.hits[metric] / self.asked[metric] for metric in METRICS if self.asked[metric]}


def scored(truth: Made, document: Document) -> Score:
    """How much of the truth the document holds; every metric counts what is right among what was asked."""
    score = Score()
    taken = defaultdict[int, list[str]](list)
    for item in document.furniture:
        taken[item.locators[0].page].append(squash(item.text))  # type: ignore[union-attr]
    paragraphs: dict[int, list[Line]] = defaultdict(list)
    for page, made_page in zip(document.pages, truth.pages, strict=True):
        text = squash(page.span.of(document.text))
        body = [line for line in made_page.lines if not line.furniture and line.text]
        joined = "".join(taken[page.index])
        score.add("labels", page.label == made_page.label, f"p{page.index} {page.label!r} for {made_page.label!r}")
        for line in body:
            paragraphs[id(line.block)].append(line)
            key = squash(line.text)[: -1 if line.soft else None]
            score.add("kept", key in text, f"p{page.index} {line.text[:70]!r}")
            score.add("taken", len(key) < 5 or key not in joined, f"p{page.index} {line.text[:70]!r}")
        drawn = [line for line in made_page.lines if not line.furniture]
        for a, b in pairwise(drawn):
            if not (a.text and b.text):  # what is written in a figure stands between
                continue
            key = squash(a.text)[: -1 if a.soft else None] + squash(b.text)[: -1 if b.soft else None]
            kept = squash(a.text) + squash(b.text)  # a note between the parts of a word keeps its hyphen
            score.add("order", key in text or (a.soft and kept in text), f"p{page.index} {a.text[:40]!r} + {b.text[:40]!r}")
            if a.soft and a.block is b.block:
                word = a.text.split()[-1][:-1] + b.text.split()[0]
                score.add("hyphens", squash(word)[: -1 if b.soft else None] in text, f"p{page.index} {word!r}")
        for line in made_page.lines:
            if line.furniture:
                score.add("leaks", squash(line.text) in taken[page.index], f"p{page.index} {line.text!r}")
    _scored_blocks(score, paragraphs, document)
    score.add("ledger", document.ledger().missing == 0, str(document.ledger()))
    return score


def _scored_blocks(score: Score, paragraphs: dict[int, list[Line]], document: Document) -> None:
    texts = {block.id: squash(block.span.of(document.text)) for block in document.blocks}
    chained = Counter(texts.values())
    heads = {block.continues_on for block in document.blocks}
    following = {block.id: block.continues_on for block in document.blocks}
    for block in document.blocks:
        if block.id not in heads:
            whole, at = texts[block.id], following[block.id]
            while at:
                whole, at = whole.removesuffix("-") + texts[at], following[at]
                chained[whole] += 1
    headings = Counter(squash(block.span.of(document.text)) for block in document.blocks if block.kind is BlockKind.HEADING)
    expected = Counter[str]()
    for lines in paragraphs.values():
        block = lines[0].block
        text = "".join(squash(line.text)[: -1 if line.soft else None] for line in lines)
        where = f"{block.kind}: {lines[0].text[:50]!r}"
        if block.kind == "heading":
            expected[text] += 1
        elif block.kind in ("para", "note", "caption"):
            score.add("paragraphs", chained[text] > 0, where)
    for text, count in (expected | headings).items():
        score.add("headings", expected[text] == headings[text], f"{'missed' if expected[text] > headings[text] else 'false'} {text[:60]} ×{count}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latin", nargs="+", required=True)
    parser.add_argument("--han", nargs="+", default=[])
    parser.add_argument("--seeds", default="0-19")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--explain", type=int, default=0)
    options = parser.parse_args()
    latin, han = families(options.latin, options.han)
    first, _, last = options.seeds.partition("-")
    print(f"{'kind':12}" + "".join(f"{metric:>11}" for metric in METRICS) + "  pages/s")
    for kind in options.kinds:
        total, misses, pages, seconds = Score(), defaultdict[str, list[str]](list), 0, 0.0
        for seed in range(int(first), int(last or first) + 1):
            truth = made(kind, seed, latin, han or latin)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{kind}-{seed}.pdf").write_bytes(truth.data)
            source = Source(f"{kind}-{seed}", f"{kind}-{seed}", "application/pdf", hashlib.sha256(truth.data).hexdigest())
            start = time.perf_counter()
            document = parse_pdf(truth.data, source)
            seconds += time.perf_counter() - start
            pages += len(truth.pages)
            score = scored(truth, document)
            total.join(score)
            for metric, detail in score.misses:
                misses[metric].append(f"seed {seed:3} {detail}")
        shares = total.shares()
        print(f"{kind:12}" + "".join(f"{shares.get(metric, 1.0):11.4f}" for metric in METRICS) + f"{pages / seconds:9.1f}")
        for metric, details in misses.items() if options.explain else ():
            seeds = Counter(detail.split()[1] for detail in details)
            print(f"  {metric}: {len(details)} in seeds {dict(seeds.most_common(8))}")
            for detail in details[:: max(1, len(details) // options.explain)][: options.explain]:
                print("    ", detail)


if __name__ == "__main__":
    main()
