"""How games begin: any number of seats, machines among them, challenges in the lobby and by name, and taking over."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit, seen
from sqlalchemy import update

from hedgerow.serve.play import open_games
from hedgerow.serve.server import Server
from hedgerow.serve.store.schema import games

pytestmark = pytest.mark.anyio


async def made(client: httpx.AsyncClient, status: int = 201, **asked: Any) -> dict[str, Any]:
    answer = await client.post("/api/games", json={"rules": "hexbo(side=5)"} | asked)
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def ask(client: httpx.AsyncClient, game: str, what: str, status: int = 200, **body: Any) -> dict[str, Any]:
    answer = await client.post(f"/api/games/{game}/{what}", json=body or None)
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


@contextlib.asynccontextmanager
async def person(visit: Visit, name: str) -> AsyncIterator[httpx.AsyncClient]:
    async with visit() as client:
        signed = await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
        assert signed.status_code == 200, signed.text
        yield client


@pytest.mark.parametrize("players", [2, 3, 6])
async def test_machines_and_people_in_any_seats(visit: Visit, players: int) -> None:
    async with visit() as ann, visit() as bo:
        seats: list[dict[str, Any]] = [{"who": "machine", "level": 2}] * (players - 2)
        seats += [{"who": "me"}, {"who": "anyone"}]
        game = await made(ann, rules=f"hexbo(players={players})", seats=seats)
        assert game["state"] == "open" and game["you"] == players - 2 and not game["rated"]
        assert [seat["machine"] for seat in game["seats"]] == [True] * (players - 2) + [False, False]
        joined = await ask(bo, game["id"], "join")
        assert joined["state"] == "playing" and joined["you"] == players - 1


async def test_seats_that_cannot_be(visit: Visit) -> None:
    async with visit() as ann:
        me, machine = {"who": "me"}, {"who": "machine"}
        assert "hexbo(side=5) has 2" in (await made(ann, 422, seats=[me]))["message"]
        assert "exactly one" in (await made(ann, 422, seats=[machine, machine]))["message"]
        assert "exactly one" in (await made(ann, 422, seats=[me, me]))["message"]
        assert "nobody here is called 'Bo'" in (await made(ann, 404, opponent="named", name="Bo"))["message"]
        three = {"rules": "hexbo(side=5,players=3)", "opponent": "named", "name": "Bo"}
        assert "`seats`" in (await made(ann, 422, **three))["message"]
        playable = {game["name"]: game for game in (await ann.get("/api/playable")).json()}
        assert set(playable) >= {"hexbo", "root_down"} and playable["hexbo"]["options"][0]["name"] == "side"
        for name, game in playable.items():
            highest = game["levels"]
            assert (await made(ann, rules=name, level=highest))["state"] == "playing"
            assert f"1 to {highest}" in (await made(ann, 422, rules=name, level=highest + 1))["message"]


async def test_any_seat(visit: Visit) -> None:
    async with visit() as ann:
        mine = {(await made(ann, seat=None, opponent="friend"))["you"] for _ in range(20)}
        assert mine == {0, 1}
        game = await made(ann, rules="hexbo(side=5,players=3)", seat=1, opponent="friend")
        async with visit() as bo:
            assert (await bo.post(f"/api/games/{game['id']}/join", params={"seat": 1})).status_code == 409
            assert (await bo.post(f"/api/games/{game['id']}/join", params={"seat": 2})).json()["you"] == 2


async def test_only_standard_boards_are_rated_and_only_for_accounts(visit: Visit) -> None:
    async with visit() as guest, person(visit, "Ann") as ann:
        assert "standard board" in (await made(ann, 422, rated=True))["message"]
        assert "sign up" in (await made(guest, 403, rules="hexbo", rated=True))["message"]
        for rules in ("hexbo", "hexbo(players=3)", "root_down"):
            game = await made(ann, rules=rules, rated=True, opponent="friend")
            assert game["rated"]
            assert "sign up" in (await ask(guest, game["id"], "join", 403))["message"]
        assert (await made(ann, rules="hexbo", rated=True, opponent="machine"))["state"] == "playing"


async def test_the_lobby(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo:
        game = (await made(ann, opponent="lobby", clock={"kind": "live"}))["id"]
        await made(ann, opponent="friend")
        (seen,) = (await bo.get("/api/lobby")).json()
        assert seen["id"] == game and seen["clock"] == "live" and not seen["yours"] and seen["seats"][1] == ""
        assert (await ann.get("/api/lobby")).json()[0]["yours"]
        assert (await ask(bo, game, "join"))["state"] == "playing"
        assert (await bo.get("/api/lobby")).json() == []
        assert (await ask(ann, game, "cancel", 409))["code"] == "over"
        other = (await made(ann, opponent="lobby"))["id"]
        assert (await ask(bo, other, "cancel", 403))["code"] == "not_yours"
        gone = await ask(ann, other, "cancel")
        assert gone["state"] == "over" and gone["outcome"]["reason"] == "called off" and gone["prompt"].endswith("off.")
        assert (await ask(ann, other, "cancel"))["version"] == gone["version"] == 1
        assert (await bo.get("/api/lobby")).json() == [] and (await ask(bo, other, "join", 409))["code"] == "full"


async def test_challenges_end_by_themselves(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    async with visit() as ann, visit() as bo:
        game = (await made(ann, opponent="lobby", hours=1))["id"]
        assert await server.lobby.expire() == 0
        async with server.store.write() as connection:
            await connection.execute(update(games).values(expires=1))
        assert (await bo.get("/api/lobby")).json() == [] and (await ask(bo, game, "join", 409))["code"] == "full"
        assert await server.lobby.expire() == 1 and await server.lobby.expire() == 0
        server.games.forget(game)
        assert (await bo.get(f"/api/games/{game}")).json()["outcome"]["reason"] == "called off"


async def test_a_challenge_by_name(visit: Visit) -> None:
    async with person(visit, "Ann") as ann, person(visit, "Bo") as bo, person(visit, "Cy") as cy:
        assert "yourself" in (await made(ann, 422, opponent="named", name="ann"))["message"]
        game = (await made(ann, opponent="named", name="BO", rules="hexbo", rated=True))["id"]
        (seen,) = (await bo.get("/api/challenges")).json()
        assert (seen["by"], seen["rated"], seen["invited"], seen["yours"]) == ("Ann", True, [1], False)
        assert (await ann.get("/api/challenges")).json()[0]["yours"] and (await cy.get("/api/challenges")).json() == []
        assert (await cy.get("/api/lobby")).json() == [] and (await ask(cy, game, "join", 409))["code"] == "full"
        assert (await ask(bo, game, "join"))["you"] == 1 and (await bo.get("/api/challenges")).json() == []
        no = (await made(ann, opponent="named", name="Bo"))["id"]
        assert (await ask(cy, no, "cancel", 403))["code"] == "not_yours"
        assert (await ask(bo, no, "cancel"))["state"] == "over"
        assert (await ann.get("/api/challenges")).json() == []
        twice = [{"who": "me"}, {"who": "named", "name": "Bo"}, {"who": "named", "name": "bo"}]
        assert "twice" in (await made(ann, 422, rules="hexbo(players=3)", seats=twice))["message"]


async def test_a_person_takes_a_machines_seat(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    async with person(visit, "Ann") as ann, visit() as bo, visit() as cy:
        game = (await made(ann, opponent="machine"))["id"]
        assert (await ask(bo, game, "take-over", 403))["code"] == "forbidden"
        assert (await ask(bo, game, "welcome", 401, welcome=True))["code"] == "signed_out"
        assert (await ask(ann, game, "welcome", welcome=True))["welcome"]
        await ann.post(f"/api/games/{game}/turns", json={"number": 0, "text": "A1"})
        taken = await ask(bo, game, "take-over")
        assert taken["you"] == 1 and taken["version"] == 2 and taken["turns"] == ["A1"] and taken["to_move"] == 1
        assert (await ask(bo, game, "take-over"))["version"] == 2
        assert (await ask(cy, game, "take-over", 409))["code"] == "full"
        server.games.forget(game)
        move = taken["legal"][0]["text"]
        assert (await bo.post(f"/api/games/{game}/turns", json={"number": 2, "text": move})).status_code == 201
        rated = (await made(ann, rules="hexbo", rated=True, welcome=True))["id"]
        assert (await ask(bo, rated, "take-over", 403))["code"] == "forbidden"


async def test_nobody_is_challenged_without_end(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_games, "TO_ONE_IN_ALL", 5)
    async with person(visit, "Ann") as ann, person(visit, "Bo") as bo, person(visit, "Cy") as cy:
        asked = {"opponent": "named", "name": "Bo"}
        first = [(await made(ann, **asked))["id"] for _ in range(open_games.TO_ONE)]
        assert "of yours to them wait; hint:" in (await made(ann, 429, **asked))["message"]
        assert (await made(ann, opponent="named", name="Cy"))["state"] == "open"
        for _ in range(2):
            await made(cy, **asked)
        assert "challenge somebody else" in (await made(cy, 429, **asked))["message"]
        assert len((await bo.get("/api/challenges")).json()) == 5
        await ask(bo, first[0], "cancel")  # which says no
        await made(ann, **asked)


async def test_nobody_fills_the_lobby(visit: Visit, app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_games, "WISHES_THERE", 8)
    server: Server = app.state.server
    async with visit() as ann:
        for _ in range(open_games.WISHES):
            game = (await made(ann, opponent="lobby"))["id"]
        assert "wait in the lobby; hint:" in (await made(ann, 429, opponent="lobby"))["message"]
        assert (await made(ann))["state"] == "playing" and (await made(ann, opponent="friend"))["state"] == "open"
        for guests in range(4):  # all of them from one address
            async with visit() as guest:
                answer = await guest.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "lobby"})
                assert answer.status_code == (201 if guests < 3 else 429), answer.text
        assert "from your address" in answer.json()["message"]
        here = next(iter(server.addresses.values()))
        async with visit() as bo:
            await made(bo, opponent="friend")
            number = (await bo.get("/api/me")).json()["account"]["id"]
            for part in (server.new_games, server.lists):
                monkeypatch.setattr(part, "where", lambda account: "far away" if account == number else here)
            await made(bo, opponent="lobby")
            for _ in range(2):
                await bo.get("/api/lobby")
            shown = (await bo.get("/api/lobby", params={"limit": 2})).json()
            assert [row["yours"] for row in shown].count(True) == 1, "one of each address comes first"
        await ask(ann, game, "cancel")


async def test_open_games_are_counted(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_games, "OPEN", 3)
    async with visit() as ann:
        for _ in range(3):
            await made(ann, opponent="friend")
        assert "take one back" in (await made(ann, 429, opponent="friend"))["message"]
        assert (await made(ann))["state"] == "playing", "a machine waits for nobody"


async def test_a_rated_game_whose_asker_never_came_changes_no_rating(visit: Visit, app: FastAPI) -> None:
    clock = {"kind": "live", "minutes": 1, "increment": 0}
    async with person(visit, "Ann") as ann, person(visit, "Bo") as bo:
        game = (await made(ann, rules="hexbo", rated=True, opponent="lobby", clock=clock, seat=0))["id"]
        await ask(bo, game, "join")
        server: Server = app.state.server
        live = await server.games.get(game)
        live.since -= 61_000
        await server.games.flag(game, live.version)
        told = (await bo.get(f"/api/games/{game}")).json()
        assert told["state"] == "over" and told["outcome"] == {
            "reason": "called off",
            "scores": None,
            "winners": [],
            "places": [],
        }
        assert "did not make a first turn in time" in seen((await bo.get(f"/games/{game}")).text)
        await server.ratings.sweep(0)
        for seat in live.seats:
            assert (await bo.get(f"/api/ratings/of/{seat.account}")).json() == []


async def test_pages_know_what_calls_for_somebody(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        await bo.post("/api/guest")
        page = (await bo.get("/archive")).text
        assert "live.js" not in page and "has begun" not in page, "nothing can call for a guest without games"
        game = (await made(ann, opponent="lobby", clock={"kind": "live"}))["id"]
        assert "live.js" in (await ann.get("/archive")).text
        assert "live.js" not in (await ann.get(f"/games/{game}")).text  # its own line tells
        assert "has begun" not in seen((await ann.get("/archive")).text)
        await ask(bo, game, "join")
        page = (await ann.get("/archive")).text
        assert "live.js" in page and f'href="/games/{game}"' in page and "Your game has begun: Hexbo" in seen(page)
        assert "has begun" not in seen((await ann.get(f"/games/{game}")).text)
        assert "has begun" not in seen((await ann.get("/live", params={"at": f"/games/{game}"})).text)
        assert "has begun" in seen((await ann.get("/live", params={"at": "/rules"})).text)
        assert 'data-news="' not in (await bo.get("/live", params={"at": f"/games/{game}"})).text


async def told(who: httpx.AsyncClient) -> tuple[str, str]:
    """The kind and text of their first notice, when it is written."""
    async with asyncio.timeout(30):
        while not (found := (await who.get("/api/notices")).json()["notices"]):
            await asyncio.sleep(0.02)
    return found[0]["kind"], found[0]["text"]


async def test_a_challenge_by_name_is_a_notice_and_so_is_its_refusal(visit: Visit) -> None:
    """With a live clock, too."""
    async with person(visit, "Ann") as ann, person(visit, "Bo") as bo:
        game = (await made(ann, opponent="named", name="Bo", clock={"kind": "live"}))["id"]
        waiting = seen((await ann.get(f"/games/{game}")).text)
        assert "waiting for Bo" in waiting and "Waiting for Bo, who has been told." in waiting
        assert await told(bo) == ("asked", "Hexbo: Ann challenges you.")
        line = await bo.get("/live")
        assert "Ann challenges you: Hexbo, side 5, 5 minutes, plus 3 seconds a turn, friendly." in seen(line.text)
        assert "Ann challenges you to Hexbo, side 5." in seen((await bo.get(f"/games/{game}")).text)
        await ask(bo, game, "cancel")
        assert 'data-news="' not in (await bo.get("/live")).text
        assert await told(ann) == ("declined", "Hexbo: Bo declined your challenge.")
        assert f'data-news="declined:{game}"' in (await ann.get("/live")).text
        page = seen((await ann.get(f"/games/{game}")).text)
        assert "Bo declined the challenge" in page and "Nobody won" not in page
        assert 'data-news="' not in (await ann.get("/live")).text, "who has seen the game knows it"


async def test_a_declined_offer_is_a_notice_for_who_is_not_there(visit: Visit) -> None:
    async with person(visit, "Ann") as ann, person(visit, "Bo") as bo:
        game = (await made(ann, opponent="friend"))["id"]
        await ask(bo, game, "join")
        await ann.post(f"/api/games/{game}/offers/draw")
        await bo.post(f"/api/games/{game}/offers/draw/decline")
        assert await told(ann) == ("declined", "Hexbo: Bo declined a draw.")
        assert "Bo declined a draw." in seen((await ann.get("/live")).text)
