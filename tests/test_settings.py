"""One typed class for settings: where values come from, what governs, and that a secret is told nowhere."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pecia import plugins
from pecia.errors import OptionError
from pecia.settings import VARIABLES, Settings, in_force, settings

ROOT = Path(__file__).parents[1]
KEY = "sk-never-shown-3141592653"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to start in, an environment without settings."""
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    settings.cache_clear()
    yield tmp_path
    settings.cache_clear()


def shown() -> dict[str, tuple[str, str]]:
    settings.cache_clear()
    return {name: (value, origin) for name, value, origin in in_force()}


def pecia(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pecia", *map(str, arguments)], capture_output=True, text=True, encoding="utf-8")


def test_the_nearest_source_counts_and_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pecia.toml").write_text('qa_max_chunk_tokens = 900\nPECIA_OCR = "off"\nllm_model_name = "third"\n')
    (folder / ".env").write_text("LLM_MODEL_NAME=second\nPECIA_PARSE_SECONDS=7\nSOMETHING_ELSE=1\nQA_VERIFICATION_MODEL=\n")
    monkeypatch.setenv("PECIA_PARSE_SECONDS", "8")
    monkeypatch.setenv("LLM_BASE_URL", "")
    found = shown()
    assert found["QA_MAX_CHUNK_TOKENS"] == ("900", "pecia.toml")
    assert found["LLM_MODEL_NAME"] == ("second", ".env")
    assert found["PECIA_PARSE_SECONDS"] == ("8", "environment")
    assert found["LLM_BASE_URL"] == found["QA_VERIFICATION_MODEL"] == ("", "default")
    assert found["QA_VISION_ENABLED"] == ("true", "default")
    assert settings() == Settings(qa_max_chunk_tokens=900, ocr="off", llm_model_name="second", parse_seconds=8)


@pytest.mark.parametrize(
    ("name", "value", "needed"),
    [
        ("PECIA_PARSE_SECONDS", "soon", "PECIA_PARSE_SECONDS is 'soon'; a whole number above 0 is needed"),
        ("QA_MAX_CHUNK_TOKENS", "0", "QA_MAX_CHUNK_TOKENS is '0'; a whole number above 0 is needed"),
        ("QA_VISION_ENABLED", "perhaps", "QA_VISION_ENABLED is 'perhaps'; true or false is needed"),
        ("PECIA_OCR", "never", "PECIA_OCR is 'never'; 'auto', 'off' or 'force' is needed"),
        ("LLM_BASE_URL", "localhost:80", "LLM_BASE_URL is no address; it begins with http:// or https://"),
        ("LLM_BASE_URL", f"http://me:{KEY}@host/v1", "LLM_BASE_URL holds more than an address; a key belongs in LLM_API_KEY"),
    ],
)
def test_a_bad_value_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, name: str, value: str, needed: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(OptionError) as caught:
        settings()
    assert str(caught.value) == needed


def test_a_bad_value_ends_a_command_with_exit_code_2(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.md").write_text("# A\n\nSome words.\n")
    monkeypatch.setenv("DEFAULT_CHUNKING_STRATEGY", "tokens")
    done = pecia("chunk", "a.md")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("pecia: no strategy is called 'tokens'; known: auto, ")
    monkeypatch.setenv("QA_MAX_CHUNK_TOKENS", "-1")
    done = pecia("ingest", "a.md", "--library", "l")
    assert (done.returncode, done.stderr) == (2, "pecia: QA_MAX_CHUNK_TOKENS is '-1'; a whole number above 0 is needed\n")
    assert not (folder / "l").exists()


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("qa_max = 3\n", "there is no setting QA_MAX"),
        ("a = [\n", "pecia.toml cannot be read"),
        ("\udcff", "pecia.toml cannot be read"),
    ],
)
def test_a_file_with_an_unknown_name_or_no_form_is_refused(folder: Path, text: str, needed: str) -> None:
    (folder / "pecia.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(OptionError, match=needed):
        settings()


def test_defaults_of_commands_and_strategies_are_the_settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.md").write_text("# A\n\nSome words.\n")
    assert json.loads(pecia("chunk", "a.md").stdout)["requested_strategy"] == "token"
    monkeypatch.setenv("DEFAULT_CHUNKING_STRATEGY", "heading")
    assert json.loads(pecia("chunk", "a.md").stdout)["requested_strategy"] == "heading"
    assert json.loads(pecia("chunk", "a.md", "--strategy", "page").stdout)["requested_strategy"] == "page"
    assert pecia("ingest", "a.md", "--library", "l").returncode == 0
    assert json.loads(pecia("export", "--library", "l").stdout)["strategy"] == "heading"
    before = plugins.strategy("question")
    monkeypatch.setenv("QA_MAX_CHUNK_TOKENS", "900")
    monkeypatch.setenv("QA_INCLUDE_INTERNAL_REFS", "false")
    settings.cache_clear()
    made = plugins.strategy("question")
    assert (made.options.max_tokens, made.options.target_tokens) == (900, 600)
    assert not made.options.include_internal_refs  # type: ignore[attr-defined]
    assert made.options_hash != before.options_hash
    assert plugins.strategy("question", max_tokens=1500, include_internal_refs=True).options.max_tokens == 1500


def test_a_key_is_told_nowhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text(f"LLM_API_KEY={KEY}\n")
    assert settings().secret("llm_api_key") == KEY
    told = [repr(settings()), str(settings()), *(value for _, value, _ in in_force())]
    done = pecia("settings"), pecia("settings", "--json")
    assert not any(KEY in text for text in (*told, *(run.stdout + run.stderr for run in done)))
    assert "LLM_API_KEY" in done[0].stdout
    assert ".env" in done[0].stdout
    monkeypatch.setenv("QA_VISION_ENABLED", "perhaps")
    settings.cache_clear()
    with pytest.raises(OptionError) as caught:
        settings()
    assert KEY not in repr(caught.value)
    assert caught.value.__cause__ is None
    (folder / "pecia.toml").write_text("LLM_API_KEY = 31415926\n")
    (folder / ".env").unlink()
    with pytest.raises(OptionError, match=r"LLM_API_KEY; ") as caught:
        settings()
    assert "31415926" not in str(caught.value)


def test_the_example_file_is_in_step() -> None:
    lines = [line for line in (ROOT / ".env.example").read_text("utf-8").splitlines() if line and not line.startswith("#")]
    given = dict(line.split("=", 1) for line in lines)
    assert given == {name: value for name, (value, _) in shown().items()}
    assert len(lines) == len(given)


def test_without_settings_pydantic_is_not_loaded() -> None:
    code = "import sys; from pecia.settings import settings; settings(); print('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
