"""Sentence ends, as offsets, for Latin-script languages and Chinese in one engine.

The decision for an offset is local: it reads at most `CONTEXT` characters to either side of it, so a caller may ask
for any window of a long text and gets the ends that a scan of the whole text gives. What is a candidate is one
regular expression of single characters with look-around, so two scans that start at different places agree; words
that change a decision are data (`sentences.toml`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from unicodedata import category, normalize

__all__ = ["CONTEXT", "LEADS", "is_sentence_end", "sentence_ends", "sentence_ends_backwards"]

CONTEXT = 128
"""Characters to the left and right of an offset that its decision may read.

Left: _RUN + 6 closers of at most 6 + a mark + _BACK = 117; right: twice _RUN + an item's 25 = 105. After changing one of
these, run the law in the tests that text beyond the context changes nothing."""
_RUN = 40  # white space followed from a mark; in a longer run the end stands at the mark, before the run
_BACK = 40  # characters before a mark that may hold its word and the word before that, or the start of its line

# Characters that are looked through at once for marks, backwards; then twice as many. Most sentences are shorter.
_WINDOW = 128
LEADS = (":", "：")
"""What ends on one of these governs what follows: a label, a lead-in, a question whose answer comes next."""
_NEWLINES = "\n\r\u2028\u2029\x85"
_BLANK = rf"[^\S{_NEWLINES}]"
_WIDE = "。！？；｡．：‼⁇⁈⁉"
_NARROW = ".!?…;:"
_HAN = r"\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"

# French sets a space before a closing guillemet; German closes with «, so both sides close right after a mark.
# Emphasis signs of Markdown and note references ([3], ¹) stay with the sentence that they close.
_CLOSER = r"(?:[\"'”’“‘»«›)\]}）」』】》〉〗〕］｝*_`⁰¹²³⁴-⁹]|[ \u00a0\u202f]»(?=[\s,.;:!?)])|\[\w{1,4}\])"
_CLOSERS = re.compile(rf"{_CLOSER}{{0,6}}+")
# After a full-width mark “ and ‘ and 「 open the next sentence; straight quotes are told apart in `_wide_end`.
_WIDE_CLOSERS = re.compile(r"(?:[”’»›)\]}）」』】》〉〗〕］｝]|\[\w{1,4}\]){0,6}+")
_LEAD = re.compile(r"(?:[«„][\u00a0\u202f ]?|[\"'“”‘’»‹›‚(\[{¿¡「『《（【〈〔*_`$€£¥₫§#]|[-–—•*·]\s?){0,4}+")
_RUN_OF_SPACE = re.compile(rf"\s{{0,{_RUN}}}+")
_NEWLINE = re.compile(rf"\r\n|[{_NEWLINES}]")

# A new item after a single line break. A number with one dot needs its closing mark, else "\n3.5 mg" of a wrapped line
# would be one; letters with a full stop end at D, as wrapped lines begin with initials and with species ("E. coli").
_ITEM = re.compile(
    rf"{_BLANK}{{0,{_RUN}}}+(?:[-*+•–—·▪◦‣●○■□►✓➢]{_BLANK}|\#{{1,6}}{_BLANK}"
    rf"|\d{{1,3}}(?:\.\d{{1,3}}){{0,5}}[.)]\s|\d{{1,2}}(?:\.\d{{1,2}}){{2,5}}\s|[A-Za-z]\)\s|[a-d]\.\s(?!\w\.)"
    r"|[A-D]\.\s(?![a-z]|\w\.)|[IVX]{1,5}[.)]\s|[ivx]{1,5}\)\s|\((?:\d{1,2}|[a-z]|[ivx]{1,4})\)\s?"
    r"|[（(][一二三四五六七八九十百\d]{1,3}[）)]|[一二三四五六七八九十百]{1,3}、|\d{1,2}、|[①-⓿㈠-㈩㊀-㊉]"
    r"|第[一二三四五六七八九十百千零〇\d ]{1,7}[條条章節节款項项]"
    rf"|\d{{1,2}}[．）]|\d{{1,2}}\.(?=[{_HAN}]))"
)

# One character each, so that no match can swallow another; the look-around leaves about one candidate per sentence.
_CANDIDATE = re.compile(
    rf"[{_WIDE}{_NARROW}{_NEWLINES}](?:"
    rf"(?<=[.!?…])(?![.!?…！？])(?=(?:\s|{_CLOSER}{{1,6}}+\s)(?![a-z]))"
    rf"|(?<=[^(\[][;:])(?=(?:\s|{_CLOSER}{{1,6}}+\s)(?![a-z0-9]))"
    rf"|(?<=[{_HAN}][!?;])(?=[\"'”’」』）)]{{0,2}}[{_HAN}])"
    rf"|(?:(?<=[。！？!?]…)|(?<=[。！？!?]……))(?=[\"'”’」』）)]{{0,2}}[{_HAN}])"
    r"|(?<=[。！？；｡．‼⁇⁈⁉])(?![。！？；｡．‼⁇⁈⁉…!?])|(?<=：)(?=\s)"
    rf"|(?<=[{_NEWLINES}])(?!{_BLANK}{{0,{_RUN}}}+[{_NEWLINES}])"
    rf"(?:(?<!\S[{_NEWLINES}])(?<!\S\r\n)|(?<=\u2029)|(?={_ITEM.pattern})))"
)


def _words() -> dict[str, dict[str, list[str]]]:
    with resources.files(__package__).joinpath("sentences.toml").open("rb") as file:
        return tomllib.load(file)


def _both_cases(words: list[str]) -> Iterator[str]:
    """The words, and for those in lower case also Capitalised."""
    for word in words:
        yield word
        if len(word) > 1 and word == word.lower():
            yield word[0].upper() + word[1:]


_WORDS = _words()
# A word that two languages list under two kinds gets the later, more cautious one.
_KINDS = {
    word: kind
    for kind in ("capital", "opener", "number", "never")
    for words in _WORDS[kind].values()
    for word in _both_cases(words)
}
_OPENERS = frozenset(word.capitalize() for words in _WORDS["openers"].values() for word in words)
_LETTERED = frozenset(word for words in _WORDS["lettered"].values() for word in words)
_ORDINAL = frozenset(word for words in _WORDS["ordinal"].values() for word in words)
_LETTER_WORDS = frozenset(word for words in _WORDS["letter_words"].values() for word in words)
_MONTHS = frozenset(word for words in _WORDS["months"].values() for word in words)

_OPENING = "\"'“‘«»‹„([{*_`¿¡"
_ROMAN = re.compile(r"[IVXLCDM]+")
_PARTS = re.compile(r"(?:[^\W\d_]{1,3}[.-]{1,2}){1,5}[^\W\d_]{1,3}")  # U.S, Ph.D, J.-C
_NEXT_WORD = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f]){1,24}(?![\w.])")
# What "Fig." and "vol." may count with besides digits; "No. I think" and "No. A man" are answers.
_NUMBERED = re.compile(r"(?![AI]\s[a-z])(?:[A-Z]|[IVXLC]{1,6})\b")
# J01CA04, J01C A04, ISO-8859, ISO 9001, E-2, QĐ-12: capitals, no small letter, a digit. A letter alone must be ASCII,
# as "Ở 12 bệnh nhân" begins a sentence.
_CODE = re.compile(r"[A-Z]{1,6}[-–./ \u00a0]?\d|(?=[^\W\d_])[^\W_a-z]{1,8}[-–/.][^\s,;a-z]{0,14}\d")
# The first token of a sentence that begins with a number: "12 bệnh nhân", "5% of", "12mg", or an inline item "2. Next".
_NUMBER_OPENS = re.compile(r"\d[\d.,/–-]{0,12}(?:\s?%|\s?[^\W\d_]|[.)]\s|\s\()")
_DAY = re.compile(r"\d{1,2}\.")
_DATE = re.compile(r"\d{1,2}\.\s?\d")  # 12. 5. 2020
_HEADS = "|".join(sorted({re.escape(word) for words in _WORDS["headings"].values() for word in words}, reverse=True))
_SECTION = re.compile(
    rf"[\s#>*•·–—-]*(?:(?:{_HEADS})\s+)?(?:第?\s?\d{{1,3}}[a-z]?(?:\.\d{{1,3}}){{0,5}}|[IVXLCDM]{{1,6}}|[A-ZĐa-z])\**",
    re.IGNORECASE,
)


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Offsets in (start, end] where a sentence ends, rising.

    An end stands after the mark and its closing quotes, brackets and note references, before the white space. Where
    that white space holds a line break, and where a paragraph or list item begins, it stands after the last line break
    of the white space instead. The end of the text is an end. The pieces between the offsets give the text back.
    """
    size = len(text)
    end = size if end is None else min(end, size)
    start = max(start, 0)
    last = start
    for match in _CANDIDATE.finditer(text, _first_mark(text, start), min(size, end + CONTEXT)):
        if (mark := match.start()) >= end:
            break
        offset = _end_at(text, mark)
        if last < offset <= end and offset < size:
            yield offset
            last = offset
    if last < end == size:
        yield size


