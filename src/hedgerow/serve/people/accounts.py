"""Accounts: guests at once, people by name and password, and the sessions and tokens that say who somebody is."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import msgspec
from sqlalchemy import insert, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.bus.local import Bus, LocalBus, Message
from hedgerow.serve.people.hashing import Hashing
from hedgerow.serve.people.names import keys_of, named, skeleton_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import Store, mail_words, people, queries
from hedgerow.serve.store import tokens as kept_tokens
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.rows import AccountRow, SessionRow, TokenOwnerRow
from hedgerow.serve.store.schema import accounts, now, sessions

LASTS = 365 * 86_400_000
"""How long a session holds, in milliseconds."""
FRESH = 30_000
"""For how long a session once looked up is believed, in milliseconds."""
REMEMBERED = 20_000
SEEN = 3_600_000
"""How often it is written down that somebody was here, in milliseconds."""
USED = 60_000
"""How often it is written down that a token was used, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who somebody is."""

    id: int
    kind: str
    name: str
    by_token: bool = False
    """It is a program of theirs that asks, with a personal access token."""
    plays: bool = False
    """That token lets a person play in a terminal."""

    @property
    def bot(self) -> bool:
        """A program plays for it."""
        return self.kind in BOTS


BOTS = ("bot", "machine")
"""The kinds of accounts that programs play for."""
ACCESS = "hgt_"
"""How a personal access token begins; it is longer than any session's."""
SESSION_LENGTH = 43


def is_access(token: str) -> bool:
    """It is a personal access token, and no session's."""
    return token.startswith(ACCESS) and len(token) > SESSION_LENGTH


