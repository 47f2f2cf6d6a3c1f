"""Types of custodian, identifiers, classes."""

import pytest

from pecia.errors import InvariantError
from pecia.heritage.attributes import confidence, tier, universal
from pecia.heritage.classes import class_of_section, told
from pecia.heritage.concepts import letter_of, only_letter_of
from pecia.heritage.custodians import TYPES, Ghcid, ghcid_faults, parse_ghcid, type_label, type_letter
from pecia.heritage.identity import country_of, identifiers, site_of


def test_a_ghcid_is_taken_apart_and_put_together() -> None:
    assert parse_ghcid("NL-NH-AMS-M-RM") == Ghcid("NL", "NH", "AMS", "M", "RM")
    assert parse_ghcid("DE-NI-OHR-A-SÖHR-Q123") == Ghcid("DE", "NI", "OHR", "A", "SÖHR", "Q123")
    for text in ("NL-NH-AMS-M-RM", "GB-ENG-SAL-A-SCRO-salt_hall"):
        assert str(parse_ghcid(text)) == text


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("NL-NH-AMS-M-RM", []),
        ("QQ-NH-AMS-Z-RM", ["QQ is no code of a country", "Z is none of the types GLAMORCUBESFIXPHDNT"]),
        ("nl-nh-ams-m-rm", ["'nl-nh-ams-m-rm' is not built like NL-NH-AMS-M-RM"]),
        ("NL-NH-AMS-M", ["'NL-NH-AMS-M' is not built like NL-NH-AMS-M-RM"]),
    ],
)
def test_faults_of_a_ghcid(text: str, faults: list[str]) -> None:
    assert list(ghcid_faults(text)) == faults


def test_the_nineteen_types() -> None:
    assert len(set(TYPES)) == len(TYPES) == 19
    assert all(type_label(letter) for letter in TYPES)
    assert [type_letter(type_label(letter)) for letter in TYPES] == list(TYPES)
    for stated, letter in (
        ("m", "M"),
        ("RESEARCH_CENTER", "R"),
        ("https://x/Library", "L"),
        ("zoo", "B"),
        ("Archief", "A"),
        ("?", None),
    ):
        assert type_letter(stated) == letter


@pytest.mark.parametrize(
    ("name", "letter"),
    [
        ("Stadsmuseum Ede", "M"),
        ("Oudheidkamer Zeist", "M"),
        ("HERITAGE ASSOCIATION of Kent", "S"),
        ("Kenniscentrum Immaterieel", "R"),
        ("Particuliere collectie Jansen", "P"),
        ("ﬁlm-archive", "A"),
        ("Waterschapsarchief Almere", "A"),
        ("Historische Vereniging Zeist", "S"),
        ("Record Office, Kent", "A"),
        ("Musée d'Été", "M"),
        ("Museumarchief en Bibliotheek", None),
        ("De Kat", None),
    ],
)
def test_a_name_may_speak_of_a_type(name: str, letter: str | None) -> None:
    assert only_letter_of(name) == letter


def test_the_first_of_several_types_is_that_of_a_known_entity() -> None:
    assert letter_of("Museumarchief en Bibliotheek") == "A"
    assert letter_of("De Kat") is None


@pytest.mark.parametrize(
    ("scheme", "value", "keys"),
    [
        ("ISIL-code", "NL-AsdRM", ["isil:NL-ASDRM"]),
        ("ISIL", "NL-A; DE-B", ["isil:NL-A", "isil:DE-B"]),
        ("isil", "N/A", []),
        ("Wikidata", "https://www.wikidata.org/entity/Q42", ["wikidata:Q42"]),
        ("qid", "Q0", []),
        ("KvK-nummer", "01234567", ["kvk:01234567"]),
        ("kvk", "00000000", []),
        ("GHCID", "NL-NH-AMS-M-RM", ["ghcid:NL-NH-AMS-M-RM"]),
        ("website", "https://www.m.example/", ["site:m.example"]),
        ("website", "https://m.example/musea/7", []),
        ("Telefoon", "01234567", []),
    ],
)
def test_an_identifier_has_one_spelling_and_its_own_form(scheme: str, value: str, keys: list[str]) -> None:
    assert list(identifiers(scheme, value)) == keys


def test_places_of_identifiers() -> None:
    assert (country_of("NL-AsdRM"), country_of("OCLC-1")) == ("NL", None)
    assert (site_of("http://m.example"), site_of("m.example"), site_of("http://[")) == ("m.example", None, None)


def test_classes_follow_the_slots_that_are_filled() -> None:
    made = told(("settlement", "member_of", "something"))
    assert made["primary_class"] == "CustodianPlace"
    assert made["mentioned_classes"] == ["CustodianPlace", "Relationship", "Context"]
    assert (made["has_identifiers"], made["has_collections"], made["has_relationships"]) == (False, False, True)
    assert told(())["primary_class"] == "Context"
    assert [class_of_section(item) for item in ("about", "history", "visit")] == ["Custodian", "ChangeEvent", "Context"]


def test_stated_tiers_and_confidences() -> None:
    assert (tier("TIER_2_VERIFIED"), tier("tier_4"), tier("verified"), tier("")) == (
        "TIER_2_VERIFIED",
        "TIER_4_INFERRED",
        None,
        None,
    )
    assert (confidence("0.9"), confidence("0"), confidence("2"), confidence("high")) == (0.9, 0.0, None, None)
    assert universal("wikidata", data_tier=None)["data_tier"] == "TIER_3_CROWD_SOURCED"
    with pytest.raises(InvariantError):
        universal("wikidata", colour="red")
