"""What people do about their mail: the address, which mails come, confirming it, and a new password by mail."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.people.accounts import Account, Accounts, digest
from hedgerow.serve.people.addresses import address
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.people.mail import Post
from hedgerow.serve.people.views import MailView
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import mailbox, people
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import AccountRow
from hedgerow.serve.store.schema import now
from hedgerow.serve.store.tokens import end_tokens, lock_account

ANEW: dict[str, object] = {"paused": None, "by_mail": None, "mail_key": None}
"""What begins anew with another address: letters to the old one prove nothing any more."""


class OwnMail:
    """The addresses of accounts; a `post` is handed in where something is to be sent."""

    def __init__(self, accounts: Accounts, limits: Limits) -> None:
        self.accounts, self.limits, self.store = accounts, limits, accounts.store

    async def of(self, account: Account) -> MailView:
        """Somebody's address."""
        async with self.store.read() as connection:
            row = await people.account_row(connection, account.id)
            asked = await people.about_waiting(connection, "confirm", account.id, now())
        assert row is not None
        told = {"confirmed": row.confirmed is not None, "paused": row.paused is not None}
        return MailView(mail=row.mail, **told, waiting=asked if asked != row.mail else None, turn_mails=row.turn_mails)

    async def change(
        self, account: Account, mail: str | None, turn_mails: bool, post: Post, once: Once | None = None
    ) -> MailView:
        """Another address, which is used when it is confirmed, or other mails; how it is then.

        An address that is confirmed is told before another takes its place.
        """
        before = await self.of(account)
        new = address(mail) if mail is not None and mail not in (before.mail, before.waiting) else mail
        ask = new is not None and (new != before.mail or not before.confirmed or before.paused)
        if ask:
            await self.limits.check_everywhere("mail", account.id)
        async with self.store.write() as connection:
            if once:
                await once.mark(connection)
            row = await lock_account(connection, account.id)
            assert row is not None
            await people.change(connection, row.id, turn_mails=turn_mails)
            if new != row.mail:
                await self._move(connection, row, new, post)
            elif before.waiting:
                await people.void_links(connection, row.id, ["confirm"])
            if ask and new:
                await post.queue_link(connection, "confirm", row.id, new)
        return await self.of(account)

    async def _move(self, connection: AsyncConnection, row: AccountRow, new: str | None, post: Post) -> None:
        """Another address, or none; one that is confirmed stays until the new one is."""
        await people.void_links(connection, row.id, ["reset"])
        known = await people.about_waiting(connection, "confirm", row.id, now())
        if row.confirmed and (new is None or new != known):
            await post.tell_move(connection, row, new)
        if new is None or not row.confirmed:
            await people.change(connection, row.id, mail=new, confirmed=None, **ANEW)

    async def confirm(self, token: str) -> None:
        """An address is somebody's, who has read the mail to it; raises Refused where the link does not hold."""
        async with self.store.write() as connection:
            used = await people.use_one_time_token(connection, "confirm", digest(token), now())
            row = await lock_account(connection, used.account) if used and used.account else None
            if used is None or row is None:
                hint = "ask for another on your account's page"
                raise Refused("not_found", f"this link does not hold any more; hint: {hint}")
            if row.mail != used.about:
                await people.change(connection, row.id, mail=used.about, **ANEW)
            await people.change(connection, row.id, confirmed=now(), paused=None)
            await mailbox.forget_bounces(connection, row.id)

    async def ask_reset(self, who: str, where: str, post: Post) -> None:
        """Sends a mail to choose a new password, if there is such an account; nobody learns whether there is."""
        await self.limits.check_everywhere("passwords", where)
        post.ask_reset(who)

    async def reset(self, token: str, password: str, where: str) -> None:
        """A new password with what was in a mail; every session and every token ends, and the address stays."""
        await self.limits.check_everywhere("passwords", where)
        async with self.store.read() as connection:
            known = await people.one_time_token(connection, "reset", digest(token), now())
            row = await people.account_row(connection, known.account) if known and known.account else None
        kept = await self.accounts.hashed(row, password, where)
        async with self.store.write() as connection:
            used = await people.use_one_time_token(connection, "reset", digest(token), now())
            if used is None or used.account is None:
                raise Refused("not_found", "this link does not hold any more; hint: ask for another")
            await people.change(connection, used.account, password=kept)
            await people.void_links(connection, used.account, ["confirm"])  # another address that a thief asked for
            ended = await people.end_sessions(connection, used.account)
            ended += await end_tokens(connection, used.account)
        self.accounts.end(ended)

    async def end_turn_mails(self, key: str) -> None:
        """No more mails about turns, for whoever has this key."""
        async with self.store.write() as connection:
            row = await mailbox.account_of_key(connection, key) if len(key) >= 20 else None
            if row is None:
                raise Refused("not_found", "this link does not hold; hint: your account's page has a switch, too")
            await people.change(connection, row.id, turn_mails=False)
