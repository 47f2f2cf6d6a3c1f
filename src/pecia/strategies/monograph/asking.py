"""What a question about drugs asks for: which sections, by the words of the vocabularies, and which drugs, by what is held."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache

from pecia.model import Boost
from pecia.protocols import Holdings, Understanding
from pecia.strategies.monograph.codes import codes_in
from pecia.strategies.monograph.vocabulary import Vocabulary, fold
from pecia.text.analysis import is_telling, terms

# What fits counts so many times. First hits of the 75 questions of the tests: .39 without, .91 at 1.2 and 1.3, .95 from 2 to 3.
SECTION, DRUG = 2.0, 2.0
# A word is taken for a misspelt name where so much of both agrees (difflib's ratio: one letter of six, two of ten), and it
# stands in no chunk at all: a name that is held is never taken for another one.
_ALIKE, _SHORTEST, _LONGER = 0.8, 5, 3
# So many drugs may share what was asked for, a code or a misspelling; more are no answer.
_FEW = 3
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PREFIX_OF_CODE = re.compile(r"(?<!\w)[A-Z]\d{2}(?:[A-Z]{1,2})?(?!\w)")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question or a phrase: as it stands, and without accents."""

    precise: str
    bare: str

    def same(self, asked: _Word) -> bool:
        """Whether a word of a phrase is meant by the word of a question, which may have been typed without accents."""
        return self.precise == asked.precise or (asked.precise == asked.bare == self.bare)


def understand(query: str, held: Holdings, vocabularies: Iterable[Vocabulary], keys: Collection[str]) -> Understanding:
    """Boosts for the sections and drugs that a question names; `keys` are those of the sections that are held. Empty where no
    vocabulary knows one of them."""
    known = [vocabulary for vocabulary in vocabularies if any(entry.key in keys for entry in vocabulary.entries)]
    if not known:
        return Understanding()
    words = _words(query)
    sections: dict[str, str] = {}
    also: list[str] = []
    for vocabulary in known:
        for key, phrase in _sections(words, vocabulary, keys):
            if key not in sections:
                also.append(_heading(vocabulary, key, phrase))
                sections[key] = phrase
    drugs = _Drugs(held, known).named(query, words)
    boosts, reasons = [], []
    if sections:
        boosts.append(Boost({"section_key": list(sections)}, SECTION))
        reasons += [f"section {key} (“{phrase}”)" for key, phrase in sections.items()]
    if drugs:
        boosts.append(Boost({"drug_name": list(drugs)}, DRUG))
        reasons += [f"drug {name} ({why})" for name, why in drugs.items()]
    return Understanding(tuple(boosts), " ".join(filter(None, (_also(drugs, words), *also))), tuple(reasons))


def _heading(vocabulary: Vocabulary, key: str, phrase: str) -> str:
    """The heading of a section that was asked for in none of its words, which would find nothing: "bà bầu" stands in no book."""
    entry = vocabulary.entry(key)
    heading = entry.headings[0] if entry and entry.headings else ""
    return "" if {word.bare for word in _words(phrase)} & {word.bare for word in _words(heading)} else heading


def _also(drugs: Iterable[str], words: Sequence[_Word]) -> str:
    """The names of the drugs whose name the question does not hold; of a long name what tells it from others."""
    asked, found = {word.bare for word in words}, list[str]()
    for name in drugs:
        telling = [word.bare for word in _words(name) if is_telling(word.bare)] or [word.precise for word in _words(name)]
        if not asked.intersection(telling):
            found += telling
    return " ".join(dict.fromkeys(found))


@lru_cache(maxsize=1 << 14)
def _word(word: str) -> _Word:
    found = terms(word) or [word]
    return _Word(found[-1], found[0])


def _words(text: str) -> list[_Word]:
    return [_word(match[0]) for match in _WORD.finditer(text)]


# Sections: the longest phrases first, and no word twice, so that "overdose" is no dose.

_Runs = tuple[tuple[_Word, ...], ...]


def _sections(words: Sequence[_Word], vocabulary: Vocabulary, keys: Container[str]) -> Iterator[tuple[str, str]]:
    """(key, phrase) of the sections among `keys` that a question names; several keys may have one phrase."""
    free = [True] * len(words)
    for runs, asked in _phrases(vocabulary).items():
        fitting = [(key, phrase) for key, phrase in asked if key in keys]
        places: list[int] = []
        for run in runs if fitting else ():
            at = next(_places(words, run, [ok and i not in places for i, ok in enumerate(free)]), None)
            if at is None:
                break
            places += range(at, at + len(run))
        else:
            for number in places:
                free[number] = False
            yield from fitting if places else ()


def _places(words: Sequence[_Word], run: Sequence[_Word], free: Sequence[bool]) -> Iterator[int]:
    """Where a run of words stands in a question, in places that are free."""
    for at in range(len(words) - len(run) + 1):
        if all(free[at + i] and wanted.same(words[at + i]) for i, wanted in enumerate(run)):
            yield at


def _phrases(vocabulary: Vocabulary) -> dict[_Runs, list[tuple[str, str]]]:
    """What questions say, as runs of words, longest first, with (key, phrase) of each; headings stand for themselves."""
    asked = tuple((phrase, entry.key) for entry in vocabulary.entries for phrase in (*entry.asked, *entry.headings))
    return _phrases_of(asked)


@lru_cache(maxsize=16)
def _phrases_of(asked: tuple[tuple[str, str], ...]) -> dict[_Runs, list[tuple[str, str]]]:
    found: dict[_Runs, list[tuple[str, str]]] = {}
    for phrase, key in asked:
        found.setdefault(tuple(tuple(_words(part)) for part in phrase.split(" … ")), []).append((key, phrase))
    return dict(sorted(found.items(), key=lambda item: -sum(map(len, item[0]))))


