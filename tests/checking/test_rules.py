"""For each rule a fault is planted, and the rule must name it; no rule speaks where nothing is wrong."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from pecia import pipeline, plugins
from pecia.checking.laws import LAWS
from pecia.model import Box, Chunk, ChunkKind, Document, LineRange, PageBox, Severity, Span
from pecia.parsing.markdown import parse_markdown
from pecia.testing.documents import paged, parsed

TEXT = "# Guide\n\nAdults: take 500 mg twice a day. Children: ask.\n\n## Storage\n\nKeep it dry. Keep it cool. Keep it closed.\n"
ROWS = "| Age | Dose |\n| --- | --- |\n" + "".join(f"| {n} | {n * 5} mg |\n" for n in range(30))
LONG_HEADER = "| " + "very long words of a header " * 6 + "| b |\n| --- | --- |\n" + "| 1 | 2 |\n" * 40


def markdown(text: str) -> Document:
    return parsed(text.encode(), "a.md", parse_markdown)


def cut(document: Document, **options: int) -> list[Chunk]:
    return list(
        pipeline.cut(document, "token", **{"max_tokens": 40 if document.tables else 16, "overlap_tokens": 0, **options}).chunks
    )


def first(chunks: Sequence[Chunk], **changes: object) -> list[Chunk]:
    return [replace(chunks[0], **changes), *chunks[1:]]  # type: ignore[arg-type]


def shifted(chunk: Chunk, start: int, end: int, text: str) -> Chunk:
    return replace(
        chunk,
        span=Span(start, end),
        source_text=text[start:end],
        text="".join(f"{x}\n" for x in chunk.context_labels) + text[start:end],
    )


Plant = Callable[[Document, list[Chunk]], list[Chunk]]
PLANTS: list[tuple[str, str, Plant]] = [
    ("LAW001", TEXT, lambda d, c: [replace(c[0], source_text=" " * len(c[0].span)), *c[1:]]),
    ("LAW101", TEXT, lambda d, c: c[:1] + c[2:]),
    ("LAW102", "", lambda d, c: c),
    ("LAW201", TEXT, lambda d, c: first(c, source_text=c[0].source_text.swapcase())),
    ("LAW201", TEXT, lambda d, c: [*c[:-1], replace(c[-1], span=Span(len(d.text), len(d.text) + len(c[-1].span)))]),
    ("LAW202", TEXT, lambda d, c: first(c, text="In short: " + c[0].text)),
    ("LAW202", TEXT, lambda d, c: first(c, chunk_kind=ChunkKind.RECORD, text="dose: 900 mg")),
    ("LAW203", TEXT, lambda d, c: first(c, context_labels=("Elderly",), text="Elderly\n" + c[0].source_text)),
    ("LAW301", TEXT, lambda d, c: first(c, max_tokens=3)),
    ("LAW301", TEXT, lambda d, c: first(c, oversized=True)),
    ("LAW302", TEXT, lambda d, c: first(c, est_tokens=c[0].est_tokens + 1)),
    ("LAW303", TEXT, lambda d, c: [*c[:-1], replace(c[-1], oversized=True)]),
    ("LAW304", TEXT, lambda d, c: first(c, oversized=True)),
    ("LAW305", TEXT, lambda d, c: [shifted(c[0], 0, 4, d.text), *c[1:]]),
    ("LAW401", TEXT, lambda d, c: [c[1], c[0], *c[2:]]),
    ("LAW402", TEXT, lambda d, c: [c[0], shifted(c[1], 2, c[1].span.end, d.text), *c[2:]]),
    ("LAW403", TEXT, lambda d, c: [c[0], replace(c[1], part_index=2, part_count=9), *c[2:]]),
    ("LAW403", TEXT, lambda d, c: c[:-1]),
    ("LAW501", TEXT, lambda d, c: [c[0], replace(c[1], chunk_id=c[0].chunk_id), *c[2:]]),
    ("LAW502", TEXT, lambda d, c: first(c, document_id="1" * 64)),
    ("LAW502", TEXT, lambda d, c: first(c, text_hash="0" * 16)),
    ("LAW601", TEXT, lambda d, c: first(c, page_range=(0, 0))),
    ("LAW601", TEXT, lambda d, c: first(c, printed_range=(1, 1))),
    ("LAW602", TEXT, lambda d, c: first(c, locators=(LineRange(1, 99),))),
    ("LAW602", TEXT, lambda d, c: first(c, locators=())),
    ("LAW603", TEXT, lambda d, c: first(c, locators=(PageBox(0, Box(0, 0, 9999, 9)),))),
    ("LAW701", ROWS, lambda d, c: [c[0], *(replace(x, context_labels=(), text=x.source_text) for x in c[1:])]),
    ("LAW702", LONG_HEADER, lambda d, c: c),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "plant"), PLANTS, ids=[f"{code}-{n}" for n, (code, _, _) in enumerate(PLANTS)])
def test_a_planted_fault_is_named(code: str, text: str, plant: Plant) -> None:
    document = markdown(text)
    chunks = cut(document)
    assert len(chunks) > 2 or not text
    found = {finding.rule for finding in pipeline.check(document, plant(document, chunks))}
    assert code in found


def test_what_was_not_read_of_the_file_is_named() -> None:
    document = markdown(TEXT)
    larger = replace(document, source_size=document.source_size + 7)
    findings = list(pipeline.check(larger, cut(document)))
    assert [(finding.rule, finding.severity) for finding in findings] == [("LAW103", Severity.ERROR)]
    assert findings[0].message.startswith("7 of ")


def test_every_law_has_a_plant() -> None:
    assert {code for code, _, _ in PLANTS} | {"LAW103"} == {law.code for law in LAWS}


@pytest.mark.parametrize("text", [TEXT, ROWS])
def test_nothing_is_found_where_nothing_is_wrong(text: str) -> None:
    document = markdown(text)
    assert not list(pipeline.check(document, cut(document)))


def test_pages_and_boxes_of_the_whole_paragraph_are_refused() -> None:
    document = paged(["one two three four five six seven eight nine ten eleven twelve " * 3] * 3, 4)
    chunks = cut(document)
    wide = document.locate(Span(0, len(document.text)))
    planted = first(chunks, page_range=wide.page_range, locators=wide.locators)
    assert {finding.rule for finding in pipeline.check(document, planted)} == {"LAW601", "LAW602"}


@pytest.mark.parametrize("law", sorted(plugins.codes()))
def test_every_rule_says_what_why_and_gives_an_example(law: str) -> None:
    _, shown = plugins.codes()[law]
    assert "Why:" in shown
    assert "Example:" in shown
