"""Heads and feet of pages in the lines of a text file: by place, repetition and counting, never by looks alone."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

# A page's foot is short; a line of a table or a sentence is not.
_LONGEST = 40
_DIGITS = re.compile(r"\d+")
_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d\d\s*[-./年]\s*\d{1,2}\s*[-./月]\s*\d{1,2}|(?<!\d)\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d\d(?!\d)"
    r"|\d{1,2}\s+[A-Z][a-z]{2,8}\.?,?\s+(?:19|20)\d\d|[A-Z][a-z]{2,8}\.?\s+\d{1,2},?\s+(?:19|20)\d\d"
)
_SAYS_PAGE = re.compile(r"^\W*(?:page|pg|p)\b|^\W*第\s*\d+\s*[頁页]|^[-–—~]\s*\d+\s*[-–—~]$|頁|页", re.IGNORECASE)
# "1.", "A1:", "(3)" open items and questions, and sentences end; no foot ends so.
_OPENS = re.compile(r"[:：﹕︰.、)）\]】。?？!！;；,，…]$")
_LETTERS = re.compile(r"[^\W\d_]")
# Letters beside the number of a page, "page" and a date aside.
_MOST_LETTERS = 4
# Q1, 問 3, Table 2, Chapter 4 count other things than pages.
_COUNTS_OTHERS = re.compile(
    r"^\W*(?:Q|A|Qn|Question|Answer|Chapter|Section|Table|Figure|Part|Item|Annex|Appendix|[問问答題题表圖图附項项])\s?\.?\s?\d"
    r"|^\W*第\s*\d+\s*[章節节條条題题項项]",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?。！？…;:；：][\"'”’」』）)\]】]*$|[\]】）)」』]$")
# Numbers that a counter may go on by at once: two pages in a row without a foot.
_LONGEST_JUMP = 3
# Lines on a page at the least, heads and feet aside; and the share of pages that may have fewer.
_SHORTEST_PAGE, _SHORT_PAGES = 4, 0.2


@dataclass(frozen=True, slots=True)
class PageLines:
    """Line numbers from 0 with their kind, `folio` or `footer`."""

    kinds: dict[int, str]

    def runs(self, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
        """(first, after) of the lines to take out at each page end: feet and heads that stand together, and the empty lines
        around them where a sentence goes on, or where empty lines stand on both sides."""
        at, size = 0, len(lines)
        marked = sorted(self.kinds)
        while at < len(marked):
            first = last = marked[at]
            while at < len(marked) and not any(lines[line].strip() for line in range(last + 1, marked[at])):
                last = marked[at]
                at += 1
            before, after = first, last + 1
            while before and not lines[before - 1].strip():
                before -= 1
            while after < size and not lines[after].strip():
                after += 1
            goes_on = before > 0 and after < size and not _ENDED.search(lines[before - 1].rstrip())
            if goes_on:
                yield before, after
            else:
                yield first, after if before < first else last + 1


def page_lines(lines: Sequence[str]) -> PageLines:
    """The heads and feet among the lines; none where their numbers do not count pages.

    A counter is a short line whose number rises by one with each page; where it skips or repeats a number now and then, as on a
    page without a foot, a date or form feeds must prove it. It is believed where a form feed ends each page, where a
    date stands beside it on each, or where at least two of these hold: it says "page", the same line stands beside it on
    each page, pages are equally long, sentences run over it. What stands beside a counter on nine of ten pages goes with it.
    """
    shown = [number for number, line in enumerate(lines) if line.strip()]
    found: dict[int, str] = {}
    for counter, steady in _counters(lines, shown):
        if any(shown[at] in found for at in counter):
            continue
        beside = _beside(lines, shown, counter)
        if _believed(lines, shown, counter, beside, steady=steady):
            found.update(dict.fromkeys((shown[at] for at in counter), "folio"))
            same = [at + step for step in beside for at in counter if _same(lines, shown, at, step, beside)]
            found.update(dict.fromkeys((shown[at] for at in same), "footer"))
    return PageLines(found)


def _counters(lines: Sequence[str], shown: Sequence[int]) -> Iterator[tuple[list[int], bool]]:
    """Places in `shown` of lines that are alike but for a number that rises from each to the next, and whether always by one;
    most first."""
    alike: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for at, number in enumerate(shown):
        line = lines[number].strip()
        if len(line) > _LONGEST or _OPENS.search(line):
            continue
        if not _SAYS_PAGE.search(line) and len(_LETTERS.findall(_DATE.sub("", line))) > _MOST_LETTERS:
            continue
        dates = [match.span() for match in _DATE.finditer(line)]  # a day of a diary counts no pages
        runs = [run for run in _DIGITS.finditer(line) if not any(start < run.end() and run.start() < end for start, end in dates)]
        if len(runs) > 5:
            continue
        for run in runs:
            if len(run[0]) <= 4 and (run[0][0] != "0"):
                alike[line[: run.start()], line[run.end() :]].append((at, int(run[0])))
    rising = []
    for items in alike.values():
        steps = list(itertools.pairwise(items))
        short = sum(after[0] - before[0] <= _SHORTEST_PAGE for before, after in steps)  # blank pages, a last line
        if not steps or short > len(steps) * _SHORT_PAGES:
            continue
        jumps = [after[1] - before[1] for before, after in steps]
        if all(jump == 1 for jump in jumps):
            rising.append(([at for at, _ in items], True))
        elif all(0 <= jump <= _LONGEST_JUMP for jump in jumps) and any(jumps):
            rising.append(([at for at, _ in items], False))
    return iter(sorted(rising, key=lambda item: len(item[0]), reverse=True))


def _beside(lines: Sequence[str], shown: Sequence[int], counter: Sequence[int]) -> dict[int, str]:
    """What stands one or two lines before or after the counter on nine of ten pages, and nowhere else."""
    found: dict[int, str] = {}
    often = Counter(lines[number].strip() for number in shown)
    for row in ((-1, -2), (1, 2)):
        for step in row:
            near = [lines[shown[at + step]].strip() for at in counter if 0 <= at + step < len(shown)]
            text, count = Counter(near).most_common(1)[0] if near else ("", 0)
            if (
                count < max(2, 0.9 * len(near))
                or often[text] > len(counter) + 1
                or (_OPENS.search(text) and not _DATE.search(text))
                or len(text) > 2 * _LONGEST
            ):
                break
            found[step] = text
    return found


def _same(lines: Sequence[str], shown: Sequence[int], at: int, step: int, beside: dict[int, str]) -> bool:
    return 0 <= at + step < len(shown) and lines[shown[at + step]].strip() == beside[step]


def _believed(
    lines: Sequence[str], shown: Sequence[int], counter: Sequence[int], beside: dict[int, str], *, steady: bool
) -> bool:
    line = lines[shown[counter[0]]].strip()
    if any(_DATE.search(text) for text in beside.values()) or _DATE.search(line):
        return True
    if _COUNTS_OTHERS.match(line):
        return False
    if _feeds(lines, shown, counter):
        return True
    if not steady:
        return False
    signs = bool(_SAYS_PAGE.search(line)) + bool(beside) + _equal_pages(counter) + _runs_over(lines, shown, counter, beside)
    return len(counter) >= 3 and signs >= 2 and (bool(_SAYS_PAGE.search(line)) or _runs_over(lines, shown, counter, beside))


def _feeds(lines: Sequence[str], shown: Sequence[int], counter: Sequence[int]) -> bool:
    """True where a form feed follows the counter on each page but the last, at most two lines on."""
    fed = 0
    for at in counter[:-1]:
        number = shown[at]
        near = lines[number].rstrip(" \t")[-1:] + "".join(line[:1] for line in lines[number + 1 : number + 3])
        fed += "\f" in near
    return fed == len(counter) - 1


def _equal_pages(counter: Sequence[int]) -> bool:
    gaps = [after - before for before, after in itertools.pairwise(counter)]
    middle = median(gaps)
    return middle >= 10 and counter[0] <= 1.5 * middle and max(gaps) <= 1.4 * middle and min(gaps) >= 0.6 * middle


def _runs_over(lines: Sequence[str], shown: Sequence[int], counter: Sequence[int], beside: dict[int, str]) -> bool:
    """True where a full line that ends no sentence stands before the counter on one page in five, and on two at least."""
    widths = sorted(len(lines[number].strip()) for number in shown)
    full = 0.8 * widths[len(widths) * 9 // 10]
    lead = min((step for step in beside if step < 0), default=0)
    before = [lines[shown[at + lead - 1]].strip() for at in counter if at + lead > 0]
    over = sum(len(line) >= full and not _ENDED.search(line) for line in before)
    return over >= max(2, len(counter) / 5)
