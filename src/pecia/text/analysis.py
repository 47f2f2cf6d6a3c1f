"""Search terms of passages and questions, for BM25.

Folding here is for search only and never touches a document's text. Why each rule is as it is, with the figures:
`docs/decisions/0003-search-analysis.md`; `bench/analysis_table.py` measures them again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from operator import add
from typing import NamedTuple

ANALYSIS_VERSION = 3
"""Stored in a library. Any change to what `terms` returns raises it, and the library is then rebuilt."""

FTS5_TOKENIZE = "ascii tokenchars '_'"
"""The FTS5 tokenizer under which each term is exactly one token. It takes every byte above 127 as part of a token;
`unicode61` knows Unicode 6.1 only and cuts at 1,602 letters, digits and marks of Unicode 14 (SQLite 3.40.1)."""

# Thai, Lao, Myanmar, Khmer, kana and Han (all planes) have no spaces; in Hangul the particles stick to the words.
_UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUNS = re.compile(f"([{_UNSPACED}]+)")

# `\w` has no combining marks; without them an Indic word falls apart at each vowel sign.
_ACCENTS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
_WORD = f"[^\\W_{_UNSPACED}]+(?:[{_ACCENTS}\u0900-\u0963\u0966-\u0dff]+[^\\W_{_UNSPACED}]*)*"
# A number before its unit, as in 3,5ml; a word; up to six words joined as in 4.2.1, FHB(FE)012; or what ends a clause.
_TOKENS = re.compile(
    r"\d{1,12}(?:[.,]\d{1,12}){1,5}(?=[a-zμ])"  # bounded: without a limit "1,1,1,…" takes quadratic time
    rf"|{_WORD}(?:(?:[-\u2010_/:.()]|(?<=\d),(?=\d)){_WORD}){{0,5}}"
    r"|\n\s*\n|[^\w\s]"
)
_PARTS = re.compile(r"[-\u2010_/:.(),]")

# The mark of a note, after a word or a number; NFKC would make "dose¹" dose1. Units such as m² and cm³ stay whole.
_NOTE_MARK = re.compile("(?:(?<=[^\\W\\d_]{3})|(?<=\\d))[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]")
_ACCENT = re.compile(f"[{_ACCENTS}]")
_TONE = re.compile("[\u0300\u0301\u0303\u0309\u0323]")
_STROKES = str.maketrans({"đ": "d", "ð": "d", "ø": "o", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"})

_SYLLABLE = re.compile(  # the shape of a Vietnamese syllable without accents
    "(?:ngh?|nh|gh|gi|kh|ph|th|tr|ch|qu|[bcdghklmnpqrstvx])?[aeiouy]{1,3}(?:ng|nh|ch|[cmnpt])?"
)
# lý and lí, kỹ and kĩ: two spellings of one syllable.
_LY = re.compile("^([hklmst])y([\u0300\u0301\u0303\u0309\u0323]?)$")
_DOSE = re.compile(r"(\d+)([^\W\d_]{1,4})")
_LONGEST = 64  # a longer word is base64 or the like; it is cut so that no term is unbounded

# Dropped from questions, kept in passages. English, Vietnamese and Han are measured; for the others only articles and
# the like that mean nothing else in the languages beside them. Left out on purpose: a and t (vitamin A, T cell), it,
# who, us, ai, gi, un, mit, and what is a noun in Vietnamese typed without accents: van, dat, du, le, em, que.
_FUNCTION_TEXT = """
an the of in on at to for from by with and or as is are was were be been its this that these those what which whom whose
when where why how did do does has have had many much s
bao nhiêu gì nào đâu sao là của và các những được trong cho có đã này với để từ ở khi thế như bởi vào theo
tại la cua cac nhung duoc nhu boi vao nhieu
het een op wat welke hoe der das ein eine einer und ist zu welche wie les une des et est dans quel quelle el los las una
cual cuál uma qual
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_TEXT.split())
_FUNCTION_CHARACTERS = frozenset(
    "的了是在和與与及有也這这那其之於于以為为被把由從从到對对就都而或並并但個个們们吗嗎呢吧啊么麼什何哪谁誰甚些着著過过"
)
_EMPTY_PAIRS = frozenset(a + b for a in _FUNCTION_CHARACTERS for b in _FUNCTION_CHARACTERS)


