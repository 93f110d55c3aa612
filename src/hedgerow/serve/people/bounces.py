"""Mails that come back: after several in a row an address is paused, and the person is told on the page."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.people.reply_addresses import ReplyAddresses
from hedgerow.serve.store import Store, mailbox, people
from hedgerow.serve.store.schema import now

TOLD = "Mails to {} came back, so none are sent there any more. Confirm the address again on your account's page."


class Bounces:
    """Whose mail came back, and what follows from it."""

    def __init__(self, store: Store, addresses: ReplyAddresses) -> None:
        self.store, self.addresses = store, addresses

    async def account_of(self, recipient: str) -> int | None:
        """The account whose mail came back to this address of ours; None where it is none of those."""
        if (mail := self.addresses.bounced(recipient)) is None:
            return None
        async with self.store.read() as connection:
            row = await mailbox.mail_row(connection, mail)
        return row.account if row else None

    async def came_back(self, recipient: str, connection: AsyncConnection) -> bool:
        """Writes down that the mail which was sent from this address of ours came back for good; whether it is new."""
        mail = self.addresses.bounced(recipient)
        return mail is not None and await record(connection, mail)


async def record(connection: AsyncConnection, mail: int) -> bool:
    """A mail came back, or was refused for good; its address is paused when it is one too many. Whether it is news."""
    at = now()
    row = await mailbox.mail_bounced(connection, mail, at)
    if row is None or row.account is None:
        return row is not None
    owner = await people.account_row(connection, row.account)
    if owner is None or owner.mail != row.address or owner.paused is not None:
        return True
    if await mailbox.last_bounces(connection, owner.id, row.address) >= mailbox.IN_A_ROW:
        await people.change(connection, owner.id, paused=at)
        await mailbox.add_notice(connection, owner.id, "mail", None, TOLD.format(row.address[:60]), at)
    return True
