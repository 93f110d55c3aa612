"""Lists of games for whoever asks: one's own, those to watch, challenges in the lobby and by name, the archive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.games import make
from hedgerow.serve.people.names import keys_of
from hedgerow.serve.play import open_games
from hedgerow.serve.play.clocks import DAY, LAG
from hedgerow.serve.play.open_games import Where
from hedgerow.serve.play.presence import Spectators
from hedgerow.serve.play.seating import accounts_in, seat_of, seated
from hedgerow.serve.play.views.lists import ArchivedView, ArchivePage, ChallengeView, WatchView, YourGames, YoursView
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import archive, play, queries, streams
from hedgerow.serve.store.archive import Wanted
from hedgerow.serve.store.rows import GameRow, SeatRow
from hedgerow.serve.store.schema import now

Result = Literal["won", "lost", "draw", "called off"]
State = Literal["open", "playing", "over"]
Seats = dict[str, list[SeatRow]]
"""The rows of the seats, by game."""


async def seats_of(connection: AsyncConnection, rows: Sequence[GameRow]) -> Seats:
    """The seats of every game in a list."""
    return await queries.seats_of(connection, [row.id for row in rows])


class Lists:
    """Looks lists up; a page that shows several of them asks for all `together` with one connection.

    `where` tells the address that an account was last seen at.
    """

    def __init__(self, spectators: Spectators, where: Where) -> None:
        self.spectators, self.where = spectators, where

    # --- one's own ----------------------------------------------------------------------------------------------------

    async def yours(
        self, connection: AsyncConnection, account: int | None, state: State | None, limit: int
    ) -> YourGames:
        """Somebody's games, whose turn it is in them, and how much time is left."""
        if account is None:
            return YourGames(waiting=0, next=None, games=[])
        urgent = await archive.waiting(connection, account)
        rows = await queries.games_of(connection, account, state, limit)
        seats, at = await seats_of(connection, rows), now()
        order = {game: place for place, game in enumerate(urgent)}
        games = [
            YoursView(
                **{name: getattr(row, name) for name in ("id", "rules", "state", "rated", "version", "moved")},
                **seated(seats[row.id]),
                accounts=accounts_in(seats[row.id]),
                to_move=row.to_move if row.state == "playing" else None,
                result=result_for(row, seats[row.id], account),
                your_turn=row.id in order,
                left=None if row.due is None else max(0, row.due - LAG - at),
            )
            for row in sorted(rows, key=lambda row: order.get(row.id, len(order)))
        ]
        return YourGames(waiting=len(urgent), next=urgent[0] if urgent else None, games=games)

    async def next_of(self, connection: AsyncConnection, account: int | None, after: str) -> YourGames:
        """The next game that waits for somebody, another than the one they come from."""
        if account is None:
            return YourGames(waiting=0, next=None, games=[])
        ids = list(await archive.waiting(connection, account))
        place = ids.index(after) + 1 if after in ids else 0
        others = [game for game in ids[place:] + ids[:place] if game != after]
        return YourGames(waiting=len(ids), next=others[0] if others else None, games=[])

    # --- everybody's --------------------------------------------------------------------------------------------------

    async def to_watch(self, connection: AsyncConnection, limit: int) -> list[WatchView]:
        """Public games that are being played, those with the most watchers first."""
        rows = await archive.public_running(connection, limit)
        seats = await seats_of(connection, rows)
        found = [
            WatchView(
                **{name: getattr(row, name) for name in ("id", "rules", "rated", "version", "moved")},
                **seated(seats[row.id]),
                watchers=self.spectators.count(row.id),
            )
            for row in rows
        ]
        return sorted(found, key=lambda game: -game.watchers)

    async def lobby(self, connection: AsyncConnection, account: int | None, limit: int) -> list[ChallengeView]:
        """Open challenges, the newest first, of every address in turn."""
        wishes = open_games.fairly(await play.lobby(connection, now(), open_games.LISTED), self.where)[:limit]
        known = await streams.rows_of(connection, [wish.id for wish in wishes]) if wishes else {}
        rows = [known[wish.id] for wish in wishes if wish.id in known]
        return challenges(rows, await seats_of(connection, rows), account)

    async def challenges(self, connection: AsyncConnection, account: int | None) -> list[ChallengeView]:
        """Challenges to somebody, and theirs to others, that nobody has answered."""
        if account is None:
            return []
        rows = await play.invitations(connection, account, now())
        return challenges(rows, await seats_of(connection, rows), account)

    # --- the archive --------------------------------------------------------------------------------------------------

    async def wanted(
        self,
        connection: AsyncConnection,
        player: str | None = None,
        rules: str | None = None,
        since: date | None = None,
        until: date | None = None,
        result: str | None = None,
        before: str | None = None,
    ) -> Wanted:
        """What is looked for in the archive, as the database understands it; raises Refused where it cannot be."""
        number = None
        if player:
            found = await queries.account_named(connection, keys_of(player))
            if found is None:
                raise Refused("not_found", f"nobody here is called {player!r:.42}; hint: guests cannot be looked for")
            number = found.id
        elif result in ("win", "loss"):
            raise Refused("bad_request", f"a {result} of whom? hint: name a player, too")
        return Wanted(
            player=number,
            rules=make(rules).name if rules else None,
            since=_start(since) if since else None,
            until=_start(until) + DAY if until else None,
            result=result,
            before=_cursor(before) if before else None,
        )

    async def archive(self, connection: AsyncConnection, reader: int | None, wanted: Wanted, limit: int) -> ArchivePage:
        """A page of the games that are over and that a reader may see."""
        rows = await archive.archive(connection, wanted, reader, limit + 1)
        rows, more = rows[:limit], len(rows) > limit
        seats = await seats_of(connection, rows)
        games = []
        for row in rows:
            outcome = json.loads(row.outcome or "")
            columns = {name: getattr(row, name) for name in ("id", "rules", "rated", "ended")}
            told = {name: outcome[name] for name in ("reason", "winners", "scores")}
            games.append(ArchivedView(**columns, **told, **seated(seats[row.id]), accounts=accounts_in(seats[row.id])))
        return ArchivePage(games=games, next=f"{rows[-1].ended}-{rows[-1].id}" if more else None)


