"""What people do about their accounts, whichever way they ask: guests, signing up and in, passwords, sessions."""

from __future__ import annotations

from typing import NamedTuple

from hedgerow.serve.people.accounts import Account, Accounts, digest
from hedgerow.serve.people.addresses import address
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.people.mail import Post
from hedgerow.serve.people.names import skeleton_of
from hedgerow.serve.people.views import SessionView
from hedgerow.serve.refusals import Refused

SHOWN = 16
"""How many letters of a session's digest name it."""


class Client(NamedTuple):
    """Where a request comes from: its address as it is counted, the device in words, and the session's token."""

    address: str
    device: str
    token: str | None


class Members:
    """Accounts within their limits; `guests` says whether people may play without one."""

    def __init__(self, accounts: Accounts, limits: Limits, post: Post | None, guests: bool) -> None:
        self.accounts, self.limits, self.post, self.guests = accounts, limits, post, guests

    async def new_guest(self, client: Client) -> tuple[Account, str]:
        """A new guest and its token; raises Refused where guests may not play."""
        if not self.guests:
            raise Refused("signed_out", "nobody plays here without an account; hint: sign in")
        await self.limits.check_everywhere("guest", client.address)
        return await self.accounts.guest(client.device)

    async def sign_up(
        self, name: str, password: str, mail: str | None, invitation: str | None, guest: Account | None, client: Client
    ) -> tuple[Account, str]:
        """A new account and its token; a guest keeps the games, and an address gets a mail to confirm it."""
        await self.limits.check_everywhere("sign_up", client.address)
        mail = address(mail) if mail is not None else None
        made, token = await self.accounts.sign_up(
            name, password, mail, guest, invitation, client.device, client.address
        )
        if mail and self.post:
            await self.post.send_link("confirm", made.id, mail)
        return made, token

    async def sign_in(self, name: str, password: str, client: Client) -> tuple[Account, str]:
        """The account of that name and the token of a new session."""
        await self._try_password(name, client)
        return await self.accounts.sign_in(name, password, client.device, client.address)

    async def _try_password(self, name: str, client: Client) -> None:
        """Raises TooMany where an address has tried too many passwords for a name, or for too many names."""
        await self.limits.check_everywhere("passwords", client.address)
        await self.limits.check_everywhere("password", f"{client.address} {skeleton_of(name)}")

    async def check_password(self, account: Account, password: str, client: Client) -> None:
        """Raises Refused unless this is the account's password."""
        await self._try_password(account.name, client)
        await self.accounts.check(account.id, password, client.address)

    async def change_password(self, account: Account, old: str, new: str, client: Client) -> None:
        """A new password; every other session ends."""
        await self.check_password(account, old, client)
        await self.accounts.new_password(account.id, new, client.token, client.address)

    async def sessions(self, account: Account, client: Client) -> list[SessionView]:
        """Where somebody is signed in."""
        here = digest(client.token or "")
        return [
            SessionView(
                id=row.token[:SHOWN],
                device=row.device or "something unknown",
                created=row.created,
                seen=row.seen,
                this=row.token == here,
            )
            for row in await self.accounts.sessions(account.id)
        ]

    async def end_session(self, account: Account, session: str) -> int:
        """Ends a session of somebody's; its websockets close. How many were ended."""
        ended = await self.accounts.end_sessions(account.id, beginning=session)
        if not ended:
            raise Refused("not_found", f"no session {session!r} of yours; hint: ask for the list again")
        return ended
