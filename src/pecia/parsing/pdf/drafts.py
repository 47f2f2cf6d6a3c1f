"""A block in the making, and what it is once all its rows are there: heading, caption, code, formula, item or paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pecia.model import BlockKind
from pecia.parsing.pdf.marks import has_leaders, is_caption, is_table_caption, number_depth, starts_item
from pecia.parsing.pdf.order import Column
from pecia.parsing.pdf.profile import Profile
from pecia.parsing.pdf.rows import Row

LARGER = 1.06  # times the body: a line of this size stands out
HEADING_ROWS, HEADING_LENGTH = 3, 160
SHOWN = (BlockKind.TABLE, BlockKind.FIGURE)
CAPTION_ROWS, CAPTION_GAP = 6, 4.0  # lines of a caption; of the size: between it and its table
NEARER = 0.7  # of the distance to one table is clearly nearer to the other
EQUATION_INDENT, EQUATION_WORDS = 1.5, 3  # of the size; words of four letters or more
RELATION, EQUATION_NUMBER = re.compile(r"\S\s*[=≈≤≥≡∝<>]\s*\S"), re.compile(r"\([A-Z]?\d{1,3}[a-z]?(?:\.\d{1,3})?\)\s*$")
CODE_SIGNS, ADDRESS = re.compile(r"[;{}=]|\(\)|->|[a-z]\(|^[$>%#]\s"), re.compile(r"://|www\.|\S@\S")


@dataclass(slots=True)
class Draft:
    """A block in the making. `column` is the measure of its last row. `number` is that of the block once it is written; what
    it goes on with is known by that number, so that the rows of what was written can go."""

    rows: list[Row]
    column: Column
    kind: BlockKind = BlockKind.PARAGRAPH
    depth: int = 0
    number: int | None = None
    follows: int | None = None
    caption: Draft | None = field(default=None, repr=False)
    captioned: Draft | None = field(default=None, repr=False)
    again: list[Row] = field(default_factory=list, repr=False)  # of a table: the lines of its caption, printed again

    @property
    def text(self) -> str:
        return " ".join(row.text for row in self.rows)


def link_caption(before: Draft, after: Draft) -> None:
    """Of two neighbours, a table and a caption that stands close over or under it, the one is told of the other."""
    table, text = (after, before) if after.kind is BlockKind.TABLE else (before, after)
    if table.kind is not BlockKind.TABLE or text.kind in SHOWN or table.caption is not None:
        return
    sketch, near = (table.rows[0 if text is before else -1], text.rows[-1 if text is before else 0])
    if len(text.rows) > CAPTION_ROWS or not is_table_caption(text.text):
        return
    if sketch.page is near.page:
        gap = sketch.y0 - near.base if text is before else near.base - sketch.y1
        apart = near.x0 >= sketch.x1 or near.x1 <= sketch.x0  # but a flush caption goes with a centred table of its column
        if gap > CAPTION_GAP * near.size or (apart and before.column is not after.column):
            return
    elif text is after:
        return
    if text.captioned is not None:  # between two tables: it belongs to the one below, unless it is clearly nearer to the other
        above = text.captioned.rows[-1]
        if above.page is sketch.page and text.rows[0].y0 - above.y1 < NEARER * (sketch.y0 - near.y1):
            return
        text.captioned.caption = None
    table.caption, text.captioned, text.kind = text, table, BlockKind.CAPTION


def name(draft: Draft, profile: Profile) -> None:
    """Sets the kind, and for a heading the depth of its number."""
    if draft.kind is not BlockKind.PARAGRAPH or not draft.rows:
        return
    first, text = draft.rows[0], draft.text
    if first.words[0].start in first.page.captions:
        draft.kind = BlockKind.CAPTION
        return
    if (
        not profile.fixed
        and is_code(draft)
        and not (len(draft.rows) <= 2 and ADDRESS.search(text))
        and (len(draft.rows) > 1 or CODE_SIGNS.search(text))
    ):
        draft.kind = BlockKind.CODE
        return
    bold = all(row.bold for row in draft.rows)
    face = first.font
    apart = bold or face.italic or abs(first.size - profile.body) > 0.3
    if is_caption(text, set_apart=apart) and len(draft.rows) <= 5:
        draft.kind = BlockKind.CAPTION
        return
    large = first.size >= LARGER * profile.body
    depth = number_depth(text)
    if (
        (large or ((bold or _is_tinted(draft, profile)) and first.size >= 0.98 * profile.body) or _is_capitals(draft))
        and not any(row.tabular for row in draft.rows)
        and first.words[0].turns == profile.turns
        and len(draft.rows) <= HEADING_ROWS
        and len(text) <= HEADING_LENGTH
        and any(char.isalpha() for char in text)
        and not has_leaders(text)
        and not text.rstrip().endswith((".", "。", ",", "，", ";", "；"))
        and (large or not text.rstrip().endswith((":", "：", "?", "？")))
    ):
        draft.kind, draft.depth = BlockKind.HEADING, depth
    elif _is_equation(draft, profile):
        draft.kind = BlockKind.FORMULA
    elif starts_item(text):
        draft.kind = BlockKind.LIST_ITEM


def _is_equation(draft: Draft, profile: Profile) -> bool:
    """A displayed equation: one line that stands in, with a sign of relation and hardly a word."""
    row, text = draft.rows[0], draft.text
    if len(draft.rows) > 1 or not RELATION.search(text) or row.x0 < draft.column.x0 + EQUATION_INDENT * row.size:
        return False
    words = [word for word in text.split() if len(word) > 3 and word.isalpha()]
    shown = abs(row.x0 + row.x1 - draft.column.x0 - draft.column.x1) < 2 * row.size or EQUATION_NUMBER.search(text) is not None
    return shown and len(words) <= EQUATION_WORDS and row.x0 - draft.column.x0 - profile.indent > row.size


def _is_tinted(draft: Draft, profile: Profile) -> bool:
    """A short line in a colour that the text does not have; not an address or a number in a catalogue, which often are."""
    faces = {word.font for row in draft.rows for word in row.words}
    fonts, text = draft.rows[0].fonts, draft.text
    if profile.tinted or "://" in text or "@" in text or sum(map(str.isdigit, text)) > sum(map(str.isalpha, text)):
        return False
    return all(fonts[number].tinted for number in faces)


def _is_capitals(draft: Draft) -> bool:
    """A line in capitals or small capitals that is centred or numbered, or short and flush."""
    row, text = draft.rows[0], draft.text
    letters = [char for char in text if char.isalpha()]
    if len(draft.rows) > 1 or len(letters) < 5 or text.upper() != text or text.lower() == text:
        return False
    left, right = row.x0 - draft.column.x0, draft.column.x1 - row.x1
    centred = left > row.size and abs(left - right) < 2 * row.size
    flush = abs(left) < 1.0 and right > 2 * row.size and len(letters) > 0.8 * sum(not char.isspace() for char in text)
    return centred or flush or starts_item(text) or number_depth(text) > 0


def is_code(draft: Draft) -> bool:
    return all(row.fixed for row in draft.rows)
