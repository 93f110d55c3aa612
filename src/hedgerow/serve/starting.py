"""What may be started: who sits where, at which level a machine plays, and which boards are rated."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.game import Rules
from hedgerow.games import make
from hedgerow.search.levels import ladder_for
from hedgerow.serve.accounts import Account
from hedgerow.serve.clocks import DAY, Control
from hedgerow.serve.names import folded_of, keys_of
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import queries

HOUR = 3_600_000
LEAST = 60_000
"""How many milliseconds everybody has at least at the start of a rated game with a live clock."""


@dataclass(frozen=True, slots=True)
class Chair:
    """Who is to sit there: `me`, a `machine` of some level, `anyone`, or the account of that name."""

    who: str
    level: int = 3
    name: str = ""


def standard(rules: Rules[Any]) -> bool:
    """The board that the game is usually played on, for any number of players; only such games are rated.

    >>> standard(make("hexbo(players=3)")), standard(make("hexbo(side=5)"))
    (True, False)
    """
    usual = {option.name: option.default for option in rules.game.options}
    return all(rules.options[name] == value for name, value in usual.items() if name != "players")


def levels(game: str) -> int:
    """How many levels the machine has in a game."""
    return len(ladder_for(make(game)))


async def machine(rules: Rules[Any], level: int) -> dict[str, Any]:
    """The chair of a machine; raises Refused where it has no such level."""
    highest = levels(rules.game.name)
    if not 1 <= level <= highest:
        raise Refused("bad_request", f"{rules.game.title} has no level {level}; hint: 1 to {highest}")
    return {"player": f"level({level})"}


def machine_level(name: str) -> int | None:
    """The level of the machine of that name: it is challenged like anybody else, and always accepts.

    >>> machine_level("machine, Level(3)"), machine_level("Ann")
    (3, None)
    """
    found = re.fullmatch(r"machine, level\((\d{1,2})\)", folded_of(name))
    return int(found[1]) if found else None


def check_rated(rules: Rules[Any], account: Account, control: Control) -> None:
    """Raises Refused where a rated game cannot be."""
    if control.kind == "live" and control.base_ms < LEAST:
        raise Refused("bad_request", "a rated game needs a minute at least; hint: set `minutes` of the clock to 1")
    if not standard(rules):
        usual = f"{rules.game.name}(players={rules.players})" if rules.players > 2 else rules.game.name
        raise Refused("bad_request", f"{rules.name} is never rated; hint: only the standard board is, {usual}")
    if account.kind == "guest":
        raise Refused("forbidden", "rated games are for people with an account; hint: sign up, it keeps your games")


def around(rules: Rules[Any], seat: int | None, other: Chair) -> list[Chair]:
    """One's own chair, at random where no seat is named, and the same `other` on every other one."""
    seats = rules.players
    if seat is not None and not 0 <= seat < seats:
        raise Refused("bad_request", f"no seat {seat}; hint: {rules.name} has seats 0 to {seats - 1}")
    mine = random.randrange(seats) if seat is None else seat
    return [Chair("me") if number == mine else other for number in range(seats)]


async def chairs(
    connection: AsyncConnection, rules: Rules[Any], account: Account, asked: Sequence[Chair]
) -> list[dict[str, Any]]:
    """What `Games.create` takes; raises Refused where the chairs do not fit the game or the people."""
    if rules.outcome(rules.start()):
        raise Refused("bad_request", f"{rules.name} is over before it begins; hint: give both players a move")
    if len(asked) != rules.players:
        raise Refused("bad_request", f"{len(asked)} seats; hint: {rules.name} has {rules.players}")
    if [chair.who for chair in asked].count("me") != 1:
        raise Refused("bad_request", "you need one seat of your own; hint: exactly one of the seats is `me`")
    found = []
    for chair in asked:
        if chair.who == "machine":
            found.append(await machine(rules, chair.level))
        elif chair.who == "named" and (level := machine_level(chair.name)) is not None:
            found.append(await machine(rules, level))
        elif chair.who == "named":
            found.append({"invited": await invited(connection, account, chair.name)})
        else:
            found.append({"account": account.id} if chair.who == "me" else {})
    if len(set(named := [row["invited"] for row in found if "invited" in row])) != len(named):
        raise Refused("bad_request", "somebody is invited twice; hint: one seat for each")
    return found


async def invited(connection: AsyncConnection, account: Account, name: str) -> int:
    """The account of that name, if it may be challenged."""
    row = await queries.account_named(connection, keys_of(name))
    if row is None:
        raise Refused("not_found", f"nobody here is called {name!r:.42}; hint: guests have no name to be found by")
    number: int = row.id
    if number == account.id:
        raise Refused("bad_request", "you cannot challenge yourself; hint: name somebody else")
    if await queries.blocks(connection, number, account.id):
        raise Refused("forbidden", f"{row.name} does not play with you; hint: challenge somebody else")
    return number


def expiry(at: int, control: Control, hours: float | None, waits: bool) -> int | None:
    """Until when a challenge stands: as asked, or an hour for a live game and two weeks for others; links never end."""
    if hours is not None:
        return at + int(hours * HOUR)
    if not waits:
        return None
    return at + (HOUR if control.kind == "live" else 14 * DAY)
