"""Reply forms: fields with labels, one form a question; follow-up forms (S-, SV-) are forms of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from pecia.model import Span
from pecia.strategies.question.marks import words
from pecia.strategies.question.openings import Opening
from pecia.strategies.question.split import Halves
from pecia.strategies.question.units import Unit

_SERIAL = re.compile(r"(?<![A-Za-z0-9(])(?:S{1,2}V?\d{0,2}-)?[A-Z]{2,8}\s?(?:\([A-Z&0-9]{1,6}\))?\s?-?\d{1,4}(?![0-9A-Za-z])")
_FIELDS = ("question", "answer", "asker", "head", "subhead", "programme", "controlling_officer", "other")
# A serial stands beside its label or in one of the lines after it.
_NEAR = 4


@dataclass(slots=True)
class Form:
    """A form from line `first` to before line `end`; `fields` are the spans of what stands behind its labels."""

    first: int
    end: int
    serial: str
    opened: int
    fields: dict[str, Span] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    table = words()["reply_form"]
    made = {}
    for name in _FIELDS:
        labels = "|".join(re.escape(label) for label in sorted(table[name], key=len, reverse=True))
        # "Head: (33) …", "Subhead (No. & title): …", "Reply (1):"; in a row of a table a cell border for the colon.
        made[name] = re.compile(rf"[|\s*_]*(?:{labels})\s*(?:\([^()]{{0,60}}\))?[*_]*\s*[:|][*_]*\s*")
    opens = "|".join(map(re.escape, table["opens"]))
    heads = "|".join(map(re.escape, table["heads"]))
    ends = "|".join(map(re.escape, table["ends"]))
    made["opens"] = re.compile(rf"(?:{opens})[^\S\n]*:?")
    made["heads"] = re.compile(rf"[|\s*_(]*(?:{heads})")
    made["ends"] = re.compile(rf"[\s*_]*[-–—]\s*(?:{ends})\s*[-–—][\s*_]*$", re.IGNORECASE)
    return made


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of a document that ask and say who is asked."""

    openings: tuple[Opening, ...]
    forms: Mapping[int, Form]
    units: Sequence[Unit]

    def halves(self, opening: Opening, end: int) -> Halves:
        """What stands behind the labels of question and reply."""
        form = self.forms[opening.unit]
        question = form.fields["question"]
        answer = form.fields.get("answer")
        last = self.units[min(end, form.end) - 1].span.end
        if answer is None:
            return Halves(question, Span(last, last), 0.6)
        return Halves(question, answer, 1.0, marked=True)


def forms(units: Sequence[Unit], text: str) -> Forms:
    """The forms with a question; none where no line names a serial."""
    style = words()["reply_form"]["qa_style"]
    made: list[Opening] = []
    held: dict[int, Form] = {}
    for form in _forms(units, text):
        if "question" not in form.fields:
            continue
        span = form.fields["question"]
        unit = form.labels["question"]
        extra = {"first": form.first, "end": form.end, "reply_serial": form.serial or None}
        extra |= {name: _value(text, form.fields.get(name)) for name in ("asker", "head", "programme", "controlling_officer")}
        name = form.serial or f"R{len(made) + 1}"
        made.append(Opening(unit, units[unit].span.start, span.start, form.serial, name, style, None, 1.0, extra))
        held[unit] = form
    return Forms(tuple(made), held, units)


def _value(text: str, span: Span | None) -> str | None:
    if span is None:
        return None
    return " ".join(span.of(text).replace("|", " ").split()) or None


def _forms(units: Sequence[Unit], text: str) -> Iterator[Form]:
    starts = [unit.index for unit in units if _patterns()["opens"].search(unit.text)]
    firsts = [_first_line(units, at) for at in starts]
    for number, opened in enumerate(starts):
        end = firsts[number + 1] if number + 1 < len(starts) else len(units)
        serial = _serial(units, opened, end)
        yield _read(units, text, Form(firsts[number], end, serial, opened))


def _first_line(units: Sequence[Unit], at: int) -> int:
    """The first of the lines of a form's head, which stand around the one with its serial."""
    while at and _patterns()["heads"].match(units[at - 1].text):
        at -= 1
    return at


def _serial(units: Sequence[Unit], opened: int, end: int) -> str:
    behind = _patterns()["opens"].search(units[opened].text)
    assert behind
    for line in (units[opened].text[behind.end() :], *(unit.text for unit in units[opened + 1 : min(end, opened + _NEAR)])):
        if match := _SERIAL.search(line):
            return match[0].replace(" ", "")
    return ""


def _read(units: Sequence[Unit], text: str, form: Form) -> Form:
    """Finds the fields; a field ends where the next begins, the reply at the end of the form."""
    found: list[tuple[str, int, int, int]] = []  # name, line, where the label begins, where its value does
    for unit in units[form.first : form.end]:
        for name, start, content in _labels(unit, {name for name, *_ in found}):
            found.append((name, unit.index, unit.span.start + start, unit.span.start + content))
    closing = next((unit for unit in units[form.first : form.end] if _patterns()["ends"].match(unit.text)), None)
    last = closing.index - 1 if closing and closing.index > form.first else form.end - 1
    for at, (name, line, _, content) in enumerate(found):
        until = found[at + 1][2] if at + 1 < len(found) else units[last].span.end
        form.fields[name] = Span(content, max(content, until)).trimmed(text)
        form.labels[name] = line
    return form


def _labels(unit: Unit, seen: set[str]) -> Iterator[tuple[str, int, int]]:
    """The fields whose labels a line begins with, or a row of a table, in order. After the label of the reply nothing is
    a field: a reply may quote a question."""
    if "answer" in seen:
        return
    offset = 0
    for row in unit.text.split("\n"):
        for name in _FIELDS:
            match = _patterns()[name].match(row)
            if match and name not in seen and not (name == "answer" and "question" not in seen):
                seen.add(name)
                yield name, offset + match.start(), offset + match.end()
                break
        offset += len(row) + 1
