"""What the database is asked for the list of people."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.rows import AccountRow, all_of
from hedgerow.serve.store.schema import accounts


async def lately_here(connection: AsyncConnection, kinds: Sequence[str], limit: int) -> list[AccountRow]:
    """Accounts of these kinds that were here last, the latest first."""
    found: list[AccountRow] = []
    for kind in kinds:
        wanted = select(accounts).where(accounts.c.kind == kind, accounts.c.banned.is_(None))
        found += await all_of(connection, AccountRow, wanted.order_by(accounts.c.seen.desc()).limit(limit))
    return sorted(found, key=lambda row: -row.seen)[:limit]
