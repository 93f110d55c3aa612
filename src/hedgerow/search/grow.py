"""Growing the tree: choose a path, play a random game from its end, and tell every node on the path how it went."""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.kernels import chance
from hedgerow.kernels.atomic import add, load
from hedgerow.kernels.cache import kernel
from hedgerow.kernels.dispatch import count, extra, nth, play, result
from hedgerow.search.tree import DRAW, UNIT, expand, lost_for, players_of, prove

DEEPEST = 1000
MEMORY = 1000
"""About how many games an action's mean remembers."""


@kernel
def grow(boards, root, tree, knobs, seed, begin, end, state, path, movers, played, scores, ucb):
    """Iterations begin to end from root[0] at node 0, or until it is solved; returns which would have been next.

    state (1,) a record, path and movers (DEEPEST,), played (players, actions), scores (players,) and ucb (actions,)
    are room to work in, one set per thread.
    """
    board = boards[0]
    for iteration in range(begin, end):
        if tree.proven[0]:
            return iteration
        state[0] = root[0]
        depth = descend(board, state[0], tree, knobs, iteration + 1, path, movers, played, ucb)
        node = path[depth]
        proven, ended = tree.proven[node], state[0].over != 0
        if proven == 0:
            word = chance.seeded(seed, iteration)
            winner = playout(board, state[0], word, tree, knobs, iteration + 1, played, scores)
            proven = np.int8(DRAW if winner < 0 else winner + 1)
            if ended:
                tree.proven[node] = proven
            lead = scores[0] - scores[1] if len(scores) == 2 else 0
            if keeps_action_means(knobs):
                update_action_means(tree, iteration + 1, played, proven)
        else:
            ended, lead = True, 0
        back_up(tree, knobs, iteration + 1, depth, path, movers, played, proven, lead, ended)
    return end


@njit
def descend(board, state, tree, knobs, stamp, path, movers, played, ucb):
    """Follows the most promising children to a leaf and plays their actions; returns the length of the path."""
    node, depth = np.int32(0), 0
    path[0] = 0
    add(tree.visits, 0, np.int32(1))
    while tree.proven[node] == 0 and not state.over and depth + 1 < len(path):
        if load(tree.children, node) < 0:
            young = node != 0 and tree.visits[node] < knobs.expand
            if young or not expand(board, state, tree, node, knobs):
                break
        mover = state.to_move
        child = choose(tree, node, mover, knobs, ucb)
        movers[depth] = mover
        if tree.action[child] != extra(board, state):
            played[mover, tree.action[child]] = stamp
        play(board, state, tree.action[child])
        node = tree.alias[child]
        add(tree.visits, node, np.int32(1))  # before its value is known: other threads take it for a loss
        depth += 1
        path[depth] = node
    return depth


@njit(fastmath=True)
def choose(tree, node, mover, knobs, ucb):
    """The child with the highest upper confidence bound for the mover: its mean, and a bonus for few visits."""
    players, first, total = players_of(tree), tree.first[node], tree.children[node]
    known, explore, unvisited = tree.visits[node] + 1, np.float32(knobs.explore), np.float32(knobs.unvisited)
    spread, reach = explore * np.float32(np.sqrt(np.log(known))), np.float32(knobs.prior_weight * np.sqrt(known))
    rave, unit = np.float32(knobs.rave), np.float32(1.0 / UNIT)
    for k in range(total):
        child = first + k
        same = tree.alias[child]
        visits = np.float32(tree.visits[same])
        mean = np.float32(tree.value[same * players + mover]) * unit / max(visits, np.float32(1))
        mean = mean if visits > 0 else unvisited
        if rave > 0:  # as if it had been tried more often, with what others found
            others = np.float32(tree.amaf_visits[child])
            heard = np.float32(tree.amaf[child]) * unit / max(others, np.float32(1))
            mean += (heard - mean) * others / (others + visits + others * visits / rave + np.float32(1e-9))
        bonus = reach * tree.prior[child] / (visits + 1) if reach > 0 else spread / np.sqrt(visits + 1)
        lost = lost_for(tree.proven[same], mover)
        ucb[k] = np.float32(-1e6) if lost else mean + bonus
    best = 0
    for k in range(1, total):
        best = k if ucb[k] > ucb[best] else best
    return first + best


@njit
def playout(board, state, word, tree, knobs, stamp, played, scores):
    """Plays random actions to the end of the game; returns the winner, -1 for a draw."""
    candidates, noted = knobs.candidates, knobs.rave > 0 or keeps_action_means(knobs)
    while not state.over:
        choices, mover = count(board, state), state.to_move
        action = nth(board, state, chance.below(word, choices)) if choices else extra(board, state)
        if choices > 1:
            for _ in range(1, candidates):
                word = chance.step(word)
                other = nth(board, state, chance.below(word, choices))
                if tree.action_mean[mover, other] > tree.action_mean[mover, action]:
                    action = other
        if noted and choices:
            played[mover, action] = stamp
        play(board, state, action)
        word = chance.step(word)
    return result(board, state, scores)


@njit
def worth(proven, seat, players):
    """What an end is worth to a seat, in UNITs."""
    return np.int64(UNIT / players if proven == DRAW else UNIT * (proven == seat + 1))


@njit
def back_up(tree, knobs, stamp, depth, path, movers, played, proven, lead, ended):
    """Tells every node on the path how the game went; proofs rise as far as they reach."""
    players = players_of(tree)
    for level in range(depth, -1, -1):
        node = path[level]
        for seat in range(players):
            add(tree.value, node * players + seat, worth(proven, seat, players))
        add(tree.score, node, np.int64(lead))
        if level < depth:
            if knobs.rave > 0:
                mover = movers[level]
                update_rave(tree, node, played[mover], stamp, worth(proven, mover, players))
            if ended:
                ended = prove(tree, node, movers[level])


@njit
def keeps_action_means(knobs):
    """The means of actions are used, so they are to be kept."""
    return knobs.candidates > 1 or knobs.prior_weight > 0


@njit
def update_action_means(tree, stamp, played, proven):
    """How the actions of a game did, whenever they were played."""
    for seat in range(len(played)):
        value = np.float32(worth(proven, seat, len(played))) / np.float32(UNIT)
        for action in range(played.shape[1]):
            if played[seat, action] == stamp:
                tree.action_count[seat, action] += 1
                more = value - tree.action_mean[seat, action]
                tree.action_mean[seat, action] += more / min(tree.action_count[seat, action] + 10, MEMORY)


@njit
def update_rave(tree, node, played, stamp, value):
    """All moves as first: the children whose actions the mover played later share in how the game went.

    Passing is not among them: when everybody passes in the end, that says nothing about passing now.
    """
    for child in range(tree.first[node], tree.first[node] + tree.children[node]):
        if played[tree.action[child]] == stamp:
            tree.amaf[child] += value
            tree.amaf_visits[child] += 1
