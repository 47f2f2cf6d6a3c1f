"""Bad input of every kind: one clear line, the right exit code, a library that is as it was.

`docs/bad-input.md` says what pecia says; each row of its tables is run here, so that the page cannot fall behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import pecia
from pecia import pipeline
from pecia.cli.main import main
from pecia.errors import DocumentError, LibraryError, LimitError
from pecia.library import Library
from pecia.storing.connection import DATABASE
from tests.bounded import bounded
from tests.parsing.docx_maker import docx, packed, paragraph
from tests.parsing.pdf_maker import Paper

PAGE = (Path(__file__).parents[1] / "docs/bad-input.md").read_text("utf-8")
GOOD = {f"good-{number}.md": f"# Tides {number}\n\nThe tide of day {number} is high.\n".encode() for number in (1, 2, 3)}
LAUGHS = '<!DOCTYPE a [<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)) + "]>"
SECRET = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hosts">]>'
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
NO_PAGES = b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj trailer<</Root 1 0 R>>\n%%EOF"


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Row(NamedTuple):
    what: str
    name: str
    says: str
    code: int


def rows(title: str) -> list[Row]:
    """The rows of the table below a heading."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    cells = [
        [cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line[:1] == "|"
    ]
    return [Row(what, name, says, int(code)) for what, name, says, code in cells[2:]]


FILES, FOLDERS = rows("Files"), rows("Libraries")


def pdf(encrypt: str | None = None) -> bytes:
    paper = Paper(encrypt=encrypt)
    paper.text(50, 60, "The lamp burns.")
    return paper.bytes()


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2 << 30)


# How each file of the page is made: its bytes, or what makes it.
MAKE: Mapping[str, bytes | Callable[[Path], object]] = {
    "missing.txt": lambda path: None,
    "folder": Path.mkdir,
    "pipe.txt": os.mkfifo,
    "circle.txt": lambda path: path.symlink_to(path),
    "large.txt": _sparse,
    "empty.txt": b"",
    "empty.pdf": b"",
    "empty.docx": b"",
    "empty.xml": b"",
    "blank.md": "  \n\n\t\u3000\n".encode(),
    "blank.xml": b"<a>  <b/>\n</a>",
    "binary.txt": bytes(range(256)) * 8,
    "program.txt": b"\x7fELF" + bytes(50),
    "picture.pdf": b"\x89PNG\r\n\x1a\n" + bytes(50),
    "sheet.xlsx": packed({"xl/workbook.xml": "<a/>"}),
    "data.parquet": b"PAR1" + bytes(50),
    "nul.txt": b"one\0two",
    "nul.xml": b"<a>x\0y</a>",
    "surrogate.txt": "one \ud800 two".encode("utf-16", "surrogatepass"),
    "surrogate-8.txt": "one \ud800 two".encode("utf-8", "surrogatepass"),
    "surrogate.xml": b"<a>&#xD800;</a>",
    "half.txt": "Người lớn uống 500 mg, ngày hai lần. Trẻ em".encode()[:-3] + "中".encode()[:2],
    "locked.pdf": pdf(encrypt="secret"),
    "no-pages.pdf": b"%PDF-1.7\n" + NO_PAGES,
    "cut.pdf": pdf()[:-700],
    "words.pdf": b"Only words.\n",
    "locked.docx": OLE + "EncryptedPackage".encode("utf-16-le"),
    "old.docx": OLE,
    "cut.docx": docx(paragraph("x"))[:-60],
    "words.docx": b"Only words.\n",
    "other.docx": packed({"a.txt": "x"}),
    "broken.docx": packed({"word/document.xml": "<a><b></a>"}),
    "bomb.docx": packed({"word/document.xml": b"<a>" + b" " * (20 << 20) + b"</a>"}),
    "laughs.docx": docx("", raw={"word/document.xml": f"{LAUGHS}<a>&l9;</a>"}),
    "broken.xml": b"<a><b></a>",
    "laughs.xml": f"{LAUGHS}<a>&l9;</a>".encode(),
    "entity.xml": f"{SECRET}<a>before &x; after</a>".encode(),
    "attribute.xml": f"{SECRET}<a b='&x;'>text</a>".encode(),
    "deep.xml": b"<a>" * 10_000 + b"</a>" * 10_000,
    "encoding.xml": b"<?xml version='1.0' encoding='klingon'?><a/>",
}


