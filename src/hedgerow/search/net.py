"""A search whose tree grows by a network's priors and values instead of random games."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

import numpy as np

from hedgerow.game import Rules
from hedgerow.search.grid import Grid
from hedgerow.search.grow import DEEPEST
from hedgerow.search.knobs import Knobs
from hedgerow.search.leaves import Leaves, Weights, absorb, gather
from hedgerow.search.networks import Asked
from hedgerow.search.orientation import Turns, on_points, turns_of
from hedgerow.search.tree import Tree, new_tree
from hedgerow.search.uct import Search

BATCH = 8
"""How many leaves are evaluated together, once the tree is large enough to have as many that are worth it."""
MOMENT = 0.0005
"""How long a thread waits that finds every leaf taken by the others, in seconds."""


class Judgement(NamedTuple):
    """A network's first thoughts of a position."""

    policy: dict[int, float]
    """How likely it thinks each legal action to be the one to play."""
    owners: np.ndarray
    """f4 (players, points): how likely each seat is to own a point in the end; only where points have owners."""
    lead: float
    """The expected score of seat 0 less that of seat 1; only where a game for two has scores."""


class NetSearch(Search):
    """As a Search, but every leaf is judged by a network; on one thread it plays alike every time, whatever the seed.

    Threads take turns at the tree, which is a matter of microseconds, and ask the network side by side.
    """

    def __init__(
        self,
        rules: Rules[Any],
        position: Any,
        network: Asked,
        *,
        threads: int = 1,
        memory: int = 512,
        weights: Weights | None = None,
    ) -> None:
        super().__init__(rules, position, Knobs(), threads=threads, memory=memory)
        self.network, self.grid, self.weights = network, Grid(rules), weights or Weights()
        self.turns = turns_of(rules, self.grid)
        """The ways round in which the network may see a position: all, until a root was not symmetric, then one."""

    def run(self, *, iterations: int | None = None, seconds: float | None = None) -> None:
        if len(self.turns.features) > 1:
            self._look_at_root()
        super().run(iterations=iterations, seconds=seconds)

    def _look_at_root(self) -> Leaves:
        """The root as the network sees it; from now on it sees all positions the same way round.

        Were that chosen for each position, two that the search compares could be seen from different sides, and what
        the network says of them would differ by more than the positions do (docs/networks.md).
        """
        leaves = self._leaves()
        found, _ = self._gather(new_tree(1, self.rules.players, self.rules.actions.size), leaves, 1)
        if found and len(self.turns.features) > 1:
            same = [turn for turn in range(len(self.turns.features)) if int(leaves.same[0]) >> turn & 1]
            self.turns = Turns(*(each[same] for each in self.turns))
            leaves.same[0] = (1 << len(same)) - 1
        return leaves

    def _work(self, end: float | None, most: int, lock: threading.Lock) -> None:
        leaves = self._leaves()
        while self.tree.children[0] < 0 or not self._enough(end):  # the root gets its children whatever the limits
            with lock:
                if self.done >= most:
                    return
                found, settled = self._gather(self.tree, leaves, min(most - self.done, BATCH, 1 + self.done // 16))
                self.done += found + settled
            if found:
                policy, win = self.network.evaluate(self._seen(leaves, found))
                with lock:
                    absorb(self.fast.boards, self.tree, self.weights, self.turns, leaves, found, policy, win)
            elif not settled:
                time.sleep(MOMENT)

    def _gather(self, tree: Tree, leaves: Leaves, most: int) -> tuple[int, int]:
        """How many leaves of a tree wait for the network now, and how many iterations came to an end without it."""
        grid, board = self.grid, self.fast.boards
        found, settled = gather(
            board, self.root, tree, self.weights, grid.cells, grid.own, grid.planes, self.turns, leaves, most
        )
        return int(found), int(settled)

    def _seen(self, leaves: Leaves, found: int) -> np.ndarray:
        grid = self.grid
        return leaves.seen[:found].reshape(found, grid.features, grid.height, grid.width)

    def _leaves(self) -> Leaves:
        """Room for a thread to work in."""
        grid = self.grid
        return Leaves(
            states=self.fast.new(BATCH),
            straight=np.zeros((grid.features, grid.size), np.uint8),
            seen=np.zeros((BATCH, grid.features, grid.size), np.uint8),
            same=np.zeros(BATCH, np.uint32),
            path=np.zeros((BATCH, DEEPEST), np.int32),
            movers=np.zeros((BATCH, DEEPEST), np.int8),
            depth=np.zeros(BATCH, np.int32),
            scores=np.zeros(self.rules.players, np.int32),
        )

    def judged(self) -> Judgement:
        """What the network says of the position itself, without any search."""
        rules, tree, mover = self.rules, self.tree, int(self.root[0].to_move)
        leaves = self._look_at_root()
        _, _, owners, score = (answer[0] for answer in self.network.evaluate(self._seen(leaves, 1), "owners", "score"))
        seats = (np.arange(rules.players) - mover) % rules.players  # the network tells the mover first
        return Judgement(
            policy={int(tree.action[child]): float(tree.prior[child]) for child in self.children(0)},
            owners=on_points(self.turns, int(leaves.same[0]), owners[seats]),
            lead=float(score) * len(rules.board) ** 0.5 * (-1 if mover else 1),
        )
