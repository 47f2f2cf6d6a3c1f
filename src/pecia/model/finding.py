"""What is wrong with data, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pecia.model.span import Span


class Severity(StrEnum):
    """`error`: a law or rule is broken (exit code 1); `warning`: look at it; `info`: worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault that a rule found; `pecia explain RULE` says what the rule is for."""

    rule: str
    severity: Severity
    message: str
    chunk_id: str | None = None
    span: Span | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "message": self.message,
            "chunk_id": self.chunk_id,
            "start": self.span.start if self.span else None,
            "end": self.span.end if self.span else None,
        }


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that could not be carried through a stage; a run that holds one never reports success."""

    source: str
    stage: str
    error: str
    page: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {"source": self.source, "stage": self.stage, "error": self.error, "page": self.page}
