"""Fills an empty database with any number of plausible games, in bulk: what a server has after years.

Few play much and many play little; a third of the games are against machines, a tenth is private, some were drawn or
called off, and the last ones go on or wait in the lobby. Every game is short and real: it begins like a random one, and
somebody resigns.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy import select

from hedgerow.game import Outcome, Rules
from hedgerow.match import Match
from hedgerow.serve.people.accounts import digest
from hedgerow.serve.play.clocks import DAY, LAG
from hedgerow.serve.play.games import LETTERS, encode
from hedgerow.serve.play.new_games import standard
from hedgerow.serve.play.ratings import ladder_of
from hedgerow.serve.play.state import CALLED_OFF
from hedgerow.serve.store import open_store
from hedgerow.serve.store.database import FILE
from hedgerow.serve.store.schema import accounts, now
from hedgerow.tools.serve_bench import random_game

BOARDS = {
    "hexbo": 30,
    "hexbo(side=5)": 20,
    "tanbo": 15,
    "root_bound": 12,
    "rootbound": 10,
    "root_down": 8,
    "root_and_thorn": 4,
    "tanbo(size=9)": 0.9,
    "hexbo(players=3)": 0.1,
}
"""What is played, and how often."""
TURNS = 4
"""How many turns a game has."""
YEARS = 2
TOGETHER = 20_000
"""How many games are written at once."""

COLUMNS = {
    "accounts": "id kind name folded created seen turn_mails",
    "sessions": "token account created expires",
    "games": "id rules state private creator created begun ended clock base_ms increment_ms version to_move moved due "
    "outcome rated lobby welcome expires position game_name",
    "seats": "game seat account player ended won",
    "turns": "game number kind seat text at spent",
    "ratings": "account ladder mu sigma rating games at",
    "rating_steps": "game seat account ladder before after doubt at",
}
"""The columns that are filled, by table, parents before children."""

Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Course:
    """How a game goes: its rows, and what comes of it; without an outcome it goes on."""

    rules: Rules[Any]
    rows: list[tuple[str, int, str]]
    outcome: str | None
    won: list[int | None]
    to_move: int | None
    position: str


def courses(rules: str, seed: int) -> dict[str, Course]:
    """One random beginning, and the ways it may end: `resigned`, `drawn`, `off`, or not yet: `playing`."""
    match, rows = Match(rules), []
    for seat, text in random_game(rules, seed)[:TURNS]:
        match.play_turn(text)
        rows.append(("turn", seat, text))
    standing, drawn, gone = match.copy(), match.copy(), list(rows)
    while match.outcome is None:
        gone.append(("resign", match.to_move, ""))
        match.resign(match.to_move)
    drawn.agree_draw()

    def course(played: list[tuple[str, int, str]], outcome: Outcome | None, won: list[int | None]) -> Course:
        told = encode(outcome).decode() if outcome else None
        return Course(standing.rules, played, told, won, None if told else standing.to_move, standing.position())

    nothing: list[int | None] = [None] * standing.rules.players
    return {
        "resigned": course(gone, match.outcome, _won(match)),
        "drawn": course([*rows, ("draw", -1, "")], drawn.outcome, _won(drawn)),
        "off": course([("abort", 0, "")], CALLED_OFF, nothing),
        "playing": course(rows, None, nothing),
    }


def _won(match: Match) -> list[int | None]:
    outcome = match.outcome
    assert outcome is not None
    return [
        0 if not outcome.winners else 1 if seat in outcome.winners else -1 for seat in range(len(match.rules.seats))
    ]


class ManyGames:
    """The rows of so many games, some thousands at a time."""

    def __init__(self, games: int, seed: int = 1) -> None:
        self.games = games
        self.people = max(20, games // 50)
        self.chance = random.Random(seed)
        self.at = now()
        self.courses = {name: [courses(name, seed + n) for n in range(4)] for name in BOARDS}
        self.running, self.waiting = max(10, games // 200), max(5, games // 3000)

    def first(self) -> Rows:
        """The people, their sessions and ratings."""
        chance, at = self.chance, self.at
        numbers = range(1, self.people + 1)
        names = {number: f"Player {number}" for number in numbers}
        long_ago = at - YEARS * 365 * DAY
        ladders = [f"{name}/2" for name in BOARDS if "(" not in name]
        rated = [
            (number, ladder, 25.0, 2.0, chance.gauss(1500, 250), chance.randrange(1, 60), at)
            for number in numbers
            for ladder in chance.sample(ladders, 2)
        ]
        return {
            "accounts": [(n, "person", names[n], names[n].casefold(), long_ago, at, True) for n in numbers],
            "sessions": [(digest(token_of(n)), n, at, at + 30 * DAY) for n in (1, self.people // 2)],
            "ratings": [(*row[:4], round(row[4]), *row[5:]) for row in rated],
        }

    def __iter__(self) -> Iterator[Rows]:
        yield self.first()
        rows: Rows = {}
        for number in range(self.games):
            self._add(rows, number)
            if len(rows["games"]) == TOGETHER:
                yield rows
                rows = {}
        if rows:
            yield rows

    def _add(self, rows: Rows, number: int) -> None:
        chance = self.chance
        left = self.games - number
        name = chance.choices(list(BOARDS), list(BOARDS.values()))[0]
        how = chance.choices(("resigned", "drawn", "off"), (96, 1, 3))[0] if left > self.running else "playing"
        course = chance.choice(self.courses[name])[how]
        if left <= self.waiting:
            self._waits(rows, course)
            return
        span = YEARS * 365 * DAY
        begun = self.at - span + int(span * number / self.games) - 60_000 * (TURNS + 1)
        seats: list[int | None] = [self._somebody() for _ in course.won]
        if chance.random() < 0.35:
            seats[1:] = [None] * (len(seats) - 1)
        people = [seat for seat in seats if seat is not None]
        counts = (
            standard(course.rules) and None not in seats and len(set(people)) == len(seats) and chance.random() < 0.5
        )
        self._game(rows, course, seats, begun, counts)

    def _game(self, rows: Rows, course: Course, seats: list[int | None], begun: int, rated: bool) -> None:
        """One game with all its rows; a seat without an account is a machine's."""
        game, over = self._id(), course.outcome is not None
        moved = begun + 60_000 * len(course.rows)
        ends = moved if over else None
        clock = ("days", 3 * DAY) if not over else ("live", 600_000)
        due = None if over else self.at + 3 * DAY + LAG
        position = course.position if rated and not over else None
        row: tuple[Any, ...]
        row = (game, course.rules.name, "over" if over else "playing", self.chance.random() < 0.1, seats[0], begun)
        row += (begun, ends, *clock, 0, len(course.rows), course.to_move, moved, due, course.outcome, rated)
        row += (False, False, None, position, course.rules.game.name)
        rows.setdefault("games", []).append(row)
        sat = rows.setdefault("seats", [])
        for seat, account in enumerate(seats):
            sat.append((game, seat, account, None if account else "level(3)", ends, course.won[seat]))
        played = rows.setdefault("turns", [])
        for number, what in enumerate(course.rows):
            played.append((game, number, *what, begun + 60_000 * (number + 1), 60_000))
        if rated and over and course.won[0] is not None:
            steps, ladder = rows.setdefault("rating_steps", []), ladder_of(course.rules)
            steps += [(game, n, account, ladder, 1500, 1510, 80, moved) for n, account in enumerate(seats)]

    def _waits(self, rows: Rows, course: Course) -> None:
        """A game in the lobby."""
        game, somebody = self._id(), self._somebody()
        row: tuple[Any, ...]
        row = (game, course.rules.name, "open", False, somebody, self.at, None, None, "days", 3 * DAY, 0, 0, 0, self.at)
        row += (None, None, False, True, False, self.at + 14 * DAY, None, course.rules.game.name)
        rows.setdefault("games", []).append(row)
        free = [(game, seat, None, None, None, None) for seat in range(1, len(course.won))]
        rows.setdefault("seats", []).extend([(game, 0, somebody, None, None, None), *free])

    def _somebody(self) -> int:
        """Few play much, many play little."""
        return 1 + int(self.people * self.chance.random() ** 3)

    def _id(self) -> str:
        return "".join(self.chance.choices(LETTERS, k=12))


