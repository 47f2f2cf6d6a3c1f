"""What the pages say is so: the README's example runs and prints what it says, links lead somewhere, nothing is missing."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pecia import plugins

ROOT = Path(__file__).parents[1]
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")])
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def test_the_example_of_the_readme_prints_what_it_says(tmp_path: Path) -> None:
    blocks = BLOCK.findall((ROOT / "README.md").read_text("utf-8"))
    code = next(text for kind, text in blocks if kind == "python")
    shown = next(text for kind, text in blocks if kind == "text")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert " ".join(done.stdout.split()) == " ".join(shown.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target and page.name != "archive-guide.md":
            assert (page.parent / target).exists(), target


def test_every_strategy_rule_and_attribute_is_in_the_reference() -> None:
    strategies = (ROOT / "docs/reference/strategies.md").read_text("utf-8")
    rules = (ROOT / "docs/reference/rules.md").read_text("utf-8")
    assert all(f"## {name}\n" in strategies for name in plugins.strategy_names())
    assert all(f"`{attribute.name}`" in strategies for attribute in plugins.attributes())
    assert all(f"## {code} " in rules for code in plugins.codes())


def test_every_strategy_says_what_it_is_for() -> None:
    for name in plugins.strategy_names():
        folder = Path(inspect.getfile(type(plugins.strategy(name)))).parent
        assert f"# Strategy `{name}`" in (folder / "README.md").read_text("utf-8")


def test_nothing_names_this_machine() -> None:
    words = re.compile(rf"{re.escape(str(ROOT.parent))}/|{re.escape(str(Path.home()))}/")
    for path in [
        *ROOT.glob("*.*"),
        *(ROOT / "src").rglob("*.*"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "bench").rglob("*.py"),
    ]:
        if path.suffix in {".py", ".md", ".toml", ".lock"} and path.name != "test_docs.py":
            assert not words.search(path.read_text("utf-8")), path


def test_modules_stop_at_500_lines() -> None:
    long = {path: count for path in (ROOT / "src").rglob("*.py") if (count := path.read_text("utf-8").count("\n")) > 500}
    assert not long


def test_every_fault_of_others_has_tests_that_are_there() -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"^def (test_\w+)", code, re.MULTILINE))
    rows = re.findall(r"^\| \d+ \|.*$", (ROOT / "docs/faults.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) > 70
    for row in rows:
        named = set(re.findall(r"`(test_\w+)`", row))
        assert named, row
        assert named <= there, named - there
