"""Tokenizers by name: exact counts of cl100k_base that need no network, others by name, and an honest estimate."""

from __future__ import annotations

import gzip
import hashlib
import tempfile
import unicodedata
from array import array
from binascii import a2b_base64
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib import resources
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from pecia.errors import InvariantError, MissingExtraError, OptionError, UnknownNameError
from pecia.text.token_index import PrefixIndex, Shapes

if TYPE_CHECKING:
    import numpy as np

    from pecia.protocols import TokenIndex, Tokenizer

ESTIMATE = "estimate"
CL100K = "cl100k_base"
CL100K_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
# The split pattern of cl100k_base (tiktoken, MIT licence).
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
OTHERS = ("gpt2", "o200k_base", "p50k_base", "r50k_base")


@cache
def tokenizer(name: str = CL100K) -> Tokenizer:
    """The tokenizer of that name.

    `cl100k_base` is carried in the package and is run by gigatoken where that is installed, else by tiktoken; both
    give the same ids. `estimate` counts by classes of characters. A path that ends in `.json` is a Hugging Face
    tokenizer file; other names are tiktoken encodings, whose vocabulary must be on the machine.
    """
    if name == CL100K:
        return Cl100k()
    if name == ESTIMATE:
        return Estimate()
    if name.endswith(".json"):
        return FileTokenizer(name)
    if name in OTHERS:
        return _tiktoken(name)
    raise UnknownNameError("tokenizer", name, (CL100K, ESTIMATE, *OTHERS, "FILE.json"))


@lru_cache(maxsize=1)
def index_of(name: str, text: str) -> TokenIndex:
    """The counts of a text; those of the last text are kept, since segmenting and chunking both ask for them."""
    return tokenizer(name).index(text)


def cl100k_vocabulary() -> bytes:
    """The vocabulary file that the package carries; InvariantError where it is not the published one."""
    packed = resources.files("pecia.text").joinpath("cl100k_base.tiktoken.gz").read_bytes()
    vocabulary = gzip.decompress(packed)
    if hashlib.sha256(vocabulary).hexdigest() != CL100K_SHA256:
        raise InvariantError("the cl100k_base vocabulary in this installation is damaged; install pecia again")
    return vocabulary


class Cl100k:
    """Exact cl100k_base counts. A special token's name in a text is text."""

    name = CL100K

    def __init__(self, *, fast: bool | None = None) -> None:
        """`fast`: True asks for gigatoken, False for tiktoken, None takes gigatoken where it is installed."""
        vocabulary = cl100k_vocabulary()
        tokens = [a2b_base64(line.partition(b" ")[0]) for line in vocabulary.splitlines()]  # in the order of their ids
        self._shapes = Shapes(tokens)
        encode = None if fast is False else _gigatoken(vocabulary)
        if encode is None and fast:
            raise MissingExtraError("gigatoken", "fast", "the fast path of cl100k_base")
        self._encode = encode or _encoder(CL100K, CL100K_PATTERN, {token: rank for rank, token in enumerate(tokens)})

    def count(self, text: str) -> int:
        return len(self._encode(text))

    def index(self, text: str) -> TokenIndex:
        return PrefixIndex(text, self._encode, self._shapes, self.count)


def _gigatoken(vocabulary: bytes) -> Callable[[str], Any] | None:
    try:
        import gigatoken
    except ImportError:
        return None
    try:
        with tempfile.TemporaryDirectory() as folder:  # gigatoken reads a vocabulary from a file only
            path = Path(folder) / "cl100k_base.tiktoken"
            path.write_bytes(vocabulary)
            encode: Callable[[str], Any] = gigatoken.Tokenizer.from_tiktoken(path, pretokenizer="cl100k").encode
    except OSError:  # no room for the file; tiktoken counts the same
        return None
    one_at_a_time = Lock()  # one call in about a hundred fails with "Already borrowed" where another thread is inside

    def encode_alone(text: str) -> Any:
        with one_at_a_time:
            return encode(text)

    return encode_alone


def _encoder(name: str, pattern: str, ranks: dict[bytes, int]) -> Callable[[str], np.ndarray[Any, Any]]:
    import tiktoken

    # Without any special token tiktoken looks for the empty string at every place: 12 MB/s instead of 19 on English text.
    special = {"<|endoftext|>": max(ranks.values()) + 2}
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    return lambda text: encoding.encode_to_numpy(text, disallowed_special=())


def _never(text: str, offset: int, *, token_end: bool) -> bool:
    """For tokenizers whose splitting rules are not known here: every piece is counted by itself."""
    return offset in (0, len(text))


class OtherTokenizer:
    """A tokenizer known by its ids and their bytes; every count of a piece is made on the piece."""

    def __init__(self, name: str, encode: Callable[[str], Any], shapes: Shapes) -> None:
        self.name, self._encode, self._shapes = name, encode, shapes

    def count(self, text: str) -> int:
        return len(self._encode(text))

    def index(self, text: str) -> TokenIndex:
        return PrefixIndex(text, self._encode, self._shapes, self.count, _never)


