"""DOCX: the body in order, notes behind it, headers and footers as furniture.

The source of the alignment is the running count of the characters of all w:t, w:delText, w:instrText, w:delInstrText,
m:t and a:t, and of w:sym, w:noBreakHyphen and w:softHyphen as one character each, in document order, over the main
document, footnotes, endnotes, headers, footers and comments, each kind of part by name. Numbers of lists and notes,
tabs, line ends, pipes and the repeated values of merged cells are added: they stand in the text and have no source.
Charts, diagrams, embedded objects and w:altChunk are parts of their own and are not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml.etree import _Element as Element

from pecia.errors import BrokenError, LimitError
from pecia.model import Alignment, BlockKind, Document, Dropped, Furniture, Source
from pecia.parsing.docx.assemble import assemble
from pecia.parsing.docx.body import Draft, Reader
from pecia.parsing.docx.count import offsets, visible
from pecia.parsing.docx.fields import codes
from pecia.parsing.docx.inline import Inline
from pecia.parsing.docx.names import child, name
from pecia.parsing.docx.notes import Notes
from pecia.parsing.docx.numbering import Numbering
from pecia.parsing.docx.package import Package
from pecia.parsing.docx.styles import Styles
from pecia.parsing.docx.traced import joined
from pecia.parsing.mentions import with_mentions
from pecia.parsing.quoted import quoted
from pecia.protocols import ParseOptions

COMMENT, UNREFERRED = "comment", "note that nothing refers to"
KINDS = ("footnotes", "endnotes", "header", "footer", "comments")


@dataclass(slots=True)
class _Parts:
    """The roots of all parts whose text is accounted for, and the visible characters that they hold."""

    main: Element
    related: dict[str, list[Element]] = field(default_factory=dict)
    size: int = 0

    @classmethod
    def of(cls, package: Package) -> _Parts:
        size = visible(package.raw(package.main), package.main)
        parts = cls(package.root(package.main), size=size)
        for kind in KINDS:
            parts.related[kind] = []
            for part in package.related(package.main, kind):
                parts.size += visible(package.raw(part), part)
                parts.related[kind].append(package.root(part))
        return parts

    def roots(self) -> list[Element]:
        return [self.main, *(root for kind in KINDS for root in self.related[kind])]

    def first(self, kind: str) -> Element | None:
        return next(iter(self.related[kind]), None)


def probe(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """No document: the error that opening the package gives, as where it wants a password or would fill the memory."""
    Package(data)
    return iter(())


def parse_docx(data: bytes, source: Source, options: ParseOptions) -> Iterator[Document]:
    """One document, without pages: a DOCX has none until something lays it out."""
    try:
        yield _document(Package(data), source)
    except RecursionError as error:
        raise LimitError("it is nested too deeply") from error


def _document(package: Package, source: Source) -> Document:
    parts = _Parts.of(package)
    body = child(parts.main, "w:body")
    if name(parts.main) != "w:document" or body is None:
        raise BrokenError(f"{quoted(package.main)} is a {quoted(name(parts.main))} without a body, not a Word document")
    styles = Styles.of(_single(package, "styles"))
    settings = _single(package, "settings")
    section = child(body, "w:sectPr")
    notes = {kind: Notes(kind, parts.first(f"{kind}s"), settings, section) for kind in ("footnote", "endnote")}
    roots = parts.roots()
    inline = Inline(offsets(roots), set().union(*map(codes, roots)), styles, notes)

    def section_ended() -> None:
        for kept in notes.values():
            kept.end_section()

    reader = Reader(inline, styles, Numbering(_single(package, "numbering"), styles), section_ended)
    drafts = list(reader.body(body))
    for kept in notes.values():
        drafts += _notes(kept, reader, inline)
    furniture = _furniture(parts, reader)
    for comments in parts.related["comments"]:
        inline.drop(comments, COMMENT)
    # Without a single break the file was never laid out, or is one page long: no page is told.
    made = assemble(drafts, inline.dropped, reader.starts if reader.starts and reader.starts[-1] else ())
    return Document(
        source.sha256,
        source,
        made.text,
        blocks=tuple(made.blocks),
        tables=with_mentions(made.text, made.blocks, made.tables),
        furniture=furniture,
        alignment=Alignment.of(made.runs),
        source_size=parts.size,
        dropped=tuple(Dropped(reason, size) for reason, size in sorted(inline.dropped.items()) if size),
    )


def _single(package: Package, kind: str) -> Element | None:
    found = package.related(package.main, kind)
    return package.root(found[0]) if found else None


def _notes(notes: Notes, reader: Reader, inline: Inline) -> Iterator[Draft]:
    """A block for each note, with its mark, at the place of the paragraph that refers to it; a table stays one."""
    for referred in notes.referred():
        drafts = reader.within(referred.note, referred.places)
        mark = f"{referred.mark} " if referred.mark else ""
        for group in _runs_of_text(drafts):
            if group[0].grid:
                yield group[0]
                continue
            text = joined([draft.text for draft in group], "\n")
            if mark:
                text.pieces.insert(0, (mark, -1))
            yield Draft(BlockKind.FOOTNOTE, text, referred.places)
            mark = ""
    for note in notes.unreferred():
        inline.drop(note, UNREFERRED)


def _runs_of_text(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    run: list[Draft] = []
    for draft in drafts:
        if draft.grid:
            if run:
                yield run
            yield [draft]
            run = []
        else:
            run.append(draft)
    if run:
        yield run


def _furniture(parts: _Parts, reader: Reader) -> tuple[Furniture, ...]:
    """Headers and footers, each text once; `size` counts every copy of it."""
    sizes: Counter[tuple[str, str]] = Counter()
    for kind in ("header", "footer"):
        for root in parts.related[kind]:
            drafts = reader.within(root, ())
            text = "\n".join(draft.text.composed()[0] for draft in drafts)
            if text:
                sizes[kind, text] += sum(draft.text.source_size for draft in drafts)
    return tuple(Furniture(f"f{at}", kind, text, (), size) for at, ((kind, text), size) in enumerate(sizes.items()))
