"""Principal variation search in compiled code: one thread looks at every line from the root to a depth.

Whoever moves at the root is for themselves, and all the others are taken to be against them, however many they are.
Values are those of the side to move at their level; between two levels they change sign if the side does, for a turn
may be several actions. The first action of a level is searched with the whole window, the others with an empty one
to see that they are no better, the late ones less deep; whoever turns out better is searched again. `work` has a row
for every level, so that the search can be left and taken up again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hedgerow.kernels.cache import kernel
from hedgerow.kernels.chance import mix
from hedgerow.kernels.dispatch import count, evaluate, extra, mid, nth, play, result
from hedgerow.search.transpositions import (
    EXACT,
    LOWER,
    MISSING,
    UPPER,
    action_of,
    bound_of,
    depth_of,
    find,
    keep,
    value_of,
)

WON = 1_000_000
NEARLY_WON = WON // 2
"""Beyond this a value is that of a game that is decided."""
ENDLESS = 3 * WON
UNLISTED = -1
"""In `total`: the actions of this level are still to be found."""
LATE, DEEP = 3, 3
"""Actions after the first LATE are searched less deep where at least DEEP plies are left."""
HISTORY_MOST = 1 << 19


class Workspace(NamedTuple):
    """What a thread works in; shapes: (levels,) unless said."""

    stack: np.ndarray
    """The positions on the way from the root."""
    words: np.ndarray
    """(levels, words): the same memory as `stack`."""
    places: np.ndarray
    """(places,): the words that tell positions apart, and in `masks` which of their bits do."""
    masks: np.ndarray
    keys: np.ndarray
    actions: np.ndarray
    """(levels, actions): the most promising first."""
    promises: np.ndarray
    """(levels, actions)"""
    total: np.ndarray
    """How many actions there are; UNLISTED at first."""
    at: np.ndarray
    """Which of them is being searched."""
    depth: np.ndarray
    """How many plies are left."""
    low: np.ndarray
    """What the side to move is sure of; `high` is more than the other side allows."""
    high: np.ndarray
    first_low: np.ndarray
    best: np.ndarray
    choice: np.ndarray
    narrow: np.ndarray
    """The action is searched with an empty window."""
    reduced: np.ndarray
    """By how many plies less."""
    killers: np.ndarray
    """(levels, 2): what cut off last at this level."""
    history: np.ndarray
    """(seats, actions): how much an action has spared."""
    seen: np.ndarray
    """(actions,): which actions of the root are looked at."""
    values: np.ndarray
    """(seats,): room for scores, and for what a game thinks."""
    cursor: np.ndarray
    """(2,): the level and the number of plays so far."""


@kernel
def search(boards, work, table, most):
    """Goes on for about `most` plays; True once every line of the root is looked at to its depth."""
    board, level = boards[0], work.cursor[0]
    end = work.cursor[1] + most
    while work.cursor[1] < end:
        known, value = False, 0
        if work.total[level] == UNLISTED:
            known, value = enter(board, work, table, level)
        elif work.at[level] == work.total[level]:
            known, value = True, leave(work, table, level)
        else:
            descend(board, work, level)
            level += 1
        while known:
            if level == 0:
                work.cursor[0] = 0
                return True
            if own(work, level) != own(work, level - 1):
                value = -value
            level -= 1
            known = carry(work, level, value)
            if known:
                value = leave(work, table, level)
    work.cursor[0] = level
    return False


@njit
def own(work, level):
    """Whether it is the turn of the player who moves at the root."""
    return work.stack[level].to_move == work.stack[0].to_move


@njit
def enter(board, work, table, level):
    """(True, value) of a level that is known at once; else lists its actions."""
    state, depth = work.stack[level], work.depth[level]
    if state.over or depth <= 0 or level == len(work.total) - 2:
        return True, worth(board, work, level)
    identify(work, level)
    entry = find(table, work.keys[level])
    before = np.int64(-1)
    if entry != MISSING:
        before = action_of(entry)
        if level > 0 and depth_of(entry) >= depth and settles(work, level, entry):
            return True, from_table(value_of(entry), level)
    list_actions(board, work, level, before)
    work.best[level], work.choice[level], work.at[level] = -ENDLESS, -1, 0
    work.first_low[level] = work.low[level]
    begin(work, level)
    return False, 0


@njit
def worth(board, work, level):
    """For the side to move: a game that is over is won or lost, the sooner the more; else what the game thinks."""
    state, player = work.stack[level], work.stack[0].to_move
    if state.over:
        winner = result(board, state, work.values)
        value = 0 if winner < 0 else (WON - level if winner == player else level - WON)
    else:
        evaluate(board, state, work.values)
        value = ahead(work.values, player)
    return value if state.to_move == player else -value


@njit
def ahead(values, player):
    """How far a player is ahead of the others, in the mean."""
    mine = np.int64(values[player])
    return mine - (np.int64(values.sum()) - mine) // (len(values) - 1)


@njit
def identify(work, level):
    """Makes the key of a level's position of the bits that tell positions apart, and of whose side the values are."""
    key = np.uint64(1 + work.stack[0].to_move)
    for index in range(len(work.places)):
        key = mix(key ^ (work.words[level, work.places[index]] & work.masks[index]))
    work.keys[level] = key


