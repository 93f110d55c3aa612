"""Queries about access tokens."""

from __future__ import annotations

from sqlalchemy import and_, delete, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.rows import AccountRow, TokenOwnerRow, TokenRow, all_of, first_of
from hedgerow.serve.store.schema import accounts, games, seats, tokens


async def add_token(connection: AsyncConnection, **values: object) -> int:
    """A new token; its number."""
    number: int = (await connection.execute(insert(tokens).values(**values).returning(tokens.c.id))).scalar_one()
    return number


async def account_of_token(connection: AsyncConnection, token: str) -> TokenOwnerRow | None:
    """Whose token this is, when it was last used and whether it plays, unless its owner is banned."""
    joined = select(accounts, tokens.c.used, tokens.c.plays).join(tokens, tokens.c.account == accounts.c.id)
    return await first_of(connection, TokenOwnerRow, joined.where(tokens.c.token == token, accounts.c.banned.is_(None)))


async def used(connection: AsyncConnection, account: int, token: str, at: int) -> None:
    """A token was used, so its owner was here."""
    await connection.execute(update(tokens).where(tokens.c.token == token).values(used=at))
    await connection.execute(update(accounts).where(accounts.c.id == account).values(seen=at))


async def tokens_of(connection: AsyncConnection, account: int) -> list[TokenRow]:
    """An account's tokens, the latest first."""
    return await all_of(
        connection, TokenRow, select(tokens).where(tokens.c.account == account).order_by(tokens.c.id.desc())
    )


async def lock_account(connection: AsyncConnection, account: int) -> AccountRow | None:
    """An account whose row nobody else changes until the transaction ends."""
    return await first_of(connection, AccountRow, select(accounts).where(accounts.c.id == account).with_for_update())


async def count_tokens(connection: AsyncConnection, account: int) -> int:
    """How many tokens an account has."""
    wanted = select(func.count()).select_from(tokens).where(tokens.c.account == account)
    number: int = (await connection.execute(wanted)).scalar_one()
    return number


async def end_tokens(connection: AsyncConnection, account: int, number: int | None = None) -> list[str]:
    """Ends an account's tokens, all or that one; returns what was kept of them."""
    ends = tokens.c.account == account
    if number is not None:
        ends = and_(ends, tokens.c.id == number)
    return list((await connection.execute(delete(tokens).where(ends).returning(tokens.c.token))).scalars())


async def has_played(connection: AsyncConnection, account: int) -> bool:
    """The account sits in a game that has begun, or that waits for others."""
    counts = or_(games.c.begun.is_not(None), games.c.state == "open")
    found = exists().where(seats.c.account == account, games.c.id == seats.c.game, counts)
    return bool((await connection.execute(select(found))).scalar_one())
