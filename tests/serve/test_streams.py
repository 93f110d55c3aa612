"""The event stream: everything pending, then everything as it happens, once each, over several servers, and its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import uvicorn
from places import PrivateRedis, private_redis, redis_url, until
from serving import Visit
from sqlalchemy import update
from test_games import people
from test_lobby import made, person
from test_workers import bus_of, side_by_side

from hedgerow.match import Match
from hedgerow.serve.people.accounts import ENDS
from hedgerow.serve.play import listeners, streams
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.streams import Stream
from hedgerow.serve.process import operator, protocol_http
from hedgerow.serve.process.app import create
from hedgerow.serve.process.run import config_of, listen
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store.schema import games as games_table
from hedgerow.tools.serve_bench import random_game

__all__ = ["private_redis", "redis_url"]

pytestmark = pytest.mark.anyio
RULES = "hexbo(side=5)"
GAME = random_game(RULES, 1)
Event = dict[str, Any]


class Listening:
    """A stream that is read all the while; `told` is what came, without the signs of life."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.told: list[Event] = []
        self.alive = 0
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for lines in self.stream.lines():
            for line in lines.splitlines():
                event = msgspec.json.decode(line)
                self.alive += event["type"] == "alive"
                if event["type"] != "alive":
                    self.told.append(event)

    @property
    def types(self) -> list[str]:
        return [event["type"] for event in self.told]

    async def next(self, *types: str) -> list[Event]:
        """Waits for exactly these events, and takes them."""
        await until(lambda: len(self.told) >= len(types))
        assert self.types[: len(types)] == list(types), self.told
        taken, self.told = self.told[: len(types)], self.told[len(types) :]
        return taken


@contextlib.asynccontextmanager
async def listening(server: Server, account: int) -> AsyncIterator[Listening]:
    stream = server.streams.open(account)
    await stream.begin()
    found = Listening(stream)
    try:
        yield found
    finally:
        found.task.cancel()
        await asyncio.gather(found.task, return_exceptions=True)
        stream.close()
    assert not found.told, found.told  # nothing came that nobody expected


async def begun(server: Server, control: Control | None = None) -> tuple[str, int, int]:
    ann, bo = await people(server, 2)
    live = await server.games.create(RULES, ann, [{"account": ann}, {"account": bo}], control or Control(), False)
    return live.id, ann, bo


async def test_a_game_from_the_challenge_to_the_end(server: Server) -> None:
    ann, bo = await people(server, 2)
    async with listening(server, ann) as hers, listening(server, bo) as his:
        await hers.next("ready")
        await his.next("ready")
        clock = Control("live", 60_000, 1_000)
        live = await server.games.create(RULES, ann, [{"account": ann}, {"invited": bo}], clock, False, expires=None)
        (asked,) = await his.next("challenge")
        assert asked["game"] == live.id and asked["seat"] == 1 and asked["rules"] == RULES and not asked["by_bot"]
        assert (asked["clock"], asked["base_ms"], asked["increment_ms"]) == ("live", 60_000, 1_000)
        assert asked["by"].startswith("Guest")
        await server.games.join(live.id, bo)
        (began,) = await his.next("game_began")
        assert began["seat"] == 1 and began["bots"] == [] and len(began["seats"]) == 2
        _, turn = await hers.next("game_began", "your_turn")
        assert (turn["version"], turn["number"]) == (0, 0) and 50_000 < turn["left"] <= 60_000
        for number, (mover, text) in enumerate(GAME[:6]):
            await server.games.play(live.id, (ann, bo)[mover], number, text)
            (turn,) = await (hers, his)[1 - mover].next("your_turn")
            assert (turn["game"], turn["number"]) == (live.id, number + 1)
        await server.games.resign(live.id, bo)
        for stream in (hers, his):
            (over,) = await stream.next("game_over")
            assert over["outcome"]["winners"] == [0] and over["version"] == 7


async def test_what_is_pending_comes_first(server: Server) -> None:
    game, ann, bo = await begun(server)
    waiting = await server.games.create(RULES, bo, [{"account": bo}, {"invited": ann}], Control(), False)
    late = await server.games.create(RULES, bo, [{"account": bo}, {"invited": ann}], Control(), False, expires=1)
    async with listening(server, ann) as hers, listening(server, bo) as his:
        told = await hers.next("game_began", "your_turn", "challenge", "ready")
        assert [event.get("game") for event in told] == [game, game, waiting.id, None]
        await his.next("game_began", "ready")
        await server.games.play(game, ann, 0, GAME[0][1])
        assert (await his.next("your_turn"))[0]["left"] is None
    assert late.state == "open"  # nobody is asked to join what can be joined no more
    async with listening(server, bo) as his:
        assert (await his.next("game_began", "your_turn", "ready"))[1]["number"] == 1
        await server.lobby.cancel(late.id, bo)
        await his.next("challenge_gone")