def _tiktoken(name: str) -> Tokenizer:
    import tiktoken

    try:
        encoding = tiktoken.get_encoding(name)
    except Exception as error:
        raise OptionError(
            f"tokenizer {name}: its vocabulary is not on this machine (set TIKTOKEN_CACHE_DIR to a folder that holds it): "
            f"{type(error).__name__}"
        ) from error
    tokens = dict.fromkeys(range(encoding.n_vocab), b"")  # o200k_base leaves ids out
    tokens |= {encoding.encode_single_token(token): token for token in encoding.token_byte_values()}
    shapes = Shapes(list(tokens.values()))
    return OtherTokenizer(name, lambda text: encoding.encode_to_numpy(text, disallowed_special=()), shapes)


class FileTokenizer:
    """A Hugging Face `tokenizer.json`. Special tokens are not counted."""

    def __init__(self, path: str) -> None:
        try:
            from tokenizers import Tokenizer as Rust
        except ImportError as error:
            raise MissingExtraError("tokenizers", "tokenizers", f"tokenizer {path}") from error
        if not Path(path).is_file():
            raise OptionError(f"tokenizer {path}: there is no such file")
        try:
            self._rust = Rust.from_file(path)
        except Exception as error:  # the library raises nothing narrower
            raise OptionError(f"tokenizer {path} cannot be read: {' '.join(str(error).split())[:200]}") from error
        self.name = Path(path).name

    def count(self, text: str) -> int:
        return len(self._rust.encode(text, add_special_tokens=False))

    def index(self, text: str) -> TokenIndex:
        ends = sorted(end for _, end in self._rust.encode(text, add_special_tokens=False).offsets)
        return EndIndex(text, array("Q", ends), self.count)


class EndIndex:
    """An index over character ends of tokens; counts of pieces are made on the piece."""

    def __init__(self, text: str, ends: array[int], count: Callable[[str], int]) -> None:
        self._text, self._ends, self._count = text, ends, count

    def count(self, start: int, end: int, before: str = "") -> int:
        return self._count(before + self._text[start:end]) if before or start < end else 0

    def _before(self, offset: int) -> int:
        return bisect_right(self._ends, offset)

    def furthest(self, start: int, end: int, budget: int) -> int:
        last = self._before(start) + budget
        if budget <= 0:
            return start
        return end if last >= len(self._ends) else max(start, min(end, self._ends[last - 1]))

    def nearest(self, start: int, end: int, budget: int) -> int:
        first = self._before(end) - budget
        return start if first <= 0 else max(start, min(end, self._ends[first - 1]))


# Hundredths of a cl100k token for a character of each class, fitted by non-negative least squares to 3,000-character
# pieces of 3 MB of English, Vietnamese and Traditional Chinese text: mean error 2-4 %, 95th percentile 6-10 %.
_LETTER, _DIGIT, _SPACE, _ASCII_MARK, _IDEOGRAPH, _OTHER_LETTER, _OTHER = 18, 72, 34, 67, 157, 137, 50


def _weight(character: str) -> int:
    if character.isascii():
        if character.isalnum():
            return _DIGIT if character.isdigit() else _LETTER
        return _SPACE if character.isspace() else _ASCII_MARK
    if character >= "\u2e80" and unicodedata.category(character) == "Lo":
        return _IDEOGRAPH
    return _OTHER_LETTER if character.isalpha() else _OTHER


class Estimate:
    """Counts by classes of characters, in one pass, without a vocabulary. A record that it counted says so."""

    name = ESTIMATE

    def __init__(self) -> None:
        self._weights: dict[str, int] = {}

    def _weights_of(self, text: str) -> map[int]:
        for character in set(text) - self._weights.keys():
            self._weights[character] = _weight(character)
        return map(self._weights.__getitem__, text)

    def count(self, text: str) -> int:
        return -(-sum(self._weights_of(text)) // 100)

    def index(self, text: str) -> TokenIndex:
        return WeightIndex(text, self._weights_of)


class WeightIndex:
    """Running sums of character weights; the count of a piece is their difference in whole tokens, rounded up."""

    def __init__(self, text: str, weigh: Callable[[str], Iterable[int]]) -> None:
        self._weigh, self._sums = weigh, array("Q", accumulate(weigh(text), initial=0))

    def count(self, start: int, end: int, before: str = "") -> int:
        return -((self._sums[start] - self._sums[end] - sum(self._weigh(before))) // 100)

    def furthest(self, start: int, end: int, budget: int) -> int:
        return max(start, min(end, bisect_right(self._sums, self._sums[start] + 100 * budget) - 1))

    def nearest(self, start: int, end: int, budget: int) -> int:
        return max(start, min(end, bisect_left(self._sums, max(0, self._sums[end] - 100 * budget))))
