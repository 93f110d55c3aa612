"""Who may: what proves a sender, and who gets an answer."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.commands.speaking import Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.post.answering import Reply
from hedgerow.serve.post.reading import Read
from hedgerow.serve.server import Server
from hedgerow.serve.store import inbox, people
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import LetterRow
from hedgerow.serve.store.schema import now

DAY = 86_400_000
WHERE = "mail"
"""What limits count mails by, all together: whatever a mail says of where it comes from may be made up."""


async def sender_of(server: Server, row: LetterRow, found: Read) -> Sender:
    """Whoever sent a letter, as far as the address that it was sent to proves; the From line proves nothing."""
    proof = await server.reply_addresses.read(row.recipient)
    account = await _account(server, proof[0]) if proof else None
    game = proof[1] if proof and account else None
    return Sender(by="mail", account=account, game=game, address=found.sender, where=WHERE, once=Once(row.id, 0))


async def _account(server: Server, number: int) -> Account | None:
    async with server.store.read() as connection:
        row = await people.account_row(connection, number)
    return Account(row.id, row.kind, row.name) if row is not None and row.banned is None else None


async def may_be_answered(connection: AsyncConnection, reply: Reply, found: Read) -> bool:
    """Whoever has proven who they are is answered; at any other address somebody gets one answer a day."""
    if not reply.address:
        return False
    if reply.proven:
        return True
    return not found.forged and not await inbox.answered_since(connection, reply.address, now() - DAY)
