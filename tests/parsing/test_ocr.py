"""Scans that the tests make themselves, read back; what no engine is needed for stands in test_text_layers.py."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from math import cos, hypot, radians, sin
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from pecia import pipeline
from pecia.errors import MissingExtraError, OptionError
from pecia.model import OCR_FONT, Box, Document, Page, PageBox
from pecia.parsing.ocr import engines, rapid, raster, scans, straight, tesseract
from pecia.parsing.ocr.lines import Piece, Reader, ReadingError, TextLine
from pecia.parsing.ocr.scans import Scans
from pecia.parsing.pdf.frame import Frame
from pecia.parsing.pdf.reader import parse_pdf
from pecia.settings import settings
from tests.parsing.pdf_maker import source_of

needs_rapid = pytest.mark.skipif(rapid.models() is None, reason="the extra `ocr` (rapidocr, onnxruntime) is not installed")
needs_vietnamese = pytest.mark.skipif(
    not {"vie", "eng"} <= tesseract.languages() or rapid.models() is None,
    reason="the extra `ocr` or Tesseract with vie and eng is not installed (apt-get install tesseract-ocr tesseract-ocr-vie)",
)
TIDE = (
    "The harbour board met on 3 May and heard the report",
    "of the engineer. The new quay is 240 metres long, and",
    "the dredger has taken away 18,500 tonnes of mud.",
    "Two pilots asked for a second light on the mole.",
)
HAN = (
    "為配合首批居民入伙，防洪閘會優先在第三區施工。",
    "工程團隊已與村代表會面十次，並修訂了走線。",
    "如水位超出警戒水平，承建商必須即時停工。",
)


@cache
def han_font() -> str:
    """A font that the file does not bring along: pdfium draws it with one of the system, where there is one."""
    pdfmetrics.registerFont(UnicodeCIDFont("MSung-Light"))
    return "MSung-Light"


def printed(lines: tuple[str, ...], font: str = "Times-Roman", size: float = 13) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(420, 595), invariant=1)
    for number, line in enumerate(lines):
        canvas.setFont(font, size)
        canvas.drawString(50, 520 - number * 1.6 * size, line)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def scanned(pdf: bytes, skew: float = 0.0, turns: int = 0, noise: float = 8.0, dpi: int = 200) -> bytes:
    """The pages as pictures, turned clockwise by `skew` degrees, then by quarter turns, with noise, as JPEG in a PDF."""
    out, noises = io.BytesIO(), np.random.default_rng(7)
    document = pypdfium2.PdfDocument(pdf)
    canvas = Canvas(out, invariant=1)
    for page in document:
        width, height = page.get_size()
        image = page.render(scale=dpi / 72).to_pil().convert("L")
        image = image.rotate(-skew, resample=Image.Resampling.BICUBIC, fillcolor=255).rotate(-90 * turns, expand=True)
        grey = np.asarray(image, dtype=np.float64) * 0.93
        speckled = np.clip(grey + noises.normal(0, noise, grey.shape), 0, 255).astype(np.uint8)
        packed = io.BytesIO()
        Image.fromarray(speckled).save(packed, "JPEG", quality=80)
        packed.seek(0)
        size = (height, width) if turns % 2 else (width, height)
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(packed), 0, 0, *size)
        canvas.showPage()
        page.close()
    document.close()
    canvas.save()
    return out.getvalue()


def read(data: bytes, mode: str = "auto", language: str = "auto", by: engines.Engines | None = None) -> Document:
    document = parse_pdf(data, source_of(data), scans=Scans(mode, language, engines=by))
    assert document.ledger().missing == 0
    return document


def recall(expected: str, found: str) -> float:
    one, two = (Counter("".join(text.split())) for text in (expected, found))
    return (one & two).total() / one.total()


def codes(document: Document) -> list[str]:
    return [finding.rule for finding in document.findings]


# --- what needs no engine


def test_the_angle_of_a_page_is_measured() -> None:
    for skew in (0.0, 1.5, -2.3):
        for turns in (0, 1):
            pdf = pypdfium2.PdfDocument(scanned(printed(TIDE * 5), skew, turns))
            page = pdf[0]
            image, _ = raster.pixels(page, Frame.of(page), 100)
            found, sideways = straight.skew_of(image)
            assert abs(found - skew) <= 0.15
            assert sideways is bool(turns)
            page.close()
            pdf.close()


def test_a_page_is_drawn_where_a_viewer_draws_it() -> None:
    for size in ((420, 595), (419.53, 595.28)):
        out = io.BytesIO()
        canvas = Canvas(out, pagesize=size, invariant=1)
        canvas.rect(300, 100, 60, 40, fill=1)
        canvas.showPage()
        canvas.save()
        pdf = pypdfium2.PdfDocument(out.getvalue())
        page = pdf[0]
        image, placing = raster.pixels(page, Frame.of(page), 144)
        ys, xs = np.nonzero(image < 128)
        box = (300, size[1] - 140, 360, size[1] - 100)
        for seen, edge in zip((xs.min(), ys.min(), xs.max() + 1, ys.max() + 1), box, strict=True):
            assert abs(seen / placing.scale - edge) <= 1
        page.close()
        pdf.close()


def test_white_paper_has_no_ink_and_dark_paper_has_light_ink() -> None:
    white = np.full((300, 300), 240, dtype=np.uint8)
    assert not straight.ink(white).any()
    dark = np.full((300, 300), 30, dtype=np.uint8)
    dark[100:110, 50:250] = 230
    assert straight.ink(dark)[105, 100]
    assert not straight.ink(dark)[200, 100]
    assert straight.skew_of(white) == (0.0, False)


class Fixed:
    """A reader that finds the same lines wherever the page lies, surer of them where it lies in one way."""

    name, dpi = "fixed", 72

    def __init__(self, lines: list[TextLine], upright: int = 0) -> None:
        self.lines, self.upright, self.calls = lines, upright, 0

    def __call__(self, image: np.ndarray) -> list[TextLine]:
        self.calls += 1
        sure = 0.95 if self.calls - 1 == self.upright else 0.55
        return [TextLine(line.pieces, line.y0, line.y1, line.base, line.size, min(sure, line.confidence)) for line in self.lines]


def line(text: str, y: float, x: float = 40, size: float = 12, sure: float = 0.95) -> TextLine:
    pieces, at = [], x
    for word in text.split():
        pieces.append(Piece(word, at, at + 6 * len(word)))
        at += 6 * len(word) + 4
    return TextLine(tuple(pieces), y - 0.9 * size, y + 0.25 * size, y, size, sure)


class Only(engines.Engines):
    """One reader for every language."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.only = reader

    def reader(self, language: str) -> Reader | None:
        return self.only

    def installed(self) -> bool:
        return True


