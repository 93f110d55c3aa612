"""Who may: what proves a sender, and who gets an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.commands.speaking import Sender
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.limits import mail_origin
from hedgerow.serve.post.answering import Reply
from hedgerow.serve.post.reading import Read
from hedgerow.serve.server import Server
from hedgerow.serve.store import inbox, people
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import AccountRow, LetterRow
from hedgerow.serve.store.schema import now

DAY = 86_400_000


async def sender_of(
    server: Server, row: LetterRow, found: Read, owners: Mapping[int, AccountRow] | None = None, fresh: bool = False
) -> Sender:
    """Whoever sent a letter, as far as the address that it was sent to proves; the From line proves nothing.

    `owners` are accounts as they are now, among them the one that the address names, for those who know.
    """
    tag = server.reply_addresses.tag(row.recipient)
    if tag and owners is None:
        async with server.store.read() as connection:
            owners = await people.account_rows(connection, [tag.account])
    owner = owners.get(tag.account) if tag and owners else None
    proven = tag is not None and owner is not None and server.reply_addresses.holds(tag, owner)
    account = Account(owner.id, owner.kind, owner.name) if owner and proven else None
    game = (tag.game or "") if tag and account else None
    once = Once(row.id, 0, fresh=fresh)
    where = f"account {account.id}" if account else mail_origin(found.sender, found.host)
    return Sender(by="mail", account=account, game=game, address=found.sender, where=where, once=once)


async def may_be_answered(connection: AsyncConnection, reply: Reply, found: Read, others: Sequence[Reply]) -> bool:
    """Whoever has proven who they are is answered; at any other address somebody gets one answer a day.

    `others` are answered in this moment.
    """
    if not reply.address:
        return False
    if reply.proven:
        return True
    if found.forged or any(not other.proven and other.address.lower() == reply.address.lower() for other in others):
        return False
    return not await inbox.answered_since(connection, reply.address, now() - DAY)
