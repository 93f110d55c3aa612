"""Alpha-beta: every line to a depth, then one ply deeper, as long as time allows.

It suits games whose scores mean something all the time, like Root Down: what a line is worth is told by the scores at
its end, as if the game ended there, and by how many choices the player to move has. For two players.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from hedgerow.game import BadOption, Rules
from hedgerow.kernels.cache import kernel
from hedgerow.kernels.dispatch import count, extra, nth, play, result
from hedgerow.search.proof import insert

DEEPEST = 60
WON = 1_000_000
POINT = 100
"""What a point of the score is worth."""
SHARE = 2_000
"""Plays before compiled code comes back to look at the clock: a millisecond or two."""
UNLISTED = -1


class Workspace(NamedTuple):
    """Workspace to work in; shapes: (levels,) unless said."""

    stack: np.ndarray
    actions: np.ndarray
    """(levels, actions): still to be tried, the most promising last."""
    promises: np.ndarray
    """(levels, actions)"""
    left: np.ndarray
    """How many are still to be tried; UNLISTED at first."""
    low: np.ndarray
    """What seat 0 is sure of, and in `high` what seat 1 is, on the way to this level."""
    high: np.ndarray
    best: np.ndarray
    choice: np.ndarray
    history: np.ndarray
    """(seats, actions): how much an action has spared."""
    seen: np.ndarray
    """(actions,): which actions of the root are looked at."""
    scores: np.ndarray
    """(seats,)"""
    cursor: np.ndarray
    """(2,): the level and the number of plays so far."""


@kernel
def look(boards, work, depth, mobility, most):
    """Goes on for about `most` plays; True once every line of the root is looked at to this depth."""
    board, level = boards[0], work.cursor[0]
    end = work.cursor[1] + most
    while work.cursor[1] < end:
        state = work.stack[level]
        known, value = False, 0
        if work.left[level] == UNLISTED and (state.over or level == depth):
            known, value = True, worth(board, state, work.scores, level, mobility)
        elif work.left[level] == UNLISTED:
            enter(board, work, level, depth, mobility)
        elif work.left[level] == 0:
            known, value = True, work.best[level]
        else:
            work.left[level] -= 1
            level += 1
            follow(board, work, level, work.actions[level - 1, work.left[level - 1]])
            work.low[level], work.high[level], work.left[level] = work.low[level - 1], work.high[level - 1], UNLISTED
        while known:
            if level == 0:
                return True
            level -= 1
            known = carry(work, level, value, depth - level)
            value = work.best[level]
    work.cursor[0] = level
    return False


@njit
def follow(board, work, level, action):
    """Puts at a level what an action makes of the level above it."""
    work.stack[level] = work.stack[level - 1]
    play(board, work.stack[level], action)
    work.cursor[1] += 1


@njit
def carry(work, level, value, depth):
    """Takes a child's value up; returns whether that is enough, because the other player would not let it come here."""
    mover, action = work.stack[level].to_move, work.actions[level, work.left[level]]
    if mover == 0 and value > work.best[level]:
        work.best[level], work.choice[level] = value, action
        work.low[level] = max(work.low[level], value)
    elif mover == 1 and value < work.best[level]:
        work.best[level], work.choice[level] = value, action
        work.high[level] = min(work.high[level], value)
    if work.low[level] < work.high[level]:
        return False
    work.history[mover, action] += depth * depth
    return True


@njit
def worth(board, state, scores, level, mobility):
    """Of seat 0: a game that is over is won or lost, the sooner the more; else its lead and who has choices."""
    winner = result(board, state, scores)
    if state.over:
        return 0 if winner < 0 else (WON - level) * (1 - 2 * winner)
    choices = mobility * count(board, state)
    return POINT * (scores[0] - scores[1]) + (choices if state.to_move == 0 else -choices)


@njit
def enter(board, work, level, depth, mobility):
    """Lists the actions of a level: first what was best a ply less deep, then by what they are worth at once."""
    state = work.stack[level]
    mover, ordinary, more = state.to_move, count(board, state), extra(board, state)
    work.left[level], work.best[level] = 0, (2 * WON if mover else -2 * WON)
    for k in range(ordinary + (more >= 0)):
        action = nth(board, state, k) if k < ordinary else more
        if level == 0 and not work.seen[action]:
            continue
        hope = work.history[mover, action]
        if level == 0 and action == work.choice[0]:
            hope = 1 << 60
        elif depth - level > 1:
            follow(board, work, level + 1, action)
            value = worth(board, work.stack[level + 1], work.scores, level + 1, mobility)
            hope += (-value if mover else value) << 20
        insert(work, level, action, hope)


class Found(NamedTuple):
    """What alpha-beta has found."""

    action: int
    value: int
    """For seat 0: POINTs of the score and choices; near WON or -WON where the game is decided."""
    depth: int


def look_ahead(
    rules: Rules[Any],
    position: Any,
    *,
    seconds: float | None = None,
    plays: int | None = None,
    mobility: int = 2,
    only: Sequence[int] | None = None,
    seed: int = 0,
) -> Found:
    """The best action, or the best of `only` these, by the deepest look that fits into the limits.

    The first ply is always looked at. Among actions that seem equally good the seed decides.

    >>> from hedgerow.match import Match
    >>> match = Match("root_down")
    >>> look_ahead(match.rules, match.plain, plays=5000).depth >= 2
    True
    """
    if rules.players != 2:
        raise BadOption(f"alpha-beta is for two players, {rules.name} has {rules.players}; hint: uct plays it")
    end = None if seconds is None else time.monotonic() + seconds
    work, boards = _workspace(rules, position, seed), rules.fast.boards
    looked_at = list(only or rules.legal(position))
    work.seen[looked_at] = True
    found = Found(looked_at[0], 0, 0)
    for depth in range(1, DEEPEST):
        work.cursor[0], work.left[0], work.low[0], work.high[0] = 0, UNLISTED, -3 * WON, 3 * WON
        while not look(boards, work, depth, mobility, SHARE):
            late = end is not None and time.monotonic() >= end
            if depth > 1 and (late or (plays is not None and work.cursor[1] >= plays)):
                return found
        found = Found(int(work.choice[0]), int(work.best[0]), depth)
        if abs(found.value) > WON // 2:
            return found
    return found


def _workspace(rules: Rules[Any], position: Any, seed: int) -> Workspace:
    levels, size = DEEPEST + 1, rules.actions.size

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int64)

    return Workspace(
        stack=rules.fast.pack(position).repeat(levels).view(np.recarray),
        actions=zeros(levels, size),
        promises=zeros(levels, size),
        left=zeros(levels),
        low=zeros(levels),
        high=zeros(levels),
        best=zeros(levels),
        choice=np.full(levels, -1, np.int64),
        history=np.random.default_rng(seed).integers(0, 4, (2, size)),
        seen=np.zeros(size, np.bool_),
        scores=np.zeros(2, np.int32),
        cursor=zeros(2),
    )
