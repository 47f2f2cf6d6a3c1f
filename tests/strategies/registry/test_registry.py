"""Rows as chunks: mappings, verbatim cells, rows over the ceiling, what is left out."""

from pathlib import Path
from typing import Any

import pytest

from pecia.errors import DocumentError, OptionError
from pecia.model import Chunk, ChunkKind, LeftOut
from pecia.parsing.csv.reader import parse_csv
from pecia.parsing.media import CSV
from pecia.pipeline import Cutting, cut
from pecia.testing.documents import parsed

ISIL = """Volgnr.,Plaats,Instelling,ISIL code,Toegekend op,Opmerking
1,Delfdam,Museum Delfdam,NL-DeMD,2019-01-02,
2,,"Molen ""De Kat"", Oost",NL-KaMO,,"Regel een.
Regel: twee."
"""


def _cut(text: str, **options: Any) -> Cutting:
    return cut(parsed(text.encode(), "a.csv", parse_csv, CSV), "registry", **options)


def _chunks(text: str, **options: Any) -> list[Chunk]:
    made = _cut(text, **options)
    assert not [finding for finding in made.findings() if finding.rule.startswith("LAW")]
    return list(made.chunks)


def test_a_row_is_a_chunk_of_slots_in_the_order_of_the_mapping() -> None:
    one, two = _chunks(ISIL)
    assert one.text == "preferred_label: Museum Delfdam\nsettlement: Delfdam\nisil_code: NL-DeMD\nregistration_date: 2019-01-02"
    assert two.text == 'preferred_label: Molen "De Kat", Oost\nisil_code: NL-KaMO\nprovenance_note: Regel een.\nRegel: twee.'
    assert two.source_text == ISIL.split("\n", 2)[2].rstrip("\n")
    assert one.chunk_kind is ChunkKind.RECORD
    assert [two.attributes[name] for name in ("row_index", "line_start", "line_end", "registry_type")] == [1, 3, 4, "isil"]
    assert two.attributes["preferred_label"] == 'Molen "De Kat", Oost'
    assert two.attributes["extra_columns"] == {"Volgnr.": "2"}
    assert one.attributes["identifiers"] == ["isil:NL-DEMD"]
    assert [one.attributes[name] for name in ("data_tier", "confidence_score", "source_type", "country_code")] == [
        "TIER_1_AUTHORITATIVE",
        0.5,
        "csv_registry",
        "NL",
    ]
    assert (one.attributes["has_identifiers"], one.attributes["has_relationships"]) == (True, False)


def test_without_a_mapping_every_column_stands_under_its_own_name() -> None:
    one, two = _chunks("Code;Titel;Titel;\n00123;N/A;x;y\n 7 ;Tweede;;\n")
    assert one.text == "Code: 00123\nTitel: N/A\nTitel (2): x\ncolumn 4: y"
    assert one.attributes["extra_columns"] == {"Code": "00123", "Titel": "N/A", "Titel (2)": "x", "column 4": "y"}
    assert one.attributes["registry_type"] is None
    assert two.text == "Code:  7 \nTitel: Tweede"


def test_columns_of_plain_meaning_fill_attributes_and_stay_where_they_are() -> None:
    (one,) = _chunks("Name,City,ISIL,Data tier\nMuseum A,Ede,NL-EdeA,tier_2\n")
    assert one.text == "Name: Museum A\nCity: Ede\nISIL: NL-EdeA\nData tier: tier_2"
    assert [one.attributes[name] for name in ("preferred_label", "settlement", "identifiers", "data_tier")] == [
        "Museum A",
        "Ede",
        ["isil:NL-EDEA"],
        "TIER_2_VERIFIED",
    ]
    assert one.headings == ("Museum A",)


