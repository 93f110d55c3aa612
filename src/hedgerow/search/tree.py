"""The search tree: flat arrays that threads share, one entry per node; the children of a node lie side by side.

children[n] -1: a leaf, -2: being expanded by some thread, else how many there are
alias[n]    n itself, or the node of the same position reached by the other order of a pair of placements
proven[n]   0: open, 1 + seat: that seat wins by force, DRAW: nobody can do better than a draw
"""

from __future__ import annotations

from mmap import mmap
from typing import NamedTuple

import numpy as np
from numba import njit

from hedgerow.kernels.atomic import load, store, swap
from hedgerow.kernels.cache import kernel
from hedgerow.kernels.dispatch import count, extra, mid, nth

DRAW = 100
UNIT = 1 << 20
"""A whole win in the integers that sums are kept in."""


class Tree(NamedTuple):
    """Shapes: (nodes,) each, but `value` (nodes * players,), `used` (1,).

    `action_mean` and `action_count` (players, actions): how every action did in the playouts, whenever it was played.
    """

    used: np.ndarray
    visits: np.ndarray
    value: np.ndarray
    score: np.ndarray
    amaf: np.ndarray
    amaf_visits: np.ndarray
    prior: np.ndarray
    action_mean: np.ndarray
    action_count: np.ndarray
    first: np.ndarray
    children: np.ndarray
    alias: np.ndarray
    parent: np.ndarray
    action: np.ndarray
    proven: np.ndarray


def node_size(players: int) -> int:
    """Bytes per node."""
    return 8 * players + 8 + 8 + 7 * 4 + 2 + 1


def new_tree(capacity: int, players: int, actions: int) -> Tree:
    """An empty tree: node 0 is the root.

    Its arrays lie in pages of their own, which take no memory before they are used and are given back with the tree:
    from the heap, trees that come and go would leave it large and full of holes.
    """
    pages, taken = mmap(-1, max(1, capacity) * node_size(players) + 8 * len(Tree._fields)), 0

    def zeros(kind: str, each: int = 1) -> np.ndarray:
        nonlocal taken
        made: np.ndarray = np.frombuffer(pages, kind, capacity * each, taken)
        taken += made.nbytes + -made.nbytes % 8
        return made

    stats = zeros("i4"), zeros("i8", players), zeros("i8"), zeros("i8"), zeros("i4")
    links = zeros("i4"), zeros("i4"), zeros("i4"), zeros("i4"), zeros("i2"), zeros("i1")
    means = np.full((players, actions), 1 / players, np.float32), np.zeros((players, actions), np.int32)
    tree = Tree(np.ones(1, np.int64), *stats, zeros("f4"), *means, *links)
    tree.children[0] = -1
    return tree


@kernel
def clear(tree):
    """Makes a tree empty again; only what was used is touched, which is much quicker than a new one."""
    used, players = tree.used[0], players_of(tree)
    tree.value[: used * players] = 0
    for k in range(used):
        tree.visits[k] = tree.score[k] = tree.amaf[k] = tree.amaf_visits[k] = tree.prior[k] = 0
        tree.first[k] = tree.children[k] = tree.alias[k] = tree.parent[k] = tree.action[k] = tree.proven[k] = 0
    tree.action_mean[:], tree.action_count[:] = 1 / players, 0
    tree.used[0], tree.children[0] = 1, -1


@njit
def players_of(tree):
    """How many seats the tree keeps values for."""
    return len(tree.value) // len(tree.visits)


