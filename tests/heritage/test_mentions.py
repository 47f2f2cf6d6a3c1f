"""Known entities in texts: names with exact places, short forms, definite descriptions, and what must not be taken for them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pecia import plugins
from pecia.errors import OptionError
from pecia.heritage.discovery import discovered
from pecia.heritage.entity_files import Record
from pecia.heritage.forms import acronyms, aliases
from pecia.heritage.gazetteer import Gazetteer, gazetteer_from, gazetteer_of
from pecia.heritage.mentions import Mentions
from pecia.text.folding import folded
from pecia.text.languages import language_code, language_of

REGISTER = """Register of institutions;;;
;;;
Plaats;Instelling;ISIL code;Volgnr.
Oudewater;Gemeentearchief Oudewater;NL-OwA1;1
Oudewater;Streekmuseum De Molen Oudewater;;2
Zuidhoek;Hortus Zuidhoek;;3
Zuidhoek;Hortus Zuidhoek;;4
Leeds;Leeds Museum of Glass;;5
"""
INSTANCE = """- hc_id: https://example.org/hc/1
  ghcid: NL-UT-OUD-A-GAO
  preferred_label: Gemeente-archief Oudewater
  custodian_place: {settlement: Oudewater, country: NL}
  identifiers: [{identifier_scheme: ISIL, identifier_value: NL-OwA1}]
  collections: [{collection_name: Kaarten}]
