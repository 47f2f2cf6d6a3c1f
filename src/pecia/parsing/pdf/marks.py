"""How a line begins and ends: list markers, captions, numbers of headings, script of its characters. Words are data."""

from __future__ import annotations

import re
import unicodedata

BULLETS = "•●⚫○◦▪▫■□◆◇➢➤►▸‣⁃∙·✓✔⦁❖\uf0b7\uf0a7\uf0d8\uf0fc"
CAPTION_WORDS = (
    "table", "figure", "fig", "chart", "exhibit", "plate", "scheme", "box", "algorithm", "listing",
    "bảng", "hình", "biểu đồ", "sơ đồ", "tabelle", "abbildung", "abb", "tableau", "tabla", "tabela", "figura",
    "tabel", "figuur", "afbeelding", "grafiek", "gráfico", "рисунок", "рис", "таблица", "map", "photo", "graph", "ảnh", "bản đồ",
    "schaubild", "đồ thị", "diagram",
)  # fmt: skip
CAPTION_SIGNS = "表圖图図"
FIGURE_WORDS = (
    "figure", "fig", "chart", "plate", "scheme", "diagram", "map", "photo", "graph", "illustration",
    "hình", "biểu đồ", "sơ đồ", "ảnh", "bản đồ", "đồ thị", "abbildung", "abb", "schaubild", "figura", "graphique", "carte",
    "figuur", "afbeelding", "grafiek", "kaart", "gráfico", "gráfica", "mapa", "рисунок", "рис", "圖", "图", "図",
)  # fmt: skip
CONTINUED = (
    "continued", "cont'd", "cont’d", "cont.", "tiếp theo", "tiếp", "續", "续", "suite", "fortsetzung", "forts", "vervolg",
    "continuación", "continuação", "продолжение",
)  # fmt: skip
TABLE_WORDS = ("table", "exhibit", "box", "bảng", "tabelle", "tab", "tableau", "tabla", "tabela", "tabel", "таблица", "表")

# A capital and a full stop is an initial more often than a marker.
_MARKER = re.compile(
    rf"(?:[{BULLETS}]\s*|[-–—*]\s+|\(?(?:\d{{1,3}}|[a-z]|[ivxIVX]{{2,5}})[.)]\s+|\(?[A-Z]\)\s+|\d{{1,2}}[、．]|\([一二三四五六七八九十]+\)"
    r"|[一二三四五六七八九十]+、|\[\d{1,3}\]\s+)(?=\S)"
)
_CAPTION = re.compile(
    rf"(?:(?:{'|'.join(CAPTION_WORDS)})\.?\s*|[{CAPTION_SIGNS}]\s*)"
    r"(?P<number>[A-Z]?\d{1,3}(?:[.-]\d{1,3})*[a-z]?|[IVX]{1,5}|[一二三四五六七八九十]{1,3})(?P<end>\s*[.:：︰–—]|\s*$)?",
    re.IGNORECASE,
)
_FIGURE_CAPTION = re.compile(
    rf"(?:{'|'.join(FIGURE_WORDS)})\.?\s*(?P<number>[A-Z]?\d{{1,3}}(?:[.-]\d{{1,3}})*[a-z]?|[IVX]{{1,5}}|[一二三四五六七八九十]{{1,3}})"
    r"(?P<end>\s*[.:：︰–—]|\s*$|\s*\()?",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"((?:{'|'.join(TABLE_WORDS)})\.?\s*(?:[A-Z]?\d{{1,3}}(?:[.-]\d{{1,3}})*[a-z]?|[A-Z]|[IVX]{{1,5}}|[一二三四五六七八九十]{{1,3}}))(?:\W|$)",
    re.IGNORECASE,
)
_CONTINUED = re.compile(rf"(?:\W|^)(?:{'|'.join(map(re.escape, CONTINUED))})", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])")
_LEADERS = re.compile(r"(?:[.·…‥]\s?){4,}")
_NOTE_MARK = re.compile(r"\d{1,3}|[a-z*†‡§¶]|[*†‡§¶]{2}")
_NOTE = re.compile(r"[¹²³⁰⁴-⁹*†‡§¶]")
_CLOSED = re.compile(r"[.!?:;。！？：；…][\"'”’»)\]）】」』〕]*$")
_WIDE = re.compile(
    "[\u2e80-\u2fdf\u3000-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
    "\U00020000-\U0003ffff]"
)


def is_wide(char: str) -> bool:
    """Han, kana and their punctuation: scripts that put no space between words. Hangul does."""
    return _WIDE.match(char) is not None


def first_wide(text: str) -> int:
    """Where the first such character stands, or the length of the text."""
    match = _WIDE.search(text)
    return match.start() if match else len(text)


def starts_item(text: str) -> bool:
    return _MARKER.match(text) is not None


def is_item_mark(word: str) -> bool:
    """A word that marks a list item, where text follows it."""
    return len(word) <= 6 and _MARKER.match(f"{word} x") is not None


def is_note_mark(text: str) -> bool:
    """A word that may be the mark of a note, once it is seen to be raised."""
    return _NOTE_MARK.fullmatch(text) is not None


def starts_note(text: str) -> bool:
    return _NOTE.match(text) is not None


def is_caption(text: str, *, set_apart: bool = False) -> bool:
    """A caption: its word and number, then a stop or nothing; `set_apart` in type, the stop may be missing."""
    match = _CAPTION.match(text)
    return match is not None and (match["end"] is not None or set_apart)


def is_table_caption(text: str) -> bool:
    """Beside a table: its word and number; no stop is asked for."""
    return _LABEL.match(text) is not None


def continued_label(text: str) -> str:
    """`table 2` of a caption that says that the table goes on, as `Table 2 (continued)`; else empty."""
    match = _LABEL.match(text)
    return table_label(text) if match and _CONTINUED.search(text, match.end(1)) else ""


def table_label(text: str) -> str:
    """The word and number of a caption of a table, in lower case without white space; else empty."""
    match = _LABEL.match(text)
    return "".join(match[1].casefold().split()) if match else ""


def is_figure_caption(text: str, *, set_apart: bool = False) -> bool:
    """Beside a picture: its word and number, then a stop or nothing; `set_apart` in type, the stop may be missing."""
    match = _FIGURE_CAPTION.match(text)
    return match is not None and (match["end"] is not None or set_apart)


def may_open_table(word: str) -> bool:
    """Whether a line with this first word may be the caption of a table: asked of every line, so it must be cheap."""
    word = word if word.isascii() else unicodedata.normalize("NFC", word)
    return word.lower().startswith(TABLE_WORDS)


def number_depth(text: str) -> int:
    """How many parts the number before a title has: 2 for `4.2 Title`, 0 without one."""
    match = _NUMBERED.match(text)
    return match["number"].count(".") + 1 if match else 0


def has_leaders(text: str) -> bool:
    """Dots that lead the eye to a page number: a line of a table of contents."""
    return _LEADERS.search(text) is not None


def ends_in_hyphen(text: str) -> bool:
    """A hyphen after a letter: the word goes on."""
    return text[-1:] in ("-", "\u2010") and text[-2:-1].isalpha()


def is_closed(text: str) -> bool:
    """The line ends as a sentence or clause does, so that the next one may begin something new."""
    return _CLOSED.search(text.rstrip()) is not None
