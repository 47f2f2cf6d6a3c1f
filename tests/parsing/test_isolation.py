"""A parser that crashes, hangs or eats memory is one clear error, and the next file is read."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pecia import pipeline
from pecia.errors import BrokenError, DocumentError, EncodingError, LimitError, UnsupportedError
from pecia.model import Document, Source
from pecia.parsing.isolation import ParserProcess
from pecia.protocols import ParseOptions

HERE = "tests.parsing.test_isolation"
PATHS = os.pathsep.join(str(Path(__file__).parents[2] / folder) for folder in (".", "src"))  # what the child imports


def crash(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    os.kill(os.getpid(), signal.SIGSEGV)
    yield Document(source.sha256, source, "")


def hang(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    time.sleep(60)
    yield Document(source.sha256, source, "")


def greedy(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    yield Document(source.sha256, source, str(len(bytearray(1 << 40))))


def faulty(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    yield Document(source.sha256, source, "first")
    raise KeyError("no such thing")


class Stubborn:
    def __reduce__(self) -> str:
        raise MemoryError


def half(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """A document whose first 10 MB are on their way when the rest turns out to be more than memory holds."""
    document = Document(source.sha256, source, "a" * 10_000_000)
    object.__setattr__(document, "findings", (Stubborn(),))
    yield document


def deep(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    yield from deep(data, source, options)


def chatty(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    os.write(1, b"noise on standard output")
    yield Document(source.sha256, source, "calm")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("Words.\n", encoding="utf-8")
    return path


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[ParserProcess]:
    monkeypatch.setenv("PYTHONPATH", PATHS)
    process = ParserProcess()
    yield process
    process.stop()


@pytest.mark.parametrize(
    ("parser", "error", "says"),
    [
        ("crash", BrokenError, "SIGSEGV"),
        ("greedy", LimitError, "more memory"),
        ("faulty", BrokenError, "KeyError"),
        ("deep", LimitError, "nested too deeply"),
        ("half", LimitError, "more memory"),
    ],
)
def test_a_fault_of_a_parser_is_an_error_of_its_document(
    process: ParserProcess, file: Path, parser: str, error: type[DocumentError], says: str
) -> None:
    with pytest.raises(error, match=says):
        list(process.parse(file, "text/plain", f"{HERE}:{parser}", ParseOptions()))
    (document,) = process.parse(file, "text/plain", "pecia.parsing.text:parse_text", ParseOptions())
    assert document.text == "Words.\n"


def test_a_parser_that_hangs_is_ended(file: Path) -> None:
    code = (
        "import pathlib, sys\nfrom pecia.parsing.isolation import ParserProcess\nfrom pecia.protocols import ParseOptions\n"
        f"list(ParserProcess().parse(pathlib.Path(sys.argv[1]), 'text/plain', '{HERE}:hang', ParseOptions()))"
    )
    environment = {**os.environ, "PECIA_PARSE_SECONDS": "2", "PYTHONPATH": PATHS}
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, env=environment, check=False)
    assert "LimitError: took longer than 2 s" in done.stderr
    assert time.monotonic() - started < 30


def test_what_a_parser_prints_does_not_matter(process: ParserProcess, file: Path) -> None:
    (document,) = process.parse(file, "text/plain", f"{HERE}:chatty", ParseOptions())
    assert document.text == "calm"


def test_a_consumer_that_stops_early_leaves_a_clean_process(process: ParserProcess, file: Path) -> None:
    next(process.parse(file, "text/plain", f"{HERE}:faulty", ParseOptions()))
    (document,) = process.parse(file, "text/plain", "pecia.parsing.text:parse_text", ParseOptions())
    assert document.text == "Words.\n"


def test_files_that_cannot_be_read_are_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "binary.txt").write_bytes(b"\0\1\2\3" * 100)
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04")
    for name, error in (
        ("missing.txt", DocumentError),
        (".", DocumentError),
        ("binary.txt", EncodingError),
        ("x.zip", UnsupportedError),
    ):
        with pytest.raises(error) as raised:
            pipeline.parse(tmp_path / name)
        assert raised.value.exit_code == 3


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(LimitError, match="PECIA_MAX_FILE_BYTES"):
        pipeline.parse(path)


def test_the_source_says_where_and_what(file: Path) -> None:
    source = pipeline.parse(file).source
    assert (source.uri, source.name, source.media_type) == (file.resolve().as_uri(), "a.txt", "text/plain")


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc")
def test_a_parser_is_started_without_the_key_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "sk-never-shown")
    monkeypatch.setenv("LLM_MODEL_NAME", "shown")
    (tmp_path / "a.txt").write_text("Some words.\n")
    process = ParserProcess()
    try:
        list(process.parse(tmp_path / "a.txt", "text/plain", "pecia.parsing.text:parse_text", ParseOptions()))
        assert process._process
        held = Path(f"/proc/{process._process.pid}/environ").read_bytes()
    finally:
        process.stop()
    assert b"LLM_MODEL_NAME=shown" in held
    assert b"sk-never-shown" not in held
