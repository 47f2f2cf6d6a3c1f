"""A table of many rows is cut and checked one stretch after the other, with the same outcome as all at once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import pecia
from pecia import pipeline
from pecia.checking.engine import check_part
from pecia.model import Chunk, Document, Span
from pecia.vision import unsettled


@pytest.fixture
def register(tmp_path: Path) -> Document:
    rows = [f'Museum {number},"Town\n{number % 7}",NL-M{number}' for number in range(40)]
    rows[11] = ",,"
    rows[20] = "Museum 20,Town"
    path = tmp_path / "museums.csv"
    path.write_bytes("\r\n".join(["Name,Place,ISIL", *rows]).encode())
    return pecia.parse(path)


def test_parts_together_are_what_one_cutting_is(register: Document) -> None:
    whole = pipeline.cut(register, "registry")
    parts = list(pipeline.cut_in_parts(register, "registry", at_once=9))

    assert len(parts) == 5
    assert [chunk for part in parts for chunk in part.chunks] == list(whole.chunks)
    assert [item for part in parts for item in part.left_out] == list(whole.left_out)
    assert [finding for part in parts for finding in part.findings()] == list(whole.findings())
    assert whole.chunks[0].to_record() == json.loads(whole.chunks[0].to_line())


def test_faults_at_a_seam_are_found(register: Document) -> None:
    strategy = pecia.strategy("registry")
    chunks = list(strategy.chunk(register, [item for item in strategy.segment(register) if not item.left_out_reason]))
    before, first, second = chunks[3], chunks[4], chunks[5]
    part = Span(before.span.end, second.span.end)

    def codes(held: list[Chunk]) -> set[str]:
        return {finding.rule for finding in check_part(register, held, strategy.rules, (), part, before)}

    assert codes([first, second]) == set()
    assert "LAW101" in codes([second])  # a row that no chunk of the part has
    assert "LAW401" in codes([replace(first, span=before.span, source_text=before.source_text), second])
    assert "LAW302" in codes([replace(first, est_tokens=1), second])


def test_a_document_of_another_kind_is_one_part(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# Title\n\n" + "A sentence of some words. " * 400)
    document = pecia.parse(path)
    (part,) = pipeline.cut_in_parts(document, "heading", max_tokens=100)

    assert part.chunks == pipeline.cut(document, "heading", max_tokens=100).chunks


def test_rows_of_a_table_file_are_nothing_for_a_model_to_settle(tmp_path: Path) -> None:
    path = tmp_path / "wide.tsv"
    path.write_text("Name\tPlace\tNumber\n" + "".join(f"Museum {number}\tEde\t{number}\n" for number in range(9)))
    document = pecia.parse(path)
    assert unsettled(document) == []
    assert unsettled(replace(document, blocks=())) != []
