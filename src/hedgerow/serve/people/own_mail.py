"""What people do about their mail: the address, which mails come, confirming it, and a new password by mail."""

from __future__ import annotations

from hedgerow.serve.people.accounts import Account, Accounts, digest
from hedgerow.serve.people.addresses import address
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.people.mail import Post
from hedgerow.serve.people.views import MailView
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import mailbox, people
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.schema import now
from hedgerow.serve.store.tokens import end_tokens


class OwnMail:
    """The addresses of accounts; a `post` is handed in where something is to be sent."""

    def __init__(self, accounts: Accounts, limits: Limits) -> None:
        self.accounts, self.limits, self.store = accounts, limits, accounts.store

    async def of(self, account: Account) -> MailView:
        """Somebody's address."""
        async with self.store.read() as connection:
            row = await people.account_row(connection, account.id)
        assert row is not None
        told = {"confirmed": row.confirmed is not None, "paused": row.paused is not None}
        return MailView(mail=row.mail, **told, turn_mails=row.turn_mails)

    async def change(
        self, account: Account, mail: str | None, turn_mails: bool, post: Post, once: Once | None = None
    ) -> MailView:
        """Another address, which gets a mail to confirm it, or other mails; how it is then."""
        before = await self.of(account)
        values: dict[str, object] = {"turn_mails": turn_mails}
        new = address(mail) if mail is not None and mail != before.mail else mail
        if new != before.mail:
            values |= {"mail": new, "confirmed": None, "paused": None, "by_mail": None}
            values["mail_key"] = None  # letters to the old address prove nothing any more
        ask = new is not None and (new != before.mail or not before.confirmed or before.paused)
        if ask:
            await self.limits.check_everywhere("mail", account.id)
        async with self.store.write() as connection:
            if once:
                await once.mark(connection)
            await people.change(connection, account.id, **values)
        if ask and new:
            await post.send_link("confirm", account.id, new)
        return await self.of(account)

    async def confirm(self, token: str) -> None:
        """An address is somebody's, who has read the mail to it; raises Refused where the link does not hold."""
        async with self.store.write() as connection:
            used = await people.use_one_time_token(connection, "confirm", digest(token), now())
            row = await people.account_row(connection, used.account) if used and used.account else None
            if used is None or row is None or row.mail != used.about:
                hint = "ask for another on your account's page"
                raise Refused("not_found", f"this link does not hold any more; hint: {hint}")
            await people.change(connection, row.id, confirmed=now(), paused=None)
            await mailbox.forget_bounces(connection, row.id)

    async def ask_reset(self, who: str, where: str, post: Post) -> None:
        """Sends a mail to choose a new password, if there is such an account; nobody learns whether there is."""
        await self.limits.check_everywhere("passwords", where)
        post.ask_reset(who)

    async def reset(self, token: str, password: str, where: str) -> None:
        """A new password with what was in a mail; every session and every token ends."""
        await self.limits.check_everywhere("passwords", where)
        async with self.store.read() as connection:
            known = await people.one_time_token(connection, "reset", digest(token), now())
            row = await people.account_row(connection, known.account) if known and known.account else None
        about = (row.name, row.mail) if row else ()
        kept = await self.accounts.hashing.hashed(password, *about, address=where)
        async with self.store.write() as connection:
            used = await people.use_one_time_token(connection, "reset", digest(token), now())
            if used is None or used.account is None:
                raise Refused("not_found", "this link does not hold any more; hint: ask for another")
            await people.change(connection, used.account, password=kept)
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
