"""The compiled twin of one set of rules, as Python sees it: arrays of records in, arrays out.

>>> import hedgerow as hg
>>> fast = hg.make("root_and_thorn").fast
>>> states = fast.new(1000)                 # a thousand start positions, one row each
>>> masks = fast.legal(states)              # bool (1000, 401)
>>> fast.play(states, fast.pick(states, seed=1))
>>> int(masks[0].sum()), int(states["to_move"].sum())
(50, 1000)
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hedgerow.kernels import batch, sight
from hedgerow.kernels.dispatch import kept

SHARE = 2048
"""Games that a thread plays before it comes back to Python, where Ctrl-C is heard."""


def _word(seed: int) -> np.uint64:
    """A seed of any size as one word."""
    return np.uint64(seed & 0xFFFFFFFFFFFFFFFF)


class Playouts(NamedTuple):
    """Random games: one entry per game, in the order of their seeds whatever the number of threads."""

    winners: np.ndarray
    """int8 (n,): the winning seat, -1 for a draw."""
    scores: np.ndarray
    """int32 (n, players): 0 in a game without scores."""
    lengths: np.ndarray
    """int32 (n,): plies."""


@dataclass
class Kernels:
    """Compiled rules on arrays of records; every call releases the GIL."""

    dtype: np.dtype
    boards: np.ndarray
    """One record: the tables of these rules."""
    players: int
    actions: int
    pack_into: Callable[[Any, Any], None]
    """(position, record): writes a plain position into a record."""
    unpack_from: Callable[[Any], Any]
    """(record): the plain position."""
    start: Any
    """The plain start position."""
    identity: tuple[str, ...] = ()
    """The fields that tell positions apart: those of two records are equal exactly when their plain positions are.

    The others follow from these, or do not matter. () is every field: equal records are equal positions, but perhaps
    not the other way round.
    """
    features: tuple[str, ...] = ()
    """The names of the game's own features, in the order in which its kernel writes them; () where it has none."""
    owned: bool = False
    """Points have owners when the game is over."""
    key_fields: tuple[str, ...] = ()
    """What a transposition table knows positions by: as `identity`, which () means, but for what seldom matters."""

    def __post_init__(self) -> None:
        self.dtype, self.boards = kept(self.dtype), self.boards.view(kept(self.boards.dtype))
        self._start = self.pack(self.start)

    def _ours(self, states: np.ndarray) -> np.ndarray:
        """The same rows in one piece under our own dtype object, copied only where they lie apart or are read only."""
        if not isinstance(states, np.ndarray) or states.ndim != 1 or states.dtype != self.dtype:
            raise ValueError("these are not positions of this game; hint: an array of rows from new, pack or a copy")
        rows = states if states.flags.c_contiguous and states.flags.writeable else states.copy()
        return rows if rows.dtype is self.dtype else rows.view(self.dtype)

    def new(self, count: int = 1) -> np.ndarray:
        """`count` rows of the start position."""
        return self._start.repeat(count).view(np.recarray)

    def pack(self, position: Any) -> np.ndarray:
        """One row: a plain position as a record."""
        states = np.zeros(1, self.dtype).view(np.recarray)
        self.pack_into(position, states[0])
        return states

    def unpack(self, states: np.ndarray, index: int = 0) -> Any:
        """The plain position in a row."""
        return self.unpack_from(states[index])

    def legal(self, states: np.ndarray) -> np.ndarray:
        """bool (n, actions): which actions are legal in each row; none where the game is over."""
        masks = np.empty((len(states), self.actions), np.bool_)
        batch.legal_batch(self.boards, self._ours(states), masks)
        return masks

    def play(self, states: np.ndarray, actions: Any) -> None:
        """Plays actions[i] in row i, in place; finished rows and negative actions are left alone.

        Whether an action is legal is not checked.
        """
        rows = self._ours(states)
        chosen = np.ascontiguousarray(np.broadcast_to(np.asarray(actions, np.int64), len(rows)))
        if len(chosen) and chosen.max() >= self.actions:
            raise ValueError(f"no action {chosen.max()}; hint: they are numbered from 0 to {self.actions - 1}")
        batch.play_batch(self.boards, rows, chosen)
        if not np.shares_memory(rows, states):
            states[...] = rows

    def pick(self, states: np.ndarray, seed: int) -> np.ndarray:
        """int64 (n,): a random legal action for each row, -1 where the game is over; pass and done only if need be."""
        actions = np.empty(len(states), np.int64)
        batch.pick_batch(self.boards, self._ours(states), _word(seed), actions)
        return actions

    def finish(self, states: np.ndarray, seed: int) -> np.ndarray:
        """Plays every row at random to its end, in place; int32 (n,): how many plies that took."""
        rows, lengths = self._ours(states), np.empty(len(states), np.int32)
        batch.finish_batch(self.boards, rows, _word(seed), lengths)
        if not np.shares_memory(rows, states):
            states[...] = rows
        return lengths

    def results(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """winners int8 (n,) (-1 a draw, -2 still going on) and scores int32 (n, players)."""
        winners, scores = np.empty(len(states), np.int8), np.zeros((len(states), self.players), np.int32)
        batch.result_batch(self.boards, self._ours(states), winners, scores)
        return winners, scores

    def show(self, states: np.ndarray, cells: np.ndarray, width: int, planes: int) -> np.ndarray:
        """u1 (n, features, width): what a network sees; `cells` are the points' places, `planes` those of actions."""
        own = len(self.features)
        out = np.empty((len(states), own + planes + 3 + self.players, width), np.uint8)
        sight.show_batch(self.boards, self._ours(states), cells, own, planes, out)
        return out

    def owners(self, states: np.ndarray, points: int) -> np.ndarray:
        """int8 (n, points): the seat that owns each point of a finished game, -1 where nobody does."""
        out = np.empty((len(states), points), np.int8)
        sight.owners_batch(self.boards, self._ours(states), out)
        return out

    def playouts(self, count: int, seed: int = 0, threads: int = 1) -> Playouts:
        """Random games from the start; the same seed gives the same games on any number of threads."""
        games = Playouts(np.empty(count, np.int8), np.zeros((count, self.players), np.int32), np.empty(count, np.int32))
        pool = ThreadPoolExecutor(max(1, threads))
        try:
            list(pool.map(lambda first: self._some(games, seed, first), range(0, count, SHARE)))
        finally:
            pool.shutdown(cancel_futures=True)
        return games

    def _some(self, games: Playouts, seed: int, first: int) -> None:
        """One share of the games, so that a thread is never away for long."""
        part = (array[first : first + SHARE] for array in games)
        batch.playout_batch(self.boards, self._start, _word(seed), first, *part)

    def perft(self, depth: int) -> int:
        """How many action sequences of exactly `depth` plies there are from the start."""
        return self._perft(self._start, depth)

    def _perft(self, state: np.ndarray, depth: int) -> int:
        """From a row; compiled code takes over near the leaves, so that it is never away for long."""
        if depth <= 4:
            return int(batch.perft_count(self.boards, state.repeat(depth + 1), depth))
        actions = np.flatnonzero(self.legal(state)[0])
        children = state.repeat(len(actions))
        self.play(children, actions)
        return sum(self._perft(children[i : i + 1], depth - 1) for i in range(len(actions)))

    def warm(self, progress: Callable[[str], None] | None = None) -> None:
        """Compiles every kernel, or loads it from the cache, and says which is next."""
        states, say = self.new(), progress or (lambda name: None)
        for name, use in (
            ("legal", lambda: self.legal(states)),
            ("pick", lambda: self.pick(states, 0)),
            ("play", lambda: self.play(states, [-1])),
            ("finish", lambda: self.finish(states.copy(), 0)),
            ("results", lambda: self.results(states)),
            ("playouts", lambda: self.playouts(1)),
            ("perft", lambda: self.perft(1)),
        ):
            say(name)
            use()
