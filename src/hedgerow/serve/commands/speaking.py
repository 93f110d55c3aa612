"""Who gives a command and which way it came, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hedgerow.serve.people.accounts import Account
from hedgerow.serve.store.letters import Once


@dataclass(frozen=True)
class Sender:
    """Whoever gives a command, as far as it is proven."""

    by: Literal["mail", "page", "terminal"]
    account: Account | None = None
    """Proven by a session, a token, or a secret reply address; a mail word in the command proves it, too."""
    game: str | None = None
    """The game whose secret reply address was written to: the proof holds for this game alone.

    Empty where the letter was about no game: then it proves who asks, and that is all."""
    address: str = ""
    """Where the answer goes to; of a mail it is the From line, which proves nothing."""
    where: str = ""
    """What limits count by: the network address, or for a mail the account that it proves, or its sender and host."""
    once: Once | None = None
    """For mail: with this, whatever a command changes is marked, so that it happens once."""


@dataclass(frozen=True)
class Answer:
    """What is answered to one command."""

    ok: bool
    text: str
    game: str | None = None
    """The game that it is about: its board goes with the answer."""
    command: str = ""
    """The command as it was understood, without its secrets."""
    games: tuple[str, ...] = field(default=())
    """Further games whose boards were asked for."""
    account: int | None = None
    """Who has proven to give the command: boards are drawn for them."""
