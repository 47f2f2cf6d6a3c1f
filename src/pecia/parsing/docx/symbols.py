"""Characters of symbol fonts as the Unicode characters that they look like.

Symbol follows Adobe's encoding; of Wingdings and its kin, the signs that are read as words: ticks, crosses, boxes,
arrows, numbers in circles, bullets. What is not here is reported as dropped and stands as U+FFFD.
"""

from __future__ import annotations

from collections.abc import Mapping

UNKNOWN = "\ufffd"
_SYMBOL = dict(
    zip(
        (*range(0x20, 0x7F), *range(0xA0, 0xFF)),
        " !∀#∃%&∍()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)
_WINGDINGS = {
    0x20: " ", 0x21: "✏", 0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x36: "⌛", 0x3E: "✇", 0x3F: "✍", 0x41: "✌", 0x43: "👍",
    0x44: "👎", 0x45: "☜", 0x46: "☞", 0x47: "☝", 0x48: "☟", 0x4A: "☺", 0x4C: "☹", 0x4E: "☠", 0x50: "⚐", 0x51: "✈", 0x52: "☼",
    0x54: "❄", 0x55: "✝", 0x59: "✡", 0x5A: "☪", 0x5B: "☯", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒",
    0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x78: "⌧", 0x7A: "⌘", 0x80: "⓪", 0x8B: "⓿", 0x9E: "·", 0x9F: "•",
    0xA1: "○", 0xA4: "◉", 0xA5: "◎", 0xA7: "▪", 0xA8: "◻", 0xAA: "✦", 0xAB: "★", 0xAC: "✶", 0xAD: "✴", 0xAE: "✹", 0xAF: "✵",
    0xD5: "⌫", 0xD6: "⌦", 0xD8: "➢", 0xDC: "➲", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE3: "↖", 0xE4: "↗", 0xE5: "↙",
    0xE6: "↘", 0xE7: "←", 0xE8: "➔", 0xE9: "↑", 0xEA: "↓", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xF3: "⬄", 0xF4: "⇳",
    0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
    **{0x81 + at: sign for at, sign in enumerate("①②③④⑤⑥⑦⑧⑨⑩")},
    **{0x8C + at: sign for at, sign in enumerate("❶❷❸❹❺❻❼❽❾❿")},
}  # fmt: skip
_FONTS: Mapping[str, Mapping[int, str]] = {
    "symbol": _SYMBOL,
    "wingdings": _WINGDINGS,
    "wingdings 2": {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x2A: "☐", 0x30: "☐", 0xA3: "□"},
    "wingdings 3": {0x7D: "▶", 0x7C: "◀", 0x70: "▲", 0x71: "▼", 0x66: "←", 0x67: "→", 0x68: "↑", 0x69: "↓"},
    "webdings": {0x61: "✔", 0x72: "✖", 0x63: "□", 0x67: "■", 0x6E: "●"},
}


def sign(code: int, font: str) -> str:
    """The character for a code in a font, UNKNOWN where none is known. Symbol fonts are stored at U+F000 upwards."""
    table = _FONTS.get(font.strip().lower())
    if table is not None and (code & 0xFF00) in (0, 0xF000):
        return table.get(code & 0xFF, UNKNOWN)
    private = 0xE000 <= code <= 0xF8FF
    return UNKNOWN if private or not 0x20 <= code < 0x110000 or 0xD800 <= code < 0xE000 else chr(code)


def is_symbol(font: str) -> bool:
    """True for a font whose characters are signs and not letters; other fonts use the private area for Han."""
    return font.strip().lower() in _FONTS
