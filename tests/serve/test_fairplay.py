"""The engine helps nobody with a rated game that goes on: not a turn ahead, not a turn behind, not in a mirror."""

from __future__ import annotations

import random

import pytest

import hedgerow as hg
from hedgerow.match import Match
from hedgerow.serve.clocks import Control
from hedgerow.serve.fairplay import FROM, check
from hedgerow.serve.live import LiveGame
from hedgerow.serve.nearness import helps
from hedgerow.serve.refusals import Refused
from hedgerow.serve.replays import Line, question
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings
from hedgerow.serve.store import play
from hedgerow.serve.workshop import Payer

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
    chairs = [{"account": account} for account in accounts]
    live = await server.games.create(rules, accounts[0], chairs, Control(), False, rated=True)
    for number, text in enumerate(turns.split()):
        await server.games.play(live.id, accounts[number % 2], number, text)
    return await server.games.get(live.id)


async def helped(server: Server, turns: str, rules: str = "tanbo", position: str | None = None) -> bool:
    """Whether the engine may be asked about it by somebody whom nobody knows."""
    asked = question(Line(rules, position, turns))
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
    live = await rated(server, "A2 A6 B2 B6")
    await server.stop()
    server = await Server.start(settings)
    assert not await helped(server, "A2 A6 B2 B6 C2") and not server.games.in_memory
    async with server.store.write() as connection:
        await connection.execute(play.games.update().values(position=None))  # as an older version left it
    assert not await helped(server, "A2 A6 B2 B6 C2") and server.games.version(live.id) == 4
    await server.stop()


async def test_friendly_games_and_other_boards_hinder_nobody(server: Server) -> None:
    await rated(server, "A2 A6 B2 B6")
    assert await helped(server, "A2", "tanbo(size=9)") and await helped(server, "", "hexbo")
