"""Proving in compiled code that the value of a position reaches a bound, or does not.

A value is seen from seat 0, which wants the bound reached; seat 1 wants it missed. The search goes depth first down to
a limit, beyond which it does not know, and keeps what it has proved in a table. `work` holds one row per level of the
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


class Workspace(NamedTuple):
    """Workspace to work in; shapes: (levels, ...) unless said."""

    stack: np.ndarray
    words: np.ndarray
    """(levels, words): the same memory as `stack`."""
    masks: np.ndarray
    """(words,): the bits that tell positions apart."""
    keys: np.ndarray
    """(levels, 2): the slot and the check of a position."""
    actions: np.ndarray
    """(levels, actions)"""
    promises: np.ndarray
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
def prove(boards, work, table, bound, by_score, limit, most):
    """Goes on with a proof for about `most` plays: REACHED, MISSED, UNKNOWN within the limit, or OPEN if not done yet.

    Once it is settled, `work.actions[0, work.left[0]]` settled it if the answer is what the player to move is after.
    """
    board, level = boards[0], work.cursor[LEVEL]
    end = work.cursor[PLAYS] + most
    while work.cursor[PLAYS] < end:
        answer = OPEN
        if work.left[level] == UNLISTED:
            answer = enter(board, work, table, level, bound, by_score, limit)
        elif work.left[level] == 0:
            answer = UNKNOWN if work.doubt[level] else 1 - wanted(work.stack[level].to_move)
        elif level == limit:
            answer = UNKNOWN
        else:
            work.left[level] -= 1
            level += 1
            follow(board, work, level, work.actions[level - 1, work.left[level - 1]])
            work.left[level] = UNLISTED
        while answer != OPEN:
            remember(work, table, level, bound, answer, limit - level)
            if level == 0:
                return answer
            level -= 1
            answer = carry(work, level, answer)
    work.cursor[LEVEL] = level
    return OPEN


@njit
def follow(board, work, level, action):
    """Puts at a level what an action makes of the level above it."""
    work.stack[level] = work.stack[level - 1]
    play(board, work.stack[level], action)
    work.cursor[PLAYS] += 1


@njit
def carry(work, level, answer):
    """The answer for a level from the one for its child: the same if the player to move is after it, else open."""
    mover = work.stack[level].to_move
    if answer != wanted(mover):
        work.doubt[level] |= answer == UNKNOWN
        return OPEN
    work.history[mover, work.actions[level, work.left[level]]] += 1
    return answer


@njit
def wanted(mover):
    """The answer that the player to move is after."""
    return REACHED if mover == 0 else MISSED


@njit
def enter(board, work, table, level, bound, by_score, limit):
    """Answers for a level from what is known of it and of its children, or lists the actions to be tried."""
    state = work.stack[level]
    identify(work, level)
    work.began[level] = work.cursor[PLAYS]
    known = judge(board, work, table, level, bound, by_score, limit - level)
    if known != OPEN and level > 0:
        return known
    ordinary, more = count(board, state), extra(board, state)
    least = work.actions[level - 1, work.left[level - 1]] if level > 0 and mid(board, state) else -1
    work.left[level], work.doubt[level] = 0, False
    for k in range(ordinary + (more >= 0)):
        action = nth(board, state, k) if k < ordinary else more
        if action < least:
            continue  # the other order of this pair is tried from the parent
        follow(board, work, level + 1, action)
        identify(work, level + 1)
        known = judge(board, work, table, level + 1, bound, by_score, limit - level - 1)
        if known == wanted(state.to_move):
            work.actions[level, work.left[level]] = action
            return known
        work.doubt[level] |= known == UNKNOWN
        if known == OPEN:
            insert(work, level, action, hope(board, work, level, action))
    return OPEN


@njit
def judge(board, work, table, level, bound, by_score, depth):
    """What is known of a level: the game is over, or it has been searched before and no less deep."""
    state = work.stack[level]
    if state.over:
        worth = value(board, state, work.scores, by_score)
        work.seen[worth + len(work.seen) // 2] = True
        return REACHED if worth >= bound else MISSED
    slot = np.int64(work.keys[level, 0] & np.uint64(len(table.check) - 2))
    for at in range(slot, slot + 2):
        if table.check[at] == work.keys[level, 1]:
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
def hope(board, work, level, action):
    """How promising an action is: it leaves the other player few choices, and it has settled other positions."""
    mover, after = work.stack[level].to_move, work.stack[level + 1]
    settled = min(work.history[mover, action], (1 << 20) - 1)
    return settled if after.to_move == mover else settled - (count(board, after) << 20)


@njit
def insert(work, level, action, promise):
    """Puts an action where it belongs among those still to be tried."""
    at = work.left[level]
    while at > 0 and work.promises[level, at - 1] > promise:
        work.promises[level, at], work.actions[level, at] = work.promises[level, at - 1], work.actions[level, at - 1]
        at -= 1
    work.promises[level, at], work.actions[level, at] = promise, action
    work.left[level] += 1


@njit
def identify(work, level):
    """Makes 128 bits of the bits that tell positions apart; a mistake takes two positions that share them all."""
    slot, check = np.uint64(0), np.uint64(1)
    for word in range(len(work.masks)):
        if work.masks[word]:
            bits = work.words[level, word] & work.masks[word]
            slot = mix(slot ^ bits)
            check = mix((check + bits) * np.uint64(0x9E3779B97F4A7C15))
    work.keys[level, 0], work.keys[level, 1] = slot, check


@njit
def remember(work, table, level, bound, answer, depth):
    """Keeps an answer in the position's own slot, else in that one of two that took less work."""
    check, plays = work.keys[level, 1], work.cursor[PLAYS] - work.began[level]
    at = np.int64(work.keys[level, 0] & np.uint64(len(table.check) - 2))
    if table.check[at] != check and (table.check[at + 1] == check or table.work[at + 1] < table.work[at]):
        at += 1
    if table.check[at] != check:
        table.check[at], table.low[at], table.high[at], table.tried[at] = check, -HIGHEST, HIGHEST, -1
    table.work[at] = min(plays, 1 << 30)
    if answer == UNKNOWN:
        table.tried[at], table.about[at] = depth, bound
    elif answer == REACHED:
        table.low[at] = max(table.low[at], bound)
    else:
        table.high[at] = min(table.high[at], bound - 1)
