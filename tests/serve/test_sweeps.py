"""One game that cannot be replayed, rated or closed stops nothing: everything else goes on, and it is said once."""

from __future__ import annotations

import logging

import pytest
from places import until
from sqlalchemy import insert, update
from test_games import begun, people

from hedgerow.serve.bus.local import LocalBus, Message
from hedgerow.serve.play.backoff import Backoff
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.leaving import delete_account
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import people as kept_people
from hedgerow.serve.store import queries, seat_ratings
from hedgerow.serve.store.schema import games, now, turns

pytestmark = pytest.mark.anyio

RULES = "hexbo(side=5)"


async def damage(server: Server, game: str) -> None:
    """Its turns cannot be played any more, as after an upgrade that went wrong."""
    async with server.store.write() as connection:
        row = await queries.game_row(connection, game)
        assert row is not None
        bad = {"game": game, "number": row.version, "kind": "turn", "seat": 0, "text": "nowhere", "at": 1, "spent": 0}
        await connection.execute(insert(turns).values(**bad))
        await connection.execute(update(games).where(games.c.id == game).values(version=row.version + 1))
    server.games.forget(game)


async def change(server: Server, game: str, **values: object) -> None:
    async with server.store.write() as connection:
        await connection.execute(update(games).where(games.c.id == game).values(**values))
    server.games.forget(game)


async def state_of(server: Server, game: str) -> str:
    async with server.store.read() as connection:
        row = await queries.game_row(connection, game)
    assert row is not None
    return str(row.state)


async def on_the_clock(server: Server, count: int = 2) -> list[str]:
    """Games with a flag that will fall in ten minutes."""
    accounts = await people(server, 2)
    seats = [{"account": account} for account in accounts]
    control = Control("live", 600_000, 0)
    return [(await server.games.create(RULES, accounts[0], seats, control, False)).id for _ in range(count)]


def errors(caplog: pytest.LogCaptureFixture, word: str) -> int:
    return sum(record.levelno == logging.ERROR and word in record.getMessage() for record in caplog.records)


