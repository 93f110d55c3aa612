"""A search of one position that can be run for a while, stopped, looked into, and carried on after a move."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from hedgerow.game import Rules
from hedgerow.search.grow import DEEPEST, grow
from hedgerow.search.knobs import Knobs
from hedgerow.search.timing import now, one_thread_counts
from hedgerow.search.tree import DRAW, UNIT, Tree, child_of, clear, new_tree, node_size, transplant

SLICE = 0.01
"""About how long a thread is away in compiled code before it looks at the clock, in seconds."""


class Choice(NamedTuple):
    """What the search has found out about one action."""

    action: int
    visits: int
    values: tuple[float, ...]
    """Each seat's chance to win."""
    lead: float
    """The expected score of seat 0 less that of seat 1, where a game has scores."""
    proven: int | None
    """The seat that wins by force, -1 for a proven draw."""


class Search:
    """UCT with full random playouts over any rules; a fixed seed and one thread give the same tree every time."""

    def __init__(
        self, rules: Rules[Any], position: Any, knobs: Knobs, *, seed: int = 0, threads: int = 1, memory: int = 512
    ) -> None:
        self.rules, self.knobs, self.seed, self.threads = rules, knobs, seed, threads
        self.fast = rules.fast
        self.root = self.fast.pack(position)
        means = 8 * rules.players * rules.actions.size + 8
        self.capacity = (memory * 2**19 - means) // node_size(rules.players)  # half of it is for the tree moved to
        self._tree: Tree = new_tree(self.capacity, rules.players, rules.actions.size)
        self.spare: Tree | None = None
        self.top = 0
        """The node of the root's position in `_tree`; -1 where it has none."""
        self.done = 0
        self.stopped = threading.Event()

    # --- running ------------------------------------------------------------------------------------------------------

    def run(self, *, iterations: int | None = None, seconds: float | None = None) -> None:
        """Searches until a limit is reached, the position is solved, or `stop` is called."""
        one_thread_counts(self.threads)
        end = None if seconds is None else now() + seconds
        most = self.done + (1 << 60 if iterations is None else iterations)
        self._cut()
        self.stopped.clear()
        if self.threads == 1:
            self._work(end, most, threading.Lock())
            return
        lock = threading.Lock()
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(lambda _: self._work(end, most, lock), range(self.threads)))

    def stop(self) -> None:
        """Makes a running search return at once."""
        self.stopped.set()

    def _work(self, end: float | None, most: int, lock: threading.Lock) -> None:
        room = self._room()
        share = 8
        while self.tree.children[0] < 0 or not self._enough(end):  # the root gets its children whatever the limits
            with lock:
                begin, finish = self.done, min(self.done + share, most)
                self.done = finish
            if begin >= finish:
                return
            begun, seed = now(), np.uint64(self.seed)
            reached = grow(self.fast.boards, self.root, self.tree, self.knobs, seed, begin, finish, *room)
            if reached < finish:  # it is solved; random numbers go on from there, however long this share was
                with lock:
                    self.done -= finish - reached
            spent = now() - begun
            share = max(1, min(share * 2, int(share * SLICE / max(spent, 1e-6))))

    def _enough(self, end: float | None) -> bool:
        """The search was stopped, has solved the position, or has used up its time."""
        return self.stopped.is_set() or bool(self.tree.proven[0]) or (end is not None and now() >= end)

    def _room(self) -> tuple[np.ndarray, ...]:
        players = self.rules.players
        return (
            self.root.copy(),
            np.zeros(DEEPEST, np.int32),
            np.zeros(DEEPEST, np.int8),
            np.zeros((players, self.rules.actions.size), np.int64),
            np.zeros(players, np.int32),
            np.zeros(self.rules.actions.size, np.float32),
        )

    # --- looking ------------------------------------------------------------------------------------------------------

    def choices(self) -> list[Choice]:
        """Every action of the root, the best first."""
        found = [self.choice(node) for node in self.children(0)]
        mover = int(self.root[0].to_move)
        return sorted(found, key=lambda c: rank(c, mover), reverse=True)

    def children(self, node: int) -> range:
        """The nodes that lie below a node."""
        return range(self.tree.first[node], self.tree.first[node] + max(0, self.tree.children[node]))

    def choice(self, node: int) -> Choice:
        """What is known of the action that leads to a node."""
        tree, same, players = self.tree, int(self.tree.alias[node]), self.rules.players
        visits = max(1, int(tree.visits[same]))
        values = tuple(float(v) / UNIT / visits for v in tree.value[same * players : (same + 1) * players])
        lead = float(tree.score[same]) / visits
        proven = int(tree.proven[same])
        return Choice(
            int(tree.action[node]),
            int(tree.visits[same]),
            values,
            lead,
            None if proven == 0 else -1 if proven == DRAW else proven - 1,
        )

    def variation(self, longest: int = 12) -> Iterator[int]:
        """The actions that the search expects from here on."""
        node, state = 0, self.root.copy()
        for _ in range(longest):
            children = self.children(node)
            if not children:
                return
            mover = int(state[0].to_move)
            best = max(children, key=lambda n: rank(self.choice(n), mover))
            if not self.tree.visits[self.tree.alias[best]]:
                return
            yield int(self.tree.action[best])
            self.fast.play(state, [self.tree.action[best]])
            node = int(self.tree.alias[best])

    # --- moving on ----------------------------------------------------------------------------------------------------

    def advance(self, action: int) -> None:
        """Plays an action and keeps what the search knows of it."""
        tree, node = self._tree, -1
        if self.top >= 0 and tree.children[self.top] > 0:
            node = int(child_of(tree, self.top, action))
        self.top = -1 if node < 0 else int(tree.alias[node])
        self.fast.play(self.root, [action])

    @property
    def tree(self) -> Tree:
        """What is known of the root's position and those after it.

        What was not played is cut off only here, when somebody wants to know: after the answer there is less to keep.
        """
        if self.top:
            self._cut()
        return self._tree

    def _cut(self) -> None:
        """Leaves nothing but what hangs below the root's position, and room to search on."""
        if len(self._tree.visits) < self.capacity:  # it was shrunk
            self._resize(self.capacity)
        if self.top:
            new = self.spare or new_tree(self.capacity, self.rules.players, self.rules.actions.size)
            if self.top > 0:
                transplant(self._tree, new, self.top)
            clear(self._tree)
            self._tree, self.spare, self.top = new, self._tree, 0

    def shrink(self) -> int:
        """Gives back the memory that only a running search needs; returns how many bytes its tree keeps."""
        used = int(self.tree.used[0])
        self.spare = None
        self._resize(min(used, self.capacity))
        return sum(array.nbytes for array in self._tree)

    def _resize(self, nodes: int) -> None:
        """Moves the tree to arrays for so many nodes; those that are used must fit."""
        old, players = self._tree, self.rules.players
        self._tree = new_tree(nodes, players, self.rules.actions.size)
        kept = min(nodes, len(old.visits))
        for name, target, source in zip(Tree._fields, self._tree, old):
            if name in ("used", "action_mean", "action_count"):
                target[:] = source
            else:
                each = players if name == "value" else 1
                target[: kept * each] = source[: kept * each]


def rank(choice: Choice, mover: int) -> tuple[int, int, float]:
    """Wins before what is open before losses; then by visits, then by value."""
    settled = 0 if choice.proven in (None, -1) else 1 if choice.proven == mover else -1
    return settled, choice.visits, choice.values[mover]
