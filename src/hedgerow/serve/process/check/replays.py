"""Every game played again by the rules: what is said about it must be what its turns make of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hedgerow.serve.play.games import encode
from hedgerow.serve.play.live import LiveGame
from hedgerow.serve.play.seating import seat_of
from hedgerow.serve.process.check.finding import Finding, Progress, fault, fine
from hedgerow.serve.store import queries
from hedgerow.serve.store.rows import GameRow, PlayedRow, SeatRow, all_of
from hedgerow.serve.store.schema import games, turns

TOGETHER = 100
"""How many games are read at once."""
MOST = 20
"""How many games with faults are told by name; the others are counted."""

Chairs = defaultdict[str, list[SeatRow]]
Played = defaultdict[str, list[PlayedRow]]
Reading = Callable[[], AbstractAsyncContextManager[AsyncConnection]]


async def look(reading: Reading, progress: Progress) -> list[Finding]:
    """Plays all games again; one fault for each that is not what is said about it."""
    async with reading() as connection:
        everything = (await connection.execute(select(func.count()).select_from(games))).scalar_one()
    done, wrong, last = 0, [], ""
    while True:
        async with reading() as connection:
            rows, chairs, played = await _batch(connection, last)
        if not rows:
            break
        for row in rows:
            wrong += [f"game {row.id}: {said}" for said in list(faults_of(row, chairs[row.id], played[row.id]))[:1]]
        done, last = done + len(rows), rows[-1].id
        progress("games", done, max(done, everything))
    found = [
        fault("games", f"{said}; hint: bring back a backup, or hedgerow admin close-game") for said in wrong[:MOST]
    ]
    if len(wrong) > MOST:
        found.append(fault("games", f"and {len(wrong) - MOST} more games; hint: bring back a backup"))
    return found or [fine("games", f"{done} games are what their turns make of them")]


async def _batch(connection: AsyncConnection, after: str) -> tuple[list[GameRow], Chairs, Played]:
    next_ones = select(games).where(games.c.id > after).order_by(games.c.id).limit(TOGETHER)
    rows = await all_of(connection, GameRow, next_ones)
    ids = [row.id for row in rows]
    chairs: Chairs = defaultdict(list)
    played: Played = defaultdict(list)
    for chair in await queries.seat_rows(connection, ids):
        chairs[chair.game].append(chair)
    wanted = select(turns).where(turns.c.game.in_(ids)).order_by(turns.c.game, turns.c.number)
    for turn in await all_of(connection, PlayedRow, wanted):
        played[turn.game].append(turn)
    return rows, chairs, played


def faults_of(row: GameRow, chairs: Sequence[SeatRow], played: Sequence[PlayedRow]) -> Iterator[str]:
    """What is wrong with a game, the worst first."""
    if [turn.number for turn in played] != list(range(len(played))):
        yield "some of its turns are missing"
        return
    try:
        live = LiveGame(row, [seat_of(chair) for chair in chairs])
    except Exception as error:
        yield f"its rules {row.rules!r:.80} cannot be read: {_first(error)}"
        return
    if len(live.seats) != live.match.rules.players:
        yield f"it has {len(live.seats)} seats where {live.match.rules.name} has {live.match.rules.players}"
    for turn in played:
        mover = live.match.to_move
        try:
            spelled = live.apply(turn.kind, turn.seat, turn.text, turn.at, turn.spent).text
        except Exception as error:
            yield f"turn {turn.number} ({turn.text!r:.42}) cannot be played: {_first(error)}"
            return
        if turn.kind == "turn" and (turn.seat != mover or spelled != turn.text):
            yield f"turn {turn.number} ({turn.text!r:.42}) is not what seat {mover} played there"
    yield from _differences(row, live)
    yield from _told_again(row, chairs, live)


def _told_again(row: GameRow, chairs: Sequence[SeatRow], live: LiveGame) -> Iterator[str]:
    """What is kept twice for the sake of lists, and differs."""
    if row.game_name != live.match.rules.game.name:
        yield f"it is listed as a game of {row.game_name!r:.42}"
    outcome = live.outcome
    for number, chair in enumerate(chairs):
        won = None
        if outcome and outcome.places:
            won = 0 if not outcome.winners else 1 if number in outcome.winners else -1
        if (chair.ended, chair.won) != (row.ended, won):
            yield f"seat {number} is listed with {chair.won} at {chair.ended}, and has {won} at {row.ended}"


def _differences(row: GameRow, live: LiveGame) -> Iterator[str]:
    """What the row of a game says that its turns do not."""
    if row.version != live.version:
        yield f"it is said to have {row.version} turns, and has {live.version}"
    if row.begun is None and not live.version:  # a challenge: it waits, or it was called off
        if row.state not in ("open", "over") or (row.state == "over") != (row.outcome is not None):
            yield f"it has not begun, and is said to be {row.state!r}"
        return
    outcome = encode(live.outcome).decode() if live.outcome else None
    said = {"state": row.state, "to_move": row.to_move, "outcome": _read(row.outcome)}
    made = {"state": live.state, "to_move": live.to_move, "outcome": _read(outcome)}
    for name, value in made.items():
        if said[name] != value:
            yield f"its {name} is said to be {said[name]!r:.120}, and its turns make it {value!r:.120}"


def _read(outcome: str | None) -> Any:
    try:
        return msgspec.json.decode(outcome) if outcome is not None else None
    except msgspec.MsgspecError:
        return outcome


def _first(error: Exception) -> str:
    return (str(error) or type(error).__name__).split("; hint:")[0]
