"""The line of DESIGN §3 on real files: citations, originals, changed files, narrower quotes."""

import hashlib
from array import array
from dataclasses import replace

import pytest

import pecia
from pecia.errors import CitationError, DocumentError, LibraryError, OptionError, QueryError
from pecia.library import Library
from pecia.model import Block, BlockKind, Box, Document, Furniture, Line, Page, Source, Span, Table
from pecia.ranking import rank
from pecia.storing import structure
from pecia.testing.stores import document_of, line_chunks

TEXT = (
    "# Drugs\n\nAbout.\n\n## Amoxicilin\n\nLiều lượng amoxicilin cho trẻ em là 50 mg/kg.\n\n## Ibuprofen\n\nThe dose is 400 mg.\n"
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "drugs.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def cut(path, **options):
    made = pecia.cut(pecia.parse(path), "heading", **{"max_tokens": 40, "target_tokens": 10, "overlap_tokens": 0} | options)
    return made.document, made.chunks, made.strategy


def originals(library):
    return sorted(path.name for path in (library.path / "originals").rglob("*") if path.is_file())


def test_from_a_file_to_a_citation(tmp_path, file):
    document, chunks, strategy = cut(file)
    with Library(tmp_path / "library") as library:
        assert library.add(document, chunks, strategy=strategy)
        assert not library.add(document, chunks, strategy=strategy)
        hit = library.search("liều amoxicilin cho trẻ em")[0]
        assert (hit.rank, hit.retriever) == (1, "bm25")
        assert "50 mg/kg" in hit.citation.quote
        assert hit.citation.uri == file.as_uri()
        assert library.cite(hit.chunk) == library.cite(hit.chunk.chunk_id) == hit.citation
        assert library.document(document.id) == document
        assert [chunk.chunk_id for chunk in library.export()] == [chunk.chunk_id for chunk in chunks]
        assert originals(library) == [f"{document.source.sha256}.md"]
        for wrong in ({"text": " "}, {"text": "x", "k": 0}):
            with pytest.raises(QueryError):
                library.search(**wrong)
        assert library.search("zebra") == library.search("§ –") == []


def test_a_changed_file_replaces_its_chunks_and_its_original(tmp_path, file):
    with Library(tmp_path / "library") as library:
        document, chunks, strategy = cut(file)
        library.add(document, chunks, strategy=strategy)
        file.write_text("# Drugs\n\nNaproxen now.\n")
        with Library(tmp_path / "other") as other, pytest.raises(DocumentError, match="changed"):
            other.add(document, chunks, strategy=strategy)
        changed, new, strategy = cut(file)
        assert library.add(changed, new, strategy=strategy)
        assert library.search("amoxicilin") == []
        assert [item.document_id for item in library.documents()] == [changed.id]
        assert originals(library) == [f"{changed.source.sha256}.md"]
        assert not list(library.verify())


def test_two_files_of_the_same_bytes(tmp_path, file):
    twin = tmp_path / "twin.txt.md"
    twin.write_bytes(file.read_bytes())
    with Library(tmp_path / "library") as library:
        for path in (file, twin):
            document, chunks, strategy = cut(path)
            assert library.add(document, chunks, strategy=strategy)
        assert [uri for uri, _ in library.documents()[0].sources] == [file.as_uri(), twin.as_uri()]
        assert len(originals(library)) == 1
        assert library.delete(file.as_uri()) == 0
        hit = library.search("amoxicilin")[0]
        assert hit.citation.uri == twin.as_uri()
        assert hit.chunk.source_name == hit.citation.source_name == "twin.txt.md"
        assert library.delete(twin.as_uri()) == len(chunks)
        assert originals(library) == []


def test_two_options_stand_side_by_side_and_each_is_replaced_alone(tmp_path, file):
    with Library(tmp_path / "library") as library:
        for options in ({}, {"max_tokens": 30}, {}):
            document, chunks, strategy = cut(file, **options)
            library.add(document, chunks, strategy=strategy)
        assert sorted(item.options["max_tokens"] for item in library.documents()[0].cuttings) == [30, 40]
    with Library(tmp_path / "plain") as library:  # chunks alone, as in the design
        for options in ({}, {"max_tokens": 30}, {}):
            document, chunks, _ = cut(file, **options)
            library.add(document, chunks)
        assert len(library.documents()[0].cuttings) == 2
        with pytest.raises(OptionError, match="strategy="):
            library.add(document, [])


def test_another_parse_of_the_same_bytes_keeps_each_cutting_with_its_text(tmp_path):
    document = document_of(["a fox", "a whale"])
    other = replace(document, text="A fox.\nA whale.\n")
    with Library(tmp_path) as library:
        library.add(document, line_chunks(document), options_hash="1")
        library.add(other, line_chunks(other), options_hash="2")
        assert sorted(hit.citation.quote for hit in library.search("fox")) == ["A fox.", "a fox"]
        library.add(other, line_chunks(other), options_hash="1")
        assert [hit.citation.quote for hit in library.search("fox")] == ["A fox.", "A fox."]
        with pytest.raises(CitationError, match="was cut from a text"):
            library.cite(line_chunks(document)[0])


def test_originals_may_be_left_where_they_are(tmp_path, file):
    document, chunks, strategy = cut(file)
    with Library(tmp_path / "library", keep_originals=False) as library:
        library.add(document, chunks, strategy=strategy)
        file.unlink()
        assert library.search("amoxicilin")
        assert not (tmp_path / "library" / "originals").exists()


def test_a_damaged_original_is_not_cited(tmp_path, file):
    document, chunks, strategy = cut(file)
    with Library(tmp_path / "library") as library:
        library.add(document, chunks, strategy=strategy)
    kept = next((tmp_path / "library" / "originals").glob("*/*"))
    for damage, code in ((lambda: kept.write_text("x"), "LB006"), (kept.unlink, "LB005")):
        damage()
        with Library(tmp_path / "library") as library:
            with pytest.raises(CitationError, match="original"):
                library.search("amoxicilin")
            assert [finding.rule for finding in library.verify()] == [code]


def printed(tmp_path=None):
    """Two pages with a line each, the second one printed as xii, and left edges of every character."""
    lines = ["the dose is 400 mg or 400 mg", "not for children"]
    text = "\n".join(lines)
    digest = hashlib.sha256(text.encode()).hexdigest()
    ends = [len(lines[0]) + 1, len(text)]
    starts = [0, ends[0]]
    blocks = tuple(
        Block(
            f"b{page}", BlockKind.PARAGRAPH, Span(start, start + len(line)),
            lines=(
                Line(Span(start, start + len(line)), page, Box(10, 20, 10 + 5.5 * len(line), 30), "Times", 10.0,
                     array("f", [10 + 5.5 * at for at in range(len(line))])),
            ),
        )
        for page, (line, start) in enumerate(zip(lines, starts, strict=True))
    )  # fmt: skip
    pages = tuple(
        Page(page, label, 200, 300, Span(start, end), (Box(1, 2, 3, 4),))
        for page, (label, start, end) in enumerate(zip(("7", "xii"), starts, ends, strict=True))
    )
    table = Table("t0", (("a",), ("b",)), 1, "", Span(ends[0], ends[1]), quarantined=True, quarantine_reason="crossed")
    furniture = (Furniture("f0", "head", "HEAD", (), 4),)
    source = Source("file:///nowhere/x.pdf", "x.pdf", "application/pdf", digest)
    return Document(digest, source, text, pages, blocks, furniture, (table,))


def test_a_document_comes_back_as_it_was():
    document = printed()
    pieces = [piece for _, _, piece in structure.dump_blocks(document)]
    assert structure.load(document.text, document.id, document.source, structure.dump(document), pieces) == document


def test_narrower_citation_has_its_own_page_and_boxes(tmp_path):
    document = printed()
    chunks = [replace(chunk, has_quarantined_content=chunk.part_index == 1) for chunk in line_chunks(document)]
    with Library(tmp_path, keep_originals=False) as library:
        library.add(document, chunks)
        whole = library.search("dose")[0].citation
        assert (whole.uri, whole.pages, whole.printed) == ("file:///nowhere/x.pdf#page=1", (0, 0), (7, 7))
        first = library.cite(chunks[0], quote="400 mg")
        second = library.cite(chunks[0], quote="400 mg", start=13)
        assert [item.regions[0].to_json()["bbox"][0] for item in (first, second)] == [10 + 5.5 * 12, 10 + 5.5 * 22]
        assert first.regions == document.locate(Span(12, 18)).locators
        assert first.quote == "400 mg"
        late = library.cite(chunks[1].chunk_id, quote="children")
        assert (late.uri, late.printed, late.quarantined) == ("file:///nowhere/x.pdf#page=2", ("xii", "xii"), True)
        assert "QUARANTINED" in str(late)
        for wrong in ("500 mg", "", "children"):
            with pytest.raises(CitationError):
                library.cite(chunks[0], quote=wrong)
        with pytest.raises(LibraryError):
            library.cite("0" * 20)


def test_ranking_without_a_library(file):
    document, chunks, _ = cut(file)
    hits = rank(chunks, document, "amoxicilin dose", k=3)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert "50 mg/kg" in hits[0].citation.quote + hits[1].citation.quote
    assert rank(chunks, document, "amoxicilin", where=["part_index>=1000"]) == rank([], document, "fox") == []
    with pytest.raises(CitationError, match="not given"):
        rank(chunks, [], "amoxicilin")
    with pytest.raises(QueryError):
        rank(chunks, document, "  ")
