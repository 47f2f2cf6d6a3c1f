"""Pictures of a document: where one stands, what is written in it, its caption and the sentence that speaks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pecia.model.locators import Locator
from pecia.model.span import Span


@dataclass(frozen=True, slots=True)
class Figure:
    """`span` holds the labels in the picture, which are a block of kind `figure`; without labels it is empty, at the place of
    the picture in the reading order. `caption` is empty where there is none; `mention` is the first sentence of the text that
    names the picture by its number, or None."""

    id: str
    caption: str
    span: Span
    locators: tuple[Locator, ...] = ()
    mention: Span | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "caption": self.caption,
            "start": self.span.start,
            "end": self.span.end,
            "mention": self.mention and [self.mention.start, self.mention.end],
            "locators": [locator.to_json() for locator in self.locators],
        }
