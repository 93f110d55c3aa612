"""What an operator can do beside a running server: people, invitations, games. The server notices within seconds."""

from __future__ import annotations

import secrets
from typing import TypedDict

from sqlalchemy import delete

from hedgerow.game import HedgerowError
from hedgerow.serve.bus.local import LocalBus
from hedgerow.serve.bus.redis import channel, tell_once
from hedgerow.serve.people.accounts import ENDS, Accounts, digest, ending
from hedgerow.serve.people.names import keys_of
from hedgerow.serve.play.clocks import DAY
from hedgerow.serve.play.games import Games
from hedgerow.serve.store import Store, people, queries, talk
from hedgerow.serve.store import tokens as kept_tokens
from hedgerow.serve.store.rows import AccountRow
from hedgerow.serve.store.schema import accounts, now

INVITED = 30
"""For how many days an invitation holds."""


class Person(TypedDict):
    """An account as an operator may see it: never what is kept of its password."""

    id: int
    kind: str
    name: str
    mail: str | None
    created: int
    seen: int
    banned: int | None


class User(Person):
    """Everything about somebody."""

    confirmed: int | None
    games: dict[str, int]
    """How many, by their state."""
    sessions: int
    tokens: int


class Token(TypedDict):
    """A token: what it is called and when it was used, never what is kept of it."""

    id: int
    name: str
    created: int
    used: int | None
    plays: bool


class Report(TypedDict):
    """What somebody reported: the message, who said it, who minds and why."""

    id: int
    at: int
    done: int | None
    reason: str
    name: str
    account: int
    game: str
    room: str
    text: str
    said: int
    by_name: str
    by: int


async def found(store: Store, name: str) -> AccountRow:
    """The row of the account of that name, or of `#` and its number; raises HedgerowError where there is none."""
    async with store.read() as connection:
        if name.startswith("#") and name[1:].isdecimal():
            row = await people.account_row(connection, int(name[1:]))
        else:
            row = await queries.account_named(connection, keys_of(name))
    if row is None:
        raise HedgerowError(f"no account {name!r:.42}; hint: hedgerow admin users lists them, #12 is one by number")
    return row


async def users(store: Store, words: str = "", limit: int = 100) -> list[Person]:
    """People with a name, the last seen first."""
    async with store.read() as connection:
        return [person_of(row) for row in await people.people(connection, words, limit)]


def person_of(row: AccountRow) -> Person:
    """A row of `accounts` as an operator may see it."""
    return {
        "id": row.id,
        "kind": row.kind,
        "name": row.name,
        "mail": row.mail,
        "created": row.created,
        "seen": row.seen,
        "banned": row.banned,
    }


async def user(store: Store, name: str) -> User:
    """Everything about somebody."""
    row = await found(store, name)
    async with store.read() as connection:
        games = await people.count_games(connection, row.id)
        sessions = await people.sessions_of(connection, row.id, now())
        tokens = await kept_tokens.count_tokens(connection, row.id)
    return {
        **person_of(row),
        "confirmed": row.confirmed,
        "games": games,
        "sessions": len(sessions),
        "tokens": tokens,
    }


async def tokens(store: Store, name: str) -> list[Token]:
    """Somebody's tokens: what they are called and when they were used, never what is kept of them."""
    row = await found(store, name)
    async with store.read() as connection:
        rows = await kept_tokens.tokens_of(connection, row.id)
    return [
        {"id": row.id, "name": row.name, "created": row.created, "used": row.used, "plays": row.plays} for row in rows
    ]


async def tell_servers(store: Store, redis: str | None, ended: list[str]) -> None:
    """Tells the servers of this database at once; without Redis they notice within seconds."""
    if redis and ended:
        async with store.read() as connection:
            installation = await queries.installation(connection)
        await tell_once(redis, channel(installation), ENDS, ending(ended).text)


