"""HTML to a document: characters by what the file declares where that is true, the tree of lxml.html, then one walk."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from pecia.errors import EncodingError, LimitError
from pecia.model import Document, Dropped, Finding, Severity, Source
from pecia.parsing.decode import Decoded, decode
from pecia.parsing.html.mhtml import saved_page
from pecia.parsing.html.walk import Walk
from pecia.parsing.xml import source_size
from pecia.protocols import ParseOptions

# Code, severity and text of each finding; `pecia explain` prints them.
CODES: dict[str, tuple[Severity, str]] = {
    "HTM101": (
        Severity.WARNING,
        """The file is in the encoding that it declares.

Why: a browser follows the declaration and shows other characters than pecia, which follows the bytes.
Example: a page saved as UTF-8 whose `meta` element still says windows-1252.""",
    ),
}
# A declaration stands in the first 1,024 bytes by the standard; saved pages have comments before it.
_HEAD = 4096
_DECLARED = re.compile(rb"""<meta[^>]{1,400}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_XML_DECLARED = re.compile(rb"""\A\s*<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE)
# The codecs for what browsers read (WHATWG Encoding Standard), and what stands under names that mean something wider.
_CODECS = frozenset(
    {
        "utf-8", "cp866", "cp874", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "gb18030", "big5hkscs", "cp932", "euc_jp",
        "iso2022_jp", "cp949", *(f"cp125{number}" for number in range(9)), *(f"iso8859-{number}" for number in range(2, 17)),
    }
)  # fmt: skip
_WIDER = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"), "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"), "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs",
}  # fmt: skip
_WITHOUT_MEANING = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))  # in cp1252


def parse_html(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document, whose places are XPaths in the tree that lxml.html makes of the file, and lines; of a page that was saved as
    a message of several parts, places in the page. LimitError for elements that are nested more than 2,048 deep."""
    saved = saved_page(data)
    decoded = characters(saved.page, saved.charset) if saved else characters(data)
    root = _root(decoded.text)
    if root is None:
        yield Document(source.sha256, source, "", findings=decoded.findings)
        return
    walk = Walk(root, saved.address if saved else "")
    walk.run()
    yield Document(
        source.sha256,
        source,
        walk.flow.text(),
        blocks=tuple(walk.flow.blocks),
        furniture=tuple(walk.furniture()),
        tables=tuple(walk.flow.tables),
        alignment=walk.flow.alignment(),
        source_size=source_size(root),
        dropped=tuple(Dropped(reason, size) for reason, size in sorted(walk.dropped.items())),
        findings=decoded.findings,
    )


def _root(text: str) -> etree._Element | None:
    # The size of a text or of the depth is no danger here: the walk is linear and does not recurse.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = etree.fromstring(text.encode(), parser) if text.strip() else None
    for error in parser.error_log:
        if error.type_name == "ERR_RESOURCE_LIMIT":
            raise LimitError("HTML beyond the limits: elements nested more than 2,048 deep")
    return root


def characters(data: bytes, declared: str = "") -> Decoded:
    """The characters of a page: Unicode where the bytes are, else as `declared` or the page says, else as any text.

    Bytes that are UTF-8 and not ASCII are UTF-8 whatever is declared: by chance hardly any other text is.
    """
    match = _DECLARED.search(data, 0, _HEAD) or _XML_DECLARED.search(data, 0, _HEAD)
    label = declared or (match[1].decode("ascii", "replace")[:40] if match else "")
    codec = _codec(label)
    if codec and codec != "utf-8" and not _is_unicode(data) and (text := _read(data, codec)) is not None:
        return Decoded(text, codec)
    found = decode(data)
    if not label or found.text.isascii() or found.encoding == codec:
        return found
    said = f"the page declares {label} and is read as {found.encoding}"
    return replace(found, findings=(Finding("HTM101", Severity.WARNING, said), *found.findings))


def _codec(label: str) -> str:
    try:
        name = codecs.lookup(label).name if label else ""
    except LookupError:
        return ""
    name = _WIDER.get(name, name)
    return name if name in _CODECS else ""


def _is_unicode(data: bytes) -> bool:
    if data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    try:
        return not data.decode("utf-8").isascii()
    except UnicodeDecodeError:
        return False


def _read(data: bytes, encoding: str) -> str | None:
    """The text in that encoding, or None where a byte does not fit; bytes of cp1252 that mean nothing are let pass."""
    try:
        text = (data.translate(None, _WITHOUT_MEANING) if encoding == "cp1252" else data).decode(encoding)
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        raise EncodingError(f"not text: NUL at character {text.index(chr(0))}")
    return text
