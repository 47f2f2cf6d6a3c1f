"""pecia cuts documents along their own structure into pieces that can prove where they came from.

The eight verbs are functions here: parse, segment, chunk, check, embed, store, retrieve, cite live on values and on
`Library`. Importing this package loads the standard library only; each name is imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pecia.library import Library as Library
    from pecia.pipeline import Cutting as Cutting
    from pecia.pipeline import check as check
    from pecia.pipeline import cut as cut
    from pecia.pipeline import parse as parse
    from pecia.pipeline import parse_all as parse_all
    from pecia.pipeline import strategy as strategy
    from pecia.ranking import rank as rank
    from pecia.vision import read_tables as read_tables

__version__ = "0.1.0"

_HOMES = {
    "parse": "pipeline",
    "parse_all": "pipeline",
    "strategy": "pipeline",
    "check": "pipeline",
    "cut": "pipeline",
    "Cutting": "pipeline",
    "Library": "library",
    "rank": "ranking",
    "read_tables": "vision",
}
__all__ = ["Cutting", "Library", "check", "cut", "parse", "parse_all", "rank", "read_tables", "strategy"]


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pecia' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"pecia.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
