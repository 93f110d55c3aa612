"""Quick pairing: somebody wants any game of about some length, and plays whoever wants the same.

A wish is an open game in the lobby. Whoever has the same wish takes the one whose maker stands nearest to them; only
where there is none do they make a game of their own. Of two who do so at one moment, one finds the other: everybody
looks again after making a game, and whose game was stored last sees the other's.
"""

from __future__ import annotations

import random
from typing import Literal, get_args

from hedgerow.games import games as game_names
from hedgerow.games import make
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.play.clocks import Control
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.lobby import Lobby
from hedgerow.serve.play.new_games import ClockAsked, NewGame, NewGames
from hedgerow.serve.play.ratings import ladder_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import pairing, queries
from hedgerow.serve.store.rows import GameRow, SeatRow
from hedgerow.serve.store.schema import now

Length = Literal["short", "medium", "long", "days"]

LENGTHS: dict[Length, ClockAsked] = {
    "short": ClockAsked(kind="live", minutes=3, increment=2),
    "medium": ClockAsked(kind="live", minutes=10, increment=5),
    "long": ClockAsked(kind="live", minutes=30, increment=20),
    "days": ClockAsked(kind="days", days=1),
}
"""The clock of a game of that length."""
SHORT, MEDIUM = 5 * 60_000, 15 * 60_000
"""Up to how many milliseconds at the start a game is short or medium."""
NEW = 1500
"""Where somebody stands who has no rating."""
LISTED = 200
"""How many wishes are looked at."""


def length_of(control: Control) -> Length | None:
    """About how long a game with this clock is; None without a clock.

    >>> length_of(Control("live", 180_000)), length_of(Control("live", 3_600_000)), length_of(Control("days", 1))
    ('short', 'long', 'days')
    """
    if control.kind == "none":
        return None
    if control.kind == "days":
        return "days"
    return "short" if control.base_ms <= SHORT else "medium" if control.base_ms <= MEDIUM else "long"


class Pairing:
    """Finds somebody to play with."""

    def __init__(self, new_games: NewGames, lobby: Lobby) -> None:
        self.new_games, self.lobby, self.games = new_games, lobby, new_games.games

    async def pair(self, account: Account, length: Length, rated: bool = False) -> LiveGame:
        """A game of about that length: one that has just begun, or one's own, which waits for somebody."""
        if length not in get_args(Length):
            raise Refused("bad_request", f"no length {length!r:.20}; hint: {', '.join(LENGTHS)}")
        mine, others = await self._wishes(account, length, rated)
        if joined := await self._join(account, others):
            return joined
        if mine:
            return await self.games.get(mine[0].id)
        rules = random.choice([name for name in game_names() if make(name).players == 2])
        asked = NewGame(rules=rules, opponent="lobby", seat=None, clock=LENGTHS[length], rated=rated)
        made = await self.new_games.start(account, asked)
        if joined := await self._meet(account, made.id, length, rated):
            return joined
        return await self.games.get(made.id)

    async def _meet(self, account: Account, made: str, length: Length, rated: bool) -> LiveGame | None:
        """The game of somebody who made one at the same moment; None where one's own is the one to be played.

        Each may see the other's. So the younger game is taken back before the elder is joined, but the elder is taken
        back only after the younger was joined: one of the two ways fails, and neither player has two games or none.
        """
        mine, others = await self._wishes(account, length, rated)
        own = next((row for row in mine if row.id == made), None)
        if own is None:
            return None  # somebody has joined it
        elder = [row for row in others if (row.created, row.id) < (own.created, own.id)]
        if elder:
            if not await self._take_back(made, account):
                return None
            return await self._join(account, elder) or await self.pair(account, length, rated)
        joined = await self._join(account, others)
        if joined:
            await self._take_back(made, account)
        return joined

    async def _take_back(self, made: str, account: Account) -> bool:
        """Withdraws one's own game; False if somebody has joined it meanwhile."""
        try:
            await self.lobby.cancel(made, account.id)
        except Refused as refused:
            if refused.code not in ("over", "stale"):
                raise
            return False
        return True

    async def _join(self, account: Account, some: list[GameRow]) -> LiveGame | None:
        """Takes the first of some seats that can be had."""
        for row in some:
            try:
                await self.games.join(row.id, account.id, guest=account.kind == "guest")
            except Refused as refused:
                if refused.code not in ("full", "forbidden", "stale", "not_found"):
                    raise
            else:
                return await self.games.get(row.id)
        return None

    async def _wishes(self, account: Account, length: Length, rated: bool) -> tuple[list[GameRow], list[GameRow]]:
        """The open games of about that length: one's own, and those of others, who stands nearest first."""
        async with self.games.store.read() as connection:
            rows = await pairing.wishes(connection, LENGTHS[length].kind, rated, now(), LISTED)
            rows = [row for row in rows if length_of(_control(row)) == length]
            seats = await queries.seats_of(connection, [row.id for row in rows])
            mine = [row for row in rows if row.creator == account.id]
            others = [row for row in rows if row.creator != account.id and _last_seat(seats[row.id])]
            others = [row for row in others if not await queries.blocks(connection, account.id, row.creator)]
            ladders = {row.id: ladder_of(make(row.rules)) for row in others}
            people = [account.id, *(row.creator for row in others)]
            stand = await pairing.standings(connection, people, sorted(set(ladders.values()))) if others else {}

        def apart(row: GameRow) -> int:
            ladder = ladders[row.id]
            return abs(stand.get((account.id, ladder), NEW) - stand.get((row.creator, ladder), NEW))

        return mine, sorted(others, key=apart)


def _control(row: GameRow) -> Control:
    return Control(row.clock, row.base_ms, row.increment_ms)


def _last_seat(seats: list[SeatRow]) -> bool:
    """One seat is free, for anybody: whoever takes it plays at once."""
    free = [seat for seat in seats if seat.account is None and seat.player is None]
    return len(free) == 1 and free[0].invited is None
