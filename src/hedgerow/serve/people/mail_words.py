"""Mail words: with one of them somebody gives commands by mail, where a password would be read by every mail server.

A mail word is worth nothing elsewhere: it opens no session, and it is never the account's own password. It is kept as
passwords are. A word that was proven is known again by a keyed digest as long as what is kept of it is the same: then
it costs a look into the database, and no Argon2.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.people.accounts import Account, Accounts
from hedgerow.serve.people.hashing import Admit, nobody_refused
from hedgerow.serve.people.limits import Busy, Limits
from hedgerow.serve.people.names import keys_of, skeleton_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import mail_words, people, queries
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import AccountRow
from hedgerow.serve.store.schema import now

LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
REMEMBERED = 20_000


class Proven(NamedTuple):
    """A word that was right: what was kept of it, and its keyed digest."""

    kept: str
    digest: bytes


def new_word() -> str:
    """A word that nobody guesses, in groups that are easily typed: twelve letters, 59 bits."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(12))
    return "-".join((letters[:4], letters[4:8], letters[8:]))


class MailWords:
    """Making mail words, proving who somebody is by one, and revoking them."""

    def __init__(self, accounts: Accounts, limits: Limits) -> None:
        self.accounts, self.limits, self.store = accounts, limits, accounts.store
        self._key = secrets.token_bytes(32)
        self._proven: OrderedDict[int, Proven] = OrderedDict()

    async def prove(self, name: str, word: str, where: str) -> Account:
        """The account of that name, if this is its mail word; the same refusal for a wrong name and a wrong word."""

        async def ask(connection: AsyncConnection) -> tuple[AccountRow | None, str | None]:
            row = await queries.account_named(connection, keys_of(name))
            return row, await mail_words.kept_word(connection, row.id) if row else None

        row, kept = await self.store.together(ask)
        if not (row and kept and self._known(row.id, kept, word)):

            async def admit() -> None:
                await self.limits.check_origin("mail_words", where)
                await self.limits.check_origin("mail_word", where, skeleton_of(name))

            right = await self.accounts.hashing.fits(kept, word, where, admit)
            if row is None or kept is None or not right:
                hint = "your account's page makes a new mail word; it is not the password"
                raise Refused("signed_out", f"the name or the mail word is wrong; hint: {hint}")
            self._remember(row.id, Proven(kept, self._digest(word)))
        if row.banned is not None:
            raise Refused("banned", "this account is banned; hint: ask whoever runs this server")
        return Account(row.id, row.kind, row.name)

    async def prove_any(self, pairs: Sequence[tuple[str, str]], where: str) -> int | None:
        """The account of the first name and word that belong together; nobody's word is tried who is not named.

        Raises Busy where there is no room to try one.
        """
        for name, word in pairs:
            async with self.store.read() as connection:
                row = await queries.account_named(connection, keys_of(name))
                kept = await mail_words.kept_word(connection, row.id) if row else None
            try:
                if kept is not None:
                    return (await self.prove(name, word, where)).id
            except Busy:
                raise
            except Refused:
                continue
        return None

    def _digest(self, word: str) -> bytes:
        return hmac.digest(self._key, word.encode("utf-8", "surrogatepass"), hashlib.sha256)

    def _known(self, account: int, kept: str, word: str) -> bool:
        """It is the word that was proven before, and no other has been chosen since."""
        proven = self._proven.get(account)
        return bool(proven and proven.kept == kept and hmac.compare_digest(proven.digest, self._digest(word)))

    def _remember(self, account: int, proven: Proven) -> None:
        self._proven[account] = proven
        while len(self._proven) > REMEMBERED:
            self._proven.popitem(last=False)

    async def made(self, account: int) -> int | None:
        """When an account's word was made, if it has one."""
        async with self.store.read() as connection:
            return await mail_words.made(connection, account)

    async def make(self, account: int, where: str = "", once: Once | None = None) -> str:
        """A new word instead of the one before; nobody can read it again."""
        word = new_word()
        await self.set(account, word, where, once)
        return word

    async def set(self, account: int, word: str, where: str = "", once: Once | None = None) -> None:
        """A word that somebody has chosen, instead of the one before."""
        async with self.store.read() as connection:
            row = await people.account_row(connection, account)
        if row is None or row.folded is None:
            raise Refused("forbidden", "only accounts with a name have a mail word; hint: sign up first")
        kept = await self.hashed(word, row.name, row.mail, where=where)
        if row.password and await self.accounts.hashing.fits(row.password, word, where):
            why = "mail is read by others on its way"
            raise Refused("bad_request", f"a mail word that is your password; hint: choose another, {why}")
        async with self.store.write() as connection:
            if once:
                await once.mark(connection)
            await mail_words.put_word(connection, account, kept, now())
        self._remember(account, Proven(kept, self._digest(word)))

    async def hashed(self, word: str, *about: str | None, where: str = "", admit: Admit = nobody_refused) -> str:
        """What is kept of a word; raises Refused where it is no single word, or easily guessed from `about`."""
        if word.split() != [word]:
            raise Refused("bad_request", "a mail word with a space; hint: letters, digits and signs in one word")
        return await self.accounts.hashing.hashed(word, *about, address=where, admit=admit)

    async def revoke(self, account: int) -> bool:
        """No word proves anything for this account any more; False where it had none."""
        async with self.store.write() as connection:
            return await mail_words.drop_word(connection, account)
