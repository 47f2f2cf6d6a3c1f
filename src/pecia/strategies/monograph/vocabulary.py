"""A vocabulary: the headings, labels, units and other words of one kind of book, as data.

The engine names no language and no heading; everything that it knows of one stands in a TOML file like those beside this module.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

# Before the words of a heading: marks of Markdown, a bullet, a number such as 4.2 or IV.
_BEFORE = re.compile(r"(?:[#*_>\s]|[-–•▪●◦■□►]\s)*(?:(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-Z])(?:[.)]\s*|\s+))?")
_AFTER = " \t\n.:：;*_#"
_MARKS = re.compile(r"[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


def fold(text: str) -> str:
    """Small letters without accents, white space folded; đ is d."""
    plain = text.lower()
    if not plain.isascii():
        plain = _MARKS.sub("", unicodedata.normalize("NFD", plain.replace("đ", "d")))
    return " ".join(plain.split())


def slug(text: str) -> str:
    """Small letters and digits, anything else as one `_`."""
    return re.sub(r"[^a-z0-9]+", "_", fold(text)).strip("_")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of label: a smaller `level` governs a larger one; `anywhere` is believed in mid-paragraph too. Kinds of one `family`
    stand beside each other: one takes the place of the other."""

    name: str
    level: int
    begins: tuple[str, ...]
    anywhere: bool = False
    family: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A section of the vocabulary. `field` sections may share a line with others of their kind; `asked` is what questions about
    it say."""

    key: str
    position: int
    headings: tuple[str, ...]
    misspelt: tuple[str, ...] = ()
    subheadings: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    number: str | None = None
    code: str | None = None
    field: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """A heading that was recognised; `misspelt` where the vocabulary lists it as a misspelling."""

    entry: Entry
    misspelt: bool = False


@dataclass(frozen=True)
class Vocabulary:
    """`digest` is the hash of the data: two files under one name are two vocabularies."""

    name: str
    style: str
    entries: tuple[Entry, ...]
    kinds: tuple[Kind, ...]
    title_section: str | None = None
    title_names: tuple[re.Pattern[str], ...] = ()
    openers: frozenset[str] = frozenset()
    outside: tuple[str, ...] = ()
    names_role: str | None = None
    codes_role: str | None = None
    other_names: frozenset[str] = frozenset()
    dose_keys: frozenset[str] = frozenset()
    lead_ins: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    accepted: frozenset[str] = frozenset()
    unknown_allowed: bool = False
    same_words: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""

    def folded(self, text: str) -> str:
        """`fold`, and words that are spelled in two ways as one."""
        words = fold(text)
        return " ".join(self.same_words.get(word, word) for word in words.split()) if self.same_words else words

    @cached_property
    def _exact(self) -> dict[str, Match]:
        found: dict[str, Match] = {}
        for entry in self.entries:
            for text in entry.headings:
                found.setdefault(_plain(text), Match(entry))
            for text in entry.misspelt:
                found.setdefault(_plain(text), Match(entry, misspelt=True))
        return found

    def knows(self, words: str) -> bool:
        """Whether `words` are a heading exactly as the vocabulary has it; nothing is folded."""
        return words in self._exact

    def resembles(self, words: str) -> bool:
        """Whether `words` are a heading of the vocabulary, case aside: cheap enough to ask of every line of any document."""
        return words.casefold() in self._cased

    @cached_property
    def _cased(self) -> frozenset[str]:
        return frozenset(words.casefold() for words in self._exact)

    @cached_property
    def _folded(self) -> dict[str, Match]:
        found: dict[str, Match] = {}
        for entry in self.entries:
            for text in entry.headings:
                found.setdefault(self._key(text), Match(entry))
        for entry in self.entries:
            for text in entry.misspelt:
                found.setdefault(self._key(text), Match(entry, misspelt=True))
        return found

    @cached_property
    def _numbers(self) -> dict[str, Entry]:
        return {entry.number: entry for entry in self.entries if entry.number}

    @cached_property
    def codes(self) -> dict[str, Entry]:
        """The sections by the code that elements of a source bear."""
        return {entry.code: entry for entry in self.entries if entry.code}

    @cached_property
    def _subheadings(self) -> dict[str, tuple[str, ...]]:
        return {entry.key: tuple(map(self._key, entry.subheadings)) for entry in self.entries}

    @cached_property
    def longest(self) -> int:
        """Characters of the longest heading; nothing longer is looked up."""
        return max((len(text) for entry in self.entries for text in entry.headings), default=0) + 12

    def _key(self, text: str) -> str:
        return re.sub(r"[^\w]+", "", self.folded(text))

    def match(self, text: str, *, titled: bool = False) -> Match | None:
        """The section whose heading `text` is, a number before it and a colon or full stop after it aside. A text that is
        `titled`, set as a heading, is also known by its first words or its number alone."""
        before = _BEFORE.match(text)
        start = before.end() if before else 0
        for bare in (text, text[start:]) if start else (text,):
            words = _plain(bare.strip(_AFTER))
            if not words or len(words) > self.longest:
                continue
            if found := self._exact.get(words) or self._folded.get(self._key(words)):
                return found
        return self._by_beginning(text[start:], before["number"] if before else None) if titled else None

    def _by_beginning(self, words: str, number: str | None) -> Match | None:
        """By the first words, or by a number of several parts under a title in other words."""
        if self._beginnings and len(words) < 200:
            folded = self.folded(words)
            for begins, entry in self._beginnings:
                if folded.startswith(begins):
                    return Match(entry)
        if number and "." in number and number in self._numbers and len(words) <= 2 * self.longest:
            return Match(self._numbers[number])
        return None

    @cached_property
    def _beginnings(self) -> tuple[tuple[str, Entry], ...]:
        return tuple((self.folded(text), entry) for entry in self.entries for text in entry.begins)

    def entry(self, key: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.key == key), None)

    def is_subheading(self, key: str | None, text: str) -> bool:
        """Whether `text` is a subheading that the section `key` is known to have; numbers after its words aside."""
        words = self._key(text.partition(",")[0].strip(_AFTER))
        known = self._subheadings.get(key or "", ())
        return bool(words) and words in known

    def is_outside(self, text: str) -> bool:
        """Whether a title opens a part of the book that is no monograph."""
        words = self.folded(text.strip(_AFTER + "0123456789"))
        return any(words == word or words.startswith((f"{word} ", f"{word}:")) for word in self._outside)

    @cached_property
    def _outside(self) -> tuple[str, ...]:
        return tuple(map(self.folded, self.outside))

    def kind_of(self, label: str) -> Kind | None:
        """The kind of a label by its first words; None where no pattern knows it."""
        words = _NUMBER.sub("<d>", fold(label.strip(_AFTER)))
        best: tuple[int, Kind] | None = None
        for kind in self.kinds:
            for begins in kind.begins:
                if not words.startswith(begins):
                    continue
                size = len(begins)
                whole = begins.endswith(" ") or not words[size : size + 1].isalpha()  # "bac" does not begin "bactrim"
                if whole and (best is None or size > best[0]):
                    best = size, kind
        return best[1] if best else None

    def anywhere(self, kind: str) -> bool:
        """Whether labels of that kind are believed in mid-paragraph."""
        return any(item.name == kind and item.anywhere for item in self.kinds)

    def leads_in(self, label: str) -> bool:
        """Whether a clause before a colon only leads into a list ("as follows:")."""
        words = fold(label.strip(_AFTER))
        return any(words == end or words.endswith(f" {end}") for end in self.lead_ins)

    @cached_property
    def dose(self) -> re.Pattern[str]:
        """A number with a unit."""
        units = "|".join(map(re.escape, sorted(self.units, key=len, reverse=True))) or r"(?!)"
        return re.compile(rf"\d[\d.,]*(?:\s?[-–]\s?\d[\d.,]*)?\s?(?:{units})(?!\w)", re.IGNORECASE)

    @cached_property
    def caption(self) -> re.Pattern[str]:
        """`Table 5` at the start of a caption, or in a sentence that refers to it."""
        words = "|".join(map(re.escape, self.captions)) or r"(?!)"
        return re.compile(rf"(?<!\w)(?:{words})\s+(?P<number>\d+(?:[.\-]\d+)*|[IVX]+)(?!\w)", re.IGNORECASE)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