def sentence_ends_backwards(text: str, start: int, end: int) -> Iterator[int]:
    """What `sentence_ends` gives, falling. Marks are decided one by one as ends are taken: the last end before an
    offset costs one or two decisions, however many marks stand before it."""
    size, last = len(text), end + 1
    if start < end == size:
        yield size
        last = size
    first, high, width = _first_mark(text, start), min(end, size), _WINDOW
    while high > first:
        low = max(first, high - width)
        marks = []
        for match in _CANDIDATE.finditer(text, low, min(size, high + CONTEXT)):
            if (mark := match.start()) >= high:
                break
            marks.append(mark)
        for mark in reversed(marks):
            offset = _end_at(text, mark)
            if start < offset < last and offset < size:
                yield offset
                last = offset
        high, width = low, 2 * width


def _first_mark(text: str, start: int) -> int:
    """Where the first mark may stand whose end lies after `start`. Between a mark and its end stand closing signs and white
    space only; so a letter before `start`, outside a note reference, is the end of what earlier marks can reach."""
    if start and text[start - 1].isalpha() and "[" not in text[max(0, start - 6) : start]:
        return start
    return max(0, start - CONTEXT)


def _end_at(text: str, mark: int) -> int:
    """The offset of the end that the mark at `mark` makes, or 0."""
    char = text[mark]
    if char in _NARROW:
        return _narrow_end(text, mark, char)
    return _wide_end(text, mark, char) if char in _WIDE else _line_end(text, mark)


