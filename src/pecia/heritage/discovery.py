"""Names of institutions that no file knows, by how such names are built: a noun such as museum or archive, written with a
capital, with the capitalised words around it.

A name counts where the text bears it out: it stands in the title, twice in the text, or is told what it is ("… is a library").
One that does not may still be what the text speaks of next ("we passed the Corvane Museum, and the museum was full").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import overload

from pecia.heritage.concepts import FIRST_HAN, concepts, data, discovery_words, letter_of
from pecia.text.folding import folded, words_of

_TOKEN = re.compile(r"[^\W_](?:[\w]|['’-](?=\w))*")
_GAP = re.compile(r"[ \n]")
_MOST = 6  # words on either side of the noun
_LONGEST = 12  # Chinese characters before it


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    plain: str
    capital: bool


class _Words(Sequence[_Word]):
    """The words of a text, each looked at when it is asked for: of a hundred about five stand in a name or beside one."""

    def __init__(self, text: str) -> None:
        self._matches = list(_TOKEN.finditer(text))
        self.capitals = [at for at, match in enumerate(self._matches) if text[match.start()].isupper()]

    def __len__(self) -> int:
        return len(self._matches)

    @overload
    def __getitem__(self, at: int) -> _Word: ...
    @overload
    def __getitem__(self, at: slice) -> list[_Word]: ...
    def __getitem__(self, at: int | slice) -> _Word | list[_Word]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        match = self._matches[at]
        return _Word(match.start(), match.end(), folded(match[0]), match[0][0].isupper())


@cache
def _nouns() -> frozenset[str]:
    chosen = discovery_words("concepts")
    return frozenset(
        noun.split()[-1] for item in concepts() if item.key in chosen for noun in item.nouns(discovery_words("languages"))
    )


def _is_noun(word: _Word) -> bool:
    """A noun for an institution, or a compound that ends in one."""
    if not word.capital:
        return False
    if word.plain in _nouns():
        return True
    base = next((noun for noun in _nouns() if len(noun) > 4 and word.plain.endswith(noun)), None)
    return base is not None and not word.plain[: -len(base)].startswith(tuple(discovery_words("never_compound")))


def discovered(text: str, title_end: int, taken: Callable[[int, int], bool]) -> Iterator[str]:
    """Names in the order in which they first stand in the text, which begins with its title. `taken` is true for characters that
    are the name of a known entity."""
    found: Counter[str] = Counter()
    sure: set[str] = set()
    for start, end, is_told in _candidates(text):
        if taken(start, end):
            continue
        name = " ".join(text[start:end].split())
        found[name] += 1
        if is_told or start < title_end:
            sure.add(name)
    yield from (name for name, count in found.items() if count > 1 or name in sure)


def passing(text: str, taken: Callable[[int, int], bool]) -> Iterator[tuple[int, int]]:
    """Where else something stands that looks like such a name, in no particular order; also in Vietnamese and Chinese."""
    found = ((start, end) for start, end, _ in _candidates(text))
    for start, end in (*found, *_vietnamese(text), *_chinese(text)):
        if not taken(start, end):
            yield start, end


def _vietnamese(text: str) -> Iterator[tuple[int, int]]:
    for match in _vietnamese_name().finditer(text):
        if match[1][0].isupper():
            yield match.start(), match.end()


@cache
def _vietnamese_name() -> re.Pattern[str]:
    nouns = "|".join(_as_written("vi"))
    return re.compile(rf"(?<!\w)(?i:{nouns})(?: (?:{'|'.join(discovery_words('vi_between'))}))* (\w+)")


def _chinese(text: str) -> Iterator[tuple[int, int]]:
    """A noun with two characters or more before it that no function word parts from it, unless they make it any one."""
    stops, any_ = data()["discovery"]["zh_stops"], data()["discovery"]["zh_any"]
    for match in _chinese_noun().finditer(text):
        start = match.start()
        while start and match.start() - start < _LONGEST and (before := text[start - 1]) >= FIRST_HAN and before.isalpha():
            if before in any_:
                start = match.start()
            if before in any_ or before in stops:
                break
            start -= 1
        said = text[start : match.start()]
        if len(said) > 1 and said not in discovery_words("zh_kinds"):
            yield start, match.end()


@cache
def _chinese_noun() -> re.Pattern[str]:
    return re.compile("|".join(noun for noun in _as_written("zh") if len(noun) > 1) + "(?![學学界])")


def _as_written(language: str) -> list[str]:
    chosen = discovery_words("concepts")
    listed = {noun for item in concepts() if item.key in chosen for noun in dict(item.languages).get(language, ())}
    return sorted(listed, key=lambda noun: (-len(noun), noun))


def _candidates(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether the text says what it is)"""
    words = _Words(text)
    done = 0
    for at in words.capitals:
        if at < done or not _is_noun(words[at]):
            continue
        last = _right(text, words, at)
        first = _left(text, words, at)
        own = [one for one in words[first : last + 1] if one.capital and one.plain not in _nouns()]
        if words[last].plain in discovery_words("never_last"):
            done = last + 1
        elif (last > at or first < at) and own:
            yield words[first].start, words[last].end, _is_told(text, words, last)
            done = last + 1


def _joined(text: str, before: _Word, after: _Word) -> bool:
    return after.start == before.end + 1 and bool(_GAP.match(text[before.end]))


def _right(text: str, words: Sequence[_Word], at: int) -> int:
    """The last word of the name, from its noun on."""
    last = at
    for number in range(at + 1, min(len(words), at + 1 + _MOST)):
        word = words[number]
        if not _joined(text, words[number - 1], word):
            break
        if word.capital:
            last = number
        elif not (
            word.plain in discovery_words("joining") or word.plain.startswith("d'") or word.plain in discovery_words("adjectives")
        ):
            break
    return last


def _left(text: str, words: Sequence[_Word], at: int) -> int:
    first = at
    for number in range(at - 1, max(-1, at - 1 - _MOST), -1):
        word = words[number]
        if not (_joined(text, word, words[number + 1]) and word.capital and word.plain not in discovery_words("never_first")):
            break
        first = number
    return first


def _is_told(text: str, words: Sequence[_Word], last: int) -> bool:
    after = words[last + 1 : last + 7]
    if len(after) < 2 or not _joined(text, words[last], after[0]) or after[0].plain not in discovery_words("is_a"):
        return False
    sentence = text[after[0].end : after[-1].end].partition(".")[0]
    return letter_of(sentence) is not None or not _nouns().isdisjoint(words_of(sentence))
