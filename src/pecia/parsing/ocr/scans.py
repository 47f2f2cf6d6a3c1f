"""The pages of a PDF whose text cannot be used, read by an engine, and what is to be said about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic

import pypdfium2

from pecia.errors import MissingExtraError, OptionError
from pecia.model import Box, Document, Finding
from pecia.parsing.ocr import adapter, legacy
from pecia.parsing.ocr.adapter import ReadPage, Sizes
from pecia.parsing.ocr.engines import ENOUGH, LANGUAGES, Engines, advice, language_of, well_read
from pecia.parsing.ocr.findings import finding
from pecia.parsing.ocr.layers import Layer, agrees, by_text
from pecia.parsing.ocr.lines import LEAST, ReadingError, confidence, text_of
from pecia.parsing.ocr.tilt import tilted
from pecia.parsing.pdf.findings import pages
from pecia.parsing.pdf.glyphs import Fonts, PageGlyphs
from pecia.settings import settings

MODES = ("auto", "off", "force")
DOUBTFUL = 0.85  # confidence of a page or a line that is named
SHARE = 0.7  # of the time that a file may take; a page takes about 5 s, and what was read must not be lost with the rest
OUT_OF_TIME = "the time for this file was spent (PECIA_PARSE_SECONDS)"
SHOWN = 3  # doubtful lines that a finding quotes


@dataclass(slots=True)
class Scans:
    """`mode`: `auto` reads the pages without usable text where an engine is installed, `off` reads none, `force` reads
    every page in the place of its text. `engines` are those that read; where none are given, what is installed. Raises
    OptionError for other words, MissingExtraError for `force` without engine."""

    mode: str = "auto"
    language: str = "auto"
    findings: list[Finding] = field(default_factory=list)
    engines: Engines | None = None
    _engines: Engines = field(init=False)
    _skews: dict[int, float] = field(default_factory=dict)
    _unread: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise OptionError(f"ocr is {self.mode!r}; it can be {', '.join(MODES)}")
        if self.language not in LANGUAGES:
            raise OptionError(f"ocr_language is {self.language!r}; it can be {', '.join(LANGUAGES)}")
        self._engines = self.engines or Engines(self.language)
        if self.mode == "force" and not self._engines.installed():
            package = "tesseract" if self.language == "vi" else "rapidocr"
            raise MissingExtraError(package, "ocr", "reading scanned pages")

    def complete(
        self, pdf: pypdfium2.PdfDocument, found: list[PageGlyphs], images: Sequence[Sequence[Box]], fonts: Fonts
    ) -> None:
        """Puts text into the pages that lack it, in place, and gives letters of old fonts back."""
        self.findings.extend(legacy.restore(found, fonts))
        layers = {page.index: self._judge(pdf, page, fonts, images[page.index]) for page in found}
        wanted = [index for index, layer in layers.items() if self._wants(layer)]
        if not wanted:
            return
        if self.mode == "off" or not self._engines.installed():
            self._name_unread(layers, wanted)
            return
        guess = self._guess([page for page in found if layers[page.index] is Layer.TEXT])
        read = list[ReadPage]()
        until = monotonic() + SHARE * settings().parse_seconds
        for index in wanted:
            if monotonic() > until:
                self._unread[OUT_OF_TIME].append(index)
                continue
            done, guess = self._read(pdf, found[index], guess)
            if done is not None and self._is_better(found[index], layers[index], done):
                read.append(done)
        self._put(read, found, layers, fonts)
        self.findings.extend(self._told(layers, read))

    def straightened(self, document: Document) -> Document:
        """The document with boxes on the pages as they are shown, where they were read on pages turned level."""
        return tilted(document, self._skews)

    def _wants(self, layer: Layer) -> bool:
        return layer is not Layer.BLANK if self.mode == "force" else layer not in (Layer.TEXT, Layer.BLANK)

    def _judge(self, pdf: pypdfium2.PdfDocument, page: PageGlyphs, fonts: Fonts, images: Sequence[Box]) -> Layer:
        if (layer := by_text(page.frame, page, fonts, images)) is not None:
            return layer
        from pecia.parsing.ocr.look import by_look

        try:
            shown = pdf[page.index]
        except pypdfium2.PdfiumError:
            return Layer.BLANK
        try:
            return by_look(shown, page.frame, page, fonts)
        finally:
            shown.close()

    def _name_unread(self, layers: dict[int, Layer], wanted: Sequence[int]) -> None:
        how = f"; to read them: {advice([self._known()])}" if self.mode == "auto" else " (ocr is off)"
        bare = [index for index in wanted if layers[index] is not Layer.GARBLED]
        if bare:
            self.findings.append(finding("OCR101", f"{pages(bare)} of {len(layers)}: a picture of a page, and no text{how}"))
        if garbled := [index for index in wanted if layers[index] is Layer.GARBLED]:
            message = f"{pages(garbled)}: the characters of the text are not those that the page shows{how}"
            self.findings.append(finding("OCR201", message))

    def _known(self) -> str:
        return "" if self.language == "auto" else self.language

    def _guess(self, layered: Sequence[PageGlyphs]) -> str:
        """The language to begin with: as asked for, or that of the pages with a text layer."""
        if self.language != "auto":
            return self.language
        return language_of("".join(page.chars for page in layered[:20]))

    def _read(self, pdf: pypdfium2.PdfDocument, own: PageGlyphs, guess: str) -> tuple[ReadPage | None, str]:
        """One page, and the language that the next one probably has."""
        shown = pdf[own.index]
        try:
            first = self._by(shown, own, guess)
            if self.language != "auto" or first is None:
                return first, guess
            text = text_of(first.lines)
            if guess == "vi" and (not well_read(text) and len(text) > ENOUGH):
                other = self._by(shown, own, "")
                if other is not None and language_of(text_of(other.lines)) != "vi":
                    return other, language_of(text_of(other.lines))
                return first, guess
            language = language_of(text)
            if guess != "vi" and language == "vi":
                return self._by(shown, own, "vi"), "vi"
            return first, language or guess
        finally:
            shown.close()

    def _by(self, shown: pypdfium2.PdfPage, own: PageGlyphs, language: str) -> ReadPage | None:
        reader = self._engines.reader(language)
        if reader is None:
            self._unread[advice([language])].append(own.index)
            return None
        from pecia.parsing.ocr.reading import upright

        try:
            return upright(shown, own, reader)
        except ReadingError as error:
            self._unread[str(error)].append(own.index)
            return None

    def _is_better(self, own: PageGlyphs, layer: Layer, done: ReadPage) -> bool:
        """False where OCR says what the doubtful text layer says: it was no garble, and is exact."""
        if self.mode == "force" or layer is not Layer.GARBLED:
            return bool(done.lines) or self.mode == "force"
        return bool(done.lines) and not agrees("".join(map(own.text, own.words())), text_of(done.lines))

    def _put(self, read: Sequence[ReadPage], found: list[PageGlyphs], layers: dict[int, Layer], fonts: Fonts) -> None:
        sizes = Sizes(read)
        for page in read:
            stamped = self.mode != "force" and layers[page.index] is Layer.STAMPED
            put = adapter.completed if stamped else adapter.replaced
            found[page.index] = put(found[page.index], page, fonts, sizes)
            if page.placing.skew:
                self._skews[page.index] = page.placing.skew

    def _told(self, layers: dict[int, Layer], read: Sequence[ReadPage]) -> Iterator[Finding]:
        for why, unread in self._unread.items():
            yield finding("OCR101", f"{pages(unread)} of {len(layers)}: not read; {why}")
        garbled = [page.index for page in read if layers[page.index] is Layer.GARBLED]
        if garbled:
            yield finding(
                "OCR201", f"{pages(garbled)}: the characters of the text are not those that the page shows; read by OCR"
            )
        names = defaultdict[str, list[ReadPage]](list)
        for page in read:
            if page.lines:
                names[page.reader].append(page)
        for name, done in names.items():
            sure = confidence([line for page in done for line in page.lines])
            left_out = sum(page.left_out for page in done)
            less = f"; {left_out} lines below {LEAST} left out" if left_out else ""
            yield finding("OCR102", f"{pages(page.index for page in done)}: read by {name}, mean confidence {sure:.2f}{less}")
        doubtful = [page for page in read if page.lines and page.confidence < DOUBTFUL]
        for page in doubtful:
            lines = sorted(page.lines, key=lambda line: line.confidence)[:SHOWN]
            quoted = ", ".join(f"{line.text[:40]!r} ({line.confidence:.2f})" for line in lines)
            yield finding("OCR103", f"{pages([page.index])}: mean confidence {page.confidence:.2f}; the least sure: {quoted}")
