"""Rows in reading order grouped into blocks: what a reader sees as one paragraph, heading, item, caption or note.

A row goes on with the block before it when the line above is full, no gap or indent parts the two, and they are set
alike. Over a column or page break there is no gap to see, so the last line must be full and the first one flush.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pecia.model import BlockKind
from pecia.parsing.pdf.drafts import LARGER, Draft, is_code, link_caption, name
from pecia.parsing.pdf.marks import (
    continued_label,
    ends_in_hyphen,
    first_wide,
    is_caption,
    is_closed,
    is_wide,
    number_depth,
    starts_item,
    table_label,
)
from pecia.parsing.pdf.notes import NOTE_SLACK, begins_note, largest
from pecia.parsing.pdf.order import Column
from pecia.parsing.pdf.profile import FLUSH, Profile
from pecia.parsing.pdf.rows import Row
from pecia.parsing.pdf.spanning import goes_on

EXTRA = 1.12  # times the leading, and half a point: a wider step down is a gap
INDENT = 0.5  # of the size: a first line this far in
DEEPEST = 5.0  # of the size: no first line stands farther in or out than that
CAPTION_AGAIN = 3  # lines of a caption that is printed again, at most
BLANK_LINE = 3.0  # of the size: between two lines of code stands no more than one empty line
HUNG, HANGING = 0.4, ",.;:-‐–—'’”"  # of the size: so far these marks may hang out of the edge
HEADING_GAP = 1.7  # times the size: lines of one heading


def drafts_of(pages: Iterable[Sequence[Sequence[Column]]], profile: Profile) -> Iterator[list[Draft]]:
    """Blocks in reading order, given out as soon as they are complete, in groups that are ready together.

    A page is its body, its notes and its turned text, each a sequence of columns; only the body runs over pages.
    """
    draft: Draft | None = None
    cut: Draft | None = None  # prose whose last line was full when something else came between
    for (body, *asides), following in _with_next(pages):
        for column in body:
            passed = 0
            for at, row in enumerate(column.rows):
                if at < passed:
                    continue
                if draft is not None and (count := _caption_again(draft, column.rows, at)):
                    draft.again += column.rows[at : at + count]
                    draft.rows.append(column.rows[at + count])
                    draft.column, passed = column, at + count + 1
                    continue
                after = column.rows[at + 1] if at + 1 < len(column.rows) else None
                if draft is not None and (_is_continued(draft, row) or _joins(draft, row, column, after, profile)):
                    draft.rows.append(row)
                    draft.column = column
                    continue
                before, draft = draft, Draft([row], column, _lifted(row) or BlockKind.PARAGRAPH)
                if before is not None:
                    link_caption(before, draft)
                    cut = _closed(before, cut, profile)
                    yield [before]
                between = cut is not before or (cut is not None and column is not cut.column)
                if cut is not None and between and _is_prose(row, profile) and _goes_on(cut, row, column, profile):
                    draft.follows, cut = cut.number, None
        if any(asides):
            rows = next((column.rows for column in following if column.rows), ())
            goes = draft is not None and rows and (_is_continued(draft, rows[0]) or _caption_again(draft, rows, 0))
            if draft is not None and not (goes and draft.rows[0].page is draft.rows[-1].page):
                cut = _closed(draft, cut, profile)
                yield [draft]
                draft = None  # else the notes go before the table, which must not be parted; if it began on this page
            for kind, columns in zip((BlockKind.FOOTNOTE, BlockKind.PARAGRAPH), asides, strict=False):
                yield list(_asides(columns, kind, profile))
    if draft is not None:
        _closed(draft, cut, profile)
        yield [draft]


def _lifted(row: Row) -> BlockKind | None:
    return row.lifted.kind if row.lifted is not None else None


def _with_next(
    pages: Iterable[Sequence[Sequence[Column]]],
) -> Iterator[tuple[Sequence[Sequence[Column]], Sequence[Column]]]:
    """Each page with the body of the next one."""
    held: Sequence[Sequence[Column]] | None = None
    for page in pages:
        if held is not None:
            yield held, page[0]
        held = page
    if held is not None:
        yield held, ()


def _is_continued(draft: Draft, row: Row) -> bool:
    """The row is a table that goes on with the one in the draft, in the next column or on the next page."""
    before, table = draft.rows[-1].table, row.table
    return before is not None and table is not None and goes_on(draft.rows[0].table or before, before, table)


def _caption_again(draft: Draft, rows: Sequence[Row], at: int) -> int:
    """How many lines from here on say that the table in the draft is continued, where the rest of it follows them: the label
    is that of its own caption, and it has as many columns."""
    first, label = draft.rows[0].table, continued_label(rows[at].text) if rows[at].lifted is None else ""
    if first is None or not label or draft.caption is None or table_label(draft.caption.text) != label:
        return 0
    for count in range(1, CAPTION_AGAIN + 1):
        table = rows[at + count].table if at + count < len(rows) else None
        if table is not None:
            return count if len(table.edges) == len(first.edges) and not (table.reason or first.reason) else 0
    return 0


def _asides(columns: Sequence[Column], kind: BlockKind, profile: Profile) -> Iterator[Draft]:
    draft: Draft | None = None
    for column in columns:
        for at, row in enumerate(column.rows):
            after = column.rows[at + 1] if at + 1 < len(column.rows) else None
            noted = kind is BlockKind.FOOTNOTE
            if (
                draft is not None
                and not (noted and begins_note(row))
                and (_joins(draft, row, column, after, profile) or (noted and _aside_goes_on(draft, row, column, profile)))
            ):
                draft.rows.append(row)
                draft.column = column
                continue
            if draft is not None:
                _unmake_row(draft, kind)
                yield draft
            draft = Draft([row], column, _lifted(row) or kind)
    if draft is not None:
        _unmake_row(draft, kind)
        yield draft


def _aside_goes_on(draft: Draft, row: Row, column: Column, profile: Profile) -> bool:
    """In mid-sentence the next line of a note or caption is its own, however ragged: nothing new begins there."""
    last = draft.rows[-1]
    step = row.base - last.base
    close = column is not draft.column or 0 < step <= EXTRA * profile.leading_of(row.size) + 0.5
    return (
        close
        and last.lifted is row.lifted is None
        and abs(largest(last) - largest(row)) <= NOTE_SLACK
        and not is_closed(last.text)
    )


def _stands_out(row: Row, profile: Profile) -> bool:
    return row.bold or row.size >= LARGER * profile.body


def _is_prose(row: Row, profile: Profile) -> bool:
    return (
        row.lifted is None
        and not _stands_out(row, profile)
        and not row.tabular
        and abs(row.size - profile.body) < 0.06 * profile.body
    )


def _joins(draft: Draft, row: Row, column: Column, after: Row | None, profile: Profile) -> bool:
    last = draft.rows[-1]
    if last.lifted is not None or row.lifted is not None:
        return False
    if row.words[0].start in row.page.captions:
        return False
    if draft.rows[0].words[0].start in draft.rows[0].page.captions and column is draft.column:
        return _aside_goes_on(draft, row, column, profile)
    if not profile.fixed and is_code(draft) and (row.fixed or len(draft.rows) > 1):
        step = row.base - last.base
        return row.fixed and column is draft.column and 0 < step <= BLANK_LINE * max(row.size, last.size)
    if (
        min(abs(last.size - row.size), abs(largest(last) - largest(row))) > 0.4
        or (len(draft.rows) == 1 and _is_cells(last, draft.column))
        or (_is_cells(row, column) and not _is_stretched(draft, row, column))
    ):
        return False
    if last.bold != row.bold:
        return _label_goes_on(draft, row, column, profile)
    if last.words[0].turns != row.words[0].turns:
        return False
    below = column is draft.column
    if _stands_out(row, profile):
        return _same_heading(draft, row, column, profile) if below else _bold_goes_on(draft, row, column)
    if not below:
        return _is_prose(row, profile) and _goes_on(draft, row, column, profile)
    step = row.base - last.base
    close = 0 < step <= EXTRA * profile.leading_of(row.size) + 0.5
    if not close or _is_centred_caption(draft, row, column):
        return close
    hangs = draft.rows[0].is_led and abs(row.x0 - draft.rows[0].inset) < 1.0
    if not (_is_full(draft, row) or (hangs and not is_closed(last.text))) or _begins_anew(draft, row, column):
        return False
    if hangs:
        return True
    first = profile.indent > 0 and abs(row.x0 - column.x0 - profile.indent) < 1.0
    if first and (len(draft.rows) == 1 or abs(row.x0 - last.x0) > 1.0):
        # The second line of an item is no first line.
        return len(draft.rows) == 1 and starts_item(last.text) and abs(last.x0 - column.x0) < 1.0
    return _is_flush(draft, row, after, profile)


def _is_cells(row: Row, column: Column) -> bool:
    """Cells, not the few long words of a line that is stretched to its measure: these have gaps alike."""
    if not row.tabular:
        return False
    gaps = [b.x0 - a.x1 for a, b in pairwise(row.words)]
    return not (len(gaps) > 1 and max(gaps) - min(gaps) < 0.1 * row.size and _ends_flush(row, column))


def _ends_flush(row: Row, column: Column) -> bool:
    """At the edge of the column, or out of it by the mark that ends the line."""
    hung = HUNG * row.size if row.text[-1:] in HANGING else FLUSH
    return -FLUSH <= row.x1 - column.x1 <= hung


def _is_stretched(draft: Draft, row: Row, column: Column) -> bool:
    """Two long words of a line that is stretched to its measure, in mid-sentence: not a label and its figure."""
    last = draft.rows[-1]
    goes_on = row.text[:1].islower() and not is_closed(last.text) and _is_full(draft, row)
    return goes_on and len(row.words) == 2 and _ends_flush(row, column) and not any(char.isdigit() for char in row.text)


def _label_goes_on(draft: Draft, row: Row, column: Column, profile: Profile) -> bool:
    """A bold label at the head of a paragraph that is longer than a line: bold goes on in the next one and ends there."""
    last, first = draft.rows[-1], row.fonts[row.words[0].font]
    if not last.bold or not first.bold or len(draft.rows) > 1 or column is not draft.column or last.size != row.size:
        return False
    close = 0 < row.base - last.base <= EXTRA * profile.leading_of(row.size) + 0.5
    return close and not is_closed(last.text) and _is_full(draft, row) and row.x0 < last.x0 + 1.0


def _is_centred_caption(draft: Draft, row: Row, column: Column) -> bool:
    """The next line of a caption that is centred, as the one above it is."""
    last = draft.rows[-1]
    centred = _is_centred_below(last, row, column) and row.x1 < column.x1 - row.size
    begins = is_caption(row.text) or starts_item(row.text)
    return centred and not begins and is_caption(draft.text) and not is_closed(last.text)


def _is_centred_below(last: Row, row: Row, column: Column) -> bool:
    """Both lines have one middle, and the lower one stands in."""
    return abs(last.x0 + last.x1 - row.x0 - row.x1) < row.size and row.x0 > column.x0 + row.size


def _same_heading(draft: Draft, row: Row, column: Column, profile: Profile) -> bool:
    """The next line of a heading: close, and either centred like the one above or forced over by the measure."""
    last = draft.rows[-1]
    spaced = EXTRA * profile.leading_of(profile.body) / (profile.body or 1.0)  # titles are spaced as the text is, at most
    if last.font.size != row.font.size or not 0 < row.base - last.base <= max(HEADING_GAP, spaced) * row.size:
        return False
    if starts_item(row.text) or number_depth(row.text) or is_closed(last.text):
        return False
    apart = last.x0 > column.x0 + row.size or abs(last.x0 + last.x1 - column.x0 - column.x1) < row.size
    return (apart and _is_centred_below(last, row, column)) or _is_full(draft, row)


def _bold_goes_on(draft: Draft, row: Row, column: Column) -> bool:
    """A paragraph set in bold over a page break: its last line is full and in mid-sentence, as no heading's is."""
    last = draft.rows[-1]
    full = len(draft.rows) > 1 and _reaches_edge(draft) and not is_closed(last.text)
    return full and last.size == row.size and row.x0 - column.x0 <= INDENT * row.size and not starts_item(row.text)


