"""Short numbers of games: each has one, given when it is first asked for; private games are shown to their players."""

from __future__ import annotations

import asyncio

import pytest

from hedgerow.serve.play.clocks import Control
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store import boards

pytestmark = pytest.mark.anyio


async def test_numbers_are_short_and_stay(server: Server) -> None:
    ann, _ = await server.accounts.guest()
    made = [await server.games.create("hexbo", ann.id, [{"account": ann.id}, {}], Control(), False) for _ in range(3)]
    assert [await server.boards.number(live.id) for live in made] == [1, 2, 3]
    assert [await server.boards.number(live.id) for live in reversed(made)] == [3, 2, 1]
    assert (await server.boards.find(2, None)).id == made[1].id
    async with server.store.read() as connection:
        assert await boards.game_of(connection, 9) is None
        assert await boards.numbers_of(connection, [made[0].id, "none"]) == {made[0].id: 1}
    with pytest.raises(Refused, match="no board 9"):
        await server.boards.find(9, ann.id)


async def test_many_who_ask_at_once_hear_the_same(server: Server) -> None:
    ann, _ = await server.accounts.guest()
    live = await server.games.create("hexbo", ann.id, [{"account": ann.id}, {}], Control(), False)
    assert len({*await asyncio.gather(*(server.boards.number(live.id) for _ in range(8)))}) == 1


async def test_a_private_game_is_shown_to_those_it_concerns(server: Server) -> None:
    ann, bo, cy = [(await server.accounts.guest())[0].id for _ in range(3)]
    live = await server.games.create("hexbo", ann, [{"account": ann}, {"invited": bo}], Control(), private=True)
    number = await server.boards.number(live.id)
    for account in (ann, bo):
        assert (await server.boards.find(number, account)).id == live.id
    for stranger in (cy, None):
        with pytest.raises(Refused, match=f"no board {number}"):
            await server.boards.find(number, stranger)
    await server.games.join(live.id, bo)
    assert (await server.boards.find(number, bo)).state == "playing"
    with pytest.raises(Refused):
        await server.boards.find(number, cy)
