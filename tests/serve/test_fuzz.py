"""Schemathesis over the OpenAPI description: whatever is sent, the server does not fail."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from hedgerow.serve.app import create
from hedgerow.serve.bench import Visitor, wait_until_ready
from hedgerow.serve.run import config_of, listen
from hedgerow.serve.settings import Settings

EXAMPLES = 5
QUIET = list(HealthCheck)


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The description of a server that listens in this process; its `session` is a person's."""
    chosen = Settings(data=tmp_path_factory.mktemp("data"), engines=0, limits=False)
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = uvicorn.Server(config_of(create(chosen), chosen))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    wait_until_ready(port)
    ann = Visitor(port)
    ann.ask("POST", "/api/sign-up", {"name": "Ann", "password": "under the hedge"})
    ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})
    found: Any = schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/openapi.json")
    found.session = ann.cookie
    yield found
    server.should_exit = True
    thread.join(10)


def try_out(operation: Any, headers: dict[str, str]) -> None:
    """Sends what the description allows, and what it does not."""

    @settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=QUIET)
    @given(case=operation.as_strategy())
    def never_fails(case: schemathesis.Case) -> None:
        if case.path == "/api/stream":  # it would not end by itself
            case.query = {**(case.query or {}), "wait": False}
        answer = case.call(headers=headers, timeout=20)
        assert answer.status_code < 500, answer.text
        case.validate_response(answer, checks=[content_type_conformance, response_schema_conformance])

    never_fails()


def test_nothing_that_is_sent_makes_the_server_fail(schema: Any) -> None:
    tried = []
    for found in schema.get_all_operations():
        operation = found.ok()
        ends_sessions = operation.path in ("/api/sign-out", "/api/account/delete", "/api/account/sessions")
        try_out(operation, {} if ends_sessions else {"Cookie": schema.session})
        tried.append(operation.path)
    assert len(tried) > 30 and "/api/games/{game}/turns" in tried
