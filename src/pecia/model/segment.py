"""Parts of a document as its own structure gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pecia.errors import InvariantError
from pecia.model.span import Span


class LeftOut(StrEnum):
    """Why a strategy leaves a part out of its chunks; a closed list, so that a report can count by reason."""

    NAVIGATION = "navigation"
    BOILERPLATE = "boilerplate"
    CONTENTS = "contents"
    SHORT_MESSAGE = "short_message"
    INTERNAL_REFERENCE = "internal_reference"
    DUPLICATE = "duplicate"
    NOT_SELECTED = "not_selected"
    HEADER = "header"  # titles of columns, and what stands above a table
    MARKUP = "markup"  # brackets, commas, comments, names of lists: what holds records together


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a document: a section, a pair, a page.

    Segments nest: `parent` names the segment that holds this one. `headings` is the path above it, outermost first.
    `delegate` names the strategy that cuts a part this one does not own.
    """

    id: str
    key: str
    title: str
    span: Span
    headings: tuple[str, ...] = ()
    parent: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    delegate: str | None = None
    left_out_reason: LeftOut | None = None

    def __post_init__(self) -> None:
        if self.delegate and self.left_out_reason:
            raise InvariantError(f"segment {self.id} is left out and delegated at once")

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "key": self.key,
            "title": self.title,
            "start": self.span.start,
            "end": self.span.end,
            "headings": list(self.headings),
            "parent": self.parent,
            "attributes": dict(self.attributes),
            "delegate": self.delegate,
            "left_out_reason": self.left_out_reason.value if self.left_out_reason else None,
        }
