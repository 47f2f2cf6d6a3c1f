"""The text of messages that an export holds as HTML, with the way back to its characters."""

from __future__ import annotations

import html
import re

from pecia.model import visible
from pecia.model.alignment import Run
from pecia.text.normalise import normalise

_TOKEN = re.compile(r"<!--.*?-->|</?([A-Za-z][\w-]*)[^<>]*>|&(?:#\w+|\w+);|[^<&]+|.", re.DOTALL)
_PARAGRAPHS = {"p", "div", "ul", "ol", "li", "table", "tr", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr"}


def plain(marked: str) -> tuple[str, list[Run], int]:
    """The text of an HTML fragment, a paragraph for each of its blocks; its runs; the visible characters of the tags."""
    texts: list[str] = []
    runs: list[Run] = []
    length = tags = 0
    waiting = ""  # the line end that the next text begins with
    for match in _TOKEN.finditer(marked):
        held = match[0]
        if match[1] or held.startswith("<!--"):
            tags += visible(held)
            name = (match[1] or "").lower()
            waiting = "\n\n" if name in _PARAGRAPHS else waiting or ("\n" if name == "br" else "")
            continue
        if waiting and not held.strip():
            continue
        if waiting and texts:
            texts.append(waiting)
            length += len(waiting)
        waiting = ""
        if held.startswith("&"):
            text, inner = html.unescape(held), [(0, len(html.unescape(held)), 0, len(held))]
        else:
            text, alignment = normalise(held)
            inner = list(alignment.runs())
        runs += ((length + start, length + end, match.start() + low, match.start() + high) for start, end, low, high in inner)
        texts.append(text)
        length += len(text)
    return "".join(texts), runs, tags
