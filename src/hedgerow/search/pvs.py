"""Principal variation search in compiled code: one thread looks at every line from the root to a depth.

Whoever moves at the root is for themselves, and all the others are taken to be against them, however many they are.
Values are those of the side to move at their level; between two levels they change sign if the side does, for a turn
may be several actions. The first action of a level is searched with the whole window, the others with an empty one
to see that they are no better, the late ones less deep; whoever turns out better is searched again. `work` has a row
for every level, so that the search can be left and taken up again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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


LEVEL = np.dtype(
    [
        ("key", "u8"),
        ("total", "i8"),  # how many actions there are; UNLISTED at first
        ("at", "i8"),  # which of them is being searched
        ("depth", "i8"),  # how many plies are left
        ("low", "i8"),  # what the side to move is sure of
        ("high", "i8"),  # more than the other side allows
        ("first_low", "i8"),
        ("best", "i8"),
        ("choice", "i8"),
        ("reduced", "i8"),  # by how many plies less deep the action is searched
        ("killers", "i8", (2,)),  # what cut off last at this level
        ("narrow", "?"),  # the action is searched with an empty window
    ],
    align=True,
)


def cursor_type(seats: int) -> np.dtype:
    """Where a search stands: the level, the plays so far, and room for scores or what a game thinks."""
    return np.dtype([("level", "i8"), ("plays", "i8"), ("values", "i4", (seats,))], align=True)


class Workspace(NamedTuple):
    """What a thread works in.

    What every play asks for lies in records: Numba counts references to arrays, not to records, and when each field of
    LEVEL was an array three quarters of the time went into counting.
    """

    stack: np.ndarray
    """(levels,): the positions on the way from the root."""
    words: np.ndarray
    """(levels, words): the same memory as `stack`."""
    places: np.ndarray
    """(places,): the words that tell positions apart, and in `masks` which of their bits do."""
    masks: np.ndarray
    rows: np.recarray[Any, Any]
    """(levels,): LEVEL."""
    actions: np.ndarray
    """(levels, actions): the most promising first."""
    promises: np.ndarray
    """(levels, actions)"""
    history: np.ndarray
    """(seats, actions): how much an action has spared."""
    seen: np.ndarray
    """(actions,): which actions of the root are looked at."""
    cursor: np.recarray[Any, Any]
    """(1,): of `cursor_type`."""


@kernel
def search(boards, work, table, most):
    """Goes on for about `most` plays; True once every line of the root is looked at to its depth."""
    board, stack, rows, actions, cursor = boards[0], work.stack, work.rows, work.actions, work.cursor[0]
    root, level, plays = stack[0], cursor.level, cursor.plays
    end = plays + most
    while plays < end:
        state, row = stack[level], rows[level]
        known, value = False, np.int64(0)
        if row.total != UNLISTED and row.at < row.total:
            level, plays = level + 1, plays + 1
            stack[level] = state
            play(board, stack[level], actions[level - 1, row.at])
            descend(row, rows[level], own(state, root) == own(stack[level], root))
        elif row.total != UNLISTED:
            known, value = True, leave(table, row, level)
        elif state.over or row.depth <= 0 or level == len(rows) - 2:
            known, value = True, worth(board, state, root, cursor.values, level)
        else:
            known, value = look_up(work, table, level)
            if not known:
                plays += list_actions(board, work, level)
                begin(row)
        while known:
            if level == 0:
                cursor.level, cursor.plays = 0, plays
                return True
            state, level = stack[level], level - 1
            row = rows[level]
            if own(state, root) != own(stack[level], root):
                value = -value
            known = carry(row, actions[level, row.at], value)
            if known:
                praise(work.history, row, stack[level].to_move)
                value = leave(table, row, level)
    cursor.level, cursor.plays = level, plays
    return False


@njit
def own(state, root):
    """Whether it is the turn of the player who moves at the root."""
    return state.to_move == root.to_move


@njit
def worth(board, state, root, values, level):
    """For the side to move: a game that is over is won or lost, the sooner the more; else what the game thinks."""
    player = root.to_move
    if state.over:
        winner = result(board, state, values)
        value = 0 if winner < 0 else (WON - level if winner == player else level - WON)
    else:
        evaluate(board, state, values)
        value = ahead(values, player)
    return value if own(state, root) else -value


@njit
def ahead(values, player):
    """How far a player is ahead of the others, in the mean."""
    mine, others = np.int64(values[player]), np.int64(0)
    for seat in range(len(values)):
        others += values[seat] if seat != player else 0
    return mine - others // (len(values) - 1)


@njit
def look_up(work, table, level):
    """(True, value) of a level that the table knows well enough; else makes ready to search it."""
    row = work.rows[level]
    row.key = identify(work.words[level], work.places, work.masks, work.stack[0].to_move)
    entry = find(table, row.key)
    row.choice = -1
    if entry != MISSING:
        row.choice = action_of(entry)
        if level > 0 and depth_of(entry) >= row.depth and settles(row, level, entry):
            return True, from_table(value_of(entry), level)
    return False, np.int64(0)


@njit
def identify(words, places, masks, player):
    """The key of a position, from the bits that tell positions apart and whose side the values are."""
    key = np.uint64(1 + player)
    for index in range(len(places)):
        key = mix(key ^ (words[places[index]] & masks[index]))
    return key


@njit
def settles(row, level, entry):
    """An entry that was searched deep enough says all that this level wants to know."""
    value, bound = from_table(value_of(entry), level), bound_of(entry)
    return bound == EXACT or (bound == LOWER and value >= row.high) or (bound == UPPER and value <= row.low)


@njit
def from_table(value, level):
    """A value as seen from the root: the table counts the plies to a decided game from the position itself."""
    return value - level if value > NEARLY_WON else value + level if value < -NEARLY_WON else value


@njit
def to_table(value, level):
    return value + level if value > NEARLY_WON else value - level if value < -NEARLY_WON else value


@njit
def list_actions(board, work, level):
    """Lists the actions of a level: first what was best before, then what cut off, then by what they are worth at once.

    Returns how many were played for that.
    """
    stack, row, promises, actions = work.stack, work.rows[level], work.promises[level], work.actions[level]
    root, state, values = stack[0], stack[level], work.cursor[0].values
    history = work.history[state.to_move]
    ordinary, more = count(board, state), extra(board, state)
    least = work.actions[level - 1, work.rows[level - 1].at] if level > 0 and mid(board, state) else -1
    total, plays = 0, 0
    for k in range(ordinary + (more >= 0)):
        action = nth(board, state, k) if k < ordinary else more
        if action < least or (level == 0 and not work.seen[action]):
            continue  # the other order of this pair is looked at from the level above
        hope = np.int64(history[action])
        if action == row.choice:
            hope = np.int64(1) << 60
        else:
            if action == row.killers[0] or action == row.killers[1]:
                hope += HISTORY_MOST
            if row.depth > 1:
                stack[level + 1] = state
                play(board, stack[level + 1], action)
                plays += 1
                value = worth(board, stack[level + 1], root, values, level + 1)
                hope += (value if own(stack[level + 1], root) == own(state, root) else -value) << 20
        insert(actions, promises, total, action, hope)
        total += 1
    row.total, row.best, row.choice, row.at, row.first_low = total, -ENDLESS, -1, 0, row.low
    return plays


@njit
def insert(actions, promises, total, action, promise):
    """Puts an action where it belongs among so many."""
    at = total
    while at > 0 and promises[at - 1] < promise:
        promises[at], actions[at] = promises[at - 1], actions[at - 1]
        at -= 1
    promises[at], actions[at] = promise, action


@njit
def begin(row):
    """How the action that is next at a level is searched first."""
    row.narrow, row.reduced = row.at > 0, 0
    if row.at >= LATE and row.depth >= DEEP:
        row.reduced = 1 + (row.at >= 2 * LATE and row.depth >= 2 * DEEP)


@njit
def descend(row, below, same_side):
    """Hands the level below, where the action that is next was played, its window and depth."""
    low = row.low
    high = low + 1 if row.narrow else row.high
    below.low, below.high = (low, high) if same_side else (-high, -low)
    below.depth = row.depth - 1 - row.reduced
    below.total = UNLISTED


@njit
def carry(row, action, value):
    """Takes a child's value up; returns whether that is enough, because the other side would not let it come here."""
    if row.narrow and value > row.low:
        if row.reduced > 0:
            row.reduced = 0
            return False
        if value < row.high:
            row.narrow = False
            return False
    if value > row.best:
        row.best, row.choice = value, action
        row.low = max(row.low, value)
    if row.low >= row.high:
        return True
    row.at += 1
    begin(row)
    return False


@njit
def praise(history, row, mover):
    """The choice of a level cut off: it is tried early from now on."""
    action = row.choice
    history[mover, action] += row.depth * row.depth
    if history[mover, action] >= HISTORY_MOST:
        history[:] = history // 2
    if row.killers[0] != action:
        row.killers[1], row.killers[0] = row.killers[0], action


@njit
def leave(table, row, level):
    """Keeps in the table what was found at a level, and returns its value."""
    bound = LOWER if row.best >= row.high else UPPER if row.best <= row.first_low else EXACT
    keep(table, row.key, to_table(row.best, level), row.choice, row.depth, bound)
    return row.best