def _goes_on(draft: Draft, row: Row, column: Column, profile: Profile) -> bool:
    """Whether a row at the head of another column or page goes on with the block."""
    last, size = draft.rows[-1], row.size
    if is_caption(row.text) or row.words[0].start in row.page.captions:
        return False
    if not _is_prose(last, profile) or not _is_full(draft, row) or _begins_anew(draft, row, column):
        return False
    inset, own = row.x0 - column.x0, last.x0 - draft.column.x0
    flush = profile.indent > 0 and inset < 1.0  # where first lines are indented, a flush one is none
    if is_closed(last.text) and not _reaches_edge(draft) and not row.text[:1].islower() and not flush:
        return False
    if len(draft.rows) == 1 and own < 1.0 and not is_closed(last.text):
        if starts_item(last.text):
            return inset <= DEEPEST * size
        if profile.hang and abs(inset - profile.hang) < 1.0:
            return True
    if inset <= INDENT * size:
        return own <= INDENT * size or (len(draft.rows) == 1 and own <= DEEPEST * size)
    return abs(inset - own) <= INDENT * size and (len(draft.rows) > 1 or starts_item(draft.rows[0].text) or not profile.indent)


def _reaches_edge(draft: Draft) -> bool:
    last = draft.rows[-1]
    return abs(last.x1 - draft.column.x1) <= FLUSH or (len(draft.rows) > 1 and abs(last.x1 - draft.rows[-2].x1) <= FLUSH)


