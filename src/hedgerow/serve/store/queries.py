"""What the server asks the database, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, and_, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.schema import accounts, facts, games, seats, sessions, silences, turns

AnyRow = Row[Any]


# --- accounts ---------------------------------------------------------------------------------------------------------


async def add_account(connection: AsyncConnection, **values: Any) -> int:
    """A new account; its number."""
    found = await connection.execute(insert(accounts).values(**values).returning(accounts.c.id))
    number: int = found.scalar_one()
    return number


async def account_of_session(connection: AsyncConnection, token: str, now: int) -> AnyRow | None:
    """Whose session this is, if it still holds."""
    joined = select(accounts).join(sessions, sessions.c.account == accounts.c.id)
    holds = and_(sessions.c.token == token, sessions.c.expires > now, accounts.c.banned.is_(None))
    return (await connection.execute(joined.where(holds))).first()


def machine_name(player: str) -> str:
    """What a machine is called, at every seat and on its account; no person's name has a comma."""
    return f"Machine, {player}"


async def account_named(connection: AsyncConnection, keys: Sequence[str]) -> AnyRow | None:
    """The account that is kept under one of these forms of a name; the first of them counts."""
    found = (await connection.execute(select(accounts).where(accounts.c.folded.in_(keys)))).all()
    return min(found, key=lambda row: keys.index(row.folded), default=None)


# --- games ------------------------------------------------------------------------------------------------------------


async def game_row(connection: AsyncConnection, game: str) -> AnyRow | None:
    """What is known of a game without its turns."""
    return (await connection.execute(select(games).where(games.c.id == game))).first()


async def versions_of(connection: AsyncConnection, ids: Sequence[str]) -> Sequence[tuple[str, int]]:
    """How far some games are."""
    wanted = select(games.c.id, games.c.version).where(games.c.id.in_(ids))
    return [(row.id, row.version) for row in await connection.execute(wanted)]


async def house(connection: AsyncConnection) -> str:
    """The random name of everything on this database."""
    name: str = (await connection.execute(select(facts.c.value).where(facts.c.name == "house"))).scalar_one()
    return name


async def flags_due(connection: AsyncConnection, at: int, limit: int = 1000) -> Sequence[AnyRow]:
    """Games whose flag should have fallen by then."""
    wanted = select(games).where(games.c.state == "playing", games.c.due <= at)
    return (await connection.execute(wanted.order_by(games.c.due).limit(limit))).all()


async def seat_rows(connection: AsyncConnection, ids: Sequence[str]) -> Sequence[AnyRow]:
    """The seats of some games in order, with the names of the people in them."""
    columns = (seats, accounts.c.name, accounts.c.kind)
    joined = select(*columns).outerjoin(accounts, seats.c.account == accounts.c.id)
    return (await connection.execute(joined.where(seats.c.game.in_(ids)).order_by(seats.c.game, seats.c.seat))).all()


async def turn_rows(connection: AsyncConnection, game: str, since: int = 0) -> Sequence[AnyRow]:
    """The turns of a game from a number on."""
    wanted = select(turns).where(turns.c.game == game, turns.c.number >= since)
    return (await connection.execute(wanted.order_by(turns.c.number))).all()


async def turn_row(connection: AsyncConnection, game: str, number: int) -> AnyRow | None:
    """One turn."""
    return (await connection.execute(select(turns).where(turns.c.game == game, turns.c.number == number))).first()


async def add_game(connection: AsyncConnection, game: dict[str, Any], chairs: list[dict[str, Any]]) -> None:
    """A new game and its seats."""
    await connection.execute(insert(games).values(**game))
    await connection.execute(insert(seats), [{"game": game["id"], "seat": n, **seat} for n, seat in enumerate(chairs)])


