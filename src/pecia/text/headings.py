"""What a heading says, without the marks that make it one."""

from __future__ import annotations

import re

_ATX = re.compile(r"^ {0,3}#{1,6}(?:[ \t]+|$)")
_ATX_END = re.compile(r"[ \t]+#+[ \t]*$")
_SETEXT = re.compile(r"\n {0,3}(?:=+|-+)[ \t]*$")


def heading_title(text: str) -> str:
    """The words of a heading block: Markdown's marks cut off, white space folded, nothing else changed."""
    stripped = _SETEXT.sub("", text.rstrip())
    if _ATX.match(stripped):
        stripped = _ATX_END.sub("", _ATX.sub("", stripped))
    return " ".join(stripped.split())
