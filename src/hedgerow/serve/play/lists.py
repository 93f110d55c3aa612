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
from hedgerow.serve.play.seating import seat_of, seated
from hedgerow.serve.play.views.lists import ArchivedView, ArchivePage, ChallengeView, WatchView, YourGames, YoursView
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import archive, play, queries, streams
from hedgerow.serve.store.archive import Wanted
from hedgerow.serve.store.rows import GameRow, SeatRow
from hedgerow.serve.store.schema import now

State = Literal["open", "playing", "over"]
Chairs = dict[str, list[SeatRow]]
"""The rows of the seats, by game."""


async def chairs_of(connection: AsyncConnection, rows: Sequence[GameRow]) -> Chairs:
    """The seats of every game in a list."""
    chairs = await queries.seat_rows(connection, [row.id for row in rows]) if rows else []
    found: Chairs = {row.id: [] for row in rows}
    for chair in chairs:
        found[chair.game].append(chair)
    return found


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
        chairs, at = await chairs_of(connection, rows), now()
        order = {game: place for place, game in enumerate(urgent)}
        games = [
            YoursView(
                **{name: getattr(row, name) for name in ("id", "rules", "state", "rated", "version", "moved")},
                **seated(chairs[row.id]),
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
        rows = await archive.going_on(connection, limit)
        chairs = await chairs_of(connection, rows)
        found = [
            WatchView(
                **{name: getattr(row, name) for name in ("id", "rules", "rated", "version", "moved")},
                **seated(chairs[row.id]),
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
        return challenges(rows, await chairs_of(connection, rows), account)

    async def challenges(self, connection: AsyncConnection, account: int | None) -> list[ChallengeView]:
        """Challenges to somebody, and theirs to others, that nobody has answered."""
        if account is None:
            return []
        rows = await play.invitations(connection, account, now())
        return challenges(rows, await chairs_of(connection, rows), account)

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
        chairs = await chairs_of(connection, rows)
        games = []
        for row in rows:
            outcome = json.loads(row.outcome or "")
            columns = {name: getattr(row, name) for name in ("id", "rules", "rated", "ended")}
            told = {name: outcome[name] for name in ("reason", "winners", "scores")}
            games.append(ArchivedView(**columns, **told, **seated(chairs[row.id])))
        return ArchivePage(games=games, next=f"{rows[-1].ended}-{rows[-1].id}" if more else None)


def challenges(rows: Sequence[GameRow], chairs: Chairs, account: int | None) -> list[ChallengeView]:
    """Open games as challenges."""
    found = []
    for row in rows:
        here = chairs[row.id]
        columns = ("id", "rules", "rated", "clock", "base_ms", "increment_ms", "created", "expires")
        by = next((seat_of(chair) for chair in here if chair.account == row.creator), None)
        found.append(
            ChallengeView(
                **{name: getattr(row, name) for name in columns},
                by=by.name if by else "",
                by_bot=by is not None and by.bot,
                **seated(here),
                invited=[
                    chair.seat for chair in here if chair.account is None and chair.invited == account is not None
                ],
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
