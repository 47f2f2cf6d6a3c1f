"""Places in a source: one closed union, told apart by `kind`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pecia.errors import InvariantError


@dataclass(frozen=True, slots=True)
class Box:
    """Rectangle in PDF points, origin at the top left of the page as a viewer shows it, rounded to 0.01."""

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        if not (self.x0 <= self.x1 and self.y0 <= self.y1):
            raise InvariantError(f"box {self.x0}, {self.y0}, {self.x1}, {self.y1} is inside out")
        put = object.__setattr__  # four calls in a row, as there are 200,000 boxes in a book of 2,000 pages
        put(self, "x0", round(self.x0, 2))
        put(self, "y0", round(self.y0, 2))
        put(self, "x1", round(self.x1, 2))
        put(self, "y1", round(self.y1, 2))

    @classmethod
    def around(cls, boxes: Iterable[Self]) -> Self:
        """The smallest box that holds them all; at least one is needed."""
        held = list(boxes)
        return cls(
            min(box.x0 for box in held), min(box.y0 for box in held),
            max(box.x1 for box in held), max(box.y1 for box in held),
        )  # fmt: skip

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def to_list(self) -> list[float]:
        return [self.x0, self.y0, self.x1, self.y1]


@dataclass(frozen=True, slots=True)
class PageBox:
    """A rectangle on a physical page; `page` counts from 0."""

    kind: ClassVar[str] = "page"
    page: int
    bbox: Box

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "page": self.page, "bbox": self.bbox.to_list()}


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines of a text file, 1-based, both inclusive."""

    kind: ClassVar[str] = "lines"
    line_start: int
    line_end: int

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "line_start": self.line_start, "line_end": self.line_end}


@dataclass(frozen=True, slots=True)
class XPath:
    """An element of an HTML or XML file."""

    kind: ClassVar[str] = "xpath"
    xpath: str

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "xpath": self.xpath}


@dataclass(frozen=True, slots=True)
class Cell:
    """A row of a table file, 0-based and counted with its header, and a column where one is meant."""

    kind: ClassVar[str] = "cell"
    row: int
    column: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "row": self.row, "column": self.column}


@dataclass(frozen=True, slots=True)
class Pointer:
    """A JSON pointer (RFC 6901), with the lines of the file where it has lines."""

    kind: ClassVar[str] = "pointer"
    pointer: str
    line_start: int | None = None
    line_end: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "pointer": self.pointer, "line_start": self.line_start, "line_end": self.line_end,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or table of a word-processor body, 0-based in body order. `last_rendered_page`, 0-based, is where it
    began when a word processor last laid the file out: other fonts or another program may put it elsewhere, so it is
    told beside the place and is never a page of the document."""

    kind: ClassVar[str] = "paragraph"
    index: int
    last_rendered_page: int | None = None

    def to_json(self) -> dict[str, Any]:
        rendered = {} if self.last_rendered_page is None else {"last_rendered_page": self.last_rendered_page}
        return {"kind": self.kind, "index": self.index, **rendered}


Locator = PageBox | LineRange | XPath | Cell | Pointer | Paragraph
_KINDS: dict[str, type[Locator]] = {kind.kind: kind for kind in (PageBox, LineRange, XPath, Cell, Pointer, Paragraph)}


def locator_from_json(data: Mapping[str, Any]) -> Locator:
    """The locator that `to_json` wrote; InvariantError for an unknown kind or a missing part."""
    fields = dict(data)
    kind = _KINDS.get(fields.pop("kind", ""))
    if kind is None:
        raise InvariantError(f"locator kind {data.get('kind')!r} is not one of {', '.join(_KINDS)}")
    if kind is PageBox:
        fields["bbox"] = Box(*fields["bbox"])
    try:
        return kind(**fields)
    except TypeError as error:
        raise InvariantError(f"locator {dict(data)!r}: {error}") from error
