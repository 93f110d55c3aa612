"""Quick pairing: equal wishes find each other, whoever stands nearest first, and nobody is left with two games."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit
from sqlalchemy import insert, update

from hedgerow.games import games as game_names
from hedgerow.serve.play.pairing import Pairing
from hedgerow.serve.store.schema import games, now, ratings

pytestmark = pytest.mark.anyio


async def pair(client: httpx.AsyncClient, length: str = "short", status: int = 201, **more: Any) -> dict[str, Any]:
    answer = await client.post("/api/pair", json={"length": length, **more})
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def stands(app: FastAPI, account: int, rating: int) -> None:
    """Somebody's rating in every game."""
    stands = {"account": account, "mu": 25.0, "sigma": 5.0, "rating": rating, "games": 5, "at": now()}
    async with app.state.server.store.write() as connection:
        await connection.execute(insert(ratings), [{"ladder": f"{name}/2"} | stands for name in game_names()])


async def test_equal_wishes_are_paired_by_rating(visit: Visit, app: FastAPI) -> None:
    async with contextlib.AsyncExitStack() as stack:
        people = [await stack.enter_async_context(visit()) for _ in range(4)]
        for client, (name, rating) in zip(people, (("Low", 1300), ("High", 1900), ("Mid", 1600), ("Top", 2000))):
            signed = await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
            await stands(app, signed.json()["id"], rating)
        low, high, mid, top = people
        game = await pair(low)
        assert game["state"] == "open" and (game["clock"]["kind"], game["rated"]) == ("live", False)
        assert (await pair(low))["id"] == game["id"], "asked twice, it is one wish"
        assert (await pair(mid, "long"))["id"] != game["id"], "another length is another wish"
        assert (await pair(mid, rated=True))["id"] != game["id"], "and so is a rated game"
        clock = {"kind": "live", "minutes": 5, "increment": 0}
        asked = {"rules": "tanbo", "opponent": "lobby", "clock": clock}
        other = (await high.post("/api/games", json=asked)).json()["id"]  # about as long, from the form
        found = await pair(top)
        assert (found["id"], found["state"]) == (other, "playing")
        assert (await pair(mid))["id"] == game["id"]


async def test_two_at_one_moment_find_each_other(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        found = await asyncio.gather(pair(ann), pair(bo))
        ids = {(await client.get(f"/api/games/{one['id']}")).json()["id"] for client, one in zip((ann, bo), found)}
        assert len(ids) == 1 and (await ann.get("/api/lobby")).json() == []
        assert (await ann.get(f"/api/games/{ids.pop()}")).json()["state"] == "playing"


@pytest.mark.parametrize("later", [-60_000, 60_000], ids=["the elder", "the younger"])
async def test_whose_game_is_stored_last_finds_the_other(
    visit: Visit, app: FastAPI, monkeypatch: pytest.MonkeyPatch, later: int
) -> None:
    """Whichever of two games was begun first: when its maker first looked, nobody else's was stored."""
    look, looked = Pairing._wishes, []

    async def see_nobody_at_first(self: Pairing, *asked: Any) -> Any:
        looked.append(asked)
        return await look(self, *asked) if len(looked) > 1 else ([], [])

    async with visit() as ann, visit() as bo:
        waiting = await pair(ann)
        async with app.state.server.store.write() as connection:
            await connection.execute(update(games).values(created=now() - later))
        monkeypatch.setattr(Pairing, "_wishes", see_nobody_at_first)
        found = await pair(bo)
        assert len(looked) == 2 and (found["id"], found["state"]) == (waiting["id"], "playing")
        assert (await ann.get("/api/lobby")).json() == []


async def test_whom_one_does_not_want_is_not_found(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        number = (await ann.post("/api/guest")).json()["id"]
        game = await pair(ann)
        await bo.post("/api/guest")
        await bo.put(f"/api/mutes/{number}", json={"kind": "block"})
        assert (await pair(bo))["id"] != game["id"]
        await pair(bo, "endless", 422)
        assert (await bo.post("/pair", data={"length": "endless"})).status_code == 422
