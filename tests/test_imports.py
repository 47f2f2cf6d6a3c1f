"""`import pecia` is light, and so are the values."""

import subprocess
import sys

LISTED = "import sys; before = set(sys.modules); import {}; print(*sorted(m for m in set(sys.modules) - before))"


def loaded_by(name: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", LISTED.format(name)], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_pecia_loads_the_standard_library_only() -> None:
    names = {name.partition(".")[0] for name in loaded_by("pecia")}
    assert names - {"pecia"} <= sys.stdlib_module_names
    assert len(loaded_by("pecia")) < 40


def test_the_model_needs_the_standard_library_only() -> None:
    names = {name.partition(".")[0] for name in loaded_by("pecia.model")}
    assert names - {"pecia"} <= sys.stdlib_module_names


def test_cutting_text_loads_no_pdf_reader_and_no_store() -> None:
    loaded = loaded_by("pecia.pipeline")
    assert not {"pypdfium2", "sqlite3", "bm25s", "markdown_it", "tiktoken", "gigatoken", "typer"} & loaded


def test_public_names_are_these() -> None:
    import pecia

    names = "Cutting Library check cut parse parse_all rank read_tables strategy"
    assert sorted(pecia.__all__) == names.split()
    assert all(getattr(pecia, name) for name in pecia.__all__)
