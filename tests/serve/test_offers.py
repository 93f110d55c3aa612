"""Offers: takebacks, draws, calling a game off, another game; they lapse, survive restarts, and are told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.offers import Answer, Kind
from hedgerow.serve.refusals import Refused
from hedgerow.serve.server import Server
from hedgerow.serve.settings import Settings

pytestmark = pytest.mark.anyio

MACHINE = {"player": "level(1)"}


async def begun(
    server: Server, people: int, *machines: dict[str, Any], rules: str = "hexbo(side=5)", **more: Any
) -> tuple[str, list[int]]:
    accounts = [(await server.accounts.guest())[0].id for _ in range(people)]
    seats = [{"account": account} for account in accounts] + list(machines)
    control = more.pop("control", Control())
    live = await server.games.create(rules, accounts[0], seats, control, False, **more)
    return live.id, accounts


async def play(server: Server, game: str, *accounts: int | None) -> LiveGame:
    """Everybody plays the first legal move."""
    for account in accounts:
        live = await server.games.get(game)
        await server.games.play(game, account, live.version, live.match.legal()[0])
    return await server.games.get(game)


async def code(what: Any) -> str:
    with pytest.raises(Refused) as caught:
        await what
    assert "hint:" in str(caught.value)
    return caught.value.code


async def standing(server: Server, game: str) -> list[tuple[str, int, list[int]]]:
    known = await server.games.look(game)
    return [(offer.kind, offer.seat, offer.agreed) for offer in await server.offers.standing(known)]


async def test_a_take_back_against_the_machine_is_free(server: Server) -> None:
    game, (ann,) = await begun(server, 1, MACHINE)
    assert await code(server.offers.ask(game, ann, "undo")) == "nothing"
    live = await play(server, game, ann, None, ann)
    turns = live.match.turns
    assert await server.offers.ask(game, ann, "undo") == Answer(True)  # while the machine is thinking
    assert live.match.turns == turns[:2] and live.to_move == 0 and live.version == 4
    assert await server.offers.ask(game, ann, "undo") == Answer(True)  # and back over its turn
    assert live.match.turns == () and live.version == 5
    assert await code(server.games.play(game, None, 3, "A2")) == "stale"
    other = live.match.legal()[1]
    assert (await server.games.play(game, ann, 5, other)).turn.number == 5
    server.games.forget(game)
    again = await server.games.get(game)
    assert again.match.turns == (other,) and again.version == 6 and again.to_move == 1


async def test_a_take_back_among_people_needs_their_word(server: Server) -> None:
    game, (ann, bo) = await begun(server, 2, control=Control("live", 60_000, 2_000))
    live = await play(server, game, ann, bo)
    clocks, first = live.undo_steps[0].clocks, live.match.turns[0]
    assert clocks == (60_000, 60_000)
    assert await server.offers.ask(game, ann, "undo") == Answer(False)
    assert await server.offers.ask(game, ann, "undo") == Answer(False)
    assert await standing(server, game) == [("undo", 0, [0])] and live.version == 2
    await server.offers.decline(game, bo, "undo")
    assert await standing(server, game) == []
    assert await code(server.offers.ask(game, ann, "undo")) == "declined"
    assert await code(server.offers.agree(game, bo, "undo")) == "no_offer"
    await play(server, game, ann)
    assert await server.offers.ask(game, ann, "undo") == Answer(False)
    await play(server, game, bo)
    assert await code(server.offers.agree(game, bo, "undo")) == "no_offer", "it lapses with the next turn"
    assert await server.offers.ask(game, ann, "undo") == Answer(False)
    assert await server.offers.agree(game, bo, "undo") == Answer(True)
    assert len(live.match.turns) == 2 and live.to_move == 0 and live.due and live.due >= live.since + 60_000
    assert await server.offers.ask(game, bo, "undo") == Answer(False)
    assert await server.offers.ask(game, ann, "undo") == Answer(True), "asking for the same is agreeing"
    assert live.match.turns == (first,) and live.to_move == 1, "back to the turn of the one who asked first"
    server.games.forget(game)
    assert (await server.games.get(game)).clock.shown() == live.clock.shown()


async def test_turns_of_two_placements_are_taken_back_whole(server: Server) -> None:
    game, (ann, bo) = await begun(server, 2, rules="root_bound(side=4)")
    await server.games.play(game, ann, 0, "a1")
    await server.games.play(game, bo, 1, "c3 g2")
    await server.offers.ask(game, bo, "undo")
    await server.offers.agree(game, ann, "undo")
    live = await server.games.get(game)
    assert live.match.turns == ("a1",) and live.to_move == 1 and len(live.match.actions) == 1


async def test_nobody_comes_back_by_a_take_back(server: Server) -> None:
    game, (ann, bo, cy) = await begun(server, 3, rules="hexbo(side=5,players=3)")
    await play(server, game, ann, bo)
    await server.games.resign(game, cy)
    assert await code(server.offers.ask(game, ann, "undo")) == "nothing"
    assert await code(server.offers.ask(game, cy, "draw")) == "over"
    live = await play(server, game, ann, bo)
    assert await server.offers.ask(game, ann, "undo") == Answer(False)
    assert await server.offers.agree(game, bo, "undo") == Answer(True), "only those still in have a say"
    assert len(live.match.turns) == 2 and live.to_move == 0
    assert live.match.rules.placed(live.match.plain)[2] == 3


async def test_a_draw(server: Server) -> None:
    game, (ann, bo, cy) = await begun(server, 3, rules="hexbo(side=5,players=3)")
    stranger = (await server.accounts.guest())[0].id
    assert await code(server.offers.ask(game, stranger, "draw")) == "not_yours"
    assert await server.offers.ask(game, bo, "draw") == Answer(False)
    assert await server.offers.agree(game, cy, "draw") == Answer(False)
    assert await standing(server, game) == [("draw", 1, [1, 2])]
    assert await server.offers.agree(game, ann, "draw") == Answer(True)
    live = await server.games.get(game)
    assert live.outcome and live.outcome.reason == "agreement" and live.outcome.places == (1, 1, 1)
    assert await code(server.offers.ask(game, ann, "draw")) == "over"
    against, (dan,) = await begun(server, 1, MACHINE)
    assert await code(server.offers.ask(against, dan, "draw")) == "forbidden"


async def test_calling_a_game_off(server: Server) -> None:
    game, (ann, bo) = await begun(server, 2)
    await play(server, game, ann)
    assert await server.offers.ask(game, ann, "abort") == Answer(True), "not everybody has played"
    live = await server.games.get(game)
    assert live.state == "over" and live.outcome and live.outcome.reason == "called off" and live.to_move is None
    assert await code(server.games.play(game, bo, 2, "A2")) == "over"
    server.games.forget(game)
    again = await server.games.get(game)
    assert again.outcome == live.outcome and again.version == 2
    other, (ann, bo) = await begun(server, 2)
    await play(server, other, ann, bo)
    assert await server.offers.ask(other, ann, "abort") == Answer(False)
    assert await server.offers.agree(other, bo, "abort") == Answer(True)
    rated, (ann,) = await begun(server, 1, MACHINE, rules="hexbo", rated=True)
    await play(server, rated, ann, None)
    assert await code(server.offers.ask(rated, ann, "abort")) == "forbidden"
    assert await code(server.offers.ask(rated, ann, "undo")) == "forbidden"


async def test_another_game_with_the_seats_rotated(server: Server) -> None:
    game, (ann, bo) = await begun(
        server, 2, MACHINE, rules="hexbo(players=3)", control=Control("days", 1000_000), rated=True
    )
    assert await code(server.offers.ask(game, ann, "rematch")) == "not_over"
    await server.games.resign(game, ann)
    await server.games.resign(game, bo)
    assert await server.offers.ask(game, bo, "rematch") == Answer(False)
    done = await server.offers.agree(game, ann, "rematch")
    assert done.done and done.game and done.game != game
    live = await server.games.get(done.game)
    assert [(seat.account, seat.player) for seat in live.seats] == [(None, "level(1)"), (ann, None), (bo, None)]
    assert live.rated and live.clock.control == Control("days", 1000_000) and live.state == "playing"
    again = await server.offers.agree(game, bo, "rematch")
    assert again == done, "there is one next game"
    server.games.forget(game)
    assert (await server.games.get(game)).rematch == done.game


async def test_offers_survive_a_restart_and_are_told(settings: Settings) -> None:
    server = await Server.start(settings)
    game, (ann, bo) = await begun(server, 2)
    await play(server, game, ann, bo)
    heard: list[dict[str, Any]] = []
    server.bus.subscribe(game, lambda message: heard.append(json.loads(message.text)))
    kind: Kind
    for kind in ("draw", "abort"):
        await server.offers.ask(game, ann, kind)
    await server.offers.decline(game, ann, "abort")
    assert [sorted(offer["kind"] for offer in told["offers"]) for told in heard] == [
        ["draw"],
        ["abort", "draw"],
        ["draw"],
    ]
    await server.stop()
    server = await Server.start(settings)
    assert await standing(server, game) == [("draw", 0, [0])]
    assert await server.offers.agree(game, bo, "draw") == Answer(True)
    assert (await server.games.get(game)).state == "over"
    await server.stop()
