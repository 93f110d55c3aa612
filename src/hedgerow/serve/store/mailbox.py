"""What the server asks the database about notices and mails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Select, and_, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.prepared import Prepared, Value
from hedgerow.serve.store.rows import AccountRow, MailRow, NoticeRow, all_of, first_of
from hedgerow.serve.store.schema import accounts, mails, meta, notices

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


async def take_for_mail(connection: AsyncConnection, account: int, at: int) -> list[NoticeRow]:
    """The notices that belong into a mail now: unread, and in none before."""
    which = and_(notices.c.account == account, notices.c.read.is_(None), notices.c.mailed.is_(None))
    found = await all_of(connection, NoticeRow, select(notices).where(which).order_by(notices.c.id))
    ids = [row.id for row in found]
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


async def mail_waits(connection: AsyncConnection, account: int, kind: str) -> bool:
    """A mail of this kind is already to go to them."""
    same = and_(mails.c.account == account, mails.c.kind == kind, mails.c.due.is_not(None))
    return (await connection.execute(select(mails.c.id).where(same))).first() is not None


async def mails_due(connection: AsyncConnection, at: int, limit: int) -> list[MailRow]:
    """Mails whose time has come."""
    wanted = select(mails).where(mails.c.due <= at).order_by(mails.c.due).limit(limit)
    return await all_of(connection, MailRow, wanted)


async def claim_mail(connection: AsyncConnection, mail: int, due: int, until: int) -> bool:
    """Nobody else tries this mail until then; False where somebody else has claimed it."""
    mine = update(mails).where(mails.c.id == mail, mails.c.due == due)
    return (await connection.execute(mine.values(due=until))).rowcount == 1


async def settle_mail(connection: AsyncConnection, mail: int, **values: Any) -> None:
    """What became of a mail."""
    await connection.execute(update(mails).where(mails.c.id == mail).values(**values))


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