class _Kind(Enum):
    """What a word is to its neighbour: a syllable forms a pair with any word, a number with one that says something or with the
    character before it, a code is one with the code beside it."""

    OTHER = 0
    SYLLABLE = 1
    CODE = 2
    NUMBER = 3
    CHARACTER = 4


class _Token(NamedTuple):
    terms: tuple[str, ...]
    precise: tuple[str, ...]  # without the bare form of an accented syllable
    folded: str
    kind: _Kind
    function: bool


def terms(text: str) -> list[str]:
    """The terms of a passage, with repeats.

    A term holds `a-z`, `0-9`, `_`, and letters, digits and combining marks above U+007F; never white space. It is
    case-folded, without accents, and at most 64 characters a word. An accented word gives its accented form as well; a
    Vietnamese one has its tone mark moved to the end, so that hoà and hòa are one term.
    """
    found: list[str] = []
    for item, joint in _walk(text):
        if isinstance(item, str):
            found += item
            found += _pairs(item)
        else:
            found += item.terms
            if joint:
                found.append(joint)
    return found


def query_terms(text: str) -> list[str]:
    """The terms to look for: some of `terms(text)`, each once, in the order of the question.

    Function words are left out unless there is nothing else. An accented syllable is looked for as accented; without
    accents only through the pairs it forms with its neighbours, or as a term of its own where it has none.
    """
    return list(query_weights(text))


def query_weights(text: str) -> dict[str, float]:
    """The terms to look for, with the weight of each.

    A Vietnamese syllable is asked for twice, by itself and in its pairs, a Han character three times, by itself and in two
    pairs; a foreign name or a code only once, though it says more. So it counts double among syllables, threefold among
    characters: decisions 5 and 12.
    """
    found: list[str] = []
    single: set[str] = set()
    syllables = words = characters = 0
    items = list(_walk(text))
    for (item, joint), (_, next_joint) in zip(items, [*items[1:], ("", "")], strict=False):
        if isinstance(item, str):
            # Kana and Thai letters, below U+3400, say nothing alone.
            found += item if len(item) == 1 else [c for c in item if c >= "\u3400" and c not in _FUNCTION_CHARACTERS]
            characters += len(item)
            found += _pairs(item)
        elif item.folded:
            if not item.function:
                syllables += item.kind is _Kind.SYLLABLE
                words += 1
                own = item.precise if joint or next_joint else item.terms
                found += own
                if item.kind is not _Kind.SYLLABLE:
                    single.update(own)
            if joint:
                found.append(joint)
    weight = 3.0 if characters > words else 2.0 if 2 * syllables > words else 1.0
    return {term: weight if term in single else 1.0 for term in found or terms(text)}


def is_telling(word: str) -> bool:
    """Whether a word without accents is more than a syllable or a function word: a name, a term, a longer word of English."""
    return len(word) >= 4 and not _SYLLABLE.fullmatch(word) and word not in _FUNCTION_WORDS


def _walk(text: str) -> Iterator[tuple[_Token | str, str]]:
    """Each word with the term it forms together with the word before it, if any; and each unspaced run as it stands."""
    before = _BREAK
    for index, piece in enumerate(_RUNS.split(_normal(text))):
        if index % 2:
            yield piece, ""
            before = _Token((), (), piece[-1], _Kind.CHARACTER, function=piece[-1] in _FUNCTION_CHARACTERS)
            continue
        for word in _TOKENS.findall(piece):
            token = _analyse(word)
            joint = ""
            if token.kind is _Kind.CODE is before.kind:
                joint = before.folded + token.folded
            elif before.folded and token.folded and _forms_pair(before, token):
                joint = f"{before.folded}_{token.folded}"
            yield token, joint
            before = token


