"""Lists of games: your own with the next that waits, those to watch, the archive, and all games in one file."""

from __future__ import annotations

import random
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit
from sqlalchemy import update

import hedgerow as hg
from hedgerow.serve.play import archive
from hedgerow.serve.play.clocks import DAY, Control
from hedgerow.serve.server import Server
from hedgerow.serve.store.schema import games

pytestmark = pytest.mark.anyio


async def person(client: httpx.AsyncClient, name: str) -> int:
    signed = await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
    number: int = signed.json()["id"]
    return number


async def begun(server: Server, people: list[int], rules: str = "hexbo(side=5)", **more: Any) -> str:
    control, private = more.pop("control", Control()), more.pop("private", False)
    seats = [{"account": account} for account in people]
    return (await server.games.create(rules, people[0], seats, control, private, **more)).id


async def ids(client: httpx.AsyncClient, **asked: Any) -> list[str]:
    answer = await client.get("/api/archive", params=asked)
    assert answer.status_code == 200, answer.text
    return [game["id"] for game in answer.json()["games"]]


async def test_your_games(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    async with visit() as ann, visit() as bo:
        assert (await ann.get("/api/your-games")).json() == {"waiting": 0, "next": None, "games": []}
        people = [await person(ann, "Ann"), await person(bo, "Bo")]
        calm = await begun(server, people)
        slow = await begun(server, people, control=Control("days", 3 * DAY))
        quick = await begun(server, people, control=Control("live", 60_000, 0))
        theirs = await begun(server, people[::-1])
        mine = (await ann.get("/api/your-games")).json()
        assert [game["id"] for game in mine["games"]] == [quick, slow, calm, theirs]
        assert [game["your_turn"] for game in mine["games"]] == [True, True, True, False]
        assert (mine["waiting"], mine["next"]) == (3, quick)
        left = [game["left"] for game in mine["games"]]
        assert 50_000 < left[0] <= 60_000 and 2 * DAY < left[1] <= 3 * DAY and left[2:] == [None, None]
        for after, comes in ((quick, slow), (slow, calm), (calm, quick), ("", quick), (theirs, quick)):
            assert (await ann.get("/api/your-games/next", params={"after": after})).json()["next"] == comes
        assert (await bo.get("/api/your-games/next", params={"after": theirs})).json()["next"] is None
        page = (await ann.get("/your-games")).text
        assert f'href="/games/{quick}"' in page and "2 days left" in page and "(3 in all)" in page


async def test_games_to_watch(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    async with visit() as ann, visit() as bo, visit() as watcher:
        people = [await person(ann, "Ann"), await person(bo, "Bo")]
        first, second = await begun(server, people), await begun(server, people)
        await begun(server, people, private=True)
        assert {game["id"] for game in (await watcher.get("/api/watch")).json()} == {first, second}
        leave = server.spectators.come(first)
        seen = (await watcher.get("/api/watch")).json()
        assert [(game["id"], game["watchers"]) for game in seen] == [(first, 1), (second, 0)]
        assert "1 watching" in (await watcher.get("/lobby")).text
        leave()


async def test_the_archive(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    async with visit() as ann, visit() as bo, visit() as watcher:
        a, b = await person(ann, "Ann"), await person(bo, "Bo")
        won, lost = await begun(server, [a, b]), await begun(server, [b, a], "root_down")
        drawn, hidden = await begun(server, [a, b], "hexbo"), await begun(server, [a, b], private=True)
        off, three = await begun(server, [a, b]), await begun(server, [a, b, b], "hexbo(side=5,players=3)")
        await server.games.resign(won, b)
        await server.games.resign(lost, a)
        await server.offers.ask(drawn, a, "draw")
        await server.offers.agree(drawn, b, "draw")
        await server.games.resign(hidden, b)
        await server.offers.ask(off, a, "abort")
        for day, game in enumerate((won, lost, drawn, hidden, off), 1):
            async with server.store.write() as connection:
                at = day * DAY + DAY // 2
                await connection.execute(update(games).where(games.c.id == game).values(ended=at))
        assert await ids(watcher) == [drawn, lost, won], "neither private ones nor those called off nor running ones"
        assert await ids(ann) == [hidden, drawn, lost, won]
        assert await ids(watcher, player="ANN", result="win") == [won]
        assert await ids(watcher, player="Ann", result="loss") == [lost]
        assert await ids(watcher, player="Bo", result="win") == [lost] and await ids(watcher, result="draw") == [drawn]
        assert await ids(watcher, player="Ann", result="draw") == [drawn]
        assert await ids(watcher, rules="hexbo") == [drawn, won] and await ids(watcher, rules="hexbo(side=5)") == [won]
        assert await ids(watcher, since="1970-01-03", until="1970-01-03") == [lost]
        page = (await watcher.get("/api/archive", params={"limit": 2})).json()
        assert [game["id"] for game in page["games"]] == [drawn, lost] and page["next"]
        assert await ids(watcher, limit=2, before=page["next"]) == [won]
        assert page["games"][1]["reason"] == "resignation" and page["games"][1]["winners"] == [0]
        for wrong, status in (
            ({"result": "win"}, 422),
            ({"player": "Nobody"}, 404),
            ({"rules": "chess"}, 422),
            ({"before": "yesterday"}, 422),
            ({"player": "\x00"}, 422),
            ({"since": "soon"}, 422),
        ):
            assert (await watcher.get("/api/archive", params=wrong)).status_code == status
        shown = (await watcher.get("/archive", params={"player": "Ann", "result": "win"})).text
        assert f'href="/games/{won}"' in shown and lost not in shown and "Ann won (resignation)" in shown
        assert (await watcher.get("/archive", params={"since": "soon"})).status_code == 422
        assert three


async def test_all_games_in_one_file(visit: Visit, app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rows tell is what the match would write, takebacks and all."""
    monkeypatch.setattr(archive, "AT_ONCE", 2)
    server: Server = app.state.server
    async with visit() as ann, visit() as bo, visit() as cy:
        people = [await person(client, name) for client, name in ((ann, "Ann"), (bo, "Bo"), (cy, "Cy"))]
        made, chance = [], random.Random(5)
        for rules, seats in (
            ("root_bound(side=3)", 2),
            ("hexbo(side=5,players=3)", 3),
            ("root_down", 2),
            ("tanbo(size=9)", 2),
        ):
            game = await begun(server, people[:seats], rules)
            await some_play(server, game, people, chance)
            made.append(game)
        hidden = await begun(server, people[:2], private=True)
        await server.games.resign(hidden, people[0])
        running = await begun(server, people[:2])
        text = (await ann.get("/api/archive/dump")).text
        assert "CC0 1.0" in text.splitlines()[1] and hidden not in text and running not in text
        parts = text.split("\n# game ")
        assert {part.split("\n", 1)[0] for part in parts[1:]} == set(made)
        for part in parts[1:]:
            game, record = part.split("\n", 1)
            async with server.games.held(game) as live:
                assert (
                    record.rstrip("\n") + "\n"
                    == live.named_match().record()
                    == hg.read(record.rstrip("\n") + "\n").record()
                )


async def some_play(server: Server, game: str, people: list[int], chance: random.Random) -> None:
    """Thirty turns at random, some of them taken back; then somebody leaves, or it is a draw."""
    live = await server.games.get(game)
    for _ in range(30):
        match, mover = live.match.copy(), live.match.to_move
        while True:
            match.play(chance.choice(match.legal()))
            if match.outcome or not match.rules.mid_turn(match.plain):
                break
        await server.games.play(game, people[mover], live.version, match.turns[-1])
        if live.over:
            return
        if chance.random() < 0.3:
            await server.offers.ask(game, people[mover], "undo")
            for other in live.people_in().values():
                if other != people[mover]:
                    await server.offers.agree(game, other, "undo")
    if chance.random() < 0.5:
        for other in live.people_in().values():
            await server.offers.ask(game, other, "draw")
    for account in people[: len(live.seats) - 1]:
        if not live.over:
            await server.games.resign(game, account)


async def test_the_pages_of_the_lobby(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        made = await ann.post("/games", data={"rules": "hexbo(side=5)", "opponent": "lobby", "seat": "any"})
        where = made.headers["location"]
        assert "Cancel" in (await ann.get("/lobby")).text
        page = (await bo.get("/lobby")).text
        assert f'action="{where}/join"' in page and "no clock, friendly" in page
        assert (await ann.post(f"{where}/cancel")).headers["location"] == "/lobby"
        assert "Nobody is waiting" in (await bo.get("/lobby")).text
