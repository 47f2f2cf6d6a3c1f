"""The rows of a table file: as many blocks as there are rows, of which each is made when it is asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import gt
from typing import TYPE_CHECKING, overload

from pecia.errors import InvariantError
from pecia.model.locators import Cell
from pecia.model.span import Span

if TYPE_CHECKING:
    from pecia.model.document import Block


class Rows(Sequence["Block"]):
    """Blocks of kind `row`, kept as two packed columns of 8 bytes: a million blocks with their spans and places take 600 MB.

    `starts` and `ends` are offsets in the document's text. Raises InvariantError where rows overlap or run backwards.
    """

    __slots__ = ("ends", "starts")

    def __init__(self, starts: array[int], ends: array[int]) -> None:
        self.starts, self.ends = starts, ends
        if len(starts) != len(ends) or any(map(gt, starts, ends)) or any(map(gt, ends, islice(starts, 1, None))):
            raise InvariantError("rows overlap or run backwards")

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Block, ...]: ...
    def __getitem__(self, index: int | slice) -> Block | tuple[Block, ...]:
        if isinstance(index, slice):
            return tuple(map(self._block, range(*index.indices(len(self)))))
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._block(index % len(self))

    def __iter__(self) -> Iterator[Block]:
        return map(self._block, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rows):
            return self.starts == other.starts and self.ends == other.ends
        return isinstance(other, tuple) and tuple(self) == other

    __hash__ = None  # type: ignore[assignment]

    def touching(self, span: Span) -> range:
        """The numbers of the rows that share a character with `span`."""
        return range(bisect_right(self.ends, span.start), bisect_left(self.starts, span.end))

    def _block(self, number: int) -> Block:
        from pecia.model.document import Block, BlockKind

        span = Span(self.starts[number], self.ends[number])
        return Block(f"r{number}", BlockKind.ROW, span, places=(Cell(number),))