def digest(token: str) -> str:
    """What the database keeps of a token: enough to know it again, not enough to use it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Ending(msgspec.Struct):
    """What processes tell each other: sessions and tokens that are over, an account that is to be looked up anew."""

    sessions: list[str] = []
    account: int | None = None


ENDS = "people/ended"
"""Where it is told."""
decode = msgspec.json.Decoder(Ending).decode


def ending(sessions: Iterable[str] = (), account: int | None = None) -> Message:
    """The message that they have ended."""
    return Message(msgspec.json.encode(Ending(list(sessions), account)).decode())


SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux")
BROWSERS = ("Firefox", "Edg", "OPR", "SamsungBrowser", "Chrome", "Safari")


def device_of(agent: str) -> str:
    """What somebody's browser is, in words enough to know it again.

    >>> device_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox, Linux'
    """
    browser = next((word for word in BROWSERS if word in agent), agent.split("/")[0].strip()[:30])
    system = next((word for word in SYSTEMS if word in agent), "")
    return ", ".join(word for word in (browser, system) if word) or "something unknown"


def batches(items: list[str], size: int) -> list[list[str]]:
    """The same in lists that a query can take."""
    return [items[start : start + size] for start in range(0, len(items), size)]


class Accounts:
    """Makes accounts and finds those of sessions and tokens; `after_end` is called with the sessions that end."""

    def __init__(self, store: Store, registration: str = "open", bus: Bus | None = None) -> None:
        self.store = store
        self.registration = registration
        self._bus = bus or LocalBus()
        self._bus.subscribe(ENDS, self._hear)
        self._over: OrderedDict[str, None] = OrderedDict()
        """Sessions that have just ended: one that was being looked up meanwhile is not believed."""
        self.after_end: list[Callable[[Iterable[str]], None]] = []
        self.hashing = Hashing()
        self._known: OrderedDict[str, tuple[int, Account]] = OrderedDict()

    async def of(self, token: str | None, anew: bool = False) -> Account | None:
        """Whose session or access token this is, or None; looked up `anew` whatever is remembered."""
        if not token or len(token) > 100:
            return None
        key, at = digest(token), now()
        if not anew and (known := self._known.get(key)) and known[0] > at:
            return known[1]
        row = await (self._of_token if is_access(token) else self._of_session)(key, at)
        if row is None or key in self._over:
            self._known.pop(key, None)
            return None
        return self._remember(key, row)

    async def _of_session(self, key: str, at: int) -> AccountRow | None:
        async with self.store.read() as connection:
            row = await queries.account_of_session(connection, key, at)
        if row is not None and at - row.seen > SEEN:
            async with self.store.write() as connection:
                await people.seen(connection, row.id, key, at)
        return row

    async def _of_token(self, key: str, at: int) -> TokenOwnerRow | None:
        async with self.store.read() as connection:
            row = await kept_tokens.account_of_token(connection, key)
        if row is not None and at - (row.used or 0) > USED:
            async with self.store.write() as connection:
                await kept_tokens.used(connection, row.id, key, at)
        return row

    def look_anew(self, account: int) -> None:
        """Something about an account has changed: nothing that is remembered of it holds, in any process."""
        self._bus.publish(ENDS, ending(account=account))

    def _look_anew(self, account: int) -> None:
        for key in [key for key, (_, known) in self._known.items() if known.id == account]:
            del self._known[key]

    def _remember(self, key: str, row: AccountRow | TokenOwnerRow) -> Account:
        plays = isinstance(row, TokenOwnerRow) and row.plays
        account = Account(row.id, row.kind, row.name, isinstance(row, TokenOwnerRow), plays)
        self._known[key] = (now() + FRESH, account)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return account

    async def guest(self, device: str | None = None) -> tuple[Account, str]:
        """A new guest, and the token of its session."""
        name, at = f"Guest {secrets.randbelow(9_000) + 1_000}", now()
        async with self.store.write() as connection:
            number = await queries.add_account(connection, kind="guest", name=name, created=at, seen=at)
            token = await self._session(connection, number, device)
        return Account(number, "guest", name), token

    async def sign_up(
        self,
        name: str,
        password: str,
        mail: str | None,
        guest: Account | None,
        invitation: str | None = None,
        device: str | None = None,
        address: str = "",
    ) -> tuple[Account, str]:
        """A new account; a guest becomes it and keeps the games. Raises Refused where the name is taken."""
        keys, name = keys_of(name), named(name)
        if not invitation and self.registration != "open":
            how = "by invitation" if self.registration == "invitation" else "closed"
            raise Refused("forbidden", f"new accounts are {how} here; hint: ask whoever runs this server")
        values = {"kind": "person", "name": name, "folded": skeleton_of(name), "mail": mail}
        values["password"] = await self.hashing.hashed(password, name, mail, address=address)
        taken = Refused("taken", f"the name {name!r} is taken, or looks like one that is; hint: choose another")
        ended: list[str] = []
        try:
            async with self.store.write() as connection:
                if self.registration != "open":
                    await self._invited(connection, invitation or "")
                if await queries.account_named(connection, (*keys, *keys_of(name))):
                    raise taken
                if guest and guest.kind == "guest":
                    number = guest.id
                    still = update(accounts).where(accounts.c.id == number, accounts.c.kind == "guest")
                    if not (await connection.execute(still.values(**values))).rowcount:
                        raise Refused("stale", "you have signed up already; hint: sign in")
                    ended = await people.end_sessions(connection, number)
                else:
                    number = await queries.add_account(connection, **values, created=now(), seen=now())
                token = await self._session(connection, number, device)
        except IntegrityError:
            raise taken from None
        self.end(ended)
        return Account(number, "person", name), token

    async def _invited(self, connection: AsyncConnection, invitation: str) -> None:
        if self.registration == "closed" or not await people.use_one_time_token(
            connection, "invite", digest(invitation), now()
        ):
            raise Refused("forbidden", "this invitation does not hold; hint: each is for one account")

    async def sign_in(
        self, name: str, password: str, device: str | None = None, address: str = ""
    ) -> tuple[Account, str]:
        """A new session; the same refusal, after the same time, for a wrong name and a wrong password."""
        async with self.store.read() as connection:
            row = await queries.account_named(connection, keys_of(name))
        right = await self.hashing.fits(row.password if row else None, password, address)
        if row is None or not right:
            raise Refused("signed_out", "the name or the password is wrong; hint: case matters in the password")
        if row.banned is not None:
            raise Refused("banned", "this account is banned; hint: ask whoever runs this server")
        async with self.store.write() as connection:
            token = await self._session(connection, row.id, device)
        return Account(row.id, row.kind, row.name), token

    async def sign_out(self, token: str) -> None:
        """This session is over."""
        if account := await self.of(token):
            await self.end_sessions(account.id, beginning=digest(token))

    # --- sessions and passwords ---------------------------------------------------------------------------------------

    async def sessions(self, account: int) -> list[SessionRow]:
        """The rows of an account's sessions."""
        async with self.store.read() as connection:
            return await people.sessions_of(connection, account, now())

    async def end_sessions(self, account: int, *, but: str | None = None, beginning: str | None = None) -> int:
        """Ends an account's sessions, all but the one of a token, or those whose digest begins so; how many."""
        async with self.store.write() as connection:
            kept = digest(but) if but else None
            ended = await people.end_sessions(connection, account, but=kept, beginning=beginning)
        self.end(ended)
        return len(ended)

    def end(self, keys: Iterable[str]) -> None:
        """These sessions are not in the store any more: no process believes them, and their lines close."""
        if ended := list(keys):
            self._bus.publish(ENDS, ending(ended))

    def _hear(self, message: Message) -> None:
        """Somebody, in this process or another, says what has ended."""
        told = decode(message.text)
        if told.account is not None:
            self._look_anew(told.account)
        self._end(told.sessions)

    def _end(self, ended: Collection[str]) -> None:
        for key in ended:
            self._known.pop(key, None)
            self._over[key] = None
        while len(self._over) > REMEMBERED:
            self._over.popitem(last=False)
        for listener in self.after_end:
            listener(ended)

    async def sweep(self, keys: Iterable[str]) -> None:
        """Ends what was ended elsewhere, by another process or by the operator: these sessions and those known here."""
        asked = {*keys, *self._known}
        async with self.store.read() as connection:
            for some in batches(sorted(asked), 500):
                self._end(set(some) - await people.still_hold(connection, some, now()))

    async def check(self, account: int, password: str, address: str = "") -> None:
        """Raises Refused unless this is the account's password."""
        async with self.store.read() as connection:
            row = await people.account_row(connection, account)
        if not await self.hashing.fits(row.password if row else None, password, address):
            raise Refused("wrong_password", "the password is wrong; hint: case matters")

    async def new_password(self, account: int, password: str, but: str | None = None, address: str = "") -> None:
        """A new password; every session ends but the one of that token. Without one the access tokens end, too."""
        async with self.store.read() as connection:
            row = await people.account_row(connection, account)
        kept = await self.hashed(row, password, address)
        async with self.store.write() as connection:
            await people.change(connection, account, password=kept)
            ended = await people.end_sessions(connection, account, but=digest(but) if but else None)
            if but is None:
                ended += await kept_tokens.end_tokens(connection, account)
        self.end(ended)

    async def hashed(self, row: AccountRow | None, password: str, address: str = "") -> str:
        """What is kept of a new password; raises Refused where it is easily guessed, or is the account's mail word."""
        kept = await self.hashing.hashed(password, *((row.name, row.mail) if row else ()), address=address)
        async with self.store.read() as connection:
            word = await mail_words.kept_word(connection, row.id) if row else None
        if word is not None and await self.hashing.fits(word, password, address):
            why = "mail is read by others on its way"
            raise Refused("bad_request", f"a password that is your mail word; hint: choose another, {why}")
        return kept

    async def delete(self, account: int, once: Once | None = None) -> None:
        """The account goes, its name with it; the games stay."""
        async with self.store.write() as connection:
            if once:
                await once.mark(connection)
            ended = await people.make_nameless(connection, account)
        self.end(ended)

    async def _session(self, connection: AsyncConnection, account: int, device: str | None = None) -> str:
        token, at = secrets.token_urlsafe(32), now()
        row = {"token": digest(token), "account": account, "created": at, "expires": at + LASTS}
        await connection.execute(insert(sessions).values(**row, seen=at, device=device[:80] if device else None))
        return token
