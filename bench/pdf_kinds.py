"""Random documents of three kinds, with the truth about every line: a formulary, a legislature's paper, a paper."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from bench.pdf_printer import Block, Family, Line, Made, Page, Printer, Unit, Writer, plain, set_words
from bench.pdf_tables import again, draw, table


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


def formulary(rng: random.Random, latin: Sequence[Family], han: Sequence[Family]) -> Made:  # noqa: C901
    """Front matter on one column, then entries on two, with titles and tables across."""
    width, height = rng.choice(((420, 595), (453, 680), (516, 729), (595, 842)))
    printer, writer = Printer(rng, rng.choice(latin), width, height), Writer(rng, "vi")
    printer.draw_tables, printer.again = draw, again
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

    def one_column(page: int) -> list[float]:
        return [left(page)]

    def two_columns(page: int) -> list[float]:
        return [left(page), left(page) + measure + gutter]

    def text(units: list[Unit], first: float = indent, hang: float = 0.0) -> Block:
        return Block("para", units, size, leading, before=gap, left=hang, first=first - hang, align=align)

    def entry() -> Iterator[list[Block]]:
        name = writer.name()
        yield [
            Block(
                "heading",
                plain(" ".join([name] + [writer.name() for _ in range(long - 1)]).upper(), "b"),
                size * 1.3,
                leading * 1.5,
                before=leading,
                align=rng.choice(("centre", "left")),
                colour=colour,
                keep=True,
                name=name,
            )
        ]
        band: list[Block] = []
        off = 0.0 if grid else rng.uniform(0, 3)
        for _ in range(rng.randint(5, 10)):
            heading = writer.title(1, 6)
            if rng.random() < 0.8:
                up = heading.upper() if capitals else heading
                tone = colour if weight == "b" or capitals else (0.1, 0.2, 0.6)
                band.append(
                    Block(
                        "heading",
                        plain(up, weight),
                        size * bigger,
                        leading,
                        before=leading * 0.6 + off,
                        colour=tone,
                        keep=True,
                        name=name,
                    )
                )
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
                band += table(
                    rng, writer, printer, size * 0.9, leading, measure, f"Bảng {rng.randint(1, 40)}. {writer.title(2, 4)}"
                )
            if rng.random() < 0.12:
                yield band
                band = []
                yield table(
                    rng, writer, printer, size, leading, width - inner - outer, f"Bảng {rng.randint(1, 40)}. {writer.title(3, 7)}"
                )
        if band:
            yield band

    capitals, bigger, weight = rng.random() < 0.3, rng.choice((1.0, 1.0, 1.1, 1.2)), rng.choice("bbbbbr")
    long = rng.choice((1, 1, 1, 5))
    front = rng.randint(0, 4)
    for _ in range(front):
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
                band,
                one_column if across else two_columns,
                width - inner - outer if across else measure,
                top,
                bottom,
                y,
                balance=balance or at == 0 or number % 2 == 0,
            )
    _formulary_furniture(rng, printer, front, inner, outer, size)
    return printer.finish()


def _formulary_furniture(rng: random.Random, printer: Printer, front: int, inner: float, outer: float, size: float) -> None:
    pages, width, height = printer.pages, printer.width, printer.height
    offset, style, small = (
        rng.randint(1, 120),
        rng.choice(("head", "foot outer", "foot centre")),
        size * rng.choice((0.85, 0.95, 1.0)),
    )
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
    printer.draw_tables, printer.again = draw, again
    size = rng.choice((11, 12, 13, 14))
    leading, gap = size * rng.choice((1.25, 1.5, 1.9)), size * rng.choice((0.5, 0.9))
    margin, align = rng.choice((60, 74, 90)), rng.choice(("justify", "left"))
    width, low = 595 - 2 * margin, rng.choice((760, 740))
    hang = rng.choice((0.0, 2 * size))
    blocks = [Block("heading", set_words(writer, writer.title(4, 8), "b"), size * 1.3, leading * 1.3, align="centre", keep=True)]

    def text(units: list[Unit], left: float = 0.0, first: float = 0.0) -> Block:
        return Block("para", units, size, leading, before=gap, left=left, first=first, align=align)

    for number in range(1, rng.choice((2, 4, 8, 16, 30)) + 1):
        if rng.random() < 0.25:
            topic = f"({chr(64 + min(26, number))})" + writer.title(2, 6)
            blocks.append(Block("heading", set_words(writer, topic, "b"), size, leading, before=gap, keep=True))
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
            blocks.append(text(set_words(writer, follow or f"(Follow-up: {writer.title(6, 9)})", "r"), hang))
        if rng.random() < 0.15:
            blocks += table(
                rng,
                writer,
                printer,
                size,
                leading,
                width,
                f"表{number}：{writer.title(2, 4)}" if chinese else f"Table {number}: {writer.title()}",
            )
    printer.flow(blocks, lambda page: [margin], width, 72, low, 72, balance=False)
    letter, offset = rng.choice("ABEKLM"), rng.choice((1, 1, 12))
    day, spot = (
        rng.choice(("2025-04-02", "14 March 2025", "2026年3月5日" if chinese else "5.3.2026")),
        rng.choice(("left", "centre", "right")),
    )
    x, foot, small = (
        {"left": margin, "centre": 297, "right": 595 - margin}[spot],
        rng.choice((784, 800)),
        rng.choice((9, 10, size)),
    )
    pages, printer.pages = printer.pages, []
    swap = rng.random() < 0.3
    for at, page in enumerate(pages):
        printer.pages.append(page)
        page.label = f"{letter}-{at + offset}"
        for step, line in enumerate((day, page.label) if swap else (page.label, day)):
            furnish(printer, line, small, x, foot + 14 * step, "r", spot)
    return printer.finish()


def paper(rng: random.Random, latin: Sequence[Family], han: Sequence[Family]) -> Made:  # noqa: C901
    """Title and abstract across, numbered headings, notes, figures, formulas and references."""
    width, height = rng.choice(((595, 842), (612, 792)))
    printer, writer = Printer(rng, rng.choice(latin), width, height), Writer(rng, "en")
    printer.draw_tables, printer.again = draw, again
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
    head.append(
        Block("para", plain(f"{writer.name()} {writer.name()} and {writer.name()}"), size, leading, before=8, align="centre")
    )
    head.append(
        Block(
            "para",
            [*plain("Abstract.", "b"), *writer.prose(3, 6)],
            size,
            leading,
            before=8,
            left=0,
            align=align,
            hyphenate=hyphens,
        )
    )
    y = printer.flow(head, lambda page: [margin], width - 2 * margin, top, bottom, top, balance=False) + 2 * leading
    body: list[Block] = []
    caps = rng.random() < 0.2
    for number in range(1, rng.randint(4, 8)):
        title = f"{number}{rng.choice(('', '.'))} {writer.title()}"
        body.append(
            Block(
                "heading",
                plain(title.upper() if caps else title, "b"),
                size * rng.choice((1.0, 1.2)),
                leading * 1.2,
                before=leading,
                keep=True,
            )
        )
        for part in range(rng.randint(1, 3)):
            if part and rng.random() < 0.6:
                body.append(
                    Block(
                        "heading", plain(f"{number}.{part} {writer.title()}", "b"), size, leading, before=leading * 0.8, keep=True
                    )
                )
            body += [text(writer.prose(2, 6)) for _ in range(rng.randint(1, 4))]
            chance = rng.random()
            if chance < 0.25:
                body.append(
                    Block(
                        "equation",
                        plain(f"y = {rng.randint(2, 9)}x + b ({number})", "i"),
                        size,
                        leading * 1.6,
                        before=4,
                        align="centre",
                    )
                )
            elif chance < 0.45:
                body.append(Block("figure", [], size, leading, before=10, height=rng.uniform(90, 160), first=measure, keep=True))
                caption = f"Figure {number}{part}. {writer.title(4, 14)}."
                body.append(Block("caption", plain(caption, "i"), size * 0.9, leading * 0.9, before=4))
            elif chance < 0.6:
                body += table(rng, writer, printer, size * 0.9, leading, measure, f"Table {number}{part}. {writer.title(2, 5)}.")
    body.append(Block("heading", plain("References", "b"), size * 1.1, leading * 1.2, before=leading, keep=True))
    for number in range(1, rng.randint(6, 20)):
        body.append(text([Unit(f"[{number}]"), *writer.prose(1, 2)], 0.0, 1.8 * size, size * 0.95))
    whole = width - 2 * margin

    def across() -> list[Block]:
        if rng.random() < 0.5:
            return table(rng, writer, printer, size * 0.9, leading, whole, f"Table {rng.randint(70, 99)}. {writer.title(2, 12)}.")
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
            furnish(
                printer,
                title if at % 2 else "A. Name and B. Other",
                size * 0.85,
                margin if at % 2 else width - margin,
                34,
                "i",
                "left" if at % 2 else "right",
            )
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
