"""Continuing from an earlier turn: a new friendly game against the same machines, from the middle of a finished one."""

from __future__ import annotations

import asyncio

from hedgerow.match import Match
from hedgerow.serve.play.games import Games, new_id
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.state import GameState
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import continuations as kept
from hedgerow.serve.store.schema import now


def check(live: GameState, account: int | None) -> int:
    """The seat of whoever wants to continue a game; raises Refused where others played it, too, or it is not over."""
    seat = None if account is None else live.seat_of(account)
    if seat is None:
        raise Refused("not_yours", "you have not played this game; hint: start one of your own")
    if not live.over:
        raise Refused("not_over", "this game goes on; hint: try again when it is over")
    if any(other.player is None for number, other in enumerate(live.seats) if number != seat):
        raise Refused("forbidden", "others played this game, too; hint: offer them another game")
    return seat


def first_turns(match: Match, turn: int) -> tuple[list[kept.FirstTurn], Match]:
    """The first turns of a match, each with its seat, and the match after them; raises Refused where it was over."""
    then, played = match.after(turn), Match(match.rules)
    while then.outcome and then.actions and then.actions[-1] == -1:  # whoever resigned may think better of it
        then.undo_turn()
    if then.outcome:
        raise Refused("bad_request", f"the game was over after turn {turn}; hint: go on from an earlier one")
    if -1 in then.actions:
        raise Refused("bad_request", f"somebody had left before turn {turn}; hint: go on from an earlier one")
    begun = []
    for text in then.turns:
        begun.append(kept.FirstTurn(played.to_move, text))
        played.play(text)
    return begun, played


async def continue_from(games: Games, game: str, account: int, turn: int) -> LiveGame:
    """A new game like this one, in which so many of its turns are already played."""
    known = await games.look(game)
    check(known, account)
    begun, played = await asyncio.to_thread(first_turns, known.match, turn)
    made = new_id()
    async with games.store.write() as connection:
        await kept.copy_game(connection, game, made, account, begun, played.to_move, now())
    new = await games.get(made)
    games.tell(new)
    return new
