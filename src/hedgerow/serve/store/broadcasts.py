"""What the database is told when somebody writes to everybody: one statement each for notices and mails."""

from __future__ import annotations

from sqlalchemy import BigInteger, ColumnElement, and_, insert, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.store.schema import accounts, mails, notices


def _everybody() -> ColumnElement[bool]:
    return and_(accounts.c.kind == "person", accounts.c.banned.is_(None))


async def tell_everybody(connection: AsyncConnection, kind: str, text: str, at: int) -> int:
    """A notice for every person; how many they are."""
    rows = select(accounts.c.id, literal(kind), literal(text[:200]), literal(at, BigInteger)).where(_everybody())
    done = await connection.execute(insert(notices).from_select(["account", "kind", "text", "created"], rows))
    return done.rowcount


async def mail_everybody(connection: AsyncConnection, kind: str, subject: str, body: str, at: int) -> int:
    """A mail to every person who has confirmed an address and reads it; how many they are."""
    reads = and_(accounts.c.mail.is_not(None), accounts.c.confirmed.is_not(None), accounts.c.paused.is_(None))
    said = (literal(kind), accounts.c.mail, literal(subject), literal(body))
    when = (literal(at, BigInteger), literal(at, BigInteger), literal(0))
    columns = ["account", "kind", "address", "subject", "body", "created", "due", "tries"]
    rows = select(accounts.c.id, *said, *when).where(_everybody(), reads)
    return (await connection.execute(insert(mails).from_select(columns, rows))).rowcount
