"""Queries about push messages: the server's key, and the browsers that want them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert as insert_postgres
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.play import put
from hedgerow.serve.store.rows import PushRow, all_of
from hedgerow.serve.store.schema import meta, push_subscriptions, sessions

KEY = "vapid"
"""What the key is called in `meta`."""


async def key(connection: AsyncConnection) -> str | None:
    """The private key of this installation, if it has one."""
    found: str | None = (await connection.execute(select(meta.c.value).where(meta.c.name == KEY))).scalar()
    return found


async def keep_key(connection: AsyncConnection, made: str) -> None:
    """Keeps a key, unless there is one: it is made once."""
    dialect = insert_postgres if connection.dialect.name == "postgresql" else insert_sqlite
    await connection.execute(dialect(meta).values(name=KEY, value=made).on_conflict_do_nothing())


async def put_subscription(connection: AsyncConnection, session: str, values: dict[str, object]) -> bool:
    """The browser of a session wants push messages; False where there is no such session."""
    if (await connection.execute(select(sessions.c.token).where(sessions.c.token == session))).first() is None:
        return False
    await put(connection, push_subscriptions, {"session": session}, values)
    return True


async def drop_subscription(connection: AsyncConnection, session: str) -> None:
    """The browser of a session wants none any more."""
    await connection.execute(delete(push_subscriptions).where(push_subscriptions.c.session == session))


async def forget_subscriptions(connection: AsyncConnection, some: Sequence[int]) -> None:
    """These are no longer good for anything."""
    await connection.execute(delete(push_subscriptions).where(push_subscriptions.c.id.in_(some)))


async def subscriptions_of(connection: AsyncConnection, accounts: Sequence[int]) -> list[PushRow]:
    """Every browser of some accounts that wants push messages."""
    wanted = select(push_subscriptions).where(push_subscriptions.c.account.in_(accounts))
    return await all_of(connection, PushRow, wanted)


async def wants(connection: AsyncConnection, session: str) -> bool:
    """The browser of a session wants push messages."""
    mine = select(push_subscriptions.c.id).where(push_subscriptions.c.session == session)
    return (await connection.execute(mine)).first() is not None
