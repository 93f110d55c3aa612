"""Ratings: updated after every rated game by the places taken; one ladder per game and number of players.

The model is Plackett and Luce's, by openskill: a strength and a doubt for everybody. A finished game is rated once, in
one transaction with the mark that it was; whoever was killed before that, a sweep finds the game again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from openskill.models import PlackettLuce
from sqlalchemy.exc import IntegrityError

from hedgerow.game import Outcome, Rules
from hedgerow.game.rules import P
from hedgerow.serve.play.backoff import Backoff
from hedgerow.serve.play.live import rules_of
from hedgerow.serve.store import Store
from hedgerow.serve.store import ratings as kept
from hedgerow.serve.store.ratings import Strength
from hedgerow.serve.store.schema import now

if TYPE_CHECKING:
    from hedgerow.serve.play.live import LiveGame

log = logging.getLogger("hedgerow.ratings")

PROVISIONAL = 10
"""A rating is provisional until so many games are played."""
RATED = ("person", "bot")
"""The kinds of accounts whose games count; machines have accounts of their own kind, made when they are first rated."""

model = PlackettLuce()
decode = msgspec.json.Decoder(Outcome).decode


def ladder_of(rules: Rules[P]) -> str:
    """Where games of these rules are rated.

    >>> ladder_of(rules_of("hexbo(players=3)"))
    'hexbo/3'
    """
    return f"{rules.game.name}/{rules.players}"


def rated(before: list[Strength], places: tuple[int, ...]) -> list[Strength]:
    """Everybody's strength after a game in which they took these places.

    >>> after = rated([Strength(), Strength()], (2, 1)); [strength.rating for strength in after]
    [1395, 1605]
    """
    teams = [[model.rating(mu=strength.mu, sigma=strength.sigma)] for strength in before]
    after = model.rate(teams, ranks=[float(place) for place in places])
    return [Strength(team[0].mu, team[0].sigma, old.games + 1) for team, old in zip(after, before)]


class Ratings:
    """Sees to it that every rated game is rated; `after` is told of each."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.after: list[Callable[[str], None]] = []
        self._backoff = Backoff(log, "rating")
        self._rating: set[asyncio.Task[bool]] = set()

    @property
    def behind(self) -> bool:
        """Some games could not be rated, and are to be tried again."""
        return len(self._backoff) > 0

    def game_changed(self, live: LiveGame) -> None:
        """A game has moved on: perhaps it is over."""
        if live.rated and live.over:
            task = asyncio.create_task(self.rate(live.id), name=f"rate {live.id}")
            self._rating.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[bool]) -> None:
        self._rating.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.warning("a game was not rated: %s; a sweep will", type(error).__name__)

    async def rate(self, game: str) -> bool:
        """Rates a finished game; False where there is nothing to do, or it was done before."""
        try:
            async with self.store.write() as connection:
                row = await kept.unrated_game(connection, game)
                places = decode(row.outcome).places if row is not None and row.outcome is not None else ()
                if row is None or not places:
                    return False
                ladder = ladder_of(rules_of(row.rules))
                accounts = await kept.rated_accounts(connection, game, RATED)
                if len(set(accounts)) != len(places):
                    return False
                known = await kept.strengths(connection, accounts, ladder)
                before = [Strength(*known[account]) if account in known else Strength() for account in accounts]
                steps = list(zip(accounts, before, rated(before, places)))
                await kept.add_steps(connection, game, ladder, steps, now())
        except IntegrityError:  # somebody else rates it, or one of its players, at this moment
            return False
        for listener in self.after:
            listener(game)
        return True

    async def sweep(self, since: int) -> None:
        """Rates what has ended after then and was not rated."""
        last = ""
        while True:
            async with self.store.read() as connection:
                found = await kept.unrated_games(connection, since, last)
            for row in found:
                if row.id not in self._backoff:
                    with self._backoff.trying(row.id):
                        await self.rate(row.id)
            if not found:
                return
            since, last = found[-1].ended or since, found[-1].id

    async def stop(self) -> None:
        """Finishes what is being rated."""
        await asyncio.gather(*self._rating, return_exceptions=True)