def is_sentence_end(text: str, offset: int) -> bool:
    """Whether `sentence_ends` of the whole text gives this offset; reads `CONTEXT` characters around it."""
    return offset > 0 and any(True for _ in sentence_ends(text, offset - 1, offset))


def _line_end(text: str, mark: int) -> int:
    """The offset after the last newline of a paragraph break or before a list item, or 0."""
    before = text[max(0, mark - _BACK) : mark + 1]
    words = before.rstrip()
    if not words and mark < _BACK:
        return 0  # blank lines at the start of the text end no sentence
    if _breaks(before[len(words) :]) > 1 or _ITEM.match(text, mark + 1):
        return mark + 1
    return 0


def _breaks(space: str) -> int:
    """Line breaks in a run of white space; a paragraph separator counts as two."""
    return len(_NEWLINE.findall(space)) + space.count("\u2029")


def _gap(text: str, close: int) -> tuple[int, int, bool]:
    """For a mark closed at `close`: the offset of its end, where the next sentence starts, whether a line ends between.

    The offset is 0 where a paragraph break or the end of the text follows: those need no mark.
    """
    after = close + 1
    if text[close] in " \n" and not text[after : after + 1].isspace():  # nineteen of twenty gaps in prose
        if after == len(text):
            return 0, after, False
        return (close, after, False) if text[close] == " " else (after, after, True)
    match = _RUN_OF_SPACE.match(text, close)
    after = match.end() if match else close
    space = text[close:after]
    if after == len(text):
        return 0, after, False
    breaks = 0 if len(space) == _RUN else _breaks(space)
    if breaks > 1:
        return 0, after, True
    if breaks == 0:
        return close, after, False
    return close + 1 + max(space.rfind(newline) for newline in _NEWLINES), after, True


