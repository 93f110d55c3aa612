"""One game in memory: its match, replayed from its turns, its seats and its clock; and what it tells of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import msgspec

from hedgerow.game import HedgerowError, Outcome, Rules
from hedgerow.games import make
from hedgerow.match import Match
from hedgerow.search.turns import goes_on
from hedgerow.serve.clocks import Clock, Control
from hedgerow.serve.refusals import Refused

CALLED_OFF = Outcome("called off", None, (), ())
"""How a game ended that does not count: nobody has won, and nobody has a place."""
LONGEST = 200
"""How many characters a turn may have."""


class Ended(msgspec.Struct):
    """How a game ended, for programs."""

    reason: str
    scores: tuple[int, ...] | None
    winners: tuple[int, ...]
    places: tuple[int, ...]


class Happened(msgspec.Struct):
    """One row of a game: a `turn`, or `resign`, `flag`, `draw`, `undo`, `abort`, or `sit` (a person for a machine)."""

    number: int
    kind: str
    seat: int
    text: str
    at: int
    spent: int = 0
    """What the clock charged for it, in milliseconds."""


class Event(msgspec.Struct, tag_field="type", tag="event"):
    """What everybody at a game is told when something has happened in it and is stored."""

    version: int
    turn: Happened
    to_move: int | None
    clocks: list[int] | None
    outcome: Ended | None


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits there: a person's account, or a machine's player, or nobody yet."""

    account: int | None
    name: str
    player: str | None
    invited: int | None = None
    """Whom the seat is kept for while it is free."""
    bot: bool = False
    """A program plays for it: a bot's account, or a machine."""

    @property
    def free(self) -> bool:
        """Nobody sits there."""
        return self.account is None and self.player is None


def ended(outcome: Outcome | None) -> Ended | None:
    """An outcome as programs read it."""
    return Ended(outcome.reason, outcome.scores, outcome.winners, outcome.places) if outcome else None


@lru_cache(maxsize=256)
def rules_of(name: str) -> Rules[Any]:
    """The rules of a canonical name, without looking through the folders again."""
    return make(name)


class Past(NamedTuple):
    """A turn as a take-back needs it: whose (-1 for a seat that left), its actions, and the clocks before it."""

    seat: int
    actions: int
    clocks: tuple[int, ...]


