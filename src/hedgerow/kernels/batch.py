"""The entry points that know no game: many positions at once, and random games from the start to the end."""

from __future__ import annotations

import numpy as np
from numba import njit

from hedgerow.kernels import chance
from hedgerow.kernels.cache import kernel
from hedgerow.kernels.dispatch import count, extra, nth, play, result


@kernel
def legal_batch(boards, states, masks):
    """masks[i, action] becomes True where `action` is legal in states[i]: states (n,), masks bool (n, actions)."""
    for i in range(len(states)):
        masks[i, :] = False
        for k in range(count(boards[0], states[i])):
            masks[i, nth(boards[0], states[i], k)] = True
        more = extra(boards[0], states[i])
        if more >= 0:
            masks[i, more] = True


@kernel
def play_batch(boards, states, actions):
    """Plays actions[i] in states[i]; positions that are over, and negative actions, are left alone."""
    for i in range(len(states)):
        if not states[i].over and actions[i] >= 0:
            play(boards[0], states[i], actions[i])


@kernel
def pick_batch(boards, states, seed, actions):
    """actions[i] becomes a random legal action of states[i] (pass and done only if need be), or -1 when over."""
    for i in range(len(states)):
        actions[i] = -1 if states[i].over else _pick(boards[0], states[i], chance.seeded(seed, i))


@kernel
def result_batch(boards, states, winners, scores):
    """winners[i]: the winning seat, -1 for a draw, -2 while the game goes on; scores (n, players) if there are any."""
    for i in range(len(states)):
        winners[i] = result(boards[0], states[i], scores[i]) if states[i].over else -2


@kernel
def playout_batch(boards, start, seed, first, winners, scores, lengths):
    """Random games number first, first + 1, ... from start[0]: their winners (n,), scores (n, players), plies (n,)."""
    state = start.copy()
    for i in range(len(winners)):
        state[0] = start[0]
        lengths[i] = _playout(boards[0], state[0], chance.seeded(seed, first + i))
        winners[i] = result(boards[0], state[0], scores[i])


@kernel
def finish_batch(boards, states, seed, lengths):
    """Plays every row at random to its end, in place; lengths[i] becomes the number of plies that took."""
    for i in range(len(states)):
        lengths[i] = _playout(boards[0], states[i], chance.seeded(seed, i))


@kernel
def perft_count(boards, stack, depth):
    """How many action sequences of `depth` plies begin at stack[0]; the rows below are room to work in."""
    if depth == 0:
        return 1
    board, tried, total, level = boards[0], np.zeros(depth, np.int64), 0, 0
    while level >= 0:
        ordinary, more = count(board, stack[level]), extra(board, stack[level])
        choices = ordinary + (more >= 0)
        k = tried[level]
        if level == depth - 1 or k == choices:
            total += choices if level == depth - 1 else 0
            tried[level] = 0
            level -= 1
        else:
            tried[level] += 1
            stack[level + 1] = stack[level]
            play(board, stack[level + 1], nth(board, stack[level], k) if k < ordinary else more)
            level += 1
    return total


@njit
def _playout(board, state, word):
    """Plays random actions until the game is over; returns how many."""
    plies = 0
    while not state.over:
        play(board, state, _pick(board, state, word))
        word = chance.step(word)
        plies += 1
    return plies


@njit
def _pick(board, state, word):
    """A random ordinary action, or the pass or done that is left when there is none."""
    choices = count(board, state)
    if choices == 0:
        return np.int64(extra(board, state))
    return np.int64(nth(board, state, chance.below(word, choices)))
