"""What the database is asked about vacations: who is away until when, and the clocks that wait for them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import and_, exists, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.rows import VacationRow, first_of
from hedgerow.serve.store.schema import games, seats, vacations


async def vacation_row(connection: AsyncConnection, account: int) -> VacationRow | None:
    """An account's last vacation."""
    return await first_of(connection, VacationRow, select(vacations).where(vacations.c.account == account))


async def put_vacation(connection: AsyncConnection, account: int, since: int, until: int, year: int, days: int) -> None:
    """An account is away from then until then, and has so many days of that year behind it."""
    values = {"since": since, "until": until, "year": year, "days": days}
    await put(connection, vacations, {"account": account}, values)


async def away(connection: AsyncConnection, accounts: Iterable[int], at: int) -> dict[int, int]:
    """When those of these accounts who are on vacation are back."""
    here = and_(vacations.c.account.in_(list(accounts)), vacations.c.until > at)
    found = await connection.execute(select(vacations.c.account, vacations.c.until).where(here))
    return {row.account: row.until for row in found}


async def back(connection: AsyncConnection, account: int | None, at: int) -> int:
    """When an account is back from its vacation; now, where it is not away."""
    return at if account is None else (await away(connection, [account], at)).get(account, at)


async def shift(connection: AsyncConnection, account: int, at: int, by: int) -> None:
    """The flags of games by correspondence in which an account is to move fall so much later, or earlier."""
    mine = exists().where(seats.c.game == games.c.id, seats.c.seat == games.c.to_move, seats.c.account == account)
    seated = select(seats.c.game).where(seats.c.account == account, seats.c.ended.is_(None))
    waits = and_(games.c.id.in_(seated), games.c.state == "playing", games.c.clock == "days", games.c.due > at, mine)
    await connection.execute(update(games).where(waits).values(due=games.c.due + by))


async def due(connection: AsyncConnection, game: str) -> int | None:
    """When the flag of a game falls, as its row says."""
    found: int | None = (await connection.execute(select(games.c.due).where(games.c.id == game))).scalar_one_or_none()
    return found


async def set_due(connection: AsyncConnection, game: str, version: int, due: int) -> None:
    """The flag of a game that still has this version falls then."""
    here = and_(games.c.id == game, games.c.version == version, games.c.state == "playing")
    await connection.execute(update(games).where(here).values(due=due))
