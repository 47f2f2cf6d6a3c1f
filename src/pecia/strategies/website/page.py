"""A web page as its parser read it: what it says of itself, which parts are not its content, and where its blocks stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from urllib.parse import urljoin, urlsplit

from pecia.model import Document, Furniture, LeftOut, LineRange, Locator, XPath
from pecia.text.languages import language_code, language_of

# The kinds of `pecia.parsing.html`.
PARTS = {
    "navigation": LeftOut.NAVIGATION,
    "search": LeftOut.NAVIGATION,
    "header": LeftOut.NAVIGATION,
    "footer": LeftOut.BOILERPLATE,
    "sidebar": LeftOut.BOILERPLATE,
    "cookie_notice": LeftOut.BOILERPLATE,
    "archive_toolbar": LeftOut.BOILERPLATE,
    "promotion": LeftOut.BOILERPLATE,
}
_ADDRESSES = ("canonical", "saved_from", "og:url")
# Before the address of a page in a web archive: `https://web.archive.org/web/20190412083015id_/`.
_ARCHIVED = re.compile(r"https?://[\w.-]+/(?:[\w-]+/)?\d{14}(?:[a-z]{2}_)?/(?=https?:)", re.ASCII)
_SECTION = re.compile(r"/(?:main|section|article)(?:\[\d+\])?(?=/)")


@dataclass(frozen=True, slots=True)
class Page:
    """`languages` and `parts` are by XPath, outermost first; `images` are their XPaths with their lines."""

    title: str
    source_url: str | None
    language: str | None
    languages: tuple[tuple[str, str], ...]
    parts: dict[str, str]
    images: tuple[tuple[str, int | None], ...]

    def part_of(self, xpath: str) -> str | None:
        """The kind of part that an element stands in; None for content."""
        if not self.parts:
            return None
        for size in sorted({len(place) for place in self.parts if len(place) <= len(xpath)}):
            if xpath[:size] in self.parts and xpath[size : size + 1] in {"", "/"}:
                return self.parts[xpath[:size]]
        return None

    def language_of(self, xpath: str) -> str | None:
        """The language that the innermost element around says; else that of the page."""
        inner = [language for place, language in self.languages if is_under(xpath, place)]
        return inner[-1] if inner else self.language


def is_under(xpath: str, above: str) -> bool:
    """True for an element and what stands in it."""
    return xpath == above or xpath.startswith(f"{above}/")


def place_of(places: Sequence[Locator]) -> str:
    """The XPath among places; "" where there is none."""
    return next((place.xpath for place in places if isinstance(place, XPath)), "")


def line_of(places: Sequence[Locator]) -> int | None:
    return next((place.line_start for place in places if isinstance(place, LineRange)), None)


def common_element(paths: Sequence[str]) -> str:
    """The XPath of the smallest element that holds all of these."""
    steps = [path.split("/") for path in set(paths)]
    pairs = zip(min(steps), max(steps), strict=False)
    return "/".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def tag_of(xpath: str) -> str | None:
    """The name of the element that an XPath leads to."""
    return xpath.rpartition("/")[2].partition("[")[0] or None


def scope_of(xpath: str) -> str:
    """The innermost section, article or main part that an element stands in; "" for the whole page."""
    found = list(_SECTION.finditer(xpath))
    return xpath[: found[-1].end()] if found else ""


def read_page(document: Document, source_url: str | None) -> Page:
    """What the page says of itself; `source_url` stands in where it does not say where it was saved from."""
    said: dict[str, Furniture] = {}
    for item in document.furniture:
        said.setdefault(item.kind, item)
    stated = (language_code(said[kind].text) for kind in ("content-language", "og:locale") if kind in said)
    language = next(filter(None, stated), None)
    languages = tuple(
        (place_of(item.locators), code)
        for item in document.furniture
        if item.kind == "language" and (code := language_code(item.text))
    )
    if not any(place in {"/html", "/html/body"} for place, _ in languages):
        language = language or language_of(document.text)
    return Page(
        said["title"].text if "title" in said else "",
        _address([said[kind].text for kind in _ADDRESSES if kind in said]) or source_url,
        language,
        languages,
        {place: item.kind for item in document.furniture if item.kind in PARTS and (place := place_of(item.locators))},
        tuple((place_of(item.locators), line_of(item.locators)) for item in document.furniture if item.kind == "image"),
    )


def _address(said: Sequence[str]) -> str | None:
    """The first address, which is joined to the next full one where it is relative; None where none is full."""
    said = [_ARCHIVED.sub("", address) for address in said]
    full = next(filter(_is_full, said), None)
    return urljoin(full, said[0]) if full else None


def _is_full(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in {"http", "https", "file"} and bool(parts.netloc or parts.path)
