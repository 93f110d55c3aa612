"""What the database is asked about mail words, with which people give commands by mail."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.schema import mail_words


async def kept_word(connection: AsyncConnection, account: int) -> str | None:
    """What is kept of an account's mail word, if it has one."""
    wanted = select(mail_words.c.hash).where(mail_words.c.account == account)
    found: str | None = (await connection.execute(wanted)).scalar_one_or_none()
    return found


async def made(connection: AsyncConnection, account: int) -> int | None:
    """When an account's mail word was made, if it has one."""
    wanted = select(mail_words.c.created).where(mail_words.c.account == account)
    found: int | None = (await connection.execute(wanted)).scalar_one_or_none()
    return found


async def put_word(connection: AsyncConnection, account: int, kept: str, at: int) -> None:
    """A mail word, instead of the one before."""
    await put(connection, mail_words, {"account": account}, {"hash": kept, "created": at})


async def drop_word(connection: AsyncConnection, account: int) -> bool:
    """No mail word any more; False where there was none."""
    return bool((await connection.execute(delete(mail_words).where(mail_words.c.account == account))).rowcount)
