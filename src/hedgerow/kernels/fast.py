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
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hedgerow.kernels import batch
from hedgerow.kernels.dispatch import kept


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

    def __post_init__(self) -> None:
        self.dtype, self.boards = kept(self.dtype), self.boards.view(kept(self.boards.dtype))
        self._start = self.pack(self.start)

    def _ours(self, states: np.ndarray) -> np.ndarray:
        """The same rows under our own dtype object, wherever they come from."""
        return states if states.dtype is self.dtype else states.view(self.dtype)

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
        """Plays actions[i] in row i, in place and unchecked; finished rows and negative actions are left alone."""
        batch.play_batch(self.boards, self._ours(states), np.asarray(actions, np.int64))

    def pick(self, states: np.ndarray, seed: int) -> np.ndarray:
        """int64 (n,): a random legal action for each row, -1 where the game is over; pass and done only if need be."""
        actions = np.empty(len(states), np.int64)
        batch.pick_batch(self.boards, self._ours(states), np.uint64(seed), actions)
        return actions

    def results(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """winners int8 (n,) (-1 a draw, -2 still going on) and scores int32 (n, players)."""
        winners, scores = np.empty(len(states), np.int8), np.zeros((len(states), self.players), np.int32)
        batch.result_batch(self.boards, self._ours(states), winners, scores)
        return winners, scores

    def playouts(self, count: int, seed: int = 0, threads: int = 1) -> Playouts:
        """Random games from the start; the same seed gives the same games on any number of threads."""
        games = Playouts(np.empty(count, np.int8), np.zeros((count, self.players), np.int32), np.empty(count, np.int32))
        edges = np.linspace(0, count, max(1, threads) + 1).astype(np.int64)
        with ThreadPoolExecutor(max(1, threads)) as pool:
            list(pool.map(lambda span: self._span(games, seed, *span), pairwise(edges)))
        return games

    def perft(self, depth: int) -> int:
        """How many action sequences of exactly `depth` plies there are from the start."""
        return int(batch.perft_count(self.boards, self.new(depth + 1), depth))

    def _span(self, games: Playouts, seed: int, first: np.int64, end: np.int64) -> None:
        part = (array[first:end] for array in games)
        batch.playout_batch(self.boards, self._start, np.uint64(seed), first, *part)

    def warm(self, progress: Callable[[str], None] | None = None) -> None:
        """Compiles every kernel, or loads it from the cache, and says which is next."""
        states, say = self.new(), progress or (lambda name: None)
        for name, use in (
            ("legal", lambda: self.legal(states)),
            ("pick", lambda: self.pick(states, 0)),
            ("play", lambda: self.play(states, [-1])),
            ("results", lambda: self.results(states)),
            ("playouts", lambda: self.playouts(1)),
            ("perft", lambda: self.perft(1)),
        ):
            say(name)
            use()
