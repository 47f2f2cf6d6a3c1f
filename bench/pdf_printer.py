"""Sets text in columns and draws it as PDF, with every line kept: what random documents are made with."""

from __future__ import annotations

import io
import random
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from reportlab.pdfbase.pdfmetrics import getFont, registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

VIETNAMESE = (
    "thuốc liều dùng người bệnh uống tiêm ngày giờ tuần gan thận tim phổi máu nặng nhẹ theo dõi nồng độ huyết tương "
    "giảm tăng nguy cơ khi điều trị với các trẻ em lớn tuổi cần ngừng ngay nếu xuất hiện phản ứng da tiêu hóa thần "
    "kinh chỉ định chống thai kỳ sữa mẹ "
)
ENGLISH = (
    "the of a in on with for by from this that each every harbour timetable measurement instrument calibration "
    "observation vessel weather season record station night service report committee development reclamation "
    "compensation resident project estimate method result interval network schedule approximately infrastructure "
    "consultation department well-known long-term low-cost year month funding assessment drainage village operation "
    "maintenance equipment therefore however under about between "
)
CHINESE = (
    "工程 完成 居民 政府 部門 發展 土地 補償 安置 計劃 每年 開支 預計 有關 設施 道路 排水 "
    "公司 委員會 研究 報告 人口 增加 減少 期間 進行 措施 影響 環境 交通 撥款 項目 維修 "
    "檢討 諮詢 村民 單位 我們 已經 將會 現時 落實 安排 提供 需要 可行 進度 時間 "
)


BLACK = 0.0, 0.0, 0.0


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
    colour: tuple[float, float, float] = BLACK
    cells: Sequence[float] = ()  # where the cells of a table row stand, as shares of the width
    height: float = 0.0  # of a figure
    keep: bool = False  # with the next block
    hyphenate: bool = False
    name: str = ""  # what running heads show from here on
    grid: Any = None  # the table that a row belongs to
    row: int = 0


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
    repeats: bool = False  # a row of a header, printed again


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
    grids: list[Any] = field(default_factory=list)


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
        self.grids: list[Any] = []
        self.draw_tables: Callable[[Canvas, Sequence[Line], float], None] | None = None
        self.again: Callable[[Block], Iterator[Block]] = lambda block: iter(())

    def lines(self, block: Block, width: float) -> list[Line]:
        if block.kind == "figure" or block.cells:
            pieces = [(share * width, unit.text, unit.face, True) for share, unit in zip(block.cells, block.units, strict=False)]
            return [Line(block, pieces, "" if block.grid is not None else " ".join(unit.text for unit in block.units))]
        found, held, units = list[Line](), list[Unit](), list(block.units)
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
            found.append(
                self._line(block, held, width - block.left - (0 if found else block.first), bool(found), last=True, soft=False)
            )
        return found

    def _hyphenated(self, unit: Unit, block: Block, room: float) -> tuple[Unit, Unit] | None:
        if not block.hyphenate or len(unit.text) < 7 or not unit.text.replace("-", "").isalpha():
            return None
        at = unit.text.find("-") + 1
        cuts = [at] if at else list(range(len(unit.text) - 3, 2, -1))
        for cut in cuts:
            head = unit.text[:cut] + ("" if at else "-")
            if self.family.width(head, unit.face, block.size) <= room:
                return Unit(head, unit.face, unit.space), Unit(unit.text[cut:], unit.face)
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

    def flow(
        self,
        blocks: Sequence[Block],
        columns: Callable[[int], Sequence[float]],
        width: float,
        top: float,
        bottom: float,
        y: float,
        *,
        balance: bool,
    ) -> float:
        """Sets the blocks in columns that begin at `y`, over as many pages as they need; where the last band ends."""
        lines = [(line, block.before if not at else 0.0) for block in blocks for at, line in enumerate(self.lines(block, width))]
        while lines:
            xs = columns(len(self.pages) - 1)
            room = bottom - y
            total = sum(gap + self._high(line) for line, gap in lines)
            if balance and len(xs) > 1 and total < 0.9 * len(xs) * room:
                room = next(
                    (part for part in (total / len(xs) + step for step in range(4, 2000, 6)) if self._fits(lines, part, len(xs))),
                    room,
                )
            low = y
            for x in xs:
                at = y
                lines = self._with_header(lines, width)
                lines, at = self._fill(lines, x, at, y + min(room, bottom - y), y)
                low = max(low, at)
            if not lines:
                return low
            self.pages.append(Page())
            y = top
        return y

    def _with_header(self, lines: list[tuple[Line, float]], width: float) -> list[tuple[Line, float]]:
        """Lines that go on with a table begin with its header once more."""
        first = lines[0][0].block if lines else None
        if first is None or first.grid is None or first.row == 0:
            return lines
        made = [(self.lines(block, width)[0], block.before) for block in self.again(first)]
        for line, _ in made:
            line.repeats = True
        return made + lines

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

    def _fill(
        self, lines: list[tuple[Line, float]], x: float, y: float, bottom: float, top: float
    ) -> tuple[list[tuple[Line, float]], float]:
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
            if self.draw_tables is not None:
                self.draw_tables(canvas, page.lines, self.height)
            canvas.showPage()
        canvas.save()
        return Made(buffer.getvalue(), self.pages, self.grids)

    def _draw(self, canvas: Canvas, line: Line) -> None:
        block, y = line.block, self.height - line.base
        canvas.setFillColorRGB(*block.colour)
        if block.kind == "figure":
            self._figure(canvas, line)
            return
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
        self.words = {"vi": VIETNAMESE, "en": ENGLISH, "zh": CHINESE}[language].split()

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
            if (units and ((latin and units[-1].text[-1].isascii()) or char in "。，、；：？！）」』")) or (
                units and units[-1].text[-1] in "（「『"
            ):
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
        return "".join(self.rng.choice(parts) for _ in range(self.rng.randint(2, 4))).capitalize() + self.rng.choice(
            ("lin", "mycin", "pam", "zol")
        )


def plain(text: str, face: str = "r") -> list[Unit]:
    return [Unit(word, face) for word in text.split()]


def set_words(writer: Writer, text: str, face: str) -> list[Unit]:
    return writer.han(text, face) if writer.language == "zh" else plain(text, face)
