"""A game at this keyboard: its match, who sits where, clocks, take-back, saving; nothing is drawn here.

>>> from hedgerow.terminal.play.seats import people
>>> match = Match("root_bound(side=4)"); table = Session(match, people(match.rules))
>>> table.play("a1"); table.play("c3 g2"); table.take_back(), table.match.turns
("took back White's turn 'c3 g2'", ('a1',))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hedgerow.game import HedgerowError
from hedgerow.match import Match
from hedgerow.terminal.play.clock import Clock, Control, control_of
from hedgerow.terminal.play.files import Keeper, load, write
from hedgerow.terminal.play.seats import Seat, check, named_in, seat_of

CLOCK, LEFT = "Clock", "Left"
"""The headers of a record that keep the clock: as it was set, and the seconds left to every seat."""


class Session:
    """A game that is played here."""

    local = True

    def __init__(
        self, match: Match, seats: Sequence[Seat], control: Control | None = None, keeper: Keeper | None = None
    ) -> None:
        check(match.rules, seats)
        self.match, self.seats, self.keeper = match, list(seats), keeper or Keeper()
        self.clock = Clock(control, match.rules.players) if control else None
        self.version = 0
        """Counts every change, so that a machine that has thought too long is not heard."""
        self.thinking = ""
        """What a machine does now, in words."""
        self._saved = -1
        """The version that was saved last."""
        self._times: list[tuple[int, list[float]]] = []
        """The clocks before each turn, by how many turns there were."""
        self._tell()

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    @property
    def mover(self) -> Seat | None:
        """Who is to move; nobody when the game is over."""
        return None if self.match.outcome else self.seats[self.match.to_move]

    @property
    def mine(self) -> bool:
        return self.mover is not None and not self.mover.machine

    @property
    def near(self) -> int | None:
        mine = [number for number, seat in enumerate(self.seats) if not seat.machine]
        return mine[0] if len(mine) == 1 else None

    @property
    def note(self) -> str:
        return self.thinking

    def clocks(self) -> list[float] | None:
        return self.clock.shown() if self.clock else None

    # --- playing ------------------------------------------------------------------------------------------------------

    def play(self, text: str) -> None:
        seat, turns = self.match.to_move, len(self.match.turns)
        fresh = not self.match.mid_turn
        before = self.clock.shown() if self.clock else None
        self.match.play(text)
        if before is not None and fresh:
            self._times.append((turns, before))
        if self.clock and not self.match.mid_turn:
            self.clock.finish_turn(seat)
        self._changed()

    def run_clock(self) -> None:
        """The clock runs for whoever is to move, where it rested."""
        if self.clock and not self.match.outcome:
            self.clock.start(self.match.to_move)

    def hold_clock(self) -> None:
        """The clock rests: a machine is not ready yet, or nobody looks."""
        if self.clock:
            self.clock.stop()

    def share(self, seat: int) -> float | None:
        """How many seconds a machine may think about its next turn; None without clocks."""
        return self.clock.share(seat) if self.clock else None

    def fell(self) -> str:
        """Lets a flag fall whose time has come; what there is to say of it, or nothing."""
        seat = self.clock.fallen() if self.clock and not self.match.outcome else None
        if seat is None or self.clock is None:
            return ""
        self.clock.stop()
        self.match.flag(seat)
        self._changed()
        return f"{self.match.rules.seats[seat]} ran out of time."

    def resign(self) -> str:
        seat = self._leaver()
        self.match.resign(seat)
        self._changed()
        return f"{self.match.rules.seats[seat]} resigned."

    def _leaver(self) -> int:
        """Who gives up: whoever is to move, if a person; else the only person who is left in."""
        if self.match.outcome:
            raise HedgerowError("the game is over; hint: take back, or begin a new one")
        placed = self.match.rules.placed(self.match.plain)
        here = [number for number, seat in enumerate(self.seats) if not seat.machine and not placed[number]]
        if self.match.to_move in here or len(here) != 1:
            return self.match.to_move
        return here[0]

    def draw(self) -> str:
        if any(seat.machine for seat in self.seats):
            raise HedgerowError("a machine agrees to no draw; hint: play on, or resign")
        self.match.agree_draw()
        self._changed()
        return "A draw was agreed."

    def take_back(self) -> str:
        """One action of a turn that has begun, else the turns back to the last one of a person."""
        match, seats = self.match, self.match.rules.seats
        if match.mid_turn:
            word = match.last_word
            match.undo()
            self._changed()
            return f"took back {word}"
        if not match.actions:
            raise HedgerowError("nothing to take back; hint: this is the start of the game")
        whose, taken = self._undo_turn()
        while self.mover is not None and self.mover.machine and match.actions:
            whose, taken = self._undo_turn()
        self._changed()
        return f"took back {seats[whose]}'s turn {taken!r}" if whose >= 0 else "took back the end of the game"

    def _undo_turn(self) -> tuple[int, str]:
        """Takes one turn back, with its clock: whose it was (-1 where somebody left), and how it was spelled."""
        match = self.match
        taken, ended = match.last_turn, match.actions[-1] < 0
        match.undo_turn()
        while self._times and self._times[-1][0] >= len(match.turns):
            turns, left = self._times.pop()
            if self.clock and turns == len(match.turns):
                self.clock.set(left)
        return (-1 if ended else match.to_move), taken

    def say(self, verb: str, words: str) -> str:
        raise HedgerowError(f"{verb!r} is for games on a server; hint: hedgerow play --server URL")

    def set_level(self, words: str) -> str:
        """Seats somebody else: `5` for every machine, or `White 5`, `White Ann`."""
        rules, sides = self.match.rules, [name.lower() for name in self.match.rules.seats]
        side, _, who = words.strip().partition(" ")
        if side.lower() in sides and who:
            which = [sides.index(side.lower())]
        else:
            which, who = [n for n, seat in enumerate(self.seats) if seat.machine], words.strip()
        if not which:
            raise HedgerowError(f"no machine plays here; hint: level {rules.seats[-1]} 3 seats one")
        if not re.fullmatch(r"\S.*", who):
            highest = len(rules.game.measured.ladder)
            raise HedgerowError(f"no level in {words!r:.40}; hint: level 1 to {highest}, or level {rules.seats[-1]} 3")
        new = [seat_of(who) for _ in which]
        check(rules, new)
        for number, seat in zip(which, new):
            self.seats[number] = seat
        self._changed()
        return f"{' and '.join(rules.seats[number] for number in which)}: {new[0].name}"

    def sit(self, seats: Sequence[Seat]) -> None:
        """Seats others at the game; raises HedgerowError where a machine cannot play it."""
        check(self.match.rules, seats)
        self.seats = list(seats)
        self._tell()

    # --- saving -------------------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        self.version += 1
        self._tell()
        self.keeper.keep(self.match)

    def _tell(self) -> None:
        """Writes into the tags what a record should say besides the turns."""
        tags = self.match.tags
        tags.update((side, seat.name) for side, seat in zip(self.match.rules.seats, self.seats))
        if self.clock:
            tags[CLOCK], tags[LEFT] = str(self.clock.control), " ".join(f"{left:.1f}" for left in self.clock.shown())

    def save(self, path: Path) -> str:
        """Writes the game to a file; raises HedgerowError where that cannot be."""
        self._tell()
        write(path, self.match.record())
        self._saved = self.version
        return f"saved to {path}"

    def leave(self) -> str:
        """Whoever played goes away: what becomes of the game, in words, or nothing where there is nothing to keep."""
        self.hold_clock()
        if not self.match.actions or self.match.outcome or self._saved == self.version:
            self.keeper.forget()
            return ""
        self._tell()
        self.keeper.keep(self.match)
        if self.keeper.trouble:
            return f"The game could not be kept: {self.keeper.trouble}"
        return f"The game is kept in {self.keeper.path}; go on with: hedgerow play --resume"


def opened(path: Path, keeper: Keeper | None = None) -> Session:
    """The session of a record, with its seats and clocks as far as it tells of them."""
    match = load(path)
    tags = match.tags
    left = tags.get(LEFT, "").split()
    session = Session(match, named_in(tags, match.rules), _control_in(tags), keeper)
    if session.clock and len(left) == match.rules.players and all(re.fullmatch(r"\d{1,6}(\.\d+)?", t) for t in left):
        session.clock.set([float(time) for time in left])
    return session


def _control_in(tags: dict[str, str]) -> Control | None:
    try:
        return control_of(tags.get(CLOCK, ""))
    except HedgerowError:
        return None
