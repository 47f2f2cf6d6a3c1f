"""Tables as data; ways to write them are functions (`pecia.text.tables`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pecia.errors import InvariantError
from pecia.model.locators import Locator
from pecia.model.span import Span


@dataclass(frozen=True, slots=True)
class Table:
    """A grid of cell texts. The first `header_rows` rows are headers; a merged cell repeats its value. `mention` is the first
    sentence of the text that names the table by its number, or None."""

    id: str
    cells: tuple[tuple[str, ...], ...]
    header_rows: int
    caption: str
    span: Span
    locators: tuple[Locator, ...] = ()
    quarantined: bool = False
    quarantine_reason: str = ""
    mention: Span | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.header_rows <= len(self.cells):
            raise InvariantError(f"table {self.id}: {self.header_rows} header rows of {len(self.cells)} rows")
        if self.quarantined != bool(self.quarantine_reason):
            raise InvariantError(f"table {self.id}: quarantined without a reason, or a reason without quarantine")

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "caption": self.caption,
            "start": self.span.start,
            "end": self.span.end,
            "mention": self.mention and [self.mention.start, self.mention.end],
            "cells": [list(row) for row in self.cells],
            "header_rows": self.header_rows,
            "locators": [locator.to_json() for locator in self.locators],
            "quarantined": self.quarantined,
            "quarantine_reason": self.quarantine_reason,
        }
