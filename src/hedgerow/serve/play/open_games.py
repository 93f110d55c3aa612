"""Limits on open games, by account, by opponent and by address; and a fair order for the lobby.

Nobody fills the lobby or somebody's list of challenges alone, however many accounts he has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import play
from hedgerow.serve.store.play import Wish

OPEN = 100
"""How many games of one account may wait for somebody, links among them."""
WISHES, WISHES_THERE = 5, 40
"""How many of them in the lobby: of one account, and of all at one address, which may be a school."""
TO_ONE, TO_ONE_IN_ALL = 3, 50
"""How many challenges to one person may stand: from one account, and from everybody."""
LISTED = 500
"""How many wishes are looked at for a list."""

Where = Callable[[int], str]
"""The address that an account was last seen at; empty where that is not known."""


async def check(
    connection: AsyncConnection, account: int, invited: Sequence[int], lobby: bool, at: int, where: Where
) -> None:
    """Raises Refused where an account has asked for as much as it may: of those invited, or of everybody."""
    mine = await play.open_games(connection, account, at)
    if len(mine) >= OPEN:
        raise Refused("too_many", f"{OPEN} games of yours wait for somebody; hint: take one back")
    for person in invited:
        await _check_person(connection, account, person, at)
    if lobby and sum(row.lobby for row in mine) >= WISHES:
        raise Refused("too_many", f"{WISHES} games of yours wait in the lobby; hint: take one back, or wait")
    if lobby and (address := where(account)):
        rows = await play.lobby(connection, at, LISTED)
        if sum(where(row.creator) == address for row in rows) >= WISHES_THERE:
            raise Refused("too_many", "many games from your address wait in the lobby; hint: join one of them")


async def _check_person(connection: AsyncConnection, account: int, person: int, at: int) -> None:
    asked = await play.challengers(connection, person, at)
    if list(asked).count(account) >= TO_ONE:
        raise Refused("too_many", f"{TO_ONE} challenges of yours to them wait; hint: wait for an answer")
    if len(asked) >= TO_ONE_IN_ALL:
        raise Refused("too_many", "too many challenges to them wait; hint: challenge somebody else")


def fairly(rows: Sequence[Wish], where: Where) -> list[Wish]:
    """The same, in rounds: the first of every address, then the second of each, and so on.

    >>> rows = [Wish("", number) for number in (1, 2, 3, 4)]
    >>> [row.creator for row in fairly(rows, {1: "a", 2: "a", 3: "a", 4: "b"}.__getitem__)]
    [1, 4, 2, 3]
    """
    seen: Counter[str] = Counter()
    rounds = []
    for row in rows:
        key = where(row.creator) or f"account {row.creator}"
        rounds.append((seen[key], row))
        seen[key] += 1
    return [row for _, row in sorted(rounds, key=lambda each: each[0])]
