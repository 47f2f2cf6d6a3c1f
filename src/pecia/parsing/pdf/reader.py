"""`parse_pdf`: the parts joined. One pass over the pages with pdfium, one over the words that it gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2

from pecia.model import Box, Document, Dropped, Furniture, Page, PageBox, Source
from pecia.parsing.pdf import furniture, native
from pecia.parsing.pdf.assemble import Assembler, Words, box_of
from pecia.parsing.pdf.drawings import drawings
from pecia.parsing.pdf.fractions import find_fractions
from pecia.parsing.pdf.frame import LETTER, Frame
from pecia.parsing.pdf.glyphs import OBLIQUE, Fonts, PageGlyphs, Word, read_page
from pecia.parsing.pdf.labels import read_folio, real_tree
from pecia.parsing.pdf.letters import letters_of
from pecia.parsing.pdf.order import Column, columns_of
from pecia.parsing.pdf.paragraphs import drafts_of, notes_apart
from pecia.parsing.pdf.profile import Profile, body_size, learn, sample
from pecia.parsing.pdf.raster import screenshot
from pecia.parsing.pdf.rows import Row
from pecia.parsing.pdf.rulings import rulings_of
from pecia.parsing.pdf.tables import find_tables, outlines
from pecia.parsing.pdf.unit import user_unit
from pecia.parsing.pdf.unruled import lift_unruled

if TYPE_CHECKING:
    from pecia.parsing.ocr.scans import Scans


def parse_pdf(
    data: bytes,
    source: Source,
    *,
    screenshots: Path | None = None,
    scans: Scans | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Document:
    """The document: text of the body in reading order, furniture beside it, boxes in points of the page as shown.

    With `screenshots`, a folder, every page is also written there as PNG at 144 dpi. Raises EncryptedError where the
    file needs a password, BrokenError where it is no PDF, has no pages or pdfium refuses it. `scans` reads the pages that
    have no usable text, where it can. `told` hears of each page that is read.
    """
    fonts, words = Fonts(), Words()
    pages, heads, images, names = [], [], [], []
    with native.opened(data) as pdf:
        labels = [pdf.get_page_label(index) for index in range(len(pdf))]
        unit = user_unit(data)
        for index in range(len(pdf)):
            name = f"{source.sha256[:16]}-p{index + 1:04d}.png" if screenshots else None
            glyphs, boxes = _read(pdf, index, unit, fonts, screenshots, name)
            pages.append(glyphs)
            images.append(boxes)
            names.append(name)
            if told:
                told(index + 1, len(pdf))
        if scans is not None:
            scans.complete(pdf, pages, images, fonts)
    for page in pages:
        words.add(page.marked())
        grids = outlines(page)
        heads.append([item for item in furniture.candidates(page, fonts) if not furniture.is_inside(item.row, grids)])
    body = body_size(pages, fonts)
    running = furniture.find(heads, body)
    for page in pages:
        if len(page.across) + len(page.shades) > 1:
            find_tables(page, _body_words(page, running, None), fonts)
        if page.across:
            find_fractions(page, _body_words(page, running), fonts)
    profile = learn([(page, _body_words(page, running)) for page in sample(pages)], fonts, body)
    assembler = Assembler(_offsets(pages), words, profile.spaced)
    for drafts in drafts_of((_laid_out(page, running, fonts, profile) for page in pages), profile):
        assembler.add(drafts)
    text, spans, blocks, tables, alignment = assembler.finish(len(pages))
    if not real_tree(labels):
        labels = [running.folios[index].label if index in running.folios else "" for index in range(len(pages))]
    dropped = sum((page.dropped for page in pages), assembler.dropped)
    document = Document(
        id=source.sha256,
        source=source,
        text=text,
        pages=tuple(
            Page(
                page.index, labels[page.index] or None, round(page.frame.width, 2), round(page.frame.height, 2),
                spans[page.index], images[page.index], names[page.index],
            )
            for page in pages
        ),
        blocks=blocks,
        furniture=tuple(_furniture(running)),
        tables=tables,
        alignment=alignment,
        source_size=sum(page.visible for page in pages),
        dropped=tuple(Dropped(reason, size) for reason, size in sorted(dropped.items()) if size),
        findings=tuple(scans.findings) if scans else (),
    )  # fmt: skip
    return scans.straightened(document) if scans else document


def _read(
    pdf: pypdfium2.PdfDocument, index: int, unit: float, fonts: Fonts, folder: Path | None, name: str | None
) -> tuple[PageGlyphs, tuple[Box, ...]]:
    """What one page holds; a page that pdfium cannot load stays, empty and of the size that viewers assume."""
    try:
        page = pdf[index]
    except pypdfium2.PdfiumError:
        return PageGlyphs(index, Frame(*LETTER, 0)), ()
    try:
        frame = Frame.of(page, unit)
        if folder is not None and name is not None:
            screenshot(page, folder / name)
        glyphs = read_page(page, index, frame, fonts)
        drawn = drawings(page, frame)
        glyphs.figures = drawn.large
        glyphs.shades, _ = rulings_of(drawn.shades, ())
        glyphs.across, glyphs.down = rulings_of(drawn.across, drawn.down)
        return glyphs, drawn.images
    finally:
        page.close()


def _offsets(pages: Sequence[PageGlyphs]) -> list[int]:
    offsets, total = [], 0
    for page in pages:
        offsets.append(total)
        total += len(page.chars)
    return offsets


def _body_words(page: PageGlyphs, running: furniture.Running, turns: int | None = 0) -> list[Word]:
    """The words of the page that run from left to right, or by `turns` otherwise (None: any way), and are not furniture;
    where tables were found, one word in place of each."""
    taken = page.held.union(word.start for _, row in running.rows.get(page.index, ()) for word in row.words)
    found = [word for word in page.words() if turns in (None, word.turns) and word.start not in taken]
    return found + [word for word in page.stand_ins if word.turns == turns] if page.stand_ins else found


def _laid_out(
    page: PageGlyphs, running: furniture.Running, fonts: Fonts, profile: Profile
) -> tuple[list[Column], list[Column], list[Column]]:
    """Body, notes and turned text of a page. A page on which all text is turned alike has that for its body."""
    body = list(columns_of(_body_words(page, running), page, fonts, profile.gutters))
    turned: list[Column] = []
    for turns in sorted({turns for _, _, turns in page.weights() if turns}):
        words = _body_words(page, running, turns)
        turned += columns_of(words, page, fonts, (), 2 if turns < OBLIQUE else 0)
    if not body:
        return turned, [], []
    kept, notes = notes_apart([replace(column, rows=lift_unruled(column.rows)) for column in body], profile)
    return kept, notes, turned


def _furniture(running: furniture.Running) -> Iterator[Furniture]:
    """One item for each piece of a running line: the folio apart from the title beside it."""
    number = Counter[str]()
    for page in sorted(running.rows):
        for kind, row in sorted(running.rows[page], key=lambda item: item[1].base):
            slot_folio = running.folios.get(page)
            for piece in row.pieces(furniture.PIECE * row.size):
                folio = slot_folio and read_folio(piece.text, page, slot_folio.slot) == slot_folio
                number["f"] += 1
                yield Furniture(
                    f"f{number['f']:05d}",
                    "folio" if folio and slot_folio and slot_folio.family != "edge" else kind,
                    _plain(piece),
                    (PageBox(page, box_of(piece)),),
                    sum(word.end - word.start for word in piece.words),
                )


def _plain(row: Row) -> str:
    return letters_of(row).text
