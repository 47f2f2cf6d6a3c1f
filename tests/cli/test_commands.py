"""Commands as people and programs call them: outputs, exit codes, one clear line for each fault."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pecia import plugins
from pecia.cli.survey import summarise

GUIDE = (
    "# Kho thuốc\n\n## Liều dùng\n\nNgười lớn: uống 500 mg, ngày 2 lần. Trẻ em: hỏi bác sĩ.\n\n"
    "## Bảo quản\n\nĐể nơi khô, tránh ánh sáng. Nhiệt độ dưới 30 độ C.\n\n## Storage\n\nKeep the boxes dry and closed.\n"
)


def pecia(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    call = [sys.executable, "-m", "pecia", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, encoding="utf-8", check=False, cwd=cwd, env=environment)


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "guide.md"
    path.write_text(GUIDE, encoding="utf-8")
    return path


def test_parse_writes_the_document(guide: Path, tmp_path: Path) -> None:
    done = pecia("parse", guide, "-o", tmp_path / "document.json")
    document = json.loads((tmp_path / "document.json").read_text("utf-8"))
    assert done.returncode == 0
    assert "0 unaccounted for" in done.stderr
    assert document["text"] == GUIDE
    assert document["id"] == document["source"]["sha256"]
    assert [block["kind"] for block in document["blocks"]].count("heading") == 4


def test_segment_shows_the_tree_and_json(guide: Path) -> None:
    assert "Kho thuốc" in pecia("segment", guide, "--strategy", "heading").stdout
    lines = pecia("segment", guide, "--strategy", "heading", "--target-tokens", "20", "--json").stdout.splitlines()
    assert [json.loads(line)["headings"] for line in lines][-1] == ["Kho thuốc"]


def test_chunk_check_and_the_summary(guide: Path, tmp_path: Path) -> None:
    chunks, left_out = tmp_path / "chunks.jsonl", tmp_path / "left-out.json"
    done = pecia(
        "chunk",
        guide,
        "--strategy",
        "heading",
        "--max-tokens",
        "40",
        "--overlap-tokens",
        "0",
        "--left-out",
        left_out,
        "-o",
        chunks,
    )
    assert done.returncode == 0
    assert "1 document · " in done.stderr
    assert "tokens (cl100k_base) · 0 over the ceiling · 0 oversized · 0 findings" in done.stderr
    assert json.loads(left_out.read_text("utf-8")) == []
    checked = pecia("check", chunks, "--source", guide)
    assert (checked.returncode, checked.stdout) == (0, "")
    assert "0 findings" in checked.stderr


def test_check_names_what_was_tampered_with(guide: Path, tmp_path: Path) -> None:
    chunks = tmp_path / "chunks.jsonl"
    pecia("chunk", guide, "--strategy", "token", "-o", chunks)
    record = json.loads(chunks.read_text("utf-8"))
    record["text"] = record["text"].replace("500 mg", "900 mg")
    record["source_text"] = record["source_text"].replace("500 mg", "900 mg")
    broken = {**record, "start_char": "0", "dose": 1}
    chunks.write_text(json.dumps(record) + "\n" + json.dumps(broken) + "\n", "utf-8")
    done = pecia("check", chunks, "--source", guide, "--json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert {item["rule"] for item in found} == {"LAW001", "LAW201"}
    assert any("line 2: dose is declared by no strategy" in item["message"] for item in found)


def test_check_against_another_file_says_so(guide: Path, tmp_path: Path) -> None:
    chunks, other = tmp_path / "chunks.jsonl", tmp_path / "other.md"
    other.write_text("# Another\n\nfile\n", "utf-8")
    pecia("chunk", guide, "-o", chunks)
    done = pecia("check", chunks, "--source", other)
    assert done.returncode == 1
    assert "LAW502" in done.stderr


def test_auto_prints_its_reason(guide: Path) -> None:
    done = pecia("chunk", guide, "--strategy", "auto")
    assert "auto: heading, because 4 headings over 7 blocks" in done.stderr
    assert {json.loads(line)["requested_strategy"] for line in done.stdout.splitlines()} == {"auto"}


def test_the_largest_of_several_files_is_cut_first_whatever_their_names(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.md" for name in "abc"]
    for file, lines in zip(files, (3, 1, 9), strict=True):
        file.write_text("# Lamps\n\n" + "The lamps are lit at dusk.\n\n" * lines)
    said = pecia("ingest", *files, "--strategy", "auto", "--library", tmp_path / "library").stderr
    assert [line[0] for line in said.splitlines() if ".md: " in line] == ["c", "a", "b"]


def test_ingest_search_cite_export(guide: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    first = pecia("ingest", guide, "--strategy", "heading", "--max-tokens", "60", "--library", library)
    again = pecia("ingest", guide, "--strategy", "heading", "--max-tokens", "60", "--library", library)
    assert (first.returncode, again.returncode) == (0, 0)
    assert "1 new or changed" in first.stderr
    assert "0 new or changed" in again.stderr
    hits = json.loads(pecia("search", "lieu nguoi lon", "--library", library, "--json", "-k", "2").stdout)
    assert "Người lớn: uống 500 mg" in hits[0]["source_text"]
    assert hits[0]["citation"]["quote"] in GUIDE
    assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    shown = pecia("search", "keep boxes dry", "--library", library).stdout
    assert "Keep the boxes dry and closed." in shown
    assert "guide.md · line" in shown
    cited = pecia("cite", hits[0]["chunk_id"], "--library", library, "--quote", "uống 500 mg")
    assert cited.returncode == 0
    assert "line 5" in cited.stdout
    assert pecia("cite", hits[0]["chunk_id"], "--library", library, "--quote", "uống 900 mg").returncode == 1
    out = tmp_path / "out.jsonl"
    assert pecia("export", "--library", library, "-o", out).returncode == 0
    assert pecia("check", out, "--source", guide).returncode == 0


def test_export_to_parquet(guide: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    library, out = tmp_path / "library", tmp_path / "out.parquet"
    pecia("ingest", guide, "--library", library)
    assert pecia("export", "--library", library, "-o", out).returncode == 0
    rows = parquet.read_table(out).to_pylist()
    assert "".join(row["source_text"] for row in rows) == GUIDE
    assert json.loads(rows[0]["locators"])[0]["kind"] == "lines"


def test_filters(guide: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    pecia("ingest", guide, "--strategy", "heading", "--max-tokens", "60", "--target-tokens", "20", "--library", library)
    found = pecia("search", "dry khô", "--library", library, "--json", "--where", "headings=Storage")
    assert {tuple(hit["headings"]) for hit in json.loads(found.stdout)} == {("Kho thuốc", "Storage")}
    refused = pecia("search", "dry", "--library", library, "--where", "heading=Storage")
    assert refused.returncode == 2
    assert "headings" in refused.stderr


def test_search_in_a_file_without_a_library(guide: Path) -> None:
    done = pecia("search", "nhiệt độ bảo quản", "--file", guide, "--json", "-k", "1")
    (hit,) = json.loads(done.stdout)
    assert "30 độ C" in hit["source_text"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["search", "  ", "--library", "L"], 2, "the query is blank"),
        (["search", "x", "--library", "L", "-k", "0"], 2, "k is 0"),
        (["search", "x"], 2, "--library DIR or --file FILE"),
        (["search", "x", "--library", "nowhere"], 2, "nowhere"),
        (["chunk", "nowhere.md"], 3, "No such file"),
        (["chunk", "guide.md", "--strategy", "tokens"], 2, "known: auto, conversation, entity, heading, "),
        (
            ["chunk", "guide.md", "--strategy", "token", "--max-tokens", "100", "--overlap-tokens", "80"],
            2,
            "overlap_tokens is 80",
        ),
        (["chunk", "guide.md", "--strategy", "token", "--option", "size=3"], 2, "has no option size"),
        (["chunk", "guide.md", "-o", "no/such/folder/out.jsonl"], 2, "cannot be written"),
        (["ingest", "bad.txt", "--library", "L"], 3, "NUL"),
        (["explain", "LAW999"], 2, "LAW001, LAW101"),
        (["check", "guide.md", "--source", "guide.md"], 2, "not JSON Lines"),
    ],
)
def test_wrong_use_is_one_clear_line(guide: Path, arguments: list[str], code: int, says: str) -> None:
    (guide.parent / "bad.txt").write_bytes(b"\0\1\2" * 50)
    done = pecia(*arguments, cwd=guide.parent)
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_that_lost_a_file_never_says_success(guide: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\0\1\2" * 50)
    done = pecia("ingest", tmp_path / "bad.txt", guide, "--library", tmp_path / "library")
    assert done.returncode == 3
    assert "1 failure" in done.stderr
    hits = json.loads(pecia("search", "boxes", "--library", tmp_path / "library", "--json").stdout)
    assert hits


def test_a_failing_command_leaves_the_old_output(guide: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old", "utf-8")
    assert pecia("chunk", tmp_path / "missing.md", "-o", out).returncode == 3
    assert out.read_text("utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["guide.md", "out.jsonl"]


def test_strategies_lists_all(guide: Path) -> None:
    listed = json.loads(pecia("strategies", "--json").stdout)
    assert [item["name"] for item in listed] == list(plugins.strategy_names())
    assert {item["name"]: item["options"] for item in listed}["token"]["max_tokens"] == 1000


def test_a_folder_is_searched_for_files_that_a_parser_reads(guide: Path, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.md").write_text("# no", "utf-8")
    done = pecia("ingest", tmp_path, "--library", tmp_path / "elsewhere" / "library")
    assert done.returncode == 0, done.stderr
    assert "1 document ·" in done.stderr
    assert "left alone" in done.stderr


def test_survey_measures_sections(guide: Path, tmp_path: Path) -> None:
    done = pecia("survey", guide, "--ceiling", "20", "--json", "--plot", tmp_path / "plot.svg")
    measured = json.loads(done.stdout)
    rows = {row["section"]: row for row in measured["sections"]}
    assert measured["ceiling"] == 20
    assert rows["Liều dùng"]["count"] == 1
    assert rows["Liều dùng"]["over"] == 1.0
    assert rows["Storage"]["max"] < 20
    assert "Liều dùng" in (tmp_path / "plot.svg").read_text("utf-8")
    assert "Liều dùng" in pecia("survey", guide, "--ceiling", "20").stdout
    assert pecia("survey", guide, "--plot", tmp_path / "plot.gif").returncode == 2


def test_survey_gives_the_figures_of_several_sections() -> None:
    (row,) = summarise({"Dose": [30, 10, 20, 50, 40]}, ceiling=35)
    assert (row.count, row.min, row.median, row.p90, row.max, row.over) == (5, 10, 30, 50, 50, 0.4)


def test_library_commands(guide: Path, tmp_path: Path) -> None:
    library, copy = tmp_path / "library", tmp_path / "copy"
    pecia("ingest", guide, "--library", library)
    (held,) = json.loads(pecia("library", "list", "--library", library, "--json").stdout)
    assert "guide.md" in pecia("library", "list", "--library", library).stdout
    assert pecia("library", "verify", "--library", library).returncode == 0
    assert pecia("library", "backup", copy, "--library", library).returncode == 0
    assert pecia("library", "backup", copy, "--library", library).returncode == 2
    assert pecia("library", "delete", held["document_id"][:10], "--library", library).returncode == 0
    assert json.loads(pecia("library", "list", "--library", library, "--json").stdout) == []
    assert pecia("library", "rebuild", "--library", copy).returncode == 0
    assert json.loads(pecia("search", "boxes", "--library", copy, "--json").stdout)
    assert pecia("library", "verify", "--library", copy).returncode == 0


def test_verify_names_what_is_damaged(guide: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    pecia("ingest", guide, "--library", library)
    (kept,) = (library / "originals").glob("*/*")
    kept.write_text("another edition", "utf-8")
    done = pecia("library", "verify", "--library", library)
    assert done.returncode == 1
    assert "LB006" in done.stderr
    assert pecia("search", "boxes", "--library", library).returncode == 1


def test_survey_lists_headings_that_no_vocabulary_knows(tmp_path: Path) -> None:
    heads = "Tên chung quốc tế: {0}.\n\nMã ATC: J01CA04.\n\n### Chỉ định\n\nĐau.\n\n### Kinh nghiệm dân gian\n\nChưa rõ.\n\n"
    book = "".join(f"## {name}\n\n{heads.format(name.capitalize())}" for name in ("BENZARIN", "CORTAVEN"))
    (tmp_path / "book.md").write_text(f"# SÁCH\n\n{book}", "utf-8")
    done = pecia("survey", str(tmp_path), "--unknown-headings", "--json")
    (found,) = json.loads(done.stdout)["unknown_headings"]
    assert (found["heading"], found["count"]) == ("Kinh nghiệm dân gian", 2)
    assert {place["section_key"] for place in found["places"]} == {"chi_dinh"}
    assert "Kinh nghiệm dân gian" in pecia("survey", str(tmp_path), "--unknown-headings").stdout
    assert pecia("survey", str(tmp_path), "--unknown-headings", "-s", "token").returncode == 2


def test_a_hit_is_shown_with_its_whole_section_once(tmp_path: Path) -> None:
    lines = "\n\n".join(f"Liều thứ {number} của viên nén là {number} mg mỗi ngày." for number in range(1, 31))
    (tmp_path / "a.md").write_text(f"# Sổ tay\n\n## Liều dùng\n\n{lines}\n\n## Bảo quản\n\nNơi khô.\n", "utf-8")
    library = tmp_path / "library"
    pecia("ingest", tmp_path / "a.md", "-s", "heading", "--max-tokens", "150", "--library", library)
    for where in (("--library", library), ("--file", tmp_path / "a.md")):
        found = json.loads(pecia("search", "liều thứ 7", "--whole", "--json", *where).stdout)
        assert found[0]["segment"]["quote"].endswith(lines if "--library" in where else "Nơi khô.")
    shown = pecia("search", "liều thứ 7", "--whole", "--library", library).stdout
    assert shown.count("Liều thứ 7 của") == 1
    assert "a part of 1" in shown
