"""Games in memory: every turn judged, stored, then told; and whatever should be refused changes nothing."""

from __future__ import annotations

import asyncio
import random
import sqlite3

import pytest

from hedgerow.match import Match
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store import TurnRow, queries
from hedgerow.serve.store.trouble import PAUSE

pytestmark = pytest.mark.anyio


async def people(server: Server, count: int) -> list[int]:
    return [(await server.accounts.guest())[0].id for _ in range(count)]


async def begun(server: Server, rules: str = "hexbo(side=5)", seats: int = 2) -> tuple[str, list[int]]:
    accounts = await people(server, seats)
    seats = [{"account": account} for account in accounts]
    live = await server.games.create(rules, accounts[0], seats, Control(), False)
    return live.id, accounts


async def refused(server: Server, game: str, account: int | None, number: int, text: str) -> Refused:
    before = await stored(server, game)
    with pytest.raises(Refused) as caught:
        await server.games.play(game, account, number, text)
    assert await stored(server, game) == before
    assert "hint:" in str(caught.value) or caught.value.reason
    return caught.value


async def stored(server: Server, game: str) -> list[str]:
    async with server.store.read() as connection:
        return [row.text for row in await queries.turn_rows(connection, game)]


async def test_a_game_in_the_store_is_the_match(server: Server) -> None:
    game, accounts = await begun(server, "root_bound(side=4)")
    match, chance = Match("root_bound(side=4)"), random.Random(3)
    while match.outcome is None:
        before, mover = len(match.turns), match.to_move
        while True:
            match.play(chance.choice(match.legal()))
            if match.outcome or not match.rules.mid_turn(match.plain):
                break
        played = await server.games.play(game, accounts[mover], before, match.turns[-1].upper())
        assert played.turn.text == match.turns[-1]
    server.games.forget(game)
    live = await server.games.get(game)
    assert live.match.turns == match.turns and live.match.outcome == match.outcome and live.state == "over"
    assert (await refused(server, game, accounts[0], len(match.turns), "a1")).code == "over"


async def test_what_is_refused_changes_nothing(server: Server) -> None:
    game, (ann, bo) = await begun(server)
    (stranger,) = await people(server, 1)
    assert (await refused(server, game, stranger, 0, "A1")).code == "not_yours"
    assert (await refused(server, game, bo, 0, "A1")).code == "not_your_turn"
    assert (await refused(server, game, None, 0, "A1")).code == "not_your_turn"
    illegal = await refused(server, game, ann, 0, "E5")
    assert illegal.code == "illegal" and illegal.reason and illegal.reason.clause
    assert (await refused(server, game, ann, 0, "hello")).code == "unreadable"
    assert (await refused(server, game, ann, 0, "A1 " * 100)).code == "unreadable"
    assert (await refused(server, game, ann, 0, "A1 G8")).code == "illegal"
    assert (await refused(server, game, ann, 1, "A1")).code == "stale"
    assert (await refused(server, game, ann, -1, "A1")).code == "stale"
    assert (await refused(server, game, ann, 10**9, "A1")).code == "stale"
    with pytest.raises(Refused) as caught:
        await server.games.play("nowhere", ann, 0, "A1")
    assert caught.value.code == "not_found"
    live = await server.games.get(game)
    assert live.version == 0 and live.match.turns == ()


async def test_a_turn_again_is_harmless(server: Server) -> None:
    game, (ann, bo) = await begun(server)
    first = await server.games.play(game, ann, 0, "A1")
    again = await server.games.play(game, ann, 0, "a1")
    assert not first.repeated and again.repeated and again.turn == first.turn
    reply = (await server.games.get(game)).match.legal()[0]
    await server.games.play(game, bo, 1, reply)
    assert (await server.games.play(game, ann, 0, "A1")).turn == first.turn
    assert (await refused(server, game, ann, 0, "B3")).code == "stale"
    assert (await refused(server, game, bo, 0, "A1")).code == "stale"
    assert await stored(server, game) == ["A1", reply]


async def test_an_unfinished_turn_is_refused_whole(server: Server) -> None:
    game, (ann, bo) = await begun(server, "root_bound(side=4)")
    await server.games.play(game, ann, 0, "a1")
    unfinished = await refused(server, game, bo, 1, "c3")
    assert "unfinished" in str(unfinished)
    assert (await refused(server, game, bo, 1, "c3 zz")).code == "unreadable"
    assert (await server.games.play(game, bo, 1, "c3 g2")).turn.text == "c3 g2"


async def test_of_fifty_turns_for_one_place_one_is_stored(server: Server) -> None:
    """Two workers: two memories on one database; on SQLite both belong to one process, as there is only one."""
    game, (ann, _) = await begun(server)
    other = Games(server.store, server.bus)
    choices = (await server.games.get(game)).match.legal()
    tries = [
        asyncio.create_task((server.games if number % 2 else other).play(game, ann, 0, choices[number % len(choices)]))
        for number in range(50)
    ]
    done = await asyncio.gather(*tries, return_exceptions=True)
    (text,) = await stored(server, game)
    for number, result in enumerate(done):
        if isinstance(result, BaseException):
            assert isinstance(result, Refused) and result.code in ("stale", "not_your_turn")
        else:
            assert choices[number % len(choices)] == text == result.turn.text
    assert sum(not isinstance(result, BaseException) and not result.repeated for result in done) == 1
    assert [(await games.get(game)).match.turns for games in (server.games, other)].count((text,)) >= 1