def _closed(closers: re.Pattern[str], text: str, mark: int) -> int:
    """The offset after the closing signs that follow a mark."""
    match = closers.match(text, mark + 1)
    return match.end() if match else mark + 1


def _wide_end(text: str, mark: int, char: str) -> int:
    """The offset of the end at a full-width mark, or 0."""
    size = len(text)
    close = _closed(_WIDE_CLOSERS, text, mark)
    if text[close : close + 1] in ('"', "'") and _closes_quote(text, close):
        close = _closed(_WIDE_CLOSERS, text, close)
    if close >= size:
        return 0
    following = text[close]
    # 「好。」，他說: the sentence goes on. 的 and 之 after a quotation are particles that begin no sentence.
    if following in "，、,；;：:。！？…．" or (following in "的之" and close > mark + 1):
        return 0
    if char == "．" and (following.isdecimal() or mark == 0 or category(text[mark - 1]) in ("Nd", "Lu", "Ll")):
        return 0  # ３．５, Ａ．Ｂ
    if not following.isspace():
        return close
    offset, _, line = _gap(text, close)
    return 0 if char == "：" and not line else offset


def _closes_quote(text: str, quote: int) -> bool:
    """Whether the straight quote after a full-width mark closes rather than opens.

    It does if an odd number of its kind stands before it on the line; where the line starts farther off than can be
    read, if no letter follows, or if the quote before it stands after a comma, colon or bracket, as one that opens.
    """
    sign = text[quote]
    before = text[max(0, quote - _BACK) : quote]
    line = _NEWLINE.split(before)[-1]
    if len(line) < len(before) or quote <= _BACK:
        return line.count(sign) % 2 == 1
    following = text[quote + 1 : quote + 2]
    earlier = line.rfind(sign)
    return not following.isalpha() or (earlier > 0 and line[earlier - 1] in "，：:,、（( ")


def _narrow_end(text: str, mark: int, char: str) -> int:
    """The offset of the end at a mark that needs white space after it, or 0."""
    close = mark + 1
    if text[close] != " " or text[mark + 2 : mark + 3] in " »":
        close = _closed(_CLOSERS, text, mark)
    if close >= len(text) or not text[close].isspace():
        return close if close < len(text) and text[close].isalpha() and not text[close].isascii() else 0
    offset, after, line = _gap(text, close)
    if not offset:
        return 0
    opening = ""
    if not text[after].isalnum():
        lead = _LEAD.match(text, after)
        opening = lead.group() if lead else ""
        after += len(opening)
    following = text[after : after + 1]
    if following.islower():
        return 0
    if char in ";:":
        return offset if following.isalpha() and not _CODE.match(text, after) else 0
    if following.isalpha():
        if char == "." and not _period_ends(text, mark, after, opening):
            return 0
        return offset
    if following.isdecimal():
        if char == "." and not _period_ends_before_number(text, mark, after, line):
            return 0
        return 0 if char == "…" and not line else offset
    # An emoji or ① begins a sentence; of other signs (a table's |, a rule) only those on a line of their own do.
    return offset if line or category(following or " ") in ("So", "No") else 0