def test_lines_become_paragraphs_with_boxes_and_confidence() -> None:
    sizes = [11.2, 12.7, 12.1, 11.8]
    lines = [line(text, 100 + 16 * at, size=size) for at, (text, size) in enumerate(zip(TIDE, sizes, strict=True))]
    document = read(scanned(printed(TIDE)), by=Only(Fixed([*lines, line("smudge", 400, sure=0.2)])))
    assert " ".join(document.text.split()) == " ".join(TIDE)
    assert document.blocks[0].lines[1].span.of(document.text).strip() == TIDE[1]
    assert {held.size for block in document.blocks for held in block.lines[:4]} == {12.1}
    assert {held.font for block in document.blocks for held in block.lines} == {OCR_FONT}
    assert codes(document) == ["OCR102"]
    first = document.blocks[0].lines[0]
    assert len(first.edges) == len(first.span.of(document.text))
    assert list(first.edges) == sorted(first.edges)


def test_the_way_up_is_the_one_that_reads_best() -> None:
    for upright, turns in ((0, 0), (1, 2)):
        reader = Fixed([line(text, 100 + 16 * at) for at, text in enumerate(TIDE)], upright)
        document = read(scanned(printed(TIDE * 3)), by=Only(reader))
        assert reader.calls == upright + 1
        box = document.blocks[0].lines[0].bbox
        page = document.pages[0]
        expected = (40, 100) if not turns else (page.width - 40, page.height - 100)
        assert hypot((box.x0 if not turns else box.x1) - expected[0], (box.y1 if not turns else box.y0) - expected[1]) < 6


