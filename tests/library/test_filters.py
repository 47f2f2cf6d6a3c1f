"""Filters against a computation in memory that knows nothing of the store's."""

import operator
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pecia import plugins
from pecia.errors import FilterError
from pecia.model import Attribute, Query
from pecia.ranking import rank
from pecia.retrieving.bm25 import best
from pecia.storing.filters import conditions, matches
from pecia.storing.sqlite import SqliteStore
from pecia.testing.stores import document_of, line_chunks

ATTRIBUTES = (
    Attribute("tags", "str[]", "several words"),
    Attribute("label", "str", "a word"),
    Attribute("level", "int", "a number"),
    Attribute("weight", "float", "a number"),
    Attribute("flag", "bool", "true or false"),
    Attribute("parts", "object[]", "not to be filtered on"),
)
LABELS = [
    "",
    "a",
    "ab",
    "a%",
    "a_b",
    "b*",
    "é",
    "liều",
    "用量",
    "\U0010ffff",
    "a\U0010ffff",
    "\ud7ff",
    "\ue000",
    "a\0b",
    "'; DROP TABLE chunk; --",
]
WORDS = ["fox", "whale", "liều", "dùng", "會議", "dose", "mg"]


def made(seed=3):
    picker = random.Random(seed)
    for number in range(4):
        document = document_of(
            [" ".join(picker.choices(WORDS, k=picker.randint(1, 9))) for _ in range(20)], f"memory:{number}.txt"
        )
        chunks = []
        for chunk in line_chunks(document, picker.choice(["lines", "other"])):
            first = picker.choice([None, 0, 1, 2, 5])
            pages = None if first is None else (first, first + picker.choice([0, 1, 3]))
            printed = None if pages is None else picker.choice([None, ("iv", "xii"), ("xii", 2), (pages[0] + 10, pages[1] + 10)])
            attributes = {
                "tags": picker.sample(LABELS, picker.randint(0, 3)),
                "label": picker.choice([None, *LABELS]),
                "level": picker.choice([None, 0, 1, -1, 7, 1 << 70]),
                "weight": picker.choice([None, 0, 0.5, -2.25, 3]),
                "flag": picker.choice([None, True, False]),
                "parts": [{"a": 1}],
            }
            headings = tuple(picker.sample(["Top", "Part 1", "Part 2"], picker.randint(0, 2)))
            quarantined = picker.random() < 0.15
            chunks.append(
                replace(chunk, page_range=pages, printed_range=printed, headings=headings, attributes=attributes)
                if not quarantined
                else replace(chunk, page_range=pages, printed_range=printed, attributes=attributes, has_quarantined_content=True)
            )
        yield document, chunks


CUTTINGS = list(made())
CHUNKS = [chunk for _, chunks in CUTTINGS for chunk in chunks]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with SqliteStore(tmp_path_factory.mktemp("library"), attributes=ATTRIBUTES, ranker=best) as store:
        for document, chunks in CUTTINGS:
            store.put(document, chunks, strategy=chunks[0].strategy, options_hash="0", options={})
        yield store


def touches(held, sign, value):
    first, last = held
    if sign == ">=":
        return type(last) is type(value) and last >= value
    if sign == "<=":
        return type(first) is type(value) and first <= value
    return value in held or (all(isinstance(item, int) for item in (first, last, value)) and first <= value <= last)


def fits(chunk, key, sign, values):
    held = chunk.to_record()[key]
    values = values if isinstance(values, list) else [values]
    if key.endswith("_page_range"):
        found = held is not None and any(touches(held, sign, value) for value in values)
    else:
        signs: dict[str, Callable] = {
            "=": operator.eq,
            "!=": operator.eq,
            ">=": operator.ge,
            "<=": operator.le,
            "^=": str.startswith,
        }
        compare = signs[sign]
        items = held if isinstance(held, list) else [] if held is None else [held]
        found = any(compare(item, value) for item in items for value in values)
    return not found if sign == "!=" else found


def conditions_on(values, signs, several=True):
    one = st.tuples(st.sampled_from(signs), values)
    return st.one_of(one, st.tuples(st.sampled_from(["=", "!="]), st.lists(values, max_size=3))) if several else one