async def revoke_tokens(store: Store, name: str, number: int | None = None, redis: str | None = None) -> int:
    """Ends somebody's tokens, all or that one; how many."""
    row = await found(store, name)
    async with store.write() as connection:
        ended = await kept_tokens.end_tokens(connection, row.id, number)
    if number is not None and not ended:
        raise HedgerowError(f"{row.name!r} has no token {number}; hint: hedgerow admin tokens lists them")
    await tell_servers(store, redis, ended)
    return len(ended)


async def reset_password(store: Store, name: str, redis: str | None = None) -> str:
    """A new password, to be told to its owner; every session and every token ends."""
    row = await found(store, name)
    if row.kind in ("guest", "machine", "gone"):
        raise HedgerowError(f"{row.name!r} has no password; hint: only people who signed up have one")
    password, ended = secrets.token_urlsafe(12), list[str]()
    accounts = Accounts(store)
    accounts.after_end.append(ended.extend)
    await accounts.new_password(row.id, password)
    await tell_servers(store, redis, ended)
    return password


async def ban(store: Store, name: str, banned: bool, redis: str | None = None) -> Person:
    """Bans somebody, which ends every session and every token, or lets them in again."""
    row = await found(store, name)
    async with store.write() as connection:
        await people.change(connection, row.id, banned=now() if banned else None)
        ended = await people.end_sessions(connection, row.id) if banned else []
        ended += await kept_tokens.end_tokens(connection, row.id) if banned else []
    await tell_servers(store, redis, ended)
    return person_of(await found(store, f"#{row.id}"))


async def operator(store: Store, name: str, is_one: bool) -> str:
    """Somebody may write to everybody by the command `broadcast` from now on, or may not; their name."""
    row = await found(store, name)
    if row.kind != "person":
        raise HedgerowError(f"{row.name!r} is no person's account; hint: only people can be operators")
    async with store.write() as connection:
        await people.set_operator(connection, row.id, is_one, now())
    name = row.name
    return name


async def invite(store: Store, about: str, days: int = INVITED) -> str:
    """The code of an invitation for one account."""
    code, at = secrets.token_urlsafe(24), now()
    invitation = {
        "kind": "invite",
        "token": digest(code),
        "about": about[:254],
        "created": at,
        "expires": at + days * DAY,
    }
    async with store.write() as connection:
        await people.add_one_time_token(connection, **invitation)
    return code


async def close_game(store: Store, game: str) -> str:
    """Calls a game off: nobody wins. Returns what it was."""
    games = Games(store, LocalBus())
    async with games.held(game) as live:
        before = live.state
        if live.over:
            raise HedgerowError(f"the game {game!r:.42} is over already; hint: there is nothing to close")
        if live.begun is None:
            async with store.write() as connection:
                await queries.begin_game(connection, game, now(), None)
            games.forget(game)
    async with games.held(game) as live:
        await games.do(live, "abort", -1)
    return before


async def reports(store: Store, every: bool = False) -> list[Report]:
    """What people have reported and nobody has seen to, or all of it: the line, who said it, who minds and why."""
    async with store.read() as connection:
        rows = await talk.open_reports(connection, every)
    return [
        {
            "id": row.id,
            "at": row.at,
            "done": row.done,
            "reason": row.reason,
            "name": row.name,
            "account": row.account,
            "game": row.game,
            "room": row.room,
            "text": row.text,
            "said": row.said,
            "by_name": row.by_name,
            "by": row.by,
        }
        for row in rows
    ]


async def close_report(store: Store, number: int) -> None:
    """A report is dealt with."""
    async with store.write() as connection:
        if not await talk.settle_report(connection, number, now()):
            raise HedgerowError(f"no open report {number}; hint: hedgerow admin reports lists them")


async def purge_guests(store: Store, days: int) -> dict[str, int]:
    """Guests who were not here for so long: those without games go, of the others the name goes."""
    removed = nameless = 0
    async with store.write() as connection:
        for account in await people.idle_guests(connection, now() - days * DAY):
            await people.make_nameless(connection, account)
            if await people.untied(connection, account):
                await connection.execute(delete(accounts).where(accounts.c.id == account))
                removed += 1
            else:
                nameless += 1
    return {"removed": removed, "nameless": nameless}
