"""Several processes on one database: two servers side by side here, and real ones; any of them serves any game."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from places import PATIENCE, PrivateRedis, private_redis, redis_url, until
from sqlalchemy import update
from test_engines import thinking
from test_games import people, stored

from hedgerow.match import Match
from hedgerow.serve.bus.local import Message
from hedgerow.serve.bus.redis import RedisBus
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store.schema import games as games_table
from hedgerow.tools.serve_bench import Visitor, random_game, server_process

__all__ = ["private_redis", "redis_url"]

pytestmark = pytest.mark.anyio
RULES = "hexbo(side=5)"
GAME = random_game(RULES, 1)
SCRIPT = [text for _, text in GAME]


@asynccontextmanager
async def side_by_side(postgres: str, redis: str, count: int = 2) -> AsyncIterator[list[Server]]:
    """Servers on one database, each as a process of its own would have it."""
    settings = Settings(data=Path("/nowhere"), database=postgres, redis=redis, engines=0)
    async with AsyncExitStack() as stack:
        made = []
        for _ in range(count):
            server = await Server.start(settings)
            stack.push_async_callback(server.stop)
            made.append(server)
        for server in made:
            await until(lambda server=server: bus_of(server).whole)  # type: ignore[misc]
        yield made


def bus_of(server: Server) -> RedisBus:
    assert isinstance(server.bus, RedisBus)
    return server.bus


async def begun(server: Server, control: Control | None = None) -> tuple[str, list[int]]:
    accounts = await people(server, 2)
    seats = [{"account": account} for account in accounts]
    live = await server.games.create(RULES, accounts[0], seats, control or Control(), False)
    return live.id, accounts


def versions(heard: list[Message]) -> list[int]:
    return [message.version for message in heard if message.version is not None]


async def test_a_game_over_two_servers(postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url) as servers:
        game, accounts = await begun(servers[0])
        heard: list[list[Message]] = [[], []]
        for server, told in zip(servers, heard):
            async with server.games.held(game) as live:
                server.bus.subscribe(game, told.append, version=live.version)
        known = servers[1].games._kept[game]
        for number, (mover, text) in enumerate(GAME):
            await servers[number % 2].games.play(game, accounts[mover], number, text)
            if number < 20:
                await until(lambda number=number: all(len(told) > number for told in heard))  # type: ignore[misc]
        await until(lambda: all(len(told) == len(SCRIPT) for told in heard))
        assert [message.text for message in heard[0]] == [message.text for message in heard[1]]
        assert versions(heard[1]) == list(range(1, len(SCRIPT) + 1))
        assert known.version >= 20  # it was played on in memory, not read anew every time
        for server in servers:
            async with server.games.held(game) as live:
                assert live.match.turns == tuple(SCRIPT) and live.over


async def test_a_server_that_did_not_hear_is_never_wrong(postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url) as (one, two):
        game, (ann, bo) = await begun(one)
        await two.games.get(game)
        bus_of(two).heard = lambda game, message: None  # it hears nothing
        await one.games.play(game, ann, 0, SCRIPT[0])
        assert (await two.games.play(game, bo, 1, SCRIPT[1])).turn.number == 1
        await one.games.play(game, ann, 2, SCRIPT[2])
        with pytest.raises(Refused) as caught:
            await two.games.play(game, ann, 2, next(text for text in Match(RULES).legal() if text not in SCRIPT[:3]))
        assert caught.value.code == "stale"
        two.games.forget(game)
        await two.games.get(game)
        await one.games.play(game, bo, 3, SCRIPT[3])
        async with two.games.held(game) as live:
            assert live.version == 4
        await one.games.resign(game, ann)
        with pytest.raises(Refused) as caught:
            await two.games.play(game, ann, 4, SCRIPT[4])
        assert caught.value.code in ("stale", "over")
        again = await two.games.play(game, bo, 3, SCRIPT[3])
        assert again.repeated


async def test_seats_are_known_everywhere(postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url) as (one, two):
        ann, bo = await people(one, 2)
        live = await one.games.create(RULES, ann, [{"account": ann}, {}], Control(), False)
        async with two.games.held(live.id) as other:
            assert other.state == "open"
        await one.games.join(live.id, bo)
        async with two.games.held(live.id) as other:
            assert other.state == "playing" and other.seats[1].account == bo
        assert (await two.games.play(live.id, ann, 0, SCRIPT[0])).turn.number == 0


async def test_of_fifty_turns_over_two_workers_one_is_stored(postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url) as servers:
        game, (ann, _) = await begun(servers[0])
        choices = Match(RULES).legal()
        tries = [servers[n % 2].games.play(game, ann, 0, choices[n % len(choices)]) for n in range(50)]
        done = await asyncio.gather(*tries, return_exceptions=True)
        (text,) = await stored(servers[0], game)
        first = [result for result in done if not isinstance(result, BaseException) and not result.repeated]
        assert [result.turn.text for result in first] == [text]
        assert all(isinstance(r, Refused) and r.code == "stale" for r in done if isinstance(r, BaseException))


async def test_a_flag_falls_though_its_server_is_gone(postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url) as (one, two):
        game, _ = await begun(one, Control("live", 600_000, 0))
        await one.flags.stop()
        await one.sweeps.stop()
        async with one.store.write() as connection:  # ten minutes later
            past = {"begun": games_table.c.begun - 601_000, "due": games_table.c.due - 601_000}
            await connection.execute(update(games_table).where(games_table.c.id == game).values(**past))

        async def over() -> bool:
            async with two.games.held(game) as live:
                return live.over

        two.games.forget(game)
        await until(over)
        async with one.games.held(game) as live:
            assert live.match.outcome and live.match.outcome.reason == "time" and live.version == 1


async def test_redis_goes_and_comes_back(postgres: str, private_redis: PrivateRedis) -> None:
    async with side_by_side(postgres, private_redis.url) as (one, two):
        game, (ann, bo) = await begun(one)
        heard: list[list[Message]] = [[], []]
        for server, told in zip((one, two), heard):
            async with server.games.held(game) as live:
                server.bus.subscribe(game, told.append, version=live.version)
        await one.games.play(game, ann, 0, SCRIPT[0])
        await until(lambda: len(heard[1]) == 1)
        private_redis.kill()
        await until(lambda: not bus_of(one).whole and not bus_of(two).whole)
        await one.games.play(game, bo, 1, SCRIPT[1])
        assert versions(heard[0]) == [1, 2]  # play goes on at once for those who are together
        assert await until(lambda: versions(heard[1]) == [1, 2], PATIENCE)  # and for the others within a moment
        await two.games.play(game, ann, 2, SCRIPT[2])
        private_redis.start()
        assert await until(lambda: bus_of(one).whole and bus_of(two).whole, PATIENCE)
        await until(lambda: versions(heard[0]) == [1, 2, 3])
        await two.games.play(game, bo, 3, SCRIPT[3])
        assert await until(lambda: len(heard[0]) == 4, PATIENCE)
        assert [message.text for message in heard[0]] == [message.text for message in heard[1]]
        assert [msgspec.json.decode(message.text)["turn"]["text"] for message in heard[0]] == SCRIPT[:4]


# --- real processes ---------------------------------------------------------------------------------------------------


def asked(port: int, cookie: str, method: str, path: str, body: Any = None) -> Any:
    """Asks on a new connection, which may reach any worker; again where that one is just dying."""
    for attempt in range(100):
        visitor = Visitor(port)
        visitor.cookie = cookie
        try:
            return visitor.ask(method, path, body)
        except OSError:
            assert attempt < 99
            time.sleep(0.03)


def both_are_there(process: subprocess.Popen[str]) -> None:
    """Waits until both workers have said that they have found Redis: one answers long before the other can."""
    assert process.stderr is not None
    for _ in range(2):
        while "redis is there" not in (said := process.stderr.readline()):
            assert said, "a worker did not start"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to find the workers")
def test_workers_share_a_port_and_one_that_is_killed_is_replaced(tmp_path: Path, postgres: str, redis_url: str) -> None:
    places = ("--database", postgres, "--redis", redis_url, "--workers", "2", "--engines", "0", "--no-limits")
    with server_process(str(tmp_path), *places) as (process, port):
        ann, bo = Visitor(port), Visitor(port)
        game = ann.ask("POST", "/api/games", {"rules": RULES, "opponent": "friend"})["id"]
        bo.ask("POST", f"/api/games/{game}/join")
        both_are_there(process)
        cookies, crew = [ann.cookie, bo.cookie], set(thinking(process.pid))
        assert len(crew) == 2
        for number, text in enumerate(SCRIPT[:20]):
            told = asked(port, "", "GET", f"/api/games/{game}?picture=false")
            assert told["version"] == number  # whoever answers knows what is stored
            if number == 10:
                os.kill(min(crew), signal.SIGKILL)
            asked(port, cookies[told["to_move"]], "POST", f"/api/games/{game}/turns", {"number": number, "text": text})
        end = time.monotonic() + 10
        while len(now := set(thinking(process.pid))) < 2 or now == crew:
            assert time.monotonic() < end
            time.sleep(0.05)
        assert asked(port, "", "GET", f"/api/games/{game}?picture=false")["turns"] == SCRIPT[:20]
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
        assert not any(Path(f"/proc/{worker}").exists() for worker in now)
