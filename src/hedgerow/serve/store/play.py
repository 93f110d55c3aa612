"""Queries about challenges, seats that change hands, offers, plans and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, insert, or_, select, update
from sqlalchemy.dialects.postgresql import insert as insert_postgres
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.schema import Table

from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.rows import GameRow, NoteRow, OfferRow, PlanRow, PlayedRow, all_of
from hedgerow.serve.store.schema import IS_OPEN, IS_PLAYING, games, notes, offers, plans, seats, turns

CHUNK = 100


async def put(
    connection: AsyncConnection, table: Table, key: Mapping[str, object], values: Mapping[str, object]
) -> None:
    """A row of that key with these values, whether it was there or not."""
    dialect = insert_postgres if connection.dialect.name == "postgresql" else insert_sqlite
    added = dialect(table).values(**key, **values)
    await connection.execute(added.on_conflict_do_update(index_elements=list(key), set_=values))


# --- rows that change more than the match -----------------------------------------------------------------------------


async def add_row(connection: AsyncConnection, within: str, row: PlayedRow, **changes: object) -> bool:
    """Adds a row to `turns` of a game within a state and at this version, and changes the game's row; False if not so.

    For the few things that are more than a turn; turns go through the writer.
    """
    here = and_(games.c.id == row.game, games.c.version == row.number, games.c.state == within)
    if (await connection.execute(select(games.c.id).where(here).with_for_update())).first() is None:
        return False
    await connection.execute(insert(turns).values(**row._asdict()))
    changed: dict[str, object] = {"version": row.number + 1, **changes}
    await connection.execute(update(games).where(games.c.id == row.game).values(**changed))
    if "ended" in changes:  # nobody has won: only turns, which go through the writer, end a game otherwise
        await connection.execute(update(seats).where(seats.c.game == row.game).values(ended=changes["ended"]))
    return True


async def sit_down(connection: AsyncConnection, game: str, seat: int, account: int) -> bool:
    """A person takes the place of a machine."""
    its_seat = and_(seats.c.game == game, seats.c.seat == seat, seats.c.player.is_not(None))
    done = await connection.execute(update(seats).where(its_seat).values(account=account, player=None))
    return bool(done.rowcount)


async def set_welcome(connection: AsyncConnection, game: str, welcome: bool) -> None:
    """Whether people may take over the machines' seats."""
    await connection.execute(update(games).where(games.c.id == game).values(welcome=welcome))


# --- challenges -------------------------------------------------------------------------------------------------------


def _stands(at: Value) -> ColumnElement[bool]:
    return and_(IS_OPEN, or_(games.c.expires.is_(None), games.c.expires > at))


class Wish(NamedTuple):
    """A game that somebody asks for in the lobby."""

    id: str
    creator: int


@Prepared
def _lobby(at: Value, limit: Value) -> Question:
    wanted = select(games.c.id, games.c.creator).where(_stands(at), games.c.lobby.is_(True))
    return wanted.order_by(games.c.created.desc()).limit(limit)


async def lobby(connection: AsyncConnection, at: int, limit: int) -> list[Wish]:
    """Open challenges, the newest first."""
    return [Wish(row.id, row.creator) for row in await _lobby(connection, at=at, limit=limit)]


async def open_games(connection: AsyncConnection, account: int, at: int) -> list[GameRow]:
    """Every game that an account has made and that still waits for somebody."""
    mine = and_(games.c.creator == account, games.c.state == "open")
    return await all_of(connection, GameRow, select(games).where(mine, _stands(at)))


async def challengers(connection: AsyncConnection, account: int, at: int) -> Sequence[int]:
    """Whoever made a challenge to an account that still stands, once for each."""
    asked = select(games.c.creator).join(seats, seats.c.game == games.c.id)
    asked = asked.where(_stands(at), seats.c.invited == account, seats.c.account.is_(None), seats.c.ended.is_(None))
    return (await connection.execute(asked)).scalars().all()


@Prepared
def _invitations(account: Value, at: Value) -> Question:
    kept = and_(seats.c.account.is_(None), seats.c.ended.is_(None))
    asked = select(seats.c.game).where(kept, seats.c.invited == account)
    asks = select(games.c.id).join(seats, seats.c.game == games.c.id)
    asks = asks.where(games.c.creator == account, games.c.state == "open", kept, seats.c.invited.is_not(None))
    wanted = select(games).where(games.c.id.in_(asked.union(asks)), _stands(at))
    return wanted.order_by(games.c.created.desc()).limit(CHUNK)


