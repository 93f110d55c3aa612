"""What a letter does is marked in the transaction that stores it: tried again, by anybody, nothing happens twice."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import func, insert, select

from hedgerow.serve.commands.carrying import carry_out
from hedgerow.serve.commands.speaking import Sender
from hedgerow.serve.play.clocks import DAY, Control
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.store.letters import AlreadyDone, Once
from hedgerow.serve.store.schema import chat, games, letter_steps, letters, now, turns, vacations

pytestmark = pytest.mark.anyio

DAYS = Control("days", 3 * DAY)


async def letter(server: Server, digest: str = "one") -> Once:
    """A letter that came in."""
    row = {"digest": digest, "received": now(), "sender": "", "recipient": "play@here.test", "tries": 0}
    async with server.store.write() as connection:
        return Once((await connection.execute(insert(letters).values(**row).returning(letters.c.id))).scalar_one(), 0)


async def begun(server: Server) -> tuple[LiveGame, int, int]:
    ann, bo = [(await server.accounts.guest())[0].id for _ in range(2)]
    live = await server.games.create("hexbo(side=5)", ann, [{"account": ann}, {"account": bo}], DAYS, False)
    return live, ann, bo


async def result(server: Server, once: Once) -> str | None:
    async with server.store.read() as connection:
        return await once.result(connection)


async def count(server: Server, table: object) -> int:
    async with server.store.read() as connection:
        return int((await connection.execute(select(func.count()).select_from(table))).scalar_one())  # type: ignore[arg-type]


async def test_a_turn_and_its_mark_are_stored_together(server: Server) -> None:
    live, ann, _ = await begun(server)
    once = await letter(server)
    await server.games.play(live.id, ann, 0, live.match.legal()[0], once=once)
    assert await result(server, once) == "0" and live.version == 1


async def test_a_letter_that_was_carried_out_plays_no_second_turn(server: Server) -> None:
    live, ann, bo = await begun(server)
    once = await letter(server)
    await server.games.play(live.id, ann, 0, live.match.legal()[0], once=once)
    await server.games.play(live.id, bo, 1, live.match.legal()[0])
    with pytest.raises(Refused):
        await server.games.play(live.id, ann, 2, live.match.legal()[0], once=once)
    assert (await server.games.get(live.id)).version == 2 and await count(server, turns) == 2


async def test_a_refused_turn_leaves_no_mark(server: Server) -> None:
    live, ann, bo = await begun(server)
    once = await letter(server)
    for account, number, text in ((ann, 0, "E5"), (bo, 0, live.match.legal()[0]), (ann, 5, live.match.legal()[0])):
        with pytest.raises(Refused):
            await server.games.play(live.id, account, number, text, once=once)
    assert await result(server, once) is None
    await server.games.play(live.id, ann, 0, live.match.legal()[0], once=once)
    assert await result(server, once) == "0"


async def test_a_turn_that_does_not_fit_any_more_leaves_no_mark(server: Server) -> None:
    """Another process was faster: the row is not stored, and neither is the mark, in a batch with others that are."""
    live, ann, _ = await begun(server)
    other, cy, _ = await begun(server)
    elsewhere = Games(server.store, server.bus)
    known = await elsewhere.get(live.id)
    first, second = live.match.legal()[:2]
    await server.games.play(live.id, ann, 0, first)
    once, fine = await letter(server), await letter(server, "two")
    late, played = await asyncio.gather(
        elsewhere.play(known.id, ann, 0, second, once=once),
        elsewhere.play(other.id, cy, 0, first, once=fine),
        return_exceptions=True,
    )
    assert isinstance(late, Refused) and not isinstance(played, BaseException)
    assert await result(server, once) is None and await result(server, fine) == "0"
    assert (await server.games.get(live.id)).match.turns == (first,)


async def test_two_who_have_the_same_letter_play_one_turn(server: Server) -> None:
    """In different games even: the mark is what counts."""
    (one, ann, _), (two, cy, _) = await begun(server), await begun(server)
    once, elsewhere = await letter(server), Games(server.store, server.bus)
    await elsewhere.get(two.id)
    text = one.match.legal()[0]
    done = await asyncio.gather(
        server.games.play(one.id, ann, 0, text, once=once),
        elsewhere.play(two.id, cy, 0, text, once=once),
        return_exceptions=True,
    )
    assert sorted(isinstance(each, Refused) for each in done) == [False, True]
    assert await count(server, turns) == 1 == await count(server, letter_steps)


async def test_a_letter_makes_one_game(server: Server) -> None:
    ann, bo = [(await server.accounts.guest())[0].id for _ in range(2)]
    once = await letter(server)
    made = await server.games.create("hexbo", ann, [{"account": ann}, {"invited": bo}], DAYS, False, once=once)
    with pytest.raises(AlreadyDone):
        await server.games.create("hexbo", ann, [{"account": ann}, {"invited": bo}], DAYS, False, once=once)
    assert made.id == await result(server, once) and await count(server, games) == 1


async def test_a_letter_takes_one_seat_and_declines_once(server: Server) -> None:
    ann, bo = [(await server.accounts.guest())[0].id for _ in range(2)]
    seats = [{"account": ann}, {"invited": bo}]
    one, two = [await server.games.create("hexbo", ann, seats, DAYS, False) for _ in range(2)]
    once = await letter(server)
    assert await server.games.join(one.id, bo, once=once) == 1
    with pytest.raises(AlreadyDone):
        await server.games.join(two.id, bo, once=once)
    with pytest.raises(AlreadyDone):
        await server.lobby.cancel(two.id, bo, once=once)
    assert (await server.games.look(two.id)).state == "open"
    await server.lobby.cancel(two.id, bo, once=await letter(server, "two"))
    assert (await server.games.look(two.id)).state == "over"


async def test_offers_of_a_letter_are_made_and_kept_once(server: Server) -> None:
    live, ann, bo = await begun(server)
    for number, account in enumerate((ann, bo, ann)):
        await server.games.play(live.id, account, number, live.match.legal()[0])
    once, agreed = await letter(server), await letter(server, "two")
    assert not (await server.offers.ask(live.id, ann, "undo", once)).done
    assert (await server.offers.agree(live.id, bo, "undo", agreed)).done
    assert await result(server, once) == "" and await result(server, agreed) == "3"
    with pytest.raises(AlreadyDone):  # the next take-back would be another one
        await server.offers.ask(live.id, ann, "undo", once)
    assert not await server.offers.standing(await server.games.look(live.id))
    await server.offers.ask(live.id, bo, "draw")
    no = await letter(server, "three")
    await server.offers.decline(live.id, ann, "draw", no)
    assert await result(server, no) == ""


async def test_a_rematch_of_a_letter_is_one_game(server: Server) -> None:
    live, ann, bo = await begun(server)
    await server.games.resign(live.id, ann)
    await server.offers.ask(live.id, ann, "rematch")
    once = await letter(server)
    made = await server.offers.agree(live.id, bo, "rematch", once)
    assert made.game and await result(server, once) == made.game
    assert (await server.offers.agree(live.id, bo, "rematch", once)).game == made.game
    assert await count(server, games) == 2


async def test_resigning_talk_plans_and_vacations_are_marked(server: Server) -> None:
    live, ann, bo = await begun(server)
    line = [live.match.legal()[0]]
    match = live.match.copy()
    match.play(line[0])
    marks = [await letter(server, name) for name in ("plan", "chat", "vacation", "resign")]
    await server.plans.set(live.id, bo, [[*line, match.legal()[0]]], once=marks[0])
    guest = await server.accounts.guest()
    with pytest.raises(Refused):
        await server.talk.say(live.id, guest[0], "players", "hello", marks[1])
    account = type(guest[0])(ann, "guest", "Ann")
    await server.talk.say(live.id, account, "players", "hello", marks[1])
    with pytest.raises(AlreadyDone):
        await server.talk.say(live.id, account, "players", "hello", marks[1])
    await server.vacations.take(ann, 3, marks[2])
    with pytest.raises(AlreadyDone):
        await server.vacations.take(ann, 5, marks[2])
    await server.games.resign(live.id, ann, marks[3])
    assert [await result(server, mark) for mark in marks[:2] + marks[3:]] == ["", "", "0"]
    assert '"left":27' in (await result(server, marks[2]) or "")
    assert await count(server, chat) == 1 == await count(server, vacations)


async def test_a_step_that_cannot_be_marked_is_no_answer(server: Server) -> None:
    """A letter that is gone meanwhile is none that was answered before: the command fails, and nothing is made."""
    account, _ = await server.accounts.sign_up("Ann", "under the hedge 7", None, None)
    sender = Sender("mail", account, address="ann@example.net", where="mail", once=Once(1_000_000, 0))
    with pytest.raises(AlreadyDone):
        await carry_out(server, sender, "vacation 3", "")
    assert await count(server, vacations) == 0