def _words_before(text: str, mark: int) -> tuple[str, str]:
    """The word that a full stop at `mark` belongs to and the token before it, in NFC, without opening signs."""
    tail = text[max(0, mark - _BACK) : mark]
    if not tail.isascii():
        tail = normalize("NFC", tail)
    tokens = tail.rsplit(None, 2)
    if not tokens or tail[-1].isspace():
        return "", ""
    return tokens[-1].lstrip(_OPENING), tokens[-2].lstrip(_OPENING) if len(tokens) > 1 else ""


def _kind(word: str, before: str) -> str:
    """How the full stop of an abbreviation behaves (a table of `sentences.toml`), or "" for a word that is none."""
    if not word or not word[-1].isalpha():
        return ""
    if before[-1:] == ".":
        kind = _KINDS.get(before + word)  # "z. B", "p. ex"
        if kind:
            return kind
    kind = _KINDS.get(word, "")
    if kind:
        return kind
    if len(word) == 1 and word.lower() != word.upper():
        # An initial, unless it is a name ("vitamin C."), a unit ("10 V.") or a word (of "chú ý", "châu Á").
        a_word = word in _LETTER_WORDS or (word.islower() and not word.isascii())
        return "" if a_word or before.lower() in _LETTERED or before[-1:].isdecimal() else "opener"
    if "." in word and _PARTS.fullmatch(word):
        return "capital" if word.islower() else "opener"
    return ""


def _period_ends(text: str, mark: int, after: int, opening: str) -> bool:
    """Whether the full stop at `mark` ends its sentence where a capital or a letter without case follows."""
    word, before = _words_before(text, mark)
    if (word[-1:].isdecimal() or word.isupper()) and _numbers_a_part(text, mark, word, before):
        return False
    kind = _kind(word, before)
    if kind == "never" or (kind and ("(" in opening or "[" in opening)):
        return False
    if kind == "number":
        return not _NUMBERED.match(text, after)
    if kind == "opener":
        return _next_word(text, after) in _OPENERS
    if len(word) == 1 and word.isascii() and text[after + 1 : after + 2] == ".":
        return False  # u. U.; also the inside of a spaced code
    if kind or not (word.isdecimal() or _ROMAN.fullmatch(word)):
        return True
    if len(before) == 2 and before[1] == "." and text[after + 1 : after + 2] == ".":
        return False  # J. 01. C. A. 04
    if len(word) <= 2 or not word.isdecimal():
        following = _next_word(text, after)
        return following not in _MONTHS and (before.lower() not in _ORDINAL or following in _OPENERS)
    return True


def _period_ends_before_number(text: str, mark: int, after: int, line: bool) -> bool:
    """Whether the full stop at `mark` ends its sentence where a digit follows."""
    word, before = _words_before(text, mark)
    if _kind(word, before):
        return False
    if word.isdecimal() and len(word) <= 2 and (_DATE.match(text, after) or _DAY.fullmatch(before)):
        return False
    if word[-1:].isdecimal() and _numbers_a_part(text, mark, word, before):
        return False
    return line or _NUMBER_OPENS.match(text, after) is not None


def _numbers_a_part(text: str, mark: int, word: str, before: str) -> bool:
    """Whether the word before the full stop is the number of a section, caption or list item that it opens."""
    head = text[max(0, mark - _BACK) : mark]
    line = _NEWLINE.split(head)[-1]
    if (len(line) < len(head) or mark <= _BACK) and _SECTION.fullmatch(normalize("NFC", line)):
        return True
    # Items in running text: "… như sau: 1. Thuốc. 2. Máu". After a colon only the first, as "Điểm: 5." is a value.
    if not word.isdecimal() or len(word) > 2 or len(before) < 3:
        return False
    if before[-1] == ":":
        return word == "1"
    return before[-1] in ".!?;" and not (before[-1] == "." and (before[-2].isdecimal() or _kind(before[:-1], "")))


def _next_word(text: str, after: int) -> str:
    """The word at an offset in NFC, "" where it is longer than 24 or a full stop follows it."""
    match = _NEXT_WORD.match(text, after)
    return normalize("NFC", match.group()) if match else ""
