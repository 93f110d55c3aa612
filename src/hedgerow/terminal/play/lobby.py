"""What there is on a server: your games, seats that are free, games to watch; and how to get there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from hedgerow.game import HedgerowError
from hedgerow.games import make
from hedgerow.terminal.play.remote import RemoteTable
from hedgerow.terminal.play.wire import Line, Server


class Entry(NamedTuple):
    """A game in the list: what kind it is, its number, its rules, and a line about it."""

    kind: str
    """`yours`, `open` or `watch`."""
    game: str
    rules: str
    words: str


HEADINGS = {"yours": "Your games", "open": "Open seats", "watch": "To watch"}


def listed(server: Server) -> list[Entry]:
    """Everything that can be opened, those that wait for you first."""
    found = [_yours(row) for row in server.ask("GET", "/api/your-games?limit=50")["games"] if row["state"] != "over"]
    mine = {entry.game for entry in found}
    challenges = server.ask("GET", "/api/challenges") + server.ask("GET", "/api/lobby?limit=50")
    for row in challenges:
        if not row["yours"] and row["id"] not in mine | {entry.game for entry in found}:
            found.append(_open(row))
    watched = server.ask("GET", "/api/watch?limit=20")
    return found + [_watch(row) for row in watched if row["id"] not in {entry.game for entry in found}]


def _yours(row: dict[str, Any]) -> Entry:
    turn = "your turn" if row["your_turn"] else "waiting for others" if row["state"] == "open" else "their turn"
    return Entry("yours", row["id"], row["rules"], f"{row['rules']}: {_names(row['seats'])}, {turn}")


def _open(row: dict[str, Any]) -> Entry:
    clock = {"none": "no clock", "live": f"{row['base_ms'] / 60000:g}+{row['increment_ms'] / 1000:g}"}
    time = clock.get(row["clock"], f"{row['base_ms'] / 86400000:g} days a turn")
    rated = ", rated" if row["rated"] else ""
    asked = "challenges you" if row["invited"] else "waits for somebody"
    return Entry("open", row["id"], row["rules"], f"{row['rules']}: {row['by']} {asked}, {time}{rated}")


def _watch(row: dict[str, Any]) -> Entry:
    return Entry("watch", row["id"], row["rules"], f"{row['rules']}: {_names(row['seats'])}, turn {row['version'] + 1}")


def _names(seats: list[str]) -> str:
    return " against ".join(name or "nobody yet" for name in seats)


def entered(server: Server, entry: Entry) -> RemoteTable:
    """The table of a game: a free seat is taken first. Raises ServerRefused where that may not be."""
    if entry.kind == "open":
        server.ask("POST", f"/api/games/{entry.game}/join")
    return RemoteTable(server, entry.game, entry.rules)


def by_number(server: Server, game: str) -> Entry:
    """The entry of a game whose number or address somebody has."""
    number = game.rstrip("/").rsplit("/", 1)[-1]
    if not re.fullmatch(r"[0-9a-z]{4,16}", number):
        raise HedgerowError(f"no game {game[:40]!r}; hint: its number is the end of its address")
    told = server.ask("GET", f"/api/games/{number}?picture=false")
    free = told["state"] == "open" and told["you"] is None
    return Entry("open" if free else "watch", number, told["rules"], told["title"])


def new_game(server: Server, words: str) -> Entry:
    """Starts a game: `hexbo(side=5) level 3`, `root_down lobby`, `tanbo Ann`; raises HedgerowError."""
    name, _, rest = words.strip().partition(" ")
    rules, who = make(name).name, rest.strip()
    asked: dict[str, Any] = {"rules": rules, "seat": None}
    if level := re.fullmatch(r"(?:level\s*)?\(?(\d{1,2})\)?", who or "3"):
        asked |= {"opponent": "machine", "level": int(level[1]), "seat": 0}
    elif who.lower() == "lobby":
        asked |= {"opponent": "lobby"}
    else:
        asked |= {"opponent": "named", "name": who}
    made = server.ask("POST", "/api/games", asked)
    return Entry("yours", made["id"], rules, rules)


def followed(table: RemoteTable, tell: Callable[[dict[str, Any]], None]) -> Line:
    """Opens the line of a table; what it hears is told."""
    table.line = Line(table.server, table.game, tell)
    table.line.start()
    return table.line
