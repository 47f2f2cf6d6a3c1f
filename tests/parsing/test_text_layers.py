"""Text layers that cannot be believed, and letters of fonts from before Unicode; no engine is needed for any of it."""

from __future__ import annotations

import io

import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pecia.model import Document, Severity
from pecia.parsing import encodings
from pecia.parsing.ocr import alphabets, rapid, tesseract
from pecia.parsing.ocr.findings import CODES
from pecia.parsing.ocr.scans import Scans
from pecia.parsing.pdf.findings import pages
from pecia.parsing.pdf.reader import parse_pdf
from tests.parsing.pdf_maker import Paper, source_of, typed

DECREE = (
    "Điều 1. Phạm vi điều chỉnh của nghị định này",
    "Nghị định này quy định về thuốc chữa bệnh cho người và trách nhiệm",
    "của cơ quan nhà nước, tổ chức, cá nhân trong nước - ngoài nước như",
    "vậy. Người bệnh đưa thuốc từ năm 1996 - 1998, thường gặp ở trẻ em.",
    "Không dùng quá liều, nhất là vi-rút và i-ốt; ưu tiên tư vấn lâu dài à",
)


def parsed(data: bytes, mode: str = "off") -> Document:
    document = parse_pdf(data, source_of(data), scans=Scans(mode))
    assert document.ledger().missing == 0
    return document


def codes(document: Document) -> list[str]:
    return [finding.rule for finding in document.findings]


def words(text: str) -> str:
    return " ".join(text.split())


def in_tcvn3(line: str) -> bytes:
    (encoding,) = (item for item in encodings.ENCODINGS if item.name == "tcvn3")
    back = {}
    for code in range(0x80, 0x100):
        try:
            back[encoding.read(bytes((code,)))] = code
        except UnicodeDecodeError:
            continue
    return bytes(back.get(char, ord(char) if ord(char) < 128 else 63) for char in line)


def in_vni(line: str) -> bytes:
    back: dict[str, str] = {}
    for old, new in alphabets._vni().items():
        back.setdefault(new, old)
    return "".join(back.get(char, char) for char in line).encode("cp1252")


@pytest.mark.parametrize("font", [".VnTime", "ABCDEF+.VnArial,Bold"])
def test_tcvn3_in_its_font_is_given_back(font: str) -> None:
    document = parsed(typed(font, [in_tcvn3(line) for line in DECREE]))
    assert words(document.text) == words(" ".join(DECREE))  # hyphens too: byte 0xAD is one in WinAnsi and ư in the font
    assert codes(document) == ["OCR202"]
    assert "PDF page 1" in document.findings[0].message


def test_a_font_of_capitals_shows_capitals() -> None:
    document = parsed(typed(".VnTimeH", [in_tcvn3(line.lower()) for line in DECREE]))
    assert words(document.text) == words(" ".join(DECREE)).upper()


def test_vni_in_its_font_is_given_back() -> None:
    document = parsed(typed("VNI-Times", [in_vni(line) for line in DECREE]))
    assert words(document.text) == words(" ".join(DECREE))
    assert codes(document) == ["OCR202"]
    block = document.blocks[0]
    assert len(block.lines[0].edges) == len(block.lines[0].span.of(document.text))


def test_tcvn3_in_another_font_is_a_finding_and_stays() -> None:
    document = parsed(typed("Times", [in_tcvn3(line) for line in DECREE]))
    assert codes(document) == ["OCR203"]
    assert "nghÞ ®Þnh" in document.text


def test_unicode_and_french_in_a_font_with_an_old_name_stay() -> None:
    document = parsed(
        typed(".VnTime", ["Le café de la gare où l’été fut très agréable, près du château fêté".encode("cp1252")] * 3)
    )
    assert "où l’été fut très agréable" in document.text
    assert codes(document) == ["OCR203"]


