"""What is known of a game at one version: its match, its seats, who has left, and what may be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from hedgerow.game import Outcome
from hedgerow.match import Match
from hedgerow.serve.refusals import Refused

CALLED_OFF = Outcome("called off", None, (), ())
"""How a game ended that does not count: nobody has won, and nobody has a place."""
DECLINED = "declined"
"""The text of the row that ends a challenge because the one who was asked said no."""
NO_FIRST_TURN = "no first turn"
"""The text of the row that calls a rated game off because somebody's time ran out before everybody's first turn."""
LEFT_EARLY = "left early"
"""The same where somebody resigned before that."""


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
    outcome: Outcome | None


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
    back: int | None = None
    """When somebody who is on vacation is back."""
    asked: str = ""
    """The name of whom the seat was kept for."""

    @property
    def free(self) -> bool:
        """Nobody sits there."""
        return self.account is None and self.player is None


class UndoStep(NamedTuple):
    """A turn as a takeback needs it: whose (-1 for a seat that left), its actions, and the clocks before it."""

    seat: int
    actions: int
    clocks: tuple[int, ...]


class GameState:
    """What can be asked of a game at one version."""

    __slots__ = ()

    id: str
    version: int
    creator: int
    match: Match
    seats: tuple[Seat, ...]
    begun: int | None
    since: int
    """When the turn that is being thought about began."""
    outcome: Outcome | None
    undo_steps: Sequence[UndoStep]
    """What may be taken back, the last at the end."""
    turns: Sequence[str]
    """What was played, a text per turn."""
    last: Happened | None
    private: bool
    rated: bool
    welcome: bool
    """People may take over the machines' seats."""
    lobby: bool
    """While a seat is free, everybody is asked to take it."""
    rematch: str | None

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
    def turn_number(self) -> int:
        """The number of the next turn, as people count; what was taken back counts, so that none comes twice."""
        return self.version + 1

    def seat_of(self, account: int | None) -> int | None:
        """Where an account sits; the seat to move where it sits at several."""
        if account is None:
            return None
        mine = [number for number, seat in enumerate(self.seats) if seat.account == account]
        return self.match.to_move if self.match.to_move in mine else mine[0] if mine else None

    def reader(self, account: int | None) -> int | None:
        """The seat that is "you" for an account; None where it has none, or several."""
        mine = [] if account is None else [n for n, seat in enumerate(self.seats) if seat.account == account]
        return mine[0] if len(mine) == 1 else None

    def check_visible(self, account: int | None) -> None:
        """Raises Refused, as if there were no such game, unless an account, or somebody without one, may see it.

        A private game is seen by those who sit in it and by who made it; while a seat is free, by whoever has the link.
        """
        if not self.private or self.state == "open":
            return
        if account is None or (account != self.creator and self.seat_of(account) is None):
            raise Refused("not_found", f"no game {self.id!r:.42}; hint: is the link complete?")

    def named_match(self) -> Match:
        """A copy of the match that knows the names of its players."""
        match = self.match.copy()
        match.tags.update((side, seat.name or "?") for side, seat in zip(match.rules.seats, self.seats))
        return match

    def people_in(self) -> dict[int, int]:
        """The people who are still in, as the account of every seat."""
        placed = self.match.rules.placed(self.match.plain)
        return {n: seat.account for n, seat in enumerate(self.seats) if seat.account is not None and not placed[n]}

    def machines_in(self) -> list[int]:
        """The seats of machines that are still in."""
        placed = self.match.rules.placed(self.match.plain)
        return [number for number, seat in enumerate(self.seats) if seat.player and not placed[number]]

    def last_turn_of(self, seat: int | None) -> int | None:
        """The number, from 0, of the last turn that a seat made; None where it has made none."""
        played = [step.seat for step in self.undo_steps if step.seat >= 0]
        return next((n for n in reversed(range(len(played))) if played[n] == seat), None)

    def turns_back(self, seat: int) -> int:
        """How many turns a takeback takes, back to this seat's last one; 0 where there is none, or somebody left."""
        for back, step in enumerate(reversed(self.undo_steps), 1):
            if step.seat in (seat, -1):
                return back if step.seat == seat else 0
        return 0

    @property
    def declined_by(self) -> str | None:
        """Who said no to this challenge; None where nobody did."""
        if self.last is None or (self.last.kind, self.last.text) != ("abort", DECLINED):
            return None
        return self.seats[self.last.seat].asked if self.last.seat >= 0 else ""

    @property
    def costs_nothing(self) -> bool:
        """A rated game before everybody's first turn: who leaves it or runs out of time calls it off, nobody loses."""
        return self.rated and not self.under_way

    @property
    def under_way(self) -> bool:
        """Every seat has played or left, so that nobody may call the game off alone."""
        placed = self.match.rules.placed(self.match.plain)
        played = {step.seat for step in self.undo_steps}
        return all(seat in played or placed[seat] for seat in range(len(self.seats)))
