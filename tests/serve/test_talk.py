"""What people say: who hears whom, how much and how fast, and whom one need not hear."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from serving import Visit

from hedgerow.serve.bus.local import LocalBus, Message
from hedgerow.serve.play.presence import Spectators
from hedgerow.serve.play.talk import MAX_MESSAGE_CHARS
from hedgerow.serve.server import Server
from hedgerow.serve.store import talk

pytestmark = pytest.mark.anyio


async def named(client: httpx.AsyncClient, name: str) -> int:
    signed = await client.post("/api/sign-up", json={"name": name, "password": "under the hedge"})
    number: int = signed.json()["id"]
    return number


async def say(client: httpx.AsyncClient, game: str, text: str, room: str = "players") -> httpx.Response:
    return await client.post(f"/api/games/{game}/chat", json={"room": room, "text": text})


async def heard(client: httpx.AsyncClient, game: str, room: str = "players", after: int = 0) -> list[str] | str:
    answer = (await client.get(f"/api/games/{game}/chat", params={"room": room, "after": after})).json()
    return answer["code"] if isinstance(answer, dict) else [said["text"] for said in answer]


async def between(ann: httpx.AsyncClient, bo: httpx.AsyncClient) -> str:
    game: str = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "friend"})).json()["id"]
    await bo.post(f"/api/games/{game}/join")
    return game


async def test_two_rooms(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as watcher, visit() as guest:
        game = await between(ann, bo)
        await named(watcher, "Wren")
        await guest.post("/api/guest")
        first = (await say(ann, game, "good luck")).json()
        assert first["text"] == "good luck" and first["room"] == "players"
        await say(bo, game, "you too <b>")
        assert await heard(bo, game) == ["good luck", "you too <b>"] and await heard(bo, game, after=first["id"]) == [
            "you too <b>"
        ]
        assert await heard(watcher, game) == "not_yours" and (await say(watcher, game, "hi")).status_code == 403
        assert (await say(watcher, game, "A2 wins", "watchers")).status_code == 201
        assert (await say(guest, game, "hi", "watchers")).status_code == 403
        assert await heard(guest, game, "watchers") == ["A2 wins"]
        assert await heard(ann, game, "watchers") == "forbidden" and (await say(ann, game, "?", "watchers")).is_error
        await ann.post(f"/api/games/{game}/resign")
        assert await heard(ann, game, "watchers") == ["A2 wins"] and await heard(watcher, game) == "not_yours"
        assert (await heard(ann, "nowhere")) == "not_found"


async def test_length_and_pace(visit: Visit) -> None:
    async with visit() as ann, visit() as bo, visit() as nobody:
        game = await between(ann, bo)
        for text in ("", "   ", "\x00\x07", "x" * (MAX_MESSAGE_CHARS + 1)):
            assert (await say(ann, game, text)).status_code == 422
        assert (await say(nobody, game, "hi")).status_code == 401
        assert (await say(ann, game, " a\nb\x00 ")).json()["text"] == "a b"
        answers = [(await say(ann, game, f"spam {number}")).status_code for number in range(12)]
        assert answers[0] == 201 and answers[-1] == 429
        assert (await say(bo, game, "others may")).status_code == 201


async def test_reports(visit: Visit, app: FastAPI) -> None:
    async with visit() as ann, visit() as bo, visit() as stranger:
        game = await between(ann, bo)
        await stranger.post("/api/guest")
        said = (await say(bo, game, "a rude word")).json()["id"]
        where = f"/api/chat/{said}/report"
        assert (await ann.post(where, json={"reason": "rude"})).status_code == 204
        assert (await ann.post(where, json={"reason": "very rude"})).status_code == 204
        assert (await stranger.post(where, json={"reason": "x"})).status_code == 403
        assert (await ann.post("/api/chat/999999/report", json={"reason": "x"})).status_code == 404
        server: Server = app.state.server
        async with server.store.read() as connection:
            (report,) = await talk.open_reports(connection)
        assert (report.reason, report.text, report.game) == ("very rude", "a rude word", game)


async def test_mute_and_block(visit: Visit) -> None:
    async with visit() as ann, visit() as bo:
        await named(ann, "Ann")
        rude = await named(bo, "Bo")
        game = await between(ann, bo)
        await say(bo, game, "one")
        assert (await ann.put(f"/api/mutes/{rude}", json={"kind": "mute"})).status_code == 204
        await say(ann, game, "two")
        assert await heard(ann, game) == ["two"] and await heard(bo, game) == ["one", "two"]
        named_game = {"rules": "hexbo(side=5)", "opponent": "named", "name": "Ann"}
        assert (await bo.post("/api/games", json=named_game)).status_code == 201
        assert (await ann.put(f"/api/mutes/{rude}", json={"kind": "block"})).status_code == 204
        assert (await ann.get("/api/mutes")).json() == [{"account": rude, "name": "Bo", "kind": "block"}]
        assert (await bo.post("/api/games", json=named_game)).status_code == 403
        asked = (await ann.post("/api/games", json={"rules": "hexbo(side=5)", "opponent": "lobby"})).json()["id"]
        assert (await bo.post(f"/api/games/{asked}/join")).status_code == 403
        assert (await ann.delete(f"/api/mutes/{rude}")).status_code == 204
        assert await heard(ann, game) == ["one", "two"] and (await bo.post(f"/api/games/{asked}/join")).is_success
        assert (await ann.put("/api/mutes/999999", json={"kind": "mute"})).status_code == 404
        me = (await ann.get("/api/me")).json()["account"]["id"]
        assert (await ann.put(f"/api/mutes/{me}", json={"kind": "mute"})).status_code == 422


async def test_lines_hear_only_their_room_and_nobody_muted(visit: Visit, app: FastAPI) -> None:
    server: Server = app.state.server
    async with visit() as ann, visit() as bo, visit() as wren:
        numbers = [await named(client, name) for client, name in ((ann, "Ann"), (bo, "Bo"), (wren, "Wren"))]
        game = await between(ann, bo)
        lines: dict[int, list[str]] = {number: [] for number in numbers}
        async with server.games.held(game) as live:
            for number in numbers:
                hear = lines[number]
                await server.talk.listen(live, number, lambda m, hear=hear: hear.append(json.loads(m.text)["text"]))  # type: ignore[misc]
        await say(ann, game, "to players")
        await say(wren, game, "to watchers", "watchers")
        await bo.put(f"/api/mutes/{numbers[0]}", json={"kind": "mute"})
        await say(ann, game, "unheard by Bo")
        await ann.post(f"/api/games/{game}/resign")
        await say(wren, game, "to all", "watchers")
        assert lines == {
            numbers[0]: ["to players", "unheard by Bo", "to all"],
            numbers[1]: ["to players", "to all"],
            numbers[2]: ["to watchers", "to all"],
        }


class TwoProcesses(LocalBus):
    """A bus whose messages also reach another one, as over Redis."""

    shared = True
    other: TwoProcesses

    def publish(self, game: str, message: Message) -> None:
        self.tell_here(game, message)
        self.other.tell_here(game, message)


async def test_watchers_are_counted_over_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.serve.play.presence.PAUSE", 0.01)
    here, there = TwoProcesses(), TwoProcesses()
    here.other, there.other = there, here
    counts: list[int] = []
    here.subscribe("g", lambda message: counts.append(json.loads(message.text)["count"]))
    one, two = Spectators(here), Spectators(there)
    leave_player, leave = one.come("g", 0), two.come("g")
    more = [two.come("g") for _ in range(3)]
    own = one.come("g")
    await asyncio.sleep(0.05)
    assert one.count("g") == two.count("g") == 5 and counts == [5], "told once for all who came at once"
    late = Spectators(here)
    late.come("g", 1)
    assert late.count("g") == 5 and late.seats("g") == [0, 1], "who comes late asks"
    assert two.seats("g") == [0, 1]
    for gone in (leave, *more, own):
        gone()
    await asyncio.sleep(0.05)
    assert one.count("g") == 0 and counts[-1] == 0 and two.busiest() == {}
    leave_player()
    assert one.seats("g") == []


async def test_nobody_is_told_a_count_that_did_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.serve.play.presence.PAUSE", 0.01)
    bus, counts = LocalBus(), list[Any]()
    bus.subscribe("g", counts.append)
    crowd = Spectators(bus)
    crowd.come("g")()
    await asyncio.sleep(0.05)
    assert counts == []
