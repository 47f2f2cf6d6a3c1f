"""CSV and TSV: the text is the file, rows and cells are spans of it."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia.errors import EncodingError
from pecia.model import Cell, Document, LineRange, Rows, Span
from pecia.parsing.csv.dialect import NOTHING, Dialect, sniff
from pecia.parsing.csv.reader import parse_csv
from pecia.parsing.csv.rows import cell_spans, cells, row_spans
from pecia.parsing.media import CSV, TSV
from pecia.testing.documents import parsed


def _document(text: str | bytes, media: str = CSV) -> Document:
    return parsed(text.encode() if isinstance(text, str) else text, "a.csv", parse_csv, media)


def _rows(document: Document) -> list[str]:
    return [block.span.of(document.text) for block in document.blocks]


def _findings(document: Document) -> list[str]:
    return [f"{finding.rule} {finding.message}" for finding in document.findings]


@given(
    st.lists(st.lists(st.text(st.sampled_from('ab é;,"\n'), max_size=6), min_size=2, max_size=3), min_size=1, max_size=8),
    st.sampled_from(",;"),
    st.booleans(),
)
def test_rows_and_cells_are_those_of_the_standard_library(table: list[list[str]], delimiter: str, everything: bool) -> None:
    out = io.StringIO()
    made = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL if everything else csv.QUOTE_MINIMAL)
    made.writerows(table)
    text = out.getvalue()
    rows, literal = row_spans(text, delimiter)
    written = [text[start:end] for start, end in zip(rows.starts, rows.ends, strict=True)]
    expected = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if len(row) > 1 or row[0].strip()]
    assert not literal
    assert [cells(row, delimiter) for row in written] == expected
    for row, start in zip(written, rows.starts, strict=True):
        assert delimiter.join(span.of(text) for span in cell_spans(row, delimiter, start)) == row


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Naam,Plaats\nA,B\nC,D\n", Dialect(",", 2, 0, 1)),
        ("Naam;Plaats\nA, B;C\nD, E;F\n", Dialect(";", 2, 0, 1)),
        ("Naam\tPlaats\nA\tB\n", Dialect("\t", 2, 0, 1)),
        ("Naam|Plaats\nA|B\nC|D\n", Dialect("|", 2, 0, 1)),
        ("Register 2025\nstand: 1 mei\n\nNaam;Plaats;Code\nA;B;1\nC;D;2\n", Dialect(";", 3, 2, 3)),
        ("Register;;\nNaam;Plaats;Code\nA;B;1\nC;D;2\n", Dialect(";", 3, 1, 2)),
        ("sep=|\nNaam|Plaats\nA|B\n", Dialect("|", 2, 1, 2)),
        ("Regio,2019,2020\nNoord,5,6\nZuid,7,8\n", Dialect(",", 3, 0, 1)),
        ("1,A,2019-01-01\n2,B,2020-02-02\n3,C,2021-03-03\n", Dialect(",", 3, -1, 0)),
        ("1,2,3\na,b,c\nd,e,f\n", Dialect(",", 3, 0, 1)),
        ("Naam\nA\nB, C\n", Dialect(NOTHING, 1, 0, 1)),
        ("", Dialect(NOTHING, 1, -1, 0)),
    ],
)
def test_the_dialect_is_told_from_the_first_rows(text: str, expected: Dialect) -> None:
    assert sniff(text) == expected


def test_a_name_that_says_tabs_is_believed() -> None:
    assert sniff("Naam, voluit\tPlaats\nA, B\tC, D\n", tab=True).delimiter == "\t"
    assert [block.places for block in _document("a\tb\nc\td\n", TSV).blocks] == [(Cell(0),), (Cell(1),)]


def test_a_row_has_its_number_and_all_its_lines() -> None:
    document = _document('\ufeffNaam,Noot\r\n"A","een\r\ntwee"\r\n\r\nB,drie\r\n')
    assert _rows(document) == ["Naam,Noot", '"A","een\ntwee"', "B,drie"]
    assert document.locate(document.blocks[1].span).locators == (Cell(1), LineRange(2, 3))
    assert document.locate(document.blocks[2].span).locators == (Cell(2), LineRange(5, 5))
    assert document.locate(Span(document.text.index("twee"), document.text.index("twee") + 4)).locators == (
        Cell(1),
        LineRange(3, 3),
    )
    assert document.ledger().missing == 0


def test_ragged_rows_are_kept_and_named() -> None:
    document = _document("a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n")
    assert _rows(document)[2:4] == ["4,5", "6,7,8,9"]
    assert _findings(document) == [
        "CSV101 line 3: 2 cells in a table of 3 columns",
        "CSV101 line 4: 4 cells in a table of 3 columns",
    ]


def test_many_findings_of_a_kind_are_counted() -> None:
    found = _findings(_document("a,b,c\n" + "1,2,3\n" * 60 + "4,5\n" * 50))
    assert len(found) == 20
    assert found[-1].endswith("; and 30 more")


def test_double_and_missing_names_of_columns_are_told_apart() -> None:
    assert _findings(_document("Naam,Plaats,Naam,\nA,B,C,D\n")) == [
        "CSV102 line 1: two columns are called 'Naam'; the later one is called 'Naam (2)'",
        "CSV102 line 1: column 4 has no name",
    ]


def test_a_quote_that_is_never_closed_swallows_nothing() -> None:
    document = _document('Naam,Plaats\n"Museum A,Utrecht\nB,Ede\nC,Zeist\n')
    assert _rows(document) == ["Naam,Plaats", '"Museum A,Utrecht', "B,Ede", "C,Zeist"]
    assert _findings(document) == ["CSV103 line 2: a quote is never closed; it is read as a letter"]
    far = _document('Naam,Plaats\n"Museum A,Utrecht\nB,Ede\n"C",Zeist\n')
    assert _rows(far)[1:3] == ['"Museum A,Utrecht', "B,Ede"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ('A "B" C,D', ['A "B" C', "D"]),
        ('"A" x,D', ["A x", "D"]),
        (' "A, B",D', ["A, B", "D"]),
        ('"A ""B""",D', ['A "B"', "D"]),
        ('"",', ["", ""]),
        ('"A,D', ['"A', "D"]),
    ],
)
def test_cells_of_loose_quoting(row: str, expected: list[str]) -> None:
    assert cells(row, ",") == expected


def test_an_older_encoding_is_told() -> None:
    document = _document("Naam;Plaats\nMusée des Beaux-Arts;Besançon\n“Molen” – café;Köln\n".encode("cp1252"))
    assert "“Molen” – café;Köln" in document.text
    assert [finding.rule for finding in document.findings] == ["ENC101"]


def test_what_is_binary_is_no_table() -> None:
    with pytest.raises(EncodingError):
        _document(b"a,b\x00c\n")


def test_rows_are_blocks_that_are_made_when_asked_for() -> None:
    blocks = _document("a,b\n1,2\n3,4\n").blocks
    assert isinstance(blocks, Rows)
    assert blocks[-1] == blocks[2]
    assert list(blocks) == list(blocks[0:3])
    assert blocks == tuple(blocks)
    with pytest.raises(IndexError):
        blocks[3]
