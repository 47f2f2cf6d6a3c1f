"""Sheets to one HTML file that needs nothing else: pictures, style and script stand inside it."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files

from jinja2 import DictLoader, Environment, StrictUndefined

from pecia.model import Chunk, Document, Finding, Page, Segment
from pecia.showing.colours import Colouring, proven
from pecia.showing.drawing import FURNITURE, LETTERS, letter_of, tag_of
from pecia.showing.layout import MOST_BLOCKS, sheets_of

MOST_FINDINGS = 100

# HTML cannot hold a null and most other control characters do not show: each is shown as its picture.
_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {0x7F: 0x2421}


def render(
    document: Document,
    *,
    pages: Sequence[int] = (),
    picture: Callable[[Page], bytes | None] = lambda page: None,
    chunks: Sequence[Chunk] | None = None,
    left_out: Sequence[Segment] = (),
    findings: Sequence[Finding] = (),
) -> Iterator[str]:
    """One HTML file in parts. `pages` are indexes from 0, `picture` gives a page's PNG, or None where there is none.

    With `chunks` text and boxes are coloured by chunk. UsageError where a chunk is not of this text. The same values
    give the same bytes; the file asks nothing of any network, and nothing in the document can act as markup.
    """
    colouring = None if chunks is None else Colouring(proven(document, chunks), left_out)
    style, script = _resource("page.css"), _resource("page.js")
    kinds = Counter(block.kind for block in document.blocks)
    return (
        _environment()
        .get_template("page")
        .generate(
            document=document,
            sheets=sheets_of(document, pages, colouring),
            shown=len(pages),
            picture=lambda page: _data_uri(picture(page)),
            chunks=None if colouring is None else colouring.chunks,
            findings=findings,
            most_findings=MOST_FINDINGS,
            most_blocks=MOST_BLOCKS,
            missing=document.ledger().missing,
            kinds=[(LETTERS[kind], kind.value, kinds[kind]) for kind in LETTERS if kinds[kind]],
            letter_of=letter_of,
            tag_of=tag_of,
            furniture_letter=FURNITURE,
            style=style,
            script=script,
            policy=f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}",
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=DictLoader({"page": _resource("page.html")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = lambda text: text.translate(_CONTROLS)
    environment.filters["pt"] = lambda number: f"{number:.2f}".rstrip("0").rstrip(".")
    return environment


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _data_uri(png: bytes | None) -> str | None:
    return None if png is None else f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _hash(text: str) -> str:
    """What a content security policy calls an inline style or script that may stand."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