def test_utf8_read_as_cp1252_is_given_back() -> None:
    lines = ["Le café près du château était fermé, très fâché", "L’hôtel sûr : une forêt, la fenêtre, le goût"]
    document = parsed(typed("Helvetica", [line.encode() for line in lines]))
    assert words(document.text) == words(" ".join(lines))
    assert codes(document) == ["OCR202"]


def test_some_sequences_amid_right_letters_are_a_finding() -> None:
    lines = ["Le café près du château fêté où l’été".encode("cp1252"), "un café, très bon".encode()]
    document = parsed(typed("Helvetica", lines))
    assert "cafÃ©" in document.text
    assert codes(document) == ["OCR203"]


def test_plain_languages_have_no_finding() -> None:
    lines = ["Ça suffit : où est l’hôtel ? Größe, Übergang, straße", "El niño señaló más allá; coração, São Tomé, às vezes"]
    assert codes(parsed(typed("Helvetica", [line.encode("cp1252") for line in lines] * 9))) == []


def shifted(text: str) -> bytes:
    """As a font without a table of its characters gives it: each 29 places too low."""
    return bytes(ord(char) - 29 for char in text if ord(char) > 60 or char == " ")


def test_a_layer_that_is_no_language_is_named() -> None:
    text = "Officers have checked the files and found some cases with incomplete records of the plot"
    data = typed("Helvetica", [shifted(text.replace(" ", "")[:40]), *[shifted(word) for word in text.split()] * 4])
    document = parsed(data)
    assert codes(document) == ["OCR201"]
    assert "PDF page 1" in document.findings[0].message


def test_codes_formulas_and_figures_are_no_garble() -> None:
    paper = Paper()
    y = 40.0
    for number in range(40):
        paper.text(40, y, f"AB-{number:04d}-XZQ 12.5 kg {number}.00 EUR E{number}F x = y + {number}")
        y += 12
    assert codes(parsed(paper.bytes())) == []


def pictured(draw: bool = True, over: str = "", mode: int = 0, count: int = 1) -> bytes:
    """Pages that a picture covers: of lines of type, or plain paper."""
    from PIL import Image, ImageDraw

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(400, 600), invariant=1)
    for _ in range(count):
        image = Image.new("L", (800, 1200), 245)
        if draw:
            pen = ImageDraw.Draw(image)
            for y in range(100, 1000, 40):
                pen.text((100, y), "The tide went out over the flat sand and came back before dark", fill=20, font_size=18)
        canvas.drawImage(ImageReader(image), 0, 0, 400, 600)
        if over:
            piece = canvas.beginText(40, 560)
            piece.setFont("Helvetica", 10)
            piece.setTextRenderMode(mode)
            piece.textOut(over)
            canvas.drawText(piece)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_a_scan_is_named_where_no_engine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rapid, "models", lambda: None)
    monkeypatch.setattr(tesseract, "languages", frozenset)
    document = parsed(pictured(count=3), "auto")
    (finding,) = document.findings
    assert finding.rule == "OCR101"
    assert finding.severity is Severity.WARNING
    for part in ("PDF pages 1–3 of 3", 'pip install "pecia[ocr]"', "tesseract-ocr-vie"):
        assert part in finding.message
    assert "pip install" not in parsed(pictured(), "off").findings[0].message


def test_empty_paper_and_a_scanner_s_own_layer_need_no_engine() -> None:
    assert codes(parsed(pictured(draw=False))) == []
    assert codes(parsed(pictured(over="The tide went out over the flat sand", mode=3))) == []
    assert codes(parsed(pictured(draw=False, over="A title on a picture"))) == []


def test_a_stamp_on_a_scan_is_no_layer() -> None:
    document = parsed(pictured(over="Downloaded 3 May"))
    assert codes(document) == ["OCR101"]
    assert document.text == "Downloaded 3 May"


def test_page_numbers_are_written_as_people_do() -> None:
    assert pages([4]) == "PDF page 5"
    assert pages([8, 2, 3, 4, 4]) == "PDF pages 3–5, 9"
    assert pages([0, 1]) == "PDF pages 1, 2"
    assert all("Why: " in text and "Example: " in text for _, text in CODES.values())
