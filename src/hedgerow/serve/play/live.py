"""One game in memory: its match, replayed from its stored turns, its seats and its clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from hedgerow.game import Outcome, Rules
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.serve.play.clocks import LAG, Clock, Control
from hedgerow.serve.play.snapshot import Snapshot
from hedgerow.serve.play.state import CALLED_OFF, Event, GameState, Happened, Seat, UndoStep
from hedgerow.serve.refusals import Refused
from hedgerow.serve.store.rows import GameRow, PlayedRow

MAX_TURN_CHARS = 200
"""How many characters a turn may have."""
SLICE = 0.001
"""For how many seconds at a time a game is replayed before others go on."""


@lru_cache(maxsize=256)
def rules_of(name: str) -> Rules[Any]:
    """The rules of a canonical name, without looking through the folders again."""
    return make(name)


class LiveGame(GameState):
    """A game as this process knows it; `lock` is held from judging a turn until it is stored."""

    __slots__ = (
        "begun",
        "clock",
        "creator",
        "id",
        "last",
        "lobby",
        "lock",
        "match",
        "outcome",
        "private",
        "rated",
        "rematch",
        "seats",
        "since",
        "snapshot",
        "touched",
        "turns",
        "undo_steps",
        "version",
        "welcome",
    )

    def __init__(self, row: GameRow, seats: Sequence[Seat]) -> None:
        self.id: str = row.id
        self.match = Match(rules_of(row.rules))
        began = datetime.fromtimestamp((row.begun or row.created) / 1000, UTC)
        self.match.tags["Date"] = began.date().isoformat()
        self.creator: int = row.creator
        self.private: bool = row.private
        self.rated: bool = row.rated
        self.welcome: bool = row.welcome
        self.lobby: bool = row.lobby
        self.rematch: str | None = row.rematch
        self.seats = tuple(seats)
        self.clock = Clock(Control(row.clock, row.base_ms, row.increment_ms), self.match.rules.players)
        self.begun: int | None = row.begun
        self.since: int = row.begun or row.created
        self.version = 0
        self.outcome: Outcome | None = None
        self.undo_steps: list[UndoStep] = []
        self.turns: list[str] = []
        self.last: Happened | None = None
        self.lock = asyncio.Lock()
        self.touched = 0.0
        """When somebody last asked for it, by the monotonic clock."""
        self.snapshot = Snapshot(self)
        """The game as it was stored last, which others read."""

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def due(self) -> int | None:
        """When the flag of the seat to move falls."""
        return None if self.over or self.begun is None else self.clock.due(self.match.to_move, self.since)

    def wait_until(self, due: int | None) -> None:
        """The flag of a game by correspondence falls then, as its row says: the clock waits for who is on vacation."""
        if due is not None and self.due is not None and self.clock.control.kind == "days":
            self.clock.left[self.match.to_move] = due - LAG - self.since

    def settle(self) -> Snapshot:
        """What stands here is stored: others may read it."""
        self.snapshot = Snapshot(self)
        return self.snapshot

    def event(self) -> Event:
        """What the last row changed."""
        assert self.last is not None
        return Event(self.version, self.last, self.to_move, self.clock.shown(), self.outcome)

    # --- playing ------------------------------------------------------------------------------------------------------

    def play(self, text: str) -> str:
        """Plays one whole turn, or raises and changes nothing; returns it as the rules spell it."""
        if len(text) > MAX_TURN_CHARS:
            raise Refused("unreadable", f"a turn of {len(text)} characters; hint: at most {MAX_TURN_CHARS}")
        self.match.play_turn(text)
        return self.match.last_turn

    def apply(self, kind: str, seat: int, text: str, at: int, spent: int) -> Happened:
        """Does one thing to the match, now or again from what is stored; the clock and the version move on.

        A seat that leaves out of turn does not stop the clock of the one who is thinking.
        """
        mover, clocks = self.match.to_move, tuple(self.clock.left)
        if kind == "turn":
            text = self.play(text)
            self.clock.settle(seat, spent)
            self.undo_steps.append(UndoStep(seat, text.count(" ") + 1, clocks))
            self.turns.append(text)
        elif kind == "undo":
            self._take_back(int(text))
        elif kind == "draw":
            self.match.agree_draw()
        elif kind in ("resign", "flag"):
            (self.match.resign if kind == "resign" else self.match.flag)(seat)
            self.undo_steps.append(UndoStep(-1, 1, clocks))
        self.outcome = CALLED_OFF if kind == "abort" else self.match.outcome
        if kind == "undo" or (seat == mover and kind != "sit"):
            self.since = at
            mover = self.match.to_move
            self.clock.begin(mover, max(0, (self.seats[mover].back or 0) - at))
        self.last = Happened(self.version, kind, seat, text, at, spent)
        self.version += 1
        return self.last

    def _take_back(self, turns: int) -> None:
        """So many turns were never played: the board and the clocks are as they were, and the turn begins anew."""
        for _ in range(turns):
            step = self.undo_steps.pop()
            self.turns.pop()
            for _ in range(step.actions):
                self.match.undo()
            self.clock.left = list(step.clocks)


async def replay(live: LiveGame, rows: Sequence[PlayedRow], known: int | None = None) -> list[Event]:
    """Plays the rows of a game; what those beyond the `known` ones made of it, one after the other.

    It lets others go on every moment. In a thread it would hold them up longer, because both need the same lock.
    """
    events, begun = [], time.monotonic()
    for row in rows:
        live.apply(row.kind, row.seat, row.text, row.at, row.spent)
        if known is not None and live.version > known:
            events.append(live.event())
        if time.monotonic() - begun > SLICE:
            await asyncio.sleep(0)
            begun = time.monotonic()
    return events
