"""Queries about people: sessions, one-time tokens, and deleting accounts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, and_, delete, func, insert, or_, select, true, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.rows import AccountRow, OneTimeTokenRow, SessionRow, all_of, first_of
from hedgerow.serve.store.schema import (
    accounts,
    games,
    mail_words,
    mails,
    meta,
    notices,
    one_time_tokens,
    seats,
    sessions,
    tokens,
    vacations,
)
from hedgerow.serve.store.tokens import end_tokens

GONE = "Former player"
"""What an account is called that was deleted."""


@Prepared
def _account_row(number: Value) -> Question:
    return select(accounts).where(accounts.c.id == number)


async def account_row(connection: AsyncConnection, account: int) -> AccountRow | None:
    """Everything about an account."""
    return await _account_row.first(connection, AccountRow, number=account)


@Prepared
def _account_rows(numbers: list[Value]) -> Question:
    return select(accounts).where(accounts.c.id.in_(numbers))


async def account_rows(connection: AsyncConnection, accounts: Iterable[int]) -> dict[int, AccountRow]:
    """Everything about several accounts, by their numbers."""
    some = sorted(set(accounts))
    found = await _account_rows.rows(connection, AccountRow, numbers=some) if some else []
    return {row.id: row for row in found}


VOIDS = {"password": ("reset",), "banned": ("reset",), "mail": ("reset", "confirm")}
"""Which links do not hold any more when that of an account is changed."""


async def change(connection: AsyncConnection, account: int, **values: object) -> None:
    """New values for an account; links that were sent before are void where what they are about has changed."""
    await connection.execute(update(accounts).where(accounts.c.id == account).values(**values))
    if kinds := {kind for name in values for kind in VOIDS.get(name, ())}:
        await void_links(connection, account, kinds)


async def void_links(connection: AsyncConnection, account: int, kinds: Iterable[str]) -> None:
    """Links of these kinds that an account was sent do not hold any more, and none that waits is sent."""
    some = list(kinds)
    mine = and_(one_time_tokens.c.account == account, one_time_tokens.c.kind.in_(some))
    await connection.execute(delete(one_time_tokens).where(mine))
    unsent = and_(mails.c.account == account, mails.c.kind.in_(some), mails.c.due.is_not(None))
    await connection.execute(update(mails).where(unsent).values(due=None))


async def seen(connection: AsyncConnection, account: int, token: str, at: int) -> None:
    """Somebody was here."""
    await change(connection, account, seen=at)
    await connection.execute(update(sessions).where(sessions.c.token == token).values(seen=at))


# --- sessions ---------------------------------------------------------------------------------------------------------


async def sessions_of(connection: AsyncConnection, account: int, now: int) -> list[SessionRow]:
    """An account's sessions, the latest first."""
    mine = and_(sessions.c.account == account, sessions.c.expires > now)
    return await all_of(connection, SessionRow, select(sessions).where(mine).order_by(sessions.c.created.desc()))


async def still_hold(connection: AsyncConnection, keys: Iterable[str], now: int) -> set[str]:
    """Which of these sessions and access tokens go on, of people who are not banned."""
    asked, found = list(keys), set()
    for table, holds in ((sessions, sessions.c.expires > now), (tokens, true())):
        wanted = select(table.c.token).join(accounts, accounts.c.id == table.c.account)
        wanted = wanted.where(table.c.token.in_(asked), holds, accounts.c.banned.is_(None))
        found |= set((await connection.execute(wanted)).scalars())
    return found


async def end_sessions(
    connection: AsyncConnection, account: int, *, but: str | None = None, beginning: str | None = None
) -> list[str]:
    """Ends an account's sessions, all but one, or those that begin so; returns them."""
    ends = sessions.c.account == account
    if but is not None:
        ends = and_(ends, sessions.c.token != but)
    if beginning is not None:
        ends = and_(ends, sessions.c.token.startswith(beginning, autoescape=True))
    found = await connection.execute(delete(sessions).where(ends).returning(sessions.c.token))
    return list(found.scalars())


# --- links that hold once ---------------------------------------------------------------------------------------------


async def add_one_time_token(connection: AsyncConnection, **values: object) -> None:
    """A new one-time token; others of its kind for the same account and thing are void."""
    if values.get("account") is not None:
        same = and_(one_time_tokens.c.kind == values["kind"], one_time_tokens.c.account == values["account"])
        await connection.execute(delete(one_time_tokens).where(same))
    await connection.execute(insert(one_time_tokens).values(**values))


def _holds(kind: str, token: str, now: int) -> ColumnElement[bool]:
    columns = one_time_tokens.c
    return and_(columns.kind == kind, columns.token == token, columns.expires > now, columns.used.is_(None))


async def one_time_token(connection: AsyncConnection, kind: str, token: str, now: int) -> OneTimeTokenRow | None:
    """A one-time token that still holds."""
    return await first_of(connection, OneTimeTokenRow, select(one_time_tokens).where(_holds(kind, token, now)))


