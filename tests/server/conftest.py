"""One server for the tests that leave it as it was, each with documents of its own names."""

from collections.abc import Iterator

import pytest

from tests.server.papers import KINDS
from tests.server.serving import BOOK, GUIDE, PAPER, REPORT, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("served") / "library")
    yield found
    found.stop()


@pytest.fixture(scope="session")
def filled(server: Server) -> Server:
    """The examples, each under the strategy that suits it, one under two."""
    jobs = [
        server.send(file, strategy=strategy).json()["id"]
        for file, strategy in (
            (PAPER, "question"),
            (REPORT, "heading"),
            (REPORT, "page"),
            (BOOK, "monograph"),
            (GUIDE, "heading"),
        )
    ]
    jobs += [
        server.send((f"{name}{KINDS[name][0]}", KINDS[name][1]), strategy=name).json()["id"]
        for name in ("conversation", "website", "registry", "entity")
    ]
    assert {server.done(job)["state"] for job in jobs} == {"done"}
    return server
