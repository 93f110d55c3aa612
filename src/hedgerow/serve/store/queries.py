"""Queries about accounts, games, seats and turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from sqlalchemy import and_, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.rows import AccountRow, GameRow, PlayedRow, SeatRow, all_of, first_of
from hedgerow.serve.store.schema import IS_PLAYING, accounts, games, meta, mutes, seats, sessions, turns

# --- accounts ---------------------------------------------------------------------------------------------------------


async def add_account(connection: AsyncConnection, **values: object) -> int:
    """A new account; its number."""
    found = await connection.execute(insert(accounts).values(**values).returning(accounts.c.id))
    number: int = found.scalar_one()
    return number


async def account_of_session(connection: AsyncConnection, token: str, now: int) -> AccountRow | None:
    """Whose session this is, if it still holds."""
    joined = select(accounts).join(sessions, sessions.c.account == accounts.c.id)
    holds = and_(sessions.c.token == token, sessions.c.expires > now, accounts.c.banned.is_(None))
    return await first_of(connection, AccountRow, joined.where(holds))


def machine_name(player: str) -> str:
    """What a machine is called, at every seat and on its account; no person's name has a comma."""
    return f"Machine, {player}"


async def account_named(connection: AsyncConnection, keys: Sequence[str]) -> AccountRow | None:
    """The account that is kept under one of these forms of a name; the first of them counts."""
    found = await all_of(connection, AccountRow, select(accounts).where(accounts.c.folded.in_(keys)))
    return min(found, key=lambda row: keys.index(row.folded or ""), default=None)


# --- games ------------------------------------------------------------------------------------------------------------


async def game_row(connection: AsyncConnection, game: str) -> GameRow | None:
    """What is known of a game without its turns."""
    return await first_of(connection, GameRow, select(games).where(games.c.id == game))


async def versions_of(connection: AsyncConnection, ids: Sequence[str]) -> Sequence[tuple[str, int]]:
    """How far some games are."""
    wanted = select(games.c.id, games.c.version).where(games.c.id.in_(ids))
    return [(row.id, row.version) for row in await connection.execute(wanted)]


async def installation(connection: AsyncConnection) -> str:
    """The random name of everything on this database."""
    name: str = (await connection.execute(select(meta.c.value).where(meta.c.name == "installation"))).scalar_one()
    return name


async def flags_due(connection: AsyncConnection, at: int, limit: int = 1000) -> list[GameRow]:
    """Games whose flag should have fallen by then."""
    wanted = select(games).where(games.c.state == "playing", games.c.due <= at)
    return await all_of(connection, GameRow, wanted.order_by(games.c.due).limit(limit))


@Prepared
def _seat_rows(ids: list[Value]) -> Question:
    asked = accounts.alias("asked")
    joined = select(seats, accounts.c.name, accounts.c.kind, asked.c.name)
    joined = joined.outerjoin(accounts, seats.c.account == accounts.c.id)
    joined = joined.outerjoin(asked, seats.c.invited == asked.c.id)
    return joined.where(seats.c.game.in_(ids)).order_by(seats.c.game, seats.c.seat)


async def seat_rows(connection: AsyncConnection, ids: Sequence[str]) -> list[SeatRow]:
    """The seats of some games in order, with the names of the people in them."""
    return await _seat_rows.rows(connection, SeatRow, ids=ids)


async def seats_of(connection: AsyncConnection, ids: Sequence[str]) -> dict[str, list[SeatRow]]:
    """The same by game; those without seats have none."""
    found: dict[str, list[SeatRow]] = {game: [] for game in ids}
    for row in await seat_rows(connection, ids) if ids else ():
        found[row.game].append(row)
    return found


async def turn_rows(connection: AsyncConnection, game: str, since: int = 0) -> list[PlayedRow]:
    """The turns of a game from a number on."""
    wanted = select(turns).where(turns.c.game == game, turns.c.number >= since)
    return await all_of(connection, PlayedRow, wanted.order_by(turns.c.number))


async def turn_row(connection: AsyncConnection, game: str, number: int) -> PlayedRow | None:
    """One turn."""
    return await first_of(connection, PlayedRow, select(turns).where(turns.c.game == game, turns.c.number == number))


class NewSeat(TypedDict, total=False):
    """Who is to sit at a new game: an account, a machine (`player`), somebody `invited`; without any, whoever comes."""

    account: int | None
    player: str | None
    invited: int | None


