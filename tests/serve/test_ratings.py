"""Ratings: who rises and who falls, once for every game, whatever is killed in between."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

import pytest
from places import until
from serving import Visit
from sqlalchemy import func, select, update
from test_games import people

from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.ratings import PROVISIONAL, Ratings, Strength, rated
from hedgerow.serve.server import Server
from hedgerow.serve.store.schema import accounts, games, rating_steps, ratings

pytestmark = pytest.mark.anyio


async def persons(server: Server, count: int) -> list[int]:
    """Accounts that may play rated games."""
    made = await people(server, count)
    async with server.store.write() as connection:
        await connection.execute(update(accounts).where(accounts.c.id.in_(made)).values(kind="person"))
    return made


async def finished(server: Server, seated: list[dict[str, object]], leave: list[int], rules: str = "hexbo") -> str:
    """A rated game in which these accounts give up, one after the other, when everybody has made a turn."""
    creator = next(int(str(seat["account"])) for seat in seated if "account" in seat)
    live = await server.games.create(rules, creator, seated, Control(), False, rated=True)
    for number, seat in enumerate(live.seats):
        await server.games.play(live.id, seat.account, number, live.match.legal()[0])
    for account in leave:
        await server.games.resign(live.id, account)
    return live.id


async def steps(server: Server, game: str) -> list[tuple[int, int, int]]:
    async with server.store.read() as connection:
        wanted = select(rating_steps).where(rating_steps.c.game == game).order_by(rating_steps.c.seat)
        return [(row.account, row.before, row.after) for row in await connection.execute(wanted)]


async def once_rated(server: Server, game: str) -> list[tuple[int, int, int]]:
    async def there() -> bool:
        return bool(await steps(server, game))

    await until(there)
    return await steps(server, game)


def test_places_decide() -> None:
    new = [Strength(), Strength(), Strength()]
    first, second, third = (strength.rating for strength in rated(new, (1, 2, 3)))
    assert first > second > third and first > 1500 > third
    one, two, last = rated(new, (1, 1, 3))
    assert one.rating == two.rating > 1500 > last.rating
    sure = rated(rated(new, (1, 2, 3)), (1, 2, 3))
    assert all(strength.doubt < 333 and strength.games == 2 for strength in sure)


def test_the_stronger_of_two_is_found() -> None:
    chance, pair = random.Random(5), [Strength(), Strength()]
    for _ in range(200):
        pair = rated(pair, (1, 2) if chance.random() < 0.75 else (2, 1))
    assert 60 < pair[0].rating - pair[1].rating < 700 and pair[0].doubt < 110


async def test_a_game_is_rated_once(server: Server) -> None:
    ann, bo = await persons(server, 2)
    game = await finished(server, [{"account": ann}, {"account": bo}], [bo])
    told = await once_rated(server, game)
    assert told == [(ann, 1500, 1605), (bo, 1500, 1395)]
    again = await asyncio.gather(*(Ratings(server.store).rate(game) for _ in range(4)))
    assert not any(again) and await steps(server, game) == told


async def test_machines_are_players_like_others(server: Server) -> None:
    (ann,) = await persons(server, 1)
    game = await finished(server, [{"account": ann}, {"player": "level(2)"}], [ann])
    (_, machine) = await once_rated(server, game)
    assert machine[2] > 1500
    other = await finished(server, [{"player": "level(2)"}, {"account": ann}], [ann])
    assert (await once_rated(server, other))[0][:2] == (machine[0], machine[2])
    async with server.store.read() as connection:
        row = (await connection.execute(select(accounts).where(accounts.c.id == machine[0]))).one()
    assert (row.kind, row.name) == ("machine", "Machine, level(2)")


async def test_what_is_not_rated(server: Server) -> None:
    ann, bo = await persons(server, 2)
    (guest,) = await people(server, 1)
    friendly = await server.games.create("hexbo", ann, [{"account": ann}, {"account": bo}], Control(), False)
    await server.games.resign(friendly.id, ann)
    alone = await finished(server, [{"account": ann}, {"account": ann}], [ann])
    with_guest = await finished(server, [{"account": ann}, {"account": guest}], [ann])
    running = await finished(server, [{"account": ann}, {"account": bo}], [])
    await server.ratings.sweep(0)
    for game in (friendly.id, alone, with_guest, running):
        assert not await server.ratings.rate(game) and await steps(server, game) == []


async def test_a_sweep_finds_what_a_kill_left(server: Server) -> None:
    ann, bo, cy = await persons(server, 3)
    await server.sweeps.stop()
    server.games.after.remove(server.ratings.game_changed)  # killed between the last turn and its rating
    trio = [{"account": account} for account in (ann, bo, cy)]
    made = [await finished(server, [*trio], [bo, cy], "hexbo(players=3)") for _ in range(3)]
    async with server.store.write() as connection:  # all in the same moment, to be found all the same
        await connection.execute(update(games).values(ended=5_000))
    await asyncio.gather(server.ratings.sweep(0), Ratings(server.store).sweep(0))
    await server.ratings.sweep(0)
    for game in made:
        assert [seat for seat, _, _ in await steps(server, game)] == [ann, bo, cy]
    async with server.store.read() as connection:
        rows = (await connection.execute(select(ratings).order_by(ratings.c.rating.desc()))).all()
    assert [(row.account, row.ladder, row.games) for row in rows] == [(a, "hexbo/3", 3) for a in (ann, cy, bo)]


async def test_games_that_end_together_lose_no_step(server: Server) -> None:
    ann, bo = await persons(server, 2)
    await server.sweeps.stop()
    server.games.after.remove(server.ratings.game_changed)
    made = [await finished(server, [{"account": ann}, {"account": bo}], [bo]) for _ in range(6)]
    await asyncio.gather(*(Ratings(server.store).rate(game) for game in made))
    await server.ratings.sweep(0)
    async with server.store.read() as connection:
        played = (await connection.execute(select(ratings.c.games).where(ratings.c.account == ann))).scalar_one()
        count = (await connection.execute(select(func.count()).select_from(rating_steps))).scalar_one()
    assert (played, count) == (6, 12)


async def test_the_lists(visit: Visit, app: object) -> None:
    server: Server = app.state.server  # type: ignore[attr-defined]
    ann, bo = await persons(server, 2)
    for _ in range(PROVISIONAL):
        await once_rated(server, await finished(server, [{"account": ann}, {"account": bo}], [bo]))
    async with visit() as client:
        (stands,) = (await client.get(f"/api/ratings/of/{ann}")).json()
        assert stands["ladder"] == "hexbo/2" and stands["games"] == PROVISIONAL and not stands["provisional"]
        history = (await client.get(f"/api/ratings/of/{ann}/history", params={"game": "hexbo"})).json()
        assert history[-1]["after"] == stands["rating"] and history[-1]["doubt"] == stands["doubt"]
        assert all(later["before"] == step["after"] for step, later in pairwise(history))
        leaders = (await client.get("/api/ratings/leaders", params={"game": "hexbo"})).json()
        assert [row["account"] for row in leaders] == [ann, bo] and leaders[0]["rating"] == stands["rating"]
        assert (await client.get("/api/ratings/leaders", params={"game": "hexbo(players=3)"})).json() == []
        assert (await client.get("/api/ratings/leaders", params={"game": "chess"})).status_code == 422
        for nobody in (0, -1, 10**9, 10**30):
            assert (await client.get(f"/api/ratings/of/{nobody}")).status_code in (404, 422)
        async with server.store.write() as connection:
            await connection.execute(update(ratings).where(ratings.c.account == ann).values(games=PROVISIONAL - 1))
        assert (await client.get(f"/api/ratings/of/{ann}")).json()[0]["provisional"]
        leaders = (await client.get("/api/ratings/leaders", params={"game": "hexbo"})).json()
        assert [row["account"] for row in leaders] == [bo]
