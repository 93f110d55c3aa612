"""Games as text straight from their rows, without playing them again, so that all of them can be had at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime

from hedgerow.record import RecordLine, write_record
from hedgerow.serve.play.live import rules_of
from hedgerow.serve.play.seating import seat_of
from hedgerow.serve.store import Store, queries
from hedgerow.serve.store import archive as asked
from hedgerow.serve.store.rows import GameRow, PlayedRow, SeatRow

AT_ONCE = 100
"""How many games are read at a time."""

LICENCE = """\
# All public games that were finished on this Hedgerow server, the oldest first.
# Licence: CC0 1.0, https://creativecommons.org/publicdomain/zero/1.0/
# The players agreed to it when they began to play here. Do with the games what you like.
# A line `# game ID` comes before every game; what follows it is a record, as `hedgerow show` reads it.
"""


def record_of(row: GameRow, chairs: Sequence[SeatRow], turns: Sequence[PlayedRow]) -> str:
    """The record of a finished game; the same text as its match would write."""
    rules = rules_of(row.rules)
    began = datetime.fromtimestamp((row.begun or row.created) / 1000, UTC)
    tags = {"Game": row.rules, "Date": began.date().isoformat()}
    tags |= {seat: seat_of(chair).name or "?" for seat, chair in zip(rules.seats, chairs)}
    outcome = json.loads(row.outcome or "")
    winners = " and ".join(rules.seats[seat] for seat in outcome["winners"])
    tags |= {"Result": f"{winners} wins" if winners else "draw", "Reason": outcome["reason"]}
    if outcome["scores"]:
        tags["Scores"] = " ".join(map(str, outcome["scores"]))
    return write_record(tags, lines_of(turns))


def lines_of(turns: Sequence[PlayedRow]) -> list[RecordLine]:
    """The lines of play: every turn that was not taken back, and who left."""
    lines: list[RecordLine] = []
    for turn in turns:
        if turn.kind == "turn":
            lines.append(RecordLine(0, turn.text))
        elif turn.kind == "undo":
            del lines[len(lines) - int(turn.text) :]
        elif turn.kind in ("resign", "flag"):
            lines.append(RecordLine(0, f"{turn.kind} {turn.seat}", turn.kind, turn.seat))
        elif turn.kind == "draw":
            lines.append(RecordLine(0, "draw", "draw"))
    return lines


async def dump(store: Store) -> AsyncIterator[str]:
    """All public games, a few at a time, so that neither the memory nor the others notice."""
    yield LICENCE
    at, last = 0, ""
    while True:
        async with store.read() as connection:
            rows = await asked.public_after(connection, at, last, AT_ONCE)
            ids = [row.id for row in rows]
            chairs = await queries.seat_rows(connection, ids)
            turns = await asked.turns_of(connection, ids)
        if not rows:
            return
        yield await asyncio.to_thread(_text, rows, chairs, turns)
        at, last = rows[-1].ended or at, rows[-1].id


def _text(rows: Sequence[GameRow], chairs: Sequence[SeatRow], turns: Sequence[PlayedRow]) -> str:
    sat: dict[str, list[SeatRow]] = {}
    played: dict[str, list[PlayedRow]] = {}
    for chair in chairs:
        sat.setdefault(chair.game, []).append(chair)
    for turn in turns:
        played.setdefault(turn.game, []).append(turn)
    return "".join(f"\n# game {row.id}\n{record_of(row, sat[row.id], played.get(row.id, []))}" for row in rows)
