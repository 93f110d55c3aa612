"""Proving in compiled code that the value of a position reaches a bound, or does not.

A value is seen from seat 0, which wants the bound reached; seat 1 wants it missed. The search goes depth first down to
a limit, beyond which it does not know, and keeps what it has proved in a table. `work` holds one row per level of the
tree: the position, and the actions still to try, the most promising last; so it can be left and taken up again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from hedgerow.kernels.cache import kernel
from hedgerow.kernels.chance import mix
from hedgerow.kernels.dispatch import count, extra, mid, nth, play, result

MISSED, REACHED, UNKNOWN = 0, 1, 2
OPEN = -1  # there is no answer yet
UNLISTED = -1  # in `left`: the actions of this level are still to be found
HIGHEST = 30_000

ENTRY = np.dtype(
    [
        ("check", "u8"),
        ("work", "i4"),
        ("low", "i2"),
        ("high", "i2"),
        ("tried", "i2"),  # how many levels below it were searched in vain for an answer about the bound `about`
        ("about", "i2"),
    ]
)
"""What has been found out about a position: its value lies from low to high. A table has a power of two of them."""
ROW = np.dtype(
    [
        ("slot", "u8"),  # where the table keeps the position, and by which number it knows it
        ("check", "u8"),
        ("left", "i8"),  # how many actions are still to be tried; UNLISTED at first
        ("began", "i8"),  # the number of plays when the level was entered
        ("doubt", "?"),  # some child is unknown
    ],
    align=True,
)
CURSOR = np.dtype([("level", "i8"), ("plays", "i8"), ("scores", "i4", (2,))], align=True)
"""Where a proof stands, the plays so far, and room for scores."""


class Workspace(NamedTuple):
    """What a proof works in; what every play asks for lies in records, whose references nobody counts (`pvs`)."""

    stack: np.ndarray
    """(levels,): the positions on the way from the root."""
    words: np.ndarray
    """(levels, words): the same memory as `stack`."""
    masks: np.ndarray
    """(words,): the bits that tell positions apart."""
    rows: np.recarray[Any, Any]
    """(levels,): ROW."""
    actions: np.ndarray
    """(levels, actions)"""
    promises: np.ndarray
    """(levels, actions): how promising they are."""
    history: np.ndarray
    """(seats, actions): how often an action has settled a position."""
    seen: np.ndarray
    """(values,): which values finished games have had, `value + len // 2`."""
    cursor: np.recarray[Any, Any]
    """(1,): CURSOR."""


@kernel
def prove(boards, work, table, bound, by_score, limit, most):
    """Goes on with a proof for about `most` plays: REACHED, MISSED, UNKNOWN within the limit, or OPEN if not done yet.

    Once it is settled, `work.actions[0, work.rows.left[0]]` settled it if the answer is what the mover is after.
    """
    board, stack, rows, actions, cursor = boards[0], work.stack, work.rows, work.actions, work.cursor[0]
    level, end = cursor.level, cursor.plays + most
    while cursor.plays < end:
        row, answer = rows[level], OPEN
        if row.left == UNLISTED:
            answer = enter(board, work, table, level, bound, by_score, limit)
        elif row.left == 0:
            answer = UNKNOWN if row.doubt else 1 - wanted(stack[level].to_move)
        elif level == limit:
            answer = UNKNOWN
        else:
            row.left -= 1
            level += 1
            stack[level] = stack[level - 1]
            play(board, stack[level], actions[level - 1, row.left])
            cursor.plays += 1
            rows[level].left = UNLISTED
        while answer != OPEN:
            remember(table, rows[level], cursor.plays, bound, answer, limit - level)
            if level == 0:
                return answer
            level -= 1
            mover = stack[level].to_move
            if answer == wanted(mover):
                work.history[mover, actions[level, rows[level].left]] += 1
            else:
                rows[level].doubt |= answer == UNKNOWN
                answer = OPEN
    cursor.level = level
    return OPEN


@njit
def wanted(mover):
    """The answer that the player to move is after."""
    return REACHED if mover == 0 else MISSED


@njit
def enter(board, work, table, level, bound, by_score, limit):
    """Answers for a level from what is known of it and of its children, or lists the actions to be tried."""
    stack, rows, cursor, seen = work.stack, work.rows, work.cursor[0], work.seen
    actions, promises = work.actions[level], work.promises[level]
    state, after, row, below = stack[level], stack[level + 1], rows[level], rows[level + 1]
    identify(row, work.words[level], work.masks)
    row.began = cursor.plays
    known = judge(board, state, row, table, cursor.scores, seen, bound, by_score, limit - level)
    if known != OPEN and level > 0:
        return known
    ordinary, more, mover = count(board, state), extra(board, state), state.to_move
    least = np.int64(work.actions[level - 1, rows[level - 1].left]) if level > 0 and mid(board, state) else -1
    row.left, row.doubt = 0, False
    for k in range(ordinary + (more >= 0)):
        action = nth(board, state, k) if k < ordinary else more
        if action < least:
            continue  # the other order of this pair is tried from the parent
        stack[level + 1] = state
        play(board, after, action)
        cursor.plays += 1
        identify(below, work.words[level + 1], work.masks)
        known = judge(board, after, below, table, cursor.scores, seen, bound, by_score, limit - level - 1)
        if known == wanted(mover):
            actions[row.left] = action
            return known
        row.doubt |= known == UNKNOWN
        if known == OPEN:
            insert(actions, promises, row.left, action, hope(board, state, after, work.history[mover, action]))
            row.left += 1
    return OPEN


@njit
def judge(board, state, row, table, scores, seen, bound, by_score, depth):
    """What is known of a level: the game is over, or it has been searched before and no less deep."""
    if state.over:
        worth = value(board, state, scores, by_score)
        seen[worth + len(seen) // 2] = True
        return REACHED if worth >= bound else MISSED
    slot = np.int64(row.slot & np.uint64(len(table) - 2))
    for at in range(slot, slot + 2):
        entry = table[at]
        if entry.check == row.check:
            if entry.low >= bound or entry.high < bound:
                return REACHED if entry.low >= bound else MISSED
            return UNKNOWN if entry.about == bound and entry.tried >= depth else OPEN
    return OPEN


@njit
def value(board, state, scores, by_score):
    """The value of a finished game: 1, 0 or -1, and with scores twice the margin besides."""
    winner = result(board, state, scores)
    won = 0 if winner < 0 else 1 - 2 * winner
    return won + 2 * (scores[0] - scores[1]) if by_score else won


@njit
def hope(board, state, after, settled):
    """How promising an action is: it leaves the other player few choices, and it has settled other positions."""
    settled = min(settled, (1 << 20) - 1)
    return settled if after.to_move == state.to_move else settled - (count(board, after) << 20)


@njit
def insert(actions, promises, left, action, promise):
    """Puts an action where it belongs among those still to be tried."""
    at = left
    while at > 0 and promises[at - 1] > promise:
        promises[at], actions[at] = promises[at - 1], actions[at - 1]
        at -= 1
    promises[at], actions[at] = promise, action


@njit
def identify(row, words, masks):
    """Makes 128 bits of the bits that tell positions apart; a mistake takes two positions that share them all."""
    slot, check = np.uint64(0), np.uint64(1)
    for word in range(len(masks)):
        if masks[word]:
            bits = words[word] & masks[word]
            slot = mix(slot ^ bits)
            check = mix((check + bits) * np.uint64(0x9E3779B97F4A7C15))
    row.slot, row.check = slot, check


@njit
def remember(table, row, plays, bound, answer, depth):
    """Keeps an answer in the position's own slot, else in that one of two that took less work."""
    at = np.int64(row.slot & np.uint64(len(table) - 2))
    entry, other = table[at], table[at + 1]
    if entry.check != row.check and (other.check == row.check or other.work < entry.work):
        entry = other
    if entry.check != row.check:
        entry.check, entry.low, entry.high, entry.tried = row.check, -HIGHEST, HIGHEST, -1
    entry.work = min(plays - row.began, 1 << 30)
    if answer == UNKNOWN:
        entry.tried, entry.about = depth, bound
    elif answer == REACHED:
        entry.low = max(entry.low, bound)
    else:
        entry.high = min(entry.high, bound - 1)
