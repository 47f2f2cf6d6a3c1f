"""Options of the strategies that look for known entities."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from pecia.chunking.limits import FILES, SizeOptions
from pecia.errors import OptionError
from pecia.heritage.gazetteer import Gazetteer, content_hash, gazetteer_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityOptions(SizeOptions):
    """entities: files of known entities (CSV, YAML, JSON). The hash of the options is of what they hold, wherever they are."""

    entities: tuple[str, ...] = field(default=(), metadata=FILES)

    def __post_init__(self) -> None:
        SizeOptions.__post_init__(self)
        given: Any = self.entities
        given = (given,) if isinstance(given, str) else given
        try:
            paths = tuple(str(path) for path in given)
        except TypeError as error:
            raise OptionError(f"entities is {self.entities!r}; a list of files is needed") from error
        object.__setattr__(self, "entities", paths)
        gazetteer_of(paths)  # a file that cannot be read is refused before anything else is

    def identity(self) -> dict[str, Any]:
        return {**asdict(self), "entities": content_hash(self.entities)}

    def known(self) -> Gazetteer:
        """The entities of the files."""
        return gazetteer_of(self.entities)
