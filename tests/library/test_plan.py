"""The query plan against a search that looks at everything, where there is more than the plan reads."""

import random

import pytest

from pecia.model import Query
from pecia.retrieving.bm25 import Ranking, best
from pecia.storing.sqlite import SqliteStore
from pecia.testing.stores import document_of, line_chunks

VOCABULARY = [f"w{number}q" for number in range(300)]
WEIGHTS = [1 / (number + 1) for number in range(300)]
PLANS: list[Ranking] = []


def planned(*given):
    PLANS.append(best(*given, budget=800))
    return PLANS[-1]


def exhaustive(*given):
    return best(*given, exhaustive=True)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    picker = random.Random(11)
    document = document_of([" ".join(picker.choices(VOCABULARY, WEIGHTS, k=picker.randint(20, 60))) for _ in range(2500)])
    with (
        SqliteStore(folder, attributes=(), ranker=planned) as ours,
        SqliteStore(folder, attributes=(), ranker=exhaustive) as yardstick,
    ):
        ours.put(document, line_chunks(document), strategy="lines", options_hash="0", options={})
        yield ours, yardstick


@pytest.mark.parametrize("where", [{}, {"est_tokens>=": 30}, {"part_index<=": 1500}, {"part_index": [5, 99, 2000, 2001]}])
def test_what_says_so_is_complete_and_every_score_is_the_same(stores, where):
    ours, yardstick = stores
    picker = random.Random(5)
    PLANS.clear()
    for _ in range(20):
        query = Query(" ".join(picker.choices(VOCABULARY, WEIGHTS, k=picker.randint(1, 30))), 10, where)
        found = [(chunk.chunk_id, score) for chunk, score, _ in ours.search(query)]
        right = [(chunk.chunk_id, score) for chunk, score, _ in yardstick.search(query)]
        if PLANS[-1].complete:
            assert found == right
        more = {chunk.chunk_id: score for chunk, score, _ in yardstick.search(Query(query.text, 100, where))}
        assert all(more[chunk] == score for chunk, score in found)
        assert len(found) == min(10, len(more))
    assert any(plan.complete for plan in PLANS) == (where.keys() == {"part_index"})
