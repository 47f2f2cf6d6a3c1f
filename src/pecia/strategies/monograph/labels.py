"""Labels, and which of them govern a place.

A label is a short line or clause that ends in a colon and governs what follows until the next label of its level or a higher
one. Its level comes from its kind where a pattern of the vocabulary knows it, and else from its place: alone on its line, before
text on its line, or amid a paragraph. Two things are stronger than both: a label with nothing under it governs the label that
follows, and a label takes the place of one of its kind that governs already.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from pecia.model import Span
from pecia.strategies.monograph.lines import Line
from pecia.strategies.monograph.vocabulary import Vocabulary, fold
from pecia.text.sentences import sentence_ends

# A label that stands alone, one before text on its line, one amid a paragraph: characters and words that it may have.
_ALONE, _RUN_IN, _AMID = (140, 24), (80, 12), (60, 10)
_CLAUSE = re.compile(r"[^:：;!?\n]{1,90}?[:：](?=\s|$)")
# Levels of what no pattern knows; kinds of the vocabulary stand between them (README.md).
SUB_COMPOUND, TOPIC, ITEM, LEAD_IN = 10, 20, 45, 90


@dataclass(frozen=True, slots=True)
class Label:
    """A label or subheading in the text; `text` as it is printed. `bare` where nothing stands under it before the next one."""

    start: int
    end: int
    text: str
    kind: str
    family: str
    level: int
    place: str
    bare: bool = False
    name: str | None = None  # of the sub-compound that it names
    known: bool = False  # its kind is one of the vocabulary, or it names a sub-compound


class Governors:
    """What governs each place of a stretch of text: from `starts[i]` on, the labels `chains[i]`, outermost first."""

    def __init__(self, labels: Sequence[Label], chains: Sequence[tuple[Label, ...]]) -> None:
        self.labels = labels
        self._chains = [(), *chains]
        self._ends = [label.end for label in labels]
        self._starts = [label.start for label in labels]

    def chain(self, offset: int) -> tuple[Label, ...]:
        """The labels that stand before `offset` and govern it. A label that begins there is not one of them, and neither are
        those that it ends."""
        at = bisect_right(self._starts, offset)
        if at and offset < self._ends[at - 1]:  # inside a label: what governs the label itself
            inner = self._chains[at]
            return tuple(label for label in inner if label.end <= offset)
        return self._chains[at]

    def inside(self, offset: int) -> bool:
        """Whether `offset` is amid the words of a label."""
        at = bisect_right(self._starts, offset) - 1
        return at >= 0 and self._starts[at] < offset < self._ends[at]

    def begins_at(self, offset: int, text: str) -> Label | None:
        """The label that stands at `offset`, white space before it aside."""
        at = bisect_right(self._starts, offset - 1)
        if at < len(self.labels) and not text[offset : self._starts[at]].strip():
            return self.labels[at]
        return None

    def ends_at(self, offset: int, text: str) -> Label | None:
        """The label after which, white space aside, the text up to `offset` ends."""
        at = bisect_right(self._ends, offset) - 1
        if at >= 0 and not text[self._ends[at] : offset].strip():
            return self.labels[at]
        return None


def governors(
    lines: Sequence[Line],
    span: Span,
    text: str,
    vocabulary: Vocabulary,
    *,
    key: str,
    names: Sequence[str] = (),
    run_in: Container[str] = (),
) -> Governors:
    """The labels of the section `key` and what they govern; `span` is the section without its heading, `names` are the
    sub-compounds of the monograph, `run_in` is what `run_in_labels` gives for the book."""
    found = list(_labels(lines, span, text, vocabulary, {fold(name): name for name in names}, key))
    found = _with_peers(found, run_in)
    found = [
        _with_bareness(label, found[at + 1] if at + 1 < len(found) else None, text, span.end) for at, label in enumerate(found)
    ]
    stack: list[Label] = []
    chains = []
    for at, label in enumerate(found):
        _admit(stack, label, found[at - 1] if at else None, found[at + 1] if at + 1 < len(found) else None)
        chains.append(tuple(stack))
    return Governors(found, chains)


def run_in_labels(lines: Sequence[Line]) -> frozenset[str]:
    """The folded labels that stand before text on their line anywhere in a book."""
    found = set()
    for line in lines:
        match = _CLAUSE.match(line.words) if ":" in line.words[: _RUN_IN[0] + 1] and not line.heading else None
        if match and match.end() < len(line.words) and _short(match[0], _RUN_IN) and ". " not in match[0]:
            found.add(fold(match[0]))
    return frozenset(found)


def _with_peers(labels: Sequence[Label], run_in: Container[str]) -> list[Label]:
    """A label alone on its line that no pattern knows is a topic; but one that the section has again, or that stands before text
    elsewhere in the book, is of the kind that stands there most often below the topics: an indication is dealt with once and
    has a line of its own, and who a dose is for is said under each."""
    peers = Counter((label.kind, label.family, label.level) for label in labels if label.known and TOPIC < label.level < _MEASURE)
    if not peers:
        return list(labels)
    kind, family, level = max(peers, key=lambda peer: (peers[peer], peer[0]))
    counts = Counter(fold(label.text) for label in labels)
    return [
        replace(label, kind=kind, family=family, level=level)
        if label.kind == "topic" and not label.known and (counts[fold(label.text)] > 1 or fold(label.text) in run_in)
        else label
        for label in labels
    ]


_MEASURE = 40


def _with_bareness(label: Label, after: Label | None, text: str, end: int) -> Label:
    bare = after is not None and not text[label.end : min(after.start, end)].strip()
    return replace(label, bare=bare)


def _admit(stack: list[Label], label: Label, before: Label | None, after: Label | None) -> None:
    """Takes from the stack what the label ends, and puts the label on it."""
    if label.kind == "subheading":
        while stack and not (stack[-1].kind == "subheading" and stack[-1].level < label.level):
            stack.pop()
        stack.append(label)
        return
    same = [at for at, held in enumerate(stack) if held.family == label.family]
    under = before if before is not None and before.bare and stack and stack[-1] is before else None
    if under and (under.kind != label.kind or label.kind == "topic"):
        pass  # a label with nothing under it governs the next one
    elif same:
        # Of two that nest in each other it takes the place of the one that is more like it: of the same kind, or with labels
        # of its own kind under it as that one has.
        alike = [at for at in same if stack[at].kind == label.kind]
        opens = label.kind == "topic" and label.bare and after is not None and after.kind == "topic"
        del stack[same[0] if opens or not alike else alike[-1] :]
    else:
        while stack and stack[-1].kind != "subheading" and _yields(stack[-1], label):
            stack.pop()
    stack.append(label)


def _yields(held: Label, label: Label) -> bool:
    """Whether a label on the stack ends where another one, of a kind that is not there, begins."""
    if label.kind == "lead_in":
        return False
    if label.kind == "item":
        return held.place == "run-in" or held.level >= label.level
    if label.place == "alone" and label.kind == "route":
        return held.place != "alone" or held.level >= label.level
    return held.level >= label.level


def _labels(
    lines: Sequence[Line], span: Span, text: str, vocabulary: Vocabulary, names: dict[str, str], key: str | None
) -> Iterator[Label]:
    for line in lines:
        start, end = max(line.start, span.start), min(line.end, span.end)
        if start >= end:
            continue
        words = " ".join(line.words.split()) if start == line.start and end == line.end else " ".join(text[start:end].split())
        if (line.set_apart and start == line.start) or (
            start == line.start and vocabulary.is_subheading(key, words) and _short(words, _ALONE)
        ):
            name = names.get(fold(words.rstrip(" :：")))
            yield Label(start, end, words, "subheading", "subheading", line.level or 7, "heading", name=name)
            continue
        if words.endswith((":", "：")) and _short(words, _ALONE) and _one_clause(words):
            yield _label(start, end, words, "alone", vocabulary, names)
            continue
        yield from _in_paragraph(start, end, text, vocabulary, names)


def _in_paragraph(start: int, end: int, text: str, vocabulary: Vocabulary, names: dict[str, str]) -> Iterator[Label]:
    """Labels before text on their line, and those amid a paragraph whose kind is known; several may follow one another."""
    begins = [start, *sentence_ends(text, start, end)]
    last = start
    for begin in begins:
        at = max(begin, last)
        while at < end:
            while at < end and text[at].isspace():
                at += 1
            match = _CLAUSE.match(text, at, end)
            if match is None:
                break
            words = " ".join(match[0].split())
            place = "run-in" if not text[start:at].strip() else "amid"
            if ". " in words or not _short(words, _RUN_IN if place == "run-in" else _AMID):
                break
            label = _label(at, match.end(), words, place, vocabulary, names)
            believed = label.name is not None or (label.known and vocabulary.anywhere(label.kind))
            if (place == "amid" and not believed) or not _begins_like_one(words):
                break
            yield label
            last = at = match.end()


def _begins_like_one(words: str) -> bool:
    """A label begins with a letter that is not small, a digit, a sign of comparison or an opening mark."""
    first = words.lstrip('-–•*_+▪●(["“ ')[:1]
    return bool(first) and (not first.islower())


def _label(start: int, end: int, words: str, place: str, vocabulary: Vocabulary, names: dict[str, str]) -> Label:
    bare = words.strip(" :：*_-–•+")
    if name := names.get(fold(bare)) or names.get(fold(bare.partition("(")[0])):
        return Label(start, end, words, "sub_compound", "sub_compound", SUB_COMPOUND, place, name=name, known=True)
    if kind := vocabulary.kind_of(words.lstrip(" *_-–•+")):
        return Label(start, end, words, kind.name, kind.family, kind.level, place, known=True)
    if vocabulary.leads_in(bare):
        return Label(start, end, words, "lead_in", "lead_in", LEAD_IN, place)
    if place == "alone":
        return Label(start, end, words, "topic", "topic", TOPIC, place)
    return Label(start, end, words, "item", "item", ITEM, place)


def _short(words: str, most: tuple[int, int]) -> bool:
    return len(words) <= most[0] and words.count(" ") < most[1]


def _one_clause(words: str) -> bool:
    """Whether no sentence ends and no other label stands before the colon at the end."""
    return not re.search(r"[.!?;:：]\s+\S", words[:-1])