@njit
def expand(board, state, tree, node, knobs):
    """Gives a leaf its children; returns whether it has them now."""
    if not swap(tree.children, node, np.int32(-1), np.int32(-2)):
        return load(tree.children, node) >= 0
    ordinary, more = count(board, state), extra(board, state)
    total = ordinary + (more >= 0)
    first = reserve(tree.used, total, len(tree.visits))
    if first < 0:
        store(tree.children, node, np.int32(-1))
        return False
    twins, mover = knobs.pairs and mid(board, state), state.to_move
    whole = np.float32(1e-9)
    for k in range(total):
        child = first + k
        tree.children[child] = -1
        tree.parent[child] = node
        tree.action[child] = nth(board, state, k) if k < ordinary else more
        tree.alias[child] = twin(tree, node, child) if twins and k < ordinary else child
        if knobs.prior_weight > 0:
            tree.prior[child] = np.exp(np.float32(knobs.prior_sharpness) * tree.action_mean[mover, tree.action[child]])
            whole += tree.prior[child]
    for child in range(first, first + total):
        tree.prior[child] /= whole
    tree.first[node] = first
    store(tree.children, node, np.int32(total))
    return True


@njit
def reserve(used, wanted, capacity):
    """The first of so many nodes that nobody else gets; -1 where there are not so many left."""
    while True:
        first = load(used, 0)
        if first + wanted > capacity:
            return np.int64(-1)
        if swap(used, 0, first, first + np.int64(wanted)):
            return first


@njit
def twin(tree, node, child):
    """The same two placements in the other order, if that node is there already; else the child itself."""
    other = child_of(tree, tree.parent[node], tree.action[child])
    same = child_of(tree, other, tree.action[node]) if other >= 0 else -1
    return child if same < 0 else tree.alias[same]


@njit
def child_of(tree, node, action):
    """The child that an action leads to, or -1."""
    total = load(tree.children, node)
    for child in range(tree.first[node], tree.first[node] + max(0, total)):
        if tree.action[child] == action:
            return child
    return -1


@njit
def lost_for(proven, mover):
    """Proven, and neither a win nor a draw of the mover."""
    return proven != 0 and proven != DRAW and proven != mover + 1


@njit
def prove(tree, node, mover):
    """Settles a node from its children: won if one is won, else settled when all are; returns whether it is."""
    best, all_settled = np.int8(0), True
    for child in range(tree.first[node], tree.first[node] + tree.children[node]):
        proven = tree.proven[tree.alias[child]]
        if proven == mover + 1:
            tree.proven[node] = proven
            return True
        all_settled &= proven != 0
        best = proven if best == 0 or proven == DRAW else best
    if all_settled:
        tree.proven[node] = best
    return all_settled


@kernel
def transplant(old, new, top):
    """Copies what hangs below a node into an empty tree, whose root it becomes."""
    moved = np.full(old.used[0], -1, np.int32)
    source = np.zeros(old.used[0], np.int32)
    copy_node(old, new, top, 0)
    new.action_mean[:], new.action_count[:] = old.action_mean, old.action_count
    new.alias[0], new.children[0] = 0, -1
    moved[top], source[0] = 0, top
    node, used = 0, 1
    while node < used:
        was = source[node]
        total = old.children[was]
        if new.alias[node] == node and total > 0:
            copy_children(old, new, was, node, used, moved, source)
            used += total
        node += 1
    new.used[0] = used


@njit
def copy_children(old, new, was, node, first, moved, source):
    """Gives a node copies of the children of `was`; there is little to copy of those that were never visited."""
    total, begin = old.children[was], old.first[was]
    new.first[node], new.children[node] = first, total
    for k in range(total):
        child, origin = first + k, old.alias[begin + k]
        if old.visits[origin] or old.proven[origin]:
            copy_node(old, new, origin, child)
        new.amaf[child], new.amaf_visits[child] = old.amaf[begin + k], old.amaf_visits[begin + k]
        new.prior[child], new.action[child] = old.prior[begin + k], old.action[begin + k]
        new.children[child], new.alias[child], new.parent[child], source[child] = -1, child, node, origin
        if moved[origin] >= 0:
            new.alias[child] = moved[origin]
        else:
            moved[origin] = child


@njit
def copy_node(old, new, origin, node):
    """Copies what is known of a node, but for its place in the tree."""
    players = players_of(old)
    new.visits[node], new.score[node], new.proven[node] = old.visits[origin], old.score[origin], old.proven[origin]
    for seat in range(players):
        new.value[node * players + seat] = old.value[origin * players + seat]