"""
WIKIDATA = {
    "entities": {
        "Q1": {
            "id": "Q1",
            "labels": {"en": {"language": "en", "value": "Musée d'Art de Lorval"}},
            "descriptions": {"en": {"value": "museum in Lorval"}},
            "aliases": {"fr": [{"value": "MAL"}, {"value": "Palais Lorval"}]},
        }
    }
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "register.csv").write_bytes(REGISTER.encode("cp1252"))
    (tmp_path / "instances.yaml").write_text(INSTANCE)
    (tmp_path / "wikidata.json").write_text(json.dumps(WIKIDATA))
    return tuple(str(tmp_path / name) for name in ("register.csv", "instances.yaml", "wikidata.json"))


@pytest.fixture
def known(files: tuple[str, ...]) -> Gazetteer:
    return gazetteer_of(files)


def found(known: Gazetteer, text: str, title: str = "") -> list[tuple[str, str, str]]:
    mentions = Mentions(known, text, title)
    return [(text[item.start : item.end], item.kind, item.entity.id) for item in mentions.found]


def test_records_of_one_entity_are_one(known: Gazetteer) -> None:
    assert [(entity.id, entity.type, entity.settlement) for entity in known.entities] == [
        ("NL-UT-OUD-A-GAO", "A", "Oudewater"),
        ("Streekmuseum De Molen Oudewater", "M", "Oudewater"),
        ("Hortus Zuidhoek", "B", "Zuidhoek"),
        ("Leeds Museum of Glass", "M", "Leeds"),
        ("Q1", "M", None),
    ]
    assert known.entities[0].names == ("Gemeentearchief Oudewater", "Gemeente-archief Oudewater")


def test_names_aliases_and_acronyms(known: Gazetteer) -> None:
    assert found(
        known, "Het gemeentearchief\noudewater (GAO), Archief Oudewater en Palais Lorval; gao, Gaoler, MUSÉE D’ART DE LORVAL."
    ) == [
        ("gemeentearchief\noudewater", "name", "NL-UT-OUD-A-GAO"),
        ("GAO", "acronym", "NL-UT-OUD-A-GAO"),
        ("Archief Oudewater", "alias", "NL-UT-OUD-A-GAO"),
        ("Palais Lorval", "alias", "Q1"),
        ("MUSÉE D’ART DE LORVAL", "name", "Q1"),
    ]


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("Leeds Museum of Glass (LMG) is open. LMG is free.", ["LMG", "LMG"]),
        ("LMG (Leeds Museum of Glass) is open. LMG is free.", ["LMG", "LMG"]),
        ("Leeds Museum of Glass is often called Glass House Leeds. Glass House Leeds is free.", ["Glass House Leeds"] * 2),
        ("Leeds Museum of Glass, known as the Venice of the North. Venice is far.", []),
        ("Leeds Museum of Glass (open daily) and (XYZ). XYZ is free.", []),
        ("Hortus Zuidhoek, afgekort HZH, is groot. HZH is vrij.", ["HZH", "HZH"]),
    ],
)
def test_short_forms_that_a_text_introduces(known: Gazetteer, text: str, surfaces: list[str]) -> None:
    made = [surface for surface, kind, entity in found(known, text) if kind != "name"]
    assert made == surfaces


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("Gemeentearchief Oudewater and Leeds Museum of Glass. | The museum | opens.", "Leeds Museum of Glass"),
        ("Leeds Museum of Glass and Gemeentearchief Oudewater. | The museum | opens.", "Leeds Museum of Glass"),
        ("Leeds Museum of Glass. Streekmuseum De Molen Oudewater. | Het museum | opent.", "Streekmuseum De Molen Oudewater"),
        ("Gemeentearchief Oudewater. | Das Archiv | ist offen.", "NL-UT-OUD-A-GAO"),
        ("Musée d'Art de Lorval. Les salles | du musée | sont ouvertes.", "Q1"),
        ("Gemeentearchief Oudewater. | El archivo | abre.", "NL-UT-OUD-A-GAO"),
        ("Gemeentearchief Oudewater. | O arquivo | abre.", "NL-UT-OUD-A-GAO"),
        ("Hortus Zuidhoek. In 2019 | de Hortus | merged.", "Hortus Zuidhoek"),
        ("Gemeentearchief Oudewater. | The archive | of Oudewater opens.", "NL-UT-OUD-A-GAO"),
    ],
)
def test_definite_descriptions(known: Gazetteer, text: str, entity: str) -> None:
    before, surface, after = text.split(" | ")
    plain = f"{before} {surface} {after}"
    made = [item for item in found(known, plain) if item[1] == "coreference"]
    assert made == [(surface, "coreference", entity)]


@pytest.mark.parametrize(
    "text",
    [
        "The archive opens.",  # nothing was named
        "Hortus Zuidhoek. The archive opens.",  # nothing that fits
        "Gemeentearchief Oudewater is a archive.",  # not definite in English
        "Gemeentearchief Oudewater. The archive of Leeds opens.",  # of another
        "Hortus Zuidhoek. The garden of the museum is small.",
        "Gemeentearchief Oudewater. The archiver works.",
    ],
)
def test_what_is_no_mention(known: Gazetteer, text: str) -> None:
    assert not [item for item in found(known, text) if item[1] == "coreference"]


def test_a_title_names_before_the_text_does(known: Gazetteer) -> None:
    assert found(known, "The garden opens.", "Notes on Hortus Zuidhoek") == [("The garden", "coreference", "Hortus Zuidhoek")]


def test_institutions_that_no_file_knows() -> None:
    text = "Biblioteca Pública de Vallalta is a library in Vallalta. BPV is free, and the library is old."
    assert found(Gazetteer(()), text) == [
        ("Biblioteca Pública de Vallalta", "name", "Biblioteca Pública de Vallalta"),
        ("BPV", "acronym", "Biblioteca Pública de Vallalta"),
        ("the library", "coreference", "Biblioteca Pública de Vallalta"),
    ]
    for nothing in (
        "The Museum is open.",
        "See the Fotoarchief Van Dam. The Fotoarchief Van Dam.",
        "Leeds Museum once.",
        "The Museum Square. The Museum Square.",
    ):
        assert not list(discovered(nothing, 0, lambda start, end: False))


def test_forms_made_by_rule() -> None:
    assert set(aliases("Gemeentearchief Delden", "Delden")) == {"Archief Delden"}
    assert set(aliases("Regionaal Historisch Centrum Delden", "Delden")) == {"RHC Delden"}
    assert set(aliases("Musée municipal de Lorval", "Lorval")) == {"Musée de Lorval"}
    assert set(aliases("Stichting Oud Delden", "Delden")) >= {"Oud Delden"}
    assert list(acronyms("Leeds County Record Office")) == ["LCRO"]
    assert list(acronyms("Hortus Delden")) == ["HDEL"]


def test_the_hash_is_of_what_the_files_hold(files: tuple[str, ...], tmp_path: Path) -> None:
    def identity(*paths: str) -> str:
        return plugins.strategy("conversation", entities=paths).options_hash

    moved = tmp_path / "elsewhere.csv"
    moved.write_bytes(Path(files[0]).read_bytes())
    assert identity(files[0]) == identity(str(moved)) != identity()
    moved.write_bytes(Path(files[0]).read_bytes() + b"Leiden;Hortus Leiden;;6\n")
    assert identity(files[0]) != identity(str(moved))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("missing.csv", None),
        ("a.csv", b"x,y\n1,2\n"),
        ("a.yaml", b"!!python/object:os.system {}"),
        ("a.json", b"{"),
        ("a.pdf", b"%PDF-"),
    ],
)
def test_files_that_hold_no_entities_are_refused(tmp_path: Path, name: str, data: bytes | None) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(OptionError, match="entities"):
        plugins.strategy("website", entities=(str(tmp_path / name),))


@given(st.text())
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(folded(text)) == len(text)
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The rooms are open from Tuesday to Sunday.", "en"),
        ("De zalen zijn geopend van dinsdag tot en met zondag.", "nl"),
        ("Die Räume sind von Dienstag bis Sonntag geöffnet.", "de"),
        ("Les salles sont ouvertes du mardi au dimanche.", "fr"),
        ("Las salas del museo abren de martes a domingo y los festivos.", "es"),
        ("As salas do museu abrem de terça a domingo e aos feriados.", "pt"),
        ("Các phòng của bảo tàng mở cửa từ thứ ba đến chủ nhật.", "vi"),
        ("博物館逢星期二至星期日開放。", "zh"),
        ("42", None),
        ("Xyzzy plugh quux frob", None),
    ],
)
def test_languages(text: str, language: str | None) -> None:
    assert language_of(text) == language
    assert language_code("nl-BE") == "nl"
    assert language_code("klingon") is None


@pytest.mark.parametrize(
    "text",
    [
        "Hortus Zuidhoek opened. The garden in Leeds is larger.",
        "Streekmuseum De Molen Oudewater opent. Het museum te Leeds is groter.",
        "Streekmuseum De Molen Oudewater opent. Elk museum heeft een depot. De rol van het museum in de samenleving is klein.",
        "Leeds Museum of Glass closed. The Museum Hotel is full.",
        "Leeds Museum of Glass closed. The museum-goer reads. The museum world knows.",
        "Leeds Museum of Glass closed. Das Museum in Rom ist alt. Le musée à Lorval est petit.",
        "Leeds Museum of Glass closed. Das Museum seines Vaters war klein.",
    ],
)
def test_another_one_or_any_one_is_not_the_one_named_last(known: Gazetteer, text: str) -> None:
    assert [item for item in found(known, text) if item[1] == "coreference"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Leeds Museum of Glass closed. The museum in Leeds was loved.", "The museum"),
        ("Leeds Museum of Glass closed. The museum in May is quiet.", "The museum"),
        ("Streekmuseum De Molen Oudewater. Dat zijn het museum en Jan.", "het museum"),
        ("Leeds Museum of Glass. Das Museum in Zusammenarbeit mit uns zeigt es.", "Das Museum"),
        ("Leeds Museum of Glass. Every museum has one. The director of the museum left.", "the museum"),
        ("Leeds Museum of Glass. Ein Museum ist mehr als ein Haus. Ein Museum lebt. Montags ist das Museum zu.", "das Museum"),
    ],
)
def test_what_follows_does_not_make_it_another_one(known: Gazetteer, text: str, said: str) -> None:
    names = {item[0] for item in found(known, text) if item[1] == "coreference"}
    assert names == {said}


@pytest.fixture
def everywhere() -> Gazetteer:
    """A museum, a library and an archive in each of three languages."""
    names = {
        "M": ["Museum Linde", "Bảo tàng Sao Mai", "青石歷史博物館"],
        "L": ["Thư viện Đất Việt", "望江圖書館"],
        "A": ["金沙檔案館"],
    }
    return gazetteer_from([Record(names=[name], type=letter) for letter, listed in names.items() for name in listed])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Bảo tàng Sao Mai mở cửa. Giám đốc của | bảo tàng này | đã từ chức.", "Bảo tàng Sao Mai"),
        ("Bảo tàng Sao Mai mở cửa. Thứ hai | viện bảo tàng nói trên | đóng cửa.", "Bảo tàng Sao Mai"),
        ("Bảo tàng Sao Mai mở cửa. Nhân viên | bảo tàng này | thân thiện.", "Bảo tàng Sao Mai"),
        ("Thư viện Đất Việt mở cửa. | Thư viện đó | có hai nghìn cuốn sách.", "Thư viện Đất Việt"),
        ("我們參觀了青石歷史博物館， | 該博物館 | 藏有地圖。", "青石歷史博物館"),
        ("我們參觀了青石歷史博物館， | 该博物馆 | 的館長辭職了。", "青石歷史博物館"),
        ("我們去過望江圖書館，喜歡 | 這座圖書館 | 。", "望江圖書館"),
        ("望江圖書館很大。歡迎參觀 | 本館 | 。", "望江圖書館"),
        ("信件在金沙檔案館。 | 该档案馆 | 不開放。", "金沙檔案館"),
        ("Museum Linde opende. | Dit museum | is groot.", "Museum Linde"),
        ("Museum Linde opened. They wrote to | the aforementioned museum | .", "Museum Linde"),
        ("Museum Linde eröffnete. Wir wollen | dem Museum | Karten geben.", "Museum Linde"),
        ("Museum Linde a ouvert. | Le musée en question | est grand.", "Museum Linde"),
        ("Museum Linde abrió. | Dicho museo | es grande.", "Museum Linde"),
    ],
)
def test_descriptions_in_eight_languages(everywhere: Gazetteer, text: str, said: str) -> None:
    before, surface, after = text.split(" | ")
    joined = "" if before[-1] >= "\u2e80" else " "
    plain = f"{before}{joined}{surface}{joined}{after}"
    assert [item for item in found(everywhere, plain) if item[1] == "coreference"] == [(surface, "coreference", said)]


@pytest.mark.parametrize(
    "text",
    [
        "該博物館不開放。Thư viện này đóng cửa. The museum is closed.",  # nothing was named
        "Bảo tàng Sao Mai mở cửa. Các bảo tàng này cần tiền.",
        "Bảo tàng Sao Mai mở cửa. Bảo tàng đó đây vẫn mở. Bão tăng này lớn.",
        "Bảo tàng Sao Mai mở cửa. Thư viện này đóng cửa.",
        "Bảo tàng Sao Mai mở cửa. Chúng tôi đi ngang Bảo tàng Corvan. Bảo tàng này rất đông.",
        "青石歷史博物館很大。這些博物館很小。因此博物館決定閉館。應該博物館見。該博物館學課程。",
        "望江圖書館很大。標本館在金沙。該館長辭職了。",
        "青石歷史博物館很大。我們經過科凡歷史博物館，該博物館很擠。",
        "Museum Linde opened. In May we passed the Corvane Museum, and the museum was full.",
        "Museum Linde opened. She thinks that museum visitors read. A visit to the museum costs money.",
        "Museum Linde opened. The museum he dreamed of burned.",
        "Museum Linde opened. They told me that museum staff left. Said museum director Joan Pell: no.",
        "Museum Linde opende. Het museum van Madame Odette reist. Het museum Corvaan is dicht.",
        "Museum Linde öffnete. Für das Museum Folkwang. Das Museum für Kindheit. Museen im Allgemeinen.",
        "Museum Linde a ouvert. Le musée d'Orval. Le musée Corvan. Le musée national. Des archives.",
    ],
)
def test_words_that_only_read_as_descriptions(everywhere: Gazetteer, text: str) -> None:
    assert [item for item in found(everywhere, text) if item[1] == "coreference"] == []


def test_chinese_names_stand_without_spaces(everywhere: Gazetteer) -> None:
    assert found(everywhere, "我們參觀了青石歷史博物館和望江圖書館。") == [
        ("青石歷史博物館", "name", "青石歷史博物館"),
        ("望江圖書館", "name", "望江圖書館"),
    ]


def test_descriptions_in_made_texts_mean_what_was_meant() -> None:
    from bench.mentions import SAID, made, scored

    for language in SAID:
        outcomes = [outcome for seed in range(18) for outcome, _ in scored(made(language, seed))]
        right = outcomes.count("right")
        assert right >= 15
        assert right / (right + outcomes.count("wrong")) >= 0.95, language
        assert right / (right + outcomes.count("missed")) >= 0.9, language
