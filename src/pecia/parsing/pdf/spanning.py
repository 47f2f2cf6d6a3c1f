"""Tables that go on in the next column or on the next page."""

from __future__ import annotations

from pecia.parsing.pdf.sketch import Sketch

SHIFT = 3.0  # points that column edges differ, once the tables are laid over one another
CAPTION_AGAIN = "table caption repeated after a break"
HEADER_AGAIN = "table header repeated after a break"


def goes_on(first: Sketch, before: Sketch, after: Sketch) -> bool:
    """Whether `after` is the rest of the table that began with `first` and so far ends with `before`: it stands higher up
    in another column or on a later page, has the same columns, and the same header or none."""
    beside = after.box[1] < before.box[1] or (after.box[0] >= before.box[2] - SHIFT and after.box[1] < before.box[3])
    moved = beside if after.page is before.page else after.page.index > before.page.index
    if not moved or after.turns != first.turns or len(after.edges) != len(first.edges):
        return False
    shift = after.edges[0] - first.edges[0]
    again = repeated_rows(first, after)
    if again and _at_same_places(first, after, again):
        return True
    if first.ruled and after.ruled:
        if any(abs(two - one - shift) > SHIFT for one, two in zip(first.edges, after.edges, strict=True)):
            return False
    elif _crosses(first, after, shift) or _crosses(after, first, -shift):
        return False
    return again > 0 or not _has_own_header(first, after)


def repeated_rows(first: Sketch, after: Sketch) -> int:
    """How many rows at the top of `after` are the header of `first` once more."""
    count = first.header_rows
    if count and count < len(after.slots) and all(first.row_text(at) == after.row_text(at) for at in range(count)):
        return count
    return 0


def _at_same_places(first: Sketch, after: Sketch, rows: int) -> bool:
    """The words of the two headers stand equally far from one another."""
    one, two = ([word.x0 for at in range(rows) for word in sketch.row_words(at)] for sketch in (first, after))
    return len(one) == len(two) and all(abs(b - a - two[0] + one[0]) <= SHIFT for a, b in zip(one, two, strict=True))


def _has_own_header(first: Sketch, after: Sketch) -> bool:
    """The first row of `after` was seen to be a header, or is set as one, as that of `first` is."""
    if after.headed:
        return True
    fonts = [{sketch.fonts[word.font].bold for word in sketch.row_words(0)} for sketch in (first, after)]
    return fonts[0] == fonts[1] == {True}


def _crosses(one: Sketch, other: Sketch, shift: float) -> bool:
    """A word of `other` stands across a column edge of `one` laid over it: columns told by white space have no edge that
    is sure to the point."""
    inner = [edge + shift for edge in one.edges[1:-1]]
    for row in other.slots[other.header_rows :]:
        for at, cell in enumerate(row):
            spans = any(cell is beside for beside in (*row[:at], *row[at + 1 :]))
            if not spans and any(word.x0 + SHIFT < edge < word.x1 - SHIFT for word in cell.words for edge in inner):
                return True
    return False