@pytest.mark.parametrize("who", ["creator", "invited"])
async def test_a_challenge_that_is_off(server: Server, who: str) -> None:
    ann, bo = await people(server, 2)
    async with listening(server, ann) as hers, listening(server, bo) as his:
        live = await server.games.create(RULES, ann, [{"account": ann}, {"invited": bo}], Control(), False)
        await his.next("ready", "challenge")
        await until(lambda: live.id in hers.stream._open)
        await server.lobby.cancel(live.id, ann if who == "creator" else bo)
        (gone,) = await his.next("challenge_gone")
        assert gone == {"type": "challenge_gone", "game": live.id, "reason": REASONS[who]}
        assert (await hers.next("ready", "challenge_gone"))[1] == gone


REASONS = {"creator": "withdrawn", "invited": "declined"}


async def test_a_challenge_that_expires(server: Server) -> None:
    ann, bo = await people(server, 2)
    live = await server.games.create(RULES, ann, [{"account": ann}, {"invited": bo}], Control(), False)
    async with listening(server, bo) as his:
        await his.next("challenge", "ready")
        async with server.store.write() as connection:
            await connection.execute(update(games_table).where(games_table.c.id == live.id).values(expires=1))
        await server.lobby.expire()
        assert (await his.next("challenge_gone"))[0]["reason"] == "expired"


async def test_take_backs_and_people_who_leave_change_the_number(server: Server) -> None:
    ann, bo, cy = await people(server, 3)
    seats = [{"account": account} for account in (ann, bo, cy)]
    live = await server.games.create("hexbo(side=5,players=3)", ann, seats, Control(), False)
    async with listening(server, ann) as hers:
        await hers.next("game_began", "your_turn", "ready")
        await server.games.resign(live.id, cy)
        assert (await hers.next("your_turn"))[0]["number"] == 1  # still hers, with another number
        await server.games.play(live.id, ann, 1, Match("hexbo(side=5,players=3)").legal()[0])
        await server.offers.ask(live.id, ann, "undo")
        await server.offers.agree(live.id, bo, "undo")
        assert (await hers.next("your_turn"))[0]["number"] == 3


async def test_somebody_takes_over_a_machines_seat(server: Server) -> None:
    ann, bo = await people(server, 2)
    seats = [{"player": "level(1)"}, {"account": ann}]
    live = await server.games.create(RULES, ann, seats, Control(), False, welcome=True)
    async with listening(server, bo) as his:
        await his.next("ready")
        await server.lobby.take_over(live.id, bo, 0)
        began, turn = await his.next("game_began", "your_turn")
        assert began["seat"] == 0 and turn["number"] == 1


async def test_what_the_operator_does_is_found_by_looking(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BEAT", 0.05)
    game, ann, _ = await begun(server)
    async with listening(server, ann) as hers:
        await hers.next("game_began", "your_turn", "ready")
        await until(lambda: hers.alive > 1)
        await operator.close_game(server.store, game)  # as another process does, which says nothing to us
        (over,) = await hers.next("game_over")
        assert over["outcome"]["reason"] == "called off" and over["outcome"]["winners"] == []


async def test_a_stream_holds_no_connection_to_the_database(server: Server) -> None:
    _, ann, _ = await begun(server)
    async with contextlib.AsyncExitStack() as stack:
        for account in (ann, *await people(server, 40)):
            stream = await stack.enter_async_context(listening(server, account))
            await until(lambda stream=stream: "ready" in stream.types)  # type: ignore[misc]
            stream.told.clear()
        assert server.streams.count == 41
        assert server.store.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    assert server.streams.count == 0 and set(server.bus._listeners) == {ENDS}  # type: ignore[attr-defined]


async def test_one_stream_too_many_ends_the_oldest(server: Server) -> None:
    (ann,) = await people(server, 1)
    async with contextlib.AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(listening(server, ann)) for _ in range(streams.MOST + 1)]
        assert (await opened[0].next("ready", "bye"))[1]["why"] == "replaced"
        await until(opened[0].task.done)
        for other in opened[1:]:
            await other.next("ready")
        assert server.streams.count == streams.MOST + 1  # its own client closes it


