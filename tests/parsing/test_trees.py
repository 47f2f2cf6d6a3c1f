"""YAML and JSON: the text is the file, entities are spans of it."""

import json

import pytest
import yaml
from hypothesis import given

from pecia.errors import BrokenError, LimitError
from pecia.model import BlockKind, Document, LineRange, Pointer, Span
from pecia.parsing.entities import entities
from pecia.parsing.json.reader import parse_json
from pecia.parsing.json.scan import value
from pecia.parsing.media import JSON, YAML
from pecia.parsing.nodes import MAX_DEPTH, Kind, Node
from pecia.parsing.yaml.compose import documents
from pecia.parsing.yaml.reader import parse_yaml
from pecia.testing.documents import parsed, trees


def _yaml(text: str) -> Document:
    return parsed(text.encode(), "a.yaml", parse_yaml, YAML)


def _json(text: str) -> Document:
    return parsed(text.encode(), "a.json", parse_json, JSON)


def _entities(document: Document) -> list[tuple[str, str]]:
    """(pointer, source) of each entity."""
    return [
        (place.pointer, block.span.of(document.text))
        for block in document.blocks
        if block.kind is BlockKind.ENTITY
        for place in block.places
        if isinstance(place, Pointer)
    ]


def _plain(node: Node) -> object:
    """A node as the standard library gives it, all scalars as text and null as an empty one."""
    if node.kind is Kind.SCALAR:
        return node.text
    if node.kind is Kind.SEQUENCE:
        return [_plain(entry.node) for entry in node.entries or ()]
    return {entry.key: _plain(entry.node) for entry in node.entries or ()}


def _texts(tree: object) -> object:
    if isinstance(tree, dict):
        return {key: _texts(item) for key, item in tree.items()}
    if isinstance(tree, list):
        return [_texts(item) for item in tree]
    return tree if isinstance(tree, str) else "" if tree is None else json.dumps(tree)


@given(trees())
def test_json_is_read_as_the_standard_library_reads_it(tree: object) -> None:
    text = json.dumps(tree, ensure_ascii=False, indent=1)
    node = value(text, 0)
    assert _plain(node) == _texts(tree)
    _spans_hold(node, text)


def _spans_hold(node: Node, text: str) -> None:
    """What a node says is what the standard library reads at its span."""
    assert _plain(node) == _texts(json.loads(text[node.start : node.end], parse_float=str, parse_int=str))
    for entry in node.entries or ():
        assert entry.start <= entry.node.start <= entry.node.end == entry.end
        _spans_hold(entry.node, text)


@given(trees())
def test_yaml_is_read_as_pyyaml_reads_it(tree: object) -> None:
    text = yaml.safe_dump(tree, allow_unicode=True)
    (node,) = documents(text)
    again = yaml.load(text, Loader=yaml.BaseLoader)
    assert _plain(node) == _nulls(again)


def _nulls(tree: object) -> object:
    """Plain nulls, which the loader without types gives as they are written, as empty texts."""
    if isinstance(tree, dict):
        return {key: _nulls(item) for key, item in tree.items()}
    if isinstance(tree, list):
        return [_nulls(item) for item in tree]
    return "" if tree == "null" else tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# about\nname: A\nplace:\n  city: B\n# end\n", [("", "name: A\nplace:\n  city: B")]),
        (
            "- name: A\n\n- name: B\n  x: |\n    one\n\n    two\n\n",
            [("/0", "- name: A"), ("/1", "- name: B\n  x: |\n    one\n\n    two")],
        ),
        ("---\nname: A\n---\nname: B\n...\n", [("", "name: A"), ("", "name: B")]),
        (
            "version: 1\nmusea:\n  - name: A\n  - name: B\n",
            [("/musea/0", "- name: A"), ("/musea/1", "- name: B")],
        ),
        ("musea:\n  a: {name: A}\n  b: {name: B}\n", [("/musea/a", "{name: A}"), ("/musea/b", "{name: B}")]),
        ("name: A\nrooms:\n- {no: 1}\n", [("", "name: A\nrooms:\n- {no: 1}")]),
        ("[1, 2]\n", [("", "[1, 2]")]),
        ("a/b~c:\n- name: A\n", [("/a~1b~0c/0", "- name: A")]),
        ("# nothing\n", []),
        ("key:\n", [("", "key:")]),
    ],
)
def test_entities_of_yaml(text: str, expected: list[tuple[str, str]]) -> None:
    assert _entities(_yaml(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "A"}', [("", '{"name": "A"}')]),
        ('[{"name": "A"}, {"name": "B"}]', [("/0", '{"name": "A"}'), ("/1", '{"name": "B"}')]),
        ('{"entities": {"Q1": {"id": "Q1"}, "Q2": {"id": "Q2"}}, "success": 1}',
         [("/entities/Q1", '{"id": "Q1"}'), ("/entities/Q2", '{"id": "Q2"}')]),
        ('{"@context": {"a": {"@id": "b"}}, "@graph": [{"@id": "x"}]}', [("/@graph/0", '{"@id": "x"}')]),
        ('{"name": "A"}\n{"name": "B"}\n', [("", '{"name": "A"}'), ("", '{"name": "B"}')]),
    ],
)  # fmt: skip
def test_entities_of_json(text: str, expected: list[tuple[str, str]]) -> None:
    assert _entities(_json(text)) == expected


