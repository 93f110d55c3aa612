"""Queries about chat, reports, mutes and blocks."""

from __future__ import annotations

from sqlalchemy import and_, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.prepared import Prepared, Question, Value
from hedgerow.serve.store.rows import ChatRow, MessageRow, MuteRow, ReportRow, all_of, first_of
from hedgerow.serve.store.schema import accounts, chat, mutes, reports


async def add_message(connection: AsyncConnection, **values: object) -> int:
    """A message; its number."""
    number: int = (await connection.execute(insert(chat).values(**values).returning(chat.c.id))).scalar_one()
    return number


@Prepared
def _messages(game: Value, room: Value, reader: Value, after: Value, limit: Value) -> Question:
    muted = select(mutes.c.other).where(mutes.c.account == reader)
    wanted = select(chat, accounts.c.name, accounts.c.kind).join(accounts, accounts.c.id == chat.c.account)
    wanted = wanted.where(chat.c.game == game, chat.c.room == room, chat.c.id > after, chat.c.account.not_in(muted))
    return wanted.order_by(chat.c.id.desc()).limit(limit)


async def messages(
    connection: AsyncConnection, game: str, room: str, reader: int | None, after: int, limit: int
) -> list[MessageRow]:
    """What was said in a room after a message, without those whom the reader does not want to hear; the latest ones."""
    values = {"game": game, "room": room, "reader": reader, "after": after, "limit": limit}
    return list(reversed(await _messages.rows(connection, MessageRow, **values)))


async def message_row(connection: AsyncConnection, number: int) -> ChatRow | None:
    """One message."""
    return await first_of(connection, ChatRow, select(chat).where(chat.c.id == number))


async def put_report(connection: AsyncConnection, message: int, account: int, reason: str, at: int) -> None:
    """Somebody reports a message; once, with the reason last given."""
    await put(connection, reports, {"chat": message, "account": account}, {"reason": reason, "at": at})


async def open_reports(connection: AsyncConnection, every: bool = False) -> list[ReportRow]:
    """Reports that no operator has seen to, or all, with what was said, by whom, and who minds."""
    by, minds = accounts.alias("by"), accounts.alias("minds")
    said = (chat.c.game, chat.c.room, chat.c.text, chat.c.at.label("said"), chat.c.account.label("by"))
    joined = select(reports, *said, by.c.name.label("by_name"), minds.c.name.label("name"))
    joined = joined.join(chat, chat.c.id == reports.c.chat).join(by, by.c.id == chat.c.account)
    joined = joined.join(minds, minds.c.id == reports.c.account)
    if not every:
        joined = joined.where(reports.c.done.is_(None))
    return await all_of(connection, ReportRow, joined.order_by(reports.c.id))


async def settle_report(connection: AsyncConnection, number: int, at: int) -> bool:
    """An operator has seen to a report; False where there is none, or somebody did before."""
    mine = update(reports).where(reports.c.id == number, reports.c.done.is_(None))
    return (await connection.execute(mine.values(done=at))).rowcount == 1


@Prepared
def _mute_rows(account: Value) -> Question:
    joined = select(mutes, accounts.c.name).join(accounts, accounts.c.id == mutes.c.other)
    return joined.where(mutes.c.account == account).order_by(mutes.c.at)


async def mute_rows(connection: AsyncConnection, account: int) -> list[MuteRow]:
    """Whom somebody does not want to hear."""
    return await _mute_rows.rows(connection, MuteRow, account=account)


async def put_mute(connection: AsyncConnection, account: int, other: int, kind: str, at: int) -> None:
    """Mutes or blocks somebody."""
    await put(connection, mutes, {"account": account, "other": other}, {"kind": kind, "at": at})


async def drop_mute(connection: AsyncConnection, account: int, other: int) -> None:
    """Hears them again."""
    pair = and_(mutes.c.account == account, mutes.c.other == other)
    await connection.execute(delete(mutes).where(pair))


async def is_account(connection: AsyncConnection, number: int) -> bool:
    """There is such an account."""
    return (await connection.execute(select(accounts.c.id).where(accounts.c.id == number))).first() is not None
