"""What the database is asked about what people say: chat, reports, and whom somebody does not want to hear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.queries import AnyRow
from hedgerow.serve.store.schema import accounts, chat, reports, silences


async def add_message(connection: AsyncConnection, **values: Any) -> int:
    """A message; its number."""
    number: int = (await connection.execute(insert(chat).values(**values).returning(chat.c.id))).scalar_one()
    return number


async def messages(
    connection: AsyncConnection, game: str, room: str, reader: int | None, after: int, limit: int
) -> Sequence[AnyRow]:
    """What was said in a room after a message, without those whom the reader does not want to hear; the latest ones."""
    silent = select(silences.c.other).where(silences.c.account == reader)
    wanted = select(chat, accounts.c.name, accounts.c.kind).join(accounts, accounts.c.id == chat.c.account)
    wanted = wanted.where(chat.c.game == game, chat.c.room == room, chat.c.id > after)
    if reader is not None:
        wanted = wanted.where(chat.c.account.not_in(silent))
    found = (await connection.execute(wanted.order_by(chat.c.id.desc()).limit(limit))).all()
    return list(reversed(found))


async def message_row(connection: AsyncConnection, number: int) -> AnyRow | None:
    """One message."""
    return (await connection.execute(select(chat).where(chat.c.id == number))).first()


async def put_report(connection: AsyncConnection, message: int, account: int, reason: str, at: int) -> None:
    """Somebody reports a message; once, with the reason last given."""
    await put(connection, reports, {"chat": message, "account": account}, {"reason": reason, "at": at})


async def open_reports(connection: AsyncConnection, every: bool = False) -> Sequence[AnyRow]:
    """Reports that no operator has seen to, or all, with what was said, by whom, and who minds."""
    by, minds = accounts.alias("by"), accounts.alias("minds")
    said = (chat.c.game, chat.c.room, chat.c.text, chat.c.at.label("said"), chat.c.account.label("by"))
    joined = select(reports, *said, by.c.name.label("by_name"), minds.c.name.label("name"))
    joined = joined.join(chat, chat.c.id == reports.c.chat).join(by, by.c.id == chat.c.account)
    joined = joined.join(minds, minds.c.id == reports.c.account)
    if not every:
        joined = joined.where(reports.c.done.is_(None))
    return (await connection.execute(joined.order_by(reports.c.id))).all()


async def settle_report(connection: AsyncConnection, number: int, at: int) -> bool:
    """An operator has seen to a report; False where there is none, or somebody did before."""
    mine = update(reports).where(reports.c.id == number, reports.c.done.is_(None))
    return (await connection.execute(mine.values(done=at))).rowcount == 1


async def silence_rows(connection: AsyncConnection, account: int) -> Sequence[AnyRow]:
    """Whom somebody does not want to hear."""
    joined = select(silences, accounts.c.name).join(accounts, accounts.c.id == silences.c.other)
    return (await connection.execute(joined.where(silences.c.account == account).order_by(silences.c.at))).all()


async def put_silence(connection: AsyncConnection, account: int, other: int, kind: str, at: int) -> None:
    """Mutes or blocks somebody."""
    await put(connection, silences, {"account": account, "other": other}, {"kind": kind, "at": at})


async def drop_silence(connection: AsyncConnection, account: int, other: int) -> None:
    """Hears them again."""
    pair = and_(silences.c.account == account, silences.c.other == other)
    await connection.execute(delete(silences).where(pair))


async def is_account(connection: AsyncConnection, number: int) -> bool:
    """There is such an account."""
    return (await connection.execute(select(accounts.c.id).where(accounts.c.id == number))).first() is not None
