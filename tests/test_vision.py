"""Tables that a model reads beside the text: what is shown to it, what is believed, and that the text never changes."""

import base64
import io
import json
import logging
import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from pecia import batch, parse, pipeline
from pecia.cli import output
from pecia.errors import DocumentError, OptionError
from pecia.llm.client import Client
from pecia.model import Span
from pecia.text.tables import rows_as_text
from pecia.vision import DPI, read_tables, unsettled
from tests.llm.endpoint import Endpoint, Said, endpoint
from tests.parsing.pdf_maker import HEIGHT, WIDTH, Paper

CELLS = [["Lamp", "Oil", "Keeper"], *([f"Harbour light of the north mole {row}", f"{row}5", f"K{row}"] for row in range(4))]
ALIEN = [*CELLS[:4], ["Harbour light of the north mole 3", "97", "K3"]]


def reading(cells: list[list[str]], *, caption: str = "") -> dict[str, Any]:
    return {"caption": caption, "header_rows": 1, "cells": cells}


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of text, then a page with a table whose words stand across its rulings."""
    made = Paper()
    made.lines(50, 80, ["The harbour board met on 3 May and heard the report of the engineer."])
    made.page()
    made.lines(50, 80, ["The lights were trimmed as follows in 1907."])
    made.ruled((50, 110, 150, 250), 100, CELLS)
    made.lines(50, 250, ["All keepers were paid."])
    path = tmp_path_factory.mktemp("vision") / "lights.pdf"
    path.write_bytes(made.bytes())
    return path


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with endpoint(Said({"tables": [reading(CELLS)]})) as made:
        yield made


def cut(path: Path) -> pipeline.Cutting:
    return pipeline.cut(parse(path), "token")


def test_a_reading_stands_beside_the_text_and_changes_nothing_else(paper: Path, server: Endpoint) -> None:
    before = cut(paper)
    after = read_tables(before, paper, Client(server.url, "eyes"))
    (entry,) = after.chunks[0].attachments
    assert entry["read_by"] == "eyes"
    assert entry["markdown"].split("\n")[:3] == [
        "| Lamp | Oil | Keeper |",
        "| --- | --- | --- |",
        "| Harbour light of the north mole 0 | 05 | K0 |",
    ]
    assert entry["quarantined"]  # the text of the chunk still holds the table as lines
    records = [{**chunk.to_record(), "attachments": []} for cutting in (before, after) for chunk in cutting.chunks]
    assert records[: len(before.chunks)] == records[len(before.chunks) :]
    assert after.document is before.document
    assert [finding.rule for finding in after.noted] == ["TAB102"]
    assert "1 table on PDF page 2: read by eyes, 11 tokens in, 5 out" in after.noted[0].message
    assert not [finding for finding in after.findings() if finding.severity.value == "error"]


def test_only_the_page_with_the_table_is_shown_at_300_dpi(paper: Path, server: Endpoint) -> None:

    read_tables(cut(paper), paper, Client(server.url, "eyes"))
    (asked,) = server.requests
    address = asked["messages"][1]["content"][1]["image_url"]["url"]
    png = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    width, height = struct.unpack(">II", png[16:24])
    assert abs(width - WIDTH * DPI / 72) < 2
    assert abs(height - HEIGHT * DPI / 72) < 2


@pytest.mark.parametrize(
    ("said", "rule", "words"),
    [
        (Said({"tables": [reading(ALIEN)]}), "TAB201", "97 in the reading, not on the page"),
        (Said({"tables": [reading(CELLS[:4])]}), "TAB202", "35 on the page, not in the reading"),
        (Said({"tables": []}), "TAB101", "found no such table"),
        (Said({"tables": [reading([["Quite", "another"], ["ZZZZ", "YYYY"]])]}), "TAB101", "found no such table"),
        (Said({"tables": [reading([[]])]}), "TAB101", "found no such table"),
        (Said("there is a table"), "TAB101", "has not the form"),
        (Said({"tables": [{"cells": CELLS}]}), "TAB101", "has not the form"),
        (Said(status=400, body=b'{"error": {"message": "no image input"}}'), "TAB101", "no image input"),
    ],
)
def test_a_reading_that_is_not_on_the_page_is_a_finding_and_is_not_kept(
    paper: Path, server: Endpoint, said: Said, rule: str, words: str
) -> None:
    server.says(said)
    after = read_tables(cut(paper), paper, Client(server.url, "eyes"))
    assert [finding.rule for finding in after.noted] == [rule]
    assert words in after.noted[0].message
    (entry,) = after.chunks[0].attachments
    assert "markdown" not in entry
    assert entry["quarantined"]
    assert after.chunks[0].has_quarantined_content


def test_several_tables_of_a_page_get_each_its_own_reading(tmp_path: Path, server: Endpoint) -> None:
    made = Paper()
    other = [["Ship", "Tons", "Crew"], *([f"Brig of the southern line {row}", f"{row}70", f"C{row}"] for row in range(4))]
    made.ruled((50, 110, 150, 250), 100, CELLS)
    made.lines(50, 230, ["Between the two stands this line."])
    made.ruled((50, 110, 150, 250), 260, other)
    path = tmp_path / "two.pdf"
    path.write_bytes(made.bytes())
    server.says(Said({"tables": [reading(other), reading(CELLS)]}))
    after = read_tables(cut(path), path, Client(server.url, "eyes"))
    assert len(server.requests) == 1
    heads = [entry["markdown"].split("\n")[0] for entry in after.chunks[0].attachments]
    assert heads == ["| Lamp | Oil | Keeper |", "| Ship | Tons | Crew |"]


def test_rows_that_stand_as_lines_of_a_text_go_to_a_model_as_text(tmp_path: Path, server: Endpoint) -> None:
    path = tmp_path / "rows.txt"
    path.write_text(
        "The lamps follow.\n\nLamp Oil Keeper\nNorth 12.5 Brandt\nSouth 9 Dahl\nMole 34 Falk\n\nThat was all of them.\n"
    )
    cells = [["Lamp", "Oil", "Keeper"], ["North", "12.5", "Brandt"], ["South", "9", "Dahl"], ["Mole", "34", "Falk"]]
    document = parse(path)
    assert [item.page for item in unsettled(document)] == [None]
    server.says(Said({"tables": [reading(cells)]}))
    after = read_tables(pipeline.cut(document, "token"), None, Client(server.url, "reader"))
    assert server.requests[0]["messages"][1]["content"].endswith("Mole 34 Falk")
    (entry,) = after.chunks[0].attachments
    assert entry["markdown"].endswith("| Mole | 34 | Falk |")
    assert not after.chunks[0].has_quarantined_content
    server.says(Said({"tables": [reading([*cells[:3], ["Mole", "43", "Falk"]])]}))
    doubted = read_tables(pipeline.cut(document, "token"), None, Client(server.url, "reader")).chunks[0]
    assert doubted.has_quarantined_content
    assert doubted.attachments[0]["quarantined"]


def test_rows_are_told_from_prose() -> None:
    def found(*lines: str) -> list[str]:
        text = "\n".join(lines)
        return [span.of(text) for span in rows_as_text(text, Span(0, len(text)))]

    rows = ("項目 方案甲 方案乙 備註", "佔用路面日數 41.5 28.0 方案甲較佳", "須遷移樹木 7.1 30.6 待定")
    assert found("前文。", *rows, "後文。") == ["\n".join(rows)]
    assert found("Oil   in litres", "12   1907", "9   1908") == []
    assert found("Lamp   of oil   1907", "North light   12   3", "Mole   9   4") == [
        "Lamp   of oil   1907\nNorth light   12   3\nMole   9   4"
    ]
    parted = ("The lamps:", "", "Lamp   of oil   1907", " ", "North light   12   3", "Mole   9   4", "", "They burn.")
    assert found(*parted, *parted) == ["\n".join(parted[2:6])] * 2
    assert found("We met 3 men.", "We met 4 men.", "We met 5 men.") == []
    assert found("- oats, barley 1907", "- wheat, rye 1908", "- lamp, oil 1909") == []
    assert found("File of figure 1", "File of figure 2", "File of figure 3") == []
    assert found("the tide went out", "over the flat sand", "and came back again") == []
    assert found("| a | 1 | 2 |", "| b | 1 | 2 |", "| c | 1 | 2 |") == []


def test_a_scan_is_shown_too_and_what_ocr_read_is_what_it_is_held_against(tmp_path: Path, server: Endpoint) -> None:
    pytest.importorskip("rapidocr")
    from tests.parsing.test_ocr import printed, scanned

    lines = (
        "The lamps of the harbour follow.",
        "Lamp Oil Keeper",
        "North 12.5 Brandt",
        "South 90 Dahl",
        "Mole 34 Falk",
        "That was all.",
    )
    path = tmp_path / "scan.pdf"
    path.write_bytes(scanned(printed(lines)))
    cells = [line.split() for line in lines[1:5]]
    server.says(Said({"tables": [reading(cells)]}))
    after = read_tables(cut(path), path, Client(server.url, "eyes"))
    (entry,) = after.chunks[0].attachments
    assert entry["markdown"].endswith("| Mole | 34 | Falk |")
    assert (entry["physical_page"], entry["read_by"]) == (0, "eyes")
    assert len(entry["bbox"]) == 4


def pecia(folder: Path, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LLM_", "QA_"))}
    command = [sys.executable, "-m", "pecia", *map(str, arguments)]
    environment |= {"PECIA_CACHE_FOLDER": str(folder / "cache"), **more}
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder, env=environment)


def test_another_file_than_was_parsed_is_refused(paper: Path, tmp_path: Path, server: Endpoint) -> None:
    (tmp_path / "other.pdf").write_bytes(paper.read_bytes() + b"\n")
    with pytest.raises(DocumentError, match=r"other\.pdf is not the file that was parsed"):
        read_tables(cut(paper), tmp_path / "other.pdf", Client(server.url, "eyes"))
    with pytest.raises(OptionError, match="reading its tables needs the file"):
        read_tables(cut(paper), None, Client(server.url, "eyes"))
    assert not server.requests


def test_without_an_endpoint_the_summary_says_what_was_left(paper: Path, tmp_path: Path) -> None:
    done = pecia(tmp_path, "chunk", paper)
    assert done.returncode == 0
    assert "1 table on PDF page 2 left for a vision model: set LLM_BASE_URL" in done.stderr
    done = pecia(tmp_path, "ingest", paper, "--library", tmp_path / "library")
    assert "1 table on PDF page 2 left for a vision model: set LLM_BASE_URL" in done.stderr
    off = {"LLM_BASE_URL": "http://127.0.0.1:9/v1", "LLM_MODEL_NAME": "eyes", "QA_VISION_ENABLED": "false"}
    assert "left for a vision model: QA_VISION_ENABLED is false" in pecia(tmp_path, "chunk", paper, **off).stderr


def test_the_commands_ask_the_endpoint_and_replay_what_it_said(paper: Path, tmp_path: Path, server: Endpoint) -> None:
    key = "sk-never-shown-1618033988"
    model = {"LLM_BASE_URL": server.url, "LLM_MODEL_NAME": "eyes", "LLM_API_KEY": key}
    first = pecia(tmp_path, "chunk", paper, **model)
    assert first.returncode == 0, first.stderr
    assert '"read_by":"eyes"' in first.stdout
    assert "left for" not in first.stderr
    assert server.headers[0]["Authorization"] == f"Bearer {key}"
    again = pecia(tmp_path, "chunk", paper, **{**model, "LLM_BASE_URL": "http://127.0.0.1:9/v1"})
    assert again.stdout == first.stdout
    assert len(server.requests) == 1
    kept = "".join(path.read_text() for path in (tmp_path / "cache").rglob("*.json"))
    assert json.loads(kept)["tokens_in"] == 11
    assert key not in first.stdout + first.stderr + kept
    fresh = pecia(tmp_path, "chunk", paper, QA_CACHE_VISION_RESULTS="false", **model)
    assert fresh.stdout == first.stdout
    assert len(server.requests) == 2
    pecia(tmp_path, "ingest", paper, "--library", "library")
    pecia(tmp_path, "ingest", paper, "--library", "library", "--again", **model)
    assert '"read_by":"eyes"' in pecia(tmp_path, "export", "--library", "library").stdout
    unnamed = pecia(tmp_path, "chunk", paper, LLM_BASE_URL=server.url)
    assert (unnamed.returncode, unnamed.stderr.count("\n")) == (2, 1)
    assert "LLM_MODEL_NAME is not; name the model" in unnamed.stderr


def test_an_endpoint_that_is_down_is_a_finding_for_each_table_and_is_tried_once(paper: Path) -> None:
    client = Client("http://127.0.0.1:9/v1", "eyes", pause=0.01)
    for _ in range(2):
        (finding,) = read_tables(cut(paper), paper, client).noted
        assert (finding.rule, finding.severity.value) == ("TAB101", "warning")
        assert "1 table on PDF page 2: eyes: no connection" in finding.message
    assert next(iter(batch.cut_file(paper, "token", {}).cuttings))[0].noted == ()


def test_what_a_model_does_is_shown_while_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(output, "errors", Console(file=shown, force_terminal=True, width=100))
    log = logging.getLogger("pecia.llm")
    before = log.level, log.handlers[:]
    with output.working("lights.pdf"):
        log.info("PDF page %d is shown to %s", 2, "eyes")
        time.sleep(0.2)  # the status is drawn twelve times a second
    assert "reading lights.pdf: PDF page 2 is shown to eyes" in shown.getvalue()
    assert (log.level, log.handlers) == before
