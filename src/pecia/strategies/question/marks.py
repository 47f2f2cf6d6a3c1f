"""Markers of questions and answers: styles as data, matched at the start of a folded line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

# One character for one, so that offsets in the folded text are offsets in the text.
_FOLD: dict[int, int | str] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, "︰﹕∶"), ":"),
    **dict.fromkeys(map(ord, "\u3000\u00a0\u2000\u2001\u2002\u2003\u2009\u200a\u200b\u200d\u202f\ufeff"), " "),
}


def fold(text: str) -> str:
    """The text with full-width letters, digits, colons and spaces made plain; as long as before."""
    return text.translate(_FOLD)


@cache
def words() -> Mapping[str, Any]:
    """The tables of styles.toml."""
    with resources.files(__package__).joinpath("styles.toml").open("rb") as file:
        return tomllib.load(file)


# What may stand before a marker: the marks of a Markdown heading or of bold text, a bullet.
PREFIX = r"(?:[#*_\s]|[-•●▪◦⚫➢]\s)*"
_NUMBER = r"[A-Z]{0,2}\s?-?\s?\d{1,3}(?!\d)(?:[A-Za-z](?![A-Za-z]))?(?:\.\d{1,2})?|[一二三四五六七八九十百]{1,4}"
_CLOSE = r"[:.、)\]】〕]+(?:\s*:)?|\s?[-–—](?=\s)"
# "Q1-Q6", "Q1 to Q3", "Q1 and Q2", "Q2/2024" name questions or quarters and ask nothing.
_RANGE = r"(?!\s*(?:[-–—~/,&至]|to\b|and\b|及)\s*[A-Z]{0,2}\d)"
# "Q1 2024", "Q3 FY25": a quarter.
_QUARTER = re.compile(r"\s*(?:of\s+)?(?:FY|fiscal|19\d\d|20\d\d|results?\b|revenue\b|earnings\b)", re.IGNORECASE)
# The end of a line in a table of contents: leaders or a tab, then a page.
CONTENTS_LINE = re.compile(r"(?:\t|\s{3,}|\.{4,}|…{2,}|·{4,})[\s.…·]*[A-Z]{0,2}-?\d{1,4}$|\.{8,}|…{4,}")


@dataclass(frozen=True, slots=True)
class Style:
    """One table of `styles.toml`; the patterns match a folded line from its start."""

    name: str
    qa_style: str
    id: str
    question: Sequence[re.Pattern[str]]
    answer: Sequence[re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker in a line: where its label starts and its content begins, its number as printed ("" where it has none),
    whether a colon or the like closes it, whether it stands alone on its line."""

    start: int
    end: int
    number: str
    closed: bool
    alone: bool

    @property
    def strong(self) -> bool:
        """True where the form alone tells a marker: one without must show by what follows it that it is one."""
        return self.closed or self.alone


def alternatives(labels: Iterable[str]) -> str:
    """A pattern for any of these labels, the longest first; letter case matters in labels of one letter only."""
    ordered = sorted(labels, key=len, reverse=True)
    return "|".join(re.escape(label) if len(label) == 1 else f"(?i:{re.escape(label)})" for label in ordered)


def style_of(table: Mapping[str, Any]) -> Style:
    """The style that a table describes."""
    return Style(
        table["name"],
        table["qa_style"],
        table["id"],
        _patterns(table["question"], table),
        _patterns(table["answer"], table),
    )


@cache
def styles() -> tuple[Style, ...]:
    """The styles in the box."""
    return tuple(map(style_of, words()["style"]))


def _patterns(labels: Sequence[str], table: Mapping[str, Any]) -> tuple[re.Pattern[str], ...]:
    label = rf"(?P<label>{alternatives(labels)})"
    prefix = PREFIX + (r"(?:\d{1,2}\s+)?" if table.get("line_numbers") else "")
    closers = f"[{re.escape(table['closers'])}]"
    space = "" if ":" in table["closers"] else r"(?=\s|$)"
    bare = rf"{prefix}(?:[\[【〔]\s*{label}\s*(?P<close>[\]】〕])\s*{closers}?"
    bare += rf"|{label.replace('label', 'label2')}\s*(?P<close2>{closers}){space})[*_]*\s*"
    if table["numbered"] == "never":
        return (re.compile(bare),)
    numbered = (
        rf"{prefix}[\[【〔(]?\s*{label}\s*(?:No\b\.?|\#|第)?\s*[-(.]?\s*(?P<number>{_NUMBER}){_RANGE}"
        rf"(?:\s?[*_]+)?\s*(?P<close>{_CLOSE})?[*_]*\s*"
    )
    ordinal = rf"{prefix}第\s*(?P<number>\d{{1,3}}|[一二三四五六七八九十]{{1,3}})\s*{label}\s*(?P<close>{_CLOSE})?[*_]*\s*"
    leading = rf"{prefix}[(]?(?P<number>\d{{1,3}})[.)、]?\s*{label}\s*(?P<close>{closers})[*_]*\s*"
    return tuple(map(re.compile, (numbered, ordinal, leading, bare)))


def mark_at(patterns: Sequence[re.Pattern[str]], line: str) -> Mark | None:
    """The marker that a folded line begins with."""
    for pattern in patterns:
        match = pattern.match(line)
        if match is None:
            continue
        groups = match.groupdict()
        number = re.sub(r"[\s-]", "", groups.get("number") or "").upper()
        closed = bool(groups.get("close") or groups.get("close2"))
        start = match.start("label") if groups.get("label") else match.start("label2")
        mark = Mark(start, match.end(), number, closed, not line[match.end() :].strip(" *_"))
        ordinal = bool(mark.number) and match.start("number") < start
        if _is_marker(mark, groups.get("label") or groups.get("label2") or "", line, ordinal=ordinal):
            return mark
    return None


def _is_marker(mark: Mark, label: str, line: str, *, ordinal: bool) -> bool:
    """What the pattern cannot say: how much of a marker a label must be that no colon closes."""
    if mark.closed or not mark.number:
        return True
    han = label[0] > "\u2e80"
    if mark.alone:
        return mark.number[-1].isascii() or not han
    if han and ordinal:  # 第一題 and a space; 第一題的 is prose
        return line[mark.end - 1].isspace()
    if han:  # 問一下, 問 5 年: a Chinese label runs on into its sentence unless a letter and digits name the question
        return mark.number[0].isascii() and mark.number[0].isalpha() and mark.number[-1].isascii()
    follows = line[mark.end - 1 : mark.end]
    return mark.number[-1].isascii() and follows.isspace() and not _QUARTER.match(line, mark.end)


def sequence_key(number: str) -> tuple[str, int] | None:
    """The letters and the value of a number, so that A2 follows A1 and 3 follows 2; None for one without a value."""
    match = re.match(r"([A-Z]*)(\d+)", number)
    if match:
        return match[1], int(match[2])
    value = han_value(number)
    return ("", value) if value else None


_HAN_DIGITS = {digit: value for value, digit in enumerate("一二三四五六七八九", 1)}


def han_value(number: str) -> int:
    """What a Chinese numeral up to 99 says; 0 for what is none."""
    tens, ten, ones = number.partition("十")
    if not ten:
        return _HAN_DIGITS.get(number, 0)
    if any(part not in ("", *_HAN_DIGITS) for part in (tens, ones)):
        return 0
    return 10 * _HAN_DIGITS.get(tens, 1) + _HAN_DIGITS.get(ones, 0)