@pytest.mark.parametrize("form", ["text", "file", "table", "mapping"])
def test_an_own_mapping_by_option_or_file(form: str, tmp_path: Path) -> None:
    pairs = {"Bezeichnung": "preferred_label", "Ort": "settlement", "Telefon": "phone"}
    lines = "".join(f'"{column}" = "{slot}"\n' for column, slot in pairs.items())
    (tmp_path / "m.toml").write_text(lines if form == "file" else f"[columns]\n{lines}")
    given: Any = {"text": "Bezeichnung=preferred_label;Ort=settlement; Telefon=phone", "mapping": pairs}.get(
        form, str(tmp_path / "m.toml")
    )
    made = _cut("Ort;Sigel;Bezeichnung;Telefon\nKöln;Kn 3;Archiv Köln;0221\n", mapping=given, registry_type="sigel")
    (one,) = made.chunks
    assert one.text == "preferred_label: Archiv Köln\nsettlement: Köln\nphone: 0221"
    assert one.attributes["extra_columns"] == {"Sigel": "Kn 3", "Telefon": "0221"}
    assert (one.attributes["registry_type"], one.attributes["settlement"]) == ("sigel", "Köln")
    assert (
        made.strategy.options_hash == cut(made.document, "registry", mapping=pairs, registry_type="sigel").strategy.options_hash
    )


@pytest.mark.parametrize("given", ["no-such.toml", "Naam", "Naam=Preferred Label", 7])
def test_a_mapping_that_is_none_is_refused(given: Any) -> None:
    with pytest.raises(OptionError, match="mapping"):
        _cut(ISIL, mapping=given)


def test_a_mapping_of_another_register_fails_the_document() -> None:
    with pytest.raises(DocumentError, match=r"names none of its columns, which are Volgnr\., Plaats"):
        _cut(ISIL, mapping="Bezeichnung=preferred_label")


def test_a_mapped_row_without_a_mapped_value_keeps_what_it_has() -> None:
    one = _chunks("Instelling,Plaats,Telefoon\nA,B,1\n,,0221\n")[1]
    assert one.text == "Telefoon: 0221"


def test_header_preamble_and_empty_rows_are_left_out_with_reasons() -> None:
    made = _cut("Register\nstand 2025\nNaam;Plaats;Code\nA;B;1\n;;\nC;D;2\n")
    reasons = [(item.key, item.left_out_reason) for item in made.left_out]
    assert reasons == [
        ("preamble", LeftOut.HEADER),
        ("preamble", LeftOut.HEADER),
        ("header", LeftOut.HEADER),
        ("row", LeftOut.MARKUP),
    ]
    assert [chunk.attributes["row_index"] for chunk in made.chunks] == [0, 2]


def test_ragged_rows_keep_all_their_cells() -> None:
    chunks = _chunks("Instelling,Plaats,Opmerking\nA,B\nC,D,E,F\n")
    assert [chunk.text for chunk in chunks] == [
        "preferred_label: A\nsettlement: B",
        "preferred_label: C\nsettlement: D\nprovenance_note: E",
    ]
    assert chunks[1].attributes["extra_columns"] == {"column 4": "F"}


def test_a_row_over_the_ceiling_is_cut_between_its_cells() -> None:
    note = "Het archief bewaart stukken. " * 40
    text = f'Opmerking,Plaats,Instelling\n"{note}",Ede,Museum Ede\nkort,Zeist,B\n'
    chunks = _chunks(text, max_tokens=100)
    parts = [chunk for chunk in chunks if chunk.segment_id == "row-0"]
    assert len(parts) > 3
    assert [chunk.part_index for chunk in parts] == list(range(len(parts)))
    assert all(chunk.est_tokens <= 100 for chunk in chunks)
    assert all(chunk.text.startswith("provenance_note:\n") for chunk in parts[:-1])
    assert parts[-1].text == "preferred_label: Museum Ede\nsettlement: Ede"
    assert "".join(chunk.source_text for chunk in parts) == text.split("\n")[1]


def test_parts_after_the_name_repeat_it_as_context() -> None:
    text = "Instelling,Plaats,Opmerking\nMuseum Ede,Ede," + "een stuk of wat; " * 60 + "\n"
    first, *others = _chunks(text, max_tokens=80)
    assert first.context_labels in ((), ("provenance_note:",))
    assert others
    assert all(chunk.context_labels == ("preferred_label: Museum Ede", "provenance_note:") for chunk in others[1:])


