"""Product information from a PDF, and drug labels whose sections are told by codes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pecia.library import Library
from pecia.model import Chunk, Document, Source
from pecia.parsing.xml import parse_xml
from pecia.protocols import ParseOptions
from pecia.strategies.monograph.loading import load
from pecia.strategies.monograph.vocabulary import slug
from tests.parsing.pdf_maker import FILLER, HEIGHT, Paper, parsed
from tests.strategies.monograph.books import cut, document

PRODUCTS = ("Zorvanta 10 mg film-coated tablets", "Melubrin 2 mg/ml solution for injection")


def product_information() -> bytes:
    """Two products with all sections from 1 to 10, each with a text of its own over lines and pages; a foot on every page."""
    paper, y, page, count = Paper(), 60.0, 1, 0

    def line(text: str, font: str = "Times-Roman", gap: float = 14) -> None:
        nonlocal y, page
        if y > HEIGHT - 90:
            paper.text(196, HEIGHT - 30, str(page))
            paper.page()
            y, page = 60.0, page + 1
        paper.text(50, y, text, font=font)
        y += gap

    for product in PRODUCTS:
        for entry in load("smpc").entries:
            heading = entry.headings[0]
            y += 10
            line(
                f"{entry.number}. {heading.upper()}" if "." not in (entry.number or "") else f"{entry.number} {heading}",
                "Times-Bold",
                20,
            )
            if entry.position == 0:
                line(product, gap=20)
                continue
            for _ in range(3 if entry.number in {"4.2", "4.8"} else 1):
                count += 1
                words = [FILLER[(count * 7 + at * 3) % len(FILLER)] for at in range(24)]
                line(f"Statement {count} is about {words[0]} and {' '.join(words[1:9])}")
                line(f"{' '.join(words[9:])}.", gap=20)
    paper.text(196, HEIGHT - 30, str(page))
    return paper.bytes()


def test_two_products_in_a_pdf_have_every_section() -> None:
    made = parsed(product_information())
    chunks, segments, strategy = cut(made)
    entries = load("smpc").entries
    wanted = [(slug(product), entry.key) for product in PRODUCTS for entry in entries]
    found = [(segment.parent, segment.key) for segment in segments if segment.parent and segment.key not in {"table", "formula"}]
    assert found == wanted  # precision and recall 1, and in order
    assert strategy.detect(made).reason.endswith("vocabulary smpc")
    for number, chunk in enumerate(chunk for chunk in chunks if "Statement" in chunk.source_text):
        assert chunk.attributes["drug_name"] == PRODUCTS[number >= len(entries) - 1]
        assert chunk.page_range is not None


def label(body: str) -> Document:
    inner = f"<component><structuredBody>{body}</structuredBody></component>"
    made = f'<document xmlns="urn:hl7-org:v3"><title>PILLS</title>{inner}</document>'.encode()
    source = Source("a.xml", "a.xml", "application/xml", hashlib.sha256(made).hexdigest())
    return next(parse_xml(made, source, ParseOptions()))


def section(code: str, title: str, inner: str) -> str:
    heading = f"<title>{title}</title>" if title else ""
    return f'<component><section><code code="{code}"/>{heading}<text>{inner}</text></section></component>'


def keys(chunks: list[Chunk]) -> list[str]:
    return [chunk.attributes["section_key"] for chunk in chunks if chunk.attributes.get("drug_id")]


TABLE = "<table><tr><th>Age</th><th>Dose</th></tr><tr><td>Child</td><td>5 mg</td></tr></table>"
LABEL = (
    section("34067-9", "What it is good for", "<paragraph>For pain.</paragraph>")  # in no words of the vocabulary
    + section("34068-7", "2 DOSAGE AND ADMINISTRATION", f"<paragraph>Warnings: take 5 mg.</paragraph>{TABLE}")
    + section("34066-1", "", "<paragraph>It may kill.</paragraph>")  # without a title
    + '<component><section><code code="43684-0"/><title>8 USE IN SPECIFIC POPULATIONS</title>'
    + section("42228-7", "8.1 Pregnancy", "<paragraph>Avoid it.</paragraph>")
    + section("34082-8", "8.5 Geriatric Use", "<paragraph>Halve it.</paragraph>")
    + section("42229-5", "8.6 Renal Impairment", "<paragraph>Watch the kidneys.</paragraph>")
    + "</section></component>"
    + section("51945-4", "", "<paragraph>Box of 10</paragraph>")
    + section("51945-4", "", "<paragraph>Box of 20</paragraph>")
)


def test_sections_are_found_by_their_codes_whatever_their_titles_say() -> None:
    made = label(LABEL)
    chunks, _, strategy = cut(made)
    assert strategy.detect(made).score > 0.5
    by_text = {
        chunk.source_text.split()[-1].strip("."): chunk.attributes["section_key"]
        for chunk in chunks
        if chunk.chunk_kind == "prose"
    }
    assert by_text["pain"] == "indications_and_usage"
    assert by_text["kill"] == "boxed_warning"
    assert (by_text["it"], by_text["kidneys"]) == ("geriatric_use", "use_in_specific_populations")
    assert [key for key in keys(chunks) if key.startswith("package")] == ["package_label_principal_display_panel"] * 2
    (table,) = [chunk for chunk in chunks if chunk.chunk_kind == "block_descriptor"]
    assert table.attributes["section_key"] == "dosage_and_administration"
    untitled = next(chunk for chunk in chunks if "kill" in chunk.text)
    assert untitled.attributes["section_display_name"] is None
    assert untitled.headings == ("PILLS",)
    assert not [finding for rule in strategy.rules for finding in rule(made, chunks, ())]


def test_without_codes_the_words_of_the_headings_count() -> None:
    chunks, _, _ = cut(label(LABEL.replace("<code", "<kode")))
    assert "dosage_and_administration" in keys(chunks)
    assert "indications_and_usage" not in keys(chunks)
    assert document("A text.\n").blocks[0].within == ()


def test_a_library_keeps_the_codes(tmp_path: Path) -> None:
    made = label(LABEL)
    chunks, _, strategy = cut(made)
    with Library(tmp_path / "library", keep_originals=False) as library:
        library.add(made, chunks, strategy=strategy)
        assert [block.within for block in library.document(made.id).blocks] == [block.within for block in made.blocks]
        assert library.understand("dose for a child").boosts[0].where["section_key"][0] == "dosage_and_administration"
        (hit, *_) = library.search("can it be taken in pregnancy?")
        assert hit.chunk.attributes["section_key"] == "pregnancy"
