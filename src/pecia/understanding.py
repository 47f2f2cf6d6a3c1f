"""What the strategies that something was cut by understand of a question, put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pecia import plugins
from pecia.errors import OptionError
from pecia.model import Boost, Query
from pecia.protocols import Holdings, Understanding, Understands


def with_understood(query: Query, understood: Understanding) -> Query:
    """The query with what was understood of it."""
    return replace(query, text=f"{query.text} {understood.also}".strip(), boosts=understood.boosts)


def understood(text: str, held: Holdings, cut_by: Iterable[tuple[str, Mapping[str, Any]]]) -> Understanding:
    """What all strategies that something was cut by understand of a question; `auto` may have taken any of them."""
    strategies: list[Understands] = []
    for asked, options in cut_by:
        for name in plugins.strategy_names():
            if asked not in (name, plugins.AUTO):
                continue
            try:
                made = plugins.strategy(name, **(options if asked == name else {}))
            except OptionError:  # options of an older version, or a file that is gone: the defaults know most of it
                made = plugins.strategy(name)
            if isinstance(made, Understands) and made not in strategies:
                strategies.append(made)
    found = [strategy.understand(text, held) for strategy in strategies]
    boosts: list[Boost] = []
    for boost in (boost for item in found for boost in item.boosts):
        if boost not in boosts:
            boosts.append(boost)
    return Understanding(
        tuple(boosts),
        " ".join(dict.fromkeys(item.also for item in found if item.also)),
        tuple(dict.fromkeys(reason for item in found for reason in item.reasons)),
    )
