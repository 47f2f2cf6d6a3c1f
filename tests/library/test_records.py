"""Records are loaded whole or not at all, with a text that is proven."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pecia import pipeline, plugins, records
from pecia.cli.main import app
from pecia.errors import RecordError
from pecia.library import Library
from pecia.model import Chunk, Document
from tests.strategies.monograph.books import cut, document

BOOK = "".join(
    f"{name}\n\nTên chung quốc tế: {name}.\n\nMã ATC: J01CA0{at}.\n\nChỉ định\n\nĐau {name}.\n\nLiều lượng và cách dùng\n\n"
    f"Người lớn: uống {at + 1} mg.\n\n"
    for at, name in enumerate(("BENZARIN", "CORTAVEN"))
)
EXAMPLE = Path(__file__).parents[2] / "examples/so-tay-thuoc.pdf"


@pytest.fixture
def made() -> tuple[Document, list[Chunk]]:
    read = document(BOOK)
    return read, cut(read)[0]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def test_records_come_back_as_the_chunks_they_were(made: tuple[Document, list[Chunk]], tmp_path: Path) -> None:
    read, chunks = made
    file = written(tmp_path / "a.jsonl", [chunk.to_record() for chunk in chunks])
    assert records.read(file) == chunks
    with Library(tmp_path / "library") as library:
        assert library.load(records.read(file)) == 1
        assert library.load(records.read(file)) == 0
        assert library._store.text(read.id) == read.text
        (hit, *_) = library.search("liều cortaven")
        assert hit.chunk.attributes["drug_id"] == "cortaven"
        assert library.passage(hit, "uống 2 mg").quote in BOOK
        assert list(library.verify()) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda row: row.pop("drug_name"), "drug_name has no value"),
        (lambda row: row.update(drug_id=""), "drug_id has no value"),
        (lambda row: row.update(section_key=None), "section_key has no value"),
        (lambda row: row.update(text=" \n"), "text has no value"),
        (lambda row: row.update(schema_version=3), "schema_version is 3, not 4"),
        (lambda row: row.update(chunk_kind="verse"), "chunk_kind 'verse' is not one of"),
        (lambda row: row.update(part_index=None), "part_index is null"),
        (lambda row: row.update(colour="red"), "colour is declared by no strategy"),
    ],
)
def test_a_bad_record_is_named_by_its_line_and_nothing_is_loaded(
    made: tuple[Document, list[Chunk]], tmp_path: Path, change: Callable[[dict[str, Any]], object], fault: str
) -> None:
    rows = [chunk.to_record() for chunk in made[1]]
    change(rows[3])
    file = written(tmp_path / "a.jsonl", rows)
    with pytest.raises(RecordError, match=f"line 4: {fault}"):
        records.read(file)
    done = CliRunner().invoke(app, ["ingest", str(file), "-l", str(tmp_path / "library")])
    assert isinstance(done.exception, RecordError)
    with Library(tmp_path / "library") as library:
        assert library.documents() == []


def test_nothing_is_loaded_where_one_of_two_documents_contradicts_itself(
    made: tuple[Document, list[Chunk]], tmp_path: Path
) -> None:
    other = cut(document(BOOK.replace("Đau", "Sốt")))[0]
    rows = [chunk.to_record() for chunk in (*made[1], *other)]
    words = rows[-1]["source_text"]
    rows[-1]["source_text"] = words.replace("2 mg", "9 mg")
    assert rows[-1]["source_text"] != words
    with Library(tmp_path / "library") as library:
        with pytest.raises(RecordError):
            library.load(records.read(written(tmp_path / "a.jsonl", rows)))
        assert library.documents() == []


def test_zero_and_false_are_values_and_a_chunk_is_there_once(made: tuple[Document, list[Chunk]], tmp_path: Path) -> None:
    rows = [chunk.to_record() for chunk in made[1]]
    assert rows[0]["part_index"] == 0
    assert rows[0]["oversized"] is False
    with pytest.raises(RecordError, match=r"line 2: chunk_id \w+ stands on line 1 already"):
        records.read(written(tmp_path / "a.jsonl", [rows[0], rows[0]]))
    with pytest.raises(RecordError, match="holds no record"):
        records.read(written(tmp_path / "a.jsonl", []))


def test_a_part_of_a_document_needs_its_file(tmp_path: Path) -> None:
    made = pipeline.parse(EXAMPLE)
    chunks = list(pipeline.cut(made, "monograph").chunks)
    rows = [chunk.to_record() for chunk in chunks if chunk.attributes.get("drug_id") == "kevralol"]
    file = written(tmp_path / "a.jsonl", rows)
    runner, folder = CliRunner(), str(tmp_path / "library")
    done = runner.invoke(app, ["ingest", str(file), "-l", folder])
    assert "stand in no chunk" in str(done.exception)
    done = runner.invoke(app, ["ingest", str(file), "-l", folder, "--source", str(EXAMPLE)])
    assert done.exit_code == 0, done.output
    with Library(folder) as library:
        (hit, *_) = library.search("liều kevralol cho người suy thận nặng")
        assert hit.chunk.attributes["section_key"] == "lieu_luong_va_cach_dung"
        assert library.passage(hit, "Clcr dưới 15 ml/phút").printed == (5, 5)
        assert library.original(hit.chunk.chunk_id).is_file()
    rows[0]["heading_physical_page"] = None
    with pytest.raises(RecordError, match="line 1: heading_physical_page has no value"):
        records.read(written(file, rows))
    rows[0].update(heading_physical_page=0, printed_page_range=None)
    assert [finding.chunk_id for finding in records.findings(records.read(written(file, rows)))] == [rows[0]["chunk_id"]]
    assert "REC101" in plugins.codes()


def test_without_its_file_a_part_of_a_chunk_is_cited_with_the_pages_of_the_chunk(tmp_path: Path) -> None:
    made = pipeline.parse(EXAMPLE)
    file = written(tmp_path / "a.jsonl", [chunk.to_record() for chunk in pipeline.cut(made, "monograph").chunks])
    with Library(tmp_path / "library") as library:
        library.load(records.read(file))
        (hit, *_) = library.search("liều kevralol suy thận")
        passage = library.passage(hit, "Clcr dưới 15 ml/phút")
        assert (passage.pages, passage.printed) == (hit.chunk.page_range, hit.chunk.printed_range)
        assert passage.regions == hit.chunk.locators
        assert len(passage.quote) < len(hit.chunk.source_text)
