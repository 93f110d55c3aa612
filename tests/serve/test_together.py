"""What several processes share besides games: ended sessions, limits, and who is there; with Redis and without."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import httpx
import pytest
from places import PATIENCE, PrivateRedis, private_redis, redis_url, until
from test_workers import begun, bus_of, side_by_side

from hedgerow.serve.people import shared_limits
from hedgerow.serve.people.accounts import Account, digest
from hedgerow.serve.people.limits import Limit, Limits, TooMany
from hedgerow.serve.people.shared_limits import SharedLimits
from hedgerow.serve.process import operator
from hedgerow.serve.process.app import create
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import queries
from hedgerow.tools.serve_bench import server_process

__all__ = ["private_redis", "redis_url"]

pytestmark = pytest.mark.anyio

PASSWORD = "under the hedge"


async def lines(servers: list[Server], token: str) -> list[bool]:
    """Whether the lines of a session are closed, one in every server; the session is believed there, too."""
    closed = [False] * len(servers)

    def close(number: int) -> None:
        closed[number] = True

    for number, server in enumerate(servers):
        assert await server.accounts.of(token)
        server.connections.join(digest(token), lambda number=number: close(number))  # type: ignore[misc]
        server._sweeping.cancel()  # the net below is not what closes them
    return closed


async def house_of(server: Server) -> str:
    async with server.store.read() as connection:
        return await queries.installation(connection)


async def sign_out(server: Server, account: Account, token: str, redis: str) -> None:
    await server.accounts.sign_out(token)


async def new_password(server: Server, account: Account, token: str, redis: str) -> None:
    await server.accounts.new_password(account.id, "another hedge")


async def delete(server: Server, account: Account, token: str, redis: str) -> None:
    await server.accounts.delete(account.id)


async def ban(server: Server, account: Account, token: str, redis: str) -> None:
    await operator.ban(server.store, account.name, True, redis)


async def by_the_operator(server: Server, account: Account, token: str, redis: str) -> None:
    await operator.reset_password(server.store, account.name, redis)


@pytest.mark.parametrize("end", [sign_out, new_password, delete, ban, by_the_operator], ids=lambda end: end.__name__)
async def test_a_session_ends_everywhere_at_once(end: object, postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url, 3) as servers:
        account, token = await servers[0].accounts.sign_up("Ann", PASSWORD, None, None)
        closed = await lines(servers, token)
        await end(servers[1], account, token, redis_url)  # type: ignore[operator]
        await until(lambda: all(closed))
        assert [await server.accounts.of(token) for server in servers] == [None] * 3


async def test_what_an_account_becomes_is_known_everywhere(postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url) as (one, two):
        account, token = await one.accounts.sign_up("Ann", PASSWORD, None, None)
        assert await two.accounts.of(token) == account
        await one.tokens.become_bot(account)

        async def known() -> bool:
            found = await two.accounts.of(token)
            return found is not None and found.bot

        await until(known)


async def test_a_session_that_ends_while_it_is_looked_up_is_not_believed(server: Server) -> None:
    _, token = await server.accounts.sign_up("Ann", PASSWORD, None, None)
    real = server.accounts._of_session

    async def slow(key: str, at: int) -> object:
        row = await real(key, at)
        server.accounts.end([key])
        return row

    server.accounts._of_session = slow  # type: ignore[method-assign]
    assert await server.accounts.of(token) is None and not server.accounts._known


# --- limits -----------------------------------------------------------------------------------------------------------


def limits_at(url: str, house: str, **table: Limit) -> Limits:
    made = Limits(shared=SharedLimits(url, house))
    made._table |= table
    return made


async def tried(limits: Limits, what: str, key: str, times: int) -> int:
    """How many are let through."""
    return [await limits.wait_everywhere(what, key) > 0 for _ in range(times)].count(False)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine Redis may be slow without being away."""
    monkeypatch.setattr(shared_limits, "PATIENCE", PATIENCE)


@pytest.mark.usefixtures("patient")
async def test_four_processes_let_as_many_through_as_one(redis_url: str) -> None:
    house = os.urandom(6).hex()
    four = [limits_at(redis_url, house) for _ in range(4)]
    through = await asyncio.gather(*(tried(limits, "password", "ann", 8) for limits in four))
    assert sum(through) == 8
    with pytest.raises(TooMany, match="too many tries with a password for this name; hint: try again in"):
        for limits in four:
            await limits.check_everywhere("password", "ann")
    assert await tried(four[1], "password", "bo", 3) == 3
    other = limits_at(redis_url, os.urandom(6).hex())
    assert await tried(other, "password", "ann", 9) == 8  # another house's people are others
    for limits in (*four, other):
        await limits.stop()


