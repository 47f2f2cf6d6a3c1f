"""Columns and rows of a table that white space tells, in a stretch of the page that is known to be, or may be, one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.drawings import Ruling
from pecia.parsing.pdf.glyphs import Word
from pecia.parsing.pdf.marks import ends_in_hyphen, first_wide, has_leaders, is_wide
from pecia.parsing.pdf.rows import Row
from pecia.parsing.pdf.sketch import Cell

SPACE = 0.55  # of the size: a gap this wide parts two cells, where nearly all rows have it
CROSSING = 0.12  # share of the lines that may cross a gutter: cells that span columns, headers of groups
CLOSE, FAR = 1.42, 1.65  # of the size: lines of one cell are no farther apart; the latter where rows are farther apart still
LOOSER = 1.15  # times the smallest step: a step this much wider parts rows where cells hold several lines
SPACED = 2  # rows below the first that space parts, before it is believed to part all of them
STEADY = 1.05  # times a step from line to line: one this much wider is of another kind
FIT = 0.3  # of the size: what a word needs beside its own width to fit on the line above
LONELY = 0.34  # share of the filled columns: so few cells, none of them the first, go on with those above
SIGNS = "$€£¥"
OPENING = (*SIGNS, "(", "$(", "€(", "£(", "¥(")
CLOSING = (")", "%", ")%", "%)")
HANGS = 2.0  # of the size: no farther behind its figure what closes it stands
_VALUE = re.compile(r"[^\w]*\d[\d.,:/’']*[^\w]*|[–—−-]")
REACH = 0.8  # of the size: so far a piece reaches into a column that it spans, at least


@dataclass(slots=True)
class Piece:
    """Words of one line without a gap between them."""

    words: list[Word]
    x0: float
    x1: float
    first: int = 0
    last: int = 0  # columns from first to last


@dataclass(slots=True)
class TableLine:
    """A printed line of the table: its pieces in columns. `rule`: a ruling runs across the table right above it; `inner`: it
    is not the first line between two rulings."""

    row: Row
    pieces: list[Piece]
    rule: bool = False
    head: bool = False
    inner: bool = False
    filled: dict[int, Piece] = field(default_factory=dict)


def pieces_of(row: Row) -> list[Piece]:
    """The words of a line, cut at every gap that may part two cells."""
    words = sorted(row.words, key=lambda word: word.x0)
    found = [Piece([words[0]], words[0].x0, words[0].x1)]
    for word in words[1:]:
        before = found[-1]
        if word.x0 - before.x1 < SPACE * row.size or _is_one_amount(before.words[-1], word, row):
            before.words.append(word)
            before.x1 = max(before.x1, word.x1)
        else:
            found.append(Piece([word], word.x0, word.x1))
    return found


def _is_one_amount(one: Word, two: Word, row: Row) -> bool:
    """A sign of a currency, or a bracket, alone belongs to the figure that follows, however far; a bracket that closes, or a per
    cent sign, to the figure before it."""
    if two.end - two.start > 2 and one.end - one.start > 2:
        return False
    before, after = row.page.text(one), row.page.text(two)
    if before in OPENING:
        return after[:1].isdigit() or after[:1] in "(.-–—−"
    return after in CLOSING and before[-1:] in "0123456789—–" and two.x0 - one.x1 < HANGS * row.size


def gutters_in(lines: Sequence[Sequence[Piece]], size: float, crossing: float = CROSSING) -> list[float]:
    """Where columns end: the middles of strips that hardly a line crosses, while lines stand on both sides."""
    allowed = int(crossing * len(lines)) if len(lines) >= 8 else 0
    events = sorted(
        event for pieces in lines for piece in pieces for event in ((piece.x0, 1), (piece.x1, -1)) if piece.x1 > piece.x0
    )
    if not events:
        return []
    strips: list[tuple[float, float, int]] = []
    count, at = 0, events[0][0]
    for place, change in events:
        if count <= allowed and place > at:
            if strips and strips[-1][1] == at:
                strips[-1] = _better(strips[-1], (at, place, count))
            else:
                strips.append((at, place, count))
        count += change
        at = place
    return [(x0 + x1) / 2 for x0, x1, _ in _supported(_wide(strips, SPACE * size), lines)]


def _better(one: tuple[float, float, int], two: tuple[float, float, int]) -> tuple[float, float, int]:
    """Of two strips side by side the emptier, or both together where they are alike."""
    if one[2] == two[2]:
        return one[0], two[1], one[2]
    return min(one, two, key=lambda strip: (strip[2], strip[0] - strip[1]))


def _wide(strips: Iterable[tuple[float, float, int]], width: float) -> list[tuple[float, float, int]]:
    return [strip for strip in strips if strip[1] - strip[0] >= width]


def _supported(strips: list[tuple[float, float, int]], lines: Sequence[Sequence[Piece]]) -> list[tuple[float, float, int]]:
    """The strips without those between which hardly a line has a piece: one cell alone is no column. Of the two beside it the one
    goes that more lines cross."""
    needed = 2 if len(lines) > 3 else 1
    while strips:
        bounds = [-1e9, *((x0 + x1) / 2 for x0, x1, _ in strips), 1e9]
        counts = [
            sum(any(low <= (piece.x0 + piece.x1) / 2 < high for piece in pieces) for pieces in lines)
            for low, high in pairwise(bounds)
        ]
        weak = next((at for at, count in enumerate(counts) if count < needed), None)
        if weak is None:
            return strips
        beside = [at for at in (weak - 1, weak) if 0 <= at < len(strips)]
        del strips[max(beside, key=lambda at: (strips[at][2], -at))]
    return strips


def assign(lines: Sequence[TableLine], edges: Sequence[float], spans: Sequence[Ruling] = ()) -> None:
    """Gives each piece its columns. `spans` are rulings under headers that stand over several columns."""
    size = median(line.row.size for line in lines)
    contents = _contents(lines, edges)
    width = len(contents)
    for line in lines:
        line.pieces = [part for piece in line.pieces for part in _cut(piece, line, edges[1:-1], contents)]
    # The line that names all columns: in its order, wherever its names stand; of several, the one that stands over them best.
    astray = {at: _astray(line, edges, size) for at, line in enumerate(lines) if line.head and len(line.pieces) == width}
    naming = min(reversed(astray), key=astray.__getitem__, default=-1)
    names = lines[naming].pieces if astray else None
    for number, line in enumerate(lines):
        all_named = number == naming or astray.get(number) == 0
        for at, piece in enumerate(line.pieces):
            span = _under(piece, line, contents, spans, size) if line.head else None
            if span is not None:
                piece.first, piece.last = span
            elif line.head and names is not None:
                piece.first = piece.last = at if all_named else _named(piece, names)
            else:
                piece.first, piece.last = _columns(piece, line, edges, contents, size)
        line.pieces = _merged(line.pieces)
        line.filled = {column: piece for piece in line.pieces for column in range(piece.first, piece.last + 1)}


def _astray(line: TableLine, edges: Sequence[float], size: float) -> int:
    """How many of its pieces, one for each column, do not stand over it."""
    return sum(
        not low - size < (piece.x0 + piece.x1) / 2 < high + size
        for piece, (low, high) in zip(line.pieces, pairwise(edges), strict=True)
    )


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces that share a column made one."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and piece.first <= merged[-1].last:
            before = merged[-1]
            before.words += piece.words
            before.x1, before.last = max(before.x1, piece.x1), max(before.last, piece.last)
        else:
            merged.append(piece)
    return merged


def _named(piece: Piece, names: Sequence[Piece]) -> int:
    """The column of a further line of a header, by the line that names all columns: edges or middles are below one
    another."""

    def off(name: Piece) -> float:
        return min(abs(piece.x0 - name.x0), abs(piece.x1 - name.x1), abs(piece.x0 + piece.x1 - name.x0 - name.x1) / 2)

    return min(range(len(names)), key=lambda at: off(names[at]))


def _under(
    piece: Piece, line: TableLine, contents: Sequence[tuple[float, float]], spans: Sequence[Ruling], size: float
) -> tuple[int, int] | None:
    """The columns over which the ruling right below a header reaches."""
    span = ruling_under(piece, line, spans, size)
    held = [at for at, (low, high) in enumerate(contents) if span.start <= (low + high) / 2 <= span.end] if span else []
    return (held[0], held[-1]) if held else None


def ruling_under(piece: Piece, line: TableLine, spans: Sequence[Ruling], size: float) -> Ruling | None:
    """The ruling right below a piece of a header, where nothing else of the line stands on it."""
    for span in spans:
        if 0 < span.at - line.row.base < 1.6 * size:
            above = [other for other in line.pieces if span.start - size <= other.x0 and other.x1 <= span.end + size]
            if above == [piece]:
                return span
    return None


def _contents(lines: Sequence[TableLine], edges: Sequence[float]) -> list[tuple[float, float]]:
    """How far the text of each column reaches, from pieces that stand in one column alone; headers only where there is no
    other."""
    found: list[tuple[float, float]] = []
    for low, high in pairwise(edges):
        inside: list[Piece] = []
        for heads in (False, True):
            if not inside:
                inside = [
                    piece for line in lines if line.head is heads for piece in line.pieces if low <= piece.x0 and piece.x1 <= high
                ]
        if inside:
            found.append((min(piece.x0 for piece in inside), max(piece.x1 for piece in inside)))
        else:
            found.append((low, high))
    return found


def _cut(piece: Piece, line: TableLine, inner: Sequence[float], contents: Sequence[tuple[float, float]]) -> list[Piece]:
    """A piece cut at the column edges where only a space between words stands in them: two cells close to each other."""
    if len(piece.words) == 1 or not line.row.size:
        return [piece]
    found = [Piece([piece.words[0]], piece.words[0].x0, piece.words[0].x1)]
    for word in piece.words[1:]:
        before = found[-1]
        edge = next((at for at, x in enumerate(inner) if before.x1 <= x + 0.1 and word.x0 >= x - 0.1), None)
        parted = line.head and ends_in_hyphen(line.row.page.text(before.words[-1]))
        starts = edge is not None and (parted or abs(word.x0 - contents[edge + 1][0]) < 1.0)
        if starts and word.x0 - before.x1 > FIT * line.row.size:
            found.append(Piece([word], word.x0, word.x1))
        else:
            before.words.append(word)
            before.x1 = max(before.x1, word.x1)
    return found


def _columns(
    piece: Piece, line: TableLine, edges: Sequence[float], contents: Sequence[tuple[float, float]], size: float
) -> tuple[int, int]:
    """First and last column of a piece."""
    touched = []
    for at, (low, high) in enumerate(contents):
        shared = min(piece.x1, high) - max(piece.x0, low)
        if shared >= min(REACH * size, 0.5 * (high - low)) and shared > 0:
            touched.append(at)
    if len(touched) > 1 and _crosses(piece, edges, touched):
        return touched[0], touched[-1]
    if not touched and line.head:
        for at, (one, two) in enumerate(pairwise(contents)):
            if one[1] - 0.1 <= piece.x0 and piece.x1 <= two[0] + 0.1 and one[1] < two[0]:
                return (at, at + 1) if piece.x0 < edges[at + 1] < piece.x1 else _one(piece, edges)
    return _one(piece, edges)


def _crosses(piece: Piece, edges: Sequence[float], touched: Sequence[int]) -> bool:
    return all(piece.x0 < edges[at] < piece.x1 for at in range(touched[0] + 1, touched[-1] + 1))


def _one(piece: Piece, edges: Sequence[float]) -> tuple[int, int]:
    middle = (piece.x0 + piece.x1) / 2
    column = sum(middle >= edge for edge in edges[1:-1])
    return column, column


def grouped(lines: Sequence[TableLine], edges: Sequence[float], *, boxed: bool = False) -> list[list[TableLine]]:
    """Lines gathered into rows of the table; `boxed`: rulings part the rows, and nothing else does."""
    body = [line for line in lines if not line.head]
    steps = [two.row.base - one.row.base for one, two in pairwise(body) if not two.rule]
    tight = min((step for step in steps if step > 0), default=0.0)
    rights = [high for _, high in _contents(lines, edges)]
    spaced = _are_spaced(body, tight, rights)
    found: list[list[TableLine]] = []
    for line in lines:
        held = found[-1] if found and not line.rule and line.head == found[-1][-1].head else []
        if held and (
            (boxed and line.inner and not line.head)
            or (spaced and not line.head and line.row.base - held[-1].row.base <= STEADY * tight)
            or _same_row(held, line, tight, steps, edges, rights)
        ):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _are_spaced(body: Sequence[TableLine], tight: float, rights: Sequence[float]) -> bool:
    """Space parts the rows, and the lines of a row are closer: the lines below the first one of each fill fewer columns, none
    that it leaves empty, or go on in all. That a word would have fitted on the line above says nothing then: TeX and others
    break the lines of a paragraph together."""
    parted = below = 0
    first = body[0] if body else None
    for one, line in pairwise(body):
        if line.rule or line.row.base - one.row.base > STEADY * tight:
            first, parted = line, parted + 1
            if len(line.filled) < 2 or 0 not in line.filled:
                return False
            continue
        below += 1
        assert first is not None
        if any(piece.first < piece.last for piece in line.pieces) or not line.filled.keys() <= first.filled.keys():
            return False
        if line.filled.keys() == first.filled.keys() and not all(
            _wraps(one.filled[column], piece, line, rights) for column, piece in line.filled.items() if column in one.filled
        ):
            return False
    return below > 0 and parted >= SPACED


def _same_row(
    held: Sequence[TableLine],
    line: TableLine,
    tight: float,
    steps: Sequence[float],
    edges: Sequence[float],
    rights: Sequence[float],
) -> bool:
    above = held[-1]
    step = line.row.base - above.row.base
    if line.head:
        spanning = [piece for own in held for piece in own.pieces if piece.first < piece.last]
        return not spanning and all(piece.first == piece.last for piece in line.pieces)
    loose = any(other > LOOSER * tight for other in steps)
    if step > (FAR if loose else CLOSE) * max(line.row.size, above.row.size):
        return False
    if loose and step > LOOSER * tight:
        return False
    before = {column: piece for own in held for column, piece in own.filled.items()}
    if any(piece.first < piece.last for piece in line.pieces) or not line.filled.keys() <= before.keys():
        return False
    limits = edges[1:]
    if loose or 0 not in line.filled:
        limits = rights
    if all(_wraps(before[column], piece, line, limits) for column, piece in line.filled.items()):
        return True
    if 0 in line.filled or len(line.filled) >= len(before):
        return False
    return loose or len(line.filled) <= LONELY * len(before)


def _wraps(above: Piece, piece: Piece, line: TableLine, limits: Sequence[float]) -> bool:
    """The first word did not fit at the end of the line above."""
    word = piece.words[0]
    before, after = line.row.page.text(above.words[-1]), line.row.page.text(word)
    if has_leaders(before) or (_VALUE.fullmatch(before) and _VALUE.fullmatch(after)):
        return False  # two figures are two values, however narrow the column
    cut = first_wide(after)
    width = word.x1 - word.x0 if cut else line.row.size  # a line may break after any Han character
    space = 0.0 if is_wide(before[-1]) and not cut else FIT * line.row.size
    return above.x1 + space + width > limits[above.last] - FIT * line.row.size


def slots_of(rows: Sequence[Sequence[TableLine]], width: int) -> list[list[Cell]]:
    """The grid: a piece over several columns fills the slot of each."""
    found: list[list[Cell]] = []
    for lines in rows:
        spanning = [piece for line in lines for piece in line.pieces if piece.first < piece.last]
        slots = [Cell() for _ in range(width)]
        for piece in spanning:
            for column in range(piece.first, piece.last + 1):
                slots[column] = slots[piece.first]
        for line in lines:
            for piece in line.pieces:
                slots[piece.first].words += piece.words
        found.append(slots)
    return found
