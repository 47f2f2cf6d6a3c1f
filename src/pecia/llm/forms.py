"""The forms that replies must have. pydantic checks them; this module is loaded where a model is asked, and nowhere else."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, NonNegativeInt


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TableReading(_Strict):
    """A table as it is printed."""

    caption: str
    header_rows: NonNegativeInt
    cells: list[list[str]]


class TablesOnPage(_Strict):
    """The tables of a page, from top to bottom."""

    tables: list[TableReading]


class NestedPair(_Strict):
    """A question and its answer inside an answer, word for word."""

    question: str
    answer: str


class Verdict(_Strict):
    """What a judge says of one pair. Every passage is word for word as in the text."""

    correct_boundary: bool
    suggested_boundary: str | None
    tables_markdown: list[str]
    nested_qa: list[NestedPair]
    internal_refs: list[str]
    clean_answer: str
