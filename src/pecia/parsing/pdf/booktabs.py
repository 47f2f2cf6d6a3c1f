"""Tables between level rulings: the rulings tell where the table is and where its header ends, white space the rest."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.drawings import Ruling
from pecia.parsing.pdf.gaps import Piece, TableLine, assign, grouped, gutters_in, pieces_of, ruling_under, slots_of
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs, Word
from pecia.parsing.pdf.marks import is_table_caption
from pecia.parsing.pdf.plausible import are_aligned, filled, is_prose, names_figure
from pecia.parsing.pdf.rows import Row, rows_of
from pecia.parsing.pdf.sketch import Sketch, bare

ALIKE = 4.0  # points that the ends of rulings of one table differ, at most
NARROWEST = 50.0  # points: shorter rulings are fractions, marks and cells of charts
HEADER = 6  # lines that the band of a header has, at most
BANDS, WHOLE = 3, 0.3  # bands below the header where rulings part rows; share of the further lines that fill all columns
LAST = 8  # bands above, to which one is held
HIGHER = 3  # times as many lines as any band before, of three at least
LOW = 3.0  # of the size: a band with one line or none, within a table, is no higher
FILLED, FILLED_ALONE = 0.35, 0.6  # share of the slots with words: between three rulings or more, and between two
CROSSED = 0.3  # share of the lines that may run across the columns
CLOSE = 2.2  # of the size: lines beyond the outer rulings that belong to the table are no farther apart
FEWEST = 3  # rows of a table that only two rulings enclose


@dataclass(slots=True)
class Band:
    """The lines between two rulings, in pieces."""

    top: float
    bottom: float
    lines: list[TableLine]
    tabular: bool


def booktabs(
    page: PageGlyphs, words: Sequence[Word], fonts: Fonts, across: Sequence[Ruling], down: Sequence[Ruling] = ()
) -> Iterator[Sketch]:
    """The tables between rulings that begin and end alike. `down`: upright lines that are column edges too."""
    for group in _groups(across):
        left, right = min(rule.start for rule in group), max(rule.end for rule in group)
        near = [word for word in words if left - ALIKE < (word.x0 + word.x1) / 2 < right + ALIKE]
        spans = [rule for rule in across if rule not in group and left - ALIKE < rule.start and rule.end < right + ALIKE]
        bands = list(_bands(group, near, page, fonts, spans))
        for run in _runs(bands):
            sketch = _sketch(page, fonts, run, near, (left, right), spans, [line.at for line in down])
            if sketch is not None:
                yield sketch


def _groups(across: Sequence[Ruling]) -> Iterator[list[Ruling]]:
    """Rulings of one width at one place, from the top; two at least."""
    held: list[list[Ruling]] = []
    for rule in across:
        if rule.end - rule.start < NARROWEST:
            continue
        for group in held:
            if abs(group[0].start - rule.start) <= ALIKE and abs(group[0].end - rule.end) <= ALIKE:
                group.append(rule)
                break
        else:
            held.append([rule])
    return (group for group in held if len(group) > 1)


def _bands(
    group: Sequence[Ruling], words: Sequence[Word], page: PageGlyphs, fonts: Fonts, spans: Sequence[Ruling]
) -> Iterator[Band]:
    for upper, lower in pairwise(group):
        held = [word for word in words if upper.at < (word.y0 + word.y1) / 2 < lower.at]
        lines = [TableLine(row, pieces_of(row)) for row in rows_of(held, page, fonts)]
        yield Band(upper.at, lower.at, lines, _is_tabular(lines, spans))


def _is_tabular(lines: Sequence[TableLine], spans: Sequence[Ruling]) -> bool:
    """Cells side by side, not prose in columns. A name on a ruling of its own, of `spans`, stands over several columns."""
    parted = [line.pieces for line in lines if len(line.pieces) > 1]
    if not parted:
        return False
    rows = [line.row for line in lines]
    size = median(row.size for row in rows)
    lines = [line for line in lines if len(line.pieces) > 1 or ruling_under(line.pieces[0], line, spans, size) is None]
    gutters, others = gutters_in(parted, size), gutters_in([line.pieces for line in lines], size)
    gutters = others if len(others) == len(gutters) else gutters  # the further line of a cell may be longer than its first one
    whole = sum(any(piece.x0 < edge < piece.x1 for piece in line.pieces for edge in gutters) for line in lines)
    if not gutters or whole > CROSSED * len(lines) or any(is_table_caption(row.text) for row in rows):
        return False
    return not is_prose(rows, gutters) and not names_figure(rows)


def _runs(bands: Sequence[Band]) -> Iterator[list[Band]]:
    """Bands of one table: tabular ones in a row, the first of them short, and single lines between them."""
    run: list[Band] = []
    for band in bands:
        if run and len(run) >= BANDS and len(band.lines) > HIGHER * max(len(other.lines) for other in run):
            yield from _trimmed(run)  # text between two tables whose rows are ruled
            run = []
            continue
        if band.tabular or (len(band.lines) < 2 and _is_near(band, run)) or _keeps_to(run[-LAST:], band):
            run.append(band)
            continue
        yield from _trimmed(run)
        run = []
    yield from _trimmed(run)


def _keeps_to(run: Sequence[Band], band: Band) -> bool:
    """A band whose first line has cells, and whose lines leave the gaps free that are between those of the bands above: the
    line below may be longer than the first one of its cell."""
    held = [line.pieces for own in run for line in own.lines if len(line.pieces) > 1]
    if len(run) < BANDS or len(band.lines) < 2 or len(band.lines[0].pieces) < 2:
        return False
    size = band.lines[0].row.size
    return len(gutters_in([*held, *(line.pieces for line in band.lines)], size, 0.0)) >= max(1, len(gutters_in(held, size, 0.0)))


def _is_near(band: Band, run: Sequence[Band]) -> bool:
    """A line across a table, such as the name of a group of rows, stands close between its rulings; or an empty row."""
    if not run:
        return False
    size = run[0].lines[0].row.size
    return band.bottom - band.top < LOW * size


def _trimmed(run: list[Band]) -> Iterator[list[Band]]:
    while run and not run[-1].tabular:
        run = run[:-1]
    if run:
        yield run


def _sketch(
    page: PageGlyphs,
    fonts: Fonts,
    run: Sequence[Band],
    near: Sequence[Word],
    ends: tuple[float, float],
    spans: Sequence[Ruling],
    forced: Sequence[float],
) -> Sketch | None:
    full = [band for band in run if band.lines]
    for number, band in enumerate(full):
        band.lines[0].rule = True
        for at, line in enumerate(band.lines):
            line.head = number == 0 and len(full) > 1 and len(band.lines) <= HEADER
            line.inner = at > 0
    lines = [line for band in full for line in band.lines]
    size = median(line.row.size for line in lines)
    if len(gutters_in([line.pieces for line in lines], size)) > 1:
        above = [
            word for word in near if word.y1 < lines[0].row.y1 and run[0].top - HEADER * CLOSE * size < word.base < run[0].top
        ]
        heads = _beyond(lines, rows_of(above, page, fonts)[::-1])[::-1]
        if heads:
            for line in full[0].lines:
                line.head = False
            for line in heads:
                line.head = True
        below = [word for word in near if word.base > run[-1].bottom]
        tails = _beyond(lines[::-1], rows_of(below, page, fonts))
        lines = heads + lines + tails
    reach = min(run[0].top, lines[0].row.y0), max(run[-1].bottom, lines[-1].row.y1)
    return sketch_of(page, fonts, lines, ends, spans, forced, reach, sure=len(full) > 1)


def _beyond(lines: Sequence[TableLine], rows: Sequence[Row]) -> list[TableLine]:
    """Lines outside the outer rulings, the nearest first, that keep to the columns of those inside, of which `lines` has
    the nearest first: a header above the first ruling, rows below the last one."""
    found: list[TableLine] = []
    size = median(line.row.size for line in lines)
    held = [line.pieces for line in lines]
    count, before = len(gutters_in(held, size)), lines[0].row
    for row in rows:
        line = TableLine(row, pieces_of(row))
        close = abs(row.base - before.base) <= CLOSE * size and abs(row.size - size) < 0.2 * size
        if not close or len(line.pieces) < 2 or is_table_caption(row.text):
            break
        held.append(line.pieces)
        if len(gutters_in(held, size, 0.0)) < count:
            break
        found.append(line)
        before = row
    return found


def sketch_of(
    page: PageGlyphs,
    fonts: Fonts,
    lines: Sequence[TableLine],
    ends: tuple[float, float],
    spans: Sequence[Ruling] = (),
    forced: Sequence[float] = (),
    reach: tuple[float, float] | None = None,
    *,
    sure: bool = False,
) -> Sketch | None:
    """The table of these lines, its columns found from white space and `forced` edges; None where it is none. `ends`
    are its left and right edge, `reach` its upper and lower one where rulings tell them."""
    edges = _edges(lines, ends, forced)
    if len(edges) < 3:
        return None
    assign(lines, edges, spans)
    rows = grouped(lines, edges, boxed=_are_boxed(lines))
    slots = slots_of(rows, len(edges) - 1)
    full = sum(len({id(cell) for cell in row if cell.words}) > 1 for row in slots)
    if full < 2 or (not sure and full < FEWEST):
        return None
    sketch = Sketch(page, fonts, edges=edges, slots=slots)
    if filled(sketch) < (FILLED if sure else FILLED_ALONE) or not (sure or are_aligned(lines, len(edges) - 1)):
        return None
    x0, y0, x1, y1 = bare(word for line in lines for word in line.row.words)
    if reach is not None:
        y0, y1 = reach
    sketch.box = min(x0, ends[0]), y0, max(x1, ends[1]), y1
    sketch.header_rows = sum(group[0].head for group in rows) or -1
    return sketch


def _are_boxed(lines: Sequence[TableLine]) -> bool:
    """Rulings part all rows: there are many, and what stands between two of them in several lines is one row, as its
    further lines do not fill the columns that the first one fills."""
    bands = sum(line.rule and not line.head for line in lines)
    inner = whole = 0
    first = lines[0]
    for line in lines:
        if not line.inner:
            first = line
        elif not line.head:
            inner += 1
            whole += first.filled.keys() <= line.filled.keys()
    return bands >= BANDS and whole <= WHOLE * inner


def _edges(lines: Sequence[TableLine], ends: tuple[float, float], forced: Sequence[float]) -> list[float]:
    """Where columns begin and the last one ends. Headers are asked only for columns that the body does not tell."""
    body: list[list[Piece]] = [line.pieces for line in lines if not line.head]
    heads: list[list[Piece]] = [line.pieces for line in lines if line.head]
    size = median(line.row.size for line in lines)
    if len(body) < 2:
        if not forced and (ordered := _by_order(body + heads)):
            return [ends[0], *ordered, ends[1]]
        body, heads = body + heads, []
    drawn = [edge for edge in forced if ends[0] + size < edge < ends[1] - size]
    middles = sorted((piece.x0 + piece.x1) / 2 for pieces in body for piece in pieces)
    told = [edge for edge in gutters_in(body, size) if not any(_is_between(middles, edge, other) for other in drawn)]
    inner = sorted([*told, *drawn])
    most = max(map(len, heads), default=0)
    if most > len(inner) + 1 and len(both := gutters_in(body + heads, size)) + 1 == most:
        inner = both  # a column with a name and nothing below it
    return [ends[0], *inner, ends[1]]


def _is_between(middles: Sequence[float], one: float, two: float) -> bool:
    """No cell stands between the two edges: they are one."""
    return bisect_left(middles, min(one, two)) == bisect_left(middles, max(one, two))


def _by_order(lines: Sequence[Sequence[Piece]]) -> list[float]:
    """The edges between pieces that are equally many in all lines: a name on the left of its column and a figure on the
    right have white space between them too."""
    counts = {len(pieces) for pieces in lines}
    if len(counts) != 1 or len(lines) < 2:
        return []
    columns = list(zip(*lines, strict=True))
    bounds = [(max(p.x1 for p in one), min(p.x0 for p in two)) for one, two in pairwise(columns)]
    return [(low + high) / 2 for low, high in bounds] if all(low < high for low, high in bounds) else []