def test_an_engine_that_fails_is_a_finding() -> None:
    class Failing(Fixed):
        def __call__(self, image: np.ndarray) -> list[TextLine]:
            raise ReadingError("it took too long")

    document = read(scanned(printed(TIDE)), by=Only(Failing([])))
    assert document.text == ""
    assert codes(document) == ["OCR101"]
    assert "PDF page 1 of 1: not read; it took too long" in document.findings[0].message


def test_a_page_beyond_the_time_of_its_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1e9])
    monkeypatch.setattr(scans, "monotonic", lambda: next(clock))
    document = read(scanned(printed(TIDE)), by=Only(Fixed([line(text, 100 + 16 * at) for at, text in enumerate(TIDE)])))
    assert document.text == ""
    assert "PDF page 1 of 1: not read; the time for this file was spent" in document.findings[0].message


def test_doubtful_pages_are_named_and_a_photograph_is_not_text() -> None:
    class Unsure(Fixed):
        def __call__(self, image: np.ndarray) -> list[TextLine]:
            return self.lines

    document = read(
        scanned(printed(TIDE)), by=Only(Unsure([line(text, 100 + 16 * at, sure=0.7) for at, text in enumerate(TIDE)]))
    )
    assert codes(document) == ["OCR102", "OCR103"]
    assert "0.70" in document.findings[1].message
    assert read(scanned(printed(TIDE)), by=Only(Unsure([line("4", 100, sure=0.6)]))).text == ""


def test_options_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="auto, off, force"):
        Scans("always")
    with pytest.raises(OptionError, match="zh, en, vi"):
        Scans("auto", "de")
    monkeypatch.setattr(rapid, "models", lambda: None)
    with pytest.raises(MissingExtraError, match="pecia\\[ocr\\]"):
        Scans("force")


def test_what_becomes_of_scans_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scan.pdf").write_bytes(scanned(printed(TIDE[:1])))
    monkeypatch.setenv("PECIA_OCR", "off")
    settings.cache_clear()
    try:
        document = pipeline.parse(tmp_path / "scan.pdf")
    finally:
        settings.cache_clear()
    assert "(ocr is off)" in document.findings[0].message


def test_languages_are_told_apart() -> None:
    assert engines.language_of("".join(HAN)) == "zh"
    assert engines.language_of(" ".join(TIDE)) == "en"
    assert engines.language_of("Nghị định này quy định về thuốc chữa bệnh cho người và trách nhiệm của cơ quan nhà nước") == "vi"
    # what RapidOCR leaves of Vietnamese
    assert (
        engines.language_of("khong 1,4% liu ca m tính theo th trng, Thưòng gp, Đieu tri trong nuoc, đưng thuc cho tre em") == "vi"
    )
    assert engines.language_of("12 May") == ""


# --- what needs an engine


@needs_rapid
@pytest.mark.parametrize(("skew", "turns"), [(0.0, 0), (1.5, 0), (-0.8, 1), (0.5, 2), (0.0, 3)])
def test_english_is_read_whichever_way_it_lies(skew: float, turns: int) -> None:
    lines = TIDE if turns == 2 else TIDE[:3]
    document = read(scanned(printed(lines), skew, turns))
    assert recall(" ".join(lines), document.text) >= 0.97
    assert codes(document) == ["OCR102"]
    page = document.pages[0]
    upright = (420.0, 595.0)
    held = [found for block in document.blocks for found in block.lines]
    for found in held[:2]:
        text = found.span.of(document.text).strip()
        number = next(at for at, expected in enumerate(lines) if expected[:12] in text)
        middle = 50 + 13 * 0.2, 595 - (520 - number * 1.6 * 13) - 4
        x, y = shown_at(middle, upright, skew, turns)
        assert near(found.bbox, x, y), (found.bbox, x, y, page)


def shown_at(point: tuple[float, float], size: tuple[float, float], skew: float, turns: int) -> tuple[float, float]:
    """Where a point of the printed page is on its scan."""
    angle, (x, y), (width, height) = radians(skew), point, size
    dx, dy = x - width / 2, y - height / 2
    x, y = width / 2 + dx * cos(angle) - dy * sin(angle), height / 2 + dx * sin(angle) + dy * cos(angle)
    for _ in range(turns):
        x, y, width, height = height - y, x, height, width
    return x, y


def near(box: Box, x: float, y: float, by: float = 5) -> bool:
    return box.x0 - by <= x <= box.x1 + by and box.y0 - by <= y <= box.y1 + by