async def test_whoever_leaves_a_game_of_three_is_skipped(server: Server) -> None:
    game, (ann, bo, cy) = await begun(server, "hexbo(side=5,players=3)", 3)
    await server.games.resign(game, bo)
    assert await server.games.resign(game, bo) is None
    live = await server.games.get(game)
    await server.games.play(game, ann, 1, live.match.legal()[0])
    assert live.match.to_move == 2 and live.state == "playing"
    await server.games.resign(game, ann)
    assert live.state == "over" and live.match.outcome and live.match.outcome.winners == (2,)
    with pytest.raises(Refused):
        await server.games.resign(game, (await people(server, 1))[0])
    server.games.forget(game)
    assert (await server.games.get(game)).match.outcome == live.match.outcome
    assert cy


async def test_everybody_is_told_once_and_only_what_is_stored(server: Server) -> None:
    game, (ann, _) = await begun(server)
    heard: list[tuple[str, list[str]]] = []
    leave = server.bus.subscribe(game, lambda message: heard.append(("first", [message.text])))
    server.bus.subscribe(game, lambda message: heard.append(("second", [message.text])), first=True)
    told: list[LiveGame] = []
    server.games.after.append(told.append)
    await server.games.play(game, ann, 0, "A1")
    await server.games.play(game, ann, 0, "A1")
    assert [name for name, _ in heard] == ["second", "first"] and heard[0][1] == heard[1][1]
    assert [live.id for live in told] == [game]
    leave()
    await server.games.resign(game, ann)
    assert len(heard) == 3


async def test_a_turn_that_cannot_be_stored_is_taken_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    game, (ann, _) = await begun(server)
    heard: list[str] = []
    server.bus.subscribe(game, lambda message: heard.append(message.text))

    async def broken(row: object) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(server.store.writer, "store", broken)
        with pytest.raises(Refused) as caught:
            await server.games.play(game, ann, 0, "A1")
    assert caught.value.code == "later" and not heard
    assert (await server.games.get(game)).version == 0
    assert (await server.games.play(game, ann, 0, "A1")).turn.number == 0


async def test_memory_is_only_a_cache(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.serve.play.games.KEPT", 3)
    made = [await begun(server) for _ in range(6)]
    assert server.games.in_memory == 3
    assert made[-1][0] in server.games._kept
    for game, (ann, _) in made:
        await server.games.play(game, ann, 0, "A1")
    for game, _ in made:
        assert (await server.games.get(game)).match.turns == ("A1",)
    assert server.games.in_memory == 3


async def test_a_game_that_nobody_looks_at_leaves_the_memory(server: Server) -> None:
    game, (ann, _) = await begun(server)
    other, _ = await begun(server)
    server.games.rest(30)
    assert server.games.in_memory == 2
    (await server.games.get(game)).touched -= 60
    held = await server.games.get(other)
    held.touched -= 60
    async with held.lock:
        server.games.rest(30)
        assert server.games.version(game) is None and server.games.version(other) == 0
    assert (await server.games.play(game, ann, 0, "A1")).turn.number == 0
    leave = server.bus.subscribe(game, lambda message: None, version=1)
    (await server.games.get(game)).touched -= 60
    server.games.rest(30)
    assert server.games.version(game) == 1, "somebody follows it"
    leave()
    server.games.rest(30)
    assert server.games.version(game) is None


async def test_a_seat_is_taken_once(server: Server) -> None:
    accounts = await people(server, 6)
    live = await server.games.create(
        "hexbo(side=5,players=3)", accounts[0], [{"account": accounts[0]}, {}, {}], Control(), False
    )
    assert live.state == "open" and (await refused(server, live.id, accounts[0], 0, "A1")).code == "not_begun"
    joined = await asyncio.gather(
        *(server.games.join(live.id, account) for account in accounts[1:]), return_exceptions=True
    )
    assert sorted(seat for seat in joined if isinstance(seat, int)) == [1, 2]
    assert [error.code for error in joined if isinstance(error, Refused)] == ["full"] * 3
    assert await server.games.join(live.id, accounts[0]) == 0
    now = await server.games.get(live.id)
    assert now.state == "playing" and len({seat.account for seat in now.seats}) == 3


async def test_a_game_that_is_forgotten_again_and_again_is_given_up(server: Server) -> None:
    ann = (await server.accounts.guest())[0].id
    live = await server.games.create("hexbo(side=5)", ann, [{"account": ann}, {"account": ann}], Control(), False)
    get, looked = server.games.get, 0

    async def forgotten(game: str) -> LiveGame:
        nonlocal looked
        looked += 1
        found = await get(game)
        server.games.forget(game)
        return found

    server.games.get = forgotten  # type: ignore[method-assign]
    async with asyncio.timeout(60):
        with pytest.raises(Refused) as held:
            async with server.games.held(live.id):
                pass
        with pytest.raises(Refused) as played:
            await server.games.play(live.id, ann, 0, "A2")
    assert held.value.code == played.value.code == "later" and looked < 1000


async def test_while_nothing_can_be_stored_games_stay_in_memory(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn that could not be stored is not judged: the game would have to be replayed for every try."""
    game, accounts = await begun(server)

    async def full(rows: list[TurnRow]) -> list[bool]:
        raise sqlite3.OperationalError("database or disk is full") if rows else AssertionError

    with monkeypatch.context() as disk:
        disk.setattr("hedgerow.serve.store.trouble.cause_of", lambda error: "the disk is full")
        disk.setattr(server.store, "_turns", full)
        for _ in range(2):
            assert (await refused(server, game, accounts[0], 0, "A2")).code == "later"
        kept = await server.games.get(game)
        for _ in range(3):
            assert (await refused(server, game, accounts[0], 0, "A2")).code == "later"
        assert await server.games.get(game) is kept and kept.version == 0
    await asyncio.sleep(PAUSE)
    assert (await server.games.play(game, accounts[0], 0, "A2")).turn.number == 0