NOBODY: NewSeat = {"account": None, "player": None, "invited": None}


async def add_game(connection: AsyncConnection, game: Mapping[str, object], taken: Sequence[NewSeat]) -> None:
    """A new game and its seats."""
    await connection.execute(insert(games).values(**game))
    rows = [{"game": game["id"], "seat": n} | NOBODY | seat for n, seat in enumerate(taken)]
    await connection.execute(insert(seats), rows)


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
        its_seat = and_(seats.c.game == game, seats.c.seat == seat)
        await connection.execute(update(seats).where(its_seat).values(account=account))
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
    pair = and_(mutes.c.account == account, mutes.c.other == other, mutes.c.kind == "block")
    return (await connection.execute(select(mutes.c.kind).where(pair))).first() is not None


async def free_seats(connection: AsyncConnection, game: str) -> int:
    """How many seats nobody has."""
    free = and_(seats.c.game == game, seats.c.account.is_(None), seats.c.player.is_(None))
    return len((await connection.execute(select(seats.c.seat).where(free))).all())


async def begin_game(connection: AsyncConnection, game: str, at: int, due: int | None) -> None:
    """Every seat is taken: the first turn and the clock begin."""
    begun = {"state": "playing", "begun": at, "moved": at, "due": due}
    await connection.execute(update(games).where(games.c.id == game).values(**begun))


@Prepared
def _running_games(account: Value, states: list[Value], limit: Value) -> Question:
    mine = select(games).join(seats, seats.c.game == games.c.id).where(seats.c.account == account)
    running = mine.where(seats.c.ended.is_(None), games.c.state.in_(states))
    return running.order_by(games.c.moved.desc(), games.c.created.desc()).limit(limit)


@Prepared
def _games_over(account: Value, limit: Value) -> Question:
    mine = select(games).join(seats, seats.c.game == games.c.id).where(seats.c.account == account)
    over = mine.where(seats.c.ended.is_not(None))
    return over.order_by(seats.c.ended.desc(), seats.c.game.desc()).limit(limit)


async def games_of(connection: AsyncConnection, account: int, state: str | None, limit: int) -> list[GameRow]:
    """An account's games, those with the latest turn first."""
    found: list[GameRow] = []
    if state != "over":
        states = [state] if state else ["open", "playing", "over"]
        found += await _running_games.rows(connection, GameRow, account=account, states=states, limit=limit)
    if state in (None, "over"):
        found += await _games_over.rows(connection, GameRow, account=account, limit=limit)
    return sorted(found, key=lambda row: (row.moved or 0, row.created), reverse=True)[:limit]


async def public_games(connection: AsyncConnection, state: str | None, limit: int) -> list[GameRow]:
    """Games that everybody may see in a list, those with the latest turn first."""
    public = select(games).where(games.c.private.is_(False)).limit(limit)
    found: list[GameRow] = []
    if state in (None, "playing"):
        found += await all_of(connection, GameRow, public.where(IS_PLAYING).order_by(games.c.moved.desc()))
    if state in (None, "over"):
        over = public.where(games.c.ended.is_not(None))
        found += await all_of(connection, GameRow, over.order_by(games.c.ended.desc(), games.c.id.desc()))
    return sorted(found, key=lambda row: row.moved or 0, reverse=True)[:limit]


async def machine_turns(connection: AsyncConnection) -> Sequence[str]:
    """Games in which a machine is to move."""
    its_seat = and_(seats.c.game == games.c.id, seats.c.seat == games.c.to_move)
    wanted = select(games.c.id).join(seats, its_seat).where(IS_PLAYING, seats.c.player.is_not(None))
    return (await connection.execute(wanted.order_by(games.c.moved))).scalars().all()


async def machines_owe(connection: AsyncConnection, before: int) -> list[GameRow]:
    """Games in which a machine is to move since before then, and the number of its turn."""
    its_seat = and_(seats.c.game == games.c.id, seats.c.seat == games.c.to_move)
    owed = select(games).join(seats, its_seat)
    owed = owed.where(IS_PLAYING, seats.c.player.is_not(None), games.c.moved < before)
    return await all_of(connection, GameRow, owed.order_by(games.c.moved).limit(1000))


async def clocks_running(connection: AsyncConnection) -> list[GameRow]:
    """Every game whose flag will fall."""
    wanted = select(games).where(games.c.state == "playing", games.c.due.is_not(None))
    return await all_of(connection, GameRow, wanted)
