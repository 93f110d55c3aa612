"""An immutable snapshot of a game as it is stored, to read while the next turn is judged and written.

A snapshot never changes, so nobody has to hold the game to read it; what is asked of it is worked out once, however
many ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hedgerow import draw
from hedgerow.serve.play.state import GameState
from hedgerow.serve.play.views.board import BoardView, board_view
from hedgerow.told import Told, told

if TYPE_CHECKING:
    from hedgerow.serve.play.live import LiveGame
    from hedgerow.serve.play.offers import Offer

Lines = tuple[str, ...]
IDENT = "board"
"""What the ids of a game's picture begin with: the same in every position, so that few lines differ."""


class Snapshot(GameState):
    """One version of a game."""

    __slots__ = (
        "_board",
        "_drawn",
        "_told",
        "begun",
        "clocks",
        "control",
        "creator",
        "id",
        "last",
        "lobby",
        "match",
        "offered",
        "outcome",
        "private",
        "rated",
        "rematch",
        "seats",
        "since",
        "turns",
        "undo_steps",
        "version",
        "welcome",
    )

    def __init__(self, live: LiveGame) -> None:
        self.id, self.version, self.creator = live.id, live.version, live.creator
        self.match, self.undo_steps, self.turns = live.match.copy(), tuple(live.undo_steps), tuple(live.turns)
        self.seats, self.outcome, self.begun, self.last = live.seats, live.outcome, live.begun, live.last
        self.control, self.clocks, self.since = live.clock.control, live.clock.shown(), live.since
        if self.clocks and self.last and self.last.kind == "flag":
            self.clocks[self.last.seat] = 0
        self.private, self.rated, self.welcome, self.rematch = live.private, live.rated, live.welcome, live.rematch
        self.lobby = live.lobby
        self.offered: list[Offer] | None = None
        """What is on offer, where that is known."""
        self._board: BoardView | None = None
        self._drawn: dict[tuple[str, bool], Lines] = {}
        self._told: dict[int, Told | None] = {}

    @property
    def places(self) -> tuple[int, ...]:
        """The place of every seat, 0 for those that are still in."""
        if self.outcome and self.outcome.places:
            return self.outcome.places
        return self.match.rules.placed(self.match.plain)

    @property
    def board(self) -> BoardView:
        """The board without its picture."""
        if self._board is None:
            last = self.told(len(self.turns) - 1) if self.turns else None
            self._board = board_view(self.match, self.state == "playing", self.outcome, self.turns, last)
        return self._board

    def told(self, number: int) -> Told | None:
        """What a turn did, by its number from 0."""
        if number not in self._told:
            now = number == len(self.turns) - 1
            self._told[number] = told(self.match if now else self.match.after(number + 1))
        return self._told[number]

    def news(self, account: int | None, first: int | None = None) -> Iterator[tuple[Told, str]]:
        """The turns from the first of them, or since the reader's own last one, with what they did in words."""
        reader, turns = self.reader(account), len(self.turns)
        if first is None:
            own = self.last_turn_of(reader)
            first = max(turns - 1 if own is None else own, turns - len(self.seats), 0)
        for number in range(first, turns):
            if found := self.told(number):
                yield found, found.words(you=reader)

    def drawn(self, look: str, across: bool) -> Lines:
        """The lines of the picture in a look, from the near side or from across."""
        key = look, across
        if key not in self._drawn:
            scene = self.match.scene()
            self._drawn[key] = tuple(draw.svg_lines(scene, look, ident=IDENT, across=across, styled=False))
        return self._drawn[key]


def changed(before: Sequence[str], after: Sequence[str]) -> dict[int, str] | None:
    """The lines that differ, by their place; None where the pictures are not of one kind.

    >>> changed(["a", "b"], ["a", "c"]), changed(["a"], ["a", "b"])
    ({1: 'c'}, None)
    """
    if len(before) != len(after):
        return None
    return {place: line for place, (old, line) in enumerate(zip(before, after)) if old != line}
