"""The engine helps nobody with a rated game that goes on: not a turn ahead, not a turn behind, not in a mirror."""

from __future__ import annotations

import random

import pytest
from sqlalchemy import event

import hedgerow as hg
from hedgerow.match import Match
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.fairplay import FROM, check
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.replays import SentGame, question
from hedgerow.serve.play.symmetry import helps
from hedgerow.serve.play.workshop import Payer
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import play

pytestmark = pytest.mark.anyio

NOBODY = Payer(None, "192.0.2.1")


def random_turns(rules: str, turns: int, seed: int) -> Match:
    """A match after so many whole turns, or fewer where it ends."""
    chance, match = random.Random(seed), hg.Match(rules)
    while not match.outcome and (len(match.turns) < turns or match.rules.mid_turn(match.plain)):
        match.play(chance.choice(match.legal()))
    return match


@pytest.mark.parametrize("name", hg.games())
@pytest.mark.parametrize("seed", range(3))
def test_a_turn_ahead_and_behind_and_in_the_mirror(name: str, seed: int) -> None:
    for turns in (4, 6, 15, 40):
        match = random_turns(name, turns + 3, seed)
        while match.outcome:
            match.undo_turn()
        texts = [match.position()]
        while len(texts) < 7 and match.turns:
            match.undo_turn()
            texts.append(match.position())
        rules, stands = match.rules, texts[3]
        mirrored = [rules.write(rules.turned(rules.parse(stands), symmetry)) for symmetry in rules.symmetries]
        for asked in (stands, texts[2], texts[4], *mirrored):
            assert helps(name, [asked], [(name, stands)]), f"{asked} where {stands}"
        assert helps(name, [texts[0], *texts[1:4]], [(name, stands)]), "turns were appended to the game"
        far = [text for text in (texts[0], texts[6]) if rules.parse(text).board != rules.parse(stands).board]
        assert not any(helps(name, [asked], [(name, stands)]) for asked in far)


async def rated(server: Server, turns: str, rules: str = "tanbo") -> LiveGame:
    accounts = [(await server.accounts.guest())[0].id for _ in range(2)]
    seats = [{"account": account} for account in accounts]
    live = await server.games.create(rules, accounts[0], seats, Control(), False, rated=True)
    for number, text in enumerate(turns.split()):
        await server.games.play(live.id, accounts[number % 2], number, text)
    return await server.games.get(live.id)


async def helped(server: Server, turns: str, rules: str = "tanbo", position: str | None = None) -> bool:
    """Whether the engine may be asked about it by somebody whom nobody knows."""
    asked = question(SentGame(rules, position, turns))
    try:
        await check(server.games, server.workshop, NOBODY, hg.make(asked.rules), asked.nearby)
    except Refused as refused:
        assert refused.code == "not_over" and "; hint:" in str(refused)
        return False
    return True


async def test_whoever_asks(server: Server) -> None:
    live = await rated(server, "A2 A6 B2 B6")
    text = live.match.position()
    assert not await helped(server, "A2 A6 B2 B6") and not await helped(server, "", position=text)
    assert not await helped(server, "A2 A6 B2 B6 C2") and not await helped(server, "A2 A6 B2")
    assert not await helped(server, "C2", position=text), "one candidate turn appended"
    after = live.match.copy()
    after.play("C2")
    assert not await helped(server, "", position=after.position()), "the same without its past"
    assert not await helped(server, "A2 A6 B2 B6 C2 C6"), "a turn and an answer appended"
    other = " ".join(random_turns("tanbo", 5, 1).turns)
    assert await helped(server, "A2 A6") and await helped(server, "") and await helped(server, other)
    await server.games.resign(live.id, live.seats[0].account or 0)
    assert await helped(server, "A2 A6 B2 B6")


async def test_openings_are_everybodys(server: Server) -> None:
    live = await rated(server, "A2 A6")
    assert len(live.match.turns) < FROM and await helped(server, "A2 A6") and await helped(server, "A2 A6 B2")


async def test_what_was_taken_back_does_not_count(server: Server) -> None:
    live = await rated(server, "A2 A6 B2 B6 C2")
    text = live.match.position()
    assert not await helped(server, "", position=text)
    await server.games.do(live, "undo", 0, "2")
    assert await helped(server, "", position=text) and not await helped(server, "A2 A6 B2")


async def test_it_holds_after_a_restart_and_for_games_from_before(settings: Settings) -> None:
    server = await Server.start(settings)
    await rated(server, "A2 A6 B2 B6")
    await server.stop()
    server = await Server.start(settings)
    assert not await helped(server, "A2 A6 B2 B6 C2") and not server.games.in_memory
    async with server.store.write() as connection:
        await connection.execute(play.games.update().values(position=None))  # as an older version left it
    await server.stop()
    server = await Server.start(settings)
    assert not await helped(server, "A2 A6 B2 B6 C2") and not server.games.in_memory
    await server.stop()


async def test_one_question_loads_no_game_however_many_go_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the first nor the last of many games is forgotten, and none of them is replayed."""
    live = await rated(server, "A2 A6 B2 B6")
    early = await rated(server, "A2 A6 B2 B6 C2 C6 D2")
    late = await rated(server, "B1 A8 C1 B8")
    async with server.store.write() as connection:
        (row,) = (await connection.execute(play.games.select().where(play.games.c.id == live.id))).all()
        copies = [dict(row._mapping) | {"id": f"copy{n}", "position": early.match.position()} for n in range(400)]
        await connection.execute(play.games.insert(), copies)
    for game in (live.id, early.id, late.id):
        server.games.forget(game)

    def load(game: str) -> None:
        raise AssertionError(f"{game} was loaded")

    monkeypatch.setattr(server.games, "_load", load)
    asked: list[str] = []
    engine = server.store._reads.engine if server.store._reads else server.store.engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    assert not await helped(server, "A2 A6 B2 B6") and not await helped(server, "B1 A8 C1 B8")
    assert sum("position IS NOT NULL" in one for one in asked) == 2 and not any("FROM turns" in one for one in asked)


async def test_friendly_games_and_other_boards_hinder_nobody(server: Server) -> None:
    await rated(server, "A2 A6 B2 B6")
    assert await helped(server, "A2", "tanbo(size=9)") and await helped(server, "", "hexbo")
