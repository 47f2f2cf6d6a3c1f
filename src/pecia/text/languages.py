"""Which language a text is in: by its function words, and by its script where that says enough."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from importlib import resources

_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
# Characters that are looked at, and the share of them that a script needs; Japanese has kana among its ideographs.
_SAMPLE, _SHARE, _KANA = 20_000, 0.2, 0.05
# Of a text in one of the languages a third and more are its function words, of one in a cousin of it a fifth. Fewer words or a
# smaller lead say nothing.
_LEAST_WORDS, _LEAST_SHARE, _LEAD = 4, 0.12, 1.1
_CODE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z0-9-]*)?\s*\Z")


@cache
def _languages_of() -> dict[str, tuple[str, ...]]:
    with resources.files(__package__).joinpath("languages.toml").open("rb") as file:
        words: dict[str, str] = tomllib.load(file)["words"]
    made: dict[str, tuple[str, ...]] = {}
    for language, listed in words.items():
        for word in set(listed.split()):
            made[word] = (*made.get(word, ()), language)
    return made


def language_of(text: str) -> str | None:
    """The ISO 639-1 code of the language that most of a text is in; None where it is too short or in none that is known."""
    sample = text[:_SAMPLE]
    letters = sum(map(str.isalpha, sample))
    for language, pattern in _SCRIPTS:
        if letters and len(pattern.findall(sample)) > letters * (_KANA if language == "ja" else _SHARE):
            return language
    words = [word.lower() for word in _WORD.findall(sample)]
    if len(words) < _LEAST_WORDS:
        return None
    found = Counter(language for word in words for language in _languages_of().get(word, ()))
    (best, count), (_, second) = (*found.most_common(2), ("", 0), ("", 0))[:2]
    return best if best and count >= _LEAST_SHARE * len(words) and count >= _LEAD * second else None


def language_code(tag: str) -> str | None:
    """The ISO 639-1 code that a language tag begins with: `nl` for `nl-BE`; None for what is no such tag."""
    match = _CODE.match(tag.strip())
    return match[1].lower() if match else None
