"""One chunk of several: equal texts, records of one entity, whatever the order in which sources came."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from pecia import Library, pipeline
from pecia.cli.main import app
from pecia.heritage.dedupe import Duplicates
from pecia.model import Chunk, ChunkKind, Span

FILES = {
    "isil.csv": "Instelling,Plaats,ISIL code\n"
    "Museum Ede,Ede,NL-EdeM\nArchief Zeist,Zeist,NL-ZstA\nMuseum Ede,Ede,NL-EdeM\nDe Kat,Delft,\nBibliotheek A,Ede,NL-EdeL\n",
    "kvk.csv": "naam_organisatie,postadres_plaats,KvK-nummer,type_organisatie\n"
    "MUSEUM  EDE,Ede,12345678,museum\nArchief Zeist,Zeist,87654321,botanical garden\nDe Kat,Delft,11112222,\n",
    "ede.yaml": "hc_id: x\npreferred_label: Museum van Ede\nidentifiers:\n"
    "- {identifier_scheme: ISIL, identifier_value: NL-EdeM}\n"
    "- {identifier_scheme: Wikidata, identifier_value: Q5}\n",
    "kat.yaml": "hc_id: y\npreferred_label: de kat\ncustodian_place: {settlement: Delft, country: NL}\n"
    "provenance: {data_tier: TIER_4}\n",
    "wikidata.json": json.dumps({"entities": {"Q5": {"id": "Q5", "labels": {"en": {"value": "Ede Museum"}}}}}),
    "bib.yaml": "preferred_label: Bibliotheek A\ncustodian_place: {settlement: Ede}\n",
    "other.yaml": "preferred_label: Bibliotheek A\ncustodian_place: {settlement: Zeist}\n",
}
LEFT = [
    ("isil.csv", "Museum Ede"),
    ("isil.csv", "Archief Zeist"),
    ("isil.csv", "De Kat"),
    ("isil.csv", "Bibliotheek A"),
    ("kvk.csv", "Archief Zeist"),
    ("other.yaml", "Bibliotheek A"),
]


def _library(folder: Path, names: Iterable[str], where: Path | None = None) -> Library:
    library = Library(folder)
    (where or folder).mkdir(exist_ok=True)
    for name in names:
        path = (where or folder) / name
        path.write_text(FILES[name])
        for document in pipeline.parse_all(path):
            cutting = pipeline.cut(document, "auto")
            library.add(document, cutting.chunks, strategy=cutting.strategy)
    return library


def test_each_entity_is_left_once_by_its_highest_tier(tmp_path: Path) -> None:
    with _library(tmp_path / "library", FILES) as library:
        chunks = list(library.canonical())
        assert [(chunk.source_name, chunk.attributes["preferred_label"]) for chunk in chunks] == LEFT
        first = chunks[0].attributes["also_in"]
        assert [(item["source_name"], item["reason"]) for item in first] == [
            ("isil.csv", "same isil:NL-EDEM; it comes later"),
            ("kvk.csv", "same name and place; it comes later"),
            ("ede.yaml", "same isil:NL-EDEM; TIER_2_VERIFIED is below TIER_1_AUTHORITATIVE"),
            ("wikidata.json", "same entity by way of another record; TIER_3_CROWD_SOURCED is below TIER_1_AUTHORITATIVE"),
        ]
        assert {item["chunk_id"] for item in first} <= {chunk.chunk_id for chunk in library.export()}
        assert "also_in" not in chunks[1].attributes
        assert [chunk.attributes["row_index"] for chunk in library.canonical(["row_index>=1"])] == [1, 3, 4, 1]


@settings(max_examples=4, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.permutations(list(FILES)))
def test_the_order_of_sources_changes_nothing(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("order")
    sources = tmp_path_factory.getbasetemp() / "sources"
    with _library(folder / "one", names, sources) as one, _library(folder / "two", FILES, sources) as two:
        assert [chunk.to_line() for chunk in one.canonical()] == [chunk.to_line() for chunk in two.canonical()]


def test_the_command_writes_what_is_left(tmp_path: Path) -> None:
    _library(tmp_path / "library", ["isil.csv"]).close()
    for flags, count in ((["--canonical"], 4), ([], 5)):
        out = tmp_path / "out.jsonl"
        assert CliRunner().invoke(app, ["export", "--library", str(tmp_path / "library"), "-o", str(out), *flags]).exit_code == 0
        assert len(out.read_text().splitlines()) == count


def _chunk(number: int, text: str, kind: ChunkKind = ChunkKind.MESSAGE, labels: Sequence[str] = (), **attributes: Any) -> Chunk:
    """A chunk as web pages and conversations give it, of document `number`."""
    context, name = "".join(f"{label}\n" for label in labels), text[:5]
    identity = (f"c{number}-{name}", "0" * 63 + str(number), f"{number}.html", "h", "website", "website", kind, f"s-{name}")
    texts = (context + text, text, tuple(labels), Span(0, len(text)))
    return Chunk(*identity, ("Museum Ede",), *texts, None, None, (), 0, 1, 1, "estimate", 100, 0, attributes=attributes)


def _left(chunks: Sequence[Chunk]) -> list[str]:
    duplicates = Duplicates()
    for chunk in chunks:
        duplicates.show(chunk, chunk.source_name)
    return [chunk.chunk_id for chunk in duplicates.settle()(chunks)]


TALK: dict[str, Any] = {
    "source_type": "conversation",
    "data_tier": "TIER_4_INFERRED",
    "mentioned_entities": ["Museum Ede"],
    "ghcid": "NL-GE-EDE-M-ME",
}
PAGE: dict[str, Any] = {"source_type": "website", "data_tier": "TIER_2_VERIFIED", "section_type": "about"}
ROW: dict[str, Any] = {**PAGE, "source_type": "csv_registry", "data_tier": "TIER_1_AUTHORITATIVE", "section_type": None}
ROW |= {"preferred_label": "Museum Ede", "settlement": "Ede"}


def test_messages_only_lose_what_is_equal_whatever_they_mention() -> None:
    one, two = _chunk(1, "Het museum is open.", **TALK), _chunk(2, "Nog iets over het museum.", **TALK)
    again = _chunk(3, "Het museum is open.", labels=["Andere titel"], **TALK)
    row = _chunk(4, "preferred_label: Museum Ede", ChunkKind.RECORD, **ROW)
    assert _left([one, two, again, row]) == ["c1-Het m", "c2-Nog i", "c4-prefe"]


def test_a_page_counts_as_one_record_by_its_title() -> None:
    about = _chunk(1, "Over ons museum.", ChunkKind.PROSE, **PAGE)
    mission = _chunk(1, "Missie van het museum.", ChunkKind.PROSE, **PAGE)
    visit = _chunk(1, "Open op maandag.", ChunkKind.PROSE, **{**PAGE, "section_type": "visit"})
    row = _chunk(2, "preferred_label: Museum Ede", ChunkKind.RECORD, **ROW)
    assert _left([about, mission, visit]) == ["c1-Over ", "c1-Missi", "c1-Open "]
    assert _left([about, mission, visit, row]) == ["c1-Open ", "c2-prefe"]
    elsewhere = _chunk(3, "preferred_label: Museum Ede!", ChunkKind.RECORD, **{**ROW, "settlement": "Zeist"})
    assert _left([about, row, elsewhere]) == ["c1-Over ", "c2-prefe", "c3-prefe"]


def test_a_name_that_two_bear_joins_neither() -> None:
    def row(number: int, key: str) -> Chunk:
        return _chunk(number, f"{number} row", ChunkKind.RECORD, **{**ROW, "identifiers": [key]})

    unknown = _chunk(3, "x record", ChunkKind.RECORD, **{**ROW, "source_type": "yaml_instance", "data_tier": "TIER_2_VERIFIED"})
    assert len(_left([row(1, "isil:NL-A"), row(2, "isil:NL-B"), unknown])) == 3
    assert len(_left([row(1, "isil:NL-A"), unknown])) == 1


def test_texts_of_other_strategies_are_equal_with_their_context_only() -> None:
    same = [_chunk(number, "Geen.", ChunkKind.PROSE, [f"Kop {number % 2}"]) for number in range(4)]
    assert _left(same) == ["c0-Geen.", "c1-Geen."]
