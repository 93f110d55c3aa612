"""Growing the tree: choose a path, play a random game from its end, and tell every node on the path how it went."""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.kernels import chance
from hedgerow.kernels.atomic import add
from hedgerow.kernels.cache import kernel
from hedgerow.kernels.dispatch import count, extra, mid, nth, play, result
from hedgerow.search.tree import DRAW, UNIT, expand, lost_for, players_of, prove

DEEPEST = 1000


@kernel
def grow(boards, root, tree, knobs, seed, begin, end, state, path, movers, played, scores):
    """Iterations begin to end from root[0] at node 0.

    state (1,) a record, path and movers (DEEPEST,), played (players, actions) and scores (players,) are room to work
    in, one set per thread.
    """
    board = boards[0]
    for iteration in range(begin, end):
        state[0] = root[0]
        depth = descend(board, state[0], tree, knobs, iteration + 1, path, movers, played)
        node = path[depth]
        proven, ended = tree.proven[node], state[0].over != 0
        if proven == 0:
            word = chance.seeded(seed, iteration)
            winner = playout(board, state[0], word, knobs, iteration + 1, played, scores)
            proven = np.int8(DRAW if winner < 0 else winner + 1)
            if ended:
                tree.proven[node] = proven
            margin = scores[0] - scores[1] if len(scores) == 2 else 0
        else:
            ended, margin = True, 0
        back_up(tree, knobs, iteration + 1, depth, path, movers, played, proven, margin, ended)


@njit
def descend(board, state, tree, knobs, stamp, path, movers, played):
    """Follows the most promising children to a leaf and plays their actions; returns the length of the path."""
    node, depth = np.int32(0), 0
    path[0] = 0
    add(tree.visits, 0, np.int32(1))
    while tree.proven[node] == 0 and not state.over and depth + 1 < len(path):
        if tree.children[node] < 0:
            young = node != 0 and tree.visits[node] < knobs.expand
            if young or not expand(board, state, tree, node, knobs.pairs and mid(board, state)):
                break
        mover = state.to_move
        child = choose(tree, node, mover, knobs)
        movers[depth] = mover
        played[mover, tree.action[child]] = stamp
        play(board, state, tree.action[child])
        node = tree.alias[child]
        add(tree.visits, node, np.int32(1))  # before its value is known: other threads take it for a loss
        depth += 1
        path[depth] = node
    return depth


@njit
def choose(tree, node, mover, knobs):
    """The child with the highest hope for the mover: its value so far, and a bonus for having been tried little."""
    players = players_of(tree)
    log_visits = np.float32(np.log(np.float32(tree.visits[node] + 1)))
    explore, rave = np.float32(knobs.explore), np.float32(knobs.rave)
    first = tree.first[node]
    best, highest = first, np.float32(-1e30)
    for child in range(first, first + tree.children[node]):
        same = tree.alias[child]
        visits, hope = np.float32(tree.visits[same]), np.float32(knobs.unvisited)
        if lost_for(tree.proven[same], mover):
            hope = np.float32(-1e6)
        else:
            value, weight = np.float32(tree.value[same * players + mover]), visits * np.float32(UNIT)
            others = np.float32(tree.amaf_visits[child])
            if rave > 0 and others > 0:  # as if it had been tried more often, with what others found
                share = others / (others + visits + others * visits / rave)
                mean = value / weight if visits > 0 else np.float32(0)
                hope = (1 - share) * mean + share * np.float32(tree.amaf[child]) / (others * np.float32(UNIT))
                hope += explore * np.sqrt(log_visits / (visits + 1))
            elif visits > 0:
                hope = value / weight + explore * np.sqrt(log_visits / visits)
        if hope > highest:
            best, highest = child, hope
    return best


@njit
def playout(board, state, word, knobs, stamp, played, scores):
    """Plays random actions to the end of the game; returns the winner, -1 for a draw."""
    while not state.over:
        choices = count(board, state)
        action = nth(board, state, chance.below(word, choices)) if choices else extra(board, state)
        played[state.to_move, action] = stamp
        play(board, state, action)
        word = chance.step(word)
    return result(board, state, scores)


@njit
def worth(proven, margin, seat, players, knobs):
    """What an end is worth to a seat, in UNITs: the win, and a little of the margin where a game has scores."""
    share = 1.0 / players if proven == DRAW else 1.0 * (proven == seat + 1)
    if knobs.margin > 0 and players == 2:
        lead = margin if seat == 0 else -margin
        share = (1 - knobs.margin) * share + knobs.margin * (0.5 + 0.5 * lead / (abs(lead) + 10.0))
    return np.int64(share * UNIT)


@njit
def back_up(tree, knobs, stamp, depth, path, movers, played, proven, margin, ended):
    """Tells every node on the path how the game went; proofs rise as far as they reach."""
    players = players_of(tree)
    for level in range(depth, -1, -1):
        node = path[level]
        for seat in range(players):
            add(tree.value, node * players + seat, worth(proven, margin, seat, players, knobs))
        add(tree.score, node, np.int64(margin))
        if level < depth:
            if knobs.rave > 0:
                mover = movers[level]
                tell_others(tree, node, played[mover], stamp, worth(proven, margin, mover, players, knobs))
            if ended:
                ended = prove(tree, node, movers[level])


@njit
def tell_others(tree, node, played, stamp, value):
    """All moves as first: the children whose actions the mover played later share in how the game went."""
    for child in range(tree.first[node], tree.first[node] + tree.children[node]):
        if played[tree.action[child]] == stamp:
            tree.amaf[child] += value
            tree.amaf_visits[child] += 1