async def test_flags_fall_behind_a_game_that_cannot_be_replayed(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    await server.sweeps.stop()
    await server.flags.stop()
    sick, well = await on_the_clock(server)
    await damage(server, sick)
    for number, game in enumerate((sick, well)):
        begun_then = now() - 700_000 + number
        await change(server, game, begun=begun_then, moved=begun_then, due=begun_then + 600_000)
    for _ in range(2):
        await server.sweeps.flags()
    assert [await state_of(server, game) for game in (sick, well)] == ["playing", "over"]
    assert errors(caplog, sick) == 1


async def test_a_task_that_watches_flags_does_not_hurry_for_a_sick_one(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    await server.sweeps.stop()
    sick, well = await on_the_clock(server)
    await damage(server, sick)
    begun_then = now() - 700_000
    await change(server, well, begun=begun_then, moved=begun_then, due=begun_then + 600_000)
    server.flags.watch(sick, 1, now() - 2)
    server.flags.watch(well, 0, now() - 1)

    async def over() -> bool:
        return await state_of(server, well) == "over"

    await until(over)
    assert server.flags._games[sick][0] > now() + 60_000 and errors(caplog, sick) == 1
    server.flags.watch("no such game", 0, now() - 1)
    await until(lambda: "no such game" not in server.flags._games)


async def test_games_are_rated_behind_one_that_cannot_be(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    await server.sweeps.stop()
    accounts = [(await server.accounts.sign_up(name, "under the hedge", None, None))[0].id for name in ("Ann", "Bo")]
    seats, made = [{"account": account} for account in accounts], []
    for number in range(2):
        live = await server.games.create("hexbo", accounts[0], seats, Control(), False)
        await server.games.resign(live.id, accounts[0])
        await change(server, live.id, rated=True, ended=now() - 5 + number)
        made.append(live.id)
    await change(server, made[0], outcome='{"nothing": "that we know"}')
    for _ in range(2):
        await server.sweeps.rate()
    assert not await server.ratings.rate(made[1])  # it is done
    assert errors(caplog, made[0]) == 1


async def test_a_start_looks_only_at_games_that_ended_since_all_were_rated(settings: Settings) -> None:
    server = await Server.start(settings)
    await until(lambda: server.sweeps._kept > 0)
    accounts = [(await server.accounts.sign_up(name, "under the hedge", None, None))[0].id for name in ("Ann", "Bo")]
    seats, made = [{"account": account} for account in accounts], []
    await server.sweeps.stop()
    kept = server.sweeps._kept
    for ended in (kept - 1000, kept + 1000):  # the first must have been rated before, or cannot be
        live = await server.games.create("hexbo", accounts[0], seats, Control(), False)
        await server.games.resign(live.id, accounts[0])
        await change(server, live.id, rated=True, ended=ended)
        made.append(live.id)
    await server.stop()
    server = await Server.start(settings)

    async def rated() -> bool:
        async with server.store.read() as connection:
            return bool(await seat_ratings.changes(connection, made[1]))

    await until(rated)
    assert await server.ratings.rate(made[0]), "nobody has looked at it again"
    await server.stop()


async def test_it_is_not_kept_that_all_are_rated_while_one_cannot_be(server: Server) -> None:
    await server.sweeps.stop()
    server.sweeps._kept = server.sweeps._since = 0
    with server.ratings._backoff.trying("a game"):
        raise ValueError("it fails")
    await server.sweeps.rate()
    assert server.sweeps._kept == 0
    with server.ratings._backoff.trying("a game"):
        pass
    await server.sweeps.rate()
    assert server.sweeps._kept > 0


async def test_challenges_end_behind_one_that_cannot(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    (ann,) = await people(server, 1)
    made = [(await server.games.create(RULES, ann, [{"account": ann}, {}], Control(), False)).id for _ in range(3)]
    for game in made:
        await change(server, game, expires=now() - 1)
    await damage(server, made[0])
    await damage(server, made[1])
    for _ in range(2):
        await server.lobby.expire()
    assert [await state_of(server, game) for game in made] == ["open", "open", "over"]
    assert errors(caplog, made[0]) == errors(caplog, made[1]) == 1


async def test_others_are_told_what_they_missed(server: Server) -> None:
    heard: list[Message] = []
    made = [await begun(server, RULES) for _ in range(2)]
    for game, _ in made:
        server.bus.subscribe(game, heard.append, version=0)
    await damage(server, made[0][0])
    game, _ = made[1]
    async with server.store.write() as connection:  # by somebody beside this process
        row = {"game": game, "number": 0, "kind": "resign", "seat": 0, "text": "", "at": now(), "spent": 0}
        await connection.execute(insert(turns).values(**row))
        await connection.execute(update(games).where(games.c.id == game).values(version=1))
    await server.games.look_again()
    assert [message.version for message in heard] == [1]


async def test_whoever_played_a_sick_game_may_go(server: Server) -> None:
    game, (ann, _) = await begun(server, RULES)
    await damage(server, game)
    await delete_account(server.games, server.accounts, ann)
    async with server.store.read() as connection:
        row = await kept_people.account_row(connection, ann)
    assert row is not None and row.kind == "gone"


def test_one_listener_that_fails_keeps_nobody_from_hearing() -> None:
    bus, heard = LocalBus(), list[str]()

    def fails(message: Message) -> None:
        raise KeyError(message.text)

    bus.subscribe("game", fails)
    bus.subscribe("game", lambda message: heard.append(message.text))
    bus.publish("game", Message("hello"))
    assert heard == ["hello"]


def test_the_database_being_away_is_nobodys_fault(caplog: pytest.LogCaptureFixture) -> None:
    backoff = Backoff(logging.getLogger("hedgerow.test"), "trying")
    with pytest.raises(OSError), backoff.trying("first"):
        raise OSError("away")
    assert "first" in backoff and not caplog.records  # somebody else has the first try next time
    with backoff.trying("second"):
        raise Refused("stale", "somebody was faster; hint: look again")
    assert "second" not in backoff
    for _ in range(2):
        with backoff.trying("third"):
            raise ValueError("sick")
    assert "third" in backoff and len(caplog.records) == 1
    with backoff.trying("third"):
        pass
    assert "third" not in backoff and len(backoff) == 1
