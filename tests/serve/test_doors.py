"""The doors: who asks too fast waits and nobody else does, half a request is closed, and nothing private gets out."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
import re
import socket
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from serving import Visit, listening
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hedgerow.serve.people import limits
from hedgerow.serve.people.limits import Limit, Limits, TooMany
from hedgerow.serve.process import logs, protocol_http
from hedgerow.serve.process.app import create
from hedgerow.serve.settings import Settings
from hedgerow.tools.serve_bench import Visitor, server_process

pytestmark = pytest.mark.anyio


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_bucket_fills_with_time() -> None:
    limit = Limit(rate=2, burst=3)
    assert [limit.wait("a", at=10) for _ in range(4)] == [0, 0, 0, 0.5]
    assert limit.wait("a", at=10.25) == 0.25 and limit.wait("a", at=10.5) == 0
    assert [limit.wait("a", at=1000) for _ in range(4)] == [0, 0, 0, 0.5]


def test_buckets_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KEYS", 10)
    limit = Limit(rate=1, burst=1)
    for number in range(100):
        limit.wait(str(number), at=0)
    assert len(limit._buckets) == 10 and limit.wait("99", at=0) == 1


def test_a_network_of_ipv6_is_one_address() -> None:
    def address(host: str) -> str:
        return limits.address_of(httpx_scope(host))

    assert address("2001:db8::1") == address("2001:db8::ffff:1") != address("2001:db8:1::1")
    assert address("::ffff:192.0.2.1") == address("192.0.2.1") != address("192.0.2.2")
    assert address("somewhere") == "somewhere"


def httpx_scope(host: str) -> Any:
    from starlette.requests import HTTPConnection

    return HTTPConnection({"type": "http", "client": (host, 1), "headers": []})


def test_limits_can_be_turned_off() -> None:
    with pytest.raises(TooMany, match="hint: try again in"):
        on = Limits()
        for _ in range(100):
            on.check("password", "x")
    off = Limits(on=False)
    for _ in range(100_000):
        off.check("password", "x")


def from_address(app: FastAPI, host: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, client=(host, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://here.test")


async def test_who_guesses_passwords_locks_out_nobody_else(app: FastAPI) -> None:
    right = {"name": "Ann", "password": "under the hedge"}
    async with from_address(app, "192.0.2.1") as guesser, from_address(app, "192.0.2.2") as ann:
        await ann.post("/api/sign-up", json=right)
        tried = [
            (await guesser.post("/api/sign-in", json={"name": "ANN", "password": f"guess {n}"})).status_code
            for n in range(10)
        ]
        assert tried == [401] * 8 + [429] * 2
        held_up = await guesser.post("/api/sign-in", json=right)
        assert held_up.json()["code"] == "too_many" and int(held_up.headers["retry-after"]) > 0
        assert (await ann.post("/api/sign-in", json=right)).status_code == 200
        other = await guesser.post("/api/sign-in", json={"name": "Bo", "password": "guess"})
        assert other.status_code == 401  # others at the same address sign in as ever


async def test_a_busy_account_does_not_lock_out_its_address(app: FastAPI) -> None:
    app.state.server.limits._table["account"] = Limit(0.001, 5)
    async with from_address(app, "192.0.2.1") as busy, from_address(app, "192.0.2.1") as neighbour:
        await busy.post("/api/guest")
        assert [(await busy.get("/api/me")).status_code for _ in range(7)] == [200] * 5 + [429] * 2
        await neighbour.post("/api/guest")
        assert (await neighbour.get("/api/me")).status_code == 200


async def test_new_games_and_guests_have_limits(app: FastAPI) -> None:
    table = app.state.server.limits._table
    table["game"], table["guest"] = Limit(0.001, 2), Limit(0.001, 1)
    async with from_address(app, "192.0.2.1") as ann, from_address(app, "192.0.2.1") as bo:
        made = [(await ann.post("/api/games", json={"rules": "hexbo"})).status_code for _ in range(3)]
        assert made == [201, 201, 429]
        assert (await bo.post("/api/guest")).status_code == 429
        assert (await bo.post("/games", data={"rules": "hexbo"}, headers={"Accept": "text/html"})).status_code == 429


# --- half a request ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server_process(str(tmp_path_factory.mktemp("data")), "--engines", "0") as (_, port):
        yield port


HALVES = {
    "nothing": b"",
    "a line": b"GET /api/me HTTP/1.1\r\n",
    "headers": b"GET /api/me HTTP/1.1\r\nHost: here\r\nX-Slow: ",
    "body": b"POST /api/sign-in HTTP/1.1\r\nHost: here\r\nContent-Length: 50\r\n\r\n{",
    "chunks": b"POST /api/sign-in HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    "second": b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\nGET /healthz HTTP/1.1\r\nHo",
}


async def test_half_sent_requests_are_closed(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, engines=0, deadline=0.3)
    assert Settings().deadline == 12
    async with listening(create(settings), settings) as port:
        lines = {}
        for name, half in HALVES.items():
            reader, writer = lines[name] = await asyncio.open_connection("127.0.0.1", port)
            writer.write(half)
        for name, (reader, writer) in lines.items():
            try:
                async with asyncio.timeout(10):
                    with contextlib.suppress(ConnectionResetError):
                        await reader.read()  # until it is closed
            except TimeoutError:
                pytest.fail(f"{name} is still open")
            writer.close()
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as ann:
            assert (await ann.get("/readyz")).status_code == 200


def test_drops_do_not_keep_a_request_alive() -> None:
    """A byte now and then does not move the deadline."""

    async def drip() -> float:
        import uvicorn

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await receive()

        config = uvicorn.Config(app, http=protocol_http.within(0.3), lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            task = asyncio.create_task(server.serve(sockets=[listening]))
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            begun = time.monotonic()
            writer.write(b"GET / HTTP/1.1\r\nX: ")
            while not reader.at_eof() and time.monotonic() - begun < 5:
                writer.write(b"x")
                try:
                    await asyncio.wait_for(reader.read(1), 0.05)
                except TimeoutError:
                    continue
                except ConnectionError:
                    break
            server.should_exit = True
            await task
        return time.monotonic() - begun

    assert 0.2 < asyncio.run(drip()) < 2


def test_headers_have_a_size(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 10) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n")
        with pytest.raises(OSError):
            for _ in range(200):
                line.sendall(b"X-Long: " + b"x" * 1000 + b"\r\n")
                time.sleep(0.002)


# --- what is said -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "status"),
    [
        ("POST", "/api/sign-in", {"name": "Ann", "password": ["my secret"]}, "bad_request", 422),
        ("POST", "/api/sign-in", None, "bad_request", 422),
        ("GET", "/api/games?limit=0", None, "bad_request", 422),
        ("GET", "/api/nowhere", None, "not_found", 404),
        ("DELETE", "/api/me", None, "bad_method", 405),
        ("POST", "/api/games", {"rules": "chess"}, "unreadable", 422),
    ],
)
async def test_every_refusal_has_one_shape(
    visit: Visit, method: str, path: str, body: Any, code: str, status: int
) -> None:
    async with visit() as ann:
        answer = await ann.request(method, path, json=body)
        assert answer.status_code == status and answer.json()["code"] == code
        assert "hint:" in answer.json()["message"] and "my secret" not in answer.text


async def test_a_mistake_of_ours_tells_nothing(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: Any) -> None:
        raise RuntimeError("the secret")

    monkeypatch.setattr(app.state.server.accounts, "of", fails)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://here.test") as ann:
        answer = await ann.get("/api/me")
    assert answer.status_code == 500 and answer.json()["code"] == "failed" and "secret" not in answer.text


async def test_the_description_tells_refusals(visit: Visit) -> None:
    async with visit() as ann:
        described = (await ann.get("/openapi.json")).json()
    assert "HTTPValidationError" not in described["components"]["schemas"]
    assert "RefusalView" in described["components"]["schemas"]


async def test_people_get_a_page_and_programs_get_json(visit: Visit) -> None:
    async with visit() as ann:
        page = await ann.get("/games/nowhere", headers={"Accept": "text/html"})
        assert page.status_code == 404 and "That did not work" in page.text
        assert (await ann.get("/games/nowhere")).json()["code"] == "not_found"


def test_no_secret_is_logged() -> None:
    stream = io.StringIO()
    before = logging.getLogger().handlers[:], logging.getLogger().level
    try:
        for as_json in (True, False):
            logs.start_logging(as_json, stream)
            logger = logging.getLogger("hedgerow.test")
            token = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
            logger.info("Cookie: hedgerow=%s", token)
            logger.info("GET /reset/%s and /sign-up?invitation=%s", token, token)
            try:
                raise ValueError(f"smtps://ann:{token}@mail.example.org did not answer")
            except ValueError:
                logger.exception("mail for Ann")
    finally:
        logging.getLogger().handlers[:], level = before
        logging.getLogger().setLevel(level)
    assert token not in stream.getvalue() and stream.getvalue().count("***") >= 8
    first = json.loads(stream.getvalue().splitlines()[0])
    assert first["level"] == "info" and first["from"] == "hedgerow.test" and first["at"].endswith("+00:00")


async def test_a_statement_that_fails_shows_no_values(app: FastAPI) -> None:
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    with pytest.raises(DBAPIError) as failed:
        async with app.state.server.store.read() as connection:
            await connection.execute(text("SELECT :value FROM nowhere"), {"value": "the secret"})
    assert "the secret" not in str(failed.value)


# --- private games ----------------------------------------------------------------------------------------------------


async def test_private_games_are_seen_by_their_players(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as other:
        asked = {"rules": "hexbo(side=5)", "opponent": "friend", "private": True}
        game = (await ann.post("/api/games", json=asked)).json()["id"]
        assert (await bo.get(f"/api/games/{game}")).status_code == 200  # by the link, while a seat is free
        await bo.post(f"/api/games/{game}/join")
        await ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A1"})
        await other.post("/api/guest")
        paths = (
            f"/api/games/{game}",
            f"/api/games/{game}/record",
            f"/api/games/{game}/why-not?text=A2",
            f"/games/{game}",
        )
        for path in paths:
            assert (await ann.get(path)).status_code == (await bo.get(path)).status_code == 200, path
            assert (await other.get(path)).status_code == 404, path
        for path in (f"/api/games/{game}/join", f"/api/games/{game}/resign", f"/games/{game}/join"):
            assert (await other.post(path)).status_code == 404, path
        assert (await other.get("/api/games?mine=false")).json() == []


def test_private_games_are_not_followed_by_others(port: int) -> None:
    ann, bo = Visitor(port), Visitor(port)
    game = ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend", "private": True})["id"]
    bo.ask("POST", f"/api/games/{game}/join")
    url = f"ws://127.0.0.1:{port}/api/games/{game}/socket"
    with connect(url, additional_headers={"Cookie": bo.cookie}) as mine, connect(url) as theirs:
        assert json.loads(mine.recv(5))["you"] == 1
        assert json.loads(theirs.recv(5))["code"] == "not_found"
        with pytest.raises(ConnectionClosed):
            theirs.recv(5)


def test_a_fast_socket_waits(port: int) -> None:
    """Messages beyond the limit are taken later, and none is lost."""
    ann = Visitor(port)
    game = ann.ask("POST", "/api/games", {"rules": "hexbo(side=5)", "opponent": "friend"})["id"]
    with connect(f"ws://127.0.0.1:{port}/api/games/{game}/socket", additional_headers={"Cookie": ann.cookie}) as line:
        line.recv(5)
        begun = time.monotonic()
        for _ in range(1300):
            line.send('{"type": "ping"}')
        told = (json.loads(line.recv(10))["type"] for _ in range(1400))
        answers = list(islice((kind for kind in told if kind != "watchers"), 1300))
    assert answers == ["pong"] * 1300 and time.monotonic() - begun > 1300 / 200 - 1000 / 200 - 0.1


# --- behind a proxy ---------------------------------------------------------------------------------------------------

PUBLIC = "https://play.example.org"


@pytest.mark.parametrize(
    ("public_url", "proxies", "believed"),
    [
        (PUBLIC, "127.0.0.1,::1", True),
        (PUBLIC, "192.0.2.200", False),  # the proxy that asks is none of ours
        (None, "127.0.0.1,::1", False),  # without a public URL there is no proxy
    ],
)
async def test_who_asks_by_way_of_a_proxy(tmp_path: Path, public_url: str | None, proxies: str, believed: bool) -> None:
    settings = Settings(data=tmp_path, engines=0, public_url=public_url, proxies=proxies)
    app = create(settings)
    async with listening(app, settings) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as proxy:
        app.state.server.accounts.hashing.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

        async def guess(address: str) -> int:
            headers = {"X-Forwarded-For": address, "X-Forwarded-Proto": "https"}
            asked = {"name": "Ann", "password": "a guess"}
            return (await proxy.post("/api/sign-in", json=asked, headers=headers)).status_code

        tried = [await guess("192.0.2.1") for _ in range(9)]
        assert tried == [401] * 8 + [429]
        assert await guess("203.0.113.7, 192.0.2.1") == 429  # what a client says about itself is not believed
        assert await guess("192.0.2.2") == (401 if believed else 429)
        made = await proxy.post("/games", data={"rules": "hexbo", "opponent": "friend"}, headers={"Host": "10.9.9.9"})
        cookie = made.headers["set-cookie"]
        assert ("secure" in cookie.lower()) == bool(public_url)
        mine = {"Host": "10.9.9.9", "X-Forwarded-Proto": "https", "Cookie": cookie.split(";")[0]}
        page = await proxy.get(made.headers["location"], headers=mine)
        assert f'href="{public_url or "http://10.9.9.9"}/games/' in page.text
        seen = app.state.server.addresses
        guest = {"X-Forwarded-For": "192.0.2.77", "Cookie": cookie.split(";")[0]}
        await proxy.get("/api/me", headers=guest)
        assert set(seen.values()) == {"192.0.2.77" if believed else "127.0.0.1"}


async def test_too_many_tries_say_how_long_to_wait(app: FastAPI) -> None:
    async with from_address(app, "192.0.2.1") as guesser:
        for _ in range(9):
            answer = await guesser.post("/api/sign-in", json={"name": "Ann", "password": "a guess"})
        said = answer.json()["message"]
        assert re.fullmatch(r"too many tries with a password for this name; hint: try again in \d+ seconds?", said)
        page = await guesser.post("/sign-in", data={"name": "Ann", "password": "a guess"})
        assert page.status_code == 429 and "too many tries" in page.text and "try again in" in page.text
