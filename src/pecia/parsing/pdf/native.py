"""The few functions of pdfium that are called once per glyph or word, bound for speed.

pypdfium2 checks pointer types on every call. These bindings take plain addresses, and they keep the interpreter lock
(PYFUNCTYPE): pdfium is not safe for threads, and letting the lock go and taking it back costs more than a call does
(measured over 140,000 glyphs: 0.31 µs a call instead of 0.62).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pypdfium2
import pypdfium2.raw as raw

from pecia.errors import BrokenError, EncryptedError

Call = Callable[..., Any]
RECT_BYTES = 16  # four floats: left, top, right, bottom


def address_of(handle: Any) -> int:
    """The address behind a raw pdfium handle."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _bind(function: Any, result: Any, *arguments: Any) -> Call:
    address = address_of(function)
    return ctypes.PYFUNCTYPE(result, *arguments)(address)


_page, _index, _out = ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
count_chars = _bind(raw.FPDFText_CountChars, ctypes.c_int, _page)
get_text = _bind(raw.FPDFText_GetText, ctypes.c_int, _page, _index, ctypes.c_int, _out)
unicode_of = _bind(raw.FPDFText_GetUnicode, ctypes.c_uint, _page, _index)
loose_box = _bind(raw.FPDFText_GetLooseCharBox, ctypes.c_int, _page, _index, _out)
origin_of = _bind(raw.FPDFText_GetCharOrigin, ctypes.c_int, _page, _index, _out, _out)
matrix_of = _bind(raw.FPDFText_GetMatrix, ctypes.c_int, _page, _index, _out)
font_size = _bind(raw.FPDFText_GetFontSize, ctypes.c_double, _page, _index)
font_weight = _bind(raw.FPDFText_GetFontWeight, ctypes.c_int, _page, _index)
font_info = _bind(raw.FPDFText_GetFontInfo, ctypes.c_ulong, _page, _index, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_void_p)
is_hyphen = _bind(raw.FPDFText_IsHyphen, ctypes.c_int, _page, _index)
text_object = _bind(raw.FPDFText_GetTextObject, ctypes.c_void_p, _page, _index)
fill_color = _bind(raw.FPDFText_GetFillColor, ctypes.c_int, _page, _index, _out, _out, _out, _out)
render_mode = _bind(raw.FPDFTextObj_GetTextRenderMode, ctypes.c_int, ctypes.c_void_p)
count_objects = _bind(raw.FPDFPage_CountObjects, ctypes.c_int, _page)
object_at = _bind(raw.FPDFPage_GetObject, ctypes.c_void_p, _page, _index)
count_form_objects = _bind(raw.FPDFFormObj_CountObjects, ctypes.c_int, _page)
form_object_at = _bind(raw.FPDFFormObj_GetObject, ctypes.c_void_p, _page, ctypes.c_ulong)
object_kind = _bind(raw.FPDFPageObj_GetType, ctypes.c_int, _page)
object_bounds = _bind(raw.FPDFPageObj_GetBounds, ctypes.c_int, _page, _out, _out, _out, _out)
object_matrix = _bind(raw.FPDFPageObj_GetMatrix, ctypes.c_int, _page, _out)
object_fill = _bind(raw.FPDFPageObj_GetFillColor, ctypes.c_int, _page, _out, _out, _out, _out)
draw_mode = _bind(raw.FPDFPath_GetDrawMode, ctypes.c_int, _page, _out, _out)
count_segments = _bind(raw.FPDFPath_CountSegments, ctypes.c_int, _page)
segment_at = _bind(raw.FPDFPath_GetPathSegment, ctypes.c_void_p, _page, _index)
segment_point = _bind(raw.FPDFPathSegment_GetPoint, ctypes.c_int, _page, _out, _out)
segment_kind = _bind(raw.FPDFPathSegment_GetType, ctypes.c_int, _page)
segment_closes = _bind(raw.FPDFPathSegment_GetClose, ctypes.c_int, _page)


def _forget_error() -> None:
    """A file that pdfium refuses without a reason is given that of the file before: some file with a reason of its own
    must be that one, or a broken file would need a password because another one did."""
    with suppress(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument(b"no PDF").close()


@contextmanager
def opened(data: bytes) -> Iterator[pypdfium2.PdfDocument]:
    """The document, closed afterwards; EncryptedError where a password is needed, BrokenError where pdfium refuses."""
    try:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError:
            _forget_error()
            document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise EncryptedError("the PDF opens only with a password; remove it and parse again") from error
        raise BrokenError("pdfium cannot read it as a PDF: it is damaged, cut short or has no pages") from error
    try:
        if not len(document):
            raise BrokenError("the PDF has no pages")
        yield document
    except pypdfium2.PdfiumError as error:  # a part of the file that is read later
        raise BrokenError("pdfium cannot read a part of this PDF") from error
    finally:
        document.close()


@contextmanager
def fresh() -> Iterator[pypdfium2.PdfDocument]:
    """A document without pages, closed afterwards."""
    document = pypdfium2.PdfDocument.new()
    try:
        yield document
    finally:
        document.close()