def _is_full(draft: Draft, row: Row) -> bool:
    """Nothing more fitted on the last line: it ends where its neighbours end, or within a word, or the next word is
    wider than the rest."""
    last = draft.rows[-1]
    if _reaches_edge(draft) or (abs(last.x1 - row.x1) <= FLUSH and row.page is last.page) or ends_in_hyphen(last.text):
        return True
    first = row.words[0]
    text = row.page.text(first)
    cut = first_wide(text)
    width = first.x1 - first.x0
    if cut < len(text) and not first.turns:  # a line may break after any Han character
        width = row.page.lefts[first.start + cut] - first.x0 + row.size
        width += 1.2 * row.size  # and marks that may not begin a line carry one over
    return last.x1 + 0.2 * row.size + width > min(draft.column.x1, _own_edge(draft)) - FLUSH


def _own_edge(draft: Draft) -> float:
    """The right edge that lines of the block share, where it is set narrower than its column: an abstract, a quote."""
    rights = sorted((row.x1 for row in draft.rows[-8:]), reverse=True)
    return next((a for a, b in pairwise(rights) if a - b <= FLUSH), draft.column.x1)


def _begins_anew(draft: Draft, row: Row, column: Column) -> bool:
    """A list marker, a label in another face or a caption: after a closed line it begins a block of its own."""
    last = draft.rows[-1]
    text = row.text
    if starts_item(text):
        apart = abs(row.x0 - column.x0 - last.x0 + draft.column.x0) > INDENT * row.size
        if len(draft.rows) == 1 and text[0].isdigit():
            apart = False  # a number that ends a sentence, wrapped from a full first line that stands in or out
        return apart or is_closed(last.text) or row.page.text(row.words[0])[0] in "⚫●•➢"
    if not is_closed(last.text):
        return False
    if is_caption(text):
        return True
    if _reaches_edge(draft):  # a last line ends exactly at the edge once in 200; a label within a paragraph is as likely
        return False
    first, end = row.fonts[row.words[0].font], row.fonts[last.words[-1].font]
    if (first.bold, first.italic) == (end.bold, end.italic) or not (first.bold or first.italic):
        return False
    for word in row.words:
        face = row.fonts[word.font]
        if (face.bold, face.italic) != (first.bold, first.italic):
            return False
        if row.page.text(word).endswith((":", "：", ".")):
            return True
    return False


