"""Entities as chunks: labels, attributes, Wikidata, schemas, what is over the ceiling."""

import json
from pathlib import Path
from typing import Any

import pytest

from pecia.errors import OptionError
from pecia.model import Chunk, LeftOut
from pecia.parsing.json.reader import parse_json
from pecia.parsing.media import JSON, YAML
from pecia.parsing.yaml.reader import parse_yaml
from pecia.pipeline import Cutting, cut
from pecia.testing.documents import parsed

CUSTODIAN = """hc_id: https://x.example/hc/1
ghcid: BE-VAN-ANT-L-EH
preferred_label: Erfgoedbib
custodian_type: LIBRARY
description: >
  Oude boeken
  en kranten.
custodian_place: {region: VAN, country: be, settlement: Antwerpen}
collections:
- collection_name: Kaarten
  extent: 5 m
- collection_name: "Pr\\u00e9nten"
- Handschriften
identifiers:
- {identifier_value: BE-ANT07, identifier_scheme: ISIL}
- identifier_scheme: Wikidata
  identifier_value: Q12345
opening_hours: daily
provenance:
  data_tier: TIER_3_CROWD_SOURCED
  extraction_date: 2024-05-06
  confidence_score: 0.9
"""


def _yaml(text: str, **options: Any) -> Cutting:
    return cut(parsed(text.encode(), "a.yaml", parse_yaml, YAML), "entity", **options)


def _json(tree: Any, **options: Any) -> Cutting:
    text = tree if isinstance(tree, str) else json.dumps(tree, indent=1)
    return cut(parsed(text.encode(), "a.json", parse_json, JSON), "entity", **options)


def _sound(made: Cutting) -> list[Chunk]:
    assert not [finding for finding in made.findings() if finding.rule.startswith("LAW")]
    return list(made.chunks)


def test_a_custodian_reads_by_its_labels() -> None:
    (one,) = _sound(_yaml("# note\n" + CUSTODIAN))
    assert one.text == (
        "Name: Erfgoedbib\nDescription: Oude boeken en kranten.\nLocation: Antwerpen be\nCollection: Kaarten\n"
        "Collection: Prénten\nCollection: Handschriften\nISIL: BE-ANT07\nWikidata: Q12345"
    )
    assert one.source_text == CUSTODIAN.rstrip()
    known = {
        "hc_id": "https://x.example/hc/1", "ghcid": "BE-VAN-ANT-L-EH", "custodian_type": "L", "country_code": "BE",
        "region_code": "VAN", "settlement": "Antwerpen", "data_tier": "TIER_3_CROWD_SOURCED", "extraction_date": "2024-05-06",
        "confidence_score": 0.9, "source_type": "yaml_instance", "source_id": "https://x.example/hc/1",
        "preferred_label": "Erfgoedbib", "identifiers": ["isil:BE-ANT07", "wikidata:Q12345", "ghcid:BE-VAN-ANT-L-EH"],
        "yaml_path": "doc=0", "json_pointer": "", "line_start": 2, "line_end": 23, "has_identifiers": True,
        "has_collections": True, "has_relationships": False, "primary_class": "Custodian",
    }  # fmt: skip
    assert {name: one.attributes[name] for name in known} == known


def test_lists_and_documents_lead_back_to_each_entity() -> None:
    made = _yaml("---\n- {name: A, identifiers: []}\n- {name: B}\n---\nname: C\n")
    found = [
        (chunk.attributes["yaml_path"], chunk.attributes["json_pointer"], chunk.attributes["line_start"])
        for chunk in _sound(made)
    ]
    assert found == [("doc=0/0", "/0", 2), ("doc=0/1", "/1", 3), ("doc=1", "", 5)]
    assert {item.left_out_reason for item in made.left_out} == {LeftOut.MARKUP}


def test_what_is_no_custodian_says_all_that_it_has() -> None:
    (one,) = _sound(_yaml("name: Reis\nstops:\n- {town: Ede, day: 1}\n- {town: Zeist}\nempty:\nnote: ~\n"))
    assert one.text == "Name: Reis\nstops.town: Ede\nstops.day: 1\nstops.town: Zeist"


