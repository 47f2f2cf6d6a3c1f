"""The options that size chunks; impossible ones are refused when a strategy is built."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pecia.errors import OptionError
from pecia.settings import settings
from pecia.text.tokens import CL100K, ESTIMATE, OTHERS

# What the value of an option is, as `metadata` of its field, for a service that must know which ones name files of its disk:
# text that never does, paths alone, or pairs of words. What says nothing may be a name or a path.
TEXT: Mapping[str, Any] = {"holds": "text"}
FILES: Mapping[str, Any] = {"holds": "files"}
PAIRS: Mapping[str, Any] = {"holds": "pairs"}


def one_of(*names: str) -> Mapping[str, Any]:
    """Metadata of an option that is one of these names, or a path."""
    return {"names": names}


def _default_tokenizer() -> str:
    return settings().tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeOptions:
    """Sizes in tokens of `text`, context and overlap included.

    max_tokens: the ceiling. target_tokens: the size aimed at; paragraphs are kept whole from half of it up to the ceiling.
    overlap_tokens: at most this much of a chunk is repeated by the next, in whole sentences where they fit.
    """

    max_tokens: int
    target_tokens: int
    overlap_tokens: int
    tokenizer: str = field(default_factory=_default_tokenizer, metadata=one_of(CL100K, ESTIMATE, *OTHERS))

    def __post_init__(self) -> None:
        for name in ("max_tokens", "target_tokens", "overlap_tokens"):
            if type(getattr(self, name)) is not int:
                raise OptionError(f"{name} is {getattr(self, name)!r}; a whole number is needed")
        # One code point is at most 4 bytes and so at most 4 tokens; a grapheme of several, a label and a line of text
        # need room beside each other.
        if self.max_tokens < 16:
            raise OptionError(f"max_tokens is {self.max_tokens}; at least 16 are needed")
        if not 0 < self.target_tokens <= self.max_tokens:
            raise OptionError(
                f"target_tokens is {self.target_tokens} beside max_tokens {self.max_tokens}; it must be from 1 to that"
            )
        if not 0 <= self.overlap_tokens <= self.max_tokens // 2:
            raise OptionError(
                f"overlap_tokens is {self.overlap_tokens} beside max_tokens {self.max_tokens}; it must be from 0 to half of that"
            )

    def identity(self) -> dict[str, Any]:
        """What the options are, wherever files that they name may stand."""
        return asdict(self)


class HashesOptions:
    """A strategy of the box: `options_hash` follows from its name and its options."""

    __slots__ = ()
    name: str
    options: SizeOptions

    @property
    def options_hash(self) -> str:
        return options_hash(self.name, self.options)


def options_hash(strategy: str, options: SizeOptions) -> str:
    """16 hex digits for a strategy and its options; the same in every process."""
    identity = json.dumps([strategy, options.identity()], sort_keys=True, default=str)
    return hashlib.sha256(identity.encode()).hexdigest()[:16]
