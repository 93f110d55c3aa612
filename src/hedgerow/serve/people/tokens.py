"""Personal access tokens, with which programs come in; what they may do, and how an account becomes a bot's.

A token is shown once and kept as its SHA-256. It opens the API, and nothing about the account itself: passwords, mail,
tokens and the end of the account need a session. A bot's token plays; a person's plays only where its owner has said
that it is for a terminal. Programs play for bots alone, so that whoever meets one knows it.
"""

from __future__ import annotations

import secrets

from hedgerow.serve.inputs import tidied
from hedgerow.serve.people.accounts import ACCESS, Account, Accounts, digest
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import people, tokens
from hedgerow.serve.store.rows import TokenRow
from hedgerow.serve.store.schema import now

MOST = 20
"""How many tokens an account may have."""
MAX_NAME_CHARS = 60
"""How many characters the name of a token may have."""
IN_PERSON = ("/api/account/", "/api/sign-")
"""Where a session is needed, whoever has the token."""
LOOKING = ("GET", "HEAD", "OPTIONS")


def titled(name: str) -> str:
    """The name of a token as it is kept; raises Refused where it is none.

    >>> titled("  my first\\tbot ")
    'my first bot'
    """
    return tidied(name, MAX_NAME_CHARS, "a token's name")


def check_place(path: str) -> None:
    """Raises Refused where a token opens nothing."""
    if not path.startswith("/api/") and path not in OPEN:
        raise Refused("forbidden", "a token opens the API alone; hint: pages are for browsers, sign in there")
    if path.startswith(IN_PERSON):
        raise Refused("forbidden", "a token does not manage its account; hint: sign in with the password")


OPEN = ("/openapi.json", "/healthz", "/readyz", "/metrics")
"""What is there for everybody's programs."""


def plays(method: str, path: str) -> bool:
    """Whether a request does something in a game, which others see."""
    return method not in LOOKING and path.startswith("/api/games") and not path.endswith("/note")


def may_play(account: Account) -> bool:
    """Whether somebody plays as they have come: by a session, as a bot, or with a token for playing in a terminal."""
    return not account.by_token or account.kind == "bot" or account.plays


def check_plays(account: Account) -> None:
    """Raises Refused where a person's token is not one for playing."""
    if not may_play(account):
        raise Refused(
            "forbidden",
            "this token of a person may only look; hint: to play in a terminal, make a token that lets you play; "
            "for a program, make a new account and make it a bot's on its page",
        )


class Tokens:
    """Making tokens, listing them, ending them."""

    def __init__(self, accounts: Accounts) -> None:
        self.accounts = accounts
        self.store = accounts.store

    async def make(self, account: int, name: str, plays: bool = False) -> tuple[TokenRow, str]:
        """A new token, which `plays` for a person or not: its row, and itself, which nobody can read again."""
        token, at = ACCESS + secrets.token_urlsafe(32), now()
        key, name = digest(token), titled(name)
        async with self.store.write() as connection:
            await tokens.lock_account(connection, account)
            if await tokens.count_tokens(connection, account) >= MOST:
                raise Refused("full", f"you have {MOST} tokens; hint: revoke one that you do not need")
            number = await tokens.add_token(connection, token=key, account=account, name=name, created=at, plays=plays)
        return TokenRow(number, key, account, name, at, None, plays), token

    async def of(self, account: int) -> list[TokenRow]:
        """The rows of an account's tokens."""
        async with self.store.read() as connection:
            return await tokens.tokens_of(connection, account)

    async def revoke(self, account: int, number: int) -> None:
        """Ends a token, and every line that was opened with it."""
        async with self.store.write() as connection:
            ended = await tokens.end_tokens(connection, account, number)
        if not ended:
            raise Refused("not_found", f"no token {number} of yours; hint: look at the list again")
        self.accounts.end(ended)

    async def become_bot(self, account: Account) -> Account:
        """The account is a bot's from now on and for good; nothing happens the second time."""
        async with self.store.write() as connection:
            row = await tokens.lock_account(connection, account.id)
            if row is None or row.kind not in ("person", "bot"):
                raise Refused("forbidden", "only an account with a name can be a bot's; hint: sign up first")
            if row.kind == "person":
                if await tokens.has_played(connection, account.id):
                    raise Refused("taken", "this account has played already; hint: make a new account for the bot")
                await people.change(connection, account.id, kind="bot")
        self.accounts.look_anew(account.id)
        return Account(row.id, "bot", row.name)
