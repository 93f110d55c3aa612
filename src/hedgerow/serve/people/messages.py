"""Messages between people, and from operators to everybody: a notice on the page, and a mail where they read mails.

Whoever has muted or blocked somebody gets nothing from them, and nobody is told so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.inputs import one_line
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.letters import body_of
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.people.names import keys_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import Store, broadcasts, mailbox, people, queries
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import AccountRow
from hedgerow.serve.store.schema import mutes, now

if TYPE_CHECKING:
    from hedgerow.serve.people.mail import Post

MOST = 10
"""How many people a message goes to at most."""
MAX_MESSAGE_CHARS = 10_000
EVERYBODY = "A message to everybody here"


def checked(text: str) -> str:
    """The text of a message; raises Refused where there is none, or too much."""
    text = body_of(text).strip()
    if not 1 <= len(text) <= MAX_MESSAGE_CHARS:
        raise Refused("bad_request", f"a message of {len(text)} characters; hint: write 1 to {MAX_MESSAGE_CHARS}")
    return text


class Messages:
    """Sending them, all or none."""

    def __init__(self, store: Store, limits: Limits, post: Post | None) -> None:
        self.store, self.limits, self.post = store, limits, post

    async def send(self, account: Account, names: Sequence[str], text: str, once: Once | None = None) -> list[str]:
        """Sends a text to people by name; what they are called."""
        text = checked(text)
        if account.kind == "guest":
            raise Refused("forbidden", "guests write to nobody; hint: sign up, it keeps your games")
        if len(names) > MOST:
            raise Refused("bad_request", f"a message to {len(names)} people; hint: at most {MOST}")
        async with self.store.read() as connection:
            found = {row.id: row for row in [await _named(connection, name) for name in names]}
        await self.limits.check_everywhere("mail_to", account.id, len(found))
        async with self.store.write() as connection:
            if once:
                await once.mark(connection)
            deaf = mutes.c.other == account.id, mutes.c.account.in_(found)
            unheard = set((await connection.execute(select(mutes.c.account).where(*deaf))).scalars())
            for row in found.values():
                if row.id not in unheard:
                    await self._tell(connection, row, f"{account.name} writes to you", text)
        return [row.name for row in found.values()]

    async def broadcast(self, account: Account, text: str, once: Once | None = None) -> int:
        """Sends a text to everybody with an account, for an operator; how many they are."""
        text, at = checked(text), now()
        async with self.store.write() as connection:
            if not await people.is_operator(connection, account.id):
                raise Refused("forbidden", "only operators write to everybody; hint: `message` writes to some")
            if once:
                await once.mark(connection)
            told = await broadcasts.tell_everybody(connection, "message", f"{EVERYBODY}: {one_line(text)}", at)
            if self.post:
                await broadcasts.mail_everybody(connection, "message", EVERYBODY, text, at)
        return told

    async def _tell(self, connection: AsyncConnection, row: AccountRow, subject: str, text: str) -> None:
        await mailbox.add_notice(connection, row.id, "message", None, f"{subject}: {one_line(text)}", now())
        if self.post and row.mail and row.confirmed and row.banned is None and row.paused is None:
            await self.post.send("message", row.mail, subject, text, account=row.id, connection=connection)


async def _named(connection: AsyncConnection, name: str) -> AccountRow:
    row = await queries.account_named(connection, keys_of(name))
    if row is None or row.banned is not None:
        raise Refused("not_found", f"nobody here is called {name!r:.42}; hint: `list` tells who plays here")
    return row