def put(folder: Path, name: str) -> Path:
    how = MAKE[name]
    if isinstance(how, bytes):
        (folder / name).write_bytes(how)
    else:
        how(folder / name)
    return folder / name


def put_good(folder: Path) -> None:
    for name, data in GOOD.items():
        (folder / name).write_bytes(data)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Ran]:
    """The command line in this process, in the folder of the test: one parser process serves all of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "dup2", lambda *_: 0)  # `main` gives standard output up where it fails; pytest still needs it

    def call(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["pecia", *arguments])
        capsys.readouterr()
        sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # as it is outside of pytest
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return Ran(int(ended.value.code or 0), shown.out, shown.err)

    return call


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of three documents; each test has a copy of its own."""
    folder = tmp_path_factory.mktemp("made")
    put_good(folder)
    with Library(folder / "held") as held:
        for name in GOOD:
            cutting = pipeline.cut(pecia.parse(folder / name), "token")
            held.add(cutting.document, cutting.chunks, strategy=cutting.strategy)
    return folder / "held"


@pytest.fixture
def library(made: Path, tmp_path: Path) -> Path:
    """The library in the folder of the test, and the files that it was made of."""
    (tmp_path / "good").mkdir()
    put_good(tmp_path / "good")
    shutil.copytree(made, tmp_path / "held")
    return tmp_path / "held"


