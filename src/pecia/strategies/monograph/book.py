"""Where the monographs of a book begin and end: titles, and what is no title."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pecia.model import Document, Span
from pecia.strategies.monograph.lines import LONGEST, Heading, Line, is_contents
from pecia.strategies.monograph.vocabulary import Vocabulary

# Of a title that no opening heading follows, so many different sections make a monograph all the same.
_ENOUGH = 3
_OWN_LINE = 2  # the strength of a heading on a line of its own


@dataclass(frozen=True, slots=True)
class Found:
    """A monograph: its name, the span of its title (empty where a section is its title) and its lines [first, last)."""

    name: str
    title: Span
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Title:
    """A run of lines that may be one title, [first, last)."""

    first: int
    last: int
    capitals: bool
    level: int | None


class Book:
    """The monographs of a document, by the style of title that the vocabulary names."""

    def __init__(self, document: Document, lines: Sequence[Line], headings: Sequence[Heading], vocabulary: Vocabulary) -> None:
        self._document, self._lines, self._vocabulary = document, lines, vocabulary
        self._headings = headings
        self._at = [heading.line for heading in headings]

    def monographs(self) -> list[Found]:
        if not self._headings:
            return []
        style = {"capitals": self._by_titles, "section": self._by_section, "document": self._whole}[self._vocabulary.style]
        return list(style())

    # One monograph a file.

    def _whole(self) -> Iterator[Found]:
        keys = {heading.key for heading in self._headings if heading.strength >= _OWN_LINE}
        if len(keys) < 2 or (self._vocabulary.openers and not self._vocabulary.openers & keys):
            return
        known = set(self._at)
        # Where the file begins with a section, its first line is the nearest to a name that it has.
        first = next((number for number, line in enumerate(self._lines) if line.heading), 0)
        first = 0 if first in known else first
        line = self._lines[first]
        if first in known:
            yield Found(" ".join(line.words.split())[:LONGEST], Span(line.start, line.start), 0, len(self._lines))
            return
        name = " ".join(line.words.split())
        for pattern in self._vocabulary.title_names:
            if match := pattern.search(name):
                name = match[1]
                break
        yield Found(name[:LONGEST], Span(line.start, line.end), 0, len(self._lines))

    # A monograph begins at a section of its own, and its name is the first line there.

    def _by_section(self) -> Iterator[Found]:
        key = self._vocabulary.title_section
        starts = [heading for heading in self._headings if heading.key == key and heading.strength >= _OWN_LINE]
        bounds = [heading.line for heading in starts] + [len(self._lines)]
        for heading, stop in zip(starts, bounds[1:], strict=True):
            inside = {item.key for item in self._between(heading.line + 1, stop)}
            if len(inside) < _ENOUGH or heading.line + 1 >= stop:
                continue
            name = " ".join(self._lines[heading.line + 1].words.split())[:LONGEST]
            last = self._end(heading.line + 1, stop, None, capitals=True)
            yield Found(name, Span(heading.start, heading.start), heading.line, last)

    # A title stands before an opening heading.

    def _by_titles(self) -> Iterator[Found]:
        titles = list(self._titles())
        chosen = self._chosen(titles)
        level = Counter(title.level for title in chosen).most_common(1)[0][0] if chosen else None
        chosen = sorted({*chosen, *self._unopened(titles, chosen, level)}, key=lambda title: title.first)
        bounds = [title.first for title in chosen] + [len(self._lines)]
        for title, stop in zip(chosen, bounds[1:], strict=True):
            held = self._lines[title.first : title.last]
            name = " ".join(" ".join(line.words for line in held).split())
            last = self._end(title.last, stop, title.level, capitals=title.capitals)
            yield Found(name, Span(held[0].start, held[-1].end), title.first, last)

    def _titles(self) -> Iterator[_Title]:
        """Lines that may be titles; two that stand directly one below the other are one."""
        number = 0
        while number < len(self._lines):
            line = self._lines[number]
            if not self._may_be_title(number):
                number += 1
                continue
            last = number + 1
            while last < len(self._lines) and last - number < 3 and self._goes_on(self._lines[last - 1], last, line):
                last += 1
            yield _Title(number, last, line.capitals, line.level)
            number = last

    def _may_be_title(self, number: int) -> bool:
        line = self._lines[number]
        if len(line.words) > LONGEST or not (line.heading or line.capitals) or line.words.endswith((":", "：", ";", ",")):
            return False
        starts = bisect_left(self._at, number)
        known = starts < len(self._at) and self._at[starts] == number
        return not known and not is_contents(line.words) and not self._vocabulary.is_outside(line.words)

    def _goes_on(self, before: Line, number: int, first: Line) -> bool:
        """Whether the line at `number` is the next line of the title that begins with `first`."""
        line = self._lines[number]
        if self._document.text[before.end : line.start].strip():
            return False
        if line.words.startswith("(") and line.words.endswith(")"):
            return not line.heading or first.heading
        if not self._near(before, line):
            return False
        same = line.heading == first.heading and line.level == first.level and line.capitals and first.capitals
        return same and self._may_be_title(number)

    def _near(self, before: Line, line: Line) -> bool:
        """Whether two lines are as near as lines of one title: on one page, less than 1.5 times their height apart."""
        if not self._document.pages:
            return self._document.text.count("\n", before.end, line.start) <= 1
        above = self._document.blocks[before.block].lines
        below = self._document.blocks[line.block].lines
        if not above or not below or above is below:
            return True
        upper, lower = above[-1], below[0]
        return upper.page == lower.page and 0 <= lower.bbox.y0 - upper.bbox.y0 < 1.6 * max(
            upper.bbox.height, lower.bbox.height, 1.0
        )

    def _chosen(self, titles: Sequence[_Title]) -> list[_Title]:
        """Of the titles before an opening heading, the last one in capitals, else the last that stands above the heading."""
        runs: dict[int, list[_Title]] = {}
        for title in titles:
            at = bisect_left(self._at, title.last)
            if at < len(self._at):
                runs.setdefault(at, []).append(title)
        found = []
        for at, run in runs.items():
            heading = self._headings[at]
            stop = self._stop(titles, heading.line)
            opening = [item.key for item in self._between(heading.line, stop)][:2]
            if not self._vocabulary.openers.intersection(opening):
                continue
            level = self._lines[heading.line].level if heading.strength == 3 else None
            capitals = [title for title in run if title.capitals]
            above = [title for title in run if title.level is not None and (level is None or title.level < level)]
            if best := (capitals or above)[-1:]:
                found.append(best[0])
        return found

    def _stop(self, titles: Sequence[_Title], line: int) -> int:
        """The line at which the next title after `line` begins."""
        at = bisect_left(titles, line, key=lambda title: title.first)
        return titles[at].first if at < len(titles) else len(self._lines)

    def _unopened(self, titles: Sequence[_Title], chosen: Sequence[_Title], level: int | None) -> Iterator[_Title]:
        """Titles set like those of the monographs, without an opening heading but with several sections below them."""
        if level is None:
            return
        like = [title for title in titles if title.level == level and title.capitals]
        bounds = [title.first for title in like] + [len(self._lines)]
        for title, stop in zip(like, bounds[1:], strict=True):
            if title not in chosen and len({item.key for item in self._between(title.last, stop)}) >= _ENOUGH:
                yield title

    def _between(self, first: int, last: int) -> Sequence[Heading]:
        return self._headings[bisect_left(self._at, first) : bisect_left(self._at, last)]

    def _end(self, first: int, stop: int, level: int | None, *, capitals: bool) -> int:
        """The line before `stop` at which a monograph ends because another part of the book begins."""
        inside = self._between(first, stop)
        known = {heading.line for heading in inside}
        last_known = max(known, default=first)
        # Where headings are set like titles, a heading that nobody knows is no sign that the monograph is over.
        distinct = all((self._lines[heading.line].level or 9) > (level or 0) for heading in inside if heading.strength == 3)
        for number in range(first, stop):
            line = self._lines[number]
            if number in known or len(line.words) > LONGEST or is_contents(line.words):
                continue
            over = number > last_known
            above = line.heading and level is not None and (line.level or 1) <= level and (line.capitals or not capitals)
            above = above and (over or distinct)
            if line.set_apart and (over or above) and self._vocabulary.is_outside(line.words):
                return number
            # In a text without levels, capitals that nobody knows end the last monograph only: amid the book they are its own.
            bare = over and stop == len(self._lines) and level is None and capitals and line.set_apart and line.capitals
            if (above or bare) and self._may_be_title(number):
                return number
        return stop
