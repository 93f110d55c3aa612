"""A private game is seen by whoever has the link while a seat is free, and from its beginning by its players alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from places import redis_url
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from hedgerow.tools.serve_bench import Visitor, random_game, server_process

__all__ = ["redis_url"]

TURNS = [text for _, text in random_game("hexbo(side=5)", 1)]
THREE = "hexbo(side=5,players=3)"


@pytest.fixture(params=["one process", "two workers"])
def port(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    options: tuple[str, ...] = ()
    if request.param == "two workers":
        database, redis = request.getfixturevalue("postgres"), request.getfixturevalue("redis_url")
        options = ("--database", database, "--redis", redis, "--workers", "2")
    with server_process(str(tmp_path), "--engines", "0", *options) as (_, port):
        yield port


@contextmanager
def follow(port: int, game: str, cookie: str = "") -> Iterator[ClientConnection]:
    headers = {"Cookie": cookie} if cookie else {}
    with connect(f"ws://127.0.0.1:{port}/api/games/{game}/socket", additional_headers=headers) as line:
        assert json.loads(line.recv(5))["type"] == "state"
        yield line


def heard(line: ClientConnection) -> tuple[list[str], int | None]:
    """The kinds of everything that comes, and the code of the close; None where there is none for a while."""
    kinds: list[str] = []
    while True:
        try:
            kinds.append(json.loads(line.recv(3))["type"])
        except TimeoutError:
            return kinds, None
        except ConnectionClosed as closed:
            return kinds, closed.rcvd.code if closed.rcvd else 0


def until(line: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        told: dict[str, Any] = json.loads(line.recv(10))
        if told["type"] == kind:
            return told


def test_who_opened_a_line_while_a_seat_was_free_does_not_see_the_game(port: int) -> None:
    """Several lines of each, so that every worker has some."""
    ann, bo, other = (Visitor(port) for _ in range(3))
    asked = {"rules": "hexbo(side=5)", "opponent": "friend", "private": True}
    game = ann.ask("POST", "/api/games", asked)["id"]
    other.ask("POST", "/api/guest")
    with ExitStack() as stack:
        strangers = [stack.enter_context(follow(port, game, cookie)) for cookie in ("", other.cookie) for _ in range(4)]
        hers = [stack.enter_context(follow(port, game, ann.cookie)) for _ in range(3)]
        bo.ask("POST", "/api/guest")
        his = stack.enter_context(follow(port, game, bo.cookie))  # he has no seat yet
        bo.ask("POST", f"/api/games/{game}/join")
        ann.ask("POST", f"/api/games/{game}/turns", {"number": 0, "text": TURNS[0]})
        for line in (*hers, his):
            assert until(line, "event")["version"] == 1
        for line in strangers:
            kinds, code = heard(line)
            assert code == 1008 and not {"event", "seats", "offers", "chat"} & {*kinds}
        bo.ask("POST", f"/api/games/{game}/turns", {"number": 1, "text": TURNS[1]})
        for line in (*hers, his):
            assert until(line, "event")["version"] == 2


def test_while_a_seat_is_free_all_is_seen(port: int) -> None:
    ann, bo = Visitor(port), Visitor(port)
    game = ann.ask("POST", "/api/games", {"rules": THREE, "opponent": "friend", "private": True})["id"]
    with follow(port, game) as stranger:
        bo.ask("POST", f"/api/games/{game}/join")
        assert until(stranger, "seats")["version"] == 0
        Visitor(port).ask("POST", f"/api/games/{game}/join")
        assert heard(stranger)[1] == 1008


def test_a_game_called_off_before_it_began_is_not_seen_either(port: int) -> None:
    ann = Visitor(port)
    asked = {"rules": "hexbo(side=5)", "opponent": "friend", "private": True}
    game = ann.ask("POST", "/api/games", asked)["id"]
    with follow(port, game) as stranger, follow(port, game, ann.cookie) as hers:
        ann.ask("POST", f"/api/games/{game}/cancel")
        assert until(hers, "event")["version"] == 1
        kinds, code = heard(stranger)
        assert code == 1008 and "event" not in kinds


def test_a_public_game_is_seen_by_all(port: int) -> None:
    ann, bo = Visitor(port), Visitor(port)
    game = ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"]
    with follow(port, game) as stranger:
        bo.ask("POST", f"/api/games/{game}/join")
        ann.ask("POST", f"/api/games/{game}/turns", {"number": 0, "text": TURNS[0]})
        assert until(stranger, "event")["version"] == 1


def test_a_session_that_ends_takes_its_lines_with_it(port: int) -> None:
    ann, bo = Visitor(port), Visitor(port)
    game = ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend", "private": True})["id"]
    with follow(port, game, ann.cookie) as hers:  # while it waits, and its line is still in doubt
        bo.ask("POST", f"/api/games/{game}/join")
        until(hers, "seats")
        ann.line.request("POST", "/api/sign-out", headers={"Cookie": ann.cookie})
        assert ann.line.getresponse().status < 300
        code = None
        while code is None:
            code = heard(hers)[1]
        assert code == 4001