def test_json_ld_is_read_by_plain_names() -> None:
    (one,) = _sound(
        _json(
            {
                "@context": "https://schema.org",
                "@type": "Museum",
                "@id": "https://m.example",
                "schema:name": [{"@value": "Mus\u00e9e", "@language": "fr"}],
                "address": {"addressLocality": "Li\u00e8ge", "addressCountry": "BE"},
                "identifier": {"propertyID": "ISIL", "value": "BE-LGE01"},
            }
        )
    )
    assert one.text.startswith("Name: Musée\nLocation: Liège BE\nISIL: BE-LGE01")
    assert one.attributes["country_code"] == "BE"
    assert one.attributes["yaml_path"] is None


def test_numbers_stay_as_they_are_written() -> None:
    (one,) = _sound(_json('{"id": 1, "big": 123456789012345678901234567890.50, "exp": 1E5, "yes": true, "no": null}'))
    assert one.text == "id: 1\nbig: 123456789012345678901234567890.50\nexp: 1E5\nyes: true"


def test_what_an_alias_points_to_is_context() -> None:
    made = _yaml("- &a {name: Archief, place: &p {settlement: Ede}, hc_id: x}\n- {hc_id: y, name: B, place: *p}\n")
    two = _sound(made)[1]
    assert two.text == "Name: B\nLocation: Ede"
    assert two.context_labels == ("Location: Ede",)


def test_items_of_wikidata_are_facts() -> None:
    def snak(kind: str, value: Any, rank: str = "normal") -> dict[str, Any]:
        return {"mainsnak": {"snaktype": "value", "datavalue": {"type": kind, "value": value}}, "rank": rank}

    item = {
        "type": "item",
        "id": "Q77",
        "labels": {"nl": {"language": "nl", "value": "Stadsarchief"}, "en": {"language": "en", "value": "City Archive"}},
        "descriptions": {"en": {"language": "en", "value": "an archive"}},
        "aliases": {"nl": [{"language": "nl", "value": "SA"}, {"language": "nl", "value": "SA"}]},
        "claims": {
            "P791": [snak("string", "NL-X1"), snak("string", "NL-OLD", "deprecated")],
            "P571": [snak("time", {"time": "+1848-07-03T00:00:00Z", "precision": 11})],
            "P576": [snak("time", {"time": "+1990-05-00T00:00:00Z", "precision": 10})],
            "P625": [snak("globecoordinate", {"latitude": 52.3, "longitude": 4.9})],
            "P131": [snak("wikibase-entityid", {"entity-type": "item", "id": "Q727"})],
            "P1128": [snak("quantity", {"amount": "+85", "unit": "1"})],
            "P1448": [snak("monolingualtext", {"text": "Archief der Stad", "language": "nl"})],
            "P99999": [{"mainsnak": {"snaktype": "novalue"}}],
        },
    }
    (one,) = _sound(_json({"entities": {"Q77": item}}))
    assert one.text == (
        "Name: Stadsarchief\nName: City Archive\nDescription: an archive\nAlias: SA\nISIL: NL-X1\ninception: 1848-07-03\n"
        "dissolved: 1990-05\ncoordinate location: 52.3 4.9\nlocated in the administrative territorial entity: Q727\n"
        "employees: 85\nofficial name: Archief der Stad"
    )
    names = ("source_type", "data_tier", "source_id", "json_pointer", "identifiers", "preferred_label")
    assert [one.attributes[name] for name in names] == [
        "wikidata", "TIER_3_CROWD_SOURCED", "Q77", "/entities/Q77", ["wikidata:Q77", "isil:NL-X1"], "Stadsarchief",
    ]  # fmt: skip


