"""Ways to write a table."""

from __future__ import annotations

from collections.abc import Sequence

from pecia.model import Table


def pipe_row(cells: Sequence[str]) -> str:
    """One row of a pipe table; pipes and line ends inside a cell are escaped so that the row stays one line."""
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def rule_row(width: int) -> str:
    """What stands under the header of a pipe table."""
    return "|" + " --- |" * width


def to_markdown(table: Table) -> str:
    """The table as a pipe table. Where it has no header row, an empty one stands in: the format needs it."""
    width = max((len(row) for row in table.cells), default=0)
    rows = [(*row, *[""] * (width - len(row))) for row in table.cells]
    head = rows[: table.header_rows] or [("",) * width]
    lines = [pipe_row(head[0]), rule_row(width)]
    return "\n".join(lines + [pipe_row(row) for row in (*head[1:], *rows[table.header_rows :])])