@needs_rapid
def test_traditional_chinese_is_read() -> None:
    data = printed(HAN, han_font(), 15)
    document = read(scanned(data, 0.7))
    if recall("".join(HAN), document.text) < 0.5:
        pytest.skip("no font of the system has Traditional Chinese: boxes are drawn instead")
    assert recall("".join(HAN), document.text) >= 0.95


@needs_rapid
def test_a_garbled_layer_is_replaced_and_a_right_one_kept() -> None:
    kept = printed(TIDE)
    assert codes(read(kept)) == []
    forced = read(kept, "force")
    assert codes(forced) == ["OCR102"]
    assert recall(" ".join(TIDE), forced.text) >= 0.97
    assert sum(item.size for item in forced.dropped) >= sum(len("".join(text.split())) for text in TIDE)


@needs_rapid
def test_the_same_scan_gives_the_same_document() -> None:
    data = scanned(printed(TIDE[:2]), 0.5)
    assert read(data).to_json() == read(data).to_json()


@needs_rapid
def test_boxes_stay_on_the_page() -> None:
    document = read(scanned(printed(TIDE * 6), 3.0))
    page: Page = document.pages[0]
    for block in document.blocks:
        for place in block.locate(block.span):
            assert isinstance(place, PageBox)
            assert 0 <= place.bbox.x0 <= place.bbox.x1 <= page.width
            assert 0 <= place.bbox.y0 <= place.bbox.y1 <= page.height


@needs_rapid
@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not there to take the network away")
def test_nothing_is_fetched() -> None:
    program = (
        "import numpy as np\nfrom pecia.parsing.ocr.rapid import RapidReader\n"
        "assert RapidReader()(np.full((400, 400), 255, dtype=np.uint8)) == []\nprint('read')"
    )
    alone = ["unshare", "--net", "--map-root-user", sys.executable, "-c", program]
    done = subprocess.run(alone, capture_output=True, text=True)
    if "unshare" in done.stderr:
        pytest.skip(f"the network cannot be taken away here: {done.stderr.strip()}")
    assert done.stdout == "read\n", done.stderr


@needs_vietnamese
def test_vietnamese_is_read_with_its_accents() -> None:
    lines = vietnamese_lines()
    document = read(scanned(pdf_of_image(lines), 1.5))
    found = " ".join(document.text.split())
    assert recall(" ".join(lines), found) >= 0.95
    assert "vie" in document.findings[0].message
    (only,) = [finding for finding in document.findings if finding.rule == "OCR102"]
    assert "Tesseract" in only.message


@needs_rapid
def test_vietnamese_is_not_read_without_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract, "languages", frozenset)
    document = read(scanned(pdf_of_image(vietnamese_lines())))
    assert document.text == ""
    assert codes(document) == ["OCR101"]
    assert "tesseract-ocr-vie" in document.findings[0].message


def vietnamese_lines() -> tuple[str, ...]:
    return (
        "Nghị định này quy định về thuốc chữa bệnh cho người",
        "và trách nhiệm của cơ quan nhà nước, tổ chức, cá nhân.",
        "Người bệnh được đưa thuốc từ năm 1996, thường gặp ở trẻ.",
        "Không dùng quá liều; ưu tiên tư vấn lâu dài.",
    )


def pdf_of_image(lines: tuple[str, ...]) -> bytes:
    """A page of Vietnamese in the fonts that Pillow or the system has; the test is skipped where none does."""
    from PIL import ImageDraw, ImageFont

    for name in ("DejaVuSerif.ttf", "DejaVuSans.ttf", "LiberationSerif-Regular.ttf", "NotoSans-Regular.ttf", "Arial.ttf"):
        try:
            font = ImageFont.truetype(name, 36)
            break
        except OSError:
            continue
    else:
        pytest.skip("no font with Vietnamese is installed")
    image = Image.new("L", (1240, 1650), 255)
    pen = ImageDraw.Draw(image)
    for number, text in enumerate(lines):
        pen.text((120, 200 + 64 * number), text, fill=0, font=font)
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(446, 594), invariant=1)
    canvas.drawImage(ImageReader(image), 0, 0, 446, 594)
    canvas.showPage()
    canvas.save()
    return out.getvalue()
