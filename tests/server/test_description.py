"""The OpenAPI description holds: whatever it allows is answered as it says, and nothing makes the service fail."""

from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from tests.server.serving import Server

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
CALM = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def test_answers_are_as_described(filled: Server) -> None:
    description: Any = schemathesis.openapi.from_url(f"{filled.base}/api/v1/openapi.json")
    endless = description.include(path_regex="/v1/events$").get_all_operations()
    assert [found.ok().label for found in endless] == ["GET /api/v1/events"]  # test_api reads it, since it does not end
    description = description.exclude(path_regex="/v1/events$")
    tried = list[str]()
    for found in description.get_all_operations():
        operation = found.ok()

        @CALM
        @given(case=operation.as_strategy())
        def answers(case: Any) -> None:
            case.call_and_validate(checks=CHECKS, timeout=60)

        answers()
        tried.append(operation.label)
    described = filled.get("/openapi.json").json()["paths"]
    every = {f"{verb.upper()} {path}" for path, verbs in described.items() for verb in verbs}
    assert {*tried, "GET /api/v1/events"} == every
    assert len(filled.documents()) >= 9  # no id that was tried is that of a document