def _is_flush(draft: Draft, row: Row, after: Row | None, profile: Profile) -> bool:
    last, size = draft.rows[-1], row.size
    shift = row.x0 - last.x0
    if abs(shift) <= INDENT * size:
        return True
    if shift < 0:  # a first line that was indented
        return len(draft.rows) == 1 and -shift <= DEEPEST * size
    if len(draft.rows) > 1 or shift > DEEPEST * size:
        return False
    hangs = after is not None and abs(after.x0 - row.x0) <= INDENT * size and after.x0 > last.x0 + INDENT * size
    usual = profile.hang > 0 and abs(shift - profile.hang) < 1.0 and abs(last.x0 - draft.column.x0) < 1.0
    return starts_item(last.text) or hangs or usual


def _closed(draft: Draft, cut: Draft | None, profile: Profile) -> Draft | None:
    """Names the block's kind; gives the prose block that may go on after an interruption, if any."""
    _unmake_row(draft, BlockKind.PARAGRAPH)
    name(draft, profile)
    if draft.kind is BlockKind.HEADING:
        return None
    if draft.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM) and _is_prose(draft.rows[-1], profile):
        last = draft.rows[-1]
        return None if is_closed(last.text) else draft  # whether the last line is full shows when the next one comes
    return cut


def _unmake_row(draft: Draft, kind: BlockKind) -> None:
    """A ruled row that nothing went on with is no table, but its lines."""
    table = draft.rows[0].table if len(draft.rows) == 1 else None
    if table is not None and len(table.slots) == 1:
        draft.rows, draft.kind = table.printed(), kind


def wants_space(before: str, after: str, spaced: bool) -> bool:
    """Whether two lines are joined with a space: none between Han or kana; beside one of them as the document does."""
    left, right = is_wide(before), is_wide(after)
    return not (left and right) and (spaced or not (left or right))
