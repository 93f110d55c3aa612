"""What the server asks the database about notices and mails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Select, and_, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.prepared import Prepared, Value
from hedgerow.serve.store.rows import AccountRow, MailRow, NoticeRow, all_of, first_of
from hedgerow.serve.store.schema import accounts, mails, meta, mutes, notices

KEPT = 200
"""How many notices an account keeps."""


# --- notices ----------------------------------------------------------------------------------------------------------


async def add_notice(
    connection: AsyncConnection, account: int, kind: str, game: str | None, text: str, at: int
) -> None:
    """A new notice; it takes the place of an unread one about the same game."""
    if game is not None:
        same = and_(notices.c.account == account, notices.c.game == game, notices.c.read.is_(None))
        await connection.execute(delete(notices).where(same))
    row = {"account": account, "kind": kind, "game": game, "text": text[:200], "created": at}
    await connection.execute(insert(notices).values(**row))
    mine = select(notices.c.id).where(notices.c.account == account).order_by(notices.c.id.desc()).offset(KEPT).limit(50)
    await connection.execute(delete(notices).where(notices.c.id.in_((await connection.execute(mine)).scalars().all())))


async def notices_of(connection: AsyncConnection, account: int, limit: int) -> list[NoticeRow]:
    """An account's notices, the latest first."""
    wanted = select(notices).where(notices.c.account == account).order_by(notices.c.id.desc()).limit(limit)
    return await all_of(connection, NoticeRow, wanted)


@Prepared
def _unread(account: Value) -> Select[Any]:
    return select(func.count()).where(notices.c.account == account, notices.c.read.is_(None))


async def unread(connection: AsyncConnection, account: int, game: str | None = None) -> int:
    """How many notices were not read; about a game, or at all."""
    if game is None:
        return int((await _unread(connection, account=account)).scalar_one())
    about = _unread.statement.where(notices.c.game == game)
    return int((await connection.execute(about, {"account": account})).scalar_one())


async def read_notices(
    connection: AsyncConnection, account: int, at: int, *, up_to: int | None = None, game: str | None = None
) -> None:
    """Notices are read: all of an account, or those up to a number, or about a game."""
    which = and_(notices.c.account == account, notices.c.read.is_(None))
    if up_to is not None:
        which = and_(which, notices.c.id <= up_to)
    if game is not None:
        which = and_(which, notices.c.game == game)
    await connection.execute(update(notices).where(which).values(read=at))


async def take_for_mail(connection: AsyncConnection, account: int, game: str, at: int) -> list[NoticeRow]:
    """The notices about a game that belong into a mail now: unread, and in none before."""
    which = and_(notices.c.account == account, notices.c.read.is_(None), notices.c.mailed.is_(None))
    wanted = select(notices).where(which, notices.c.game == game).order_by(notices.c.id)
    found = await all_of(connection, NoticeRow, wanted)
    if ids := [row.id for row in found]:
        await connection.execute(update(notices).where(notices.c.id.in_(ids)).values(mailed=at))
    return found


# --- mails ------------------------------------------------------------------------------------------------------------


async def mail_is_on(connection: AsyncConnection) -> bool:
    """The servers of this database send mail."""
    return (await connection.execute(select(meta.c.name).where(meta.c.name == "mail"))).first() is not None


async def set_mail(connection: AsyncConnection, on: bool) -> None:
    """A server that starts says whether it sends mail."""
    if on:
        await put(connection, meta, {"name": "mail"}, {"value": "on"})
    else:
        await connection.execute(delete(meta).where(meta.c.name == "mail"))


async def add_mail(connection: AsyncConnection, **values: Any) -> None:
    """A mail that is to go out."""
    await connection.execute(insert(mails).values(tries=0, **values))


async def mail_waits(connection: AsyncConnection, account: int, kind: str, game: str | None) -> bool:
    """A mail of this kind about this game is already to go to them."""
    same = and_(mails.c.account == account, mails.c.kind == kind, mails.c.due.is_not(None), mails.c.game == game)
    return (await connection.execute(select(mails.c.id).where(same))).first() is not None


async def mails_due(connection: AsyncConnection, at: int, limit: int) -> list[MailRow]:
    """Mails whose time has come."""
    wanted = select(mails).where(mails.c.due <= at).order_by(mails.c.due).limit(limit)
    return await all_of(connection, MailRow, wanted)


async def mail_row(connection: AsyncConnection, mail: int) -> MailRow | None:
    """Everything about a mail."""
    return await first_of(connection, MailRow, select(mails).where(mails.c.id == mail))


