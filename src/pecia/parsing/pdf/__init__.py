"""PDF to Document: pdfium gives the glyphs, geometry gives the order, the whole document gives furniture and labels."""

from pecia.parsing.pdf.reader import parse_pdf

__all__ = ["parse_pdf"]
