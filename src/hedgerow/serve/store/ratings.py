"""Queries about ratings: current ones, and the history of every change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import exists, insert, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.queries import add_account, machine_name
from hedgerow.serve.store.rows import GameRow, LeaderRow, RatingRow, StepRow, all_of, first_of
from hedgerow.serve.store.schema import accounts, games, meta, now, rating_steps, ratings, seats

MIDDLE = 1500
SCALE = 40
"""Points for one unit of openskill's strength, of which a beginner has 25, give or take 25 / 3."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How good somebody is thought to be, and how sure that is.

    >>> Strength().rating, Strength().doubt
    (1500, 333)
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3
    games: int = 0

    @property
    def rating(self) -> int:
        """The one number."""
        return round(MIDDLE + SCALE * (self.mu - 25))

    @property
    def doubt(self) -> int:
        """How far off it may well be."""
        return round(SCALE * self.sigma)


unrated = (
    games.c.rated.is_(True),
    games.c.state == "over",
    games.c.outcome.not_like('%"places":[]%'),  # called off
    ~exists().where(rating_steps.c.game == games.c.id),
)


async def unrated_game(connection: AsyncConnection, game: str) -> GameRow | None:
    """A finished rated game that has not been rated; nobody else can rate it until the transaction ends."""
    return await first_of(connection, GameRow, select(games).where(games.c.id == game, *unrated).with_for_update())


async def unrated_games(connection: AsyncConnection, since: int, last: str = "", limit: int = 100) -> list[GameRow]:
    """Rated games that have ended after then and `last` and have not been rated, in the order in which they ended."""
    later = tuple_(games.c.ended, games.c.id) > (since, last)
    wanted = (
        select(games)
        .where(games.c.ended.is_not(None), later, *unrated)
        .order_by(games.c.ended, games.c.id)
        .limit(limit)
    )
    return await all_of(connection, GameRow, wanted)


async def rated_until(connection: AsyncConnection) -> int:
    """Up to when every game that has ended was looked at, and rated if it could be."""
    found = (await connection.execute(select(meta.c.value).where(meta.c.name == "rated_until"))).scalar()
    return int(found or 0)


async def set_rated_until(connection: AsyncConnection, at: int) -> None:
    """Games that have ended before then need not be looked at again."""
    await put(connection, meta, {"name": "rated_until"}, {"value": str(at)})


async def rated_accounts(connection: AsyncConnection, game: str, kinds: Sequence[str]) -> list[int]:
    """The accounts at the seats of a game, the machines' own for theirs; without those that are not rated."""
    wanted = select(seats.c.account, seats.c.player, accounts.c.kind)
    wanted = wanted.outerjoin(accounts, seats.c.account == accounts.c.id).where(seats.c.game == game)
    found = []
    for row in (await connection.execute(wanted.order_by(seats.c.seat))).all():
        if row.player is not None:
            found.append(await _machine(connection, row.player))
        elif row.kind in kinds:
            found.append(row.account)
    return found


async def _machine(connection: AsyncConnection, player: str) -> int:
    """The account of a machine's player, made when it is first needed."""
    name = machine_name(player)
    wanted = select(accounts.c.id).where(accounts.c.folded == name.casefold())
    number: int | None = (await connection.execute(wanted)).scalar()
    if number is None:
        values = {"kind": "machine", "name": name, "folded": name.casefold(), "created": now(), "seen": now()}
        number = await add_account(connection, **values)
    return number


async def strengths(
    connection: AsyncConnection, some: Sequence[int], ladder: str
) -> dict[int, tuple[float, float, int]]:
    """Strength, doubt and games of those who have been rated; nobody else can rate them until the transaction ends."""
    held = select(accounts.c.id).where(accounts.c.id.in_(some)).order_by(accounts.c.id)
    await connection.execute(held.with_for_update())
    wanted = select(ratings).where(ratings.c.account.in_(some), ratings.c.ladder == ladder)
    return {row.account: (row.mu, row.sigma, row.games) for row in await connection.execute(wanted)}


async def add_steps(
    connection: AsyncConnection, game: str, ladder: str, steps: Sequence[tuple[int, Strength, Strength]], at: int
) -> None:
    """Everybody stands where they stand now, and how they came there."""
    for seat, (account, before, after) in enumerate(steps):
        stands = {"mu": after.mu, "sigma": after.sigma, "rating": after.rating, "games": after.games, "at": at}
        await put(connection, ratings, {"account": account, "ladder": ladder}, stands)
        step = {"game": game, "seat": seat, "account": account, "ladder": ladder, "at": at}
        step |= {"before": before.rating, "after": after.rating, "doubt": after.doubt}
        await connection.execute(insert(rating_steps).values(**step))


async def ratings_of(connection: AsyncConnection, account: int) -> list[RatingRow]:
    """Where somebody stands, on every ladder."""
    wanted = select(ratings).where(ratings.c.account == account).order_by(ratings.c.ladder)
    return await all_of(connection, RatingRow, wanted)


async def history_of(connection: AsyncConnection, account: int, ladder: str, limit: int) -> list[StepRow]:
    """The latest steps of somebody on a ladder, the oldest of them first."""
    wanted = select(rating_steps).where(rating_steps.c.account == account, rating_steps.c.ladder == ladder)
    rows = await all_of(connection, StepRow, wanted.order_by(rating_steps.c.at.desc()).limit(limit))
    return rows[::-1]


async def leaders(connection: AsyncConnection, ladder: str, games_played: int, limit: int) -> list[LeaderRow]:
    """The best of a ladder whose rating is no longer provisional."""
    joined = select(ratings, accounts.c.name, accounts.c.kind).join(accounts, accounts.c.id == ratings.c.account)
    wanted = joined.where(ratings.c.ladder == ladder, ratings.c.games >= games_played, accounts.c.banned.is_(None))
    return await all_of(
        connection, LeaderRow, wanted.order_by(ratings.c.rating.desc(), ratings.c.account.desc()).limit(limit)
    )


async def account_exists(connection: AsyncConnection, account: int) -> bool:
    """There is such an account."""
    return (await connection.execute(select(accounts.c.id).where(accounts.c.id == account))).first() is not None