TEXTS = st.one_of(st.sampled_from(LABELS), st.text(st.characters(codec="utf-8"), max_size=2))
NUMBERS = st.integers(-3, 40)
ORDER = ["=", "!=", ">=", "<="]
CONDITIONS = st.one_of(
    st.tuples(st.just("label"), conditions_on(TEXTS, [*ORDER, "^="])),
    st.tuples(st.just("tags"), conditions_on(TEXTS, ["=", "!=", "^="])),
    st.tuples(st.just("headings"), conditions_on(st.sampled_from(["Top", "Part 1", "Part", "x"]), ["=", "!=", "^="])),
    st.tuples(st.sampled_from(["level", "start_char", "est_tokens", "part_index"]), conditions_on(NUMBERS, ORDER)),
    st.tuples(st.just("weight"), conditions_on(st.sampled_from([0, 0.5, 3.0, -3, 1.5]), ORDER)),
    st.tuples(st.sampled_from(["flag", "has_quarantined_content", "oversized"]), conditions_on(st.booleans(), ["=", "!="])),
    st.tuples(st.just("source_page_range"), conditions_on(NUMBERS, ORDER)),
    st.tuples(st.just("printed_page_range"), conditions_on(st.one_of(NUMBERS, st.sampled_from(["iv", "xii", "x"])), ORDER)),
    st.tuples(st.just("source_name"), conditions_on(st.sampled_from(["0.txt", "1.txt", "2"]), [*ORDER, "^="])),
    st.tuples(st.just("strategy"), conditions_on(st.sampled_from(["lines", "other", "o"]), [*ORDER, "^="])),
    st.tuples(st.just("document_id"), conditions_on(st.sampled_from([CHUNKS[0].document_id, "8", "f"]), [*ORDER, "^="])),
    st.tuples(
        st.just("chunk_id"), conditions_on(st.sampled_from([CHUNKS[0].chunk_id, CHUNKS[30].chunk_id, "7"]), [*ORDER, "^="])
    ),
    st.tuples(st.sampled_from(["schema_version"]), conditions_on(st.sampled_from([3, 4]), ORDER)),
)


@given(st.lists(CONDITIONS, max_size=3), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.integers(1, 30))
@example([("label", ("^=", "\U0010ffff")), ("label", (">=", "\ue000"))], ["fox"], 5)
@example([("tags", ("=", []))], ["fox"], 5)
def test_filters_and_search_agree_with_brute_force(store, asked, words, k):
    where = {key + sign: value for key, (sign, value) in asked}
    parts = [(key.rstrip("=!<>^"), key[len(key.rstrip("=!<>^")) :], value) for key, value in where.items()]
    expected = [chunk for chunk in CHUNKS if all(fits(chunk, *part) for part in parts)]
    assert sorted(chunk.chunk_id for chunk in store.chunks(where)) == sorted(chunk.chunk_id for chunk in expected)
    compiled = conditions(where, ATTRIBUTES)
    assert [chunk for chunk in CHUNKS if all(matches(item, chunk.to_record()) for item in compiled)] == expected

    text = " ".join(words)
    whole = {chunk.chunk_id: score for chunk, score, _ in store.search(Query(text, len(CHUNKS)))}
    right = [chunk for chunk in expected if chunk.chunk_id in whole]
    right.sort(key=lambda chunk: (chunk.has_quarantined_content, -whole[chunk.chunk_id], chunk.document_id, chunk.span.start))
    found = list(store.search(Query(text, k, where)))
    assert [(chunk, score) for chunk, score, _ in found] == [(chunk, whole[chunk.chunk_id]) for chunk in right[:k]]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.integers(1, 90))
def test_ranking_in_memory_gives_what_a_library_gives(store, words, k):
    plain = [replace(chunk, attributes={}) for chunk in CHUNKS]
    text = " ".join(words)
    hits = rank(plain, [document for document, _ in CUTTINGS], text, k=k)
    assert [(hit.chunk.chunk_id, hit.score) for hit in hits] == [
        (chunk.chunk_id, score) for chunk, score, _ in store.search(Query(text, k))
    ]


def test_conditions_as_text():
    declared = plugins.attributes()
    texts = ["source_name = a=b.pdf", "headings^=Liều", "est_tokens>=3", "oversized=true", "source_page_range<=7"]
    found = [(item.attribute.name, item.operator, item.values) for item in conditions(texts, declared)]
    assert found == [
        ("source_name", "=", ("a=b.pdf",)),
        ("headings", "^=", ("Liều",)),
        ("est_tokens", ">=", (3,)),
        ("oversized", "=", (1,)),
        ("source_page_range", "<=", (7,)),
    ]
    assert conditions(None, declared) == conditions([], declared) == conditions({}, declared) == ()


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"sektion": "x"}, "page_number"),
        (["nonsense"], "key=value"),
        ({"est_tokens": "many"}, "not a value"),
        ({"est_tokens": True}, "not a value"),
        ({"est_tokens>=": [1, 2]}, "one value"),
        ({"est_tokens^=": "1"}, "takes"),
        ({"headings>=": "a"}, "takes"),
        ({"oversized": "perhaps"}, "not a value"),
        ({"text": "fox"}, "no attribute"),
        ({"locators": "fox"}, "no attribute"),
        ({"source_name": None}, "not a value"),
        ({"source_name": "\ud800"}, "not a value"),
        ({"est_tokens": 1 << 64}, "not a value"),
        ({"source name": "x"}, "not the name"),
        ("source_name=x", "a list of conditions"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_way_out(where, message):
    with pytest.raises(FilterError, match=message):
        conditions(where, plugins.attributes())
