"""Chunks of the example documents, as they were when somebody last read them. `make golden` rewrites them; the difference is
the point of the review. Boxes may move by half a point between versions of the PDF reader."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pecia import pipeline

HERE = Path(__file__).parent
EXAMPLES = Path(__file__).parents[2] / "examples"
WRITE = bool(os.environ.get("PECIA_WRITE_GOLDEN"))
CASES: list[tuple[str, str, dict[str, int]]] = [
    ("so-tay-thuoc.pdf", "heading", {"max_tokens": 300, "target_tokens": 200, "overlap_tokens": 0}),
    ("so-tay-thuoc.pdf", "page", {}),
    ("harbour-report.pdf", "heading", {}),
    ("harbour-report.pdf", "page", {"max_tokens": 200}),
    ("supplementary-paper.pdf", "token", {"max_tokens": 400}),
    ("supplementary-paper.pdf", "question", {"max_tokens": 400}),
    ("archive-guide.md", "heading", {"max_tokens": 200}),
    ("archive-guide.md", "token", {"max_tokens": 120, "overlap_tokens": 20}),
    ("minutes.txt", "token", {"max_tokens": 200}),
    ("custodian-registry.csv", "registry", {}),
    ("custodians.yaml", "entity", {}),
    ("museum-page.html", "website", {}),
]
TOLERANCE = 0.5


def name_of(file: str, strategy: str, options: dict[str, int]) -> str:
    return "-".join([Path(file).stem, strategy, *map(str, options.values())])


@pytest.mark.parametrize(("file", "strategy", "options"), CASES, ids=[name_of(*case) for case in CASES])
def test_chunks_are_as_they_were_read(file: str, strategy: str, options: dict[str, int]) -> None:
    cutting = pipeline.cut(pipeline.parse(EXAMPLES / file), strategy, **options)
    assert not list(cutting.findings())
    path = HERE / f"{name_of(file, strategy, options)}.jsonl"
    if WRITE:
        path.write_text("".join(f"{chunk.to_line()}\n" for chunk in cutting.chunks), "utf-8")
    expected = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found = [json.loads(chunk.to_line()) for chunk in cutting.chunks]
    assert [without_boxes(record) for record in found] == [without_boxes(record) for record in expected]
    for one, two in zip(found, expected, strict=True):
        assert boxes(one) == pytest.approx(boxes(two), abs=TOLERANCE)


def without_boxes(record: dict[str, Any]) -> dict[str, Any]:
    places = [{key: value for key, value in place.items() if key != "bbox"} for place in record["locators"]]
    return {**record, "locators": places, "page_images": None}


def boxes(record: dict[str, Any]) -> list[float]:
    return [edge for place in record["locators"] for edge in place.get("bbox", [])]


def test_the_switch_that_rewrites_is_off() -> None:
    assert not WRITE, "PECIA_WRITE_GOLDEN is set: the golden files were rewritten; read the difference and run again without it"
