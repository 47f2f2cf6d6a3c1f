"""Small DOCX packages for the tests, written as raw XML so that each oddity is there on purpose."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import escape

from pecia.model import Document, Source
from pecia.parsing.docx.reader import parse_docx
from pecia.protocols import ParseOptions

SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_KINDS = {"header": "hdr", "footer": "ftr"}
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = """
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Kop1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Kop2"><w:name w:val="heading 2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Mijn"><w:name w:val="Mijn kop"/><w:basedOn w:val="Kop2"/></w:style>
<w:style w:type="paragraph" w:styleId="Geen"><w:name w:val="Geen kop"/><w:basedOn w:val="Kop2"/>
  <w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Bijschrift"><w:name w:val="caption"/></w:style>
<w:style w:type="character" w:styleId="Verborgen"><w:name w:val="Verborgen"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Rond"><w:name w:val="Rond"/><w:basedOn w:val="Ronder"/></w:style>
<w:style w:type="paragraph" w:styleId="Ronder"><w:name w:val="Ronder"/><w:basedOn w:val="Rond"/></w:style>
"""


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(*content: str, style: str = "", properties: str = "") -> str:
    """Content that does not begin with a tag is text."""
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    inside = "".join(item if item.startswith("<") else run(item) for item in content)
    return f"<w:p><w:pPr>{styled}{properties}</w:pPr>{inside}</w:p>"


def listed(text: str, number: int, level: int = 0, style: str = "") -> str:
    reference = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    return paragraph(text, style=style, properties=reference)


def cell(*content: str, properties: str = "") -> str:
    inside = "".join(item if item.startswith("<") else paragraph(item) for item in content or ("",))
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    inside = "".join(item if item.startswith("<w:tc>") else cell(item) for item in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inside}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"


def list_style(key: str) -> str:
    """A paragraph style that puts its paragraphs into list 1."""
    return f'''<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{key}"/>
    <w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'''


def level(index: int, text: str, number_format: str = "decimal", more: str = "") -> str:
    inside = f'<w:start w:val="1"/><w:numFmt w:val="{number_format}"/>{more}<w:lvlText w:val="{text}"/>'
    return f'<w:lvl w:ilvl="{index}">{inside}</w:lvl>'


def numbering(*lists: str, numbers: str = "") -> str:
    """One w:abstractNum and one w:num, with the same id from 1, for each string of levels; `numbers` are further w:num."""
    definitions = "".join(f'<w:abstractNum w:abstractNumId="{at}">{item}</w:abstractNum>' for at, item in enumerate(lists, 1))
    used = "".join(f'<w:num w:numId="{at}"><w:abstractNumId w:val="{at}"/></w:num>' for at in range(1, len(lists) + 1))
    return definitions + used + numbers


def docx(body: str, *, styles: str = STYLES, raw: Mapping[str, str] | None = None, **parts: str) -> bytes:
    """A package with this body and these parts (numbering, settings, footnotes, endnotes, comments, header, footer…).
    A part may be numbered (`header1`); `raw` replaces or adds whole entries."""
    entries = {"word/document.xml": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>"}
    relations = []
    for name, content in {"styles": styles, **parts}.items():
        kind = name.rstrip("0123456789")
        root = _KINDS.get(kind, kind)
        entries[f"word/{name}.xml"] = f"<w:{root} {SPACES}>{content}</w:{root}>"
        relations.append(f'<Relationship Id="{name}" Type="{RELATIONS}/{kind}" Target="{name}.xml"/>')
    entries["word/_rels/document.xml.rels"] = relationships(*relations)
    entries["_rels/.rels"] = relationships(
        f'<Relationship Id="main" Type="{RELATIONS}/officeDocument" Target="/word/document.xml"/>'
    )
    return packed({**entries, **(raw or {})})


def relationships(*items: str) -> str:
    """A relationships part."""
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(items)}</Relationships>'


def packed(entries: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in entries.items():
            package.writestr(name, content)
    return buffer.getvalue()


def parse(data: bytes) -> Document:
    """The document, after the checks that hold for every one: the ledger balances, each block has visible text."""
    source = Source("file:///test.docx", "test.docx", "application/docx", hashlib.sha256(data).hexdigest())
    (document,) = parse_docx(data, source, ParseOptions())
    assert document.ledger().missing == 0, document.ledger()
    assert all(block.span and block.span.trimmed(document.text) == block.span for block in document.blocks)
    assert document.pages == ()
    return document


def read(body: str, **parts: str) -> Document:
    return parse(docx(body, styles=STYLES, raw=None, **parts))


def shown(document: Document) -> list[str]:
    """The texts of the blocks."""
    return [block.span.of(document.text) for block in document.blocks]
