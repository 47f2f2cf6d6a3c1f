"""Dates as papers print them: 2025-05-20, 20.5.2025, 2025年5月20日, 20 May 2025, May 20, 2025."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBERED = (
    re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-./](?P<month>\d{1,2})[-./](?P<day>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)\s*年\s*(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*日"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})[-./](?P<month>\d{1,2})[-./](?P<year>(?:19|20)\d\d)(?!\d)"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})\s+(?P<month>[A-Z][a-z]{2})[a-z]*\.?,?\s+(?P<year>(?:19|20)\d\d)"),
    re.compile(r"(?P<month>[A-Z][a-z]{2})[a-z]*\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>(?:19|20)\d\d)"),
)
_MONTHS = {
    name: at for at, name in enumerate(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1)
}


class Dated(NamedTuple):
    """A date in a line: from `start` to `end`, as YYYY-MM-DD."""

    start: int
    end: int
    date: str


def find_date(text: str) -> Dated | None:
    """The first date in a line; days before months where both are numbers, and None where it is none."""
    for pattern in _NUMBERED:
        if match := pattern.search(text):
            named = match["month"].lower()
            year, month, day = int(match["year"]), _MONTHS.get(named, 0) if named.isalpha() else int(named), int(match["day"])
            right = 1 <= month <= 12 and 1 <= day <= 31
            return Dated(*match.span(), f"{year:04}-{month:02}-{day:02}") if right else None
    return None
