"""Notes told from the body of their page: by their marks, their type, and the rule that stands over them."""

from __future__ import annotations

from collections.abc import Sequence

from pecia.parsing.pdf.marks import is_caption, starts_note
from pecia.parsing.pdf.order import Column
from pecia.parsing.pdf.profile import Profile
from pecia.parsing.pdf.rows import Row

NOTE_SIZE, NOTE_SLACK = 0.94, 0.4  # of the body: notes are set smaller; points that sizes of one text differ
SHORT_RULE, RULED = 0.72, 2.5  # of the column: a rule over notes is shorter; of the size: so far above the first row it stands


def notes_apart(columns: Sequence[Column], profile: Profile) -> tuple[list[Column], list[Column]]:
    """The body and the notes of a page: the rows at the end of a column from the first one that begins a note."""
    body, notes = [], []
    for column in columns:
        first = _first_note(column, profile)
        if column.rows[:first]:
            body.append(Column(column.rows[:first], column.x0, column.x1))
        if column.rows[first:]:
            notes.append(Column(column.rows[first:], column.x0, column.x1))
    return body, notes


def _first_note(column: Column, profile: Profile) -> int:
    """Where the notes of a column begin: at a mark, in smaller type than the body or the row above, or under a short rule; the
    rest of a note from the page before has a rule and no mark. Nothing larger follows."""
    rows, found, most = column.rows, len(column.rows), 0.0
    for at in range(len(rows) - 1, -1, -1):
        row, size = rows[at], largest(rows[at])
        most = max(most, size)
        if _is_table_row(row) or most > size + NOTE_SLACK or size > NOTE_SLACK + profile.body:
            break
        small = size <= NOTE_SIZE * profile.body
        lower = size <= NOTE_SIZE * (largest(rows[at - 1]) if at else profile.body)
        if begins_note(row):
            if small or (lower and row.raises(row.words[0])) or _is_under_rule(column, at, SHORT_RULE):
                found = at
        elif small and _is_under_rule(column, at, 1.1 if lower else SHORT_RULE) and not is_caption(row.text, set_apart=True):
            found = at  # the rule over a caption is the last one of its table
    return found


def largest(row: Row) -> float:
    """The size of its largest word: most letters of a row may be small capitals."""
    return max(row.fonts[word.font].size for word in row.words)


def _is_under_rule(column: Column, at: int, longest: float) -> bool:
    """A ruling that begins at the left edge and fills at most this share of the column stands between the row and the one
    above."""
    row, width = column.rows[at], column.x1 - column.x0
    top = column.rows[at - 1].base if at else row.base - RULED * row.size
    return not row.words[0].turns and any(
        top < line.at < row.base - 0.4 * row.size
        and abs(line.start - column.x0) < row.size
        and 2 * row.size < line.end - line.start < longest * width
        for line in row.page.across
    )


def _is_table_row(row: Row) -> bool:
    return row.lifted is not None or row.tabular


def begins_note(row: Row) -> bool:
    first = row.words[0]
    return starts_note(row.text) or row.raises(first)
