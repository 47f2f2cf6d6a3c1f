"""`pecia show` as people call it."""

import base64
import json
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from pecia.cli.show import MOST_PAGES, ranges_of
from pecia.errors import UsageError
from tests.cli.test_commands import pecia
from tests.showing.reading import Reading

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "examples" / "harbour-report.pdf"


def read(path: Path) -> Reading:
    return Reading(path.read_text("utf-8"))


def sheets(reading: Reading) -> list[str]:
    return [element.attributes["id"] for element in reading.with_class("sheet")]


def test_show_draws_all_pages_twice_alike(tmp_path: Path) -> None:
    first, second = tmp_path / "first.html", tmp_path / "second.html"
    done = pecia("show", REPORT, "-o", first)
    assert (done.returncode, done.stdout) == (0, "")
    assert "harbour-report.pdf: 7 of 7 pages" in done.stderr
    pecia("show", REPORT, "-o", second)
    assert first.read_bytes() == second.read_bytes()
    reading = read(first)
    pictures = [element.attributes["src"] for element in reading.elements if element.tag == "img"]
    assert len(pictures) == 7
    for picture in pictures:
        assert base64.b64decode(picture.removeprefix("data:image/png;base64,"), validate=True).startswith(b"\x89PNG")
    assert not reading.with_class("head")


def test_show_takes_pages(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert pecia("show", REPORT, "--pages", "6,2-3,3", "-o", out).returncode == 0
    assert sheets(read(out)) == ["p2", "p3", "p6"]


@pytest.mark.parametrize(("text", "fault"), [("8", "no page 8"), ("0", "count from 1"), ("3-2", "holds no page"), ("x", "'x'")])
def test_pages_that_are_not_there_are_one_clear_line(text: str, fault: str, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = pecia("show", REPORT, "--pages", text, "-o", out)
    assert done.returncode == 2
    assert fault in done.stderr
    assert done.stderr.count("\n") == 1
    assert not out.exists()


def test_ranges() -> None:
    assert ranges_of("3-5, 9") == [range(3, 6), range(9, 10)]
    for text in ("", "3-", "-3", "1--2", "1,,2", "²", "1.5"):
        with pytest.raises(UsageError, match="not a page"):
            ranges_of(text)


def test_show_colours_the_chunks_of_a_file(tmp_path: Path) -> None:
    chunks, out = tmp_path / "chunks.jsonl", tmp_path / "page.html"
    pecia("chunk", REPORT, "--strategy", "heading", "--max-tokens", "150", "-o", chunks)
    assert pecia("show", REPORT, "--chunks", chunks, "-o", out).returncode == 0
    records = [json.loads(line) for line in chunks.read_text("utf-8").splitlines()]
    reading = read(out)
    begun = [element.text.split()[0] for element in reading.with_class("head") if "continued" not in element.text]
    assert begun == [record["chunk_id"][:8] for record in records]
    for number, record in enumerate(records):
        pieces = [e.text for e in reading.with_class("t") if str(number) in e.attributes.get("data-c", "").split()]
        assert "".join("".join(pieces).split()) == "".join(record["source_text"].split())


def test_show_can_cut_by_itself(tmp_path: Path) -> None:
    guide, out = ROOT / "examples" / "archive-guide.md", tmp_path / "page.html"
    done = pecia("show", guide, "--strategy", "auto", "--max-tokens", "80", "-o", out)
    assert done.returncode == 0
    assert "auto: heading, because" in done.stderr
    reading = read(out)
    assert reading.source_text("d") == guide.read_text("utf-8")
    assert all(" of 80 tokens" in head.text for head in reading.with_class("head"))


def test_stale_chunks_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    chunks, out, guide = tmp_path / "chunks.jsonl", tmp_path / "page.html", tmp_path / "guide.md"
    guide.write_text("# A guide\n\nwith a line\n", "utf-8")
    pecia("chunk", guide, "-o", chunks)
    record = json.loads(chunks.read_text("utf-8"))
    for change, fault in (
        ({"text_hash": "0" * 16}, "is stale"),
        ({"document_id": "0" * 64}, "is of another document than guide.md"),
        ({"source_text": record["source_text"].upper()}, "does not stand at"),
        ({"start_char": "0"}, "line 1: start_char is '0', not int"),
    ):
        chunks.write_text(json.dumps({**record, **change}) + "\n", "utf-8")
        done = pecia("show", guide, "--chunks", chunks, "-o", out)
        assert done.returncode == 2
        assert fault in done.stderr
        assert done.stderr.count("\n") == 1
        assert not out.exists()


def test_a_long_pdf_is_shown_to_a_stated_page(tmp_path: Path) -> None:
    path, out = tmp_path / "long.pdf", tmp_path / "page.html"
    canvas = Canvas(str(path), pagesize=(200, 200))
    for number in range(MOST_PAGES + 3):
        canvas.drawString(20, 100, f"This is sheet {number + 1}.")
        canvas.showPage()
    canvas.save()
    done = pecia("show", path, "-o", out)
    assert len(sheets(read(out))) == MOST_PAGES
    assert f"the first {MOST_PAGES} of {MOST_PAGES + 3} pages are shown; --pages 51-53" in done.stderr
    assert pecia("show", path, "--pages", "51-53", "-o", out).returncode == 0
    assert sheets(read(out)) == ["p51", "p52", "p53"]


def test_wrong_use_is_one_clear_line(tmp_path: Path) -> None:
    guide, chunks = tmp_path / "guide.txt", tmp_path / "chunks.jsonl"
    guide.write_text("A line.\n", "utf-8")
    chunks.write_text("", "utf-8")
    for arguments, fault in (
        (("--chunks", chunks, "--strategy", "page"), "give one of the two"),
        (("--max-tokens", "50"), "max_tokens: sizes and options are for a --strategy"),
        (("--strategy", "nothing"), "no strategy is called 'nothing'"),
        (("--pages", "1"), "guide.txt has no pages"),
        (("--chunks", tmp_path / "none.jsonl"), "cannot be read"),
    ):
        done = pecia("show", guide, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert fault in done.stderr
        assert done.stderr.count("\n") == 1


def test_show_writes_to_standard_output_and_its_exit_code_follows_the_findings(tmp_path: Path) -> None:
    guide, chunks = tmp_path / "guide.txt", tmp_path / "chunks.jsonl"
    guide.write_text("First line of it.\n\nSecond line of it.\n", "utf-8")
    pecia("chunk", guide, "--strategy", "token", "-o", chunks)
    record = json.loads(chunks.read_text("utf-8"))
    chunks.write_text(json.dumps({**record, "text": f"invented {record['text']}"}) + "\n", "utf-8")
    done = pecia("show", guide, "--chunks", chunks)
    assert done.returncode == 1
    assert "LAW202" in Reading(done.stdout).with_class("findings")[0].text


def test_parse_writes_pictures_of_pages_and_names_them(tmp_path: Path) -> None:
    done = pecia("parse", REPORT, "--artifacts", tmp_path / "art", "-o", tmp_path / "d.json")
    assert done.returncode == 0, done.stderr
    pages = json.loads((tmp_path / "d.json").read_text())["pages"]
    named = {page["screenshot"] for page in pages} | {item["file"] for page in pages for item in page["images"] if item["file"]}
    assert named == {path.name for path in (tmp_path / "art").iterdir()}
    assert len(named) >= len(pages)
