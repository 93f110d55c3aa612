"""Proving in compiled code that the value of a position reaches a bound, or does not.

A value is seen from seat 0, which wants the bound reached; seat 1 wants it missed. The search goes depth first down to
a limit, beyond which it does not know, and keeps what it has proved in a table. `room` holds one row per level of the
tree: the position, and the actions still to try, the most promising last; so it can be left and taken up again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hedgerow.kernels.cache import kernel
from hedgerow.kernels.chance import mix
from hedgerow.kernels.dispatch import count, extra, mid, nth, play, result

MISSED, REACHED, UNKNOWN = 0, 1, 2
OPEN = -1  # there is no answer yet
LEVEL, PLAYS = 0, 1  # of the cursor
UNLISTED = -1  # in `left`: the actions of this level are still to be found
HIGHEST = 30_000


class Table(NamedTuple):
    """What has been found out: the value of a position lies from low to high. Shapes: (slots,), a power of two."""

    check: np.ndarray
    low: np.ndarray
    high: np.ndarray
    tried: np.ndarray
    """How many levels below it were searched in vain for an answer about the bound `about`."""
    about: np.ndarray
    work: np.ndarray


class Room(NamedTuple):
    """Room to work in; shapes: (levels, ...) unless said."""

    stack: np.ndarray
    words: np.ndarray
    """(levels, words): the same memory as `stack`."""
    masks: np.ndarray
    """(words,): the bits that tell positions apart."""
    keys: np.ndarray
    """(levels, 2): the slot and the check of a position."""
    actions: np.ndarray
    """(levels, actions)"""
    hopes: np.ndarray
    """(levels, actions): how promising they are."""
    left: np.ndarray
    doubt: np.ndarray
    """Some child is unknown."""
    began: np.ndarray
    """The number of plays when the level was entered."""
    history: np.ndarray
    """(seats, actions): how often an action has settled a position."""
    scores: np.ndarray
    """(seats,)"""
    seen: np.ndarray
    """(values,): which values finished games have had, `value + len // 2`."""
    cursor: np.ndarray
    """(2,): the level and the number of plays so far."""


@kernel
def prove(boards, room, table, bound, by_score, limit, most):
    """Goes on with a proof for about `most` plays: REACHED, MISSED, UNKNOWN within the limit, or OPEN if not done yet.

    Once it is settled, `room.actions[0, room.left[0]]` settled it if the answer is what the player to move is after.
    """
    board, level = boards[0], room.cursor[LEVEL]
    end = room.cursor[PLAYS] + most
    while room.cursor[PLAYS] < end:
        answer = OPEN
        if room.left[level] == UNLISTED:
            answer = enter(board, room, table, level, bound, by_score, limit)
        elif room.left[level] == 0:
            answer = UNKNOWN if room.doubt[level] else 1 - wanted(room.stack[level].to_move)
        elif level == limit:
            answer = UNKNOWN
        else:
            room.left[level] -= 1
            level += 1
            follow(board, room, level, room.actions[level - 1, room.left[level - 1]])
            room.left[level] = UNLISTED
        while answer != OPEN:
            remember(room, table, level, bound, answer, limit - level)
            if level == 0:
                return answer
            level -= 1
            answer = carry(room, level, answer)
    room.cursor[LEVEL] = level
    return OPEN


@njit
def follow(board, room, level, action):
    """Puts at a level what an action makes of the level above it."""
    room.stack[level] = room.stack[level - 1]
    play(board, room.stack[level], action)
    room.cursor[PLAYS] += 1


@njit
def carry(room, level, answer):
    """The answer for a level from the one for its child: the same if the player to move is after it, else open."""
    mover = room.stack[level].to_move
    if answer != wanted(mover):
        room.doubt[level] |= answer == UNKNOWN
        return OPEN
    room.history[mover, room.actions[level, room.left[level]]] += 1
    return answer


@njit
def wanted(mover):
    """The answer that the player to move is after."""
    return REACHED if mover == 0 else MISSED


@njit
def enter(board, room, table, level, bound, by_score, limit):
    """Answers for a level from what is known of it and of its children, or lists the actions to be tried."""
    state = room.stack[level]
    identify(room, level)
    room.began[level] = room.cursor[PLAYS]
    known = judge(board, room, table, level, bound, by_score, limit - level)
    if known != OPEN and level > 0:
        return known
    ordinary, more = count(board, state), extra(board, state)
    least = room.actions[level - 1, room.left[level - 1]] if level > 0 and mid(board, state) else -1
    room.left[level], room.doubt[level] = 0, False
    for k in range(ordinary + (more >= 0)):
        action = nth(board, state, k) if k < ordinary else more
        if action < least:
            continue  # the other order of this pair is tried from the parent
        follow(board, room, level + 1, action)
        identify(room, level + 1)
        known = judge(board, room, table, level + 1, bound, by_score, limit - level - 1)
        if known == wanted(state.to_move):
            room.actions[level, room.left[level]] = action
            return known
        room.doubt[level] |= known == UNKNOWN
        if known == OPEN:
            insert(room, level, action, hope(board, room, level, action))
    return OPEN


@njit
def judge(board, room, table, level, bound, by_score, depth):
    """What is known of a level: the game is over, or it has been searched before and no less deep."""
    state = room.stack[level]
    if state.over:
        worth = value(board, state, room.scores, by_score)
        room.seen[worth + len(room.seen) // 2] = True
        return REACHED if worth >= bound else MISSED
    slot = np.int64(room.keys[level, 0] & np.uint64(len(table.check) - 2))
    for at in range(slot, slot + 2):
        if table.check[at] == room.keys[level, 1]:
            if table.low[at] >= bound or table.high[at] < bound:
                return REACHED if table.low[at] >= bound else MISSED
            return UNKNOWN if table.about[at] == bound and table.tried[at] >= depth else OPEN
    return OPEN


@njit
def value(board, state, scores, by_score):
    """The value of a finished game: 1, 0 or -1, and with scores twice the margin besides."""
    winner = result(board, state, scores)
    won = 0 if winner < 0 else 1 - 2 * winner
    return won + 2 * (scores[0] - scores[1]) if by_score else won


@njit
def hope(board, room, level, action):
    """How promising an action is: it leaves the other player few choices, and it has settled other positions."""
    mover, after = room.stack[level].to_move, room.stack[level + 1]
    settled = min(room.history[mover, action], (1 << 20) - 1)
    return settled if after.to_move == mover else settled - (count(board, after) << 20)


@njit
def insert(room, level, action, promise):
    """Puts an action where it belongs among those still to be tried."""
    at = room.left[level]
    while at > 0 and room.hopes[level, at - 1] > promise:
        room.hopes[level, at], room.actions[level, at] = room.hopes[level, at - 1], room.actions[level, at - 1]
        at -= 1
    room.hopes[level, at], room.actions[level, at] = promise, action
    room.left[level] += 1


@njit
def identify(room, level):
    """Makes 128 bits of the bits that tell positions apart; a mistake takes two positions that share them all."""
    slot, check = np.uint64(0), np.uint64(1)
    for word in range(len(room.masks)):
        if room.masks[word]:
            bits = room.words[level, word] & room.masks[word]
            slot = mix(slot ^ bits)
            check = mix((check + bits) * np.uint64(0x9E3779B97F4A7C15))
    room.keys[level, 0], room.keys[level, 1] = slot, check


@njit
def remember(room, table, level, bound, answer, depth):
    """Keeps an answer in the position's own slot, else in that one of two that took less work."""
    check, work = room.keys[level, 1], room.cursor[PLAYS] - room.began[level]
    at = np.int64(room.keys[level, 0] & np.uint64(len(table.check) - 2))
    if table.check[at] != check and (table.check[at + 1] == check or table.work[at + 1] < table.work[at]):
        at += 1
    if table.check[at] != check:
        table.check[at], table.low[at], table.high[at], table.tried[at] = check, -HIGHEST, HIGHEST, -1
    table.work[at] = min(work, 1 << 30)
    if answer == UNKNOWN:
        table.tried[at], table.about[at] = depth, bound
    elif answer == REACHED:
        table.low[at] = max(table.low[at], bound)
    else:
        table.high[at] = min(table.high[at], bound - 1)