def test_an_entity_has_its_lines_and_a_part_of_it_its_own() -> None:
    document = _json('[\n {\n  "name": "A",\n  "city": "B"\n }\n]\n')
    (entity,) = (block for block in document.blocks if block.kind is BlockKind.ENTITY)
    assert document.locate(entity.span).locators == (Pointer("/0", 2, 5),)
    at = document.text.index('"city"')
    assert document.locate(Span(at, at + 4)).locators == (Pointer("/0", 4, 4),)
    assert document.locate(document.blocks[0].span).locators == (LineRange(1, 1),)


def test_aliases_and_merged_mappings_are_followed() -> None:
    text = "- &a\n  name: A\n  city: X\n- <<: *a\n  name: B\n- *a\n"
    found = [_plain(entity.node) for entity in entities(text, YAML)]
    assert found == [{"name": "A", "city": "X"}, {"city": "X", "name": "B"}, {"name": "A", "city": "X"}]
    assert [entity.span.of(text) for entity in entities(text, YAML)] == [
        "- &a\n  name: A\n  city: X",
        "- <<: *a\n  name: B",
        "- *a",
    ]


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system", "!!python/name:os.system", "!ruby/object:X", "!!java.lang.Runtime"]
)
def test_tags_that_ask_for_objects_are_refused(tag: str) -> None:
    with pytest.raises(BrokenError, match=r"line 2: the tag .* asks for an object"):
        _yaml(f"a: 1\nb: {tag} [x]\n")


def test_other_tags_are_let_pass() -> None:
    assert _entities(_yaml("a: !!str 1\nb: !mine x\nc: !!timestamp 2020-01-01\n"))


def test_aliases_that_multiply_are_refused() -> None:
    levels = "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(9))
    with pytest.raises(LimitError, match="aliases make"):
        _yaml("a: &a [x]\n" + levels)


def test_an_alias_within_its_own_anchor_is_refused() -> None:
    with pytest.raises(BrokenError, match="no finished anchor &a"):
        _yaml("&a [*a]\n")


@pytest.mark.parametrize("deep", ["[" * 5000 + "]" * 5000, '{"a":' * 5000 + "1" + "}" * 5000])
def test_deep_nesting_is_refused_in_one_line(deep: str) -> None:
    for parse in (_yaml, _json):
        with pytest.raises((LimitError, BrokenError)) as caught:
            parse(deep)
        assert "\n" not in str(caught.value)


def test_what_is_as_deep_as_people_write_is_read() -> None:
    assert _json("[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)).blocks


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": }', "line 1, column 7"),
        ('{"a": 1\n "b": 2}', "line 2, column 2: a comma or } is missing"),
        ("{'a': 1}", "a name in double quotes is missing"),
        ('["a', "Unterminated string"),
        ("[1, 2] x", "something stands behind the value"),
        ("nul", "a value is missing"),
    ],
)
def test_broken_json_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(BrokenError, match="not JSON") as caught:
        _json(text)
    assert message in str(caught.value)


def test_broken_yaml_is_named_with_its_line() -> None:
    with pytest.raises(BrokenError, match="not YAML: line 2"):
        _yaml("a: 1\n  b: [\n")
