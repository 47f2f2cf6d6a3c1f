"""HTML: what a browser shows, one block for each of its boxes of text, with the element and the lines that it stands on."""

from pecia.parsing.html.reader import parse_html

__all__ = ["parse_html"]