def _forms_pair(before: _Token, token: _Token) -> bool:
    """Table 1 is asked for as one thing, and 19 hours, and 表1; of 19 says nothing."""
    kinds = {before.kind, token.kind}
    if _Kind.NUMBER in kinds and not (before.function or token.function):
        return True
    return _Kind.SYLLABLE in kinds and _Kind.CHARACTER not in kinds


def _normal(text: str) -> str:
    if text.isascii():
        return text.lower()
    text = _NOTE_MARK.sub(r" \g<0>", text)
    # Case folding can leave NFKC (and NFKC gives capitals, as for \u2121), so it is done again.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _INVISIBLE.sub("", folded)


def _pairs(run: str) -> list[str]:
    return [pair for pair in map(add, run, run[1:]) if pair not in _EMPTY_PAIRS]


# 65,536 tokens hold the vocabulary of a large library of prose; a miss costs thirty times a hit.
@lru_cache(maxsize=1 << 16)
def _analyse(token: str) -> _Token:
    parts = [part[at : at + _LONGEST] for part in _PARTS.split(token) for at in range(0, len(part), _LONGEST)]
    if not parts or not parts[0][0].isalnum():
        return _BREAK
    # A cut may leave accents without a letter, of which nothing stays.
    words = [word for word in map(_word, parts) if word.folded]
    if len(words) == 1:
        return words[0]
    found = (*(term for word in words for term in word.terms), *_whole(token, [word.folded for word in words]))
    return _Token(found, found, "", _Kind.OTHER, function=False)


def _word(word: str) -> _Token:
    bare = _fold(word)
    folded = _LY.sub("\\1i\\2", bare)
    function = word in _FUNCTION_WORDS
    if dose := _DOSE.fullmatch(folded):
        return _Token((folded, *dose.groups()), (folded, *dose.groups()), folded, _Kind.OTHER, function=function)
    syllable = bool(_SYLLABLE.fullmatch(folded))
    # A function word forms a pair with syllables only: of_the and the_dose would be a third more terms in English.
    kind = _Kind.OTHER
    if syllable and not function:
        kind = _Kind.SYLLABLE
    elif folded.isdecimal():
        kind = _Kind.NUMBER
    elif _is_code(folded):
        kind = _Kind.CODE
    stem = _singular(folded)
    if bare == word:
        return _Token((stem,), (stem,), folded, kind, function=function)
    accented = _accented(word) if syllable else word
    return _Token((stem, accented), (accented,), folded, kind, function=function)


def _accented(syllable: str) -> str:
    decomposed = unicodedata.normalize("NFD", syllable)
    toned = _TONE.sub("", decomposed) + "".join(_TONE.findall(decomposed))
    return unicodedata.normalize("NFC", _LY.sub("\\1i\\2", toned))


def _fold(word: str) -> str:
    if word.isascii():
        return word
    stripped = _ACCENT.sub("", unicodedata.normalize("NFD", word)).translate(_STROKES)
    return unicodedata.normalize("NFC", stripped)


def _is_code(word: str) -> bool:
    return len(word) <= 12 and not word.isalpha() and not word.isdecimal()


def _singular(word: str) -> str:
    """Harman's S stemmer, which unites an English plural with its singular and leaves all other endings alone."""
    if len(word) < 4 or word[-1] != "s" or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies") and word[-4] not in "ae":
        return word[:-3] + "y"
    if word.endswith("es"):
        return word if word[-3] in "aeo" else word[:-1]
    return word if word[-2] in "us" else word[:-1]


def _whole(token: str, parts: list[str]) -> tuple[str, ...]:
    """J01C-A04 as j01ca04, 4.2.1 as 4_2_1, 1.000 and 1,000 as 1000, co-operate as cooperate; and/or has no whole."""
    if sum(map(len, parts)) > _LONGEST:
        return ()
    if all(part.isdecimal() for part in parts):
        thousands = all(len(part) == 3 for part in parts[1:]) and not set(token) & set("-\u2010_/:()")
        return ("".join(parts) if thousands else "_".join(parts),)
    if set(token) & set("/:()") and not any(character.isdecimal() for character in token):
        return ()
    return (_singular("".join(parts)),)


_BREAK = _Token((), (), "", _Kind.OTHER, function=False)