def test_types_and_codes_that_contradict_are_named() -> None:
    made = _cut("name,ghcid,custodian type\nA,NL-NH-AMS-A-AA,museum\nB,NL-NH-AMS-Z-B,\nC,who knows,\n")
    found = [(finding.rule, finding.message) for finding in made.findings() if finding.rule.startswith("HER")]
    assert found == [
        ("HER101", "Z is none of the types GLAMORCUBESFIXPHDNT"),
        ("HER101", "'who knows' is not built like NL-NH-AMS-M-RM"),
        ("HER102", "custodian_type is M, in NL-NH-AMS-A-AA it is A"),
    ]


def test_a_document_that_is_no_table_is_for_another_strategy() -> None:
    from pecia.parsing.text import parse_text

    made = cut(parsed(b"Some prose.\n", "a.txt", parse_text), "registry")
    assert [(chunk.strategy, chunk.requested_strategy) for chunk in made.chunks] == [("heading", "registry")]


def test_auto_takes_registry_for_tables() -> None:
    assert cut(parsed(ISIL.encode(), "a.csv", parse_csv, CSV), "auto").strategy.name == "registry"


def test_a_header_of_two_rows_names_columns_by_the_second() -> None:
    text = "Institution,Institution,Address,Address,ISIL\nName,Type,Street,City,\n"
    text += "Museum A,museum,High St 1,Leeds,GB-1\nLibrary B,library,Low Rd,York,GB-2\n"
    one, two = _chunks(text.replace("Name,Type,Street,City,", "Name,Type,Street,City,Code"))
    assert one.text == "Name: Museum A\nType: museum\nStreet: High St 1\nCity: Leeds\nCode: GB-1"
    assert [two.attributes[name] for name in ("row_index", "line_start", "settlement")] == [1, 4, "York"]
    made = _chunks("Museum,,Parent,\nName,No,Name,No\nA,1,B,2\nC,3,D,4\n")
    assert made[0].text == "Museum Name: A\nMuseum No: 1\nParent Name: B\nParent No: 2"


def test_a_repeated_name_alone_makes_no_second_row_of_the_header() -> None:
    made = _chunks("Name,Contact,Contact,No\nMuseum A,Jan,Piet,7\nMuseum B,Kees,Anna,8\n")
    assert [chunk.attributes["row_index"] for chunk in made] == [0, 1]
    made = _chunks("Name,Contact,Contact\nMuseum A,Jan,Piet\nMuseum B,Kees,Anna\n")
    assert [chunk.attributes["row_index"] for chunk in made] == [0, 1]


def test_sums_and_sources_under_a_table_are_no_rows_of_it() -> None:
    rows = "Nr;Name;Ort\n1;Museum A;Ulm\n2;Museum B;Bonn\n3;;\n"
    made = _cut(rows + "Gesamt;2;\n;;\nQuelle: Zentralstelle, 2024\n")
    assert [chunk.attributes["row_index"] for chunk in made.chunks] == [0, 1, 2]
    assert [item.left_out_reason for item in made.left_out if item.key == "summary"] == [LeftOut.HEADER] * 3
    # Words of a name, cells beside it, a table of two columns: rows.
    assert len(_cut(rows + "4;Totaal Museum;Ede\n").chunks) == 4
    assert len(_cut("Total;Ort\nTotal;5\nTotal;6\n").chunks) == 2
    assert len(_cut(rows + "Source-sur-Mer;;\n").chunks) == 4


def test_a_file_of_one_column_has_no_delimiter() -> None:
    made = _chunks('Name\nMuseum A\nMuseum B, Utrecht\n"Museum C; D"\n')
    assert [chunk.text for chunk in made] == ["Name: Museum A", "Name: Museum B, Utrecht", "Name: Museum C; D"]