async def take_seat(
    connection: AsyncConnection, game: str, account: int, at: int, wanted: int | None = None
) -> int | None:
    """A free seat of an open game is this account's: the one kept for it, the one wanted, the first; None without."""
    free = and_(seats.c.game == game, seats.c.account.is_(None), seats.c.player.is_(None))
    theirs = or_(seats.c.invited.is_(None), seats.c.invited == account)
    in_time = or_(games.c.expires.is_(None), games.c.expires > at)
    open_game = select(games.c.id).where(games.c.id == game, games.c.state == "open", in_time).with_for_update()
    if (await connection.execute(open_game)).first() is None:
        return None
    choice = select(seats.c.seat).where(free, theirs).order_by(seats.c.invited.is_(None), seats.c.seat)
    if wanted is not None:
        choice = choice.where(seats.c.seat == wanted)
    seat = (await connection.execute(choice)).scalars().first()
    if seat is not None:
        chair = and_(seats.c.game == game, seats.c.seat == seat)
        await connection.execute(update(seats).where(chair).values(account=account))
    return seat


async def claim_rematch(connection: AsyncConnection, game: str, after: str) -> str | None:
    """Marks which game comes after this one; the one that already does, if there is one."""
    row = (await connection.execute(select(games.c.rematch).where(games.c.id == game).with_for_update())).first()
    if row is not None and row.rematch:
        found: str = row.rematch
        return found
    await connection.execute(update(games).where(games.c.id == game).values(rematch=after))
    return None


async def blocks(connection: AsyncConnection, account: int, other: int) -> bool:
    """An account wants nothing to do with another."""
    pair = and_(silences.c.account == account, silences.c.other == other, silences.c.kind == "block")
    return (await connection.execute(select(silences.c.kind).where(pair))).first() is not None


async def free_seats(connection: AsyncConnection, game: str) -> int:
    """How many seats nobody has."""
    free = and_(seats.c.game == game, seats.c.account.is_(None), seats.c.player.is_(None))
    return len((await connection.execute(select(seats.c.seat).where(free))).all())


async def begin_game(connection: AsyncConnection, game: str, at: int, due: int | None) -> None:
    """Every seat is taken: the first turn and the clock begin."""
    begun = {"state": "playing", "begun": at, "moved": at, "due": due}
    await connection.execute(update(games).where(games.c.id == game).values(**begun))


async def games_of(connection: AsyncConnection, account: int, state: str | None, limit: int) -> Sequence[AnyRow]:
    """An account's games, those with the latest turn first."""
    mine = select(seats.c.game).where(seats.c.account == account)
    wanted = select(games).where(or_(games.c.id.in_(mine), games.c.creator == account))
    if state:
        wanted = wanted.where(games.c.state == state)
    return (await connection.execute(wanted.order_by(games.c.moved.desc(), games.c.created.desc()).limit(limit))).all()


async def public_games(connection: AsyncConnection, state: str | None, limit: int) -> Sequence[AnyRow]:
    """Games that everybody may see in a list."""
    wanted = select(games).where(games.c.private.is_(False), games.c.state != "open")
    if state:
        wanted = wanted.where(games.c.state == state)
    return (await connection.execute(wanted.order_by(games.c.moved.desc()).limit(limit))).all()


async def machine_turns(connection: AsyncConnection) -> Sequence[str]:
    """Games in which a machine is to move."""
    chair = and_(seats.c.game == games.c.id, seats.c.seat == games.c.to_move)
    wanted = select(games.c.id).join(seats, chair).where(games.c.state == "playing", seats.c.player.is_not(None))
    return (await connection.execute(wanted.order_by(games.c.moved))).scalars().all()


async def machines_owe(connection: AsyncConnection, before: int) -> Sequence[AnyRow]:
    """Games in which a machine is to move since before then, and the number of its turn."""
    chair = and_(seats.c.game == games.c.id, seats.c.seat == games.c.to_move)
    owed = select(games).join(seats, chair)
    owed = owed.where(games.c.state == "playing", seats.c.player.is_not(None), games.c.moved < before)
    return (await connection.execute(owed.order_by(games.c.moved).limit(1000))).all()


async def clocks_running(connection: AsyncConnection) -> Sequence[AnyRow]:
    """Every game whose flag will fall."""
    wanted = select(games).where(games.c.state == "playing", games.c.due.is_not(None))
    return (await connection.execute(wanted)).all()