def token_of(account: int) -> str:
    """The cookie of somebody who is signed in."""
    return f"many-games-{account}"


def fill(folder: Path, database: str | None, games: int) -> None:
    """Makes the tables where there are none, and fills them unless they are."""

    async def tables() -> bool:
        store = await open_store(folder, database)
        async with store.read() as connection:
            empty = (await connection.execute(select(accounts.c.id).limit(1))).first() is None
        await store.close()
        return empty

    if not asyncio.run(tables()):
        return
    if database:
        asyncio.run(_fill_postgres(database, ManyGames(games)))
    else:
        _fill_sqlite(folder / FILE, ManyGames(games))


def _fill_sqlite(path: Path, rows: ManyGames) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-2000000"):
        connection.execute(f"PRAGMA {pragma}")
    for some in rows:
        connection.execute("BEGIN")
        for table, names in COLUMNS.items():
            columns = names.split()
            marks = ",".join("?" * len(columns))
            connection.executemany(
                f"INSERT INTO {table} ({','.join(columns)}) VALUES ({marks})",
                some.get(table, []),
            )
        connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()


async def _fill_postgres(database: str, rows: ManyGames) -> None:
    connection = await asyncpg.connect(database)
    for some in rows:
        for table, names in COLUMNS.items():
            if some.get(table):
                await connection.copy_records_to_table(table, records=some[table], columns=names.split())
    await connection.execute("SELECT setval(pg_get_serial_sequence('accounts', 'id'), (SELECT max(id) FROM accounts))")
    await connection.execute("ANALYZE")
    await connection.close()


def middle_of(folder: Path, database: str | None) -> str:
    """Where a page of the archive begins that is half way to its end."""
    half = "(SELECT min(ended) + (max(ended) - min(ended)) / 2 FROM games)"
    query = f"SELECT ended, id FROM games WHERE ended >= {half} ORDER BY ended LIMIT 1"
    if database:
        found = asyncio.run(_fetch(database, query))
    else:
        connection = sqlite3.connect(folder / FILE)
        found = connection.execute(query).fetchone()
        connection.close()
    return f"{found[0]}-{found[1]}"


async def _fetch(database: str, query: str) -> Any:
    connection = await asyncpg.connect(database)
    try:
        return await connection.fetchrow(query)
    finally:
        await connection.close()
