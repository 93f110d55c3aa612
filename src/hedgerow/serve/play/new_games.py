"""What may be started: who sits where, at which level a machine plays, and which boards are rated."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.game import Rules
from hedgerow.games import make
from hedgerow.search.levels import ladder_for
from hedgerow.serve.inputs import OneLine
from hedgerow.serve.people.accounts import Account
from hedgerow.serve.people.limits import Limits
from hedgerow.serve.people.names import folded_of, keys_of
from hedgerow.serve.play import open_games
from hedgerow.serve.play.clocks import DAY, Control
from hedgerow.serve.play.games import Games
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store import queries
from hedgerow.serve.store.letters import Once
from hedgerow.serve.store.schema import now

HOUR = 3_600_000
LEAST = 60_000
"""How many milliseconds everybody has at least at the start of a rated game with a live clock."""


HIGHEST = 99
"""No game has more levels than this; how many it has is its own matter."""


class ClockAsked(BaseModel):
    """How time is given: not at all, live with an increment, or in days for every turn."""

    kind: Literal["none", "live", "days"] = "none"
    minutes: float = Field(default=5, ge=0.02, le=180, description="at least 1 in a rated game")
    increment: float = Field(default=3, ge=0, le=180, description="seconds added for every turn")
    days: int = Field(default=3, ge=1, le=30)

    def control(self) -> Control:
        """The same in milliseconds."""
        if self.kind == "live":
            return Control("live", int(self.minutes * 60_000), int(self.increment * 1000))
        return Control("days", self.days * DAY, 0) if self.kind == "days" else Control()


class SeatAsked(BaseModel):
    """Who is to sit there: you, a machine, anyone who comes, or somebody by name."""

    who: Literal["me", "machine", "anyone", "named"]
    level: int = Field(default=3, ge=1, le=HIGHEST, description="of a machine; the highest differs by game")
    name: OneLine = Field(default="", max_length=40)


class NewGame(BaseModel):
    """A game against the machine, with friends by a link, or a challenge: to everybody in the lobby, or by name."""

    rules: OneLine = Field(max_length=200, examples=["hexbo(side=5)"])
    opponent: Literal["machine", "friend", "lobby", "named"] = "machine"
    level: int = Field(default=3, ge=1, le=HIGHEST, description="of the machine; the highest differs by game")
    name: OneLine = Field(default="", max_length=40, description="of the one who is challenged")
    seat: int | None = Field(default=0, ge=0, le=5, description="yours; null for any")
    seats: list[SeatAsked] | None = Field(default=None, max_length=6, description="instead of the four above")
    clock: ClockAsked = ClockAsked()
    rated: bool = Field(default=False, description="only on the standard board")
    private: bool = False
    welcome: bool = Field(default=False, description="people may take over the machines' seats")
    hours: float | None = Field(default=None, ge=0.01, le=720, description="how long it waits for others")


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


def around(rules: Rules[Any], seat: int | None, other: SeatAsked) -> list[SeatAsked]:
    """One's own chair, at random where no seat is named, and the same `other` on every other one."""
    seats = rules.players
    if seat is not None and not 0 <= seat < seats:
        raise Refused("bad_request", f"no seat {seat}; hint: {rules.name} has seats 0 to {seats - 1}")
    mine = random.randrange(seats) if seat is None else seat
    return [SeatAsked(who="me") if number == mine else other for number in range(seats)]


async def chairs(
    connection: AsyncConnection, rules: Rules[Any], account: Account, asked: Sequence[SeatAsked]
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


class NewGames:
    """Starts games; `where` tells the address that an account was last seen at, None where nothing is limited."""

    def __init__(self, games: Games, limits: Limits, where: open_games.Where | None) -> None:
        self.games, self.limits, self.where = games, limits, where

    async def start(self, account: Account, asked: NewGame, once: Once | None = None) -> LiveGame:
        """A new game: against the machine it begins at once, with friends when every seat is taken."""
        await self.limits.check_everywhere("game", account.id)
        rules, control, at = make(asked.rules), asked.clock.control(), now()
        if asked.rated:
            check_rated(rules, account, control)
        async with self.games.store.read() as connection:
            found = await chairs(connection, rules, account, wanted_seats(asked, rules))
            lobby = asked.opponent == "lobby" and not all(found)
            invited = [chair["invited"] for chair in found if "invited" in chair]
            if self.where and not all(chair.get("account") or chair.get("player") for chair in found):
                await open_games.check(connection, account.id, invited, lobby, at, self.where)
        more: dict[str, Any] = {"rated": asked.rated, "lobby": lobby, "welcome": asked.welcome and not asked.rated}
        more |= {"once": once}
        expires = expiry(at, control, asked.hours, lobby or bool(invited))
        return await self.games.create(rules.name, account.id, found, control, asked.private, expires=expires, **more)


def wanted_seats(asked: NewGame, rules: Rules[Any]) -> list[SeatAsked]:
    """The chairs as they were asked for, one by one or all others alike."""
    if asked.seats is not None:
        return asked.seats
    who = asked.opponent if asked.opponent in ("machine", "named") else "anyone"
    if who == "named" and rules.players > 2:
        raise Refused("bad_request", "more than one other seat; hint: name who sits where with `seats`")
    return around(rules, asked.seat, SeatAsked(who=who, level=asked.level, name=asked.name))
