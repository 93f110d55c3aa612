"""Alpha-beta: every line to a depth, then one ply deeper, as long as time allows.

It suits games whose evaluation tells much, like Root Down: what a line is worth is told by the game's `evaluate` at its
end. Principal variation search (`pvs`) with a transposition table that lasts from one depth, and one turn, to the next;
several threads look at the same root and help each other through the table. With more than two players whoever
searches takes all the others to be against them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hedgerow.game import Rules
from hedgerow.kernels.dispatch import kept
from hedgerow.search.pvs import ENDLESS, LEVEL, NEARLY_WON, UNLISTED, WON, Workspace, cursor_type, search
from hedgerow.search.solve import masks
from hedgerow.search.timing import now, one_thread_counts
from hedgerow.search.transpositions import empty_table

__all__ = ["WON", "Found", "look_ahead", "table_for"]

DEEPEST = 60
SHARE = 4_000
"""Plays before compiled code comes back to look at the clock: a millisecond or two."""
WINDOW = 60
"""How far from the last depth's value the next one is expected."""
SOFT = 0.6
"""After this share of its time no deeper look is begun: it would hardly be finished."""
BYTES_A_PLAY = 16


class Found(NamedTuple):
    """What alpha-beta has found."""

    action: int
    value: int
    """For the player to move: hundredths of a point; near WON or -WON where the game is decided."""
    depth: int


def look_ahead(
    rules: Rules[Any],
    position: Any,
    *,
    seconds: float | None = None,
    plays: int | None = None,
    only: Sequence[int] | None = None,
    seed: int = 0,
    threads: int = 1,
    table: np.ndarray | None = None,
) -> Found:
    """The best action, or the best of `only` these, by the deepest look that fits into the limits.

    The first ply is always looked at. Among actions that seem equally good the seed decides. `plays` are counted for
    each thread.

    >>> from hedgerow.match import Match
    >>> match = Match("root_down")
    >>> look_ahead(match.rules, match.plain, plays=5000).depth >= 2
    True
    """
    one_thread_counts(threads)
    looked_at = list(only or rules.legal(position))
    limit = Limit(seconds, plays)
    known = table_for(plays) if table is None else table
    looks = [Look(rules, position, looked_at, known, seed + number, limit) for number in range(threads)]
    others = [threading.Thread(target=look.run, args=(1 + number % 2,)) for number, look in enumerate(looks[1:], 1)]
    for other in others:
        other.start()
    try:
        return looks[0].run()
    finally:
        limit.over = True
        for other in others:
            other.join()


def table_for(plays: int | None, megabytes: int = 64) -> np.ndarray:
    """A table with room for so many plays, or of this size."""
    return empty_table(megabytes if plays is None else min(megabytes, plays * BYTES_A_PLAY / 2**20))


class Limit:
    """When a search has to end."""

    def __init__(self, seconds: float | None, plays: int | None) -> None:
        self.begun, self.seconds, self.plays, self.over = now(), seconds, plays, False

    def reached(self, plays: int) -> bool:
        """The time is up, or so many plays are enough."""
        late = self.seconds is not None and now() - self.begun >= self.seconds
        return self.over or late or (self.plays is not None and plays >= self.plays)

    def near(self) -> bool:
        """There is too little time left for a deeper look."""
        return self.seconds is not None and now() - self.begun >= SOFT * self.seconds


class Look:
    """One thread's search of a position."""

    def __init__(
        self, rules: Rules[Any], position: Any, looked_at: list[int], table: np.ndarray, seed: int, limit: Limit
    ) -> None:
        self.boards, self.table, self.limit = rules.fast.boards, table, limit
        self.work = workspace(rules, position, seed)
        self.work.seen[looked_at] = True
        self.found = Found(looked_at[0], 0, 0)

    def run(self, depth: int = 1) -> Found:
        """Looks deeper and deeper, from a depth on; returns what the deepest look has found."""
        while depth < DEEPEST and self._deepen(depth):
            if abs(self.found.value) > NEARLY_WON or (depth > 1 and self.limit.near()):
                break
            depth += 1
        return self.found

    def _deepen(self, depth: int) -> bool:
        """Looks to a depth; False if the limit came first, and what was found until then is kept."""
        expected, margin = self.found.value, WINDOW if depth > 2 else ENDLESS
        while True:
            low, high = max(-ENDLESS, expected - margin), min(ENDLESS, expected + margin)
            finished = self._look(depth, low, high)
            root = self.work.rows[0]
            value = int(root.best)
            if low < value and (finished or root.at > 0) and value > -ENDLESS:
                self.found = Found(int(root.choice), value, depth if finished else depth - 1)
            if not finished or low < value < high or margin >= ENDLESS:
                return finished
            margin = min(ENDLESS, 8 * margin)

    def _look(self, depth: int, low: int, high: int) -> bool:
        work = self.work
        root, work.cursor.level = work.rows[0], 0
        root.total, root.depth, root.low, root.high, root.best, root.at = UNLISTED, depth, low, high, -ENDLESS, 0
        while not search(self.boards, work, self.table, SHARE):
            if depth > 1 and self.limit.reached(int(work.cursor.plays[0])):
                return False
        return True


def workspace(rules: Rules[Any], position: Any, seed: int) -> Workspace:
    """What a thread works in, with the position at its root."""
    levels, size, dtype = DEEPEST + 2, rules.actions.size, rules.fast.dtype
    stack = rules.fast.pack(position).repeat(levels)
    bits = masks(dtype, rules.fast.key_fields or rules.fast.identity or dtype.names)

    rows = np.zeros(levels, kept(LEVEL)).view(np.recarray)
    rows.choice = rows.killers = -1

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)

    return Workspace(
        stack=stack.view(np.recarray),
        words=stack.view(np.uint64).reshape(levels, -1),
        places=np.flatnonzero(bits),
        masks=bits[bits != 0],
        rows=rows,
        actions=zeros(levels, size),
        promises=zeros(levels, size),
        history=np.random.default_rng(seed).integers(0, 4, (rules.players, size)),
        seen=np.zeros(size, np.bool_),
        cursor=np.zeros(1, kept(cursor_type(rules.players))).view(np.recarray),
    )
