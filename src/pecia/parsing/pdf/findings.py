"""The codes of what is found about the layout of a PDF, and page numbers as people write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from pecia.model import Finding, Severity

MUCH = 0.15  # of the characters of a page: heads, feet and folios of a page of text are fewer

# Code, severity and text of each finding; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "PDF101": (
        Severity.INFO,
        """No more than 15 % of the characters of a page are taken for running heads, feet and folios.

Why: what is taken for furniture is in no chunk; on a page of text, more than that may be a line of the text.
Example: a form whose first ten lines are printed on every page, or a page that holds little but its head and its number.""",
    ),
}


def much_furniture(shares: Mapping[int, float]) -> Iterator[Finding]:
    """One finding that names the pages with much furniture; `shares` of the characters of each page."""
    found = {index: share for index, share in shares.items() if share > MUCH}
    if found:
        message = f"{pages(found)}: up to {max(found.values()):.0%} of the characters are taken for heads, feet and folios"
        yield Finding("PDF101", CODES["PDF101"][0], message)


def pages(indexes: Iterable[int]) -> str:
    """Page indexes as numbers: `PDF page 3`, `PDF pages 3–5, 9`."""
    found = sorted(set(indexes))
    runs = [_run(list(run)) for run in _runs(found)]
    return f"PDF page{'s' if len(found) > 1 else ''} {', '.join(runs)}"


def _runs(indexes: list[int]) -> Iterator[Iterable[int]]:
    for _, run in groupby(enumerate(indexes), key=lambda item: item[1] - item[0]):
        yield [index for _, index in run]


def _run(run: list[int]) -> str:
    first, last = run[0] + 1, run[-1] + 1
    if last - first > 1:
        return f"{first}–{last}"
    return str(first) if first == last else f"{first}, {last}"