def result_for(row: GameRow, seats: Sequence[SeatRow], account: int) -> Result | None:
    """How a game ended for somebody who sat in it."""
    if row.state != "over":
        return None
    won = next((seat.won for seat in seats if seat.account == account), None)
    return "called off" if won is None else "won" if won > 0 else "lost" if won < 0 else "draw"


def challenges(rows: Sequence[GameRow], seats: Seats, account: int | None) -> list[ChallengeView]:
    """Open games as challenges."""
    found = []
    for row in rows:
        here = seats[row.id]
        columns = ("id", "rules", "rated", "clock", "base_ms", "increment_ms", "created", "expires")
        by = next((seat_of(seat) for seat in here if seat.account == row.creator), None)
        found.append(
            ChallengeView(
                **{name: getattr(row, name) for name in columns},
                by=by.name if by else "",
                by_bot=by is not None and by.bot,
                **seated(here),
                invited=[seat.seat for seat in here if seat.account is None and seat.invited == account is not None],
                asked=[seat.asked for seat in here if seat.account is None and seat.asked],
                yours=row.creator == account,
            )
        )
    return found


def _start(day: date) -> int:
    """When a day begins, in milliseconds."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)


def _cursor(text: str) -> tuple[int, str]:
    at, _, game = text.partition("-")
    if not at.isdecimal() or len(at) > 15 or not game:
        raise Refused("bad_request", f"cannot read the page {text!r:.42}; hint: use `next` of the page before")
    return int(at), game
