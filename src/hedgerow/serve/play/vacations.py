"""Vacations: while somebody is away, the clocks of their games by correspondence wait, so many days in a year.

A game's row says when its flag falls. Who goes on vacation moves that for every game in which it is their turn; a turn
that comes to them later begins when they are back. Who comes back early gets the days back that they did not use.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from hedgerow.serve.bus.local import Message
from hedgerow.serve.play.clocks import DAY
from hedgerow.serve.play.games import Games, encode
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import people, vacations
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import VacationRow
from hedgerow.serve.store.schema import now
from hedgerow.serve.store.tokens import lock_account

ALLOWANCE = 30
"""How many days of vacation somebody has in a calendar year, UTC."""


@dataclass(frozen=True, slots=True)
class Vacation:
    """Until when somebody is away, None where they are here, and how many days they have left this year."""

    until: int | None
    left: int


decode = msgspec.json.Decoder(Vacation).decode


def year_of(at: int) -> int:
    """The year of a time in milliseconds."""
    return datetime.fromtimestamp(at / 1000, UTC).year


def taken(row: VacationRow | None, at: int) -> int:
    """How many days of this year are used up: one that has begun is, those ahead are not.

    >>> taken(VacationRow(1, 0, 10 * DAY, 1970, 12), 3 * DAY), taken(VacationRow(1, 0, 10 * DAY, 1969, 12), 3 * DAY)
    (5, 0)
    """
    if row is None or row.year != year_of(at):
        return 0
    return row.days - max(0, row.until - at) // DAY


def vacation_of(row: VacationRow | None, at: int) -> Vacation:
    """How it stands: the days of a vacation that goes on are spoken for."""
    spoken_for = row.days if row and row.year == year_of(at) else 0
    return Vacation(row.until if row and row.until > at else None, ALLOWANCE - spoken_for)


class Vacations:
    """Going on vacation and coming back."""

    def __init__(self, games: Games) -> None:
        self.games, self.store = games, games.store

    async def of(self, account: int) -> Vacation:
        """How it stands with an account."""
        async with self.store.read() as connection:
            return vacation_of(await vacations.vacation_row(connection, account), now())

    async def take(self, account: int, days: int, once: Once | None = None) -> Vacation:
        """So many days from now on, instead of what is left of a vacation that goes on; 0 to be back."""
        async with self.store.write() as connection:
            await lock_account(connection, account)
            row, at = await vacations.vacation_row(connection, account), now()
            used = taken(row, at)
            if not 0 <= days <= ALLOWANCE - used:
                had = f"{ALLOWANCE} a year, {ALLOWANCE - used} are left"
                raise Refused("bad_request", f"{days} days of vacation; hint: 0 to be back, or up to {had}")
            until = at + days * DAY
            found = Vacation(until if days else None, ALLOWANCE - used - days)
            if once:
                await once.mark(connection, encode(found).decode())
            before = max(at, row.until) if row else at
            await vacations.shift(connection, account, at, until - before)
            await vacations.put_vacation(connection, account, at, until, year_of(at), used + days)
            playing = await people.games_seated(connection, account, "playing")
        for game in playing:
            await self._told(game)
        return found

    async def _told(self, game: str) -> None:
        """Who plays and how long they have is read anew, here and elsewhere."""
        if (version := self.games.version(game)) is not None:
            async with self.games.held(game) as live:
                version = live.version
                self.games.forget(game)
        self.games.bus.publish(game, Message(encode({"type": "seats", "version": version or 0}).decode()))