def test_an_entity_over_the_ceiling_is_cut_between_its_slots() -> None:
    collections = "".join(f"- collection_name: Verzameling {number}\n" for number in range(60))
    made = _yaml(f"preferred_label: Archief\ncollections:\n{collections}description: {'Een zin. ' * 60}\n", max_tokens=90)
    chunks = _sound(made)
    assert len(chunks) > 5
    assert all(chunk.est_tokens <= 90 for chunk in chunks)
    assert all(chunk.context_labels[0] == "Name: Archief" for chunk in chunks[1:])
    assert [chunk.attributes["line_start"] for chunk in chunks] == sorted(chunk.attributes["line_start"] for chunk in chunks)
    assert chunks[0].text.startswith("Name: Archief\nCollection: Verzameling 0\n")
    assert "Verzameling 59" in "".join(chunk.text for chunk in chunks)


@pytest.mark.parametrize("text", ["{}", "[]", '""', "[null]"])
def test_an_entity_that_says_nothing_stands_as_it_is(text: str) -> None:
    assert [chunk.text for chunk in _sound(_json(text))] == [text]


SCHEMA = """id: https://x.example/s
name: s
prefixes: {linkml: "https://w3id.org/linkml/", x: "https://x.example/"}
imports: [linkml:types]
default_prefix: x
default_range: string
classes:
  Base:
    slots: [code]
  House:
    is_a: Base
    tree_root: true
    slots: [label, kind, rooms]
  Room:
    slots: [label, size]
slots:
  code: {identifier: true}
  label: {title: "Name of it", aliases: [name]}
  kind: {range: Kinds}
  rooms: {range: Room, multivalued: true, inlined_as_list: true}
  size: {range: integer}
enums:
  Kinds:
    permissible_values:
      M: {description: a museum, aliases: [musée]}
      A:
"""


def test_a_schema_gives_order_titles_meanings_and_names_what_it_lacks(tmp_path: Path) -> None:
    pytest.importorskip("linkml_runtime")
    (tmp_path / "s.yaml").write_text(SCHEMA)
    made = _yaml(
        "kind: M\ncolour: red\nrooms:\n- {size: 3, label: Hal, door: 1}\n- {label: Zaal}\nname: Huis\ncode: h1\n",
        schema=str(tmp_path / "s.yaml"),
    )
    (one,) = _sound(made)
    assert one.text == (
        "Name of it: Huis\nkind: M\nkind (M): a museum; musée\nrooms › Name of it: Hal\nrooms › size: 3\n"
        "rooms › Name of it: Zaal\ncode: h1"
    )
    assert one.context_labels == ("kind (M): a museum; musée",)
    assert one.attributes["unknown_slots"] == ["colour", "rooms › door"]
    assert [finding.message for finding in made.findings() if finding.rule == "ENT101"] == [
        "the schema has no colour, rooms › door"
    ]


def test_the_options_know_the_schema_by_its_bytes(tmp_path: Path) -> None:
    pytest.importorskip("linkml_runtime")
    hashes = set()
    for number, text in enumerate((SCHEMA, SCHEMA, SCHEMA.replace("a museum", "no museum"))):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "s.yaml").write_text(text)
        hashes.add(_yaml("code: a\n", schema=str(tmp_path / f"{number}" / "s.yaml")).strategy.options_hash)
    assert len(hashes) == 2


def test_what_is_no_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there is no such file"):
        _yaml("a: 1\n", schema=str(tmp_path / "none.yaml"))
    pytest.importorskip("linkml_runtime")
    (tmp_path / "bad.yaml").write_text("- 1\n")
    with pytest.raises(OptionError, match="cannot be read as LinkML"):
        _yaml("a: 1\n", schema=str(tmp_path / "bad.yaml"))


def test_auto_takes_entity_for_trees() -> None:
    assert cut(parsed(b"a: 1\n", "a.yaml", parse_yaml, YAML), "auto").strategy.name == "entity"


def test_a_mapping_from_identifiers_to_entities_at_the_top_is_a_list_of_them() -> None:
    text = "hc:1:\n  preferred_label: Museum A\n  custodian_type: M\n\nhc:2:\n  preferred_label: Library B\n"
    one, two = _sound(_yaml(text))
    assert [chunk.attributes["json_pointer"] for chunk in (one, two)] == ["/hc:1", "/hc:2"]
    assert [(chunk.attributes["line_start"], chunk.attributes["line_end"]) for chunk in (one, two)] == [(1, 3), (5, 6)]
    assert (one.attributes["source_id"], two.text) == ("hc:1", "Name: Library B")
    assert one.source_text.startswith("hc:1:")

    unnamed = "NL-UT-UTR-M-CM:\n  type: M\n  town: Utrecht\nNL-UT-UTR-A-HUA:\n  type: A\n"
    assert [chunk.text for chunk in _sound(_yaml(unnamed))] == ["type: M\ntown: Utrecht", "type: A"]


