"""`parse_pdf`: the parts joined. One pass over the pages with pdfium, one over the words that it gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2

from pecia.model import Box, Document, Dropped, Furniture, Page, PageBox, Source
from pecia.parsing.mentions import with_mentions
from pecia.parsing.pdf import furniture, native
from pecia.parsing.pdf.assemble import Assembler, Words, box_of
from pecia.parsing.pdf.continued import taken_up
from pecia.parsing.pdf.drawings import drawings
from pecia.parsing.pdf.findings import much_furniture
from pecia.parsing.pdf.fractions import find_fractions
from pecia.parsing.pdf.frame import LETTER, Frame
from pecia.parsing.pdf.glyphs import OBLIQUE, Fonts, PageGlyphs, Word, read_page
from pecia.parsing.pdf.labels import read_folio, real_tree
from pecia.parsing.pdf.letters import letters_of
from pecia.parsing.pdf.notes import notes_apart
from pecia.parsing.pdf.order import Column, columns_of
from pecia.parsing.pdf.paragraphs import drafts_of
from pecia.parsing.pdf.pictures import find_pictures
from pecia.parsing.pdf.profile import Profile, body_size, direction, learn, sample
from pecia.parsing.pdf.raster import screenshot
from pecia.parsing.pdf.regions import place, repeated
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
    way = direction(pages)
    body = body_size(pages, fonts, way)
    again = repeated(page.pictures for page in pages)
    running = furniture.find(heads, body)
    beside, folios = tuple(_furniture(running)), running.folios
    findings = (*(scans.findings if scans else ()), *much_furniture(_shares(pages, running)))
    for index, rows in running.rows.items():
        pages[index].held.update(word.start for _, row in rows for word in row.words)
    del heads, running  # rows hold their pages
    for page in pages:
        page.pictures = tuple(region for region in page.pictures if place(region) not in again)
    shapes = [(round(page.frame.width, 2), round(page.frame.height, 2)) for page in pages]
    visible, dropped = sum(page.visible for page in pages), sum((page.dropped for page in pages), Counter[str]())
    profile = _learned(pages, fonts, body, way)
    assembler = Assembler(_offsets(pages), words, profile.spaced)
    for drafts in drafts_of(_taken_up(_laid_out(page, fonts, profile) for page in _let_go(pages)), profile):
        assembler.add(drafts)
    dropped += assembler.dropped
    text, spans, blocks, tables, figures, alignment = assembler.finish(len(shapes))
    if not real_tree(labels):
        labels = [folios[index].label if index in folios else "" for index in range(len(shapes))]
    document = Document(
        id=source.sha256,
        source=source,
        text=text,
        pages=tuple(
            Page(index, labels[index] or None, width, height, spans[index], images[index], names[index])
            for index, (width, height) in enumerate(shapes)
        ),
        blocks=blocks,
        furniture=beside,
        tables=with_mentions(text, blocks, tables),
        figures=with_mentions(text, blocks, figures),
        alignment=alignment,
        source_size=visible,
        dropped=tuple(Dropped(reason, size) for reason, size in sorted(dropped.items()) if size),
        findings=findings,
    )
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
        glyphs.pictures = drawn.pictures
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


def _body_words(page: PageGlyphs, turns: int | None = 0) -> list[Word]:
    """The words of the page that run from left to right, or by `turns` otherwise (None: any way), and are not furniture;
    where tables were found, one word in place of each."""
    held = page.held
    if turns is None:
        found = [word for word in page.words() if word.start not in held]
    else:
        found = [word for word in page.words() if word.turns == turns and word.start not in held]
    return found + [word for word in page.stand_ins if word.turns == turns] if page.stand_ins else found


def _lift(page: PageGlyphs, fonts: Fonts, body: float) -> None:
    """Takes the tables that rulings tell, the pictures and the fractions out of the words of the page."""
    page.is_lifted = True
    if len(page.across) + len(page.shades) > 1:
        find_tables(page, _body_words(page, None), fonts)
    find_pictures(page, _body_words(page, None), fonts, body)
    if page.across:
        find_fractions(page, _body_words(page), fonts)


def _learned(pages: Sequence[PageGlyphs], fonts: Fonts, body: float, way: int) -> Profile:
    sampled = sample(pages)
    for page in sampled:
        _lift(page, fonts, body)
    return learn([(page, _body_words(page, way)) for page in sampled], fonts, body, way)


def _let_go(pages: list[PageGlyphs]) -> Iterator[PageGlyphs]:
    """The pages, each out of the list when its turn comes: the document grows while they go."""
    pages.reverse()
    while pages:
        yield pages.pop()


def _laid_out(page: PageGlyphs, fonts: Fonts, profile: Profile) -> tuple[list[Column], list[Column], list[Column]]:
    """Body, notes and turned text of a page. A page on which all text is turned alike has that for its body."""
    if not page.is_lifted:
        _lift(page, fonts, profile.body)
    body = list(columns_of(_body_words(page, profile.turns), page, fonts, profile.gutters))
    turned: list[Column] = []
    for turns in sorted({turns for _, _, turns in page.weights()} - {profile.turns}):
        words = _body_words(page, turns)
        turned += columns_of(words, page, fonts, (), 2 if turns < OBLIQUE else 0)
    if not body:
        return turned, [], []
    kept, notes = notes_apart([replace(column, rows=lift_unruled(column.rows)) for column in body], profile)
    return kept, notes, turned


def _taken_up(
    pages: Iterable[tuple[list[Column], list[Column], list[Column]]],
) -> Iterator[tuple[list[Column], list[Column], list[Column]]]:
    """The pages with the rows at the head of a column in the table that ends the one before, where they go on with it."""
    before: Column | None = None
    for body, notes, turned in pages:
        for at, column in enumerate(body):
            before = body[at] = taken_up(column, before)
        yield body, notes, turned


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


def _shares(pages: Sequence[PageGlyphs], running: furniture.Running) -> dict[int, float]:
    """The share of the characters of each page that are furniture."""
    sizes = {page.index: page.visible for page in pages}
    return {
        index: sum(word.end - word.start for _, row in rows for word in row.words) / (sizes[index] or 1)
        for index, rows in running.rows.items()
    }


def _plain(row: Row) -> str:
    return letters_of(row).text