def bytes_of(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def names_in(folder: Path) -> list[str]:
    with Library(folder, create=False) as held:
        assert not list(held.verify())
        return sorted(name for document in held.documents() for _, name in document.sources)


def test_the_page_names_every_file_and_folder_that_is_tried() -> None:
    assert [row.name for row in FILES] == list(MAKE)
    assert [row.name for row in FOLDERS] == list(SPOIL)


@pytest.mark.parametrize("row", FILES, ids=lambda row: row.name)
def test_a_bad_file_is_one_clear_line(row: Row, run: Callable[..., Ran], library: Path, tmp_path: Path) -> None:
    put(tmp_path, row.name)
    before = bytes_of(library)
    for command in (["parse", "-o", "x"], ["chunk", "-o", "x"], ["search", "tide", "--file"]):
        ran = run(*command, row.name)
        assert ran.code == row.code, ran.err
        lines = ran.err.splitlines()
        assert "Traceback" not in ran.err
        assert row.name in ran.err or not row.code
        if row.code:
            assert lines == [row.says]
            assert not ran.out
            assert not (tmp_path / "x").exists()
        elif command[0] == "chunk":
            assert row.says in lines
    if row.code:
        with pytest.raises(DocumentError) as raised:
            pecia.parse(row.name)
        assert f"pecia: {raised.value}" == row.says
        assert raised.value.exit_code == row.code
    else:
        assert pecia.parse(row.name).source.name == row.name
    if row.name == "folder":
        return  # a folder of files is what `ingest` takes
    ran = run("ingest", row.name, "--library", "held")
    assert ran.code == row.code
    if row.code:
        assert ran.err.splitlines()[0].startswith(f"failed {row.name} (parse): ")
        assert bytes_of(library) == before
    assert set(GOOD) <= set(names_in(library))


@pytest.mark.parametrize("row", [row for row in FILES if row.code and row.name != "folder"], ids=lambda row: row.name)
def test_good_files_beside_a_bad_one_are_held(row: Row, run: Callable[..., Ran], tmp_path: Path) -> None:
    put_good(tmp_path)
    put(tmp_path, row.name)
    ran = run("ingest", "good-1.md", row.name, "good-2.md", "good-3.md", "--library", "held")
    assert ran.code == 3
    listed, summary, last = ran.err.splitlines()[-3:]
    assert listed.startswith(f"failed {row.name} (parse): ")
    assert summary.startswith("3 documents · 1 failure · ")
    assert last == "3 new or changed, 0 as before"
    assert names_in(tmp_path / "held") == sorted(GOOD)


def test_a_folder_with_all_of_them_gives_what_is_good(tmp_path: Path) -> None:
    """The real command, with workers. What no parser reads is left alone in a folder; what one should read is a failure."""
    folder = tmp_path / "folder"
    folder.mkdir()
    put_good(folder)
    for name in MAKE:
        put(folder, name)
    call = [sys.executable, "-m", "pecia", "ingest", str(folder), "--library", str(tmp_path / "held"), "--jobs", "2"]
    done = subprocess.run(call, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    sound = sorted([*GOOD, *(row.name for row in FILES if not row.code)])
    assert names_in(tmp_path / "held") == sound
    at_end = [line for line in done.stderr.splitlines() if not line.startswith(("left alone", "warning"))]
    failed = {Path(line.split()[1]).name for line in at_end if line.startswith("failed ")}
    passed_over = {Path(found).name for found in re.findall(r"^left alone: (\S+?):? ", done.stderr, re.MULTILINE)}
    assert failed | passed_over == {row.name for row in FILES if row.code} - {"missing.txt", "folder", "pipe.txt", "circle.txt"}
    assert passed_over == {"program.txt", "picture.pdf", "sheet.xlsx", "data.parquet"}
    again = subprocess.run(call, capture_output=True, text=True, encoding="utf-8", check=False)
    assert again.returncode == 3
    assert f"0 new or changed, {len(sound)} as before" in again.stderr


def test_a_large_file_is_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "large.txt")
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(LimitError, match=r"2,147,483,648 bytes; the limit is 1,073,741,824"):
        pecia.parse(path)


def test_nothing_outside_of_a_file_is_read(run: Callable[..., Ran], tmp_path: Path) -> None:
    put(tmp_path, "entity.xml")
    assert json.loads(run("parse", "entity.xml").out)["text"] == "before &x; after"


def test_a_file_that_may_not_be_read_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "closed.txt").write_bytes(b"x")
    (tmp_path / "closed.txt").chmod(0)
    done = subprocess.run(bounded("-m", "pecia", "chunk", "closed.txt"), cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "pecia: closed.txt: Permission denied\n")
    (tmp_path / "open.txt").write_bytes(b"The tide is low.\n")
    done = subprocess.run(
        bounded("-m", "pecia", "ingest", "closed.txt", "open.txt", "-l", "held"), cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 3
    assert "closed.txt" in done.stderr
    assert names_in(tmp_path / "held") == ["open.txt"]


def test_names_that_are_no_text_or_markup_are_shown_as_they_are(run: Callable[..., Ran], tmp_path: Path) -> None:
    odd = tmp_path / "a["
    odd.mkdir()
    (odd / "b].txt").write_bytes(b"\0")  # with its folder it reads like the end of a style
    (odd / ":bug: [red].md").write_bytes(b"# \\[/b] :bug:\n\nThe tide \\[/i] turns \x1b[31m.\n")
    Path(os.fsdecode(os.fsencode(odd) + b"/caf\xe9\n.txt")).write_bytes(b"The tide is low.\n")
    ran = run("ingest", "a[", "--library", "held")
    assert ran.code == 3
    assert "failed a[/b].txt (parse): not text: NUL" in ran.err
    assert names_in(tmp_path / "held") == [":bug: [red].md", "b].txt", "caf\\xe9\\n.txt"][::2]
    shown = run("search", "tide", "--library", "held").out
    assert r"\[/i] turns ␛[31m." in shown
    assert ":bug: [red].md" in shown
    assert run("library", "list", "--library", "held").code == 0
    assert run("export", "--library", "held").out.encode()


def test_a_path_with_nul_is_a_clear_error() -> None:
    with pytest.raises(DocumentError, match="null byte"):
        pecia.parse("a\0b.txt")


# What commands take besides documents


@pytest.mark.parametrize(
    "data",
    [b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}", bytes(range(256)), b"[1]", b'[{"start": 5, "end": 1, "reason": "cover"}]'],
    ids=["deep", "long-number", "binary", "list", "backwards"],
)
def test_bad_json_is_one_clear_line(data: bytes, run: Callable[..., Ran], tmp_path: Path) -> None:
    put_good(tmp_path)
    (tmp_path / "bad.json").write_bytes(data)
    (tmp_path / "none.jsonl").write_bytes(b"")
    for call in (["bad.json"], ["none.jsonl", "--left-out", "bad.json"], ["none.jsonl", "--tokenizer", "bad.json"]):
        command = ["chunk", "good-1.md", *call[1:]] if "--tokenizer" in call else ["check", *call, "--source", "good-1.md"]
        ran = run(*command)
        assert (ran.code, ran.out) == (2, "")
        (line,) = ran.err.splitlines()
        assert "bad.json" in line
        assert len(line) < 400


def test_an_id_that_is_no_text_is_one_clear_line(run: Callable[..., Ran], library: Path) -> None:
    odd = os.fsdecode(b"\xff")
    for command in (["cite", odd], ["library", "delete", odd]):
        ran = run(*command, "--library", "held")
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert run("search", odd, "--library", "held").code == 0


# Libraries


def _spoilt(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / DATABASE).write_bytes(change((folder / DATABASE).read_bytes()))

    return spoil


def _newer(folder: Path) -> None:
    connection = sqlite3.connect(folder / DATABASE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def _thesis(folder: Path) -> None:
    (folder / DATABASE).rename(folder / "thesis.txt")


SPOIL: Mapping[str, Callable[[Path], object]] = {
    "thesis": _thesis,
    "no-database": _spoilt(lambda data: b"Only words.\n" * 1000),
    "header-only": _spoilt(lambda data: data[:16]),
    "cut-short": _spoilt(lambda data: data[:5000]),
    "half": _spoilt(lambda data: data[: len(data) // 2]),
    "empty-database": _spoilt(lambda data: b""),
    "newer": _newer,
}


@pytest.mark.parametrize("row", FOLDERS, ids=lambda row: row.name)
def test_a_folder_that_is_no_sound_library_is_left_as_it_is(
    row: Row, run: Callable[..., Ran], library: Path, tmp_path: Path
) -> None:
    folder = library.rename(tmp_path / row.name)
    SPOIL[row.name](folder)
    before = bytes_of(folder)
    for command in (["search", "tide"], ["ingest", "good"], ["library", "verify"], ["library", "list"], ["export"]):
        ran = run(*command, "--library", row.name)
        assert ran.code == row.code, ran.err
        (line,) = ran.err.splitlines()
        assert line.startswith(f"pecia: {row.name}")
        assert line == row.says or command[0] == "ingest"
        assert not ran.out
        assert bytes_of(folder) == before
    with pytest.raises(LibraryError), Library(folder) as held:
        held.search("tide")
    assert bytes_of(folder) == before


@pytest.mark.parametrize(("name", "says"), [("nowhere", "nowhere holds no library"), ("good-1.md", "good-1.md holds no library")])
def test_what_is_no_folder_is_no_library(name: str, says: str, run: Callable[..., Ran], tmp_path: Path) -> None:
    put_good(tmp_path)
    assert run("search", "tide", "--library", name) == (2, "", f"pecia: {says}\n")
    assert not (tmp_path / "nowhere").exists()
