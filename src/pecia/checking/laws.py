"""The laws as rules: LAW1xx nothing lost … LAW6xx no wider than true. Each finding names the chunk and the place."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pecia.model import Chunk, ChunkKind, Document, Finding, PageBox, Segment, Severity, Span, Table
from pecia.text.graphemes import joins
from pecia.text.sentences import LEADS, is_sentence_end, sentence_ends
from pecia.text.tokens import tokenizer

Check = Callable[[Document, Sequence[Chunk], Sequence[Segment]], Iterator[tuple[str, Chunk | None, Span | None]]]


@dataclass(frozen=True)
class Law:
    """A rule made of a function that yields (message, chunk, span) for each fault."""

    code: str
    severity: Severity
    check: Check
    __doc__: str | None
    of_document: bool = False  # it looks at the document alone, whatever the chunks are

    def __call__(self, document: Document, chunks: Sequence[Chunk], left_out: Sequence[Segment]) -> Iterator[Finding]:
        for message, chunk, span in self.check(document, chunks, left_out):
            yield Finding(self.code, self.severity, message, chunk.chunk_id if chunk else None, span)


LAWS: list[Law] = []


def registering(rules: list[Law]) -> Callable[..., Callable[[Check], Check]]:
    """A decorator that makes a rule of a function and adds it to `rules`: `@law(code, severity)`, an error unless said."""

    def law(code: str, severity: Severity = Severity.ERROR, *, of_document: bool = False) -> Callable[[Check], Check]:
        def register(check: Check) -> Check:
            rules.append(Law(code, severity, check, check.__doc__, of_document))
            return check

        return register

    return law


_law = registering(LAWS)


@lru_cache(maxsize=8192)  # two laws count every text, one after the other
def _tokens(name: str, text: str) -> int:
    return tokenizer(name).count(text)


def _visible(text: str) -> str:
    return "".join(text.split())


_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\x[0-9a-fA-F]{2}|\\U[0-9a-fA-F]{8}|\\[abefnrtvNLP_0 /]")
# Those for white space and quotes leave nothing behind, as white space and quotes are not compared.
_ESCAPED = {"_": "\xa0", "/": "/", "a": "\a", "b": "\b", "e": "\x1b"}
_QUOTING = str.maketrans("", "", "\"'\\")


def _bare(text: str) -> str:
    """Text in NFC without white space and quotes, its escapes (of JSON, YAML) as what they stand for."""
    if "\\" in text:
        text = _ESCAPE.sub(_meant, text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return "".join(text.split()).translate(_QUOTING)


def _meant(escape: re.Match[str]) -> str:
    kind, digits = escape[0][1], escape[0][2:]
    if kind == "u":
        return bytes.fromhex(escape[0].replace("\\u", "")).decode("utf-16-be", "replace")
    if kind in "xU":
        return chr(int(digits, 16)) if int(digits, 16) < 0x110000 else ""
    return _ESCAPED.get(kind, " ")


def _inside(document: Document, chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """The chunks whose spans lie in the text; LAW201 names the others."""
    return (chunk for chunk in chunks if chunk.span.end <= len(document.text))


@_law("LAW001")
def malformed(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """A record has every field of the schema with its type, and no field that no strategy declares.

    Why: a store, a filter and a reader rely on the fields; a misspelt one is lost in silence.
    Example: `"start_char": "12"`, or `pagenumber` beside `page_number`.
    """
    for chunk in chunks:
        if not chunk.source_text.strip():
            yield "source_text is blank", chunk, chunk.span


@_law("LAW101")
def gap(document: Document, chunks: Sequence[Chunk], left_out: Sequence[Segment]) -> Iterator[tuple[str, None, Span]]:
    """Every visible character of the document is in a chunk or in a part that is left out with a reason.

    Why: text that is in no chunk can never be found, and nobody would notice.
    Example: chunks 0..120 and 140..300 of a text with words at 120..140.
    """
    spans = [chunk.span for chunk in chunks] + [segment.span for segment in left_out if segment.left_out_reason]
    spans.sort(key=lambda span: (span.start, span.end))  # a tenth of the time that comparing spans takes
    end = 0
    for span in (*spans, Span(len(document.text), len(document.text))):
        if span.start > end and (lost := document.text[end : span.start].strip()):
            yield f"{len(lost)} characters are in no chunk: {lost[:60]!r}", None, Span(end, span.start)
        end = max(end, span.end)


@_law("LAW102", Severity.WARNING, of_document=True)
def no_text(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, None, None]]:
    """A document without text is named, and so are pages that hold a picture and no text.

    Why: nothing of a scan can be found before its text is recognised, and an empty result looks like success.
    Example: a paper that was scanned without OCR.
    """
    pictures = [page.number for page in document.pages if page.images and not page.span.trimmed(document.text)]
    if pictures:
        shown = ", ".join(map(str, pictures[:10])) + ("…" if len(pictures) > 10 else "")
        yield (
            f"{len(pictures)} of {len(document.pages)} pages hold a picture and no text (PDF page {shown}); OCR is needed",
            None,
            None,
        )
    elif not document.text.strip():
        yield "the document holds no text", None, None


@_law("LAW103", of_document=True)
def unread(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, None, None]]:
    """Every visible character of the source, counted apart from the parsing, is in the text, in furniture, or dropped with a
    reason.

    Why: what a parser passed over can never be found, and no chunk can tell that it is not there.
    Example: a Word file that is no valid one and has text where no reader looks.
    """
    ledger = document.ledger()
    if ledger.missing > 0:
        yield f"{ledger.missing:,} of {ledger.total:,} characters of the file were not read", None, None


@_law("LAW201")
def not_its_slice(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """`source_text` is exactly the document's text between start_char and end_char.

    Why: a citation quotes source_text; a quote that does not stand in the source is worse than none.
    Example: a chunk whose source_text was trimmed while its span was not.
    """
    for chunk in chunks:
        if chunk.span.end > len(document.text):
            yield f"the span ends at {chunk.span.end}, the text at {len(document.text)}", chunk, chunk.span
        elif chunk.source_text != chunk.span.of(document.text):
            yield f"source_text {chunk.source_text[:40]!r} is not the text at its span", chunk, chunk.span


@_law("LAW202")
def invented(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """`text` is the context labels, one a line, and then source_text; nothing else. In a record, every value stands in
    source_text, quoting and escapes aside; of one that joins several, every word does.

    Why: what is embedded and shown must not say what the source does not.
    Example: a summary put before the source text.
    """
    for chunk in chunks:
        if chunk.chunk_kind is ChunkKind.RECORD:
            source = ""
            for line in chunk.text.split("\n"):
                value = line.partition(": ")[2] or line
                if value in chunk.source_text:  # as it nearly always is; making both bare takes ten times as long
                    continue
                source = source or _bare(chunk.source_text)
                if _bare(value) in source or line in chunk.context_labels or _bare(line) in source:
                    continue
                if any(_bare(word) not in source for word in value.split()):
                    yield f"{value[:60]!r} does not stand in source_text", chunk, chunk.span
        elif chunk.text != "".join(f"{label}\n" for label in chunk.context_labels) + chunk.source_text:
            yield "text is not its context labels and source_text", chunk, chunk.span


@_law("LAW203")
def label_of_nowhere(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """Every context label stands in the document's text or is what the file says beside it (furniture), white space aside.

    Why: a label that the document does not have gives a chunk a meaning that the document does not give it.
    Example: the label "Children" on a chunk of a paper that never says so.
    """
    labels = {label for chunk in chunks if chunk.chunk_kind is not ChunkKind.RECORD for label in chunk.context_labels}
    text = _visible(document.text) if labels else ""
    beside = {_visible(item.text) for item in document.furniture} if labels else set()
    nowhere = {label for label in labels if _visible(label) not in text and _visible(label) not in beside}
    for chunk in chunks:
        for label in nowhere.intersection(chunk.context_labels):
            yield f"the label {label[:60]!r} does not stand in the document", chunk, chunk.span


@_law("LAW301")
def over(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """The token count of `text` is within max_tokens, or the chunk is flagged as oversized.

    Why: what is over an embedder's window is cut off in silence.
    Example: a heading path of 30 tokens added to a chunk that was already full.
    """
    for chunk in chunks:
        count = _tokens(chunk.tokenizer, chunk.text)
        if count > chunk.max_tokens and not chunk.oversized:
            yield f"{count} tokens, the ceiling is {chunk.max_tokens}", chunk, chunk.span
        elif chunk.oversized and count <= chunk.max_tokens:
            yield f"flagged as oversized with {count} tokens of {chunk.max_tokens}", chunk, chunk.span


@_law("LAW302")
def miscounted(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """`est_tokens` is what the tokenizer named in the record counts for `text`.

    Why: budgets of prompts are added up from it.
    Example: the count of source_text, without the context.
    """
    for chunk in chunks:
        count = _tokens(chunk.tokenizer, chunk.text)
        if count != chunk.est_tokens:
            yield f"est_tokens is {chunk.est_tokens}, {chunk.tokenizer} counts {count}", chunk, chunk.span


@_law("LAW303")
def cuttable(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """An oversized chunk is one atom: no sentence ends inside it, clauses aside that end in a colon and lead into what follows.

    Why: the flag excuses what cannot be cut, not what was not cut.
    Example: two sentences in a chunk of 900 tokens under a ceiling of 800.
    """
    for chunk in _inside(document, chunks):
        if not chunk.oversized or chunk.chunk_kind is ChunkKind.RECORD:
            continue
        body = chunk.span.trimmed(document.text)
        ends = sentence_ends(document.text, body.start, body.end)
        if any(
            end < body.end and not joins(document.text, end) and not document.text[body.start : end].rstrip().endswith(LEADS)
            for end in ends
        ):
            yield "it is oversized although sentences end inside it", chunk, chunk.span


@_law("LAW304", Severity.WARNING)
def oversized(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """A chunk that is over the ceiling is named even where it could not be cut.

    Why: somebody must decide whether its end may be lost to the embedder.
    Example: one record of a registry with 3,000 tokens.
    """
    for chunk in chunks:
        if chunk.oversized:
            yield f"{chunk.est_tokens} tokens that cannot be cut, the ceiling is {chunk.max_tokens}", chunk, chunk.span


@_law("LAW305", Severity.INFO)
def forced(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """A chunk that ends inside a word is named: no sentence, clause or word ended before the ceiling.

    Why: the cut is exact, but a search for the parted word finds neither half.
    Example: a base64 string of 100,000 characters.
    """
    text = document.text
    for chunk in chunks:
        end = chunk.span.end
        before, after = text[max(0, end - 12) : end], text[end : end + 12]
        inside = bool(before and after) and before[-1].isalnum() and after[0].isalnum()
        spaced = inside and min(before[-1], after[0]) < "\u2e80"  # Han has no spaces between its words
        if spaced and not is_sentence_end(text, end):
            yield f"cut inside {before!r}|{after!r}", chunk, Span(end, end)


@_law("LAW401")
def order(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """Spans rise: every chunk begins and ends after the one before it (children of kind followup aside).

    Why: equal sentences must keep their own places, and parts must read in order.
    Example: two chunks with the same span, found by a search for their text.
    """
    rising = [chunk for chunk in chunks if chunk.chunk_kind is not ChunkKind.FOLLOWUP]
    for before, after in pairwise(rising):
        if after.span.start <= before.span.start or after.span.end <= before.span.end:
            yield f"{after.span.start}..{after.span.end} follows {before.span.start}..{before.span.end}", after, after.span


@_law("LAW402")
def overlap(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """Two neighbours share at most overlap_tokens.

    Why: what is stored twice is found twice, and crowds out another answer.
    Example: an overlap of 200 tokens where 65 were asked for.
    """
    rising = [chunk for chunk in chunks if chunk.chunk_kind is not ChunkKind.FOLLOWUP]
    for before, after in pairwise(rising):
        shared = document.text[after.span.start : before.span.end].strip()
        if shared and (count := tokenizer(after.tokenizer).count(shared)) > after.overlap_tokens:
            yield f"{count} tokens shared with the chunk before, {after.overlap_tokens} asked for", after, after.span


@_law("LAW403")
def parts(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """The parts of a segment follow one another from 0 to part_count - 1.

    Why: a hit is hydrated with its neighbours by these numbers.
    Example: parts 0 and 2 of 3.
    """
    expected: dict[tuple[str, str], int] = {}
    counted = (ChunkKind.FOLLOWUP, ChunkKind.BLOCK_DESCRIPTOR)
    last: dict[tuple[str, str], Chunk] = {}
    for chunk in chunks:
        if chunk.chunk_kind in counted:
            continue
        key = (chunk.strategy, chunk.segment_id)
        if chunk.part_index != expected.get(key, 0):
            yield f"part {chunk.part_index} stands where part {expected.get(key, 0)} belongs", chunk, chunk.span
        expected[key], last[key] = chunk.part_index + 1, chunk
    for chunk in last.values():
        if chunk.part_index != chunk.part_count - 1:
            yield f"the last part is {chunk.part_index} of {chunk.part_count}", chunk, chunk.span


@_law("LAW501")
def repeated_id(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """No two chunks of a document share an id.

    Why: one would overwrite the other in a store.
    Example: ids made of the text alone, in a paper that says the same twice.
    """
    seen: set[str] = set()
    for chunk in chunks:
        if chunk.chunk_id in seen:
            yield f"the id {chunk.chunk_id} is taken", chunk, chunk.span
        seen.add(chunk.chunk_id)


@_law("LAW502")
def other_text(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """The chunk was made from this document, parsed in this way: document_id and text_hash agree.

    Why: spans mean nothing over another text.
    Example: chunks of last year's edition checked against this year's.
    """
    for chunk in chunks:
        if chunk.document_id != document.id:
            yield f"document_id {chunk.document_id[:16]}… is not {document.id[:16]}…", chunk, chunk.span
        elif chunk.text_hash != document.text_hash:
            yield f"text_hash {chunk.text_hash} is not {document.text_hash}: parsed differently", chunk, chunk.span


@_law("LAW601")
def wrong_pages(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """The physical and printed pages of a chunk are those that its own characters stand on.

    Why: a reader opens the page that is cited.
    Example: the pages of the whole section on each of its chunks.
    """
    if not document.pages and all(chunk.page_range is chunk.printed_range is None for chunk in chunks):
        return
    for chunk in _inside(document, chunks):
        place = document.locate(chunk.span)
        if chunk.page_range != place.page_range:
            yield f"pages {chunk.page_range}, the text stands on {place.page_range}", chunk, chunk.span
        elif chunk.printed_range != place.printed_range:
            yield f"printed pages {chunk.printed_range}, the pages say {place.printed_range}", chunk, chunk.span


@_law("LAW602")
def wrong_places(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """The locators of a chunk are those of the lines that it touches, no wider and no fewer.

    Why: a highlight that covers more than the quote proves nothing.
    Example: the box of the paragraph on a chunk of one sentence.
    """
    for chunk in _inside(document, chunks):
        places = document.locate(chunk.span).locators
        if places == chunk.locators:
            continue
        expected, found = set(places), set(chunk.locators)
        if found - expected:
            yield f"{len(found - expected)} locators are not those of its lines", chunk, chunk.span
        elif expected - found:
            yield f"{len(expected - found)} of its lines have no locator", chunk, chunk.span


@_law("LAW603")
def off_the_page(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """Boxes lie on their page.

    Why: a viewer cannot show what lies outside.
    Example: boxes in the frame of the unrotated page.
    """
    sizes = {page.index: (page.width, page.height) for page in document.pages}
    for chunk in chunks:
        for place in chunk.locators:
            if isinstance(place, PageBox):
                width, height = sizes.get(place.page, (-9.0, -9.0))
                box = place.bbox
                if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
                    yield f"box {box.to_list()} is not on page {place.page + 1}", chunk, chunk.span


_WORDLESS = re.compile(r"[\W_]*")


def _parted_tables(document: Document, chunks: Sequence[Chunk]) -> Iterator[tuple[str, bool, Chunk]]:
    """(table id, whether its header could be carried, chunk) for chunks that begin below a header and lack it."""
    if not document.tables:
        return
    starts = [table.span.start for table in document.tables]
    for chunk in _inside(document, chunks):
        at = bisect_left(starts, chunk.span.trimmed(document.text).start) - 1
        table = document.tables[at] if at >= 0 else None
        if table is None or table.quarantined or not table.header_rows or chunk.span.start >= table.span.end:
            continue
        header = "".join(table.cells[0])
        carried = _visible("".join(chunk.context_labels)).replace("\\", "").replace("|", "")
        if _visible(header.replace("|", "").replace("\\", "")) not in carried and not _WORDLESS.fullmatch(header):
            fits = tokenizer(chunk.tokenizer).count(_header_text(document, table)) <= chunk.max_tokens // 2
            yield table.id, fits, chunk


def _header_text(document: Document, table: Table) -> str:
    lines = table.span.of(document.text).split("\n")[: table.header_rows + 1]
    return "\n".join(lines) + "\n"


@_law("LAW701")
def parted_header(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """A chunk that begins below the header of a table carries that header as context.

    Why: a number without its column means nothing, or another thing.
    Example: rows 20 to 40 of a dose table without "Children | Adults".
    """
    for table, fits, chunk in _parted_tables(document, chunks):
        if fits:
            yield f"it begins inside table {table} without its header", chunk, chunk.span


@_law("LAW702", Severity.WARNING)
def header_too_long(document: Document, chunks: Sequence[Chunk], _: Sequence[Segment]) -> Iterator[tuple[str, Chunk, Span]]:
    """A chunk whose table has a header of more than half the ceiling cannot carry it, and is named.

    Why: its rows stand without their columns; a larger ceiling would keep them together.
    Example: a header of 120 tokens under a ceiling of 200.
    """
    for table, fits, chunk in _parted_tables(document, chunks):
        if not fits:
            yield f"the header of table {table} is too long to be carried under {chunk.max_tokens} tokens", chunk, chunk.span