@pytest.mark.usefixtures("patient")
async def test_what_is_used_up_comes_back_with_time_and_may_cost_more(redis_url: str) -> None:
    house = os.urandom(6).hex()
    one, two = (limits_at(redis_url, house, work=Limit(10, 10)) for _ in range(2))
    assert await one.wait_everywhere("work", "ann", cost=7) == 0
    assert await two.wait_everywhere("work", "ann", cost=7) > 0
    assert await two.wait_everywhere("work", "ann", cost=3) == 0

    async def enough() -> bool:
        return await two.wait_everywhere("work", "ann", cost=7) == 0

    await until(enough)
    await one.stop()
    await two.stop()


async def test_without_redis_every_process_counts_alone(
    private_redis: PrivateRedis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared_limits, "REST", 0.2)
    caplog.set_level("INFO", "hedgerow.limits")
    one, two = (limits_at(private_redis.url, "house") for _ in range(2))
    assert await tried(one, "password", "ann", 5) == 5
    private_redis.kill()
    begun_at = time.monotonic()
    assert await tried(two, "password", "ann", 20) == 8 and await tried(one, "password", "ann", 20) == 3
    assert time.monotonic() - begun_at < 10
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2  # each says so once
    private_redis.start()
    three = limits_at(private_redis.url, "house")
    assert await tried(three, "password", "bo", 9) == 8

    async def shared_again() -> bool:
        await one.wait_everywhere("guest", "anybody")
        return "limits are shared again" in caplog.text

    await until(shared_again)
    assert await one.wait_everywhere("password", "bo") > 0
    for limits in (one, two, three):
        await limits.stop()


async def test_a_redis_that_hangs_holds_nobody_up_for_long(private_redis: PrivateRedis) -> None:
    limits = limits_at(private_redis.url, "house")
    assert await tried(limits, "password", "ann", 1) == 1
    process = private_redis._process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    try:
        async with asyncio.timeout(10):
            assert sum(await asyncio.gather(*(tried(limits, "password", f"{n}", 1) for n in range(100)))) == 100
    finally:
        os.kill(process.pid, signal.SIGCONT)
        await limits.stop()


# --- who is there -----------------------------------------------------------------------------------------------------


async def test_who_watched_with_a_process_that_died_is_gone(
    postgres: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.serve.bus.redis.GONE", 3.0)
    async with side_by_side(postgres, redis_url) as (one, two):
        game, _ = await begun(one)
        one.spectators.come(game)
        two.spectators.come(game)
        two.spectators.come(game, 1)
        await until(lambda: one.spectators.count(game) == two.spectators.count(game) == 2)
        assert one.spectators.seats(game) == [1]
        for task in bus_of(two)._tasks:  # as if it were killed: it says nothing, not even goodbye
            task.cancel()
        await until(lambda: one.spectators.count(game) == 1 and one.spectators.seats(game) == [])
        assert bus_of(two).name not in bus_of(one)._last


async def test_a_process_that_was_only_silent_is_asked_again(postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url) as (one, two):
        game, _ = await begun(one)
        one.spectators.come(game)
        two.spectators.come(game)
        await until(lambda: one.spectators.count(game) == 2)
        bus_of(one)._alive[bus_of(two).name] = time.monotonic() - 60  # not heard for a minute
        bus_of(one)._count_heads()
        assert one.spectators.count(game) == 1
        await until(lambda: one.spectators.count(game) == 2)


# --- real processes ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs several workers at one port")
def test_four_workers_are_one_server(tmp_path: Path, postgres: str, redis_url: str) -> None:
    places = ("--database", postgres, "--redis", redis_url, "--workers", "4", "--engines", "0")
    with server_process(str(tmp_path), *places) as (process, port):
        assert process.stderr is not None
        for _ in range(4):
            while "redis is there" not in process.stderr.readline():
                assert process.poll() is None
        url = f"http://127.0.0.1:{port}"
        answer = httpx.post(f"{url}/api/sign-up", json={"name": "Ann", "password": PASSWORD})
        cookies = dict(answer.cookies)

        def name() -> object:  # a new connection every time, so that every worker is asked
            account = httpx.get(f"{url}/api/me", cookies=cookies).json()["account"]
            return account and account["name"]

        assert [name() for _ in range(20)] == ["Ann"] * 20
        httpx.post(f"{url}/api/sign-out", cookies=cookies)
        end = time.monotonic() + PATIENCE
        while [name() for _ in range(20)] != [None] * 20:
            assert time.monotonic() < end
        wrong = {"name": "Ann", "password": "not the hedge"}
        codes = [httpx.post(f"{url}/api/sign-in", json=wrong).status_code for _ in range(32)]
        assert codes.count(401) == 8 and codes.count(429) == 24


async def test_one_process_has_nobody_to_ask(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, engines=0)
    app = create(settings)
    async with app.router.lifespan_context(app):
        limits = app.state.server.limits
        assert limits._shared is None and await tried(limits, "password", "ann", 9) == 8