class LiveGame:
    """A game as this process knows it; `lock` is held from judging a turn until it is stored."""

    __slots__ = (
        "begun",
        "clock",
        "creator",
        "id",
        "last",
        "lock",
        "match",
        "outcome",
        "past",
        "private",
        "rated",
        "rematch",
        "seats",
        "since",
        "touched",
        "unasked",
        "version",
        "welcome",
    )

    def __init__(self, row: Any, seats: Sequence[Seat]) -> None:
        self.id: str = row.id
        self.match = Match(rules_of(row.rules))
        began = datetime.fromtimestamp((row.begun or row.created) / 1000, UTC)
        self.match.tags["Date"] = began.date().isoformat()
        self.creator: int = row.creator
        self.private: bool = row.private
        self.rated: bool = row.rated
        self.welcome: bool = row.welcome
        self.rematch: str | None = row.rematch
        self.seats = tuple(seats)
        self.clock = Clock(Control(row.clock, row.base_ms, row.increment_ms), self.match.rules.players)
        self.begun: int | None = row.begun
        self.since: int = row.begun or row.created
        """When the turn that is being thought about began."""
        self.version = 0
        self.outcome: Outcome | None = None
        self.past: list[Past] = []
        """What may be taken back, the last at the end."""
        self.last: Happened | None = None
        self.unasked = -1
        """The version at which nobody has offered anything, so that nobody need look."""
        self.lock = asyncio.Lock()
        self.touched = 0.0
        """When somebody last asked for it, by the monotonic clock."""

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """The game has ended."""
        return self.outcome is not None

    @property
    def state(self) -> Literal["open", "playing", "over"]:
        """`open` while a seat is free, `playing`, `over`."""
        return "over" if self.over else "open" if self.begun is None else "playing"

    @property
    def to_move(self) -> int | None:
        """The seat to move, None when the game is over."""
        return None if self.over else self.match.to_move

    @property
    def due(self) -> int | None:
        """When the flag of the seat to move falls."""
        return None if self.over or self.begun is None else self.clock.due(self.match.to_move, self.since)

    def seat_of(self, account: int) -> int | None:
        """Where an account sits; the seat to move where it sits at several."""
        mine = [number for number, seat in enumerate(self.seats) if seat.account == account]
        return self.match.to_move if self.match.to_move in mine else mine[0] if mine else None

    def people_in(self) -> dict[int, int]:
        """The people who are still in, as the account of every seat."""
        placed = self.match.rules.placed(self.match.plain)
        return {n: seat.account for n, seat in enumerate(self.seats) if seat.account is not None and not placed[n]}

    def machines_in(self) -> list[int]:
        """The seats of machines that are still in."""
        placed = self.match.rules.placed(self.match.plain)
        return [number for number, seat in enumerate(self.seats) if seat.player and not placed[number]]

    def turns_back(self, seat: int) -> int:
        """How many turns a take-back takes, back to this seat's last one; 0 where there is none, or somebody left."""
        for back, past in enumerate(reversed(self.past), 1):
            if past.seat in (seat, -1):
                return back if past.seat == seat else 0
        return 0

    @property
    def under_way(self) -> bool:
        """Every seat has played or left, so that nobody may call the game off alone."""
        placed = self.match.rules.placed(self.match.plain)
        played = {past.seat for past in self.past}
        return all(seat in played or placed[seat] for seat in range(len(self.seats)))

    def event(self) -> Event:
        """What the last row changed."""
        assert self.last is not None
        return Event(self.version, self.last, self.to_move, self.clock.shown(), ended(self.outcome))

    # --- playing ------------------------------------------------------------------------------------------------------

    def play(self, text: str) -> str:
        """Plays one whole turn, or raises and changes nothing; returns it as the rules spell it."""
        match = self.match
        spelled: list[str] = []
        if len(text) > LONGEST:
            raise Refused("unreadable", f"a turn of {len(text)} characters; hint: at most {LONGEST}")
        try:
            for word in text.split() or [""]:
                if spelled and not goes_on(match):
                    raise Refused("illegal", f"more than one turn in {text[:80]!r}; hint: it ended before {word!r:.42}")
                match.play(word)
                spelled.append(match.last_word)
            if goes_on(match):
                raise Refused("illegal", f"unfinished turn {text[:80]!r}; hint: {match.prompt}")
        except HedgerowError:
            for _ in spelled:
                match.undo()
            raise
        return " ".join(spelled)

    def apply(self, kind: str, seat: int, text: str, at: int, spent: int) -> Happened:
        """Does one thing to the match, now or again from what is stored; the clock and the version move on.

        A seat that leaves out of turn does not stop the clock of the one who is thinking.
        """
        mover, clocks = self.match.to_move, tuple(self.clock.left)
        if kind == "turn":
            text = self.play(text)
            self.clock.settle(seat, spent)
            self.past.append(Past(seat, text.count(" ") + 1, clocks))
        elif kind == "undo":
            self._take_back(int(text))
        elif kind == "draw":
            self.match.agree_draw()
        elif kind in ("resign", "flag"):
            (self.match.resign if kind == "resign" else self.match.flag)(seat)
            self.past.append(Past(-1, 1, clocks))
        self.outcome = CALLED_OFF if kind == "abort" else self.match.outcome
        if kind == "undo" or (seat == mover and kind != "sit"):
            self.since = at
        self.last = Happened(self.version, kind, seat, text, at, spent)
        self.version += 1
        return self.last

    def _take_back(self, turns: int) -> None:
        """So many turns were never played: the board and the clocks are as they were, and the turn begins anew."""
        for _ in range(turns):
            past = self.past.pop()
            for _ in range(past.actions):
                self.match.undo()
            self.clock.left = list(past.clocks)
