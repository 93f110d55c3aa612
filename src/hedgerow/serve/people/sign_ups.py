"""Signing up by mail: nothing is there until a mail to the address was answered, or its link followed.

The account has a mail word and no password; with its address, which is confirmed, its owner can choose one on the page.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy.exc import IntegrityError

from hedgerow.serve.people.accounts import Account, Accounts, digest
from hedgerow.serve.people.addresses import address
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.people.mail_words import MailWords
from hedgerow.serve.people.names import keys_of, named, skeleton_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import mail_words, people, queries
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.schema import now

if TYPE_CHECKING:
    from hedgerow.serve.people.mail import Post


class Wanted(msgspec.Struct):
    """The account that somebody asks for, and what is kept of its mail word."""

    name: str
    mail: str
    word: str


decode = msgspec.json.Decoder(Wanted).decode


def taken(name: str) -> Refused:
    """The refusal of a name that somebody has."""
    return Refused("taken", f"the name {name!r:.42} is taken, or looks like one that is; hint: choose another")


class SignUps:
    """Asking for an account by mail, and getting it."""

    def __init__(self, accounts: Accounts, words: MailWords, limits: Limits, post: Post | None) -> None:
        self.accounts, self.words, self.limits, self.post = accounts, words, limits, post
        self.store = accounts.store

    async def ask(self, name: str, word: str, mail: str, where: str, once: Once | None = None) -> str:
        """Sends a mail to the address, with which the account is made; the address as it is kept."""
        if self.post is None:
            raise Refused("forbidden", "no mail goes out from here; hint: sign up on the page")
        if self.accounts.registration != "open":
            raise Refused("forbidden", "new accounts are not open to all here; hint: ask whoever runs this server")
        name, kept = named(name), address(mail)

        async def admit() -> None:
            await self.limits.check_origin("sign_up", where)
            await self.limits.check_everywhere("mail", kept.lower())
            async with self.store.read() as connection:
                if await queries.account_named(connection, keys_of(name)):
                    raise taken(name)

        wanted = Wanted(name, kept, await self.words.hashed(word, name, kept, where=where, admit=admit))
        async with self.store.write() as connection:
            if once:
                await once.mark(connection)
            await self.post.send_signup(connection, kept, msgspec.json.encode(wanted).decode())
        return kept

    async def confirm(self, token: str, once: Once | None = None) -> Account:
        """The account, made now that somebody has read the mail; raises Refused where the link does not hold."""
        at = now()
        try:
            async with self.store.write() as connection:
                used = await people.use_one_time_token(connection, "signup", digest(token), at)
                if used is None:
                    raise Refused("not_found", "this sign-up does not hold any more; hint: sign up again")
                wanted = decode(used.about)
                if await queries.account_named(connection, keys_of(wanted.name)):
                    raise taken(wanted.name)
                values = {"kind": "person", "name": wanted.name, "folded": skeleton_of(wanted.name), "created": at}
                values |= {"mail": wanted.mail, "confirmed": at, "seen": at, "mail_key": secrets.token_urlsafe(24)[:32]}
                number = await queries.add_account(connection, **values)
                await mail_words.put_word(connection, number, wanted.word, at)
                if once:
                    await once.mark(connection, f"{number} {wanted.name}")
        except IntegrityError:
            raise taken(wanted.name) from None
        return Account(number, "person", wanted.name)
