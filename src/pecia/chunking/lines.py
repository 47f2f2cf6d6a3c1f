"""Records: chunks whose text is a rendering, `label: value` lines, of what stands in their span. One over the ceiling is cut
between its lines, and a line that is over it by itself where the packer cuts best, under its label again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pecia.chunking.packer import Packer, Piece, Stretch
from pecia.model import Span


@dataclass(frozen=True, slots=True)
class Line:
    """A label, a value and the place inside the record that states it. `borrowed` where that place only points to the value, or
    only implies it: the line is then context, as a label is."""

    label: str
    value: str
    span: Span
    borrowed: bool = False

    @property
    def text(self) -> str:
        return f"{self.label}: {self.value}"


def line_text(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)


def borrowed(lines: Sequence[Line]) -> tuple[str, ...]:
    """The lines of text that are context: a borrowed value may have several."""
    return tuple(dict.fromkeys(part for line in lines if line.borrowed for part in line.text.split("\n")))


class LinePacker:
    """Cuts one record after the other; `packer` gives what cuts a line that is too long, and is asked when there is one."""

    def __init__(self, packer: Callable[[], Packer], count: Callable[[str], int], max_tokens: int) -> None:
        self._packer, self.count, self._ceiling = packer, count, max_tokens

    def __call__(self, span: Span, lines: Sequence[Line], name: Line | None = None) -> Iterator[Piece]:
        """The pieces of a record in the order of the file; they tile its span. Lines keep their order inside a piece.

        `name` is repeated as context by all but the first piece, where it takes no more than a quarter of the ceiling.
        """
        text = line_text(lines)
        tokens = self.count(text)
        if tokens <= self._ceiling:
            yield Piece(span, borrowed(lines), tokens, text=text)
            return
        carried: tuple[Line, ...] = ()
        if name and self.count(name.text) * 4 <= self._ceiling:
            carried = (Line(name.label, name.value, name.span, borrowed=True),)
        runs = self._runs(sorted(enumerate(lines), key=lambda item: (item[1].span.start, item[0])), carried)
        starts = [span.start, *(run[0][1].span.start for run in runs[1:])]
        for number, (run, start) in enumerate(zip(runs, starts, strict=True)):
            end = starts[number + 1] if number + 1 < len(runs) else span.end
            held = [line for _, line in sorted(run)]
            labels = carried if number and name not in held else ()
            made = line_text((*labels, *held))
            tokens = self.count(made)
            if tokens <= self._ceiling:
                yield Piece(Span(start, end), borrowed((*labels, *held)), tokens, text=made)
            else:
                yield from self._packer()(Stretch(Span(start, end), (*borrowed(labels), f"{held[0].label}:")))

    def _runs(self, lines: Sequence[tuple[int, Line]], carried: tuple[Line, ...]) -> list[list[tuple[int, Line]]]:
        """Neighbours that fit into one piece; lines whose places overlap stay together."""
        runs: list[list[tuple[int, Line]]] = []
        end, base = 0, self.count(line_text(carried)) + 1 if carried else 0
        size = 0
        for number, line in lines:
            own = self.count(line.text) + 1
            if runs and (line.span.start < end or line.span.start == runs[-1][0][1].span.start or size + own <= self._ceiling):
                runs[-1].append((number, line))
            else:
                runs.append([(number, line)])
                size = base
            size, end = size + own, max(end, line.span.end)
        return runs
