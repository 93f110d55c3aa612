"""What the database is asked about challenges, seats that change hands, offers, plans and notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, insert, or_, select, update
from sqlalchemy.dialects.postgresql import insert as insert_postgres
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.schema import Table

from hedgerow.serve.store.queries import AnyRow
from hedgerow.serve.store.schema import games, notes, offers, plans, seats, turns

CHUNK = 100


async def put(connection: AsyncConnection, table: Table, key: dict[str, Any], values: dict[str, Any]) -> None:
    """A row of that key with these values, whether it was there or not."""
    dialect = insert_postgres if connection.dialect.name == "postgresql" else insert_sqlite
    added = dialect(table).values(**key, **values)
    await connection.execute(added.on_conflict_do_update(index_elements=list(key), set_=values))


# --- rows that change more than the match -----------------------------------------------------------------------------


async def add_row(connection: AsyncConnection, within: str, row: dict[str, Any], **changes: Any) -> bool:
    """Adds a row to `turns` of a game within a state and at this version, and changes the game's row; False if not so.

    For the few things that are more than a turn; turns go through the writer.
    """
    here = and_(games.c.id == row["game"], games.c.version == row["number"], games.c.state == within)
    if (await connection.execute(select(games.c.id).where(here).with_for_update())).first() is None:
        return False
    await connection.execute(insert(turns).values(spent=0, **row))
    changed = {"version": row["number"] + 1, **changes}
    await connection.execute(update(games).where(games.c.id == row["game"]).values(**changed))
    return True


async def sit_down(connection: AsyncConnection, game: str, seat: int, account: int) -> bool:
    """A person takes the place of a machine."""
    chair = and_(seats.c.game == game, seats.c.seat == seat, seats.c.player.is_not(None))
    done = await connection.execute(update(seats).where(chair).values(account=account, player=None))
    return bool(done.rowcount)


async def set_welcome(connection: AsyncConnection, game: str, welcome: bool) -> None:
    """Whether people may take over the machines' seats."""
    await connection.execute(update(games).where(games.c.id == game).values(welcome=welcome))


# --- challenges -------------------------------------------------------------------------------------------------------


def _stands(at: int) -> ColumnElement[bool]:
    return and_(games.c.state == "open", or_(games.c.expires.is_(None), games.c.expires > at))


async def lobby(connection: AsyncConnection, at: int, limit: int) -> Sequence[AnyRow]:
    """Open challenges, the newest first."""
    wanted = select(games).where(_stands(at), games.c.lobby.is_(True))
    return (await connection.execute(wanted.order_by(games.c.created.desc()).limit(limit))).all()


async def open_games(connection: AsyncConnection, account: int, at: int) -> Sequence[AnyRow]:
    """Every game that an account has made and that still waits for somebody."""
    return (await connection.execute(select(games).where(_stands(at), games.c.creator == account))).all()


async def challengers(connection: AsyncConnection, account: int, at: int) -> Sequence[int]:
    """Whoever made a challenge to an account that still stands, once for each."""
    asked = select(games.c.creator).join(seats, seats.c.game == games.c.id)
    asked = asked.where(_stands(at), seats.c.invited == account, seats.c.account.is_(None))
    return (await connection.execute(asked)).scalars().all()


async def invitations(connection: AsyncConnection, account: int, at: int) -> Sequence[AnyRow]:
    """Challenges to this account, and its own to others, that nobody has answered."""
    stands = or_(games.c.expires.is_(None), games.c.expires > at)
    kept = and_(seats.c.invited.is_not(None), seats.c.account.is_(None))
    asked = select(seats.c.game).where(kept, seats.c.invited == account)
    asks = select(seats.c.game).where(kept)
    mine = or_(games.c.id.in_(asked), and_(games.c.creator == account, games.c.id.in_(asks)))
    wanted = select(games).where(games.c.state == "open", stands, mine)
    return (await connection.execute(wanted.order_by(games.c.created.desc()).limit(CHUNK))).all()


async def expired(connection: AsyncConnection, at: int, more: int = 0) -> Sequence[str]:
    """Open games that nobody may join any more; some at once, and so many more."""
    wanted = select(games.c.id).where(games.c.state == "open", games.c.expires <= at)
    return (await connection.execute(wanted.limit(CHUNK + more))).scalars().all()


async def rated_positions(connection: AsyncConnection, game: str, turns: int) -> Sequence[AnyRow]:
    """Rated games of a kind that go on, after so many turns or more: id, rules, and position where it is kept."""
    kind = or_(games.c.rules == game, games.c.rules.startswith(f"{game}(", autoescape=True))
    wanted = select(games).where(games.c.state == "playing", games.c.rated.is_(True), kind, games.c.version >= turns)
    return (await connection.execute(wanted)).all()


# --- offers -----------------------------------------------------------------------------------------------------------


async def offer_rows(connection: AsyncConnection, game: str, version: int) -> Sequence[AnyRow]:
    """The offers of a game that have not lapsed, those that were declined among them."""
    wanted = select(offers).where(offers.c.game == game, offers.c.version == version)
    return (await connection.execute(wanted.order_by(offers.c.at))).all()


async def put_offer(connection: AsyncConnection, game: str, kind: str, **values: Any) -> None:
    """An offer as it stands now."""
    await put(connection, offers, {"game": game, "kind": kind}, values)


async def drop_offer(connection: AsyncConnection, game: str, kind: str) -> None:
    """An offer is withdrawn."""
    await connection.execute(delete(offers).where(offers.c.game == game, offers.c.kind == kind))


# --- plans and notes --------------------------------------------------------------------------------------------------


async def plan_row(connection: AsyncConnection, game: str, seat: int) -> AnyRow | None:
    """The conditional turns of a seat."""
    return (await connection.execute(select(plans).where(plans.c.game == game, plans.c.seat == seat))).first()


async def put_plan(connection: AsyncConnection, game: str, seat: int, **values: Any) -> None:
    """The conditional turns of a seat, instead of those before."""
    await put(connection, plans, {"game": game, "seat": seat}, values)


async def drop_plan(connection: AsyncConnection, game: str, seat: int) -> None:
    """No conditional turns any more."""
    await connection.execute(delete(plans).where(plans.c.game == game, plans.c.seat == seat))


async def planned(connection: AsyncConnection) -> Sequence[str]:
    """Games in which the seat to move has conditional turns."""
    theirs = and_(plans.c.game == games.c.id, plans.c.seat == games.c.to_move)
    wanted = select(games.c.id).join(plans, theirs).where(games.c.state == "playing")
    return (await connection.execute(wanted)).scalars().all()


async def note_row(connection: AsyncConnection, game: str, account: int) -> AnyRow | None:
    """What somebody noted about a game."""
    mine = and_(notes.c.game == game, notes.c.account == account)
    return (await connection.execute(select(notes).where(mine))).first()


async def put_note(connection: AsyncConnection, game: str, account: int, text: str, at: int) -> None:
    """A note, instead of the one before; an empty one is none."""
    if text:
        await put(connection, notes, {"game": game, "account": account}, {"text": text, "at": at})
    else:
        await connection.execute(delete(notes).where(notes.c.game == game, notes.c.account == account))