@njit
def settles(work, level, entry):
    """An entry that was searched deep enough says all that this level wants to know."""
    value, bound = from_table(value_of(entry), level), bound_of(entry)
    return (
        bound == EXACT
        or (bound == LOWER and value >= work.high[level])
        or (bound == UPPER and value <= work.low[level])
    )


@njit
def from_table(value, level):
    """A value as seen from the root: the table counts the plies to a decided game from the position itself."""
    return value - level if value > NEARLY_WON else value + level if value < -NEARLY_WON else value


@njit
def to_table(value, level):
    return value + level if value > NEARLY_WON else value - level if value < -NEARLY_WON else value


@njit
def list_actions(board, work, level, before):
    """The actions of a level: first what was best before, then what cut off, then by what they are worth at once."""
    state = work.stack[level]
    mover, ordinary, more = state.to_move, count(board, state), extra(board, state)
    least = work.actions[level - 1, work.at[level - 1]] if level > 0 and mid(board, state) else -1
    work.total[level] = 0
    for k in range(ordinary + (more >= 0)):
        action = nth(board, state, k) if k < ordinary else more
        if action < least or (level == 0 and not work.seen[action]):
            continue  # the other order of this pair is looked at from the level above
        hope = np.int64(work.history[mover, action])
        if action == before:
            hope = np.int64(1) << 60
        else:
            if action == work.killers[level, 0] or action == work.killers[level, 1]:
                hope += HISTORY_MOST
            if work.depth[level] > 1:
                follow(board, work, level + 1, action)
                value = worth(board, work, level + 1)
                hope += (value if own(work, level + 1) == own(work, level) else -value) << 20
        insert(work, level, action, hope)


@njit
def insert(work, level, action, promise):
    """Puts an action where it belongs."""
    at = work.total[level]
    while at > 0 and work.promises[level, at - 1] < promise:
        work.promises[level, at], work.actions[level, at] = work.promises[level, at - 1], work.actions[level, at - 1]
        at -= 1
    work.promises[level, at], work.actions[level, at] = promise, action
    work.total[level] += 1


@njit
def follow(board, work, level, action):
    """Puts at a level what an action makes of the level above it."""
    work.stack[level] = work.stack[level - 1]
    play(board, work.stack[level], action)
    work.cursor[1] += 1


@njit
def begin(work, level):
    """How the action that is next at a level is searched first."""
    at, depth = work.at[level], work.depth[level]
    work.narrow[level], work.reduced[level] = at > 0, 0
    if at >= LATE and depth >= DEEP:
        work.reduced[level] = 1 + (at >= 2 * LATE and depth >= 2 * DEEP)


@njit
def descend(board, work, level):
    """Plays the action that is next, and hands it its window and depth."""
    follow(board, work, level + 1, work.actions[level, work.at[level]])
    low = work.low[level]
    high = low + 1 if work.narrow[level] else work.high[level]
    if own(work, level) != own(work, level + 1):
        low, high = -high, -low
    work.low[level + 1], work.high[level + 1] = low, high
    work.depth[level + 1] = work.depth[level] - 1 - work.reduced[level]
    work.total[level + 1] = UNLISTED


@njit
def carry(work, level, value):
    """Takes a child's value up; returns whether that is enough, because the other side would not let it come here."""
    if work.narrow[level] and value > work.low[level]:
        if work.reduced[level] > 0:
            work.reduced[level] = 0
            return False
        if value < work.high[level]:
            work.narrow[level] = False
            return False
    action = work.actions[level, work.at[level]]
    if value > work.best[level]:
        work.best[level], work.choice[level] = value, action
        work.low[level] = max(work.low[level], value)
    if work.low[level] >= work.high[level]:
        praise(work, level, action)
        return True
    work.at[level] += 1
    begin(work, level)
    return False


@njit
def praise(work, level, action):
    """An action that cut off is tried early from now on."""
    mover, depth = work.stack[level].to_move, work.depth[level]
    work.history[mover, action] += depth * depth
    if work.history[mover, action] >= HISTORY_MOST:
        work.history[:] = work.history // 2
    if work.killers[level, 0] != action:
        work.killers[level, 1], work.killers[level, 0] = work.killers[level, 0], action


@njit
def leave(work, table, level):
    """Keeps in the table what was found at a level, and returns its value."""
    best = work.best[level]
    bound = LOWER if best >= work.high[level] else UPPER if best <= work.first_low[level] else EXACT
    keep(table, work.keys[level], to_table(best, level), work.choice[level], work.depth[level], bound)
    return best