async def invitations(connection: AsyncConnection, account: int, at: int) -> list[GameRow]:
    """Challenges to this account, and its own to others, that nobody has answered."""
    return await _invitations.rows(connection, GameRow, account=account, at=at)


async def expired(connection: AsyncConnection, at: int, more: int = 0) -> Sequence[str]:
    """Open games that nobody may join any more; some at once, and so many more."""
    wanted = select(games.c.id).where(IS_OPEN, games.c.expires <= at)
    return (await connection.execute(wanted.limit(CHUNK + more))).scalars().all()


class Kept(NamedTuple):
    """A position that the players of a rated game think about, and the rules of the game."""

    rules: str
    position: str


async def rated_positions(connection: AsyncConnection, game: str) -> list[Kept]:
    """Where the rated games of that name that go on stand; of no other games is the position kept."""
    wanted = select(games.c.rules, games.c.position).where(games.c.game_name == game, games.c.position.is_not(None))
    return [Kept(row.rules, row.position) for row in await connection.execute(wanted)]


async def without_position(connection: AsyncConnection, turns: int) -> Sequence[str]:
    """Rated games that go on, after so many turns or more, whose position an older version has not kept."""
    lacks = and_(games.c.rated.is_(True), games.c.version >= turns, games.c.position.is_(None))
    return (await connection.execute(select(games.c.id).where(IS_PLAYING, lacks))).scalars().all()


async def keep_position(connection: AsyncConnection, game: str, version: int, position: str) -> None:
    """Keeps the position of a game that still has this version."""
    here = and_(games.c.id == game, games.c.version == version, games.c.state == "playing")
    await connection.execute(update(games).where(here).values(position=position))


# --- offers -----------------------------------------------------------------------------------------------------------


async def offer_rows(connection: AsyncConnection, game: str, version: int) -> list[OfferRow]:
    """The offers of a game that have not lapsed, those that were declined among them."""
    wanted = select(offers).where(offers.c.game == game, offers.c.version == version)
    return await all_of(connection, OfferRow, wanted.order_by(offers.c.at))


async def put_offer(connection: AsyncConnection, game: str, kind: str, **values: object) -> None:
    """An offer as it stands now."""
    await put(connection, offers, {"game": game, "kind": kind}, values)


async def drop_offer(connection: AsyncConnection, game: str, kind: str) -> None:
    """An offer is withdrawn."""
    await connection.execute(delete(offers).where(offers.c.game == game, offers.c.kind == kind))


# --- plans and notes --------------------------------------------------------------------------------------------------


@Prepared
def _plan_row(game: Value, seat: Value) -> Question:
    return select(plans).where(plans.c.game == game, plans.c.seat == seat)


async def plan_row(connection: AsyncConnection, game: str, seat: int) -> PlanRow | None:
    """The conditional turns of a seat."""
    return await _plan_row.first(connection, PlanRow, game=game, seat=seat)


async def put_plan(connection: AsyncConnection, game: str, seat: int, **values: object) -> None:
    """The conditional turns of a seat, instead of those before."""
    await put(connection, plans, {"game": game, "seat": seat}, values)


async def drop_plan(connection: AsyncConnection, game: str, seat: int) -> None:
    """No conditional turns any more."""
    await connection.execute(delete(plans).where(plans.c.game == game, plans.c.seat == seat))


async def planned(connection: AsyncConnection) -> Sequence[str]:
    """Games in which the seat to move has conditional turns."""
    theirs = and_(plans.c.game == games.c.id, plans.c.seat == games.c.to_move)
    wanted = select(games.c.id).join(plans, theirs).where(IS_PLAYING)
    return (await connection.execute(wanted)).scalars().all()


@Prepared
def _note_row(game: Value, account: Value) -> Question:
    return select(notes).where(notes.c.game == game, notes.c.account == account)


async def note_row(connection: AsyncConnection, game: str, account: int) -> NoteRow | None:
    """What somebody noted about a game."""
    return await _note_row.first(connection, NoteRow, game=game, account=account)


async def put_note(connection: AsyncConnection, game: str, account: int, text: str, at: int) -> None:
    """A note, instead of the one before; an empty one is none."""
    if text:
        await put(connection, notes, {"game": game, "account": account}, {"text": text, "at": at})
    else:
        await connection.execute(delete(notes).where(notes.c.game == game, notes.c.account == account))