class _Drugs:
    """The drugs that are held, as a question may name them."""

    def __init__(self, held: Holdings, vocabularies: Sequence[Vocabulary]) -> None:
        self._held = held
        self._names = {name: _words(name) for name in held.values("drug_name")}
        self._common = {word.bare for vocabulary in vocabularies for runs in _phrases(vocabulary) for run in runs for word in run}

    def named(self, query: str, words: Sequence[_Word]) -> dict[str, str]:
        """The names of the drugs that a question means, each with the reason. By name, other name or code where it has one, else
        by the beginning of a name, else by a word that is nearly one."""
        free = [True] * len(words)
        found = self._coded(query)
        found |= self._by(words, free, {name: (name,) for name in self._names}, "its name")
        others = {name: tuple(self._held.beside("other_names", name, "drug_name")) for name in self._mentioned(words, free)}
        found |= self._by(words, free, others, "also named")
        return found or self._begun(words) or self._nearly(words)

    def _coded(self, query: str) -> dict[str, str]:
        codes = codes_in(query.upper() if query.islower() else query, ()).codes
        known = self._held.values("atc_codes") if codes or _PREFIX_OF_CODE.search(query) else []
        wanted = set(codes) | set(_PREFIX_OF_CODE.findall(query))
        fitting = [(code, part) for code in known for part in wanted if code.startswith(part)]
        names = {name: f"ATC {code}" for code, _ in fitting for name in self._held.beside("atc_codes", code, "drug_name")}
        return names if len(names) <= _FEW else {}

    def _mentioned(self, words: Sequence[_Word], free: Sequence[bool]) -> list[str]:
        """Other names whose first word stands in the question; a library may hold 20,000 of them, so the rest is not read."""
        bare = {word.bare for word, ok in zip(words, free, strict=True) if ok}
        firsts = ((name, _WORD.search(fold(name))) for name in self._held.values("other_names"))
        return [name for name, first in firsts if first and first[0] in bare]

    def _by(self, words: Sequence[_Word], free: list[bool], names: Mapping[str, Sequence[str]], how: str) -> dict[str, str]:
        """The drugs of the names that stand in a question from their first word to their last; the longest first."""
        found: dict[str, str] = {}
        for name in sorted(names, key=lambda name: (-len(_words(name)), name)):
            run = _words(name)
            places = list(_places(words, run, free)) if run else []
            if not places or not names[name] or not (self._tells(run) or _exactly(words, run, places[0])):
                continue
            free[places[0] : places[0] + len(run)] = [False] * len(run)
            for drug in names[name]:
                found.setdefault(drug, how if drug == name else f"{how} {name}")
        return found

    def _begun(self, words: Sequence[_Word]) -> dict[str, str]:
        """The one drug whose name begins with words of the question, or with a word that is the beginning of its first one."""
        best: dict[int, set[str]] = {}
        for name, run in self._names.items():
            size = max((_begins(words, at, run) for at in range(len(words))), default=0)
            if size and self._tells(run[:size]):
                best.setdefault(size, set()).add(name)
        if best and len(longest := best[max(best)]) == 1:
            return dict.fromkeys(longest, "the beginning of its name")
        whole = {
            word.bare: {name for name, run in self._names.items() if run and run[0].bare.startswith(word.bare)}
            for word in words
            if self._tells([word])
        }
        found = {name: f"“{word}” begins its name alone" for word, names in whole.items() if len(names) == 1 for name in names}
        return found if len(found) <= _FEW else {}

    def _nearly(self, words: Sequence[_Word]) -> dict[str, str]:
        """The drugs of a word that no chunk holds and that is nearly a word of a name; several where they are as near."""
        strange = [word for word in words if self._tells([word]) and len(word.bare) >= _SHORTEST]
        strange = [word for word in strange if not self._held.stands(word.bare)]
        if not strange:
            return {}
        found: dict[str, str] = {}
        for word in strange:
            spelled = self._spelled(len(word.bare))
            near = get_close_matches(word.bare, spelled, n=_FEW + 1, cutoff=_ALIKE)
            alike = {part: SequenceMatcher(None, part, word.bare).ratio() for part in near}
            for part in (part for part in near if alike[part] == alike[near[0]]):
                for name in spelled[part]:
                    found.setdefault(name, f"“{word.bare}” is nearly {part}")
        return found if len(found) <= _FEW else {}

    def _spelled(self, size: int) -> dict[str, set[str]]:
        """The words of names that are about so long, each with its drugs."""
        found: dict[str, set[str]] = {}
        for name in (*self._names, *self._held.values("other_names")):
            for match in _WORD.finditer(fold(name)):
                part = match[0]
                if abs(len(part) - size) <= _LONGER and self._tells([_Word(part, part)]):
                    own = (name,) if name in self._names else self._held.beside("other_names", name, "drug_name")
                    found.setdefault(part, set()).update(own)
        return found

    def _tells(self, run: Sequence[_Word]) -> bool:
        """Whether words are a name and no common words: one of them is long, no syllable, and in no phrase of a vocabulary."""
        return any(is_telling(word.bare) and word.bare not in self._common for word in run)


def _exactly(words: Sequence[_Word], run: Sequence[_Word], at: int) -> bool:
    return all(wanted.precise == words[at + i].precise for i, wanted in enumerate(run))


def _begins(words: Sequence[_Word], at: int, run: Sequence[_Word]) -> int:
    size = 0
    while size < len(run) and at + size < len(words) and run[size].same(words[at + size]):
        size += 1
    return size