async def use_one_time_token(connection: AsyncConnection, kind: str, token: str, now: int) -> OneTimeTokenRow | None:
    """Uses a one-time token up; None where somebody has, or it does not hold."""
    used = update(one_time_tokens).where(_holds(kind, token, now)).values(used=now)
    return await first_of(connection, OneTimeTokenRow, used.returning(*one_time_tokens.c))


async def about_waiting(connection: AsyncConnection, kind: str, account: int, now: int) -> str | None:
    """What an account's one-time token of a kind is about, where one holds that was not used."""
    mine = and_(one_time_tokens.c.kind == kind, one_time_tokens.c.account == account)
    holds = and_(mine, one_time_tokens.c.expires > now, one_time_tokens.c.used.is_(None))
    found: str | None = (await connection.execute(select(one_time_tokens.c.about).where(holds).limit(1))).scalar()
    return found


# --- going ------------------------------------------------------------------------------------------------------------


async def games_seated(connection: AsyncConnection, account: int, state: str | None = None) -> Sequence[str]:
    """The games an account sits in."""
    wanted = select(games.c.id).join(seats, seats.c.game == games.c.id).where(seats.c.account == account)
    if state:
        wanted = wanted.where(games.c.state == state)
    if state and state != "over":
        wanted = wanted.where(seats.c.ended.is_(None))
    return (await connection.execute(wanted)).scalars().unique().all()


async def leave_open_games(connection: AsyncConnection, account: int) -> None:
    """Seats in games that have not begun are free again; a game with nobody left in it goes."""
    waiting = await games_seated(connection, account, "open")
    mine = and_(seats.c.game.in_(waiting), seats.c.account == account)
    await connection.execute(update(seats).where(mine).values(account=None))
    taken = select(seats.c.game).where(seats.c.game.in_(waiting), seats.c.account.is_not(None))
    empty = and_(games.c.id.in_(waiting), games.c.state == "open", games.c.id.not_in(taken))
    await connection.execute(delete(games).where(empty))


async def make_nameless(connection: AsyncConnection, account: int) -> list[str]:
    """The name goes and everything that only its owner could want; the games stay.

    Returns the sessions and tokens that have ended.
    """
    await leave_open_games(connection, account)
    for table in (one_time_tokens, notices, mails, mail_words, vacations):
        await connection.execute(delete(table).where(table.c.account == account))
    await set_operator(connection, account, False, 0)
    nothing = dict.fromkeys(("folded", "password", "mail", "confirmed", "mail_key", "paused", "by_mail"))
    await change(connection, account, kind="gone", name=GONE, turn_mails=False, **nothing)
    return await end_sessions(connection, account) + await end_tokens(connection, account)


# --- for the operator -------------------------------------------------------------------------------------------------


async def people(connection: AsyncConnection, words: str, limit: int) -> list[AccountRow]:
    """Accounts with a name of their own, the last seen first."""
    wanted = select(accounts).where(accounts.c.folded.is_not(None))
    if words:
        folded = accounts.c.folded.contains(words.casefold(), autoescape=True)
        wanted = wanted.where(or_(folded, accounts.c.name.icontains(words, autoescape=True)))
    return await all_of(connection, AccountRow, wanted.order_by(accounts.c.seen.desc(), accounts.c.id).limit(limit))


def _operator(account: int) -> str:
    return f"operator {account}"


async def is_operator(connection: AsyncConnection, account: int) -> bool:
    """Whether an account may write to everybody."""
    return (await connection.execute(select(meta.c.name).where(meta.c.name == _operator(account)))).first() is not None


async def set_operator(connection: AsyncConnection, account: int, is_one: bool, at: int) -> None:
    """An account may write to everybody from now on, or may not."""
    await connection.execute(delete(meta).where(meta.c.name == _operator(account)))
    if is_one:
        await connection.execute(insert(meta).values(name=_operator(account), value=str(at)))


async def count_games(connection: AsyncConnection, account: int) -> dict[str, int]:
    """How many games an account sits in, by their state."""
    mine = select(seats.c.game).where(seats.c.account == account)
    wanted = select(games.c.state, func.count()).where(games.c.id.in_(mine)).group_by(games.c.state)
    return {row[0]: row[1] for row in await connection.execute(wanted)}


async def idle_guests(connection: AsyncConnection, before: int) -> Sequence[int]:
    """Guests who were not seen since, and sit in no game that goes on."""
    here = and_(seats.c.account == accounts.c.id, seats.c.ended.is_(None))
    running = select(seats.c.game).join(games, games.c.id == seats.c.game).where(here, games.c.state == "playing")
    idle = and_(accounts.c.kind == "guest", accounts.c.seen < before, ~running.exists())
    return (await connection.execute(select(accounts.c.id).where(idle))).scalars().all()


async def untied(connection: AsyncConnection, account: int) -> bool:
    """No game knows the account, so that it can go without a trace."""
    known = or_(
        select(seats.c.game).where(seats.c.account == account).exists(),
        select(games.c.id).where(games.c.creator == account).exists(),
    )
    return not (await connection.execute(select(known))).scalar_one()
