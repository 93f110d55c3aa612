"""Growing a tree by a network: leaves are gathered in small batches, evaluated together, and told to their paths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hedgerow.kernels.atomic import add
from hedgerow.kernels.cache import kernel
from hedgerow.kernels.dispatch import count, extra, mid, nth, play, result
from hedgerow.kernels.sight import show
from hedgerow.search.orientation import answer, orient
from hedgerow.search.tree import DRAW, UNIT, lost_for, players_of, prove, reserve, twin


class Leaves(NamedTuple):
    """A batch of leaves; (leaves, ...)."""

    states: np.ndarray
    straight: np.ndarray
    """u1 (features, cells): room for a position as it lies."""
    seen: np.ndarray
    """u1 (.., features, cells): the way round that the network sees it."""
    same: np.ndarray
    """u4 (..,): the symmetries that turn it so, a bit for each."""
    path: np.ndarray
    """i4 (.., deepest)"""
    movers: np.ndarray
    """i1 (.., deepest): who moves at each node of the path."""
    depth: np.ndarray
    scores: np.ndarray
    """i4 (players,): room to work in."""


class Weights(NamedTuple):
    """How a search with a network weighs things."""

    explore: float = 1.1
    """The weight of priors (PUCT)."""
    reduction: float = 0.2
    """How much worse than its parent a child never tried is taken to be, times the root of the priors tried."""
    pairs: bool = True
    """The two orders of a pair of placements share a node."""


@kernel
def gather(boards, root, tree, weights, cells, own, planes, turns, leaves, most):
    """Goes down the tree until `most` leaves wait or nothing new is found; returns (leaves, iterations done meanwhile).

    Ends of games need no network: they are told to their paths at once. A node that waits counts as a loss for
    whoever chose it, so that the next path goes elsewhere; a path that meets it again is given up.
    """
    found, settled, idle = 0, 0, 0
    while found < most and idle < most and tree.proven[0] == 0:
        state = leaves.states[found]
        leaves.states[found] = root[0]
        depth, node = descend(boards[0], state, tree, weights, leaves, found)
        leaves.depth[found] = depth
        if state.over or tree.proven[node] != 0:
            close(boards[0], state, tree, leaves, found, node)
            settled += 1
            idle += 1
        elif tree.children[node] == -2:
            undo(tree, leaves, found)
            break
        else:
            tree.children[node] = -2
            show(boards[0], state, cells, own, planes, leaves.straight)
            leaves.same[found] = orient(turns, leaves.straight, leaves.seen[found])
            found += 1
    return found, settled


@njit
def descend(board, state, tree, weights, leaves, slot):
    """Follows the most promising children to a leaf and plays their actions; returns the depth and the leaf."""
    node, depth = np.int64(0), 0
    leaves.path[slot, 0] = 0
    add(tree.visits, 0, np.int32(1))
    while tree.proven[node] == 0 and not state.over and tree.children[node] >= 0 and depth + 1 < leaves.path.shape[1]:
        mover = np.int64(state.to_move)
        child = choose(tree, node, mover, weights)
        leaves.movers[slot, depth] = mover
        play(board, state, np.int64(tree.action[child]))
        node = np.int64(tree.alias[child])
        add(tree.visits, node, np.int32(1))
        depth += 1
        leaves.path[slot, depth] = node
    return depth, node


@njit(fastmath=True)
def choose(tree, node, mover, weights):
    """The child with the highest mean plus bonus: the bonus grows with the prior and shrinks with visits (PUCT)."""
    players, first, total = players_of(tree), tree.first[node], tree.children[node]
    visits = max(1, tree.visits[node])
    reach = np.float32(weights.explore * np.sqrt(visits))
    tried = np.float32(0)
    for child in range(first, first + total):
        if tree.visits[tree.alias[child]] > 0:
            tried += tree.prior[child]
    own = np.float32(tree.value[node * players + mover]) / np.float32(UNIT) / np.float32(visits)
    unvisited = own - np.float32(weights.reduction) * np.sqrt(tried)
    best, found = first, np.float32(-1e9)
    for child in range(first, first + total):
        same = tree.alias[child]
        n = np.float32(tree.visits[same])
        mean = unvisited if n == 0 else np.float32(tree.value[same * players + mover]) / np.float32(UNIT) / n
        worth = mean + reach * tree.prior[child] / (n + 1)
        if lost_for(tree.proven[same], mover):
            worth = np.float32(-1e6)
        if worth > found:
            best, found = child, worth
    return best


@njit
def close(board, state, tree, leaves, slot, node):
    """Tells a path how its game ended, or what is proven of its last node; proofs rise as far as they reach."""
    players = players_of(tree)
    if tree.proven[node] == 0:
        winner = result(board, state, leaves.scores)
        tree.proven[node] = np.int8(DRAW if winner < 0 else winner + 1)
    proven, rising = tree.proven[node], True
    for level in range(leaves.depth[slot], -1, -1):
        at = leaves.path[slot, level]
        for seat in range(players):
            gain = UNIT / players if proven == DRAW else UNIT * (proven == seat + 1)
            add(tree.value, at * players + seat, np.int64(gain))
        if rising and level < leaves.depth[slot]:
            rising = prove(tree, at, leaves.movers[slot, level])


@njit
def undo(tree, leaves, slot):
    """Takes a path back that leads where another one waits already."""
    for level in range(leaves.depth[slot] + 1):
        add(tree.visits, leaves.path[slot, level], np.int32(-1))


@kernel
def absorb(boards, tree, weights, turns, leaves, found, policy, win):
    """Gives the waiting leaves their children, and tells their paths: f4 policy (n, answers), f4 win (n, players)."""
    players = players_of(tree)
    for slot in range(found):
        state, node = leaves.states[slot], leaves.path[slot, leaves.depth[slot]]
        tree.children[node] = -1
        expand(boards[0], state, tree, node, weights, turns, leaves.same[slot], policy[slot])
        for level in range(leaves.depth[slot], -1, -1):
            at = leaves.path[slot, level]
            for step in range(players):
                seat = (np.int64(state.to_move) + step) % players
                add(tree.value, at * players + seat, np.int64(win[slot, step] * UNIT))


@njit
def expand(board, state, tree, node, weights, turns, same, policy):
    """Gives a leaf its children, with the network's priors; where the tree is full it stays a leaf."""
    ordinary, more = count(board, state), extra(board, state)
    total = ordinary + (more >= 0)
    first = reserve(tree.used, total, len(tree.visits))
    if first < 0:
        return
    twins, peak, whole = weights.pairs and mid(board, state), np.float32(-1e9), np.float32(0)
    for k in range(total):
        child = first + k
        tree.children[child], tree.parent[child] = -1, node
        tree.action[child] = nth(board, state, k) if k < ordinary else more
        tree.alias[child] = twin(tree, node, child) if twins and k < ordinary else child
        tree.prior[child] = answer(turns, same, policy, tree.action[child])
        peak = max(peak, tree.prior[child])
    for child in range(first, first + total):
        tree.prior[child] = np.exp(tree.prior[child] - peak)
        whole += tree.prior[child]
    for child in range(first, first + total):
        tree.prior[child] /= whole
    tree.first[node], tree.children[node] = first, total