async def claim_mails(connection: AsyncConnection, some: Sequence[int], at: int, until: int) -> set[int]:
    """Nobody else tries these mails until then; those that nobody else had claimed."""
    mine = update(mails).where(mails.c.id.in_(some), mails.c.due <= at).values(due=until)
    return set((await connection.execute(mine.returning(mails.c.id))).scalars())


async def hold_mails(connection: AsyncConnection, some: Sequence[int], until: int) -> None:
    """What was claimed stays so until then, where it is not done."""
    await connection.execute(update(mails).where(mails.c.id.in_(some), mails.c.due.is_not(None)).values(due=until))


async def release_mails(connection: AsyncConnection, at: int, claim: int) -> None:
    """Mails that somebody had claimed are due."""
    claimed = and_(mails.c.due > at, mails.c.due <= at + claim)
    await connection.execute(update(mails).where(claimed).values(due=at))


async def settle_mail(connection: AsyncConnection, mail: int, **values: Any) -> None:
    """What became of a mail."""
    await connection.execute(update(mails).where(mails.c.id == mail).values(**values))


async def settle_mails(connection: AsyncConnection, some: Sequence[dict[str, int | None]]) -> None:
    """What became of many: their `mail`, and `due`, `tries`, `sent` and `bounced`."""
    values: dict[str, Any] = {name: bindparam(name) for name in ("due", "tries", "sent", "bounced")}
    await connection.execute(update(mails).where(mails.c.id == bindparam("mail")).values(values), some)


async def forget_mail(connection: AsyncConnection, before: int) -> None:
    """Mails that are done since long."""
    await connection.execute(delete(mails).where(mails.c.due.is_(None), mails.c.created < before))


async def account_for_reset(
    connection: AsyncConnection, keys: Sequence[str], spellings: Iterable[str]
) -> AccountRow | None:
    """The account of that name or of that confirmed address, if a mail may be sent to it."""
    this = or_(accounts.c.folded.in_(keys), func.lower(accounts.c.mail).in_(list(spellings)))
    may = and_(this, accounts.c.mail.is_not(None), accounts.c.confirmed.is_not(None), accounts.c.banned.is_(None))
    return await first_of(connection, AccountRow, select(accounts).where(may).order_by(accounts.c.id))


async def account_of_key(connection: AsyncConnection, key: str) -> AccountRow | None:
    """The account whose mails end with this key."""
    return await first_of(connection, AccountRow, select(accounts).where(accounts.c.mail_key == key))


# --- addresses that answer, and addresses that do not -----------------------------------------------------------------

IN_A_ROW = 3
"""After how many mails that came back, one after the other, an address is paused."""


async def mail_bounced(connection: AsyncConnection, mail: int, at: int) -> MailRow | None:
    """A mail came back; None where it is unknown, or had before."""
    back = update(mails).where(mails.c.id == mail, mails.c.bounced.is_(None)).values(bounced=at, due=None)
    return await first_of(connection, MailRow, back.returning(*mails.c))


async def last_bounces(connection: AsyncConnection, account: int, address: str) -> int:
    """How many mails to an address came back one after the other, up to the last that did."""
    mine = and_(mails.c.account == account, mails.c.address == address)
    last = select(func.max(mails.c.id)).where(mine, mails.c.bounced.is_not(None)).scalar_subquery()
    tried = and_(mine, mails.c.id <= last, or_(mails.c.sent.is_not(None), mails.c.bounced.is_not(None)))
    wanted = select(mails.c.bounced).where(tried).order_by(mails.c.id.desc()).limit(IN_A_ROW)
    found = list((await connection.execute(wanted)).scalars())
    return next((number for number, bounced in enumerate(found) if bounced is None), len(found))


async def forget_bounces(connection: AsyncConnection, account: int) -> None:
    """An address was confirmed: what came back before does not count any more."""
    mine = and_(mails.c.account == account, mails.c.bounced.is_not(None))
    await connection.execute(delete(mails).where(mine))


async def wrote(connection: AsyncConnection, account: int, at: int, since: int) -> None:
    """Somebody gave a command by mail; written down where that was not known since then."""
    older = or_(accounts.c.by_mail.is_(None), accounts.c.by_mail < since, accounts.c.by_mail < accounts.c.seen)
    await connection.execute(update(accounts).where(accounts.c.id == account, older).values(by_mail=at))


async def is_muted(connection: AsyncConnection, account: int, other: int) -> bool:
    """An account does not want to hear another."""
    pair = and_(mutes.c.account == account, mutes.c.other == other)
    return (await connection.execute(select(mutes.c.kind).where(pair))).first() is not None