def test_lists_of_entities_inside_a_wrapper_are_found() -> None:
    made = _sound(
        _json({"meta": {"note": "An export of all"}, "data": {"total": 2, "items": [{"id": 1, "name": "A"}, {"id": 2}]}})
    )
    assert [chunk.attributes["json_pointer"] for chunk in made] == ["/meta", "/data/items/0", "/data/items/1"]
    value = {"type": "uri", "value": "http://www.wikidata.org/entity/Q7"}
    label = {"type": "literal", "value": "Musée", "xml:lang": "fr"}
    bindings = {"head": {"vars": ["item"]}, "results": {"bindings": [{"item": value, "itemLabel": label}]}}
    assert _sound(_json(bindings))[-1].text == f"item: {value['value']}\nitemLabel: Musée"


def test_an_entity_with_lists_is_no_wrapper() -> None:
    text = "custodian_name: {emic_name: Museum Z, name_language: nl}\nghcid_current: NL-OV-ZWO-M-MZ\nidentifiers:\n"
    text += "- {identifier_scheme: ISIL, identifier_value: NL-ZwMZ}\n- {identifier_scheme: VIAF, identifier_value: 123}\n"
    (one,) = _sound(_yaml(text))
    assert one.text == "Name: Museum Z\nISIL: NL-ZwMZ\nVIAF: 123"
    found = {name: one.attributes[name] for name in ("custodian_type", "country_code", "ghcid")}
    assert found == {"custodian_type": "M", "country_code": None, "ghcid": "NL-OV-ZWO-M-MZ"}


def test_what_counts_entities_is_none_of_them_and_prose_beside_them_is_kept() -> None:
    made = _sound(_json({"success": 1, "about": "All museums of Ghent", "museums": [{"name": "A"}]}))
    assert [chunk.text for chunk in made] == ["about: All museums of Ghent", "Name: A"]


def test_the_lines_of_a_dump_may_end_in_commas() -> None:
    items = [{"id": f"Q{number}", "labels": {"en": {"value": f"Museum {number}"}}} for number in (1, 2, 3)]
    made = _sound(_json(",\n".join(map(json.dumps, items)) + ",\n"))
    assert [(chunk.text, chunk.attributes["line_start"]) for chunk in made] == [(f"Name: Museum {n}", n) for n in (1, 2, 3)]


def test_a_key_that_stands_twice_is_named() -> None:
    made = _yaml("hc_id: hc:1\npreferred_label: A\n# more\npreferred_label: B\n")
    assert made.chunks[0].text == "Name: A"
    (finding,) = [finding for finding in made.findings() if finding.rule == "YML101"]
    assert finding.message == "line 4: preferred_label stands twice in one mapping"


KEYED = """
id: https://x.example/s
name: s
classes:
  Museum: {attributes: {name: {}, numbers: {range: Number, multivalued: true, inlined: true}}}
  Number: {attributes: {value: {identifier: true}, scheme: {title: Scheme}}}
"""


def test_things_inlined_by_their_identifier_keep_it(tmp_path: Path) -> None:
    pytest.importorskip("linkml_runtime")
    (tmp_path / "s.yaml").write_text(KEYED)
    text = "type: Museum\nname: A\nnumbers:\n  NL-A: {scheme: ISIL}\n  Q5: Wikidata\n"
    (one,) = _sound(_yaml(text, schema=str(tmp_path / "s.yaml")))
    assert one.text == ("name: A\nnumbers › value: NL-A\nnumbers › Scheme: ISIL\nnumbers › value: Q5\nnumbers › Scheme: Wikidata")
    assert one.attributes["unknown_slots"] == []
