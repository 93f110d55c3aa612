"""Exact values of small boards and late positions of two-player games, and perfect moves.

>>> from hedgerow.match import Match
>>> m = Match("rootbound(side=3)"); m.play("c3 a1 e3 b1 b4 d2 e1 a3")
>>> solve(m).winner
1
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.game import HedgerowError, Outcome, Rules
from hedgerow.kernels.dispatch import kept
from hedgerow.match import Match
from hedgerow.search.proof import (
    CURSOR,
    ENTRY,
    HIGHEST,
    MISSED,
    OPEN,
    REACHED,
    ROW,
    UNKNOWN,
    UNLISTED,
    Workspace,
    prove,
)

DEEPEST = 256
"""The longest line of play that is followed, in plies."""
SLICE = 100_000
"""How many plays are made in compiled code between two looks at the clock."""


class Unfinished(Exception):
    """The time is up, the search was stopped, or a line of play is too long."""


@dataclass(frozen=True)
class Solution:
    """What perfect play leads to."""

    winner: int
    """The seat that wins by force, -1 for a draw."""
    margin: int | None
    """The score of seat 0 less that of seat 1; None if only the winner was asked for."""
    turn: str
    """A perfect turn, or the rest of one; "" if the game is over."""
    plays: int
    """How many actions were played in compiled code to find out."""


def solve(
    game: Match | Rules[Any],
    position: Any = None,
    *,
    by_score: bool = False,
    deepening: bool = False,
    seconds: float | None = None,
    plays: int | None = None,
    memory: int = 256,
    stop: threading.Event | None = None,
) -> Solution | None:
    """Who wins by force, with by_score also by how much, and a perfect turn; None if that could not be found in time.

    The limits are seconds, or about how many actions are played in compiled code: the same on every machine. deepening
    looks for short proofs first, which pays where games can go on for long. memory is in MB. Where history matters it
    is part of the position, so what is found is exact.
    """
    rules = game.rules if isinstance(game, Match) else game
    if position is None:
        position = game.plain if isinstance(game, Match) else game.start()
    solver = Solver(rules, by_score=by_score, deepening=deepening, memory=memory, stop=stop)
    try:
        return solver.solve(position, seconds, plays)
    except Unfinished:
        return None


class Solver:
    """Solves positions of one game; what it has proved once it remembers."""

    def __init__(
        self,
        rules: Rules[Any],
        *,
        by_score: bool = False,
        deepening: bool = False,
        memory: int = 256,
        stop: threading.Event | None = None,
    ) -> None:
        if rules.players != 2:
            raise HedgerowError(f"cannot solve {rules.name}; hint: only games of two players have a value")
        self.rules, self.by_score, self.stop = rules, by_score, stop
        self.limits = (*range(2, DEEPEST, 2), DEEPEST) if deepening else (DEEPEST,)
        self.end: float | None = None
        self.last: int | None = None
        self.known: dict[tuple[str, int], bool] = {}
        """Whether symmetric positions reach a bound."""
        self.most = 2 * 2 * len(rules.board) + 1 if by_score else 1
        self.table = new_table(memory)
        self.work = new_workspace(rules, self.most)

    @property
    def plays(self) -> int:
        """How many actions have been played in compiled code."""
        return int(self.work.cursor.plays[0])

    def solve(self, position: Any, seconds: float | None = None, plays: int | None = None) -> Solution:
        """The value of a position and a perfect turn; raises Unfinished."""
        self.end = None if seconds is None else time.monotonic() + seconds
        self.last = None if plays is None else self.plays + plays
        before, value = self.plays, self.value(position)
        winner = -1 if value == 0 else int(value < 0)
        margin = int(value / 2) if self.by_score else None  # towards 0: the winner of a tie adds 1
        return Solution(winner, margin, self.turn(position, value), self.plays - before)

    def value(self, position: Any) -> int:
        """1, 0 or -1 as seat 0 wins, draws or loses; by score, twice the margin more."""
        low, high, bound = -self.most, self.most, 1
        while low < high:
            reached, _ = self.settle(position, bound)
            seen = np.flatnonzero(self.work.seen) - self.most  # no position has a value that no end has
            if reached:
                low = int(seen[seen >= bound].min())
            else:
                high = int(seen[seen < bound].max())
            bound = (low + high + 1) // 2
        return low

    def turn(self, position: Any, value: int) -> str:
        """The rest of a turn that keeps the value of a position."""
        words: list[str] = []
        while not self.rules.outcome(position) and (not words or self.rules.mid_turn(position)):
            _, action = self.settle(position, value + position.to_move)
            words.append(self.rules.spell(position, action))
            position = self.rules.play(position, action)
        return " ".join(words)

    # --- whether a bound is reached -----------------------------------------------------------------------------------

    def settle(self, position: Any, bound: int) -> tuple[bool, int]:
        """Whether the value reaches a bound, and the action that settles it if the player to move has one, else -1."""
        if outcome := self.rules.outcome(position):
            return self._worth(outcome) >= bound, -1
        symmetries = [s for s in self.rules.symmetries[1:] if self.rules.turned(position, s) == position]
        if not symmetries:
            return self._prove(position, bound)
        wanted = position.to_move == 0
        for action in self.rules.legal(position):
            if any(self.rules.actions.turned(action, s) < action for s in symmetries):
                continue
            if self._reaches(self.rules.play(position, action), bound) == wanted:
                return wanted, action
        return not wanted, -1

    def _reaches(self, position: Any, bound: int) -> bool:
        """The same for a position that other symmetric ways may have led to."""
        rules = self.rules
        key = min(rules.write(rules.turned(position, s)) for s in rules.symmetries), bound
        if key not in self.known:
            self.known[key] = self.settle(position, bound)[0]
        return self.known[key]

    def _worth(self, outcome: Outcome) -> int:
        won = 1 - 2 * outcome.winners[0] if outcome.winners else 0
        worth = won + 2 * (outcome.scores[0] - outcome.scores[1]) if self.by_score and outcome.scores else won
        self.work.seen[worth + self.most] = True
        return worth

    def _prove(self, position: Any, bound: int) -> tuple[bool, int]:
        work, packed = self.work, self.rules.fast.pack(position)
        for limit in self.limits:
            work.stack[0], work.cursor.level, work.rows.left[0] = packed[0], 0, UNLISTED
            answer = self._search(bound, limit)
            if answer != UNKNOWN:
                found = answer == (REACHED if position.to_move == 0 else MISSED)
                return answer == REACHED, int(work.actions[0, work.rows.left[0]]) if found else -1
        raise Unfinished

    def _search(self, bound: int, limit: int) -> int:
        answer = OPEN
        while answer == OPEN:
            if self._enough():
                raise Unfinished
            answer = int(prove(self.rules.fast.boards, self.work, self.table, bound, self.by_score, limit, SLICE))
        return answer

    def _enough(self) -> bool:
        """The search was stopped, or has used up its time or its plays."""
        late = self.end is not None and time.monotonic() >= self.end
        return late or (self.last is not None and self.plays >= self.last) or bool(self.stop and self.stop.is_set())


def new_table(memory: int) -> np.recarray[Any, Any]:
    """An empty table of at most so many MB."""
    slots = 1 << (memory * 2**20 // ENTRY.itemsize).bit_length() - 1
    table = np.zeros(slots, kept(ENTRY)).view(np.recarray)
    table.low, table.high, table.tried = -HIGHEST, HIGHEST, -1
    return table


def new_workspace(rules: Rules[Any], most: int) -> Workspace:
    """What a proof works in, for a game whose values lie from -most to most."""
    dtype, actions, levels = rules.fast.dtype, rules.actions.size, DEEPEST + 2
    stack = np.zeros(levels, dtype)
    return Workspace(
        stack=stack.view(np.recarray),
        words=stack.view(np.uint64).reshape(levels, -1),
        masks=masks(dtype, rules.fast.identity or dtype.names),
        rows=np.zeros(levels, kept(ROW)).view(np.recarray),
        actions=np.zeros((levels, actions), np.int16),
        promises=np.zeros((levels, actions), np.int64),
        history=np.zeros((2, actions), np.int64),
        seen=np.zeros(2 * most + 1, np.bool_),
        cursor=np.zeros(1, kept(CURSOR)).view(np.recarray),
    )


def masks(dtype: Any, names: tuple[str, ...]) -> np.ndarray:
    """The bits of a record, as words, that these fields take up."""
    mask = np.zeros(dtype.itemsize, np.uint8)
    for name in names:
        field, offset = dtype.fields[name][:2]
        mask[offset : offset + field.itemsize] = 255
    return mask.view(np.uint64)
