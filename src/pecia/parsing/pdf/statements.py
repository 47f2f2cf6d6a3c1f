"""Tables of amounts, as accounts and reports print them: labels on the left, amounts on the right, rulings only at totals.

The amounts tell the columns, as those of one column stand over one another. What is above them keeps to their columns: heads,
of several lines and over several columns. Labels go on in a second line, and names of groups of rows stand alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pecia.parsing.pdf.drawings import Ruling
from pecia.parsing.pdf.gaps import CLOSING, SIGNS, SPACE, STEADY, Piece, TableLine, assign, gutters_in, pieces_of, slots_of
from pecia.parsing.pdf.marks import is_table_caption
from pecia.parsing.pdf.plausible import are_rising, is_prose_beside
from pecia.parsing.pdf.rows import Row
from pecia.parsing.pdf.sketch import Sketch, bare
from pecia.parsing.pdf.wrapped import head_rows, labelled_rows

STEP = 4.0  # of the size: rows of one table are no farther apart; blank ones may stand between
HEAD_STEP = 2.6  # of the size, between lines of heads
CLOSE = 1.6  # of the size: lines of one cell are no farther apart
HEADS = 8  # lines
CAPTION_LINES = 4  # at most
NAMES = 6  # labels in a row without amounts
TEXTS = 3  # pieces before the amounts, at most
ALIKE = 0.15  # of the size that sizes of rows differ, at most
ROWS, ROWS_TOLD = 3, 2  # rows with amounts; the latter where heads, and signs of a currency or rulings, tell the table too
LABELLED = 0.6  # share of these rows that have a label
ALIGNED = 0.7  # share of the amounts of a column that end within the size of one another: a bracket or a per cent sign hangs over
COVERED = 0.8  # share of the width of a column over which a ruling of its own reaches
WIDER = 1.5  # times the line of a head that it stands on
CENTRED = 1.5  # of the size: so near the middle of the table a single line is its title and no head

_AMOUNT = re.compile(
    rf"[(\[<>~±+−–—-]*(?:[A-Z]{{0,3}}[{SIGNS}])?[(−–—-]*\.?\d(?:[\d.,:/'’–-]*\d)?"
    r"(?:%|‰|x|×|bps|pp|pts|years?|days?|months?|bn|m|M|k|K)?[)\]%*†‡]*(?:\([\da-z]{1,2}\)|[¹²³⁴-⁹*†‡]+)?"
    rf"|(?:[A-Z]{{0,3}}[{SIGNS}])?[(]?[—–−-]{{1,2}}[)]?%?|\(?(?:n/?[ma]|N/?[MA]|n\.[ma]\.|nil|\.{{2,3}}|…)\)?"
)  # fmt: skip
_YEAR = re.compile(r"(?:19|20)\d\d(?:[/–-](?:\d\d){1,2})?[A-Z]?|\d{1,2}[./]\d{1,2}[./](?:\d\d){1,2}")


@dataclass(slots=True)
class _Line:
    """A line and how many of its pieces, from the left, are no amounts."""

    line: TableLine
    texts: int

    @classmethod
    def of(cls, row: Row) -> _Line:
        pieces = pieces_of(row)
        texts = len(pieces)
        while texts and _AMOUNT.fullmatch(_text(pieces[texts - 1], row)):
            texts -= 1
        return cls(TableLine(row, pieces), texts)

    @property
    def row(self) -> Row:
        return self.line.row

    @property
    def amounts(self) -> list[Piece]:
        return self.line.pieces[self.texts :]

    @property
    def has_figures(self) -> bool:
        """One of its cells behind the first is an amount, and no year."""
        texts = [_text(piece, self.row) for piece in self.line.pieces[1:]]
        return any(_AMOUNT.fullmatch(text) and not _YEAR.fullmatch(text) for text in texts)

    @property
    def names_years(self) -> bool:
        """All its amounts are years or dates, as in heads."""
        return bool(self.amounts) and all(_YEAR.fullmatch(_text(piece, self.row)) for piece in self.amounts)


@dataclass(slots=True)
class _Columns:
    """Where amounts stand, column by column from the left, and how far to the right labels reach."""

    spans: list[tuple[float, float]]
    labels: float = -1e9

    def with_line(self, line: _Line) -> _Columns | None:
        """These columns with the amounts of one more line in them; None where it does not keep to them."""
        size = line.row.size
        spans, used = list(self.spans), set[int]()
        amounts = [piece for piece in line.amounts if piece.x1 > spans[0][0] or piece.x0 > self.labels + SPACE * size]
        for piece in amounts:
            hits = [at for at, (low, high) in enumerate(spans) if piece.x0 < high and low < piece.x1]
            if len(hits) > 1 or not used.isdisjoint(hits) or (not hits and piece.x0 < self.labels + SPACE * size):
                return None
            if hits:
                low, high = spans[hits[0]]
                spans[hits[0]] = min(low, piece.x0), max(high, piece.x1)
            else:
                spans.append((piece.x0, piece.x1))
                hits = [len(spans) - 1]
            used.add(hits[0])
        spans.sort()
        rest = line.line.pieces[: len(line.line.pieces) - len(amounts)]
        labels = max([self.labels, *(piece.x1 for piece in rest)])
        if not amounts or labels > spans[0][0] or any(one[1] >= two[0] for one, two in pairwise(spans)):
            return None
        return _Columns(spans, labels)

    def ruled(self, across: Sequence[Ruling]) -> _Columns:
        """These columns, each as wide as the rulings that stand over or under it alone."""
        spans = list(self.spans)
        for rule in across:
            hits = [at for at, (low, high) in enumerate(self.spans) if rule.start < high and low < rule.end]
            low, high = spans[hits[0]] if len(hits) == 1 else (0.0, 0.0)
            if low < high and rule.start > self.labels and min(rule.end, high) - max(rule.start, low) > COVERED * (high - low):
                spans[hits[0]] = min(low, rule.start), max(high, rule.end)
        return _Columns(spans, self.labels) if all(one[1] < two[0] for one, two in pairwise(spans)) else self


def statements(
    rows: Sequence[Row], across: Sequence[Ruling] = (), shades: Sequence[Ruling] = ()
) -> Iterator[tuple[int, int, Sketch]]:
    """First and last row of each such table among these, and the table. `across` and `shades` are level rulings and the
    edges of shaded rows; where there are none, the rows must be those of one column of the page."""
    lines = [_Line.of(row) if row.lifted is None and not row.words[0].turns else None for row in rows]
    free = at = 0
    while at < len(lines):
        last, columns = _grown(lines, at)
        if columns is None:
            at += 1
            continue
        begin = max(rows[at].y0 - HEADS * HEAD_STEP * rows[at].size, rows[free - 1].y1 if free else 0.0)
        end = rows[last].y1 + rows[last].size
        near = [rule for rule in across if begin < rule.at < end]
        columns = columns.ruled(near)
        first, heads = _begun(lines, at, free, columns)
        held = [line for line in lines[first : last + 1] if line is not None]
        steps = [two.row.base - one.row.base for one, two in pairwise(held)]
        cut = steps and (_is_cut(lines, first - 1, first, steps[0]) or _is_cut(lines, last + 1, last, steps[-1]))
        sketch = None if cut else _sketch(held, heads, columns, near, shades)
        if sketch is not None:
            yield first, last, sketch
            free = last + 1
        at = last + 1


def _grown(lines: Sequence[_Line | None], first: int) -> tuple[int, _Columns | None]:
    """The last line of the table whose first amounts are in this one, and its columns."""
    line = lines[first]
    if line is None or not 0 < line.texts <= TEXTS or line.texts == len(line.line.pieces) or line.names_years:
        return first, None
    columns = _Columns([(piece.x0, piece.x1) for piece in line.amounts], line.line.pieces[line.texts - 1].x1)
    last = first
    for at in range(first + 1, len(lines)):
        line, above = lines[at], lines[at - 1]
        if line is None or above is None or not _follows(above.row, line.row, STEP) or at - last > NAMES:
            break
        if line.amounts and line.texts <= TEXTS and not line.names_years and (wider := columns.with_line(line)) is not None:
            columns, last = wider, at
        elif not _is_name(line, columns):
            break
    below = lines[last + 1] if last + 1 < len(lines) else None
    final = lines[last]
    if below is not None and final is not None and _is_name(below, columns) and below.row.text[:1].islower():
        last += _follows(final.row, below.row, 1.0 + SPACE)  # the rest of the last label
    return last, columns


def _follows(above: Row, row: Row, most: float) -> bool:
    return 0 < row.base - above.base <= most * row.size and abs(row.size - above.size) <= ALIKE * row.size


def _is_name(line: _Line, columns: _Columns) -> bool:
    """A label alone, left of all amounts."""
    pieces = line.line.pieces
    return len(pieces) == 1 and pieces[0].x1 < columns.spans[0][0] and not is_table_caption(line.row.text)


def _begun(lines: Sequence[_Line | None], first: int, free: int, columns: _Columns) -> tuple[int, int]:
    """Where the table begins whose first amounts are in line `first`, not before line `free`, and how many lines from there
    on are heads. Names of groups of rows between them belong to it too, and are none of it where there are no heads."""
    body = lines[first]
    assert body is not None
    size, begin, heads, names = body.row.size, first, 0, 0
    for at in range(first - 1, free - 1, -1):
        line, below = lines[at], lines[at + 1]
        if line is None or below is None or heads == HEADS:
            break
        step = below.row.base - line.row.base
        if not 0 < step <= (HEAD_STEP if heads else STEP) * size or is_table_caption(line.row.text):
            break
        if _is_head(line, columns, lines[first:]) or (heads and _is_stacked(line.line, below.line)):
            begin, heads = at, heads + 1
        elif not heads and names < NAMES and _is_name(line, columns):
            names += 1
        else:
            break
    while heads and _ends_caption(lines, begin):
        begin, heads = begin + 1, heads - 1
    while heads and begin + heads < first and _is_more_of_head(lines[begin + heads - 1], lines[begin + heads], body):
        heads += 1
    return (begin, heads) if heads else (first, 0)


def _ends_caption(lines: Sequence[_Line | None], at: int) -> bool:
    """The line is the last one of a caption: nearer to those above, up to one that begins a caption, than to the line below."""
    line, below = lines[at], lines[at + 1]
    if line is None or below is None or len(line.line.pieces) > 1:
        return False
    last = line
    for above in reversed(lines[max(0, at - CAPTION_LINES) : at]):
        step = last.row.base - above.row.base if above is not None else 0.0
        if above is None or not 0 < step <= 1.5 * line.row.size or step >= below.row.base - line.row.base:
            return False
        if is_table_caption(above.row.text):
            return True
        last = above
    return False


def _is_more_of_head(above: _Line | None, line: _Line | None, body: _Line) -> bool:
    """The further line of a bold name of the labels' column, close below its first one: what stands below an empty head is the
    name of a group of rows."""
    if above is None or line is None or body.row.bold or not (above.row.bold and line.row.bold):
        return False
    return line.row.base - above.row.base <= CLOSE * line.row.size and abs(line.row.x0 - above.row.x0) < line.row.size


def _is_head(line: _Line, columns: _Columns, body: Sequence[_Line | None]) -> bool:
    """All its pieces stand over the columns of amounts, but for those at the left, and it is not the title of the table."""
    size, spans = line.row.size, columns.spans
    if line.texts == len(line.line.pieces) and line.has_figures:
        return False
    left, right = spans[0][0], spans[-1][1]
    over = [piece for piece in line.line.pieces if piece.x0 + piece.x1 >= 2 * left - size]
    beside = len(line.line.pieces) - len(over)
    outer = min((other.row.x0 for other in body if other is not None), default=left)
    named = line.texts == len(line.line.pieces) or line.names_years
    if named and body[0] is not None and _names_all(line.line.pieces, body[0].line.pieces):
        return True
    if not over or beside >= TEXTS or over[0].x0 < (outer + left) / 2:
        return False
    if line.texts == beside and not line.names_years:
        return False  # amounts alone
    middle = over[0].x0 + over[0].x1
    if len(line.line.pieces) > 1 or abs(middle - outer - right) > 2 * CENTRED * size:
        return True
    return any(abs(middle - low - high) < size for at, (low, _) in enumerate(spans) for _, high in spans[at:])


def _names_all(names: Sequence[Piece], cells: Sequence[Piece]) -> bool:
    """As many pieces as there are cells in the first row, and none beside the cell of another."""
    return len(names) == len(cells) > 2 and all(
        before.x1 < name.x0 and name.x1 < after.x0
        for before, name, after in zip(cells, names[1:-1], cells[2:], strict=False)
    )  # fmt: skip


def _is_cut(lines: Sequence[_Line | None], outer: int, inner: int, step: float) -> bool:
    """The line outside is as near as rows are, of which the nearest is `step` from the next, and has cells too: the table is of
    another kind, with text in several columns."""
    line, row = lines[outer] if 0 <= outer < len(lines) else None, lines[inner]
    if line is None or row is None or line.row.is_led:
        return False
    if abs(line.row.base - row.row.base) > max(CLOSE * row.row.size, STEADY * step if line.has_figures else 0.0):
        return False
    return len(line.line.pieces) > 1 and any(two.x0 - one.x1 > line.row.size for one, two in pairwise(line.line.pieces))


def _is_stacked(line: TableLine, below: TableLine) -> bool:
    """Each of its pieces stands on one of the head below, and is not much wider."""
    return all(
        any(
            piece.x0 < other.x1 and other.x0 < piece.x1 and piece.x1 - piece.x0 < WIDER * (other.x1 - other.x0)
            for other in below.pieces
        )
        for piece in line.pieces
    )


def _sketch(
    held: Sequence[_Line], heads: int, columns: _Columns, across: Sequence[Ruling], shades: Sequence[Ruling]
) -> Sketch | None:
    lines = [line.line for line in held]
    body = held[heads:]
    filled = [line for line in body if line.amounts]
    rows = [line.row for line in filled]
    size = median(row.size for row in rows)
    left, right = min(line.row.x0 for line in lines), max(line.row.x1 for line in lines)
    top, bottom = lines[heads].row.y0 - STEP * size, lines[-1].row.y1 + size
    drawn = [rule for rule in (*across, *shades) if top < rule.at < bottom and rule.end < right + STEP * size]
    ruled = any(columns.labels < rule.start for rule in drawn)
    if (across or shades) and (
        # What stands left of a ruling that reaches the amounts is other text; so is what stands right of one along them all.
        any(left + size < rule.start < columns.labels and rule.end > columns.spans[0][0] for rule in drawn)
        or any(rule.start < columns.labels and columns.spans[-1][1] < rule.end < right - size for rule in drawn)
        or not any(columns.labels < rule.start or rule.start < left + size for rule in drawn)
    ):
        return None
    signed = any(char in SIGNS for row in rows for char in row.text)
    told = heads > 0 and (ruled or signed) and len(columns.spans) > 1
    if len(filled) < (1 if told and heads > 1 and ruled and signed else ROWS_TOLD if told else ROWS):
        return None
    if len(columns.spans) == 1 and (not (ruled or signed) or are_rising([_text(line.amounts[-1], line.row) for line in filled])):
        return None
    labels = [[piece for piece in line.line.pieces if piece.x1 <= columns.labels] for line in filled]
    labels = [pieces for pieces in labels if pieces]
    if len(labels) < LABELLED * len(filled) or not _are_aligned(filled, columns, size):
        return None
    if is_prose_beside([pieces[0].words for pieces in labels], rows[0].page) or _are_beside_prose(body, columns, size):
        return None
    several = [pieces for pieces in labels if len(pieces) > 1]
    inner = gutters_in(several, size) if 2 * len(several) > len(labels) else []
    if inner and any(line.texts == len(line.line.pieces) and line.row.x0 > inner[0] for line in body):
        return None  # text of several lines in a further column
    bounds = [columns.labels, *(x for span in columns.spans for x in span)]
    between = [(one + two) / 2 for one, two in zip(bounds[::2], bounds[1::2], strict=False)]
    edges = [left, *inner, *between, right]
    for line in lines[:heads]:
        line.head = True
    rules = [rule for rule in across if rule.start > between[0] - size]
    assign(lines, edges, rules)
    header = list(head_rows(lines[:heads], edges, len(inner) + 1, columns.spans, rules))
    groups = labelled_rows(lines[heads:], len(inner), _parting(shades, across, left, between[0]))
    slots = [*header, *slots_of(groups, len(edges) - 1)]
    first = held[0].row
    box = bare(word for line in lines for word in line.row.words)
    return Sketch(first.page, first.fonts, box, edges, slots, len(header), headed=bool(header))


def _are_beside_prose(body: Sequence[_Line], columns: _Columns, size: float) -> bool:
    """Left of the labels stands text of another column of the page, be it on their lines or between these."""
    held = [[piece for piece in line.line.pieces if piece.x1 <= columns.labels] for line in body]
    bounds = [-1e9, *gutters_in(list(filter(None, held)), size), 1e9]
    for low, high in pairwise(bounds) if len(bounds) > 2 else ():
        parts = [[word for piece in pieces if low <= (piece.x0 + piece.x1) / 2 < high for word in piece.words] for pieces in held]
        if is_prose_beside(list(filter(None, parts)), body[0].row.page):
            return True
    return False


def _parting(shades: Sequence[Ruling], across: Sequence[Ruling], left: float, right: float) -> list[float]:
    """How far down on the page rows are parted by the edge of a shade, or by a ruling, that runs along their labels."""
    return [rule.at for rule in (*shades, *across) if rule.start < left + SPACE * (right - left) and rule.end >= right]


def _are_aligned(lines: Sequence[_Line], columns: _Columns, size: float) -> bool:
    """The amounts of each column end alike, signs that hang over left aside, or stand in its middle."""
    for low, high in columns.spans:
        held = [(piece, line.row.page) for line in lines for piece in line.amounts if low <= piece.x0 and piece.x1 <= high]
        ends = [max(word.x1 for word in piece.words if page.text(word) not in CLOSING) for piece, page in held]
        middles = [(piece.x0 + piece.x1) / 2 for piece, _ in held]
        if max(_most_within(ends, size), _most_within(middles, SPACE * size)) < ALIGNED * len(held):
            return False
    return True


def _most_within(places: Sequence[float], room: float) -> int:
    return max((sum(place <= other <= place + room for other in places) for place in places), default=0)


def _text(piece: Piece, row: Row) -> str:
    return "".join(map(row.page.text, piece.words))