async def test_who_does_not_read_is_sent_away(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BEHIND", 3)
    monkeypatch.setattr(listeners, "GRACE", 0.01)
    game, ann, bo = await begun(server)
    stream, hung_up = server.streams.open(ann), asyncio.Event()
    stream.hang_up = hung_up.set
    await stream.begin()
    for number, (mover, text) in enumerate(GAME[:10]):
        await server.games.play(game, (ann, bo)[mover], number, text)
    assert stream.why == "behind"
    await hung_up.wait()
    assert [lines async for lines in stream.lines()] == [b'{"type":"bye","why":"behind"}\n']
    stream.close()


async def test_any_number_of_games_may_be_pending(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BEHIND", 3)
    ann, bo = await people(server, 2)
    for _ in range(5):
        await server.games.create(RULES, ann, [{"account": ann}, {"account": bo}], Control(), False)
    async with listening(server, ann) as hers:
        await hers.next(*("game_began", "your_turn") * 5, "ready")


async def test_a_game_that_began_and_ended_before_anybody_looked(server: Server) -> None:
    ann, bo = await people(server, 2)
    live = await server.games.create(RULES, ann, [{"account": ann}, {"invited": bo}], Control(), False)
    stream = server.streams.open(bo)
    await stream.begin()
    await server.games.join(live.id, bo)
    await server.games.resign(live.id, ann)
    told = Listening(stream)
    assert (await told.next("challenge", "ready", "game_began", "game_over"))[3]["outcome"]["winners"] == [1]
    told.task.cancel()
    stream.close()


# --- several servers --------------------------------------------------------------------------------------------------


async def test_over_two_servers(postgres: str, redis_url: str) -> None:
    async with side_by_side(postgres, redis_url) as (one, two):
        ann, bo = await people(one, 2)
        async with listening(two, bo) as his:
            await his.next("ready")
            live = await one.games.create(RULES, ann, [{"account": ann}, {"invited": bo}], Control(), False)
            await his.next("challenge")
            await one.games.join(live.id, bo)
            await his.next("game_began")
            for number in range(6):
                mover, text = GAME[number]
                await (one, two)[number % 2].games.play(live.id, (ann, bo)[mover], number, text)
                if mover == 0:
                    assert (await his.next("your_turn"))[0]["number"] == number + 1
            await one.games.resign(live.id, ann)
            await his.next("game_over")


async def test_nothing_is_lost_while_redis_is_away(postgres: str, private_redis: PrivateRedis) -> None:
    async with side_by_side(postgres, private_redis.url) as (one, two):
        ann, bo = await people(one, 2)
        async with listening(two, bo) as his:
            await his.next("ready")
            private_redis.kill()
            await until(lambda: not bus_of(one).whole and not bus_of(two).whole)
            live = await one.games.create(RULES, ann, [{"account": ann}, {"invited": bo}], Control(), False)
            await his.next("challenge")
            await one.games.join(live.id, bo)
            await his.next("game_began")
            await one.games.play(live.id, ann, 0, GAME[0][1])
            assert (await his.next("your_turn"))[0]["number"] == 1
            private_redis.start()
            await until(lambda: bus_of(one).whole and bus_of(two).whole)
            await one.games.play(live.id, bo, 1, GAME[1][1])
            await one.games.play(live.id, ann, 2, GAME[2][1])
            assert (await his.next("your_turn"))[0]["number"] == 3


async def test_the_database_goes_and_comes_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "AGAIN", 0.02)
    ann, bo = await people(server, 2)
    async with listening(server, bo) as his:
        await his.next("ready")
        store, his.stream._streams.store = server.store, Away()  # type: ignore[assignment]
        live = await server.games.create(RULES, ann, [{"account": bo}, {"account": ann}], Control(), False)
        await until(lambda: Away.asked > 2)
        his.stream._streams.store = store
        began, turn = await his.next("game_began", "your_turn")
        assert began["game"] == turn["game"] == live.id


class Away:
    """A database that nobody reaches."""

    asked = 0

    def read(self) -> Any:
        Away.asked += 1
        raise OSError("away")


# --- over HTTP; test_bots has real sockets ----------------------------------------------------------------------------


async def test_who_may_listen_and_what_comes_without_waiting(visit: Visit, tmp_path: Path) -> None:
    async with visit() as nobody, person(visit, "Ann") as ann, visit() as guest:
        assert (await nobody.get("/api/stream", params={"wait": False})).status_code == 401
        game = await made(guest, opponent="named", name="Ann")
        answer = await ann.get("/api/stream", params={"wait": False})
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert answer.headers["cache-control"] == "no-store"
        events = [msgspec.json.decode(line) for line in answer.text.splitlines()]
        assert [event["type"] for event in events] == ["challenge", "ready"] and events[0]["game"] == game["id"]
        assert "game_began" not in (await guest.get("/api/stream", params={"wait": False})).text


async def test_a_stream_outlives_every_deadline_and_says_when_the_server_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol_http, "DEADLINE", 0.2)
    monkeypatch.setattr(streams, "BEAT", 0.1)
    settings = Settings(data=tmp_path, engines=0)
    application, listening = create(settings), listen("127.0.0.1", 0)
    server = uvicorn.Server(config_of(application, settings))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    async with httpx.AsyncClient(base_url=url, timeout=30) as ann:
        await ann.post("/api/guest")
        async with ann.stream("GET", "/api/stream") as answer:
            told: list[str] = []
            async for line in answer.aiter_lines():
                told.append(msgspec.json.decode(line)["type"])
                server.should_exit = told.count("alive") >= 8
        assert told[0] == "ready" and msgspec.json.decode(line) == {"type": "bye", "why": "stopping"}
        await serving
    assert application.state.server.streams.count == 0
