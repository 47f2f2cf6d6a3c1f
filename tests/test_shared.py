"""Over the golden and the real documents that stand beside the project, where they do: nothing fails without a reason, every
strategy keeps every law, and quality does not fall below its floors."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pecia import pipeline, plugins
from pecia.errors import BrokenError, EncryptedError
from pecia.model import Severity

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
SUFFIXES = {".pdf", ".md", ".txt", ".docx", ".xml", ".nxml"}
FILES = sorted(path for name in ("golden", "corpora") for path in (SHARED / name).rglob("*") if path.suffix.lower() in SUFFIXES)

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared documents are not beside the project")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SHARED)))
def test_every_law_holds_on_every_document(path: Path) -> None:
    try:
        document = pipeline.parse(path, ocr="off")  # a scanned page takes 5 s
    except (EncryptedError, BrokenError) as error:
        pytest.xfail(str(error))
    assert document.ledger().missing == 0
    for strategy in plugins.strategy_names():
        cutting = pipeline.cut(document, strategy)
        assert not [finding for finding in cutting.findings() if finding.severity is Severity.ERROR]
        assert not any(chunk.est_tokens > chunk.max_tokens for chunk in cutting.chunks)
        lines = [chunk.to_line() for chunk in cutting.chunks]
        assert lines == [chunk.to_line() for chunk in pipeline.cut(document, strategy).chunks]


def test_quality_is_not_below_its_floors() -> None:
    call = [sys.executable, "bench/quality.py", str(SHARED / "corpora" / "benchmarks"), "--floors", "bench/floors.json"]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = {row["set"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert figures["chunking_evaluation"]["intact"] >= 0.97
    assert figures["chunking_evaluation"]["IoU"] >= 0.063
    assert min(figures[name]["R@5"] for name in ("xquad.vi", "xquad.zh")) >= 0.96
